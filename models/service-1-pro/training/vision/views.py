"""Tile dumps and labels to training examples: a random window at a random scale, or the global view, with targets."""

import dataclasses
import json
import pathlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy
import tokenizers
import torch
from PIL import Image

from vision.labels import Labels, read_labels
from vision.net import TILE
from vision.targets import View, targets_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

GLOBAL_SHARE = 0.15
SCALED_SHARE = 0.6
WINDOWS = 4
FULLEST_SHARE = 0.75
PHOTO_CELLS = 0.15


@dataclasses.dataclass
class Picture:
    labels: Labels
    tiles: numpy.ndarray  # [tile, 256, 256, 3], the global view last
    rows: int
    cols: int
    width: int
    height: int

    @property
    def is_cut(self) -> bool:
        return self.rows > 0


def read_pictures(
    folder: pathlib.Path, name: str, labels: pathlib.Path, tokenizer: tokenizers.Tokenizer
) -> list[Picture]:
    """The pictures of one dump (`tiles-NAME.raw`, `.json`) that have labels."""
    index = json.loads((folder / f"tiles-{name}.json").read_text())
    tiles = numpy.memmap(folder / f"tiles-{name}.raw", numpy.uint8, "r").reshape(-1, TILE, TILE, 3)
    pictures = []
    for page in read_labels(labels, tokenizer):
        entry = index.get(page.path)
        if entry:
            own = tiles[entry["first"] : entry["first"] + entry["count"]]
            pictures.append(Picture(page, own, entry["rows"], entry["cols"], entry["width"], entry["height"]))
    return pictures


def tile_view(picture: Picture, tile: int) -> View:
    """The view that the engine's tile of this number shows."""
    if not picture.is_cut or tile == len(picture.tiles) - 1:
        return View((TILE / picture.width, TILE / picture.height), (0, 0))
    row, col = divmod(tile, picture.cols)
    return View((picture.cols * TILE / picture.width, picture.rows * TILE / picture.height), (col * TILE, row * TILE))


def window(picture: Picture, left: int, top: int, width: int, height: int) -> numpy.ndarray:
    """A window of the resized whole, put together from the tiles it touches."""
    out = numpy.empty((height, width, 3), numpy.uint8)
    for row in range(top // TILE, (top + height - 1) // TILE + 1):
        for col in range(left // TILE, (left + width - 1) // TILE + 1):
            y0, y1 = max(top, row * TILE), min(top + height, (row + 1) * TILE)
            x0, x1 = max(left, col * TILE), min(left + width, (col + 1) * TILE)
            source = picture.tiles[row * max(picture.cols, 1) + col]
            out[y0 - top : y1 - top, x0 - left : x1 - left] = source[
                y0 - row * TILE : y1 - row * TILE, x0 - col * TILE : x1 - col * TILE
            ]
    return out


def written_in(picture: Picture, left: int, top: int, width: int, height: int) -> int:
    """How many word pieces have their middle in a window of the resized whole."""
    boxes = picture.labels.pieces[:, 1:]
    x = (boxes[:, 0] + boxes[:, 2]) / 2 * (max(picture.cols, 1) * TILE / picture.width)
    y = (boxes[:, 1] + boxes[:, 3]) / 2 * (max(picture.rows, 1) * TILE / picture.height)
    return int(((x > left) & (x < left + width) & (y > top) & (y < top + height)).sum())


def random_view(picture: Picture, random: numpy.random.Generator) -> tuple[numpy.ndarray, View]:
    if picture.is_cut and random.random() < GLOBAL_SHARE:
        return numpy.array(picture.tiles[-1]), tile_view(picture, len(picture.tiles) - 1)
    rows, cols = max(picture.rows, 1), max(picture.cols, 1)
    zoom = 1.0
    if random.random() < SCALED_SHARE:
        zoom = random.uniform(0.75, 1.3) if picture.is_cut else random.uniform(1, 1.3)
    # A window larger than the whole is not possible, so the zoom ends where the shorter side does.
    side_x, side_y = (min(int(TILE / zoom * random.uniform(0.94, 1.06)), n * TILE) for n in (cols, rows))
    # Most of a page is empty, and there is nothing to read there: of several windows take the one with most words.
    draws = [
        (int(random.integers(0, cols * TILE - side_x + 1)), int(random.integers(0, rows * TILE - side_y + 1)))
        for _ in range(WINDOWS)
    ]
    left, top = (
        max(draws, key=lambda at: written_in(picture, *at, side_x, side_y))
        if random.random() < FULLEST_SHARE
        else draws[0]
    )
    pixels = window(picture, left, top, side_x, side_y)
    if (side_x, side_y) != (TILE, TILE):
        pixels = numpy.asarray(Image.fromarray(pixels).resize((TILE, TILE), Image.Resampling.BICUBIC))
    zoom_x, zoom_y = TILE / side_x, TILE / side_y
    scale = (cols * TILE / picture.width * zoom_x, rows * TILE / picture.height * zoom_y)
    is_flipped = picture.labels.kind in ("photo", "shapes") and random.random() < 0.5
    return pixels[:, ::-1] if is_flipped else pixels, View(scale, (left * zoom_x, top * zoom_y), is_flipped)


def jitter(pixels: numpy.ndarray, random: numpy.random.Generator) -> numpy.ndarray:
    """Slight changes of contrast, brightness and tint, now and then noise or grey. Colour names must survive."""
    out = pixels.astype(numpy.float32)
    if random.random() < 0.5:
        gain = random.uniform(0.85, 1.15) * random.uniform(0.96, 1.04, 3)
        out = (out - 128) * gain.astype(numpy.float32) + 128 + random.uniform(-14, 14)
    if random.random() < 0.15:
        out += random.normal(0, random.uniform(1, 8), (*out.shape[:2], 1)).astype(numpy.float32)
    return out.clip(0, 255).astype(numpy.uint8)


def weight_of(picture: Picture) -> float:
    return min(len(picture.tiles), 8) * (4 + min(len(picture.labels.pieces), 150) ** 0.5)


class Examples(torch.utils.data.IterableDataset):
    """Endless random examples: a pool is drawn by weight, then a picture, those with more text more often.

    `asked` makes the targets of a view."""

    def __init__(
        self,
        pools: list[tuple[float, list[Picture]]],
        seed: int,
        asked: Callable[[Labels, View], "DataclassInstance"] = targets_of,
    ) -> None:
        self.pools = [
            (weight, pictures, numpy.cumsum([weight_of(p) for p in pictures])) for weight, pictures in pools if pictures
        ]
        self.seed, self.asked = seed, asked

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        random = numpy.random.default_rng((self.seed, worker.id if worker else 0))
        shares = numpy.array([float(weight) for weight, _, _ in self.pools])
        shares /= shares.sum()
        while True:
            _, pictures, ends = self.pools[random.choice(len(self.pools), p=shares)]
            picture = pictures[numpy.searchsorted(ends, random.random() * ends[-1], "right")]
            pixels, view = random_view(picture, random)
            targets = self.asked(picture.labels, view)
            if picture.labels.kind == "photo":
                # Every cell of a photo says the same; asking all would drown the cells with text.
                targets.is_word_asked &= random.random(len(targets.is_word_asked)) < PHOTO_CELLS
            yield example(jitter(pixels, random), targets)


def example(pixels: numpy.ndarray, targets: "DataclassInstance") -> dict[str, torch.Tensor]:
    arrays = {field.name: getattr(targets, field.name) for field in dataclasses.fields(targets)}
    return {
        "pixels": torch.from_numpy(numpy.ascontiguousarray(pixels)),
        **{name: torch.from_numpy(numpy.asarray(a)) for name, a in arrays.items()},
    }
