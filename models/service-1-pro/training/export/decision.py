"""Two checkpoints to the shipped folder.

    python -m export.decision TEXTS.pt PICTURES.pt TOKENIZER VISION_ENCODER OUT

PICTURES.pt and VISION_ENCODER are "-" for a model that reads texts only. Writes onnx/state_encoder.onnx and
onnx/branch_reader.onnx, which read texts, and onnx/pictures_... of both, which read states with pictures; each pair has
one file of weights. Copies the vision encoder and the tokenizer, writes config.json, and checks the graphs (check.py).
"""

import argparse
import filecmp
import json
import os
import shutil

import onnx
import torch
from onnx import external_data_helper, numpy_helper

from decision.constants import (
    FIRST_KIND,
    KINDS,
)
from decision.model import Config, Decision
from decision.saved_names import saved_name
from export.branch_reader import branch_reader
from export.check import PARTS, check
from export.state_encoder import state_encoder

# Kinds without training rows -> the kind whose control id they copy.
LIKE = dict(texts={"number": "int", "date": "text", "list": "text", "boxes": "box"}, pictures={"list": "text"})


def in_order(layers, sees):
    """Names of the weights in the data file, in its order.

    Those of the state encoder come first, then those that only the branch reader has."""

    def block(layer, parts):
        return [f"layers.{layer}.{part}.weight.T" for part in parts]

    own, both = ("q", "o", "up", "down"), ("k", "v")
    names = ["embedding.weight", "case.weight"]
    if sees:
        names += [
            "vision_spell",
            "vision_codes.T",
            "vision_attributes.0.weight.T",
            "vision_attributes.2.weight.T",
            "vision_rest.weight.T",
            "appearance_state.weight.T",
            "geometry.0.weight.T",
            "geometry.2.weight.T",
        ]
    for layer in range(layers - 1):
        names += block(layer, both + own)
    names += [
        *block(layers - 1, both),
        "point_end.weight.T",
        "point_state.weight.T",
        "left",
        "right",
        "ask",
        "left2",
        "right2",
        *block(layers - 1, own),
    ]
    names += [
        f"{name}.weight.T"
        for name in (
            *(["appearance_readout", "picture_mix", "picture_gate"] if sees else []),
            "mix",
            "gate",
            "point_readout",
            "point_add",
            "point_ask",
            "point_out",
            "write",
            "copy_state",
            "copy_readout",
        )
    ]
    return [saved_name(name) for name in names]


def share_weights(folder, names, data, order):
    """Moves the larger weights of several graphs into one file, where each is stored once."""
    models = {name: onnx.load(f"{folder}/{name}.onnx") for name in names}
    tensors = {}
    for model in models.values():
        for tensor in model.graph.initializer:
            tensors.setdefault(tensor.name, []).append(tensor)
    blob = bytearray()
    for name in order:
        raw = numpy_helper.to_array(tensors[name][0]).tobytes()
        if len(raw) < 1024:
            continue
        blob += b"\0" * (-len(blob) % 64)
        for tensor in tensors[name]:
            tensor.raw_data = raw
            external_data_helper.set_external_data(tensor, location=data, offset=len(blob), length=len(raw))
            tensor.ClearField("raw_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
        blob += raw
    with open(f"{folder}/{data}", "wb") as file:
        file.write(blob)
    for name, model in models.items():
        with open(f"{folder}/{name}.onnx", "wb") as file:
            file.write(model.SerializeToString())


def write_graphs(model, folder, part):
    """The state encoder and the branch reader of a model, over one file of weights."""
    (prefix, data), sees = PARTS[part], part == "pictures"
    graphs = (f"{prefix}state_encoder", f"{prefix}branch_reader")
    state_encoder(model, f"{folder}/{graphs[0]}.onnx", sees)
    branch_reader(model, f"{folder}/{graphs[1]}.onnx", sees)
    share_weights(folder, graphs, data, in_order(model.config.layers, sees))


def copy_vision(encoder, folder):
    """Copies the float encoder, and removes the 8-bit one of another encoder.

    The engine prefers the 8-bit one, so it must not be older; export/quantise.py makes a new one."""
    there, small = f"{folder}/vision_encoder.onnx", f"{folder}/vision_encoder_int8.onnx"
    if os.path.exists(there) and filecmp.cmp(encoder, there, shallow=False):
        return
    shutil.copy(encoder, there)
    if os.path.exists(small):
        os.remove(small)
        print(f"removed {small}, made of the encoder before: make one of this encoder with export.quantise")


def letters_of(reader):
    """The letters of the text reader's classes, for config.json; empty for a model without a text reader."""
    if not os.path.exists(reader):
        return {}
    return {prop.key: prop.value for prop in onnx.load(reader).metadata_props if prop.key == "letters"}


# Which readout answers a choice: about a text, about pictures, and when options come without a question. The better one
# is measured on the calibration split, for each set of weights (bench/experiments/operators.ts).
CHOICE_READOUTS = dict(text="exclusive", images="exclusive", bare="exclusive")


def trained(saved):
    """What config.json says of a checkpoint's training."""
    return dict(steps=saved["step"], tokens=saved["seen"], questions=saved["asked"], seconds=round(saved["used"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("texts", "pictures", "tokenizer", "vision", "out"):
        parser.add_argument(name)
    parser.add_argument("--reader", help="text_reader.onnx of export/reader.py; otherwise the one in OUT stays")
    options = parser.parse_args()
    folder = f"{options.out}/onnx"
    os.makedirs(folder, exist_ok=True)
    runs = {}
    for part in PARTS:
        if getattr(options, part) == "-":
            continue
        saved = runs[part] = torch.load(getattr(options, part), weights_only=False)
        model = Decision(Config(**saved["config"])).eval()
        model.load_state_dict(saved["model"])
        with torch.no_grad():
            for kind, other in LIKE[part].items():
                own, copied = (FIRST_KIND + KINDS.index(name) for name in (kind, other))
                model.embedding.weight[own] = model.embedding.weight[copied]
        write_graphs(model, folder, part)
        print(f"{part}: largest logit difference {check(model, folder, part):.2e}")
    if options.vision != "-":
        copy_vision(options.vision, folder)
    if options.reader:
        shutil.copy(options.reader, f"{folder}/text_reader.onnx")
    if os.path.abspath(options.tokenizer) != os.path.abspath(f"{options.out}/tokenizer.json"):
        shutil.copy(options.tokenizer, f"{options.out}/tokenizer.json")
    config = dict(
        model_type="assay-decision",
        id="service-1-pro",
        name="Service 1 Pro",
        context_length=4096,
        control_ids_from=8128,
        kinds=list(KINDS),
        choice_readouts=CHOICE_READOUTS,
        span_tokens=24,
        write_tokens=40,
        image=dict(longest_edge=1024, tile_size=256, cells_per_tile=64, **letters_of(f"{folder}/text_reader.onnx")),
        trained={part: trained(saved) for part, saved in runs.items()},
        **runs["texts"]["config"],
    )
    with open(f"{options.out}/config.json", "w") as file:
        file.write(json.dumps(config, indent=2) + "\n")
    print({f: os.path.getsize(f"{folder}/{f}") for f in sorted(os.listdir(folder))})


if __name__ == "__main__":
    main()
