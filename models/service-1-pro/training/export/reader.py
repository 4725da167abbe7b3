"""A trained text reader to `text_reader.onnx`: python -m export.reader RUN/last.pt OUT.onnx

Input: `pixel_values` [pictures, 3, height, width] in [-1, 1], sides of whole cells of 32 pixels. Outputs: those of
`Reader` (reading/reader.py). The metadata hold the letters of its classes; export/decision.py puts them into
config.json. Checks the file against torch.
"""

import pathlib
import sys
import time

import numpy
import onnx
import torch

from export.vision import OPSET, fold, session
from reading.lines import LETTERS
from reading.reader import Reader
from vision.labels import CHARACTER_CLASSES, TAGS
from vision.net import TILE, Teacher

NAMES = ["letters", "lines", "edges"]


def read_reader(path: pathlib.Path) -> Reader:
    """The averaged weights of a checkpoint."""
    saved = torch.load(path, weights_only=True)
    reader = Reader(Teacher(len(TAGS), CHARACTER_CLASSES).tower)
    reader.load_state_dict(
        {name.removeprefix("module."): value for name, value in saved["average"].items() if name.startswith("module.")}
    )
    return reader.eval()


def main() -> None:
    checkpoint, out = (pathlib.Path(argument) for argument in sys.argv[1:])
    torch.set_num_threads(1)
    reader = read_reader(checkpoint)
    pixels = torch.rand(2, 3, TILE, 2 * TILE) * 2 - 1
    with torch.no_grad():
        wanted = [output.numpy() for output in reader(pixels)]
        fold(reader)
        axes = {0: "pictures", 1: "rows", 2: "steps"}
        torch.onnx.export(
            reader,
            (pixels,),
            str(out),
            input_names=["pixel_values"],
            output_names=NAMES,
            dynamic_axes={
                "pixel_values": {0: "pictures", 2: "height", 3: "width"},
                "letters": axes,
                "lines": axes,
                "edges": axes | {2: "columns"},
            },
            opset_version=OPSET,
            dynamo=False,
        )
    model = onnx.load(str(out))
    onnx.helper.set_model_props(model, {"letters": LETTERS})
    onnx.save(model, str(out))
    run = session(out)
    got = run.run(None, {"pixel_values": pixels.numpy()})
    for name, ours, theirs in zip(NAMES, wanted, got):
        difference = numpy.abs(ours - theirs).max()
        print(f"{name}: {theirs.shape}, largest difference to torch {difference:.2e} of {numpy.abs(ours).max():.2f}")
        if difference > 1e-3:
            raise SystemExit("the file does not compute what torch computes")
    page = numpy.repeat(numpy.repeat(pixels.numpy()[:1], 2, 2), 2, 3)
    times = []
    for _ in range(6):
        started = time.perf_counter()
        run.run(None, {"pixel_values": page})
        times.append(time.perf_counter() - started)
    print(
        f"{out.stat().st_size / 1e6:.2f} MB, {min(times) * 1e3:.0f} ms at best "
        f"for {page.shape[3]} x {page.shape[2]} pixels, one thread"
    )


if __name__ == "__main__":
    main()
