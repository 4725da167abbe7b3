"""Shipped weights back to checkpoints to continue from: python -m decision.restore MODEL_FOLDER OUT

Writes OUT/texts.pt and OUT/pictures.pt (for decision.train --start; the picture parts of the first start anew),
OUT/emb.npy, the word vectors of the first, and OUT/reading.npz, how words are read from vision features, for
vision.features. The result is checked by running the shipped graphs against it.
"""

import argparse
import json
import os

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from decision.model import PICTURE_PARTS, Config, Decision
from decision.saved_names import attribute_name
from export.check import PARTS, check
from export.nodes import CONSTANT, TRANSPOSED

GRAPHS = ("state_encoder", "branch_reader")
LARGEST_DIFFERENCE = 1e-4
# Attributes that graphs for texts are shipped without.
PICTURE_ONLY = ("vision_", *PICTURE_PARTS)


def restore(folder, part):
    """The model behind one pair of graphs of MODEL_FOLDER/onnx, in evaluation mode."""
    with open(f"{folder}/config.json") as file:
        served = json.load(file)
    model = Decision(Config(**{name: served[name] for name in Config().dict()})).eval()
    state = {}
    for graph in GRAPHS:
        tensors = onnx.load(f"{folder}/onnx/{PARTS[part][0]}{graph}.onnx", load_external_data=False).graph.initializer
        for tensor in tensors:
            if tensor.name.startswith(CONSTANT):
                continue
            values, name = np.array(numpy_helper.to_array(tensor, base_dir=f"{folder}/onnx")), tensor.name
            is_turned = name.endswith(TRANSPOSED)
            name = name[: -len(TRANSPOSED)] if is_turned else name
            state[name] = torch.from_numpy(np.ascontiguousarray(values.T) if is_turned else values)
    missing, unknown = set(model.state_dict()) - set(state), set(state) - set(model.state_dict())
    if part == "texts":
        missing = {name for name in missing if not attribute_name(name).startswith(PICTURE_ONLY)}
    if missing or unknown:
        raise SystemExit(f"the graphs are of another model: they lack {sorted(missing)} and have {sorted(unknown)}")
    model.load_state_dict(state, strict=False)
    return model, served["trained"][part]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("out")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    for part, (prefix, _) in PARTS.items():
        if not os.path.exists(f"{options.model}/onnx/{prefix}state_encoder.onnx"):
            continue
        model, trained = restore(options.model, part)
        worst = check(model, f"{options.model}/onnx", part)
        if worst > LARGEST_DIFFERENCE:
            raise SystemExit(
                f"the shipped graphs answer otherwise: logits differ by {worst:.2e}, {LARGEST_DIFFERENCE:.0e} allowed"
            )
        torch.save(
            dict(
                model=model.state_dict(),
                config=model.config.dict(),
                step=trained["steps"],
                seen=trained["tokens"],
                asked=trained["questions"],
                used=trained["seconds"],
            ),
            f"{options.out}/{part}.pt",
        )
        if part == "texts":
            np.save(f"{options.out}/emb.npy", model.embedding.weight.detach().numpy())
        elif part == "pictures":
            np.savez(
                f"{options.out}/reading.npz",
                **{name: getattr(model, f"vision_{name}").numpy() for name in ("spell", "codes", "sharpness")},
            )
        print(f"{part}: {sum(p.numel() for p in model.parameters()):,} numbers, largest logit difference {worst:.2e}")


if __name__ == "__main__":
    main()
