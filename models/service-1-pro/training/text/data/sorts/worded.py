"""google-research-datasets/query-wellformedness (all parts): questions that people typed on a question site, five of
whom said whether each is a question in good English (Faruqui and Das, 2018; CC BY-SA 4.0). Rows keep those on which all
five agree; names in small letters count as no mistake.
"""

import collections
import re

from data.shared import one_of_kinds, rows, spaced

REPOSITORY = "google-research-datasets/query-wellformedness"
LICENCE = "CC BY-SA 4.0"
FILES = ("train", "dev", "test")
GOOD, BAD = 1.0, 0.0
FEWEST_WORDS, COMMON, MOST_ALONE, MOST_TOGETHER = 4, 8, 1600, 2400
SAID = one_of_kinds.written(
    {
        "good": (
            [
                "Apart from capital letters, this is a question in correct English.",
                "The question is well put: spelling, grammar and wording are fine.",
                "The question can be shown to others as it is worded.",
                "Is this a complete and correctly worded question?",
                "A copy editor would leave the wording alone.",
            ],
            [
                "Something is wrong with the spelling or the grammar, or it isn't a whole question.",
                "The wording has to be corrected before the question is published.",
                "The question is badly worded or misspelt.",
                "Is this ungrammatical, misspelt or not a full question?",
                "It needs a copy editor.",
            ],
        )
    }
)
DONE = [
    ("What should an editor do with it?", ("leave the wording", "correct the wording")),
    ("Quality of the wording", ("well-formed", "not well-formed")),
    ("Is the question worded correctly?", ("yes", "no")),
    ("Classify.", ("good question", "needs rewriting")),
]
WHICH_GOOD = [
    "Which of these is a question in correct English?",
    "Which one needs no correction?",
    "Which is well worded?",
]
WHICH_BAD = [
    "Which of these is badly worded or misspelt?",
    "Which one has to be corrected?",
    "Which is not a question in good English?",
]
ALL_GOOD = [
    "Which of these are questions in correct English?",
    "The well-worded ones",
    "Select those that need no correction.",
]
ALL_BAD = ["Which of these need a correction?", "Select the badly worded or misspelt ones.", "Those with mistakes"]
LISTS = ["questions", "queries", "entries", "candidates"]


def words(text):
    """The words that are no names, written as they are."""
    return re.findall(r"(?<![\w'-])[a-z]+(?![\w'-])", text)


def typed(show):
    """(question, whether it is in good English)."""
    lines = [line.split("\t") for file in FILES for line in show(f"{file}.tsv").splitlines()]
    times = collections.Counter(word for text, _ in lines for word in words(text))
    for text, rating in lines:
        good = float(rating) >= GOOD
        # Raters overlook a slip in a long word: what they found good is kept if its words are common.
        if good and any(times[word] < COMMON for word in words(text)):
            continue
        if len(text.split()) > FEWEST_WORDS and (good or float(rating) <= BAD):
            yield spaced.closed(text), good


def alone(text, good, surplus, rnd):
    made = list(one_of_kinds.claims({"good": good}, SAID, 1, surplus, rnd))
    if not made or rnd.random() < 0.3:
        made.append(rows.either(DONE, good, rnd))
    return text, made


def together(good, bad, rnd):
    """Several questions, of which one or some are well worded, or are not."""
    several, wanted = rnd.random() < 0.4, rnd.random() < 0.5
    few, many = (good, bad) if wanted else (bad, good)
    count = rnd.randint(1, 3) if several else 1
    right = rnd.sample(few, count)
    shown = right + rnd.sample(many, rnd.randint(2, 4) if not several else rnd.randint(1, 3))
    rnd.shuffle(shown)
    state = {rnd.choice(LISTS): shown}
    if several:
        asked = {"type": "select", "instructions": rnd.choice(ALL_GOOD if wanted else ALL_BAD), "options": shown}
        return state, [(asked, [one for one in shown if one in right])]
    return state, [
        (
            {"type": "choice", "instructions": rnd.choice(WHICH_GOOD if wanted else WHICH_BAD), "criteria": shown},
            right[0],
        )
    ]


def read(show, rnd):
    sides = {True: [], False: []}
    for text, good in dict(typed(show)).items():
        sides[good].append(text)
    for side in sides.values():
        rnd.shuffle(side)
    surplus = collections.Counter()
    shown = [(text, good) for good, side in sides.items() for text in side[:MOST_ALONE]]
    rnd.shuffle(shown)
    made = [alone(text, good, surplus, rnd) for text, good in shown]
    made += [together(sides[True], sides[False], rnd) for _ in range(MOST_TOGETHER)]
    rnd.shuffle(made)
    for count, (state, asked) in enumerate(made):
        yield rows.row(f"worded-{count:05d}", "quality of questions", LICENCE, state, asked)
