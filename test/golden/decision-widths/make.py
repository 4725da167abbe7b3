"""Decision models of other shapes, without their weights: python make.py TRAINING_FOLDER OUT

Writes tokenizer.json, the first pieces of the shipped tokenizer, and for each shape a folder with config.json and the
two graphs that read texts. The weights are left out, and weights.json has their size:
test/backends/onnx/families/decision/widths.test.ts writes random ones.
"""
import json
import os
import shutil
import sys

sys.path.insert(0, sys.argv[1])

from decision import constants  # noqa: E402

PIECES = 600
# A small vocabulary, set before other modules read the constants; the control tokens keep their order.
constants.VOCABULARY, constants.ROWS = PIECES, PIECES + 24
CONTROL = ("STATE", "QUESTION", "OPTION", "READOUT", "IMAGE", "IMAGE_START", "IMAGE_END", "END")
for i, name in enumerate(CONTROL):
    setattr(constants, name, PIECES + i)
constants.FIRST_KIND = PIECES + len(CONTROL)

import torch  # noqa: E402

from decision.model import Config, Decision  # noqa: E402
from export.decision import CHOICE_READOUTS, write_graphs  # noqa: E402

SHAPES = {
    "width-128": dict(width=128, layers=2, heads=4, inner=96, head_width=32),
    "width-384": dict(width=384, layers=3, heads=6, inner=128, head_width=48),
}


def small_tokenizer(shipped):
    with open(shipped) as file:
        tokenizer = json.load(file)
    model = tokenizer["model"]
    model["vocab"] = {piece: id for piece, id in model["vocab"].items() if id < PIECES}
    known = model["vocab"]
    model["merges"] = [[a, b] for a, b in model["merges"] if a in known and b in known and a + b in known]
    return tokenizer


def main(training, out):
    with open(f"{out}/tokenizer.json", "w") as file:
        json.dump(small_tokenizer(f"{training}/../tokenizer.json"), file, ensure_ascii=False, indent=0)
    for name, shape in SHAPES.items():
        torch.manual_seed(7)
        model = Decision(Config(**shape)).eval()
        folder = f"{out}/{name}"
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(f"{folder}/onnx")
        write_graphs(model, f"{folder}/onnx", "texts")
        weights = f"{folder}/onnx/decision.onnx_data"
        with open(f"{folder}/weights.json", "w") as file:
            file.write(json.dumps(dict(bytes=os.path.getsize(weights))) + "\n")
        os.remove(weights)
        config = dict(
            model_type="assay-decision",
            name=name,
            context_length=4096,
            control_ids_from=PIECES,
            kinds=list(constants.KINDS),
            choice_readouts=CHOICE_READOUTS,
            span_tokens=24,
            write_tokens=40,
            image=dict(longest_edge=1024, tile_size=256, cells_per_tile=64),
            vision_width=256,
            **shape,
        )
        with open(f"{folder}/config.json", "w") as file:
            file.write(json.dumps(config, indent=2) + "\n")


main(*sys.argv[1:])
