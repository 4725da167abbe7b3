"""mosharafhossain/negation-and-nli: pairs of SNLI and MultiNLI with the main verb of one sentence or of both negated,
judged anew (Hossain and others, 2020); many of the open ones are left out. Its part on RTE is not taken.
"""

import csv
import io

from data.shared import pairs

REPOSITORY = "mosharafhossain/negation-and-nli"
LICENCE = {"SNLI": "MIT (captions: CC BY-SA 4.0)", "MNLI": "MIT (texts: OANC and others)"}


def read(show, rnd):
    for part, licence in LICENCE.items():
        text = show(f"data/new_benchmarks/clean_data/{part}.txt")
        lines = csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
        triples = [(line["Text"], line["Hypothesis"], pairs.LABELS[line["gold_label"]]) for line in lines]
        yield from pairs.rows(pairs.evened(triples, rnd), f"denied-{part.lower()}", licence, rnd)
