"""myrosia/semeval-2013-task7 (SciEntsBank, all parts): what pupils wrote when they were asked about science, and what
teachers made of it beside the answer that was expected (Dzikovska and others, 2013; CC BY-SA 3.0). Of Beetle, its other
half, one mark in eight was doubtful, so it is not read.

Kept are answers that are right, those that say the opposite of what is expected, and those that say "I don't know".
"Incorrect" answers may be half right and are left out, as are right ones that share hardly a word with the key and
wrong ones that share all of them.
"""

import collections
import io
import re
import xml.etree.ElementTree
import zipfile

from data.shared import rows
from data.shared.stems import stems

REPOSITORY = "myrosia/semeval-2013-task7"
LICENCE = "CC BY-SA 3.0"
UNSEEN = re.compile(
    r"\b(?:pictures?|drawings?|diagrams?|schematic|graphs?|charts?|tables?|illustrations?|shown|below|map|label)\b",
    re.I,
)
NO_TRY = re.compile(
    r"\bi (?:really )?(?:do ?n.?t|did ?n.?t|dont|do not) (?:really )?know|no idea|give up|i forgot", re.I
)
SMALL = frozenset(
    "the a an of is are was were to in on and or it that this they them be because so by with for at".split()
)
DENIES = re.compile(r"\b(?:no|not|never|nothing|without|less)\b|n.t\b", re.I)
MOST_WORDS, MOST_EXPECTED, FEWEST_WORDS, FEWEST_ASKED = 120, 7, 2, 5
SHARED = 0.3  # of the words of one expected answer
RIGHT, WRONG, NONE = "right", "wrong", "none"
NAMES = [
    ("question", "expected answer", "answer"),
    ("question", "model answer", "student's answer"),
    ("task", "key", "reply"),
    ("exercise", "solution", "pupil's answer"),
]
CLAIMS = [
    ("The {answer} is correct.", True),
    ("The {answer} can be accepted.", True),
    ("The {answer} agrees with the {expected}.", True),
    ("The student has understood it.", True),
    ("Does the {answer} earn the marks?", True),
    ("The student got it right.", True),
    ("The {answer} is wrong.", False),
    ("The {answer} cannot be accepted.", False),
    ("The {answer} does not agree with the {expected}.", False),
    ("The student has not understood it yet.", False),
    ("Does the {answer} need to be corrected?", False),
    ("The student got it wrong.", False),
]
TRIED = [
    ("The student makes an attempt at the {question}.", True),
    ("The {answer} deals with what was asked.", True),
    ("There is something in the {answer} that can be marked.", True),
    ("The student gives no answer.", False),
    ("The student has given up.", False),
    ("The {question} is left unanswered.", False),
]
VERDICTS = [
    ("How is the {answer}?", ("correct", "not correct")),
    ("Grade the {answer}.", ("full marks", "no marks")),
    ("What should the teacher do?", ("accept the answer", "explain it again")),
    ("Mark", ("pass", "fail")),
]
MARKED = [
    {RIGHT: "correct", WRONG: "incorrect", NONE: "not attempted"},
    {RIGHT: "right", WRONG: "a mistake", NONE: "no answer"},
    {RIGHT: "agrees with the key", WRONG: "goes against the key", NONE: "the student gave up"},
    {RIGHT: "accept", WRONG: "correct it", NONE: "give a hint"},
]
DESCRIPTIONS = {
    RIGHT: "says what is expected, in whatever words",
    WRONG: "says something that is not so",
    NONE: "the student does not know or does not try",
}
ASKS = ["Which mark fits the {answer}?", "Assess the {answer}.", "The teacher's verdict", "Status of the {answer}"]
WHICH = [
    "Which answer is right?",
    "Which of these earns the marks?",
    "Which student has understood it?",
    "Which one would a teacher accept?",
]
ALL = ["Which of these answers are correct?", "Select the answers that earn the marks.", "Which can be accepted?"]


def roots(text):
    """What counts of an answer: single letters, too, as bulbs and switches are called by them."""
    return stems(text, SMALL, 1)


def says(said, expected):
    """Whether an answer has all words of an expected one, and denies as much."""
    return roots(expected) <= roots(said) and bool(DENIES.search(said)) == bool(DENIES.search(expected))


def kind_of(said, mark, expected):
    """What is known for certain of an answer; None where nothing is."""
    if NO_TRY.search(said):
        return NONE if len(said.split()) < 9 and mark != "correct" else None
    if len(said.split()) < FEWEST_WORDS:
        return None
    if mark == "correct":
        alike = max(len(roots(said) & roots(one)) / max(1, len(roots(one))) for one in expected)
        return RIGHT if alike >= SHARED else None
    return WRONG if mark == "contradictory" and not any(says(said, one) for one in expected) else None


def items(show):
    """(what is asked, answers that are expected) -> {answer: its kind}"""
    found = collections.defaultdict(dict)
    with zipfile.ZipFile(io.BytesIO(show("semeval-3way.zip", text=False))) as archive:
        for name in sorted(archive.namelist()):
            if "/3way/sciEntsBank/" not in name or not name.endswith(".xml"):
                continue
            item = xml.etree.ElementTree.fromstring(archive.read(name))
            ask = rows.plain(item.findtext("questionText"))
            expected = tuple(dict.fromkeys(rows.plain(one.text) for one in item.iter("referenceAnswer")))
            if (
                UNSEEN.search(ask)
                or not FEWEST_ASKED <= len(ask.split()) <= MOST_WORDS
                or len(expected) > MOST_EXPECTED
            ):
                continue
            for one in item.iter("studentAnswer"):
                said = rows.plain(one.text or "")
                kind = kind_of(said, one.get("accuracy"), expected)
                if kind:
                    found[ask, expected].setdefault(said, kind)
    return found


def put(ask, expected, rnd, said=None):
    """The state, and the words its parts are called by."""
    asked, key, answer = rnd.choice(NAMES)
    parts = {asked: ask, key: list(expected) if len(expected) > 1 else expected[0]}
    parts |= {answer: said} if said else {}
    if rnd.random() < 0.5:
        parts = rows.named(parts | {key: " / ".join(expected)}, True)
    return parts, {"question": asked, "answer": answer, "expected": key}


def marked(kind, words, rnd):
    """Questions about one answer."""
    if kind == NONE:
        yield rows.claim(TRIED, False, rnd, **words)
    else:
        yield rows.claim(CLAIMS, kind == RIGHT, rnd, **words)
    drawn = rnd.random()
    if drawn < 0.2:
        yield rows.either(VERDICTS, kind == RIGHT, rnd, **words)
    elif drawn < 0.5:
        names = list(rnd.choice(MARKED).items())
        rnd.shuffle(names)
        described = rnd.random() < 0.4
        criteria = {name: DESCRIPTIONS[one] for one, name in names} if described else [name for _, name in names]
        asked = {"type": "choice", "instructions": rnd.choice(ASKS).format(**words), "criteria": criteria}
        yield asked, dict(names)[kind]


def compared(right, wrong, rnd):
    """A question about several answers, of which one or some are right."""
    if rnd.random() < 0.5 and len(right) > 1:
        good = rnd.sample(right, rnd.choice([1, 2]))
        options = [*good, *rnd.sample(wrong, 2)]
        rnd.shuffle(options)
        question = {"type": "select", "instructions": rnd.choice(ALL), "options": options}
        return question, [one for one in options if one in good]
    options = [rnd.choice(right), *rnd.sample(wrong, rnd.randint(2, min(3, len(wrong))))]
    good = options[0]
    rnd.shuffle(options)
    return {"type": "choice", "instructions": rnd.choice(WHICH), "criteria": options}, good


def about(ask, expected, answers, rnd):
    by_kind = {kind: [said for said, one in answers.items() if one == kind] for kind in (RIGHT, WRONG, NONE)}
    right, wrong = by_kind[RIGHT], by_kind[WRONG]
    # As many answers that are right as wrong ones.
    count = min(len(right), len(wrong))
    shown = [*rnd.sample(right, count), *rnd.sample(wrong, count), *by_kind[NONE]]
    for said in shown:
        state, words = put(ask, expected, rnd, said)
        made = list(marked(answers[said], words, rnd))
        yield state, made
    # Attempts, right or wrong, to set against those who gave up.
    for said in rnd.sample(right + wrong, min(len(right + wrong), len(by_kind[NONE]))):
        state, words = put(ask, expected, rnd, said)
        yield state, [rows.claim(TRIED, True, rnd, **words)]
    if right and len(wrong) > 1:
        for _ in range(min(4, len(wrong) // 2)):
            yield put(ask, expected, rnd)[0], [compared(right, wrong, rnd)]


def read(show, rnd):
    count = 0
    for (ask, expected), answers in items(show).items():
        for state, made in about(ask, expected, answers, rnd):
            yield rows.row(f"students-{count:05d}", "marks for answers", LICENCE, state, made)
            count += 1
