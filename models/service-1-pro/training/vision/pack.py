"""Tile dumps in pieces small enough to send to a machine with a GPU, and back.

    python -m vision.pack pack TILES NAME OUT [--mebibytes 60]   # here
    python -m vision.pack unpack OUT NAME TILES                  # there

OUT/tiles-NAME-000.zip … hold one lossless WebP a picture (its tiles below one another) and the index. Send the pieces
one call after another; unpacking joins those that have arrived.
"""

import argparse
import io
import json
import pathlib
import zipfile

import numpy
from PIL import Image

from vision.net import TILE


def pack(tiles_folder: pathlib.Path, name: str, out: pathlib.Path, most_bytes: int) -> None:
    index = json.loads((tiles_folder / f"tiles-{name}.json").read_text())
    tiles = numpy.memmap(tiles_folder / f"tiles-{name}.raw", numpy.uint8, "r").reshape(-1, TILE, TILE, 3)
    out.mkdir(parents=True, exist_ok=True)
    piece, number, size = None, 0, 0
    for path, entry in index.items():
        own = tiles[entry["first"] : entry["first"] + entry["count"]]
        buffer = io.BytesIO()
        Image.fromarray(numpy.ascontiguousarray(own).reshape(-1, TILE, 3)).save(buffer, "WEBP", lossless=True, method=2)
        if piece is None or size + buffer.tell() > most_bytes:
            if piece is not None:
                piece.close()
            piece, size = zipfile.ZipFile(out / f"tiles-{name}-{number:03d}.zip", "w"), 0
            number += 1
        piece.writestr(f"{path}.webp", buffer.getvalue())
        piece.writestr(f"{path}.json", json.dumps(entry))
        size += buffer.tell() + 512
    if piece is not None:
        piece.close()
    print(f"{len(index)} pictures in {number} pieces")


def unpack(folder: pathlib.Path, name: str, tiles_folder: pathlib.Path) -> None:
    tiles_folder.mkdir(parents=True, exist_ok=True)
    index: dict[str, dict] = {}
    first = 0
    with open(tiles_folder / f"tiles-{name}.raw", "wb") as raw:
        for path in sorted(folder.glob(f"tiles-{name}-*.zip")):
            with zipfile.ZipFile(path) as piece:
                for member in piece.namelist():
                    if not member.endswith(".json"):
                        continue
                    entry = json.loads(piece.read(member))
                    with Image.open(io.BytesIO(piece.read(member.removesuffix(".json") + ".webp"))) as picture:
                        raw.write(numpy.asarray(picture.convert("RGB")).tobytes())
                    index[member.removesuffix(".json")] = entry | {"first": first}
                    first += entry["count"]
    (tiles_folder / f"tiles-{name}.json").write_text(json.dumps(index))
    print(f"{len(index)} pictures, {first} tiles")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=("pack", "unpack"))
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("name")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--mebibytes", type=float, default=60, help="largest piece")
    arguments = parser.parse_args()
    if arguments.way == "pack":
        pack(arguments.source, arguments.name, arguments.out, int(arguments.mebibytes * 2**20))
    else:
        unpack(arguments.source, arguments.name, arguments.out)


if __name__ == "__main__":
    main()
