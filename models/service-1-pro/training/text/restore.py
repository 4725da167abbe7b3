"""A checkpoint from the graphs that ship, in eight bits as they are: what a run has learned goes on from there.

    python restore.py FOLDER OUT.pt

FOLDER holds config.json and onnx/*_int8.onnx (../../texts). `train.py RUN --start OUT.pt` goes on from it; its first
steps find back what the rounding took.
"""

import json
import sys

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from config import Config
from export import GRAPHS, LEAST_GELU
from model import Model

SHARED = {".key": ".query"}  # products of one input, which was evened once


def kept(folder):
    """Name -> array of everything the graphs hold."""
    found = {}
    for graph in GRAPHS:
        for one in onnx.load(f"{folder}/onnx/{graph}_int8.onnx").graph.initializer:
            found[one.name] = numpy_helper.to_array(one)
    return found


def weight(found, name):
    """A parameter of the model as it was before it was rounded, as nearly as its steps say."""
    if name in found:
        return found[name]
    if f"{name}.T" in found:
        return found[f"{name}.T"].T
    if f"{name}/8" in found:  # a table: a scale for each row
        return found[f"{name}/8"] * found[f"{name}/steps"]
    layer, part = name.rsplit(".", 1)
    if part == "bias" and f"{name}/None" in found:
        return found[f"{name}/None"]
    if part == "bias":  # of a product whose input is counted from LEAST_GELU: what that adds is in it
        rounded = found[f"{layer}.weight.T/8"].T * found[f"{layer}.weight/steps"][:, None]
        return found[f"{name}/{LEAST_GELU}"] - LEAST_GELU * rounded.sum(1)
    rounded = found[f"{name}.T/8"].T.astype(np.float32) * found[f"{name}/steps"][:, None]
    for other in (layer, *(layer.removesuffix(end) + to for end, to in SHARED.items() if layer.endswith(end))):
        if f"{other}/evened" in found:
            return rounded * found[f"{other}/evened"]
    return rounded


def restored(folder):
    """The model of a folder, and what its config.json says of its training."""
    with open(f"{folder}/config.json", encoding="utf-8") as file:
        about = json.load(file)
    model = Model(Config.read({**vars(Config()), "width": about["width"], "layers": about["layers"]}))
    found = kept(folder)
    state = {name: torch.from_numpy(np.array(weight(found, name), np.float32)) for name in model.state_dict()}
    model.load_state_dict(state)
    return model, about["trained"]


def main():
    folder, out = sys.argv[1:3]
    model, trained = restored(folder)
    torch.save(
        {
            "model": model.state_dict(),
            "config": vars(model.config),
            "step": 0,
            "tokens": trained["tokens"],
            "asked": trained["questions"],
            "spent": trained["seconds"],
        },
        out,
    )
    print(f"{out}: {trained['tokens']:,} tokens, {trained['questions']:,} questions")


if __name__ == "__main__":
    main()
