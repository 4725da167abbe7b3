"""google/BEGIN-dataset: replies of language models to somebody who talks about a topic, and the sentences that they
were to go by; people judged whether those bear it out (Dziri and others, 2022). Only the part on Wizard of Wikipedia.
"""

import csv
import io

from data.inference.dnc import plain
from data.shared import rows

REPOSITORY = "google/BEGIN-dataset"
FILES = ("wow/begin_dev_wow.tsv", "wow/begin_test_wow.tsv")
LABELS = {"Fully attributable": True, "Not fully attributable": False}
POOR = "gpt2"  # whose replies are often no sentences
POOR_KEPT, FALSE_KEPT = 0.25, 0.85
SAID = [
    ("source", "message", "reply"),
    ("knowledge", "user", "answer"),
    ("document", "question", "answer"),
    ("facts", "prompt", "response"),
    ("context", "message", "response"),
    ("text", "comment", "reply"),
]
BORNE_OUT = [
    ("The {reply} is supported by the {source}.", True),
    ("Everything in the {reply} can be found in the {source}.", True),
    ("The {reply} is grounded.", True),
    ("The {reply} says nothing that is not in the {source}.", True),
    ("The {reply} stays with the {source}.", True),
    ("The {reply} says more than the {source}.", False),
    ("The {reply} is not borne out by the {source}.", False),
    ("The {reply} adds something of its own.", False),
    ("Part of the {reply} is not in the {source}.", False),
    ("Some of the {reply} is hallucinated.", False),
]
CHECKED = [
    ("Check the {reply} against the {source}.", ("supported", "not supported")),
    ("Is the {reply} borne out by the {source}?", ("yes", "no")),
    ("Judge the {reply}.", ("grounded", "in part not grounded")),
    ("Where does the {reply} come from?", ("from the {source} alone", "not only from the {source}")),
]


def read(show, rnd):
    count = 0
    for path in FILES:
        for one in csv.DictReader(io.StringIO(show(path)), delimiter="\t", quoting=csv.QUOTE_NONE):
            holds = LABELS.get(one["begin_label"])
            poor = one["model_name"] == POOR and rnd.random() > POOR_KEPT
            if holds is None or (not holds and (poor or rnd.random() > FALSE_KEPT)):
                continue
            source, message, reply = rnd.choice(SAID)
            parts = {source: plain(one["knowledge"]), message: plain(one["message"]), reply: plain(one["response"])}
            if rnd.random() < 0.4 or not one["message"].strip():
                del parts[message]
            words = {"reply": reply, "source": source}
            made = [rows.claim(BORNE_OUT, holds, rnd, **words)]
            if rnd.random() < 0.35:
                ask, options = rnd.choice(CHECKED)
                made.append(rows.either([(ask, [name.format(**words) for name in options])], holds, rnd, **words))
            state = rows.named(parts, rnd.random() < 0.5)
            yield rows.row(f"attributed-{count:05d}", "supported or not", "CC BY 4.0", state, made)
            count += 1
