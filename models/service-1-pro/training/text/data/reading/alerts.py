"""samber/awesome-prometheus-alerts (Samuel Berthe and many others; rules CC BY 4.0): rules by which servers raise an
alarm: a query, how long it has to hold, how bad it is, and what it means in words.

Whether a value raises the alarm is worked out of queries that compare one measure with one limit.
"""

import collections
import json
import re

from data.shared import evened, rows
from data.shared.described import far, words

REPOSITORY = "samber/awesome-prometheus-alerts"
LICENCE = "CC BY 4.0"
PATH = "_data/rules.yml"
TIMES = 4
FIELD = re.compile(r"\n +(name|description|query|severity|for): (.+)")
LIMIT = re.compile(r"[\w:]+(?:\{[^}]*\})?(?: \* 100| / [\w:]+(?:\{[^}]*\})?(?: \* 100)?)? (>|<) (\d+(?:\.\d+)?)")
SPANS = {"s": "second", "m": "minute", "h": "hour", "d": "day"}
LABELS = re.compile(r"\s*\([^()]*\{\{[^()]*\)|\s*(?:on|for|in|at|by|from) (?:\w+ )?\(?\{\{[^}]*\}\}\)?")
WARNS = [
    ("The alarm is raised for this: {said}", True),
    ("The rule looks out for this: {said}", True),
    ('Is "{said}" what it warns of?', True),
    ("It fires in this case: {said}", True),
    ("This is what the rule is about: {said}", True),
    ("The rule is about something else than this: {said}", False),
    ("It warns of another thing than this: {said}", False),
    ("This would not raise the alarm: {said}", False),
    ('Is another rule needed to notice "{said}"?', False),
]
WHAT = ["What does it warn of?", "What has happened when it fires?", "The alert means", "What is this rule for?"]
NAMED = ["The name that fits the rule", "What should the alert be called?", "Choose a title for it."]
WAITS = [
    ("The condition has to hold for {span} before it fires.", True),
    ("It only fires once this has lasted {span}.", True),
    ("Somebody is told after {span}.", True),
    ("The rule waits for {span}.", True),
    ("It waits for another time than {span}.", False),
    ("{span} is not how long it has to last.", False),
    ("The rule waits for something else than {span}.", False),
]
LONGER = [
    ("If it holds for {span}, the alert fires.", True),
    ("{span} of this are enough to raise the alarm.", True),
    ("Does a state that lasts {span} lead to an alert?", True),
    ("If it is over after {span}, nobody is told.", False),
    ("{span} of this are too short to raise the alarm.", False),
    ("Is a state that lasts {span} ignored?", False),
]
CRITICAL = [
    ("It is of the highest severity.", True),
    ("The alert is critical.", True),
    ("Does it rank above a warning?", True),
    ("It is more than a warning.", True),
    ("It is not critical.", False),
    ("The alert ranks below critical.", False),
    ("It is a warning at most.", False),
    ("Is it less than critical?", False),
]
RAISES = [
    ("A value of {value} meets the condition.", True),
    ("At {value} the alarm goes off, if it lasts.", True),
    ("{value} is beyond the limit.", True),
    ("Is {value} a reason for the alert?", True),
    ("A value of {value} is still fine.", False),
    ("At {value} nothing happens.", False),
    ("{value} is within the limit.", False),
    ("Is {value} harmless?", False),
]
HOW_BAD = ["How severe is it?", "Severity", "How urgent is the alert?"]
LEVELS = ["info", "warning", "critical"]


def clean(said):
    """A description without what is filled in; None where more of it is left than a tail."""
    said = rows.plain(LABELS.sub("", said))
    return rows.ended(said) if "{{" not in said and len(said.split()) > 3 else None


def unquoted(said):
    said = said.strip()
    if said[0] == '"' and said[-1] == '"':
        return json.loads(said)
    return said[1:-1].replace("''", "'") if said[0] == said[-1] == "'" else said


def rules(page):
    """[[rule]] of each service."""
    for service in re.split(r"\n {6}- name: ", page)[1:]:
        found = []
        for entry in re.split(r"\n {14}- (?=name: )", service)[1:]:
            rule = {key: unquoted(said) for key, said in FIELD.findall(f"\n {entry}") if said.strip() not in "|>-"}
            if {"name", "query", "severity"} <= rule.keys() and rule["severity"] in LEVELS:
                found.append(rule)
        yield found


def shown(rule, told, rnd):
    """A rule as it is written, or as a record; `told`: the words that are shown beside the query."""
    names = {"expr" if rnd.random() < 0.5 else "query": "query", "for": "for", "severity": "severity"}
    state = {"alert": told} if told else {}
    state |= {name: rule[key] for name, key in names.items() if key in rule}
    return state if rnd.random() < 0.5 else "\n".join(f"{key}: {said}" for key, said in state.items())


def meant(rule, others, surplus, rnd):
    """A query, and what it warns of."""
    said = clean(rule.get("description", ""))
    wrong = [(one["name"], clean(one.get("description", ""))) for one in others]
    wrong = [one for one in wrong if one[1] and said and far(said, [one[1]]) and far(rule["name"], [one[0]])]
    wrong = list({one[1]: one for one in wrong}.values())
    only = words(said or "").difference(*(words(one[1]) for one in wrong))
    if len(wrong) < 3 or not any(one in rule["query"].lower() for one in only):
        return  # what is measured is not named in the query
    holds, drawn = rnd.random() < 0.5, rnd.random()
    yield evened.claim(WARNS, holds, surplus, rnd, said=said if holds else rnd.choice(wrong)[1])
    kept = rnd.sample(wrong, min(len(wrong), rnd.randint(2, 4)))
    if drawn < 0.4:
        options = rnd.sample([said, *(one[1] for one in kept)], len(kept) + 1)
        yield {"type": "choice", "instructions": rnd.choice(WHAT), "criteria": options}, said
    elif drawn < 0.8:
        options = rnd.sample([rule["name"], *(one[0] for one in kept)], len(kept) + 1)
        yield {"type": "choice", "instructions": rnd.choice(NAMED), "criteria": options}, rule["name"]


def span(count, unit):
    return f"{count} {SPANS[unit]}{'' if count == 1 else 's'}"


def waits(rule, surplus, rnd):
    found = re.fullmatch(r"(\d+)([smhd])", rule.get("for", ""))
    count, unit = (int(found[1]), found[2]) if found else (0, "m")
    if count < 1 or rnd.random() < 0.3:
        return None
    if rnd.random() < 0.5:
        holds = rnd.random() < 0.5
        other = rnd.choice([one for one in (1, 2, 5, 10, 15, 30, 60) if one != count])
        return evened.claim(WAITS, holds, surplus, rnd, span=span(count if holds else other, unit))
    other = rnd.choice([count * 2, count + 1, count * 3, max(1, count // 2), max(1, count - 1), max(1, count // 3)])
    return None if other == count else evened.claim(LONGER, other > count, surplus, rnd, span=span(other, unit))


def raises(rule, surplus, rnd):
    found = LIMIT.fullmatch(rule["query"])
    if found is None:
        return None
    above, limit = found[1] == ">", float(found[2])
    value = rnd.choice([limit + 1, limit * 1.5, limit * 2, limit + 0.1, limit - 1, limit * 0.5, limit * 0.9, limit / 4])
    value = round(value, 2) if value != int(value) else int(value)
    holds = value > limit if above else value < limit
    return evened.claim(RAISES, holds, surplus, rnd, value=value) if value >= 0 and value != limit else None


def read(show, rnd):
    surplus, made = collections.Counter(), []
    for service in rules(show(PATH)):
        for rule in service * TIMES:
            others = [one for one in service if one["name"] != rule["name"]]
            asked = list(meant(rule, others, surplus, rnd)) if rnd.random() < 0.7 else []
            told = None if asked else rule["name"]
            asked += [
                waits(rule, surplus, rnd),
                raises(rule, surplus, rnd) if not asked or rnd.random() < 0.5 else None,
            ]
            if rnd.random() < 0.2:
                asked.append(evened.claim(CRITICAL, rule["severity"] == "critical", surplus, rnd))
            elif rnd.random() < 0.1:
                level = LEVELS.index(rule["severity"])
                asked.append(({"type": "score", "instructions": rnd.choice(HOW_BAD), "criteria": list(LEVELS)}, level))
            made.append((shown(rule, told, rnd), [one for one in asked if one]))
    made = [one for one in made if one[1]]
    for count, (state, asked) in enumerate(rnd.sample(made, len(made))):
        yield rows.row(f"alerts-{count:05d}", "rules for alarms", LICENCE, state, asked[:4])
