"""jeniyat/WNUT_2020_NER: 615 instructions for work in a laboratory, written by the people who do it, in which
annotators marked each act, what it is done to, and how much, how long, how warm and how fast (Kulkarni and others,
2018; Tabassum and others, 2020; MIT; texts of protocols.io). Rows show a few steps and ask for one of these, or for
the order.
"""

import collections
import re

from data.shared import evened, rows

REPOSITORY = "jeniyat/WNUT_2020_NER"
LICENCE = "MIT"
FOLDERS = [f"data/{part}_data/Standoff_Format" for part in ("train", "dev", "test")]
FEWEST_LINES, MOST_LINES, MOST_WORDS, FEWEST_STEP, MOST_STEP = 3, 8, 130, 4, 35
MOST_NAME, OPENING, ABSENT = 5, 20, 0.3
SETTINGS = {"Time": "time", "Temperature": "warmth", "Speed": "speed"}
ASKS = {
    "time": ["For how long does one {name}?", "How long does one have to {name}?", "Time to {name}"],
    "warmth": ["At what temperature does one {name}?", "Temperature to {name} at", "{name}: at which temperature?"],
    "speed": ["At which speed does one {name}?", "Speed to {name} at", "How fast does one {name}?"],
    "amount": ["How much {name} is used?", "Amount of {name}", "How much {name} does one need?"],
    "object": ["What does one {name}?", "What is there to {name}?", "Copy what one has to {name}."],
}
SAID = {
    "time": [
        ("One has to {name} for {what}.", True),
        ("Does one {name} for {what}?", True),
        ("The time to {name} is given as {what}.", True),
        ("{what} is not how long one has to {name}.", False),
        ("One has to {name} for another time than {what}.", False),
    ],
    "warmth": [
        ("One has to {name} at this temperature: {what}.", True),
        ("Is this the temperature to {name} at? {what}", True),
        ("The temperature given to {name} is {what}.", True),
        ("{what} is not the temperature to {name} at.", False),
        ("One has to {name} at another temperature than {what}.", False),
    ],
    "speed": [
        ("One has to {name} at {what}.", True),
        ("Does one {name} at {what}?", True),
        ("The speed to {name} is {what}.", True),
        ("{what} is not the speed to {name} at.", False),
        ("One has to {name} faster or slower than {what}.", False),
    ],
    "amount": [
        ("{what} of {name} is used.", True),
        ("Is the amount of {name} {what}?", True),
        ("One takes this much {name}: {what}.", True),
        ("It is not {what} of {name} that one takes.", False),
        ("The amount of {name} is another than {what}.", False),
    ],
}
ABSENT_HINTS = {
    "time": re.compile(r"\d ?(?:h|hr|hrs|min|mins|sec|s|d)\b|minute|hour|second|day|night|time|until|till|immediately"),
    "warmth": re.compile(
        r"°|º|degree|\d ?C\b|temperature|\bice\b|heat|warm|cold|RT\b|boil|incubat|freez|hot|fridge|refrig|cool|room",
        re.I,
    ),
}
ORDER = [
    ('"{one}" comes before "{two}".', True),
    ('One does this first: "{one}", and only later this: "{two}".', True),
    ('Is "{one}" done earlier than "{two}"?', True),
    ('"{two}" comes before "{one}".', False),
    ('When it is time for "{one}", this has been done already: "{two}".', False),
    ('"{one}" is done after "{two}".', False),
]
FIRST = ["Which of these is done first?", "What comes first of these?"]
LAST = ["Which of these is done last?", "What comes last of these?"]
AFTER = ['What comes right after "{}"?', 'Next step after "{}"']
BEFORE = ['What comes right before "{}"?', 'The step before "{}"']
BASE = re.compile(r"[A-Za-z]+(?: (?:up|down|out|off))?")
FIGURES = {"amount": re.compile(r"\d"), "time": re.compile(r"\d|overnight", re.I)}
NO_STEP = re.compile(r"(?:important|notes?|the|this|if|while|once|tips?)\b|.*\b(?:while|before|after|prior)\b", re.I)
NO_VERB = re.compile(r".*(?:[^e]ed|ing|ion|ment|age|ysis|[^s]s)$|ready$|steps?$|kept$|held$|left$|spun$", re.I)


def annotated(show, folder, name):
    """(text, {key: (kind, first, last)}, acts and what they are tied to, links) of instructions."""
    text = show(f"{folder}/{name}.txt")
    marks, acts, links = {}, {}, []
    for line in show(f"{folder}/{name}.ann").splitlines():
        key, *parts = line.split("\t")
        if key.startswith("T") and ";" not in parts[0]:
            kind, first, last = parts[0].split(" ")
            marks[key] = (kind, int(first), int(last))
        elif key.startswith("E"):
            acts[key] = [each.split(":") for each in parts[0].split()]
        elif key.startswith("R"):
            links.append([each.split(":")[-1] for each in parts[0].split()])
    return text, marks, acts, links


def facts(text, marks, acts, links):
    """(kind, first and last character of the name, of the value, spots of both) that are marked."""
    triggers = {key: parts[0][1] for key, parts in acts.items()}
    found = collections.defaultdict(list)
    for relation, one, two in (link for link in links if len(link) == 3):
        one, two = triggers.get(one, one), triggers.get(two, two)
        if one in marks and two in marks:
            kind, value = marks[one][0], marks[two][0]
            if relation == "Setting" and kind == "Action" and value in SETTINGS:
                found[SETTINGS[value], one].append(two)
            elif relation == "Measure" and kind == "Reagent" and value == "Amount":
                found["amount", one].append(two)
    for parts in acts.values():
        objects = [key for role, key in parts[1:] if role.startswith("Acts-on")]
        if len(objects) == 1 and objects[0] in marks and parts[0][1] in marks:
            found["object", parts[0][1]].append(objects[0])
    for (kind, one), values in found.items():
        (a, b), (c, d) = marks[one][1:], marks[values[0]][1:]
        negated = re.search(r"\b(?:not|never|without|avoid)\W+(?:\w+\W+)?$", text[max(0, a - 25) : a], re.I)
        if len(values) == 1 and not negated and (kind not in FIGURES or FIGURES[kind].search(text[c:d])):
            yield kind, (a, b), (c, d)


def windows(text, marks, rnd):
    """(first, last) character of stretches of steps, the steps, and the numbers of those that begin with an act."""
    acts = [first for kind, first, _ in marks.values() if kind == "Action"]
    spans = [(found.start(), found.end()) for found in re.finditer(r"[^\n]+", text)][1:]
    at = 0
    while at < len(spans):
        count = rnd.randint(FEWEST_LINES + 1, MOST_LINES)
        shown = spans[at : at + count]
        while shown and sum(len(text[a:b].split()) for a, b in shown) > MOST_WORDS:
            shown = shown[:-1]
        if len(shown) >= FEWEST_LINES:
            begun = [n for n, (a, b) in enumerate(shown) if any(a <= act < min(b, a + OPENING) for act in acts)]
            yield shown[0][0], shown[-1][1], [rows.plain(text[a:b]) for a, b in shown], begun
        at += max(len(shown), 1)


def once(name, text):
    return len(re.findall(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.I)) == 1


def named(kind, name, text):
    """The name of an act or a thing for a question, where it means one thing in the text; else None."""
    if len(name.split()) > MOST_NAME or not once(name, text):
        return None
    if kind == "amount":
        return name
    return name.lower() if BASE.fullmatch(name) and not NO_VERB.match(name) else None


def about(found, every, surplus, rnd):
    """A question on one marked value."""
    kind, name, value, others = found
    wrong = [one for one in others if one != value and one not in value and value not in one]
    if kind == "object" or rnd.random() < 0.45:
        return {"type": "extract", "instructions": rows.begun(rnd.choice(ASKS[kind]).format(name=name))}, value
    if len(wrong) > 1 and rnd.random() < 0.35:
        names = [value, *rnd.sample(wrong, min(len(wrong), 4))]
        rnd.shuffle(names)
        ask = rows.begun(rnd.choice(ASKS[kind]).format(name=name))
        return {"type": "choice", "instructions": ask, "criteria": names}, value
    holds = rnd.random() < 0.5
    far = [one for one in rnd.sample(every[kind], 12) if one not in value and value not in one]
    what = value if holds else rnd.choice(wrong or far)
    asked = evened.claim(SAID[kind], holds, surplus, rnd, name=name, what=what)
    if asked is None:
        return None
    return asked[0] | {"instructions": rows.begun(asked[0]["instructions"])}, asked[1]


def ordered(steps, acts, surplus, rnd):
    """A question on the order of steps that begin with an act."""
    short = [n for n in acts if FEWEST_STEP <= len(steps[n].split()) <= MOST_STEP]
    short = [n for n in short if steps.count(steps[n]) == 1 and not NO_STEP.match(steps[n])]
    if len(short) < 3:
        return None
    if rnd.random() < 0.45:
        one, two = rnd.sample(short, 2)
        words = {"one": steps[one].rstrip("."), "two": steps[two].rstrip(".")}
        return evened.claim(ORDER, one < two, surplus, rnd, **words)
    shown = rnd.sample(short, rnd.randint(3, min(5, len(short))))
    drawn = rnd.random()
    if drawn < 0.5:
        ask, right = rnd.choice([(FIRST, min(shown)), (LAST, max(shown))])
        return {"type": "choice", "instructions": rnd.choice(ask), "criteria": [steps[n] for n in shown]}, steps[right]
    # The step beside one of them, which is not among the options.
    side = rnd.choice([1, -1])
    pairs = [n for n in short if n + side in short]
    if not pairs:
        return None
    at = rnd.choice(pairs)
    options = {at + side, *(n for n in shown if n != at)}
    ask = rnd.choice(AFTER if side > 0 else BEFORE).format(steps[at].rstrip("."))
    names = [steps[n] for n in rnd.sample(sorted(options), len(options))]
    return ({"type": "choice", "instructions": ask, "criteria": names}, steps[at + side]) if len(names) > 1 else None


def read(show, rnd):
    pages, every = [], collections.defaultdict(list)
    for folder in FOLDERS:
        for file in show(folder).splitlines()[2:]:
            if file.endswith(".ann"):
                text, *notes = annotated(show, folder, file[:-4])
                known = list(facts(text, *notes))
                pages.append((text, notes[0], known))
                for kind, _, (a, b) in known:
                    every[kind].append(rows.plain(text[a:b]))
    surplus, count = collections.Counter(), 0
    for text, marks, known in pages:
        for first, last, steps, acts in windows(text, marks, rnd):
            shown = "\n".join(steps)
            within = [one for one in known if first <= one[1][0] and one[1][1] <= last]
            found = []
            for kind, (a, b), (c, d) in within:
                name, value = named(kind, rows.plain(text[a:b]), shown), rows.plain(text[c:d])
                others = [rows.plain(text[x:y]) for other, _, (x, y) in within if other == kind]
                if name and value in shown and not (kind == "object" and len(value.split()) > MOST_NAME):
                    found.append((kind, name, value, list(dict.fromkeys(others))))
            rare = [one for one in found if one[0] != "object"]
            chosen = rnd.sample(rare, min(len(rare), 3)) or rnd.sample(found, min(len(found), 1))
            made = [about(one, every, surplus, rnd) for one in chosen]
            if not made or rnd.random() < 0.35:
                made.append(ordered(steps, acts, surplus, rnd))
            for kind, hint in ABSENT_HINTS.items():
                names = [one[1] for one in found if one[0] == "object"]
                if names and not hint.search(shown) and rnd.random() < ABSENT:
                    ask = rows.begun(rnd.choice(ASKS[kind]).format(name=rnd.choice(names)))
                    made.append(({"type": "extract", "instructions": ask}, None))
            made = [one for one in made if one is not None][:4]
            rnd.shuffle(made)
            if made:
                numbered = [f"{n + 1}. {step}" for n, step in enumerate(steps)] if rnd.random() < 0.3 else steps
                state = {rnd.choice(["steps", "protocol"]): steps} if rnd.random() < 0.25 else "\n".join(numbered)
                yield rows.row(f"lab-{count:05d}", "steps in a laboratory", LICENCE, state, made)
                count += 1
