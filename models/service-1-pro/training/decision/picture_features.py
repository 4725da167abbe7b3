"""Vision features of rendered rows, as the engine gives them to its state encoder.

The engine's side is src/backends/onnx/families/decision/cells.ts.
"""

import glob
import json
import os

import numpy as np

# Cells on each side of a tile.
CELLS = 8


def geometry_of(rows, cols, aspect):
    """[cells, 6]: centre x, centre y, width, height, 1 for the global view, log(width / height) of the picture.

    Tiles go row by row, cells within a tile row by row; the global view is last."""
    tiles = [(r, c, rows, cols, 0.0) for r in range(rows) for c in range(cols)] + [(0, 0, 1, 1, 1.0)]
    cells = []
    for row, col, high, wide, is_global in tiles:
        for i in range(CELLS):
            for j in range(CELLS):
                x, y = (col + (j + 0.5) / CELLS) / wide, (row + (i + 0.5) / CELLS) / high
                cells.append((x, y, 1 / wide / CELLS, 1 / high / CELLS, is_global, aspect))
    return np.array(cells, np.float32)


def cell_index(cells, words):
    """[words]: the cell that each word stands in, or the nearest one; of the global view only where there is no other.

    Both arguments are rows of `geometry_of`."""
    own = np.flatnonzero(cells[:, 4] == cells[:, 4].min(initial=1))
    if len(words) == 0 or len(own) == 0:
        return np.zeros(len(words), np.int64)
    apart = [np.abs(words[:, None, i] - cells[None, own, i]) / cells[None, own, i + 2] for i in (0, 1)]
    return own[np.maximum(*apart).argmin(1)]


class Features:
    """Features of the cells of all pictures of a folder (written by vision/features.py).

    Files: features-*.npy float16 [tiles, 64, width], pieces-*.npy int16 and shares-*.npy float16 [tiles, 64, SPELLED],
    with features-*.json: path -> [first tile, ...]."""

    def __init__(self, folder):
        self.index = {}
        for path in sorted(glob.glob(f"{folder}/features-*.json")):
            dump = os.path.basename(path).removeprefix("features-").removesuffix(".json")
            parts = ("features", "pieces", "shares")
            values = [np.load(f"{folder}/{part}-{dump}.npy", mmap_mode="r") for part in parts]
            with open(path) as file:
                self.index |= {name: (values, entry[0]) for name, entry in json.load(file).items()}

    def __call__(self, picture):
        """For a row's picture entry: features [kept, width], pieces and shares [kept, SPELLED], geometry
        [kept + words, 6] and cell index [words]."""
        path, rows, cols, aspect, kept, words = picture
        values, first = self.index[path]
        kept = np.array(kept, np.int64)
        cells = rows * cols + 1
        own = [part[first : first + cells].reshape(-1, part.shape[-1])[kept] for part in values]
        features, pieces, shares = (part.astype(kind) for part, kind in zip(own, (np.float32, np.int64, np.float32)))
        of_cells = geometry_of(rows, cols, aspect)[kept]
        of_words = np.array([(*place, 0.0, aspect) for place in words], np.float32).reshape(-1, 6)
        return features, pieces, shares, np.concatenate((of_cells, of_words)), cell_index(of_cells, of_words)
