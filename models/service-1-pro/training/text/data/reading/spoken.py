"""emorynlp/FriendsQA (dev and test): questions that people asked about scenes of a series, answered by words of a
line or by who speaks it. A row is a scene, or a few lines of it around an answer (shifts.py).
"""

import json

from data.reading.shifts import LONGEST_ANSWER, parts
from data.shared.spaced import closed

REPOSITORY = "emorynlp/FriendsQA"
FILES = ("dat/friendsqa_dev.json", "dat/friendsqa_tst.json")
NEVER_NAMED = ("#NOTE#",)


def scene(paragraph):
    """The lines as one text, and [(question, place of its answer)]."""
    text, starts = "", {}
    for line in paragraph["utterances:"]:
        speaker = ", ".join(one for one in line["speakers"] if one not in NEVER_NAMED)
        said = closed(line["utterance"])
        if not said:
            continue
        begin = len(text)
        text += f"{speaker}: {said}\n" if speaker else f"({said})\n"
        starts[line["uid"]] = (begin, len(text))
    found = []
    for one in paragraph["qas"]:
        for answer in one["answers"]:
            begin, end = starts.get(answer["utterance_id"], (0, 0))
            words = closed(answer["answer_text"]).strip(" .,!?")
            at = text.find(words, begin, end) if words else -1
            if at >= 0 and len(words.split()) <= LONGEST_ANSWER:
                found.append((closed(one["question"]), (at, at + len(words))))
                break
    return text, found


def read(show, rnd):
    scenes = [scene(one) for path in FILES for page in json.loads(show(path))["data"] for one in page["paragraphs"]]
    for count, (state, questions, truth) in enumerate(parts(scenes, rnd)):
        yield {
            "id": f"spoken-{count:06d}",
            "source": "spoken",
            "task": "questions about scenes",
            "licence": "Apache-2.0",
            "state": {"scene": state} if rnd.random() < 0.15 else state,
            "questions": questions,
            "truth": truth,
        }
