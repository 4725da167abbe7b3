"""Yale-LILY/FOLIO: premises in everyday words, and a conclusion that follows by logic, is refuted, or is left open."""

import json

from data.shared import pairs

REPOSITORY = "Yale-LILY/FOLIO"
FILES = ("data/v0.0/folio-train.jsonl", "data/v0.0/folio-validation.jsonl")
LABELS = {"True": "entails", "False": "contradicts", "Uncertain": "neutral"}


def read(show, rnd):
    triples = []
    for path in FILES:
        for line in show(path).splitlines():
            one = json.loads(line)
            if one["label"] in LABELS:
                premises = " ".join(premise.strip() for premise in one["premises"])
                triples.append((premises, one["conclusion"], LABELS[one["label"]]))
    yield from pairs.rows(triples, "deduction", "CC BY-SA 4.0", rnd)
