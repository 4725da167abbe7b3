"""
Runs the exported tower over dumped tiles: python features.py VISION_ENCODER.onnx TILES_FOLDER OUT_FOLDER NAME ...
For each dump writes features-NAME.npy, float16 [tiles, 64, 192], boxes-NAME.npy, float16 [tiles, 64, 5], and features-NAME.json,
path -> [first tile, tiles, rows, cols, width, height] (rows = cols = 0: one squashed tile; else the last tile is the global view).
"""

import json
import pathlib
import sys

import numpy

from export import session
from net import GRID, TILE, WIDTH

BATCH = 16


def write_features(encoder: pathlib.Path, folder: pathlib.Path, out: pathlib.Path, name: str) -> None:
    run = session(encoder)
    tiles = numpy.memmap(folder / f"tiles-{name}.raw", numpy.uint8, "r").reshape(-1, TILE, TILE, 3)
    count = len(tiles)
    features = numpy.lib.format.open_memmap(out / f"features-{name}.npy", "w+", numpy.float16, (count, GRID * GRID, WIDTH))
    boxes = numpy.lib.format.open_memmap(out / f"boxes-{name}.npy", "w+", numpy.float16, (count, GRID * GRID, 5))
    for start in range(0, count, BATCH):
        pixels = tiles[start : start + BATCH].transpose(0, 3, 1, 2).astype(numpy.float32) / 127.5 - 1
        features[start : start + BATCH], boxes[start : start + BATCH] = run.run(None, {"pixel_values": pixels})
    features.flush()
    boxes.flush()
    index = json.loads((folder / f"tiles-{name}.json").read_text())
    fields = ("first", "count", "rows", "cols", "width", "height")
    (out / f"features-{name}.json").write_text(json.dumps({path: [entry[field] for field in fields] for path, entry in index.items()}))
    print(name, count, "tiles")


if __name__ == "__main__":
    encoder, tiles_folder, out_folder = (pathlib.Path(argument) for argument in sys.argv[1:4])
    out_folder.mkdir(parents=True, exist_ok=True)
    for dump in sys.argv[4:]:
        write_features(encoder, tiles_folder, out_folder, dump)
