"""What claims give away without their texts: a linear model on the words and word pairs of a claim alone, trained on
the claims of the training rows, measured on those held out.

    python claims_only.py ROWS [--most 60000]

A claim set is sound where this stays near the share of its more frequent answer (base).
"""

import argparse
import glob
import json
import os
import random
import re
import zlib

import numpy as np

from evaluate import area

SIZE = 1 << 18


def features(text):
    words = ["<", *re.findall(r"[\w']+", text.lower()), ">"]
    return np.array(
        sorted(
            {
                zlib.crc32(" ".join(words[n : n + k]).encode()) % SIZE
                for k in (1, 2, 3)
                for n in range(len(words) - k + 1)
            }
        )
    )


def claims(paths, most, rnd):
    out = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        rnd.shuffle(lines)
        for line in lines[:most]:
            row = json.loads(line)
            out += [
                (features(q["instructions"]), float(row["truth"][k]))
                for k, q in row["questions"].items()
                if q["type"] == "noul" and isinstance(q["instructions"], str)
            ]
    rnd.shuffle(out)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows")
    parser.add_argument("--most", type=int, default=60000)
    options = parser.parse_args()
    rnd = random.Random(1)
    groups = {"written": "written-*", "inference": "public-*"}
    weights = {}
    for group, pattern in groups.items():
        rows = claims(sorted(glob.glob(f"{options.rows}/train/{pattern}.jsonl")), 6000, rnd)[: options.most]
        held = rows[: len(rows) // 10]
        weight, squares, bias = np.zeros(SIZE, np.float32), np.full(SIZE, 1e-6, np.float32), 0.0
        for _ in range(3):
            for at, truth in rows[len(rows) // 10 :]:
                wrong = 1 / (1 + np.exp(-(weight[at].sum() + bias))) - truth
                squares[at] += wrong * wrong
                weight[at] -= 0.1 * wrong / np.sqrt(squares[at] + 1)
                bias -= 0.01 * wrong
        weights[group] = weight, bias
        report(f"{group}, rows like those", held, weight, bias)
    for path in sorted(glob.glob(f"{options.rows}/held/*.jsonl")):
        report(f"held/{os.path.basename(path)[:-6]}", claims([path], 10**9, rnd), *weights["written"])
    report("dev/inference", claims([f"{options.rows}/dev/inference.jsonl"], 10**9, rnd), *weights["inference"])


def report(name, rows, weight, bias):
    if rows:
        scores, truths = [float(weight[at].sum() + bias) for at, _ in rows], [truth for _, truth in rows]
        base = sum(truths) / len(truths)
        right = sum((score > 0) == (truth > 0.5) for score, truth in zip(scores, truths, strict=True)) / len(rows)
        base, order = max(base, 1 - base), area(scores, truths)
        print(f"{name:28s} n {len(rows):6d} base {base:.3f}  right {right:.3f}  area {order:.3f}", flush=True)


if __name__ == "__main__":
    main()
