"""Labels and a view of the picture to what each of its 64 cells should say."""

import dataclasses

import numpy

from vision.labels import BLANK_CHARACTER, Labels
from vision.net import CELL, GRID, TILE

PIECES_A_CELL = 6
# Text lower than this many tile pixels (box height, about 1.3 times the font size) cannot be read and is not asked for.
LOWEST_TEXT = 10
HIGHEST_TEXT = 60
IGNORED = -100
FINE = 8
COLUMNS, LINES = TILE // 4, TILE // FINE

_starts = numpy.arange(GRID) * CELL
# [cell, 4]: the boxes of the cells, row-major.
CELL_BOXES = numpy.stack(
    [
        numpy.tile(_starts, GRID),
        numpy.repeat(_starts, GRID),
        numpy.tile(_starts, GRID) + CELL,
        numpy.repeat(_starts, GRID) + CELL,
    ],
    1,
).astype(numpy.float32)
CENTRES = (CELL_BOXES[:, :2] + CELL_BOXES[:, 2:]) / 2


@dataclasses.dataclass
class Targets:
    pieces: numpy.ndarray  # [64, PIECES_A_CELL] ids
    weights: numpy.ndarray  # [64, PIECES_A_CELL], summing to 1; all 0 where the cell is blank
    is_word_asked: numpy.ndarray  # [64]: false where the text is too small or only touched
    tags: numpy.ndarray  # [64, tag]
    boxes: numpy.ndarray  # [64, 4]: offsets from the centre in cells
    has_box: numpy.ndarray  # [64]
    characters: numpy.ndarray  # [32, 64] classes, IGNORED where not asked
    is_known: numpy.ndarray  # [64]: false where something may be that has no label


@dataclasses.dataclass
class View:
    """Tile pixel = picture pixel * scale - offset, for x and y; `is_flipped` mirrors the tile afterwards."""

    scale: tuple[float, float]
    offset: tuple[float, float]
    is_flipped: bool = False

    def boxes(self, boxes: numpy.ndarray) -> numpy.ndarray:
        moved = boxes * numpy.array([*self.scale, *self.scale], numpy.float32) - numpy.array(
            [*self.offset, *self.offset], numpy.float32
        )
        if self.is_flipped:
            moved[:, [0, 2]] = TILE - moved[:, [2, 0]]
        return moved


def overlaps(boxes: numpy.ndarray) -> numpy.ndarray:
    """Boxes [n, 4] to the area they share with each cell, [n, 64]."""
    low = numpy.maximum(boxes[:, None, :2], CELL_BOXES[None, :, :2])
    high = numpy.minimum(boxes[:, None, 2:], CELL_BOXES[None, :, 2:])
    return numpy.maximum(high - low, 0).prod(2)


def word_targets(pieces: numpy.ndarray, view: View) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    ids = numpy.zeros((GRID * GRID, PIECES_A_CELL), numpy.int64)
    weights = numpy.zeros((GRID * GRID, PIECES_A_CELL), numpy.float32)
    asked = numpy.ones(GRID * GRID, bool)
    boxes = view.boxes(pieces[:, 1:])
    inside = (boxes[:, 2] > 0) & (boxes[:, 0] < TILE) & (boxes[:, 3] > 0) & (boxes[:, 1] < TILE)
    boxes, numbers = boxes[inside], pieces[inside, 0]
    if len(boxes) == 0:
        return ids, weights, asked
    heights = boxes[:, 3] - boxes[:, 1]
    share = overlaps(boxes) * (1 / (CELL * numpy.minimum(heights, CELL)))[:, None]
    readable = heights >= LOWEST_TEXT
    strong = numpy.where((share > 0.08) & readable[:, None], share, 0)
    order = numpy.argsort(-strong, 0)[:PIECES_A_CELL].T
    chosen = numpy.take_along_axis(strong.T, order, 1)
    count = order.shape[1]
    ids[:, :count] = numbers[order]
    total = chosen.sum(1, keepdims=True)
    weights[:, :count] = chosen / numpy.maximum(total, 1e-6)
    # Cells that only touch a word, or hold text too small to read, are neither blank nor asked.
    asked &= (total[:, 0] > 0) | (share.sum(0) == 0)
    return ids, weights, asked


def element_targets(labels: Labels, view: View) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    boxes = view.boxes(labels.boxes)
    areas = numpy.maximum((boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1]), 1)
    # The share of the cell or of the element, whichever is larger, that the two have in common.
    share = overlaps(boxes) / numpy.minimum(areas, CELL * CELL)[:, None]
    tags = numpy.repeat(labels.page_tags[None], GRID * GRID, 0)
    for i in range(len(boxes)):
        covered = share[i] > 0.3
        tags[covered] = numpy.maximum(tags[covered], labels.tags[i])
    # A word outside every small element counts as one, so that text can be pointed at.
    words = view.boxes(labels.words)
    word_share = (
        overlaps(words)
        / numpy.minimum(numpy.maximum((words[:, 2] - words[:, 0]) * (words[:, 3] - words[:, 1]), 1), CELL * CELL)[
            :, None
        ]
    )
    word_costs = 100 - word_share
    costs = numpy.log(areas)[:, None] - 2 * share
    costs = numpy.where(labels.is_small[:, None], costs, costs + 200)
    all_boxes = numpy.concatenate([boxes, words])
    all_costs = numpy.concatenate(
        [numpy.where(share > 0.3, costs, 1e6), numpy.where(word_share > 0.3, word_costs, 1e6)]
    )
    if len(all_boxes) == 0:
        return tags, numpy.zeros((GRID * GRID, 4), numpy.float32), numpy.zeros(GRID * GRID, bool)
    best = all_costs.argmin(0)
    has_box = all_costs.min(0) < 1e5
    picked = all_boxes[best]
    offsets = numpy.concatenate([CENTRES - picked[:, :2], picked[:, 2:] - CENTRES], 1) / CELL
    return tags, offsets.astype(numpy.float32), has_box


def character_targets(characters: numpy.ndarray, view: View) -> numpy.ndarray:
    grid = numpy.full((LINES, COLUMNS), BLANK_CHARACTER, numpy.int64)
    boxes = view.boxes(characters[:, 1:])
    heights = boxes[:, 3] - boxes[:, 1]
    # Positions whose centre lies in the character's box: columns at 4 i + 2, lines at 8 j + 4.
    left = numpy.clip(numpy.ceil((boxes[:, 0] - 2) / 4), 0, COLUMNS).astype(int)
    right = numpy.clip(numpy.ceil((boxes[:, 2] - 2) / 4), 0, COLUMNS).astype(int)
    top = numpy.clip(numpy.ceil((boxes[:, 1] - 4) / FINE), 0, LINES).astype(int)
    bottom = numpy.clip(numpy.ceil((boxes[:, 3] - 4) / FINE), 0, LINES).astype(int)
    values = numpy.where((heights >= LOWEST_TEXT) & (heights <= HIGHEST_TEXT), characters[:, 0], IGNORED).astype(int)
    for i in numpy.flatnonzero((right > left) & (bottom > top)):
        grid[top[i] : bottom[i], left[i] : right[i]] = values[i]
    return grid


def targets_of(labels: Labels, view: View) -> Targets:
    pieces, weights, asked = word_targets(labels.pieces, view)
    tags, boxes, has_box = element_targets(labels, view)
    is_read = labels.is_whole and not view.is_flipped
    characters = character_targets(labels.characters, view) if is_read else numpy.full((LINES, COLUMNS), IGNORED)
    known = numpy.ones(GRID * GRID, bool) if labels.is_whole else has_box
    return Targets(pieces, weights, asked & known, tags, boxes, has_box, characters, known)
