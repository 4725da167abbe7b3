"""Vision features of rendered rows: what the engine gives its state encoder for the cells of a picture (src/backends/onnx/families/decision/cells.ts)."""

import glob
import json
import os

import numpy as np

CELLS = 8


def places(rows, cols, aspect):
    """[cells, 6]: centre x, centre y, width, height, 1 for the whole-picture tile, log(width / height). Tiles row-major, whole picture last."""
    tiles = [(r, c, rows, cols, 0.0) for r in range(rows) for c in range(cols)] + [(0, 0, 1, 1, 1.0)]
    all_places = []
    for row, col, high, wide, is_global in tiles:
        for i in range(CELLS):
            for j in range(CELLS):
                all_places.append(
                    (
                        (col + (j + 0.5) / CELLS) / wide,
                        (row + (i + 0.5) / CELLS) / high,
                        1 / wide / CELLS,
                        1 / high / CELLS,
                        is_global,
                        aspect,
                    )
                )
    return np.array(all_places, np.float32)


def looks(cells, words):
    """[words]: the cell that each stands in, or the nearest; of the whole-picture tile only where there is no other. Places as rows of `places`."""
    own = np.flatnonzero(cells[:, 4] == cells[:, 4].min(initial=1))
    if len(words) == 0 or len(own) == 0:
        return np.zeros(len(words), np.int64)
    apart = [np.abs(words[:, None, i] - cells[None, own, i]) / cells[None, own, i + 2] for i in (0, 1)]
    return own[np.maximum(*apart).argmin(1)]


class Features:
    """What the cells of all pictures of a folder show (vision/features.py): features-*.npy float16 [tiles, 64, width], pieces-*.npy int16 and shares-*.npy float16
    [tiles, 64, SPELLED], with features-*.json, path -> [first tile, ...]."""

    def __init__(self, folder):
        self.index = {}
        for path in sorted(glob.glob(f"{folder}/features-*.json")):
            dump = os.path.basename(path).removeprefix("features-").removesuffix(".json")
            values = [
                np.load(f"{folder}/{part}-{dump}.npy", mmap_mode="r") for part in ("features", "pieces", "shares")
            ]
            with open(path) as file:
                self.index |= {name: (values, entry[0]) for name, entry in json.load(file).items()}

    def __call__(self, picture):
        """Features [kept, width], pieces and shares [kept, SPELLED], places [kept + words, 6] and looks [words] of a row's picture entry."""
        path, rows, cols, aspect, kept, words = picture
        values, first = self.index[path]
        kept = np.array(kept, np.int64)
        cells = rows * cols + 1
        own = [part[first : first + cells].reshape(-1, part.shape[-1])[kept] for part in values]
        features, pieces, shares = (part.astype(kind) for part, kind in zip(own, (np.float32, np.int64, np.float32)))
        shown, read = (
            places(rows, cols, aspect)[kept],
            np.array([(*place, 0.0, aspect) for place in words], np.float32).reshape(-1, 6),
        )
        return features, pieces, shares, np.concatenate((shown, read)), looks(shown, read)
