"""OanaMariaCamburu/e-SNLI: the test half of SNLI: captions and what follows from them. No explanation is read."""

from data.reading.qamr import joined
from data.shared import pairs

REPOSITORY = "OanaMariaCamburu/e-SNLI"


def read(show, rnd):
    columns = (show(f"dataset/eSNLI/{name}.test").splitlines() for name in ("s1", "s2", "labels"))
    triples = [
        (joined(premise.split()), joined(said.split()), pairs.LABELS[label.strip()])
        for premise, said, label in zip(*columns, strict=True)
        if label.strip() in pairs.LABELS
    ]
    yield from pairs.rows(triples, "snli-test", "CC BY-SA 4.0 (MIT repository)", rnd)
