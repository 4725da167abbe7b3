"""csitfun/ConTRoL-dataset: long passages of reading tests and what follows from them."""

import json

from data.shared import pairs

REPOSITORY = "csitfun/ConTRoL-dataset"
LABELS = {"e": "entails", "c": "contradicts", "n": "neutral"}


def read(show, rnd):
    items = [json.loads(line) for line in show("data/dev.jsonl").splitlines() if line.strip()]
    yield from pairs.rows(
        [(x["premise"], x["hypothesis"], LABELS[x["label"]]) for x in items if x.get("label") in LABELS],
        "control",
        "see repository",
        rnd,
    )
