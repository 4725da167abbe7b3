"""alisawuffles/ambient: sentences that can be read in two ways, each reading spelt out, and what follows from it; and
clear ones (Liu and others, 2023; written by a language model, judged by linguists). Those taken from elsewhere are not
read: some are of MultiNLI's matched half.
"""

import json

from data.shared import pairs

REPOSITORY = "alisawuffles/ambient"
FILES = ("AmbiEnt/dev.jsonl", "AmbiEnt/test.jsonl")


def read(show, rnd):
    triples = {}
    for path in FILES:
        for line in show(path).splitlines():
            one = json.loads(line)
            if str(one["id"]).endswith("_c"):  # from elsewhere
                continue
            clear = [one | {"label": one["labels"]}] if one["labels"] in pairs.LABELS else []
            for reading in [*clear, *one["disambiguations"]]:
                if reading["label"] in pairs.LABELS:
                    triples[reading["premise"], reading["hypothesis"]] = pairs.LABELS[reading["label"]]
    triples = [(premise, said, label) for (premise, said), label in triples.items()]
    yield from pairs.rows(pairs.evened(triples, rnd), "readings", "CC BY 4.0", rnd)
