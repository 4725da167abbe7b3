"""Rows and weights in parts that fit through a narrow door to a machine with a GPU, and back.

    python pack.py rows ROWS/train OUT        OUT/rows.tar.xz
    python pack.py weights RUN/mean.pt OUT    OUT/weights.json, OUT/weights.0 ... in half precision, at most 15 MB each
    python pack.py join OUT CHECKPOINT.pt     the checkpoint again, to evaluate, to export or to go on from (--start)

Half precision loses nothing that a step of training would not.
"""

import json
import os
import sys
import tarfile

import numpy as np
import torch

MOST_BYTES = 15_000_000
KEPT = ("step", "tokens", "asked", "spent", "config")


def rows(folder, out):
    with tarfile.open(f"{out}/rows.tar.xz", "w:xz", preset=1) as to:
        to.add(folder, arcname="train")
    print(f"{os.path.getsize(f'{out}/rows.tar.xz') / 1e6:.1f} MB")


def weights(checkpoint, out):
    found = torch.load(checkpoint, map_location="cpu")
    names = [[name, list(value.shape)] for name, value in found["model"].items()]
    data = b"".join(value.to(torch.float16).contiguous().numpy().tobytes() for value in found["model"].values())
    parts = [data[at : at + MOST_BYTES] for at in range(0, len(data), MOST_BYTES)]
    for n, part in enumerate(parts):
        with open(f"{out}/weights.{n}", "wb") as to:
            to.write(part)
    with open(f"{out}/weights.json", "w", encoding="utf-8") as to:
        json.dump({"names": names, "parts": len(parts), **{name: found[name] for name in KEPT}}, to)
    print(f"{len(parts)} parts, {len(data) / 1e6:.1f} MB")


def join(folder, checkpoint):
    with open(f"{folder}/weights.json", encoding="utf-8") as file:
        about = json.load(file)
    data = b""
    for n in range(about["parts"]):
        with open(f"{folder}/weights.{n}", "rb") as file:
            data += file.read()
    model, at = {}, 0
    for name, shape in about["names"]:
        count = int(np.prod(shape))
        part = np.frombuffer(data, np.float16, count, at)
        model[name] = torch.from_numpy(part.astype(np.float32).reshape(shape))
        at += 2 * count
    assert at == len(data), "parts are missing"
    torch.save({"model": model, **{name: about[name] for name in KEPT}}, checkpoint)


def main():
    what, source, out = sys.argv[1:4]
    if what != "join":
        os.makedirs(out, exist_ok=True)
    {"rows": rows, "weights": weights, "join": join}[what](source, out)


if __name__ == "__main__":
    main()
