"""CogComp/perspectrum: whether a perspective supports a claim or undermines it."""

import json

from data import stance

REPOSITORY = "CogComp/perspectrum"
LABELS = {"SUPPORT": "support", "UNDERMINE": "counter"}


def read(show, rnd):
    pool = {one["pId"]: one["text"] for one in json.loads(show("data/dataset/perspective_pool_v1.0.json"))}
    count = 0
    for claim in json.loads(show("data/dataset/perspectrum_with_answers_v1.0.json")):
        for found in claim["perspectives"]:
            texts = [pool[one] for one in found["pids"] if one in pool]
            if found["stance_label_3"] not in LABELS or not texts:
                continue
            first, second = rnd.choice(stance.SIDES)
            said = rnd.choice(texts)
            questions, truth = stance.asked(first, second, LABELS[found["stance_label_3"]], rnd)
            flat = f"{first.capitalize()}: {claim['text']}\n{second.capitalize()}: {said}"
            yield {
                "id": f"perspectives-{count:06d}",
                "source": "perspectives",
                "task": "stance",
                "licence": "CC BY-SA 4.0",
                "state": flat if rnd.random() < 0.4 else {first: claim["text"], second: said},
                "questions": questions,
                "truth": truth,
            }
            count += 1
