"""Rows about requests and the functions an agent has: python -m data.functions DATA OUT [rows]

Made from the tool-choice and intent rows of the training pack and from functions.json. The request stays; tools (or
intents, named as an API would) become a list inside the state, and often none of them fits. So a name that stands in
the state is no sign that it is the answer, as it is in rows whose options occur nowhere else. Half of the functions
that do not fit are near misses: tools that share words with the request or with the right tool, intents that the pack
lists beside the right one, functions of the same group.

functions.json holds 208 functions in groups of four alike, each with five requests in other words than its
description; names in braces are filled from the lists below. Half of the requests repeat the words of the description.
"""

import json
import os
import random
import re
import sys

from data import records
from data.leaks import lines

NONE = ("none of these", "no function", "none", "none of the functions", "nothing fits")
CHOICES = (
    "Which function should be called?",
    "Pick the function.",
    "Which of these functions can serve the request?",
    "Which function fits?",
    "Choose the function for this request.",
    "Select the tool to call.",
)
FITS = (
    "One of the functions can serve the request.",
    "The agent has a fitting function.",
    "Is there a function for this request?",
    "Can the request be served with these functions?",
    "At least one function fits the request.",
)
SERVES = (
    "{} can serve the request.",
    "Is {} the function to call?",
    "The request should go to {}.",
    "{} fits the request.",
    "Should the agent call {} here?",
)
LACKS = (
    "None of the functions can serve the request.",
    "The agent has no fitting function.",
    "No function here helps with the request.",
)
DOES = (
    "{}",
    "Handles requests about {}.",
    "Use it for {}.",
    "For users who ask about: {}",
    "This function takes care of {}.",
)
SHORT = (
    "hello",
    "thanks a lot",
    "what can you do?",
    "tell me a joke",
    "who made you?",
    "how old is the universe?",
    "what is the color of grass?",
    "ok",
    "what are your instructions?",
    "can you repeat that?",
)
ASKING = (
    "{}",
    "{}",
    "{}.",
    "Please {}",
    "Can you {}?",
    "I want to {}",
    "I need to {}.",
    "Help me {}.",
    "Could you {} please?",
    "How can I {}?",
)
LOOKING = (
    "I'm looking for {}.",
    "I need {}",
    "Tell me {}.",
    "Show me {}",
    "What about {}?",
    "{}?",
    "Get me {} please.",
)
DETAILS = (
    "",
    "",
    "",
    " in {city}",
    " for {person}",
    " of {company}",
    " on {date}",
    " with {number}",
    " for {small} and {number}",
    " in {city} on {date}",
    " at {time}",
    ' for "{word}"',
    " of {product}",
    ", {city} to {city}",
    " from {money} to {money}",
    " named {word}",
    " in {country} since {year}",
    " and tell {person}",
)
GIVES = ("Returns", "Provides", "Retrieves", "Tells", "Gives", "Lists")
COUNTRIES = (
    "Norway",
    "Chile",
    "Kenya",
    "Japan",
    "Peru",
    "Greece",
    "Canada",
    "Egypt",
    "Portugal",
    "India",
    "Mexico",
    "Finland",
)
TEAMS = ("the Falcons", "Rovers", "the Blue Sharks", "Dynamo", "the Otters", "United", "the Comets", "Wanderers")
FOODS = (
    "lentil soup",
    "pancakes",
    "sushi",
    "apple pie",
    "chicken curry",
    "pizza",
    "tomato salad",
    "noodles",
    "cheese cake",
)
WORDS = (
    "river",
    "garden",
    "window",
    "mountain",
    "silver",
    "school",
    "market",
    "bridge",
    "winter",
    "paper",
    "harbour",
    "maple",
)
ANIMALS = ("dog", "cat", "parrot", "horse", "rabbit", "tortoise", "goat", "hamster")
SONGS, BOOKS = (
    ("Blue Evening", "Dancing Alone", "Paper Boats", "Golden Road", "Last Train Home"),
    ("The Quiet Harbour", "Winter Letters", "A Map of Rain", "The Clockmaker", "Salt and Stone"),
)
LANGUAGES = ("German", "Spanish", "Korean", "Polish", "Swahili", "Portuguese", "Arabic")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
DAYS = ("tomorrow", "next Monday", "Friday", "Saturday", "the coming Tuesday", "today")
SLOTS = {
    "city": lambda rng: rng.choice(records.CITIES),
    "country": lambda rng: rng.choice(COUNTRIES),
    "person": records.name,
    "company": records.firm,
    "email": records.email,
    "number": lambda rng: str(rng.randint(10, 999)),
    "small": lambda rng: str(rng.randint(1, 9)),
    "year": lambda rng: str(rng.randint(1850, 2026)),
    "money": lambda rng: rng.choice(("${}", "{} dollars", "{} euros", "£{}")).format(
        rng.choice((rng.randint(5, 900), 50 * rng.randint(20, 9000)))
    ),
    "date": lambda rng: rng.choice(DAYS) if rng.random() < 0.4 else f"{rng.choice(MONTHS)} {rng.randint(1, 28)}",
    "time": lambda rng: rng.choice(
        (
            f"{rng.randint(1, 12)} {rng.choice(('am', 'pm'))}",
            f"{rng.randint(0, 23)}:{rng.choice(('00', '15', '30', '45'))}",
        )
    ),
    "team": lambda rng: rng.choice(TEAMS),
    "food": lambda rng: rng.choice(FOODS),
    "product": lambda rng: rng.choice(records.THINGS),
    "word": lambda rng: rng.choice(WORDS),
    "animal": lambda rng: rng.choice(ANIMALS),
    "song": lambda rng: rng.choice(SONGS),
    "book": lambda rng: rng.choice(BOOKS),
    "language": lambda rng: rng.choice(LANGUAGES),
}


def style(name, rng):
    """The name as an API would write it."""
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name.replace("_", " ")) or [name]
    words = [w.lower() for w in words]
    kind = rng.randrange(4)
    if kind == 0:
        return "_".join([rng.choice(("get", "find", "run", "use", "search")), *words])
    if kind == 1:
        return ".".join(["".join(w.capitalize() for w in words), rng.choice(("run", "execute", "get", "query"))])
    return "_".join(words) if kind == 2 else name


def filled(text, rng):
    """The text with something in the place of each {slot}."""
    return re.sub(r"{(\w+)}", lambda slot: SLOTS[slot[1]](rng), text)


def imperative(verb):
    """What tells to do what this third person does: 'Searches' -> 'search'."""
    verb = verb.lower()
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("s", "")):
        if verb.endswith(ending):
            return verb[: -len(ending)] + instead
    return verb


def asking_for(description, rng):
    """A request in the words of the description; None where that does not begin with what the function does."""
    verb, *rest = re.split(r"[.;:]", description)[0].split()
    if not re.fullmatch("[A-Z][a-z]{2,}s", verb) or verb == "This" or len(rest) < 2:
        return None
    shorter = (
        re.split(r",? (?:from|with|by|given|using|including|based|that|which|so|and|or) ", " ".join(rest))[0]
        .rstrip(",")
        .split()
    )
    rest = shorter if len(shorter) > 1 and rng.random() < 0.7 else rest
    rest = [word for word in rest if len(rest) < 4 or rng.random() < 0.88]
    detail = filled(rng.choice(DETAILS), rng)
    if verb in GIVES or rng.random() < 0.2:
        return rng.choice(LOOKING).format(" ".join(rest) + detail)
    return rng.choice(ASKING).format(" ".join([imperative(verb), *rest]) + detail)


def words(text):
    return {word for word in re.findall(r"[a-z]+", text.lower()) if len(word) > 3}


def tool_requests(data):
    """[(request, right tool)] and {tool: description} of the tool-choice rows."""
    requests, tools = [], {}
    for row in lines(f"{data}/train/text/metatool.jsonl.gz"):
        question = row["questions"].get("tool")
        if question is None or question["type"] != "choice" or not isinstance(question["criteria"], dict):
            continue
        tools.update({name: text for name, text in question["criteria"].items() if text})
        state = row["state"]
        text = (
            state
            if isinstance(state, str)
            else next((str(state[k]) for k in ("content", "request", "query", "user") if k in state), None)
        )
        if text is not None and row["truth"]["tool"] in tools:
            requests.append((text, row["truth"]["tool"]))
    return requests, tools


def intent_requests(data):
    """[(request, right intent or None, the others listed)] of the intent rows."""
    requests = []
    for row in lines(f"{data}/train/text/clinc150.jsonl.gz"):
        question = row["questions"].get("intent")
        if question is None or not isinstance(question["criteria"], dict):
            continue
        state, right = row["state"], row["truth"]["intent"]
        text = (
            state
            if isinstance(state, str)
            else next((str(state[k]) for k in ("utterance", "text", "message") if k in state), None)
        )
        listed = [name for name in question["criteria"] if not re.match("none|no |other|out of", name)]
        if text is not None and len(listed) > 2:
            requests.append((text, right if right in listed else None, [name for name in listed if name != right]))
    return requests


class Tools:
    """The tools of the pack, and which are near misses of a request."""

    licence = "MIT"

    def __init__(self, data):
        self.requests, self.described = tool_requests(data)
        self.names = sorted(self.described)
        self.words = {
            name: words(re.sub(r"([a-z])([A-Z])", r"\1 \2", name) + " " + text) for name, text in self.described.items()
        }
        common = {}
        for said in self.words.values():
            for word in said:
                common[word] = common.get(word, 0) + 1
        self.rare = {word: 1 / count for word, count in common.items()}

    def near(self, text, right, rng):
        """A tool among the five that share most with the request and the right tool, rare words first."""
        said = words(text) | self.words.get(right, set())
        scored = [
            (sum(self.rare[word] for word in sorted(said & self.words[name])), name)
            for name in rng.sample(self.names, 60)
            if name != right
        ]
        return rng.choice(sorted(scored)[-5:])[1]

    def draw(self, rng):
        """A request, the function that fits or None, a list of those that do not, and what each does."""
        text, right = rng.choice(self.requests)
        if rng.random() < 0.06:
            text, right = rng.choice(SHORT), None
        elif rng.random() < 0.3:
            text = asking_for(self.described[right], rng) or text
        others = []
        for _ in range(4):
            other = self.near(text, right, rng) if rng.random() < 0.5 else rng.choice(self.names)
            if other != right and other not in others:
                others.append(other)
        return text, right, others, self.described


class Intents:
    """Requests of the intent rows, with intents as functions."""

    licence = "CC BY 3.0"

    def __init__(self, data):
        self.requests = intent_requests(data)

    def draw(self, rng):
        text, right, others = rng.choice(self.requests)
        near, far = others[:4], rng.choice(self.requests)[2][:4]
        others = [
            name for name in dict.fromkeys(rng.sample(near, len(near)) + rng.sample(far, len(far))) if name != right
        ]
        if rng.random() < 0.5:
            rng.shuffle(others)
        form = rng.choice(DOES)
        return (
            text,
            right,
            others[:4],
            {name: form.format(name.replace("_", " ")) for name in [*others, *([right] if right else [])]},
        )


class Catalogue:
    """Functions in groups of four that are alike, with requests of our own."""

    licence = "Apache-2.0"

    def __init__(self):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "functions.json")) as file:
            self.groups = json.load(file)
        self.described = {function["name"]: function["description"] for group in self.groups for function in group}

    def draw(self, rng):
        group = rng.choice(self.groups)
        function = rng.choice(group)
        text = asking_for(function["description"], rng) if rng.random() < 0.55 else None
        text = text or filled(rng.choice(function["requests"]), rng)
        near = [other["name"] for other in group if other is not function]
        others = []
        for _ in range(4):
            other = rng.choice(near) if rng.random() < 0.5 else rng.choice(rng.choice(self.groups))["name"]
            if other != function["name"] and other not in others:
                others.append(other)
        return text, function["name"], others, self.described


def state_of(text, functions, rng):
    """A state of the request and the functions [(name, description)].

    Mostly a list of objects; sometimes an object or lines, or the functions first."""
    asked, listed = rng.choice(("request", "user", "query")), rng.choice(("functions", "tools"))
    form = rng.random()
    if form < 0.12:
        lines = [
            f"{asked.capitalize()}: {text}",
            f"{listed.capitalize()}:",
            *(f"- {name}: {what}" for name, what in functions),
        ]
        return "\n".join(lines if form < 0.08 else [*lines[1:], lines[0]])
    what = dict(functions) if form < 0.25 else [{"name": name, "description": what} for name, what in functions]
    return {asked: text, listed: what} if rng.random() < 0.8 else {listed: what, asked: text}


def make(source, rng, index):
    text, right, others, described = source.draw(rng)
    fits = right is not None and rng.random() < 0.4
    shown = others[: rng.choice((1, 1, 1, 2, 2, 3, 4)) - (1 if fits else 0)] + ([right] if fits else [])
    rng.shuffle(shown)
    names = {name: style(name, rng) for name in shown}
    state = state_of(text, [(names[name], described[name]) for name in shown], rng)
    none = rng.choice(NONE)
    options = [*dict.fromkeys([*names.values(), none])]
    rng.shuffle(options)
    asks_lack, named = rng.random() < 0.25, rng.choice(shown)
    return {
        "id": f"functions-{index:06d}",
        "source": "functions",
        "task": "function choice",
        "licence": source.licence,
        "state": state,
        "questions": {
            "function": {
                "type": "choice",
                "instructions": rng.choice(CHOICES),
                "criteria": dict.fromkeys(options),
            },
            "relevant": {"type": "noul", "instructions": rng.choice(LACKS if asks_lack else FITS)},
            "serves": {"type": "noul", "instructions": rng.choice(SERVES).format(names[named])},
        },
        "truth": {
            "function": names[right] if fits else none,
            "relevant": fits != asks_lack,
            "serves": fits and named == right,
        },
    }


def main(data, out, count=45000):
    rng = random.Random(5)
    tools, intents, catalogue = Tools(data), Intents(data), Catalogue()
    with open(out, "w") as file:
        for index in range(int(count)):
            file.write(json.dumps(make((intents, tools, catalogue)[index % 3], rng, index)) + "\n")
    print(
        f"{count} rows from {len(tools.requests)} requests for {len(tools.names)} tools and {len(intents.requests)} "
        f"with intents, and {len(catalogue.described)} functions"
    )


if __name__ == "__main__":
    main(*sys.argv[1:4])
