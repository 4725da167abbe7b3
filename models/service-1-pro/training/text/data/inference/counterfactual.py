"""acmi-lab/counterfactually-augmented-data: SNLI pairs whose premise or hypothesis was changed by hand until the
label turned; and film reviews of the same kind, good and bad.
"""

import csv
import io

from data.shared import pairs, ratings

REPOSITORY = "acmi-lab/counterfactually-augmented-data"


def read(show, rnd):
    lines = csv.DictReader(io.StringIO(show("NLI/all_combined/train.tsv")), delimiter="\t")
    yield from pairs.rows(
        [(line["sentence1"], line["sentence2"], pairs.LABELS[line["gold_label"]]) for line in lines],
        "counterfactual-nli",
        "Apache-2.0",
        rnd,
    )
    reviews = csv.DictReader(io.StringIO(show("sentiment/combined/train.tsv")), delimiter="\t")
    for count, line in enumerate(reviews):
        text = " ".join(line["Text"].replace("<br />", " ").split())
        name = f"counterfactual-reviews-{count:05d}"
        good, called = line["Sentiment"] == "Positive", rnd.choice(["review", "film review"])
        yield ratings.sided(name, "Apache-2.0", text, good, called, rnd)
