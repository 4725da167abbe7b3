"""A trained vision tower to `vision_encoder.onnx`.

    python -m export.vision RUN_FOLDER/last.pt TOKENIZER.json OUT.onnx READING.npz [--raw]

Input: `pixel_values` [pictures, 3, height, width] in [-1, 1], sides of whole cells of 32 pixels. Outputs:
`image_features` [pictures, cells, 256], row by row, and `image_boxes` [pictures, cells, 5]: left, top, right and bottom
offsets from the cell's centre in cells, then the logit of "there is an element". Checks the file against torch.
READING.npz holds how the decision model first reads features: the spelling map and codes, and the tags with the words
that name them.
"""

import argparse
import pathlib
import time

import numpy
import onnx
import onnxruntime
import tokenizers
import torch
from torch.nn import functional
from torch.nn.utils.fusion import fuse_conv_bn_eval

from vision.labels import CHARACTER_CLASSES, TAGS, encode
from vision.net import TILE, Convolution, Served, Teacher, averaged_weights
from vision.spelling import spelling_codes

MOST_BYTES = 12_000_000
OPSET = 18


def read_teacher(path: pathlib.Path, is_raw: bool = False) -> Teacher:
    """The averaged weights of a checkpoint, or the last ones."""
    saved = torch.load(path, weights_only=True)
    teacher = Teacher(len(TAGS), CHARACTER_CLASSES)
    teacher.load_state_dict(saved["teacher"] if is_raw else averaged_weights(saved))
    return teacher.eval()


def fold(module: torch.nn.Module) -> None:
    """Puts every batch norm into the convolution before it."""
    for child in module.modules():
        if isinstance(child, Convolution):
            child[0], child[1] = fuse_conv_bn_eval(child[0], child[1]), torch.nn.Identity()


def session(path: pathlib.Path, threads: int = 1) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def write_reading(teacher: Teacher, tokenizer: tokenizers.Tokenizer, path: pathlib.Path) -> None:
    """Writes spell [WIDTH, code], codes [pieces + 1, code] (the last a blank), sharpness; tags [tag, WIDTH], tag_bias
    [tag], tag_words [tag, most] ids or -1."""
    blank = functional.normalize(teacher.blank.detach(), dim=0)
    words = [encode(tokenizer, tag.removeprefix("is ")).ids for tag in TAGS]
    most = max(len(ids) for ids in words)
    numpy.savez(
        path,
        spell=teacher.spelling.weight.detach().T,
        codes=torch.cat([spelling_codes(tokenizer), blank[None]]),
        sharpness=teacher.sharpness.detach().exp(),
        tags=teacher.tags.weight.detach(),
        tag_bias=teacher.tags.bias.detach(),
        tag_words=numpy.array([ids + [-1] * (most - len(ids)) for ids in words]),
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("tokenizer", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("reading", type=pathlib.Path)
    parser.add_argument("--raw", action="store_true", help="the last weights instead of their running average")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    teacher = read_teacher(arguments.checkpoint, arguments.raw)
    write_reading(teacher, tokenizers.Tokenizer.from_file(str(arguments.tokenizer)), arguments.reading)
    served = Served(teacher).eval()
    pixels = torch.rand(2, 3, TILE, 2 * TILE) * 2 - 1
    with torch.no_grad():
        wanted = [output.numpy() for output in served(pixels)]
        fold(served)
        torch.onnx.export(
            served,
            (pixels,),
            str(arguments.out),
            input_names=["pixel_values"],
            output_names=["image_features", "image_boxes"],
            dynamic_axes={
                "pixel_values": {0: "pictures", 2: "height", 3: "width"},
                "image_features": {0: "pictures", 1: "cells"},
                "image_boxes": {0: "pictures", 1: "cells"},
            },
            opset_version=OPSET,
            dynamo=False,
        )
    onnx.checker.check_model(str(arguments.out))
    size = arguments.out.stat().st_size
    if size >= MOST_BYTES:
        raise SystemExit(f"{size} bytes, {MOST_BYTES} allowed")

    run = session(arguments.out)
    got = run.run(None, {"pixel_values": pixels.numpy()})
    for name, ours, theirs in zip(("image_features", "image_boxes"), wanted, got):
        difference = numpy.abs(ours - theirs).max()
        print(f"{name}: largest difference to torch {difference:.2e} of {numpy.abs(ours).max():.2f}")
        if difference > 1e-3:
            raise SystemExit("the file does not compute what torch computes")
    tiles = numpy.repeat(pixels.numpy()[:1, :, :, :TILE], 8, 0)
    times = []
    for _ in range(12):
        started = time.perf_counter()
        run.run(None, {"pixel_values": tiles})
        times.append((time.perf_counter() - started) / len(tiles) * 1e3)
    operators = sorted({node.op_type for node in onnx.load(str(arguments.out)).graph.node})
    print(
        f"{size / 1e6:.2f} MB, {min(times):.1f} ms a tile at best, {sorted(times)[len(times) // 2]:.1f} median, "
        f"one thread; {', '.join(operators)}"
    )


if __name__ == "__main__":
    main()
