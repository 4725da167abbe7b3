"""Waste-Wood/e-CARE: which of two sentences is the likelier cause or effect of a third."""

import json

REPOSITORY = "Waste-Wood/e-CARE"
ASKS = {
    "cause": ["What was the likelier cause?", "Why did this happen?", "Which of these brought it about?"],
    "effect": ["What happened as a result?", "What is the likelier effect?", "What follows from it?"],
}


def read(show, rnd):
    count = 0
    for path in ("dataset/Causal_Reasoning/train.jsonl", "dataset/Causal_Reasoning/dev.jsonl"):
        for line in show(path).splitlines():
            item = json.loads(line)
            options = [item["hypothesis1"], item["hypothesis2"]]
            right = options[item["label"]]
            if options[0] == options[1]:
                continue
            rnd.shuffle(options)
            questions = {
                "likelier": {"type": "choice", "instructions": rnd.choice(ASKS[item["ask-for"]]), "criteria": options}
            }
            yield {
                "id": f"e-care-{count:06d}",
                "source": "e-care",
                "task": "cause and effect",
                "licence": "MIT",
                "state": item["premise"],
                "questions": questions,
                "truth": {"likelier": right},
            }
            count += 1
