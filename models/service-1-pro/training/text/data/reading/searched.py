"""google-research-datasets/QED: questions that people typed into a search engine, answered by words of a paragraph."""

import json

from data.reading.qamr import joined
from data.shared.asked import ABSENT, ASKS

REPOSITORY = "google-research-datasets/QED"


def read(show, rnd):
    lines = [json.loads(line) for line in show("qed-dev.jsonlines").splitlines()]
    for count, one in enumerate(lines):
        answers = [found[0]["string"] for found in one["original_nq_answers"] if len(found) == 1]
        if not answers:
            continue
        text = joined(one["paragraph_text"].split())
        answer, ask = joined(min(answers, key=len).split()), one["question_text"]
        if rnd.random() < ABSENT:
            ask, answer = rnd.choice(lines)["question_text"], None
            if ask == one["question_text"]:
                continue
        elif answer not in text:
            continue
        titled = {"title": one["title_text"], "text": text}
        yield {
            "id": f"searched-{count:06d}",
            "source": "searched",
            "task": "questions to a search engine",
            "licence": "CC BY-SA 3.0",
            "state": titled if rnd.random() < 0.4 else text,
            "questions": {"answer": {"type": "extract", "instructions": rnd.choice(ASKS).format(ask)}},
            "truth": {"answer": answer},
        }
