"""google-research-datasets/Textual-Entailment-New-Protocols: 34,000 pairs on sentences of Wikipedia, MNLI's protocol
and three others (edit the premise, edit something else, contrast two). Its fifth part, paragraphs, is too
large to be had.
"""

import csv
import io

from data.shared import pairs

REPOSITORY = "google-research-datasets/Textual-Entailment-New-Protocols"
PARTS = ("base", "contrast", "edit_other", "edit_premise")


def read(show, rnd):
    for part in PARTS:
        lines = csv.DictReader(io.StringIO(show(f"data/{part}/train.tsv")), delimiter="\t", quoting=csv.QUOTE_NONE)
        triples = [
            (line["sentence1"], line["sentence2"], pairs.LABELS[line["gold_label"]])
            for line in lines
            if line["gold_label"] in pairs.LABELS
        ]
        name = f"protocols-{part.replace('_', '-')}"
        yield from pairs.rows(triples, name, "CC BY-SA 3.0 (texts: Wikipedia)", rnd)
