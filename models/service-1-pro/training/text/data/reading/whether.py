"""d-eremeev/BoolQ-Question-Answering, a copy of BoolQ (dev): yes-or-no questions that people typed into a search
engine, with a paragraph of Wikipedia that answers them (Clark and others, 2019; CC BY-SA 3.0). Pages that the contrast
set of BoolQ has anything of are left out: it is kept for measuring. As many questions with yes as with no.
"""

import json
import re

from data.judging import grounded
from data.shared import rows

REPOSITORY = "d-eremeev/BoolQ-Question-Answering"
MORE = {"contrast": "allenai/contrast-sets"}
LICENCE = "CC BY-SA 3.0 (upstream; paragraphs: Wikipedia)"
MOST_WORDS, SAME_WORDS = 170, 25  # of a paragraph, and at its beginning for two to count as the same
AS_TYPED, STATED, GRADED = 0.3, 0.6, 0.4
ASKED = ["{}", "{}", "{}", "{}", "Yes or no: {}", "Answer by the text: {}"]
ANSWERED = [
    ('The answer to "{ask}" is yes.', True),
    ('Asked "{ask}", the text says yes.', True),
    ("{ask} Yes.", True),
    ("{ask} It is so.", True),
    ('The answer to "{ask}" is no.', False),
    ('Asked "{ask}", the text says no.', False),
    ("{ask} No.", False),
    ("{ask} It is not so.", False),
]
OPTIONS = [("yes", "no"), ("yes", "no"), ("it is so", "it is not so"), ("true", "false")]
NAMES = [("title", "text"), ("page", "paragraph"), ("about", "passage")]
PRONOUN = re.compile(r"(?P<verb>[a-z]+) (?P<who>you|there|they|it|he|she|we) (?P<rest>.+)", re.I)
MARKS = re.compile("``|''")
TURNED = frozenset("is are was were can could will would should must may has have had do does did".split())


def stated(ask):
    """What is asked as a statement and as its denial; None where it is not asked of a pronoun."""
    found = PRONOUN.fullmatch(ask.rstrip("? "))
    verb = found and found["verb"].lower()
    if verb not in TURNED:
        return None
    who, rest = found["who"].capitalize(), found["rest"]
    none = re.match(r"(?:an?|any) (.+)", rest) if who == "There" else None
    denial = f"{who} {verb} no {none[1]}." if none else f"{who} {verb} not {rest}."
    claim = f"{who} {rest}." if verb == "do" else f"{who} {verb} {rest.removeprefix('any ')}."
    return claim, denial.replace("can not ", "cannot ")


def direct(ask, holds, rnd):
    """The question as it is, as a claim, or as a choice, and its truth."""
    drawn, both = rnd.random(), stated(ask)
    if drawn < STATED and both:
        said = rnd.random() < 0.5
        return {"type": "noul", "instructions": both[0 if said else 1]}, holds == said
    if drawn > 0.85:
        return rows.either([(ask, rnd.choice(OPTIONS))], holds, rnd)
    if drawn > 0.7:
        return rows.claim(ANSWERED, holds, rnd, ask=ask)
    return {"type": "noul", "instructions": rnd.choice(ASKED).format(ask)}, holds


def graded(text, ask, holds, rnd):
    """(state, questions with truths): the paragraph, the question, and somebody's answer."""
    right = rnd.random() < 0.5
    state, made = grounded.answered(text, ask, "Yes." if right == holds else "No.", right, rnd)
    return rows.named(state, rnd.random() < 0.5), made


def kept(show):
    """What may be asked, as [{question, title, passage, answer}]."""
    measured = json.loads(show("BoolQ/boolq_perturbed.json", MORE["contrast"]))["data"][1:]
    titles = {one["title"].strip().lower() for one in measured}
    begun = {tuple(re.findall(r"\w+", one["paragraph"].lower())[:SAME_WORDS]) for one in measured}
    for one in map(json.loads, show("data/dev.jsonl").splitlines()):
        begins = tuple(re.findall(r"\w+", one["passage"].lower())[:SAME_WORDS])
        is_measured = one["title"].strip().lower() in titles or begins in begun
        if not is_measured and len(one["passage"].split()) <= MOST_WORDS and "\\" not in one["passage"]:
            yield one


def read(show, rnd):
    found, count = list(kept(show)), 0
    sides = [[one for one in found if one["answer"] == answer] for answer in (True, False)]
    fewest = min(map(len, sides))
    for one in [one for side in sides for one in rnd.sample(side, fewest)]:
        typed, text, holds = one["question"].strip(), MARKS.sub('"', one["passage"]).strip(), one["answer"]
        ask = typed if rnd.random() < AS_TYPED else f"{typed[0].upper()}{typed[1:]}?"
        shown = rows.named(dict(zip(rnd.choice(NAMES), (one["title"], text), strict=True)), rnd.random() < 0.5)
        made = [(shown if rnd.random() < 0.4 else text, [direct(ask, holds, rnd)])]
        if rnd.random() < GRADED:
            made.append(graded(text, ask, holds, rnd))
        for state, questions in made:
            yield rows.row(f"whether-{count:05d}", "yes or no about a passage", LICENCE, state, questions)
            count += 1
