"""google-research/fool-me-twice (dev and test): statements that players wrote to be hard to judge, with the sentences
of a Wikipedia page that decide, alone or among others of the page.
"""

import json

REPOSITORY = "google-research/fool-me-twice"
FILES = ("dataset/dev.jsonl", "dataset/test.jsonl")
LABELS = {"SUPPORTS": True, "REFUTES": False}
BESIDE = [0, 0, 1, 2, 4]  # other sentences of the page
WORDINGS = ["{}", "{}", "{}", "According to the text: {}", "Is it true: {}"]


def read(show, rnd):
    count = 0
    for path in FILES:
        for line in show(path).splitlines():
            one = json.loads(line)
            gold = [piece["text"].strip() for piece in one["gold_evidence"]]
            others = [piece["text"].strip() for piece in one["retrieved_evidence"] if piece["text"].strip() not in gold]
            shown = [*gold, *rnd.sample(others, min(len(others), rnd.choice(BESIDE)))]
            rnd.shuffle(shown)
            if one["label"] not in LABELS or not gold:
                continue
            text = (" " if rnd.random() < 0.6 else "\n").join(shown)
            claim = rnd.choice(WORDINGS).format(one["text"].strip())
            yield {
                "id": f"fooled-{count:06d}",
                "source": "fooled",
                "task": "statements about a page",
                "licence": "Apache-2.0 (repository); sentences CC BY-SA (Wikipedia)",
                "state": {"page": one["wikipedia_page"], "text": text} if rnd.random() < 0.4 else text,
                "questions": {"claim": {"type": "noul", "instructions": claim}},
                "truth": {"claim": LABELS[one["label"]]},
                "evidence": {"claim": gold[0]} if len(gold) == 1 else {},
            }
            count += 1
