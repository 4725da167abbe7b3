"""All of decision training in less than a minute, on rows made here: python -m decision.smoke OUT

Writes tiny rows and vectors, trains a small model (decision.train --preset smoke), continues from its checkpoint with
two processes, scores it, exports it, and restores it from the export. Fails when a step does not do what it says.
"""

import json
import os
import random
import subprocess
import sys

import numpy as np

from decision.constants import END, OPTION, QUESTION, READOUT, ROWS, STATE

ROWS_A_SPLIT = {"rows": 600, "dev": 120}
FIRST_WORD, WORDS = 300, 24


def row(rng):
    """A state of a few words; which of these words is in it, is this one, where is it, write it."""
    words = rng.sample(range(FIRST_WORD, FIRST_WORD + WORDS), 6)
    state = [STATE, *words]
    away = [word for word in range(FIRST_WORD, FIRST_WORD + WORDS) if word not in words]
    right, *wrong = [rng.choice(words), *rng.sample(away, 2)]
    options = sorted((right, *wrong))
    marked = [[[OPTION, word, READOUT], [0, 0, 0]] for word in options]
    is_there = rng.random() < 0.5
    asked = right if is_there else wrong[0]
    at = state.index(right)
    questions = [
        ["exclusive", [QUESTION, QUESTION + 8, 40], [0, 0, 0], marked, options.index(right)],
        ["binary", [QUESTION, QUESTION + 8, 41, asked, READOUT], [0] * 5, [], float(is_there)],
        ["independent", [QUESTION, QUESTION + 8, 42], [0, 0, 0], marked, [float(word == right) for word in options]],
        ["span", [QUESTION, QUESTION + 8, 43, asked, READOUT], [0] * 5, [], [[at, at]] if is_there else []],
        ["text", [QUESTION, QUESTION + 8, 44, right, READOUT], [0] * 5, [], [right, END]],
    ]
    return ["smoke", state, [0] * len(state), [-1] + [0] * 6, [-1] + [0] * 3 + [1] * 3, questions]


def write_inputs(folder, width):
    """Paths of rows.jsonl and emb.npy in the folder, written anew; the same on every machine."""
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(7)
    for name, count in ROWS_A_SPLIT.items():
        with open(f"{folder}/{name}.jsonl", "w") as file:
            file.writelines(json.dumps(row(rng)) + "\n" for _ in range(count))
    vectors = np.random.default_rng(7).standard_normal((ROWS, width)).astype(np.float32)
    np.save(f"{folder}/emb.npy", vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    return f"{folder}/rows.jsonl", f"{folder}/emb.npy"


def main(out):
    import torch

    from decision import train
    from decision.batches import load
    from decision.constants import FIRST_KIND, KINDS
    from decision.evaluate import evaluate
    from decision.model import Config, Decision
    from export.decision import LIKE

    checkpoint = train.main([out, "--preset", "smoke"])
    before = torch.load(checkpoint, weights_only=False)
    train.main(
        [
            f"{out}/rows.jsonl",
            f"{out}/emb.npy",
            out,
            "--preset",
            "smoke",
            "--steps",
            "260",
            "--resume",
            "--workers",
            "2",
        ]
    )
    saved = torch.load(checkpoint, weights_only=False)
    if saved["step"] <= before["step"]:
        raise SystemExit("the second run did not go on from the first")
    model = Decision(Config(**saved["config"])).eval()
    model.load_state_dict(saved["model"])
    tables = evaluate(model, load(f"{out}/dev.jsonl"))
    rights = {kind: sum(table["right"]) / len(table["right"]) for (_, kind), table in tables.items()}
    print("right", {kind: round(value, 2) for kind, value in rights.items()})
    poor = [
        kind
        for kind, least in dict(exclusive=0.8, binary=0.8, independent=0.8, span=0.6).items()
        if rights[kind] < least
    ]
    if poor:
        raise SystemExit(f"not learned: {', '.join(poor)}")
    training = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(f"{out}/no-tokenizer.json", "w") as file:
        file.write("{}\n")
    for module, *words in (
        ["export.decision", checkpoint, checkpoint, f"{out}/no-tokenizer.json", "-", f"{out}/model"],
        ["decision.restore", f"{out}/model", f"{out}/restored"],
    ):
        subprocess.run(
            [sys.executable, "-W", "ignore", "-m", module, *words],
            check=True,
            env={**os.environ, "PYTHONPATH": training},
        )
    restored = torch.load(f"{out}/restored/pictures.pt", weights_only=False)["model"]
    shared = [FIRST_KIND + KINDS.index(kind) for kind in LIKE["pictures"]]  # the exporter writes these rows itself
    for name, values in saved["model"].items():
        other = restored[name]
        if name == "embedding.weight":
            values, other = (np.delete(v.numpy(), shared, 0) for v in (values, other))
        if not np.array_equal(np.asarray(values), np.asarray(other)):
            raise SystemExit(f"{name} does not come back from the export")
    print("all steps run")


if __name__ == "__main__":
    main(sys.argv[1])
