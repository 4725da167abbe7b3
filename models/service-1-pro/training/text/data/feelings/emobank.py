"""JULIELab/EmoBank: sentences of news, letters, blogs, essays, fiction and travel guides, rated from 1 to 5 by how
pleasant and by how stirred up they are.
"""

import csv
import io

from data.shared import ratings, rows
from data.shared.spaced import closed

REPOSITORY = "JULIELab/EmoBank"
MIDDLE, ENDS = 3.0, 1.6  # a pleasantness of 3 takes no side; at 4.6 it is as high as it gets
STIRRED, CALM = 3.5, 2.8
CLAIMS = [
    ("The text is emotional.", True),
    ("The writer is calm.", False),
    ("Strong feelings show in the text.", True),
    ("It is written without any excitement.", False),
    ("The writer is stirred up.", True),
]
ASKS = ["How excited is the writer?", "How emotional is the text?", "How strong are the feelings in it?"]
SCALES = [
    ["calm", "neither calm nor excited", "excited"],
    ["not at all", "somewhat", "very"],
    ["low", "medium", "high"],
]


def stirred(arousal, rnd):
    """A question about how stirred up the writer is, and its truth; None between the two."""
    if CALM < arousal < STIRRED:
        return None
    high = arousal >= STIRRED
    if rnd.random() < 0.5:
        return rows.claim(CLAIMS, high, rnd)
    return {"type": "score", "instructions": rnd.choice(ASKS), "criteria": list(rnd.choice(SCALES))}, 2 if high else 0


def read(show, rnd):
    for count, line in enumerate(csv.DictReader(io.StringIO(show("corpus/emobank.csv")))):
        text = closed(line["text"])
        if len(text.split()) < 3:
            continue
        value = (float(line["V"]) - MIDDLE) / ENDS
        made = ratings.row(
            f"emobank-{count:05d}", "CC BY-SA 4.0", text, value, rnd.choice(["text", "sentence", "passage"]), rnd
        )
        found = stirred(float(line["A"]), rnd)
        if found is not None:
            made["questions"]["stirred"], made["truth"]["stirred"] = found
        yield made
