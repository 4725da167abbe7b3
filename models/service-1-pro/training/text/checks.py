"""Whether a value that was read is right, asked in the words of a self-check (`checkStatement` of the engine). A wrong
one is of the same text and looks like the right one, or is the right one cut short.
"""

import re

import states
import values
from data.shared.asked import alike

ASKED = 0.3  # of states with a question for a quote or a value: one is also asked whether a value is right
RIGHT = 0.5  # of those
NOTHING = 0.12  # of the wrong ones, where there is an answer: that nothing is given
CUT = 0.2  # of the wrong ones of several words: the right one without its first or last word
NEAREST = 6  # a wrong one is one of so many of the text that look most like the right one
PROPOSED = "{} Proposed answer: {}"
ABSENT = "nothing is given."
# Where nothing is given, a wrong value looks like one of these.
LOOKS = ("17", "Ann", "some words")

NAME = re.compile(r"[A-Z][\w'’&-]*(?:(?: (?:of|de|van|and|the))? [A-Z][\w'’&-]*)*")
COUNTED = re.compile(r"[$€£#]?\d[\w.,:/%-]*\w%?(?: [a-z]{3,})?|\d")
WORD = re.compile(r"\S+")
PAST_MARKS = " ,;:.!?()[]{}\"'"
# No answer begins or ends with one of these.
EMPTY = frozenset(
    "a an the and or but of in on at to for from with by as if so than that this these those it its is are was were be "
    "been am has have had do does did not no yes i you he she we they me him her us them my your his our their there "
    "here who what which when where how why all any some will would can could shall should may must just also then "
    "please hi hello dear thanks ok".split()
)


def spans(text, words):
    """What might be taken for an answer: names, numbers, runs of so many words."""
    found = [one.group() for form in (NAME, COUNTED) for one in form.finditer(text)]
    parts = [one.span() for one in WORD.finditer(text)]
    found += [text[a[0] : b[1]] for a, b in zip(parts, parts[words - 1 :], strict=False)]
    whole = [one.strip(PAST_MARKS) for one in found if "\n" not in one]
    ends = [(one, one.lower().split()) for one in whole]
    return [one for one, parts in ends if parts and parts[0] not in EMPTY and parts[-1] not in EMPTY]


def others(right, text, rnd):
    """Values of the text that look most like the right one and share nothing with it."""
    plain = right.lower()
    found = dict.fromkeys(spans(text, len(right.split()) or 1))
    apart = [one for one in found if one.lower() not in plain and plain not in one.lower()]
    return sorted(apart, key=lambda one: (-alike(right, one), rnd.random()))[:NEAREST]


def wrong(right, text, rnd):
    """A value that is not the right one; None where the text holds nothing else."""
    drawn, words = rnd.random(), right.split(" ")
    if drawn < NOTHING:
        return ABSENT
    if len(words) > 1 and rnd.random() < CUT:
        return " ".join(words[1:] if rnd.random() < 0.5 else words[:-1])
    found = others(right, text, rnd)
    return rnd.choice(found) if found else None


def wrong_value(kind, right, text, rnd):
    """The same of a written value."""
    found = [value for _, _, value in values.candidates(text, kind) if not values.same(value, right)]
    return said(rnd.choice(found)) if found else None


def said(value):
    """A value as the engine proposes it."""
    return "; ".join(map(states.plain, value)) if isinstance(value, list) else states.plain(value)


def check(row, text, rnd):
    """Now and then a claim that a value of the row is right, its truth, and the name of the question; or None."""
    pointed = [
        (name, asked)
        for name, asked in row["questions"].items()
        if asked["type"] in ("extract", "fill") and asked.get("kind") != "coordinates" and name in row["truth"]
    ]
    if not pointed or rnd.random() >= ASKED:
        return None
    name, asked = rnd.choice(pointed)
    truth, kind, ask = row["truth"][name], asked.get("kind"), asked.get("instructions")
    if not isinstance(ask, str):
        return None
    is_right = rnd.random() < RIGHT
    if truth in (None, []):
        shown = ABSENT if is_right else rnd.choice(others(rnd.choice(LOOKS), text, rnd) or [None])
    elif is_right:
        shown = said(truth)
    elif asked["type"] == "fill" and kind in values.KINDS:
        shown = wrong_value(kind, truth, text, rnd)
    elif isinstance(truth, list) and len(truth) > 1:
        left_out = rnd.randrange(len(truth))
        shown = said([one for n, one in enumerate(truth) if n != left_out])
    else:
        shown = wrong(said(truth), text, rnd)
    return None if shown is None else (PROPOSED.format(ask.strip(), shown), is_right, name)
