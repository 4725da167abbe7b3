"""Numbers that a text tells, and what some of them come to: for training, a number is now and then asked how it is
found, and a sum told as a story for the numbers that it tells. The engine lists the same sums
(src/backends/onnx/families/encoder/worked-out.ts).
"""

import itertools
import re

import values

FOUND = 0.35  # of numbers that stand in a text with others: asked how they are found
APART, FACT = 0.7, 0.6  # of sums told as stories: the question stands apart; of those: one of its numbers is asked for
FEWEST_NUMBERS, MOST_NUMBERS, MOST_WORKED_OUT = 2, 5, 10
STANDS = "a number that stands in the text"
TELLS = re.compile(r"\b(?P<who>[A-Z][a-z]+) (?P<did>[a-z]+) (?P<count>\d+) (?P<what>[a-z]+s)\b(?![,.]\d)")
VERBS = """has:have had:have bought:buy picked:pick grew:grow found:find gave:give takes:take buys:buy made:make
    placed:place baked:bake gets:get sold:sell took:take scored:score ate:eat used:use received:receive earned:earn
    uploaded:upload won:win saw:see got:get collected:collect lost:lose"""
BASES = dict(verb.split(":") for verb in VERBS.split())
CHANGES = re.compile(
    r"\b(more|other|another|left|rest|gave|gives|takes?|took|lost|sold|ate|buys|bought|gets?|got|used|remove[ds]?)\b"
)
BESIDE = 0.6  # of such questions: asked beside the sum


def shown(value):
    return str(int(value)) if value == int(value) else f"{value:.6f}".rstrip("0")


def worked_out(numbers):
    """What two or three numbers of a text come to, as {words: value}; `numbers` in the order of the text."""
    out = {}
    for a, b in itertools.combinations(numbers, 2):
        high, low = max(a, b), min(a, b)
        out[f"{shown(a)} plus {shown(b)}"] = a + b
        out[f"{shown(high)} minus {shown(low)}"] = high - low
        out[f"{shown(a)} times {shown(b)}"] = a * b
        if low:
            out[f"{shown(high)} divided by {shown(low)}"] = high / low
    for a, b, c in itertools.combinations(numbers, 3):
        first, second, third = shown(a), shown(b), shown(c)
        out[f"{first} plus {second} plus {third}"] = a + b + c
        out[f"{first} minus {second} plus {third}"] = a - b + c
        out[f"{first} plus {second} minus {third}"] = a + b - c
        out[f"{first} minus {second} minus {third}"] = a - b - c
        out[f"{first} times {second}, plus {third}"] = a * b + c
        out[f"{first} times {second}, minus {third}"] = a * b - c
        out[f"{second} times {third}, plus {first}"] = b * c + a
        out[f"{first} minus {second} times {third}"] = a - b * c
    return out


def told(row, rnd):
    """A sum told as a story, mostly with its last sentence as the question and the rest as the state; then
    often with a question for one of the numbers that it tells, which stands there, beside the sum or alone.
    """
    if row["task"] != "arithmetic" or not isinstance(row["state"], str) or rnd.random() >= APART:
        return row
    found = re.fullmatch(r"(.+[.!])\s+([^.!?]+\?)\s*", row["state"], re.S)
    if found is None:
        return row
    story, asked = found.groups()
    questions = {name: {**one, "instructions": asked} for name, one in row["questions"].items()}
    row = {**row, "state": story, "questions": questions}
    facts = [fact for fact in TELLS.finditer(story) if fact["did"] in BASES]
    if not facts or rnd.random() >= FACT:
        return row
    fact = rnd.choice(facts)
    questions = {
        **(questions if rnd.random() < BESIDE else {}),
        "told": {"type": "fill", "kind": "int", "instructions": fact_asked(fact, story, rnd)},
    }
    return {**row, "questions": questions, "truth": {**row["truth"], "told": int(fact["count"])}}


def fact_asked(fact, story, rnd):
    """Of "Mike picked 8 pears" "How many pears did Mike pick?"; of what somebody has, at first, where that changes."""
    helper = "does" if fact["did"] in ("has", "takes", "buys", "gets") else "did"
    first = " at first" if fact["did"] in ("has", "had") and CHANGES.search(story) else ""
    asked = (
        "How many {what} {helper} {who} {base}{first}?",
        "{what} that {who} {did}{first}",
        "Number of {what} that {who} {did}{first}",
    )
    return rnd.choice(asked).format(helper=helper, base=BASES[fact["did"]], first=first, **fact.groupdict())


def how_found(numbers, truth, rnd):
    """How the number that answers is found: it stands in the text, or it is worked out of some that do. Gives the
    options and which is right; or None where that can't be told, or isn't asked this time.
    """
    numbers = list(dict.fromkeys(numbers))
    if not FEWEST_NUMBERS <= len(numbers) <= MOST_NUMBERS:
        return None
    stands = any(values.same(one, truth) for one in numbers)
    if stands and rnd.random() >= FOUND:
        return None
    made = worked_out(numbers)
    right = [words for words, value in made.items() if values.same(value, truth)]
    if not stands and not right:
        return None
    wrong = [words for words in made if words not in right]
    answer = STANDS if stands else right[0]
    options = [*rnd.sample(wrong, min(len(wrong), MOST_WORKED_OUT)), *dict.fromkeys([answer, STANDS])]
    rnd.shuffle(options)
    return options, options.index(answer)
