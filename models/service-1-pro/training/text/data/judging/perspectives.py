"""CogComp/perspectrum: whether a perspective supports a claim or undermines it."""

import json

from data.judging import stance

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
            said, label = rnd.choice(texts), LABELS[found["stance_label_3"]]
            yield stance.row(f"perspectives-{count:06d}", "CC BY-SA 4.0", claim["text"], said, label, rnd)
            count += 1
