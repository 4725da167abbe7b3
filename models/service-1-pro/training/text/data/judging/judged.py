"""modestyachts/squadshifts-website once more: a question and what somebody replied, to be judged. The reply is the
sentence that answers, another one of the same text, one of another text, or an excuse.
"""

from data.reading.shifts import FILES, passages_of, sentences
from data.shared import rows

REPOSITORY = "modestyachts/squadshifts-website"
EXCUSES = [
    "I'm sorry, I can't help with that.",
    "I don't know.",
    "Could you rephrase your question?",
    "Let me check and get back to you.",
    "That is a good question.",
    "Please contact our support team.",
    "Thank you for your message.",
]
# How often a reply is of each kind, and how true it is of that kind that it is to the point.
SHARES = {"answer": 0.45, "near": 0.25, "far": 0.2, "excuse": 0.1}
RELEVANT = {"answer": 1.0, "near": 0.4, "far": 0.0, "excuse": 0.1}
LEVEL = {"answer": 2, "near": 1, "far": 0}
SHORT = 0.3  # of answers: the words that were asked for alone
# Who asks, who replies, and what each said is called.
WHO = [
    ("question", "answer", "question", "answer"),
    ("user", "assistant", "user's question", "assistant's reply"),
    ("customer", "agent", "customer's question", "agent's reply"),
    ("prompt", "response", "prompt", "response"),
    ("Q", "A", "question", "answer"),
    ("query", "result", "query", "result"),
]
ANSWERED = [
    ("The question is answered.", True),
    ("The {reply} answers the {ask}.", True),
    ("The {reply} gives what was asked for.", True),
    ("Was the question answered?", True),
    ("The question remains unanswered.", False),
    ("The {reply} does not answer what was asked.", False),
    ("The question has to be asked again.", False),
]
TO_THE_POINT = [
    ("The {reply} is relevant.", True),
    ("The {reply} is off topic.", False),
    ("The {reply} is about something else.", False),
]
CHOICES = [
    ("Was the question answered?", ("yes", "no")),
    ("Judge the {reply}.", ("it answers the question", "it does not answer the question")),
    ("Status", ("answered", "unanswered")),
    ("How helpful is the {reply}?", ("helpful", "not helpful")),
]
SCALES = [
    ["off topic", "on the topic, but no answer", "answers the question"],
    ["irrelevant", "related", "exactly what was asked"],
    ["bad", "mediocre", "good"],
]
RATES = ["How good is the {reply}?", "Rate the {reply}.", "How well does the {reply} fit the {ask}?"]


def replies(passages, rnd):
    """(question, reply, kind of reply) for every question."""
    for passage, found in passages:
        spans = sentences(passage)
        for ask, (a, b) in found:
            kind = rnd.choices(list(SHARES), SHARES.values())[0]
            if kind == "answer":
                whole = next(((c, d) for c, d in spans if c <= a and b <= d), (a, b))
                reply = passage[a:b] if rnd.random() < SHORT else passage[whole[0] : whole[1]]
            elif kind == "near":
                others = [(c, d) for c, d in spans if d <= a or c >= b]
                if not others:
                    continue
                c, d = rnd.choice(others)
                reply = passage[c:d]
            elif kind == "far":
                other, questions = rnd.choice(passages)
                if other == passage or not questions:
                    continue
                c, d = rnd.choice(sentences(other))
                reply = other[c:d]
            else:
                reply = rnd.choice(EXCUSES)
            yield ask, reply.strip(), kind


def judgements(kind, names, rnd):
    """Questions about a reply, and their truth."""
    said = {"ask": names[2], "reply": names[3]}
    yield rows.claim(ANSWERED, kind == "answer", rnd, **said)
    if rnd.random() < 0.5:
        claim, when = rnd.choice(TO_THE_POINT)
        truth = RELEVANT[kind] if when else 1 - RELEVANT[kind]
        yield {"type": "noul", "instructions": claim.format(**said)}, truth
    if rnd.random() < 0.4:
        yield rows.either(CHOICES, kind == "answer", rnd, **said)
    if kind in LEVEL and rnd.random() < 0.4:
        asked = {"type": "score", "instructions": rnd.choice(RATES).format(**said), "criteria": rnd.choice(SCALES)}
        yield asked, LEVEL[kind]


def read(show, rnd):
    count = 0
    for path in FILES.values():
        for ask, reply, kind in replies(passages_of(show, path), rnd):
            names = rnd.choice(WHO)
            made = list(judgements(kind, names, rnd))
            state = rows.named({names[0]: ask, names[1]: reply}, rnd.random() < 0.6)
            yield rows.row(f"judged-{count:06d}", "answer or not", "CC BY 4.0", state, made)
            count += 1
