"""Labels and a view of a picture to its lines of text: letters, row of the reader's map, and steps in that row."""

import dataclasses
import unicodedata

import numpy

from vision.labels import Labels
from vision.net import TILE
from vision.targets import View

# Class 0 is the blank of CTC, class 1 a space; then what can be read, one class each, and last any other letter.
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;!?'\"-+/()@#$%&*=_<>[]{}|\\~^`£€•°×"
CTC_BLANK, SPACE, OTHER = 0, 1, 2 + len(LETTERS)
CLASSES = OTHER + 1
# A row of the map is 8 pixels high, a step 2 pixels wide: as narrow as letters come.
ROW, STEP = 8, 2
ROWS, STEPS = TILE // ROW, TILE // STEP
LOWEST_TEXT, HIGHEST_TEXT = 9, 64
MOST_LINES, MOST_LETTERS = 24, 72
# Words further apart than this, in heights of a line, are on lines of their own.
WIDEST_GAP = 0.8
# A line whose middle is this near to another row, in pixels, may be found there as well.
NEAR_ROW = 2.0
MARGIN = 2
NOT_ASKED = -1


def class_of(letter: str) -> int:
    known = LETTERS.find(letter)
    if known < 0:
        known = LETTERS.find(unicodedata.normalize("NFKD", letter)[0])
    return OTHER if known < 0 else known + 2


@dataclasses.dataclass
class Line:
    classes: list[int]
    centres: list[float]  # of the letters, x in tile pixels
    box: list[float]


@dataclasses.dataclass
class LineTargets:
    is_line: numpy.ndarray  # [ROWS, STEPS]: 1 on the middle row of a line, NOT_ASKED where it may be either
    edges: (
        numpy.ndarray
    )  # [ROWS, STEPS, 2]: from the middle of the row up to the line's top and down to its bottom, in rows
    places: numpy.ndarray  # [MOST_LINES, 3]: row, first step, end
    classes: numpy.ndarray  # [MOST_LINES, MOST_LETTERS]
    centres: numpy.ndarray  # [MOST_LINES, MOST_LETTERS]: step of the middle of each letter
    lengths: numpy.ndarray  # [MOST_LINES]: letters, 0 for no line


def mapped(labels: Labels, view: View) -> list[tuple[str, numpy.ndarray, float, float]]:
    """The words that a view shows at all, in its pixels."""
    (scale_x, scale_y), (offset_x, offset_y) = view.scale, view.offset
    words = [
        (text, edges * scale_x - offset_x, top * scale_y - offset_y, bottom * scale_y - offset_y)
        for text, edges, top, bottom in labels.written
    ]
    return [word for word in words if word[1][-1] > 0 and word[1][0] < TILE and word[3] > 0 and word[2] < TILE]


def lines_of(words: list[tuple[str, numpy.ndarray, float, float]]) -> list[Line]:
    lines: list[Line] = []
    for text, edges, top, bottom in sorted(words, key=lambda word: word[1][0]):
        height, middle = bottom - top, (top + bottom) / 2
        classes = [class_of(letter) for letter in text[: len(edges) - 1]]
        centres = [float(edges[i] + edges[i + 1]) / 2 for i in range(len(classes))]
        for line in lines:
            left, upper, right, lower = line.box
            own = lower - upper
            gap = edges[0] - right
            if (
                -3 < gap <= WIDEST_GAP * min(own, height)
                and abs((upper + lower) / 2 - middle) < 0.2 * own
                and 0.75 < height / own < 1.33
            ):
                line.classes += [SPACE, *classes]
                line.centres += [float(edges[0] + right) / 2, *centres]
                line.box = [left, min(upper, top), float(edges[-1]), max(lower, bottom)]
                break
        else:
            lines.append(Line(classes, centres, [float(edges[0]), top, float(edges[-1]), bottom]))
    return lines


def line_targets(labels: Labels, view: View) -> LineTargets:
    is_line = numpy.full((ROWS, STEPS), 0 if labels.is_whole else NOT_ASKED, numpy.float32)
    edges = numpy.zeros((ROWS, STEPS, 2), numpy.float32)
    places = numpy.zeros((MOST_LINES, 3), numpy.int64)
    classes, centres = (numpy.zeros((MOST_LINES, MOST_LETTERS), numpy.int64) for _ in range(2))
    lengths = numpy.zeros(MOST_LINES, numpy.int64)
    words = mapped(labels, view)
    whole = [
        word
        for word in words
        if word[1][0] >= 0
        and word[1][-1] <= TILE
        and word[2] >= -1
        and word[3] <= TILE + 1
        and LOWEST_TEXT <= word[3] - word[2] <= HIGHEST_TEXT
    ]
    shown = {id(word) for word in whole}
    for word in words:
        if id(word) not in shown:
            _, own, top, bottom = word
            is_line[
                max(0, int(top // ROW)) : int(bottom // ROW) + 1, max(0, int(own[0] // STEP)) : int(own[-1] // STEP) + 1
            ] = NOT_ASKED
    count = 0
    for line in lines_of(whole):
        left, top, right, bottom = line.box
        middle = (top + bottom) / 2
        row = min(max(int(middle // ROW), 0), ROWS - 1)
        first, end = max(0, round(left / STEP)), min(STEPS, max(round(right / STEP), round(left / STEP) + 1))
        for other, near in ((row - 1, middle - row * ROW), (row + 1, (row + 1) * ROW - middle)):
            if near < NEAR_ROW and 0 <= other < ROWS:
                is_line[other, first:end] = NOT_ASKED
        is_line[row, first:end] = 1
        edges[row, first:end] = ((row + 0.5) * ROW - top) / ROW, (bottom - (row + 0.5) * ROW) / ROW
        first, end, letters = max(0, first - MARGIN), min(STEPS, end + MARGIN), len(line.classes)
        if count < MOST_LINES and letters <= MOST_LETTERS and end - first > letters:
            places[count] = row, first, end
            classes[count, :letters] = line.classes
            centres[count, :letters] = numpy.clip(numpy.array(line.centres) // STEP, first, end - 1)
            lengths[count] = letters
            count += 1
    return LineTargets(is_line, edges, places, classes, centres, lengths)
