"""Rows of the training packs to page labels, so that photos, plain shapes and receipts are trained on too.

    python -m vision.pack_labels PACK_FOLDER PHOTOS OUT.jsonl

PHOTOS is the number of CIFAR-10 rows to take. CIFAR-10 and easy-VQA rows label the one thing in the picture; SROIE rows
label the lines whose boxes are asked for.
"""

import gzip
import json
import pathlib
import re
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
    return {
        "id": row["id"],
        "path": path,
        "width": size,
        "height": size,
        "kind": kind,
        "isDark": False,
        "words": [],
        "elements": [element],
    }


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


def words_of(line: str, box: list[float]) -> list[dict]:
    """The words of a line, each with as much of its box as it has of its characters."""
    left, top, right, bottom = box
    step = (right - left) / len(line)
    spans = [match.span() for match in re.finditer(r"\S+", line)]
    edges = [[left + step * i for i in range(first, last + 1)] for first, last in spans]
    return [
        {"text": line[a:b], "box": [own[0], top, own[-1], bottom], "edges": own} for (a, b), own in zip(spans, edges)
    ]


LINE = re.compile(r'"(.+)"|Locate the text: (.+)|Find the line that reads (.+)')


def receipts(rows: list[dict]) -> list[dict]:
    pages: dict[str, dict] = {}
    for row in rows:
        path = row["state"][0]["source"]["path"]
        for name, question in row["questions"].items():
            box, line = row["truth"].get(name), LINE.search(question["instructions"])
            if question["type"] != "extract" or not box or not line:
                continue
            text = next(part for part in line.groups() if part)
            own = pages.setdefault(
                path, {"id": row["id"], "path": path, "kind": "receipt", "isDark": False, "words": {}, "elements": {}}
            )
            own["words"][text] = words_of(text, box)
            own["elements"][text] = {"role": "text", "name": text, "flags": [], "box": box}
    for own in pages.values():
        own["words"] = [word for words in own["words"].values() for word in words]
        own["elements"] = list(own["elements"].values())
    return list(pages.values())


def main() -> None:
    pack, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3])
    pages = photos(read(pack / "vision/cifar-10.jsonl.gz"))[: int(sys.argv[2])]
    pages += shapes(read(pack / "vision/easy-vqa.jsonl.gz"))
    pages += receipts(read(pack / "vision/sroie.jsonl.gz"))
    out.write_text("".join(json.dumps(page) + "\n" for page in pages))
    print(len(pages), "pictures")


if __name__ == "__main__":
    main()
