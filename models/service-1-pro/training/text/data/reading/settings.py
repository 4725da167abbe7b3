"""SchemaStore/schemastore (Apache 2.0): configuration files of some hundred tools, written to test the schemas that say
in words what each setting is for (Kristensen and many others).

A row is a file, or a part of it, with questions by those words: which setting, which value, is it on, is it there.
"""

import collections
import json
import re
import tomllib
import typing

from data.shared import evened, rows
from data.shared.asked import alike
from data.shared.described import far, told

REPOSITORY = "SchemaStore/schemastore"
LICENCE = "Apache 2.0"
MOST_CHARACTERS, FEWEST_SETTINGS, DEEPEST = 1500, 3, 6
MOST_OF_A_TOOL, TIMES = 60, 4
TOO_LARGE = "kestra"  # these schemas, to be in a snapshot
FEWER = 0.4  # of files: without some of their settings
DULL = re.compile(r"[A-Z]{2}\w{32}$|https?:|/|\d{4}-\d\d|[A-Z][a-z]{2}, \d\d")
VERBS = "add allow always apply check compile create display emit enable exclude force generate hide ignore"
VERBS += " include keep prevent print prohibit remove require run show skip strip suppress treat use disable warn"
VERBS += " write report follow"
TO_DO = re.compile(rf"(?:whether (?:or not )?to |(?=(?:{VERBS.replace(' ', '|')})s? ))(\w+?)(s?) (.+)", re.I)
WHERE_TRUE = re.compile(r"(?:if|when)(?: set to)? `?true`?,? (?:then )?(\S.+)", re.I)
SAYS_TO = [
    ("The {file} says to {done}.", True),
    ("It is set to {done}.", True),
    ("Is the tool told to {done}?", True),
    ("The {file} tells it to {done}.", True),
    ("This is asked for: to {done}.", True),
    ("The {file} says not to {done}.", False),
    ("It is set not to {done}.", False),
    ("Is the tool told not to {done}?", False),
    ("The {file} tells it not to {done}.", False),
    ("This is switched off: to {done}.", False),
]
IS_ON = [
    ("This is switched on: {said}", True),
    ('The {word} "{said}" is true.', True),
    ('Is it on? "{said}"', True),
    ("Set to true: {said}", True),
    ("{said} It is set to yes.", True),
    ("This is switched off: {said}", False),
    ('The {word} "{said}" is false.', False),
    ('Is it off? "{said}"', False),
    ("Set to false: {said}", False),
    ("{said} It is set to no.", False),
]
IS_VALUE = [
    ('The {word} "{said}" is {value}.', True),
    ("{said} It is {value}.", True),
    ("{value} is set for this: {said}", True),
    ("{said} Is it {value}?", True),
    ("The value is {value}: {said}", True),
    ('The {word} "{said}" is something else than {value}.', False),
    ("{said} It isn't {value}.", False),
    ("Another value than {value} is set for this: {said}", False),
    ("The value is not {value}: {said}", False),
]
IS_OVER = [
    ("{said} It is more than {limit}.", True),
    ("{said} It exceeds {limit}.", True),
    ('Is "{said}" set higher than {limit}?', True),
    ("{said} It is {limit} at most.", False),
    ("{said} It does not exceed {limit}.", False),
    ('Is "{said}" set to {limit} or less?', False),
]
IS_THERE = [
    ("The {file} sets this: {said}", True),
    ("There is a {word} for this: {said}", True),
    ('Is "{said}" given?', True),
    ("A value is given for this: {said}", True),
    ("The {file} leaves this out: {said}", False),
    ("There is no {word} for this: {said}", False),
    ('Is "{said}" missing?', False),
    ("No value is given for this: {said}", False),
]
COPY = [
    "{said}",
    "{said}",
    "Copy the value: {said}",
    "What is set for this? {said}",
    "The value of this {word}: {said}",
]
WHICH = ["Which {word} is this? {said}", "{said} Which {word} does it?", "Where is this set? {said}"]
MEANT = ["What is `{key}` for?", "What does the {word} `{key}` mean?", "`{key}` is", "What does `{key}` set?"]
PICK = ["{said}", "{said}", "Which value is set? {said}", "What is chosen here? {said}"]


class Talk(typing.NamedTuple):
    """What a setting and a file are called, and how often each claim was true."""

    word: str
    file: str
    surplus: collections.Counter

    def claim(self, claims, holds, rnd, **words):
        return evened.claim(claims, holds, self.surplus, rnd, word=self.word, file=self.file, **words)

    def ask(self, asks, rnd, **words):
        return rnd.choice(asks).format(word=self.word, **words)


def parts(schema, whole, depth=0):
    """A schema and what it refers to or is put together of."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return
    yield schema
    link = schema.get("$ref", "")
    if link.startswith("#/"):
        to = whole
        for step in link[2:].split("/"):
            to = to.get(step.replace("~1", "/").replace("~0", "~"), {}) if isinstance(to, dict) else {}
        yield from parts(to, whole, depth + 1)
    for kind in ("allOf", "anyOf", "oneOf"):
        for one in schema.get(kind, []):
            yield from parts(one, whole, depth + 1)


def about(schemas, key, whole):
    """The schemas of a property, with what they refer to."""
    found = [one["properties"][key] for one in schemas if key in (one.get("properties") or {})]
    return [part for one in found for part in parts(one, whole)]


def described(value, schemas, whole, path=()):
    """(path, value, what it is for, values that are allowed) of each setting."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        of_key = about(schemas, key, whole)
        said = next((one["description"] for one in of_key if isinstance(one.get("description"), str)), None)
        said = told(said) if said else None
        allowed = [one for part in of_key for one in part.get("enum", [])]
        if said and not isinstance(inner, (dict, list)) and inner is not None:
            yield (*path, key), inner, said, allowed
        yield from described(inner, of_key, whole, (*path, key))


def objects(value, schemas, whole, depth=0):
    """A file and the objects in it, with their schemas."""
    if isinstance(value, dict):
        yield value, schemas
        if depth < DEEPEST:
            for key, inner in value.items():
                yield from objects(inner, about(schemas, key, whole), whole, depth + 1)


def cut(value, rnd):
    """The same without as many entries as make it too long."""
    kept = list(value)
    while len(json.dumps({key: value[key] for key in kept}, indent=1)) > MOST_CHARACTERS and kept:
        kept.remove(rnd.choice(kept))
    return {key: value[key] for key in value if key in kept and key != "$schema"}


def flat(value, path=()):
    """A line for each value, as properties files have them."""
    if isinstance(value, dict) and value:
        return [line for key, inner in value.items() for line in flat(inner, (*path, key))]
    return [f"{'.'.join(path)} = {value if isinstance(value, str) else json.dumps(value)}"]


def on_or_off(value, said, talk, rnd):
    done, true = TO_DO.fullmatch(said.rstrip(".")), WHERE_TRUE.fullmatch(said)
    if true and rnd.random() < 0.7:
        return {"type": "noul", "instructions": rows.ended(true[1])}, value
    if re.search(r"whether .* or |\b(?:false|true)\b|enables?/disables?", said, re.I) and not true:
        return None
    if done and not re.search(r",| or |use this", said, re.I) and rnd.random() < 0.8:
        return talk.claim(SAYS_TO, value, rnd, done=f"{done[1].lower()} {done[3]}")
    return talk.claim(IS_ON, value, rnd, said=said)


def number(value, said, others, talk, rnd):
    if rnd.random() < 0.5:
        limit = rnd.choice([value, value - 1, value // 2, value + 1, value * 2, value + 10]) if value > 1 else 1
        return talk.claim(IS_OVER, value > limit, rnd, said=said, limit=limit)
    wrong = [one for one in others if isinstance(one, int) and not isinstance(one, bool) and one != value]
    other = rnd.choice(wrong or [value + 1, value * 10 or 5])
    holds = rnd.random() < 0.5
    return talk.claim(IS_VALUE, holds, rnd, said=said, value=value if holds else other)


def named(value, said, allowed, others, talk, rnd):
    """A setting whose value is a word or more."""
    allowed = list(dict.fromkeys(one for one in allowed if isinstance(one, str) and one))
    drawn = rnd.random()
    if value in allowed and len(allowed) > 1 and drawn < 0.45:
        shown = rnd.sample([one for one in allowed if one != value], min(len(allowed) - 1, rnd.randint(1, 5)))
        shown = rnd.sample([value, *shown], len(shown) + 1)
        return {"type": "choice", "instructions": talk.ask(PICK, rnd, said=said), "criteria": shown}, value
    wrong = [one for one in allowed or others if isinstance(one, str) and one != value and 0 < len(one) < 60]
    if wrong and len(value) < 60 and drawn < 0.7:
        holds = rnd.random() < 0.5
        other = max(wrong, key=lambda one: alike(value, one) + rnd.random())
        return talk.claim(IS_VALUE, holds, rnd, said=said, value=value if holds else other)
    return {"type": "extract", "instructions": talk.ask(COPY, rnd, said=said)}, value


def by_words(path, said, settings, talk, rnd):
    """Which {word} a description belongs to, or which description a setting has."""
    others = [one for one in settings if one[0] != path and far(said, [one[2]])]
    if len(others) < 2:
        return None
    shown = rnd.sample(others, min(len(others), rnd.randint(2, 5)))
    keys, right = [".".join(one[0]) for one in shown], ".".join(path)
    if rnd.random() < 0.55:
        names = rnd.sample([right, *keys], len(keys) + 1)
        return {"type": "choice", "instructions": talk.ask(WHICH, rnd, said=said), "criteria": names}, right
    names = rnd.sample([said, *dict.fromkeys(one[2] for one in shown)], len({one[2] for one in shown}) + 1)
    return {"type": "choice", "instructions": talk.ask(MEANT, rnd, key=right), "criteria": names}, said


def question(setting, settings, talk, rnd):
    path, value, said, allowed = setting
    others = [one[1] for one in settings if one[0] != path]
    if rnd.random() < 0.25:
        return by_words(path, said, settings, talk, rnd)
    if isinstance(value, bool):
        return on_or_off(value, said, talk, rnd)
    if isinstance(value, int) and value >= 0:
        return number(value, said, others, talk, rnd)
    if isinstance(value, str) and value.strip() and len(value) <= 120 and not re.search(r'[\n"\\]', value):
        return named(value, said, allowed, others, talk, rnd)
    return None


def there(settings, schemas, value, talk, rnd):
    """Whether a setting is given; a quote of one that is not."""
    known = [(key, inner) for one in schemas for key, inner in (one.get("properties") or {}).items()]
    absent = [told(one.get("description") or "") for key, one in known if key not in value and isinstance(one, dict)]
    absent = [one for one in absent if one and far(one, [each[2] for each in settings])]
    holds = rnd.random() < 0.5
    given = [one[2] for one in settings if one[1] != ""]
    if not (given if holds else absent):
        return None
    said = rnd.choice(given if holds else absent)
    if not holds and rnd.random() < 0.4:
        return {"type": "extract", "instructions": talk.ask(COPY, rnd, said=said)}, None
    return talk.claim(IS_THERE, holds, rnd, said=said)


def asked(file, schema, talk, rnd, page=None):
    """(state, questions) of a file and of parts of it; `page`: what a schema that is not the whole refers to."""
    page = page or schema
    for whole, schemas in objects(file, list(parts(schema, page)), page):
        value = cut(whole, rnd)
        if rnd.random() < FEWER:
            value = {key: inner for key, inner in value.items() if rnd.random() < 0.8}
        settings = list(described(value, schemas, page))
        counts = collections.Counter(said for _, _, said, _ in settings)
        settings = [one for one in settings if counts[one[2]] == 1]
        if len(settings) < FEWEST_SETTINGS:
            continue
        dull = [one for one in settings if DULL.match(str(one[1]))]
        shown = [one for one in settings if one not in dull] + rnd.sample(dull, min(len(dull), 1))
        shown = rnd.sample(shown, min(len(shown), rnd.randint(2, 4)))
        made = [question(one, settings, talk, rnd) for one in shown]
        made.append(there(settings, schemas, value, talk, rnd) if rnd.random() < 0.5 else None)
        made = [one for one in made if one]
        if made:
            yield put(value, rnd), made


def put(value, rnd):
    """Settings as a record, as JSON or a line each."""
    drawn = rnd.random()
    if drawn < 0.6:
        return value
    return json.dumps(value, indent=2, ensure_ascii=False) if drawn < 0.8 else "\n".join(flat(value))


def files(show, tool):
    """The files that test the schema of a tool, read."""
    for name in sorted(show(f"src/test/{tool}").splitlines()[2:]):
        try:
            if name.endswith(".json"):
                yield json.loads(show(f"src/test/{tool}/{name}"))
            elif name.endswith(".toml"):
                yield json.loads(json.dumps(tomllib.loads(show(f"src/test/{tool}/{name}")), default=str))
        except ValueError:
            continue  # with comments, which JSON does not know


def read(show, rnd):
    known, count = set(show("src/schemas/json").split()[2:]), 0
    talk = Talk("setting", "file", collections.Counter())
    for tool in show("src/test").split()[2:]:
        tool = tool.rstrip("/")
        made = []
        if f"{tool}.json" in known and not tool.startswith(TOO_LARGE):
            schema = json.loads(show(f"src/schemas/json/{tool}.json"))
            of_tool = [*files(show, tool)] * TIMES
            made = [one for file in of_tool for one in asked(file, schema, talk, rnd)]
        for state, questions in rnd.sample(made, min(len(made), MOST_OF_A_TOOL)):
            yield rows.row(f"settings-{count:05d}", "configuration", LICENCE, state, questions[:4])
            count += 1
