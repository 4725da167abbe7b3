"""The whole pipeline in under a minute, on rows it makes itself: train, go on, export, take it back, look.

    python smoke.py OUT

Fails when a stage fails, when going on does not begin where the run stopped, when a loss is no number, or when a part
of the model has not moved.
"""

import json
import math
import os
import random
import subprocess
import sys
import time

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
THINGS = {
    "refund": "I want my money back for the {}.",
    "delivery": "The {} has not arrived yet.",
    "praise": "I am very happy with the {}.",
    "question": "Does the {} work with rain?",
}
MOST_LOST = 0.05  # of a weight's size, by rounding to eight bits
GOODS = ["lamp", "tent", "kettle", "phone", "jacket", "bicycle"]


def row(n, rnd):
    about, good, name = rnd.choice(list(THINGS)), rnd.choice(GOODS), rnd.choice(["Ana", "Ben", "Noor"])
    sentence = THINGS[about].format(good)
    state = f"Hello, this is {name}. {sentence} Thank you."
    state = (
        state
        if rnd.random() < 0.5
        else {"from": name, "lines": [sentence, "Thank you."], "order": {"good": good, "count": n % 5}}
    )
    questions = {
        "topic": {"type": "choice", "instructions": "What is it about?", "criteria": dict.fromkeys(THINGS)},
        "refund": {"type": "noul", "instructions": "The customer wants money back."},
        "mood": {"type": "score", "instructions": "How content are they?", "criteria": ["not", "so so", "very"]},
        "which": {"type": "select", "instructions": "What is named?", "criteria": GOODS},
        "good": {"type": "extract", "instructions": "The good"},
    }
    truth = {
        "topic": about,
        "refund": about == "refund",
        "mood": 2.0 if about == "praise" else 0.5,
        "which": [good],
        "good": good,
    }
    return {
        "id": f"smoke-{n}",
        "source": "smoke",
        "task": "smoke",
        "licence": "CC0-1.0",
        "state": state,
        "questions": questions,
        "truth": truth,
        "evidence": {"topic": sentence},
    }


def distance(one, other):
    """The largest distance of a parameter of two checkpoints, as a share of its size."""
    one, other = (torch.load(path, map_location="cpu")["model"] for path in (one, other))
    return max(float((value - other[name]).norm() / value.norm().clamp(min=1e-9)) for name, value in one.items())


def run(*command):
    print("$", *command, flush=True)
    subprocess.run([sys.executable, *command], check=True, cwd=HERE)


def main():
    out = os.path.abspath(sys.argv[1])
    begun = time.time()
    rnd = random.Random(1)
    for side, count in (("train", 120), ("held", 12), ("dev", 12)):
        os.makedirs(f"{out}/rows/{side}", exist_ok=True)
        with open(f"{out}/rows/{side}/written-smoke.jsonl", "w", encoding="utf-8") as to:
            for n in range(count):
                to.write(json.dumps(row(n, rnd)) + "\n")
    with open(f"{out}/mixture.json", "w", encoding="utf-8") as to:
        json.dump({"factors": {}, "phases": [{"name": "all", "groups": {"*": 1}}]}, to)
    train = [
        "train.py",
        f"{out}/run",
        "--rows",
        f"{out}/rows/train",
        "--preset",
        "smoke",
        "--mixture",
        f"{out}/mixture.json",
        "--workers",
        "1",
    ]
    run(*train, "--steps", "3")
    run(*train, "--steps", "10", "--resume", "--loaders", "2")
    with open(f"{out}/run/log.jsonl", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert lines[-1]["step"] == 10 and all(
        math.isfinite(value) for value in lines[-1].values() if isinstance(value, float)
    ), lines
    # What begins as nothing and still is nothing is connected to nothing.
    weights = torch.load(f"{out}/run/last.pt", map_location="cpu")["model"]
    unmoved = [name for name, value in weights.items() if not value.any()]
    assert not unmoved, unmoved
    run("pack.py", "weights", f"{out}/run/mean.pt", f"{out}/packed")
    run("pack.py", "join", f"{out}/packed", f"{out}/joined.pt")
    run("export.py", f"{out}/joined.pt", f"{out}/onnx", "--rows", f"{out}/rows/train")
    run("restore.py", f"{out}/onnx", f"{out}/restored.pt")
    apart = distance(f"{out}/joined.pt", f"{out}/restored.pt")
    assert apart < MOST_LOST, f"restored weights are {apart:.3f} of their size away"
    run("evaluate.py", f"{out}/run/mean.pt", "--rows", f"{out}/rows", "--curve", f"{out}/curve.jsonl")
    print(f"{time.time() - begun:.0f} s")


if __name__ == "__main__":
    main()
