"""
Rows of the training packs with one thing in the picture (CIFAR-10, easy-VQA) to page labels, so that photos and plain shapes teach too:
python pack_labels.py PACK_FOLDER PHOTOS OUT.jsonl, where PHOTOS is how many CIFAR rows to take.
"""

import gzip
import json
import pathlib
import sys

SHAPES = {"circle", "rectangle", "triangle"}


def read(path: pathlib.Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def chosen(row: dict) -> list[str]:
    """The options picked in the row's choice questions."""
    return [row["truth"][name] for name, question in row["questions"].items() if question["type"] == "choice"]


def page(row: dict, kind: str, role: str, name: str, box: list[float], size: int) -> dict:
    element = {"role": role, "name": name, "flags": [], "box": box}
    path = row["state"][0]["source"]["path"]
    return {"id": row["id"], "path": path, "width": size, "height": size, "kind": kind, "isDark": False, "words": [], "elements": [element]}


def photos(rows: list[dict]) -> list[dict]:
    named = [(row, chosen(row)[0]) for row in rows if chosen(row)]
    return [page(row, "photo", "photo", name, [0, 0, 32, 32], 32) for row, name in named if name != "none of these"]


def shapes(rows: list[dict]) -> list[dict]:
    pages = []
    for row in rows:
        words = [word for word in chosen(row) if word != "none of these"]
        shape, colour = [w for w in words if w in SHAPES], [w for w in words if w not in SHAPES]
        if shape and colour and row["truth"].get("box"):
            pages.append(page(row, "shapes", "shape", f"{colour[0]} {shape[0]}", row["truth"]["box"], 64))
    return pages


pack = pathlib.Path(sys.argv[1])
lines = photos(read(pack / "vision/cifar-10.jsonl.gz"))[: int(sys.argv[2])] + shapes(read(pack / "vision/easy-vqa.jsonl.gz"))
pathlib.Path(sys.argv[3]).write_text("".join(json.dumps(line) + "\n" for line in lines))
print(len(lines), "pictures")
