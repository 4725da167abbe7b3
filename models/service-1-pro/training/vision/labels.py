"""Page labels (boxes of words, characters and elements) to arrays in picture pixels, to be mapped onto views."""

import dataclasses
import json
import pathlib

import numpy
import tokenizers

ROLES = [
    *(
        "button",
        "input",
        "checkbox",
        "radio",
        "toggle",
        "tab",
        "link",
        "heading",
        "error",
        "success",
        "info",
        "warning",
    ),
    *("dialog", "row", "badge", "icon", "image", "card", "message", "text", "menu", "shape", "option"),
]
FLAGS = [
    *("checked", "selected", "disabled", "primary", "danger", "error", "focused", "unread", "filled", "mine"),
    *("red", "green", "blue", "orange"),
]
# What a whole picture can be tagged with, on every cell of every view.
PAGE_TAGS = ["dark"]
TAGS = [*ROLES, *(f"is {flag}" for flag in FLAGS), *PAGE_TAGS]

CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,:;!?'\"-+/()@#$€£%&*=_•"
BLANK_CHARACTER = len(CHARACTERS) + 1  # the class before it is "any other character"
CHARACTER_CLASSES = len(CHARACTERS) + 2

# Elements that are not written but named: their cells should sound like their names.
NAMED = {"icon", "shape", "photo"}


@dataclasses.dataclass
class Labels:
    path: str
    kind: str
    pieces: numpy.ndarray  # [piece, 5]: id, then the box
    words: numpy.ndarray  # [word, 4]
    characters: numpy.ndarray  # [character, 5]: class, then the box
    boxes: numpy.ndarray  # [element, 4]
    tags: numpy.ndarray  # [element, tag] of 0 and 1
    is_small: numpy.ndarray  # [element]: a thing one would point at, not a container
    page_tags: numpy.ndarray  # [tag]
    written: list[
        tuple[str, numpy.ndarray, float, float]
    ]  # of each word its text, the edges of its letters, top and bottom

    @property
    def is_whole(self) -> bool:
        """Whether all that can be seen is labelled. Of receipts only some lines are."""
        return self.kind != "receipt"


CONTAINERS = {"dialog", "card", "row"}


def encode(tokenizer: tokenizers.Tokenizer, text: str) -> tokenizers.Encoding:
    return tokenizer.encode(" " + text.lower(), add_special_tokens=False)


def read_word(word: dict, tokenizer: tokenizers.Tokenizer, pieces: list, characters: list) -> None:
    text, edges = word["text"], word["edges"]
    _, top, _, bottom = word["box"]
    for i, character in enumerate(text.lower()[: len(edges) - 1]):
        known = CHARACTERS.find(character)
        characters.append((known if known >= 0 else len(CHARACTERS), edges[i], top, edges[i + 1], bottom))
    encoding = encode(tokenizer, text)
    for piece, (start, end) in zip(encoding.ids, encoding.offsets):
        # Offsets count the leading space; a piece that is only the space has no width and is dropped.
        left, right = max(0, start - 1), min(len(edges) - 1, end - 1)
        if right > left:
            pieces.append((piece, edges[left], top, edges[right], bottom))


def read_page(line: str, tokenizer: tokenizers.Tokenizer) -> Labels:
    page = json.loads(line)
    pieces: list[tuple] = []
    characters: list[tuple] = []
    for word in page["words"]:
        read_word(word, tokenizer, pieces, characters)
    elements = page["elements"]
    tags = numpy.zeros((len(elements), len(TAGS)), numpy.float32)
    for i, element in enumerate(elements):
        role = element["role"]
        if role in ROLES:
            tags[i, ROLES.index(role)] = 1
        for flag in element["flags"]:
            tags[i, len(ROLES) + FLAGS.index(flag)] = 1
        if role in NAMED:
            pieces += [(piece, *element["box"]) for piece in encode(tokenizer, element["name"]).ids]
    page_tags = numpy.zeros(len(TAGS), numpy.float32)
    page_tags[TAGS.index("dark")] = page["isDark"]
    return Labels(
        page["path"],
        page["kind"],
        numpy.array(pieces, numpy.float32).reshape(-1, 5),
        numpy.array([word["box"] for word in page["words"]], numpy.float32).reshape(-1, 4),
        numpy.array(characters, numpy.float32).reshape(-1, 5),
        numpy.array([element["box"] for element in elements], numpy.float32).reshape(-1, 4),
        tags,
        numpy.array([element["role"] not in CONTAINERS for element in elements], bool),
        page_tags,
        [
            (word["text"], numpy.array(word["edges"], numpy.float32), word["box"][1], word["box"][3])
            for word in page["words"]
        ],
    )


def read_labels(path: pathlib.Path, tokenizer: tokenizers.Tokenizer) -> list[Labels]:
    with open(path, encoding="utf-8") as file:
        return [read_page(line, tokenizer) for line in file]
