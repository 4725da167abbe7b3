"""eladsegal/strategyqa: questions answered by yes or no that follow from two or three facts put together."""

import json

REPOSITORY = "eladsegal/strategyqa"
FILES = ("data/strategyqa/train.json", "data/strategyqa/dev.json")


def read(show, rnd):
    count = 0
    for path in FILES:
        for one in json.loads(show(path)):
            facts = [fact.strip() for fact in one["facts"]]
            drawn = rnd.random()
            yield {
                "id": f"facts-{count:06d}",
                "source": "facts",
                "task": "what follows from facts",
                "licence": "MIT",
                "state": {"facts": facts} if drawn < 0.3 else (" " if drawn < 0.7 else "\n").join(facts),
                "questions": {"answer": {"type": "noul", "instructions": one["question"]}},
                "truth": {"answer": one["answer"]},
            }
            count += 1
