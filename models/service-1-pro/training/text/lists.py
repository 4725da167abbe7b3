"""Questions for every one of some values that stand in a state: a column of its lists and tables, whole or of some
rows, and all dates, times, amounts or addresses of a text. What is asked for is told by the state's own words.
"""

import re

import states
import tables
import values
from narrowing import FIELD, last_word, words_of_key

ASKED = 0.2  # of states that hold some
FEWEST, MOST, LONGEST = 2, 8, 60  # answers, and characters of one
OF_SOME = 0.5  # of columns: of the rows alone in which another one has a value
WHOLE = [
    "All {heads}",
    "{Heads}",
    "{Heads} of all {called}",
    "Every {head}",
    "The {heads} that are given",
    "Which {heads} are there?",
    "List every {head} of the {called}",
    "What are the {heads}?",
]
SOME = [
    "{Heads} of {called} whose {other} is {value}",
    "{Heads} where {other} is {value}",
    "All {heads} with {other} {value}",
    "Which {heads} have the {other} {value}?",
    "Every {head} whose {other} is {value}",
]
DAY = r"\b\d{1,2}(?:st|nd|rd|th)?"
DAYS = [*(form.pattern for form, _ in values.DATES), rf"{DAY} (?:of )?(?:{values.NAMED})\b"]
DAYS += [rf"\b(?:{values.NAMED})\.? {DAY}\b"]
MONEY = r"[$€£] ?\d(?:[\d.,]*\d)?|\b\d(?:[\d.,]*\d)? ?(?:EUR|USD|GBP|CHF|euros?|dollars?|pounds?)\b"
LOOKS = {
    "dates": re.compile("|".join(DAYS), re.I),
    "times": re.compile(r"\b(?:[01]?\d|2[0-3]):[0-5]\d(?: ?[ap]\.?m\b)?", re.I),
    "mail addresses": re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"),
    "links": re.compile(r"\bhttps?://[^\s\"'<>)\]]*[^\s\"'<>)\].,;:!?]"),
    "amounts of money": re.compile(MONEY),
    "percentages": re.compile(r"\b\d(?:[\d.]*\d)? ?(?:%|percent\b|per cent\b)"),
    "codes": re.compile(r"\b[A-Z]{1,5}-?\d{2,}(?:-\w+)*\b"),
}
WEEKDAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
# Where a text says some in another way as well, what looks like one of them is not all of them.
OTHERWISE = {
    "dates": re.compile(rf"\b(?:{WEEKDAYS}|today|tomorrow|yesterday|\d{{1,2}}/\d{{1,2}})\b", re.I),
    "times": re.compile(r"\b\d{1,2} ?[ap]\.?m\b|o['’]clock|\bnoon\b|\bmidnight\b", re.I),
    "percentages": re.compile(r"\b(?:half|quarter|third|percentage)\b", re.I),
}
HEAD = re.compile(r"[a-z]+(?: [a-z]+){0,2}")
SHORTEST_HEAD = 4  # of its last word: nobody asks for "all note bies"
NAMED = ["All {}", "{} in the text", "Every one of the {}", "Which {} are named?", "{}", "All {} that are given"]


def numbers_of(words):
    """(one, several) of a head, by its last word; "type", "types" and the like."""
    if words.endswith("s") and not words.endswith(("ss", "us")):
        return re.sub(r"ie$", "y", words[:-1]), words
    return words, re.sub(r"([^aeiou])y$", r"\1ie", words) + ("es" if words.endswith(("s", "x", "ch", "sh")) else "s")


def columns(state):
    """(what the rows are called together, {head: values of the rows}) of the lists and tables of a state."""
    parts = state if states.has_parts(state) else [{"type": "json", "value": state}]
    for part in parts:
        value = part.get(FIELD.get(part["type"]))
        if isinstance(value, str):
            for table in tables.found(value):
                if table.heads is not None:
                    rows = [cells for _, cells in table.rows]
                    yield "rows", {head: [cells[n] for cells in rows] for n, head in enumerate(table.heads) if head}
        else:
            yield from of_json(value, "")


def of_json(value, called):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from of_json(inner, key)
    elif isinstance(value, list):
        if len(value) >= FEWEST and all(isinstance(one, dict) and states.turn(one) is None for one in value):
            heads = dict.fromkeys(key for one in value for key in one)
            yield last_word(called) or "entries", {head: [one.get(head) for one in value] for head in heads}
        elif called and all(map(states.is_plain, value)):
            yield last_word(called) or called, {called: value}
        for inner in value:
            yield from of_json(inner, "")


def distinct(found, fewest=FEWEST):
    """Values as they stand, each once; None where they are too many, too few or too long."""
    once = list(dict.fromkeys(states.plain(one).strip() for one in found))
    return once if fewest <= len(once) <= MOST and all(0 < len(one) <= LONGEST for one in once) else None


def of_column(called, table, rnd):
    heads = {head: words_of_key(head).lower() for head in table}
    fit = [one for one, said in heads.items() if HEAD.fullmatch(said) and len(said.split(" ")[-1]) >= SHORTEST_HEAD]
    if not fit:
        return None
    head = rnd.choice(fit)
    one, several = numbers_of(heads[head])
    said = {"head": one, "heads": several, "called": called.lower()}
    said["Heads"] = said["heads"][:1].upper() + said["heads"][1:]
    own = table[head]
    if not all(map(states.is_plain, own)):
        return None
    others = [one for one in table if one != head and all(map(states.is_plain, table[one]))]
    if others and rnd.random() < OF_SOME:
        other = rnd.choice(others)
        value = rnd.choice(table[other])
        kept = [mine for mine, its in zip(own, table[other], strict=True) if its == value]
        if len(kept) < len(own) and len(states.plain(value)) <= LONGEST:
            found = distinct(kept, fewest=1)
            asked = rnd.choice(SOME).format(**said, other=heads[other], value=states.plain(value))
            return None if found is None else (asked, found)
    found = distinct(own)
    return None if found is None else (rnd.choice(WHOLE).format(**said), found)


def of_looks(text, rnd):
    """All of the text that looks like a date, a time, an address, an amount."""
    plain = [name for name in LOOKS if name not in OTHERWISE or not OTHERWISE[name].search(text)]
    found = {name: distinct(one.group() for one in LOOKS[name].finditer(text)) for name in plain}
    names = [name for name, one in found.items() if one is not None]
    if not names:
        return None
    name = rnd.choice(names)
    asked = rnd.choice(NAMED).format(name)
    return asked[0].upper() + asked[1:], found[name]


def every(row, text, rnd):
    """Now and then a question for every one of some values, and these; or None."""
    if rnd.random() >= ASKED:
        return None
    found = [one for one in columns(row["state"]) if one[1]]
    if found and rnd.random() < 0.7:
        return of_column(*rnd.choice(found), rnd)
    return of_looks(text, rnd)
