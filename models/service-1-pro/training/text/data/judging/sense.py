"""wangcunxiang/SemEval2020-Task4 (ComVE): two statements alike of which one goes against common sense, and why (Wang
and others, 2020).
"""

import csv
import io

from data.shared import rows

REPOSITORY = "wangcunxiang/SemEval2020-Task4-Commonsense-Validation-and-Explanation"
PLACE = "ALL data/Training  Data"
MOST = 6000
ALONE, WHY = 0.55, 0.5  # of rows: one statement is shown; of statements without sense: the reason is asked
SENSE = [
    ("The statement makes sense.", True),
    ("This can be so.", True),
    ("This is plausible.", True),
    ("Is this believable?", True),
    ("This goes against common sense.", False),
    ("The statement is absurd.", False),
    ("Something is wrong with this statement.", False),
    ("This makes no sense.", False),
]
FIRST = [
    ("{0} makes sense.", True),
    ("{0} is the plausible one.", True),
    ("{0} is more believable than {1}.", True),
    ("{0} goes against common sense.", False),
    ("{0} is the absurd one.", False),
    ("{1} makes more sense than {0}.", False),
]
WHICH = [
    ("Which of the two makes sense?", True),
    ("Which one is plausible?", True),
    ("Pick the believable statement.", True),
    ("Which of the two makes no sense?", False),
    ("Which one goes against common sense?", False),
    ("Pick the absurd statement.", False),
]
REASONS = [
    "Why does this make no sense?",
    "What is wrong with the statement?",
    "Why can't this be?",
    "The reason why this is absurd",
    "What speaks against this?",
    "Explain why this is not plausible.",
]
CALLED = [("A", "B"), ("1", "2"), ("s1", "s2"), ("X", "Y")]


def table(show, name):
    return list(csv.reader(io.StringIO(show(f"{PLACE}/{name}").lstrip("\ufeff"))))


def single(good, bad, reasons, right, rnd):
    holds = rnd.random() < 0.5
    made = [rows.claim(SENSE, holds, rnd)]
    if not holds and rnd.random() < WHY:
        shown = [rows.ended(one) for one in reasons]
        truth = shown[right]
        rnd.shuffle(shown)
        made.append(({"type": "choice", "instructions": rnd.choice(REASONS), "criteria": shown}, truth))
    return good if holds else bad, made


def double(good, bad, rnd):
    names, first = rnd.choice(CALLED), rnd.random() < 0.5
    state = rows.named(dict(zip(names, (good, bad) if first else (bad, good), strict=True)), rnd.random() < 0.5)
    ask, wanted = rnd.choice(WHICH)
    truth = names[0 if first == wanted else 1]
    made = [({"type": "choice", "instructions": ask, "criteria": list(names)}, truth)]
    said, when = rnd.choice(FIRST)
    named = [f'"{name}"' if rnd.random() < 0.3 else f"Statement {name}" for name in names]
    made.append(({"type": "noul", "instructions": said.format(*named)}, first == when))
    return state, made


def read(show, rnd):
    answers = dict(table(show, "subtaskA_answers_all.csv"))
    right = dict(table(show, "subtaskB_answers_all.csv"))
    pairs = {line[0]: line[1:3] for line in table(show, "subtaskA_data_all.csv")[1:]}
    reasons = {line[0]: line[2:5] for line in table(show, "subtaskB_data_all.csv")[1:]}
    known = [one for one in pairs if answers.get(one) in ("0", "1") and right.get(one) in ("A", "B", "C")]
    known = [one for one in known if all(part.strip() for part in [*pairs[one], *reasons.get(one, [""])])]
    for count, one in enumerate(rnd.sample(known, min(MOST, len(known)))):
        bad = int(answers[one])  # the index of the statement without sense
        good, bad = rows.ended(pairs[one][1 - bad]), rows.ended(pairs[one][bad])
        alone = rnd.random() < ALONE
        state, made = single(good, bad, reasons[one], "ABC".index(right[one]), rnd) if alone else double(good, bad, rnd)
        yield rows.row(f"sense-{count:05d}", "common sense", "CC BY-SA 4.0", state, made)
