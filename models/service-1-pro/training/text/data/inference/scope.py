"""selenashe/ScoNe: what a "not" reaches: no hat, no sunhat; sentences with one or two negations, or none, and a word
made wider or narrower (She and others, 2023). Made from templates, so that few are taken.
"""

import csv
import io

from data.shared import pairs

REPOSITORY = "selenashe/ScoNe"
PARTS = ("no_negation", "one_not_scoped", "one_scoped", "one_scoped_one_not_scoped", "two_not_scoped", "two_scoped")
LABELS = {"entailment": "entails", "neutral": "neutral"}
MOST = 3000  # pairs


def whole(text, word):
    """Whether each place of a word is a word: some "that" became "tsunhat" when they were made."""
    return text.count(word) == f" {text}".count(f" {word}")


def read(show, rnd):
    triples = []
    for part in PARTS:
        for split in ("train", "test"):
            for line in csv.DictReader(io.StringIO(show(f"scone_nli/{split}/{part}.csv"))):
                edited = "" if part == "one_scoped" else "_edited"
                premise, said = line[f"sentence1{edited}"], line[f"sentence2{edited}"]
                if whole(premise, line["sentence1_lex"]) and whole(said, line["sentence2_lex"]):
                    triples.append((premise, said, LABELS[line[f"gold_label{edited}"]]))
    for row in pairs.rows(rnd.sample(triples, MOST), "scope", "CC0 1.0 (captions: SNLI, CC BY-SA 4.0)", rnd):
        for part in ("questions", "truth"):  # no two contradict each other
            row[part].pop("clash", None)
        yield row
