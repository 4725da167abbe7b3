"""IBM/KPA_2021_shared_task (ArgKP, all parts): what people wrote for or against a proposal, and short points written by
an expert, with the judgement of eight people whether a point is what somebody says (Bar-Haim and others, 2020; Friedman
and others, 2021; CDLA-Sharing 1.0). Rows file answers of a survey under points, as one does with comments.

Points that people did not find in a text, but that share words with it or with a point that it makes, are left out.
"""

import collections
import csv
import io

from data.shared import rows
from data.shared.stems import stems

REPOSITORY = "IBM/KPA_2021_shared_task"
LICENCE = "CDLA-Sharing 1.0"
PARTS = {"train": "kpm_data", "dev": "kpm_data", "test": "test_data"}
FEWEST_WORDS, MOST_POINT = 7, 14
NONE, MISSING = ["none of these", "another point", "no match", "other"], 0.12
FAR = 0.3  # of claims that do not hold: those with a point of the other side
NAMES = [
    ("proposal", "answer"),
    ("question", "comment"),
    ("topic", "argument"),
    ("motion", "statement"),
    ("survey", "response"),
]
SMALL = frozenset("the are was and that this they them their its for with not can will".split())
MADE = [
    ("The {text} makes this point: {point}", True),
    ("This is what the writer says: {point}", True),
    ("The {text} belongs under this heading: {point}", True),
    ("In short, the {text} says: {point}", True),
    ("Does the writer argue this? {point}", True),
    ("Count the {text} for this point: {point}", True),
    ("The {text} makes another point than this: {point}", False),
    ("The writer does not argue this: {point}", False),
    ("This heading does not fit the {text}: {point}", False),
    ("Nothing in the {text} comes down to this: {point}", False),
    ("It would be wrong to count the {text} for this point: {point}", False),
]
SIDE = [
    ("The writer agrees: {topic}", True),
    ("The writer is for this: {topic}", True),
    ("This speaks for the proposal: {topic}", True),
    ("The {text} supports this: {topic}", True),
    ("Would the writer vote for this? {topic}", True),
    ("The writer disagrees: {topic}", False),
    ("The writer is against this: {topic}", False),
    ("This speaks against the proposal: {topic}", False),
    ("The {text} opposes this: {topic}", False),
    ("Would the writer vote against this? {topic}", False),
]
SIDES = [
    ("{topic} The writer is", ("for it", "against it")),
    ("Where does the writer stand? {topic}", ("agrees", "disagrees")),
    ("{topic} This is an argument", ("pro", "con")),
]
WHICH = [
    "Which point does the {text} make?",
    "File the {text} under a heading.",
    "Main point",
    "What does it come down to?",
]
ALL = ["Which points does the {text} make?", "Select the headings that fit.", "Which of these does the writer argue?"]


def apart(point, texts, topic):
    """Whether a point shares no word with any of these texts but those of the proposal."""
    own = stems(point, SMALL) - stems(topic)
    return not any(own & stems(text) for text in texts)


def table(show, part, kind):
    return csv.DictReader(io.StringIO(show(f"{PARTS[part]}/{kind}_{part}.csv")))


def argued(show):
    """(what was written, proposal, for or against, points that it makes, points of its side that it does not, other
    side's points)
    """
    for part in PARTS:
        points = {one["key_point_id"]: one for one in table(show, part, "key_points")}
        labels = collections.defaultdict(lambda: ([], []))
        for one in table(show, part, "labels"):
            labels[one["arg_id"]][one["label"] != "1"].append(points[one["key_point_id"]]["key_point"])
        for one in table(show, part, "arguments"):
            made, others = ([rows.ended(point) for point in side] for side in labels[one["arg_id"]])
            others = [point for point in others if apart(point, [one["argument"], *made], one["topic"])]
            far = [
                rows.ended(point["key_point"])
                for point in points.values()
                if point["topic"] == one["topic"] and point["stance"] != one["stance"]
            ]
            yield rows.ended(one["argument"]), rows.ended(one["topic"]), one["stance"] == "1", made, others, far


def asked(topic, agrees, made, others, far, words, rnd):
    """Questions about one argument."""
    near = [point for point in others if len(point.split()) <= MOST_POINT]
    if made and near:
        holds = rnd.random() < 0.5
        wrong = far if far and rnd.random() < FAR else near
        yield rows.claim(MADE, holds, rnd, point=rnd.choice(made if holds else wrong), **words)
    drawn = rnd.random()
    if len(made) == 1 and len(near) > 1 and drawn < 0.55:
        missing = rnd.random() < MISSING and len(near) > 2
        none = [rnd.choice(NONE)] if missing or rnd.random() < MISSING * 2 else []
        names = rnd.sample(near, min(len(near), rnd.randint(2, 4))) + ([] if missing else made)
        names += rnd.sample(far, min(len(far), rnd.randint(0, 1)))
        rnd.shuffle(names)
        question = {"type": "choice", "instructions": rnd.choice(WHICH).format(**words), "criteria": names + none}
        yield question, none[0] if missing else made[0]
    elif near and (len(made) > 1 or (made and drawn < 0.65)):
        names = [*made, *rnd.sample(near, min(len(near), 3)), *rnd.sample(far, min(len(far), rnd.randint(0, 1)))]
        rnd.shuffle(names)
        question = {"type": "select", "instructions": rnd.choice(ALL).format(**words), "options": names}
        yield question, [point for point in names if point in made]
    drawn = rnd.random()
    if drawn < 0.25:
        yield rows.claim(SIDE, agrees, rnd, topic=topic, **words)
    elif drawn < 0.35:
        yield rows.either(SIDES, agrees, rnd, topic=topic)


def read(show, rnd):
    count = 0
    for text, topic, agrees, *points in argued(show):
        if len(text.split()) < FEWEST_WORDS:
            continue
        asked_name, name = rnd.choice(NAMES)
        made = list(asked(topic, agrees, *points, {"text": name}, rnd))
        if made:
            rnd.shuffle(made)
            state = rows.named({asked_name: topic, name: text}, rnd.random() < 0.3) if rnd.random() < 0.5 else text
            yield rows.row(f"points-{count:05d}", "points of arguments", LICENCE, state, made)
            count += 1
