"""nyu-mll/crowdsourcing-protocol-comparison: questions about passages, each with four answers that people wrote."""

import collections
import json

from data.shared.asked import CLAIMS

REPOSITORY = "nyu-mll/crowdsourcing-protocol-comparison"
FILES = ("data/baseline.json", "data/crowd.json", "data/justification.json")
FEWEST_AGREE = 0.6
AS_CLAIM = 0.3
MOST_QUESTIONS = 4


def agreed(one):
    """The right option's place, where enough of those who answered it took it."""
    given = [answer["worker_answer"] for answer in one["validation_data"]]
    if not given or given.count(one["gold_answer"]) < FEWEST_AGREE * len(given):
        return None
    place = int(one["gold_answer"][len("option") :]) - 1
    return place if place < len(one["options"]) else None


def question(one, right, rnd):
    """A choice, or a claim that one of the answers is right; and its truth."""
    options = [option.strip() for option in one["options"]]
    ask = one["question"].strip()
    if rnd.random() < AS_CLAIM:
        said = right if rnd.random() < 0.5 else rnd.choice([n for n in range(len(options)) if n != right])
        return {
            "type": "noul",
            "instructions": rnd.choice(CLAIMS).format(ask, options[said].rstrip(".")),
        }, said == right
    shown = rnd.sample(options, len(options))
    return {"type": "choice", "instructions": ask, "criteria": dict.fromkeys(shown)}, options[right]


def read(show, rnd):
    asked = collections.defaultdict(list)
    for path in FILES:
        for one in json.loads(show(path)):
            right = agreed(one)
            if right is not None and len({option.strip() for option in one["options"]}) == len(one["options"]):
                asked[one["document"]].append((one, right))
    count = 0
    for document, found in asked.items():
        for at in range(0, len(found), MOST_QUESTIONS):
            questions, truth = {}, {}
            for n, (one, right) in enumerate(found[at : at + MOST_QUESTIONS]):
                questions[f"q{n}"], truth[f"q{n}"] = question(one, right, rnd)
            yield {
                "id": f"comprehension-{count:06d}",
                "source": "comprehension",
                "task": "reading",
                "licence": "CC BY 4.0",
                "state": document,
                "questions": questions,
                "truth": truth,
            }
            count += 1
