"""chen-steven/BERT-ROPES, a copy of ROPES (train and dev): a passage that says what leads to what, a situation that
people made up, and questions about it that ask for both (Lin and others, 2019; CC BY 4.0). Taken where the passage is
of Wikipedia, as its marks for footnotes tell; others are of textbooks whose licence is not said.
"""

import json
import re

from data.shared import answers, rows
from data.shared.asked import ASKS

REPOSITORY = "chen-steven/BERT-ROPES"
FILES = ("data/ropes/train-v1.0.json", "data/ropes/dev-v1.0.json")
LICENCE = "CC BY 4.0 (passages: Wikipedia, CC BY-SA)"
FOOTNOTE = re.compile(r"\[(?:\d+|citation needed)\]:?(?:\d+)?")
AS_QUOTE, AS_GRADED, MOST_QUESTIONS, TIMES = 0.2, 0.2, 3, 2
MOST_WORDS = 210
ALIKE = 0.6  # of the words of two questions, for the answer to one to be the near miss of the other
NAMES = [("passage", "situation"), ("background", "case"), ("text", "example"), ("rule", "case")]


def plain(text):
    return " ".join(FOOTNOTE.sub("", text).split())


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def paired(asked):
    """(question, answer, the answer to a question much like it) of a situation's questions."""
    found = [(plain(one["question"]), plain(one["answers"][0]["text"]).strip(" .")) for one in asked]
    for ask, right in found:
        others = [
            (len(words(ask) & words(other)) / len(words(ask) | words(other)), said)
            for other, said in found
            if said.lower() not in right.lower() and right.lower() not in said.lower()
        ]
        likeness, wrong = max(others, default=(0, ""))
        if likeness >= ALIKE and (right.lower() in ask.lower()) == (wrong.lower() in ask.lower()):
            yield ask if ask.endswith("?") else f"{ask}?", right, wrong


def question(ask, right, wrong, situation, rnd):
    if right in situation and rnd.random() < AS_QUOTE:
        return {"type": "extract", "instructions": rnd.choice(ASKS).format(ask)}, right
    return answers.question(ask, right, [wrong], rnd)


def read(show, rnd):
    count = 0
    paragraphs = [one for path in FILES for page in json.loads(show(path))["data"] for one in page["paragraphs"]]
    for one in [one for one in paragraphs if FOOTNOTE.search(one["background"])] * TIMES:
        background, situation = plain(one["background"]), plain(one["situation"])
        found = list(paired(one["qas"])) if len(f"{background} {situation}".split()) <= MOST_WORDS else []
        rnd.shuffle(found)
        while found:
            state = dict(zip(rnd.choice(NAMES), (background, situation), strict=True))
            if rnd.random() < AS_GRADED:
                state, made = answers.graded(f"{background} {situation}", *found[0][:2], [found[0][2]], rnd)
                found = found[1:]
            else:
                asked, found = found[:MOST_QUESTIONS], found[MOST_QUESTIONS:]
                made = [question(*each, situation, rnd) for each in asked]
                state = rows.named(state, True) if rnd.random() < 0.4 else state
                state = f"{background} {situation}" if rnd.random() < 0.3 else state
            yield rows.row(f"applied-{count:05d}", "what follows for a case", LICENCE, state, made)
            count += 1
