"""verypluming/MED and HELP: some, all, no, at most; and, or: what follows when a word becomes wider or narrower."""

import csv
import io

from data.shared import pairs

REPOSITORY = "verypluming/MED"
MORE = {"help": "verypluming/HELP"}
LABELS = {"entailment": "entails", "neutral": "not"}


def read(show, rnd):
    lines = csv.DictReader(io.StringIO(show("MED.tsv")), delimiter="\t", quoting=csv.QUOTE_NONE)
    triples = [
        (x["sentence1"], x["sentence2"], LABELS[x["gold_label"]])
        for x in lines
        if x["gold_label"] in LABELS and "SICK" not in x["genre"] and "FraCaS" not in x["genre"]
    ]
    yield from pairs.rows(triples, "med", "CC BY-SA 4.0", rnd)
    for name in ("and", "or"):
        lines = csv.DictReader(
            io.StringIO(show(f"output_en/leskexppmb_{name}.tsv", MORE["help"])), delimiter="\t", quoting=csv.QUOTE_NONE
        )
        triples = [
            (x["ori_sentence"], x["new_sentence"], LABELS[x["gold_label"]]) for x in lines if x["gold_label"] in LABELS
        ]
        yield from pairs.rows(triples, f"help-{name}", "CC BY-SA 4.0", rnd)
