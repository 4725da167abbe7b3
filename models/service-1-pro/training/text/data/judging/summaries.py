"""salesforce/factualNLG (SummEdits): short texts (meetings, calls with investors, abstracts of papers), a summary, and
many versions of it with a word or two changed, marked by people as true to the text or not (Laban and others, 2023;
Apache 2.0).

Longer texts are left out, those whose first summary says what the text does not, and parts with a licence of their own.
"""

import collections
import difflib
import json

from data.shared import rows

REPOSITORY = "salesforce/factualNLG"
LICENCE = "Apache 2.0"
PARTS = {"ectsum": "call", "scitldr": "abstract", "qmsumm": "meeting", "sales_call": "call"}
DOUBTED = ("DLB_q2_2021", "KOP_q2_2021", "SNA_q1_2021", "CTS_q3_2020", "DD_q1_2021", "B1x0E2C5tQ", "SJxfxnA9K7")
PLAIN = {"entity_modification", "negation_insertion_removal", "antonym_swap"}  # what was done to those that are wrong
MOST_WORDS, MOST_CHANGED, SHOWN = 225, 4, 0.45
NAMES = [("text", "summary"), ("source", "summary"), ("{kind}", "summary"), ("document", "draft"), ("{kind}", "record")]
TRUE = [
    ("The {summary} is true to the {text}.", True),
    ("Everything in the {summary} is supported by the {text}.", True),
    ("The {summary} can be published as it is.", True),
    ("The {summary} is accurate.", True),
    ("Is the {summary} free of mistakes, going by the {text}?", True),
    ("The {summary} holds a factual mistake.", False),
    ("Something in the {summary} is not so by the {text}.", False),
    ("The {summary} has to be corrected.", False),
    ("The {summary} misstates the {text}.", False),
    ("Does the {summary} say anything that goes against the {text}?", False),
]
EITHER = [
    ("Check the {summary} against the {text}.", ("consistent", "inconsistent")),
    ("Review the {summary}.", ("approve", "send back")),
    ("How faithful is the {summary}?", ("faithful", "not faithful")),
]
WHICH = [
    "Which summary is true to the {text}?",
    "Which of these is right?",
    "Which of these can be kept?",
    "Accurate summary",
]
WRONG = ["Which of these is wrong?", "Which summary holds a mistake?", "Which of these has to be corrected?"]
COPY = [
    "Copy the words of the {summary} that are wrong.",
    "Where is the mistake in the {summary}? Copy it.",
    "Which words of the {summary} does the {text} not bear out?",
]


def changed(before, after):
    """The words that were put in the place of others, if that was done once only."""
    before, after = before.split(), after.split()
    spans = [
        one for one in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if one[0] != "equal"
    ]
    if len(spans) == 1 and spans[0][0] == "replace" and spans[0][4] - spans[0][3] <= MOST_CHANGED:
        return " ".join(after[spans[0][3] : spans[0][4]]).strip(".,;:")
    return None


def called(kind, rnd):
    first, second = rnd.choice(NAMES)
    return {"text": first.format(kind=kind), "summary": second}


def checked(kind, text, one, rnd):
    """(state, questions) about one summary."""
    words = called(kind, rnd)
    state = rows.named({words["text"]: text, words["summary"]: rows.plain(one["summary"])}, rnd.random() < 0.3)
    made = [rows.claim(TRUE, bool(one["label"]), rnd, **words)]
    if rnd.random() < 0.3:
        made.append(rows.either(EITHER, bool(one["label"]), rnd, **words))
    wrong = None if one["label"] else changed(rows.plain(one["original_summary"]), rows.plain(one["summary"]))
    if wrong and wrong in rows.plain(one["summary"]):
        made.append(({"type": "extract", "instructions": rnd.choice(COPY).format(**words)}, wrong))
    return state, made


def compared(kind, text, right, wrong, rnd):
    """The same about several versions, one of them right or one of them wrong."""
    few, many, asks = (right, wrong, WHICH) if rnd.random() < 0.6 or len(right) < 2 else (wrong, right, WRONG)
    options = [rnd.choice(few), *rnd.sample(many, min(len(many), rnd.randint(1, 2)))]
    found = options[0]
    rnd.shuffle(options)
    words = called(kind, rnd)
    question = {"type": "choice", "instructions": rnd.choice(asks).format(**words), "criteria": options}
    return {words["text"]: text} if rnd.random() < 0.3 else text, [(question, found)]


def about(kind, text, versions, rnd):
    """Rows about one text: as many summaries that are right as wrong, and comparisons."""
    right, wrong = ([one for one in versions if one["label"] == label] for label in (1, 0))
    count = min(len(right), len(wrong))
    for one in [*rnd.sample(right, count), *rnd.sample(wrong, count)]:
        yield checked(kind, text, one, rnd)
    said = [list(dict.fromkeys(rows.plain(one["summary"]) for one in side)) for side in (right, wrong)]
    for _ in range(round(len(versions) * SHOWN) if min(map(len, said)) else 0):
        yield compared(kind, text, *said, rnd)


def read(show, rnd):
    count = 0
    for part, kind in PARTS.items():
        by_text = collections.defaultdict(list)
        for one in json.loads(show(f"data/summedits/summedits_{part}.json")):
            if any(name in one["id"] for name in DOUBTED) or not set(one["edit_types"]) <= PLAIN:
                continue
            by_text["\n".join(line.strip() for line in one["doc"].splitlines() if line.strip())].append(one)
        for text, versions in by_text.items():
            if len(text.split()) <= MOST_WORDS:
                for state, made in about(kind, text, versions, rnd):
                    yield rows.row(f"summaries-{count:05d}", "faithfulness of summaries", LICENCE, state, made)
                    count += 1
