"""
A trained teacher to `vision_encoder.onnx`: python export.py RUN_FOLDER/last.pt OUT.onnx [--raw].
`pixel_values` [tiles, 3, 256, 256] in [-1, 1] gives `image_features` [tiles, 64, 192] and `image_boxes` [tiles, 64, 5]: left, top, right,
bottom offsets from the cell's centre in cells of 32 pixels, then the logit of "there is an element". Checks the file against torch.
"""

import argparse
import pathlib
import time

import numpy
import onnx
import onnxruntime
import torch
from torch.nn.utils.fusion import fuse_conv_bn_eval

from labels import CHARACTER_CLASSES, TAGS
from net import TILE, Convolution, Served, Teacher, averaged_weights

MOST_BYTES = 8_000_000
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


def session(path: pathlib.Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--raw", action="store_true", help="the last weights instead of their running average")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    served = Served(read_teacher(arguments.checkpoint, arguments.raw)).eval()
    pixels = torch.rand(2, 3, TILE, TILE) * 2 - 1
    with torch.no_grad():
        wanted = [output.numpy() for output in served(pixels)]
        fold(served)
        torch.onnx.export(
            served,
            (pixels,),
            str(arguments.out),
            input_names=["pixel_values"],
            output_names=["image_features", "image_boxes"],
            dynamic_axes={name: {0: "tiles"} for name in ("pixel_values", "image_features", "image_boxes")},
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
    tiles = numpy.repeat(pixels.numpy()[:1], 8, 0)
    times = []
    for _ in range(12):
        started = time.perf_counter()
        run.run(None, {"pixel_values": tiles})
        times.append((time.perf_counter() - started) / len(tiles) * 1e3)
    operators = sorted({node.op_type for node in onnx.load(str(arguments.out)).graph.node})
    print(f"{size / 1e6:.2f} MB, {min(times):.1f} ms a tile at best, {sorted(times)[len(times) // 2]:.1f} median, one thread; {', '.join(operators)}")


if __name__ == "__main__":
    main()
