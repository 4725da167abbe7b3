"""AbhilashaRavichander/CondaQA (dev): questions about passages that hang on a negation, also about the passage edited
so that it says otherwise.
"""

import collections
import json

REPOSITORY = "AbhilashaRavichander/CondaQA"
ANSWERS = {"YES": True, "NO": False}


def read(show, rnd):
    asked = collections.defaultdict(list)
    for line in show("data/condaqa_dev.json").splitlines():
        one = json.loads(line)
        if one["label"] in ANSWERS:
            asked[one["sentence1"]].append((one["sentence2"].strip(), ANSWERS[one["label"]]))
    for count, (passage, found) in enumerate(asked.items()):
        rnd.shuffle(found)
        yield {
            "id": f"negated-{count:06d}",
            "source": "negated",
            "task": "reading of negations",
            "licence": "Apache-2.0 (repository); passages CC BY-SA (Wikipedia)",
            "state": passage,
            "questions": {f"q{n}": {"type": "noul", "instructions": ask} for n, (ask, _) in enumerate(found)},
            "truth": {f"q{n}": answer for n, (_, answer) in enumerate(found)},
        }
