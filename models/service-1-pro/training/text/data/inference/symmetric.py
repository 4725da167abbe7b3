"""TalSchuster/FeverSymmetric: claims about Wikipedia sentences, in fours: either sentence bears out one of two claims
and refutes the other, so that a claim alone tells nothing (Schuster and others, 2019; on FEVER).
"""

import json

from data.inference.dnc import plain
from data.shared import pairs

REPOSITORY = "TalSchuster/FeverSymmetric"
FILES = (
    "symmetric_v0.1/fever_symmetric_generated.jsonl",
    "symmetric_v0.1/fever_symmetric_full.jsonl",
    "symmetric_v0.2/fever_symmetric_dev.jsonl",
    "symmetric_v0.2/fever_symmetric_test.jsonl",
)
LABELS = {"SUPPORTS": "entails", "REFUTES": "contradicts"}
MARKS = {
    "-LRB- ": "(",
    " -RRB-": ")",
    "-LSB- ": "[",
    " -RSB-": "]",
    "( ": "(",
    " )": ")",
    " --": " –",
    " ;": ";",
    " :": ":",
}


def joined(text):
    for mark, meant in MARKS.items():
        text = text.replace(mark, meant)
    return plain(text)


def read(show, rnd):
    triples = {}
    for path in FILES:
        for line in show(path).splitlines():
            one = json.loads(line)
            said = one.get("evidence_sentence") or one.get("evidence")
            if isinstance(said, str) and one["label"] in LABELS:
                triples[joined(said), joined(one["claim"])] = LABELS[one["label"]]
    triples = [(premise, said, label) for (premise, said), label in triples.items()]
    yield from pairs.rows(triples, "symmetric", "CC BY-SA 3.0 (texts: Wikipedia)", rnd)
