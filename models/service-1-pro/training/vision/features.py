"""Runs the vision tower over dumped tiles.

    python -m vision.features RUN_FOLDER/last.pt READING.npz TILES_FOLDER OUT_FOLDER NAME ... [--threads N] [--exact]
    python -m vision.features VISION_ENCODER.onnx READING.npz ...

A checkpoint runs in bfloat16 where the processor supports it, several times faster and about as far off as the served
8 bits; otherwise, or with --exact, in float32. For each dump writes:

- features-NAME.npy, float16 [tiles, 64, 256], and boxes-NAME.npy, float16 [tiles, 64, 5]
- pieces-NAME.npy, int16, and shares-NAME.npy, float16 [tiles, 64, 8]: the pieces that the cell seems to show
  (`Decision.spelled`), absent for cells of one colour, which become no tokens
- features-NAME.json, path -> [first tile, tiles, rows, cols, width, height]; with rows = cols = 0 there is one squashed
  tile, else the last one is the global view
"""

import argparse
import json
import pathlib
from collections.abc import Callable, Iterator

import numpy
import torch
from torch.nn import functional

from export.vision import fold, read_teacher, session
from vision.losses import to_pixels
from vision.net import CELL, GRID, TILE, WIDTH, Served
from vision.precision import autocast

BATCH = 64
SPELLED, CANDIDATES = 8, 16


def spelled(features: torch.Tensor, reading: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Pieces and shares [n, SPELLED] of features [n, WIDTH].

    Candidates are found in half precision, where that is faster, and weighed in full precision."""
    said = functional.normalize(features @ reading["spell"], dim=-1)
    with autocast("cpu"):
        candidates = (said @ reading["codes"].T).topk(CANDIDATES, -1).indices
    scores = reading["sharpness"] * (reading["codes"][candidates] @ said[:, :, None])[:, :, 0]
    best, order = scores.topk(SPELLED, -1)
    return candidates.gather(1, order), best.softmax(-1)


def is_varied(tiles: torch.Tensor) -> torch.Tensor:
    """[n, 64]: which cells are not of one colour."""
    cells = tiles.view(-1, GRID, CELL, GRID, CELL, 3)
    return (cells.amax((2, 4)) != cells.amin((2, 4))).any(-1).flatten(1)


def in_full(tiles: torch.Tensor, rows: int, cols: int) -> torch.Tensor:
    """Tiles [rows * cols, 256, 256, 3] as the picture [1, y, x, 3] they were cut from, as the engine runs it."""
    return tiles.view(rows, cols, TILE, TILE, 3).permute(0, 2, 1, 3, 4).reshape(1, rows * TILE, cols * TILE, 3)


def by_tile(cells: torch.Tensor, rows: int, cols: int) -> torch.Tensor:
    """Cells [1, n, width] of a picture in full, line by line, as [rows * cols, 64, width]."""
    return cells.view(rows, GRID, cols, GRID, -1).permute(0, 2, 1, 3, 4).reshape(rows * cols, GRID * GRID, -1)


def tile_batches(entries: list[dict]) -> Iterator[tuple[list[int], int, int]]:
    """Batches of tiles, with rows and columns: each picture in full; single tiles and global views together."""
    single = []
    for entry in entries:
        cut = entry["rows"] * entry["cols"]
        if cut:
            yield list(range(entry["first"], entry["first"] + cut)), entry["rows"], entry["cols"]
        single.append(entry["first"] + cut)
    for start in range(0, len(single), BATCH):
        yield single[start : start + BATCH], 0, 0


Tower = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


def trained(checkpoint: pathlib.Path, is_exact: bool) -> Tower:
    served = Served(read_teacher(checkpoint)).eval()
    fold(served)
    served = served.to(memory_format=torch.channels_last)

    @torch.no_grad()
    def run(pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with autocast("cpu", torch.float32 if is_exact else None):
            features, boxes = served(pixels)
        return features.float(), boxes.float()

    return run


def exported(graph: pathlib.Path, threads: int) -> Tower:
    opened = session(graph, threads)

    def run(pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features, boxes = opened.run(None, {"pixel_values": pixels.contiguous().numpy()})
        return torch.from_numpy(features), torch.from_numpy(boxes)

    return run


def write_features(
    tower: Tower, reading: dict[str, torch.Tensor], folder: pathlib.Path, out: pathlib.Path, name: str
) -> None:
    tiles = numpy.memmap(folder / f"tiles-{name}.raw", numpy.uint8, "r").reshape(-1, TILE, TILE, 3)
    index = json.loads((folder / f"tiles-{name}.json").read_text())
    shapes = {
        "features": (numpy.float16, WIDTH),
        "boxes": (numpy.float16, 5),
        "pieces": (numpy.int16, SPELLED),
        "shares": (numpy.float16, SPELLED),
    }
    files = {
        part: numpy.lib.format.open_memmap(out / f"{part}-{name}.npy", "w+", kind, (len(tiles), GRID * GRID, width))
        for part, (kind, width) in shapes.items()
    }
    for together, rows, cols in tile_batches(list(index.values())):
        own = torch.from_numpy(tiles[together])
        features, boxes = tower(to_pixels(in_full(own, rows, cols) if rows else own))
        if rows:
            features, boxes = by_tile(features, rows, cols), by_tile(boxes, rows, cols)
        varied = is_varied(own)
        pieces, shares = spelled(features[varied], reading)
        files["features"][together], files["boxes"][together] = features, boxes
        for part, values in (("pieces", pieces.short()), ("shares", shares)):
            whole = values.new_zeros(*varied.shape, SPELLED)
            whole[varied] = values
            files[part][together] = whole
    for file in files.values():
        file.flush()
    fields = ("first", "count", "rows", "cols", "width", "height")
    (out / f"features-{name}.json").write_text(
        json.dumps({path: [entry[field] for field in fields] for path, entry in index.items()})
    )
    print(name, len(tiles), "tiles", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    for argument in ("tower", "reading", "tiles", "out"):
        parser.add_argument(argument, type=pathlib.Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--exact", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    arguments.out.mkdir(parents=True, exist_ok=True)
    with numpy.load(arguments.reading) as file:
        reading = {part: torch.from_numpy(file[part]) for part in ("spell", "codes", "sharpness")}
    is_exported = arguments.tower.suffix == ".onnx"
    tower = exported(arguments.tower, arguments.threads) if is_exported else trained(arguments.tower, arguments.exact)
    for name in arguments.names:
        write_features(tower, reading, arguments.tiles, arguments.out, name)


if __name__ == "__main__":
    main()
