"""modestyachts/squadshifts-website a third time: whether a text supports an answer, and whether a text that was found
for a question answers it.
"""

from data.reading.shifts import FILES, passages_of, sentences
from data.shared import rows
from data.shared.asked import alike

REPOSITORY = "modestyachts/squadshifts-website"
MOST = 12000
AROUND = 2  # sentences that a text has beside the one that answers, at most
SUPPORTED = [
    ("The answer is right, going by the text.", True),
    ("The text supports the answer.", True),
    ("The answer is grounded in the source.", True),
    ("The answer is wrong.", False),
    ("The source does not support the answer.", False),
    ("The answer contradicts the text or is not found in it.", False),
]
CHECKED = [
    ("Is the answer right?", ("yes", "no")),
    ("Check the answer against the text.", ("supported", "not supported")),
    ("Grade the answer.", ("correct", "incorrect")),
]
FOUND = [
    ("The document answers the query.", True),
    ("The text holds the answer to the question.", True),
    ("Somebody who asks this finds the answer here.", True),
    ("The answer has to be looked for elsewhere.", False),
    ("The text says nothing about what was asked.", False),
]
RATES = ["How relevant is the document?", "Rate how well the text fits the query.", "Relevance of the result"]
SCALES = [
    ["not relevant", "somewhat relevant", "answers it"],
    ["about something else", "about the same, without the answer", "holds the answer"],
]
LEVEL = {"here": 2, "near": 1, "far": 0}
ANSWERED_IN = [("text", "question", "answer"), ("source", "question", "answer"), ("context", "query", "answer")]
FOUND_IN = [("query", "document"), ("question", "text"), ("query", "result")]


def cut(passage, at, rnd):
    """A few sentences of a passage around a place."""
    spans = sentences(passage)
    here = next((n for n, (a, b) in enumerate(spans) if a <= at < b), 0)
    first = max(0, here - rnd.randint(0, AROUND))
    return passage[spans[first][0] : spans[min(len(spans) - 1, here + rnd.randint(0, AROUND))][1]].strip()


def answered(text, ask, said, holds, rnd):
    """(state, questions with truths): a text, a question and what was answered, which holds or not."""
    state = dict(zip(rnd.choice(ANSWERED_IN), (text, ask, said), strict=True))
    made = [rows.claim(SUPPORTED, holds, rnd)]
    if rnd.random() < 0.4:
        made.append(rows.either(CHECKED, holds, rnd))
    return state, made


def supported(passage, found, rnd):
    """(state, questions with truths): a text, a question and an answer: its own, or the one to another question."""
    ask, (a, b) = rnd.choice(found)
    right, text = passage[a:b], cut(passage, a, rnd)
    holds, said = rnd.random() < 0.5, right
    if not holds:
        others = [passage[c:d] for other, (c, d) in found if other != ask]
        others = [one for one in others if one not in right and right not in one]
        if not others:
            return None
        said = max(others, key=lambda one: (alike(right, one), rnd.random()))
    return answered(text, ask, said, holds, rnd)


def retrieved(passage, found, passages, rnd):
    """The same: a question and a text that was found for it."""
    ask, (a, b) = rnd.choice(found)
    kind = rnd.choices(list(LEVEL), [0.45, 0.25, 0.3])[0]
    if kind == "here":
        text = cut(passage, a, rnd)
    elif kind == "near":
        text = cut(passage, rnd.randrange(len(passage)), rnd)
        if passage[a:b] in text:
            return None
    else:
        other = rnd.choice(passages)[0]
        if other == passage:
            return None
        text = cut(other, rnd.randrange(len(other)), rnd)
    made = [rows.claim(FOUND, kind == "here", rnd)]
    if rnd.random() < 0.5:
        asked = {"type": "score", "instructions": rnd.choice(RATES), "criteria": list(rnd.choice(SCALES))}
        made.append((asked, LEVEL[kind]))
    return dict(zip(rnd.choice(FOUND_IN), (ask, text), strict=True)), made


def read(show, rnd):
    count = 0
    passages = [one for path in FILES.values() for one in passages_of(show, path) if one[1]]
    while count < MOST:
        passage, found = rnd.choice(passages)
        made = supported(passage, found, rnd) if rnd.random() < 0.5 else retrieved(passage, found, passages, rnd)
        if made is None:
            continue
        state, questions = made
        state = rows.named(state, rnd.random() < 0.5)
        yield rows.row(f"grounded-{count:05d}", "supported or not", "CC BY 4.0", state, questions)
        count += 1
