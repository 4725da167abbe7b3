"""acmi-lab/counterfactually-augmented-data: SNLI pairs whose premise or hypothesis was changed by hand until the
label turned.
"""

import csv
import io

from data import pairs

REPOSITORY = "acmi-lab/counterfactually-augmented-data"
LABELS = {"entailment": "entails", "contradiction": "contradicts", "neutral": "neutral"}


def read(show, rnd):
    lines = csv.DictReader(io.StringIO(show("NLI/all_combined/train.tsv")), delimiter="\t")
    yield from pairs.rows(
        [(line["sentence1"], line["sentence2"], LABELS[line["gold_label"]]) for line in lines],
        "counterfactual-nli",
        "Apache-2.0",
        rnd,
    )
