"""felipessalvatore/NLI_datasets: MultiNLI mismatched dev, SNLI dev, MPE, JOCI, add-one, SciTail dev. Not taken:
SICK, QNLI, MultiNLI matched, CommitmentBank, RTE, WNLI, FraCaS.
"""

import csv
import io
import re

from data.shared import pairs

REPOSITORY = "felipessalvatore/NLI_datasets"
LABELS = pairs.LABELS | {"not_entailment": "not"}
LICENCE = {
    "mnli": "MIT (repository); texts: OANC and others",
    "snli": "CC BY-SA 4.0",
    "mpe": "CC BY-SA 4.0",
    "joci": "CC BY-SA 4.0",
    "add_one_rte": "MIT (repository); upstream terms",
    "scitail": "Apache-2.0 (upstream)",
}
FIRST_MISMATCHED = 9815  # rows before it are the matched half, kept for measuring
FILES = {
    "mnli": ["dev"],
    "snli": ["dev"],
    "mpe": ["train", "dev"],
    "joci": ["train", "dev"],
    "add_one_rte": ["train"],
    "scitail": ["dev"],
}


def told(name, premise, said):
    """The texts without what only marks them: picture names of MPE, tags of add-one."""
    if name == "mpe":
        premise = ". ".join(part.strip(" .") for part in re.split(r"\d+jpg\d", premise) if part.strip(" .")) + "."
    return [re.sub(r"</?[bu]>", "", text) for text in (premise, said)]


def read(show, rnd):
    for name, files in FILES.items():
        lines = []
        for file in files:
            found = list(csv.DictReader(io.StringIO(show(f"nli_datasets/{name}/{file}.csv"))))
            lines += found[FIRST_MISMATCHED:] if name == "mnli" else found
        if name == "add_one_rte":  # five in six do not follow
            lines = [line for line in lines if line["label"] == "entailment" or rnd.random() < 0.3]
        triples = [
            (*told(name, line["premise"], line["hypothesis"]), LABELS[line["label"]])
            for line in lines
            if line["label"] in LABELS
        ]
        yield from pairs.rows(triples, {"mnli": "multinli-mismatched"}.get(name, name), LICENCE[name], rnd)
