"""swarnaHub/ConjNLI: sentences with and, or, but, nor, with one part dropped, replaced or negated."""

import csv
import io

from data.shared import pairs

REPOSITORY = "swarnaHub/ConjNLI"


def read(show, rnd):
    for name in ("adversarial_train_15k", "conj_dev"):
        lines = csv.DictReader(
            io.StringIO(show(f"data/NLI/{name}.tsv").lstrip("\ufeff")), delimiter="\t", quoting=csv.QUOTE_NONE
        )
        triples = [
            (
                x["Premise"].strip('"').replace('""', '"'),
                x["Hypothesis"].strip('"').replace('""', '"'),
                pairs.LABELS[x["Label"].strip()],
            )
            for x in lines
            if (x["Label"] or "").strip() in pairs.LABELS
        ]
        yield from pairs.rows(triples, "conjnli", "MIT", rnd)
