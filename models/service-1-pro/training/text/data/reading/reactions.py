"""ZhaoyueSun/PHEE: sentences of medical case reports on what a medicine did to a patient, in which people marked the
medicine, its dose, the patient, the illness treated and the unwanted effect (Sun and others, 2022; MIT). Rows ask who
was given what, against what, and what came of it; what was treated is not what was caused.
"""

import collections
import json
import re

from data.shared import evened, one_of_kinds, rows

REPOSITORY = "ZhaoyueSun/PHEE"
LICENCE = "MIT"
FILES = ("train", "dev", "test")
FEWEST_WORDS, MOST_WORDS, MOST_NAME = 7, 90, 8
CAUSED = [
    ("The report puts {effect} down to {drug}.", True),
    ("{drug} is named as what brought about {effect}.", True),
    ("The report connects {effect} with taking {drug}.", True),
    ("Does the report name {effect} as an unwanted effect of {drug}?", True),
    ("A side effect of {drug}, by this report: {effect}", True),
    ("The report does not put {effect} down to {drug}.", False),
    ("The report does not name {drug} as the cause of {effect}.", False),
    ("Nothing is said of {drug} bringing about {effect}.", False),
]
TREATED = [
    ("{drug} was given against {illness}.", True),
    ("What {drug} was meant to treat: {illness}", True),
    ("The patient got {drug} because of {illness}.", True),
    ("Is {drug} used for {illness} here?", True),
    ("Reason for giving {drug}: {illness}", True),
    ("The reason for giving {drug} is something else than {illness}.", False),
    ("{drug} was given for something else than {illness}.", False),
    ("The report does not say that {drug} was used to treat {illness}.", False),
]
SEX = one_of_kinds.written(
    {
        "female": (
            ["The patient is a woman or a girl.", "The report is on a female patient.", "Sex of the patient: female"],
            ["The patient is not a woman or a girl, as far as is told.", "No female patient is mentioned."],
        ),
        "male": (
            ["The patient is a man or a boy.", "The report is on a male patient.", "Sex of the patient: male"],
            ["The patient is not a man or a boy, as far as is told.", "No male patient is mentioned."],
        ),
        "untold": (
            ["It is not told whether the patient is male or female.", "The patient's sex is left out."],
            ["The sex of the patient is stated.", "One can tell whether the patient is male or female."],
        ),
    }
)
SEXES = [
    {"female": "female", "male": "male", "untold": "not stated"},
    {"female": "a woman or girl", "male": "a man or boy", "untold": "it is not said"},
    {"female": "F", "male": "M", "untold": "unknown"},
]
SEX_ASKS = ["Sex of the patient", "Is the patient male or female?", "Fill in the sex."]
WORDS_OF_SEX = {
    "female": {"woman", "women", "female", "females", "girl", "girls", "lady", "mother"},
    "male": {"man", "men", "male", "males", "boy", "boys", "gentleman", "father"},
}
HINTS = re.compile(r"\b(?:he|she|his|her|him|hers|pregnan\w+|prostat\w+|ovar\w+|uter\w+|vagin\w+|testic\w+|penil\w+)\b")
AGED = re.compile(r"\d|\b(?:year|month|week|day|old|child|infant|neonat|elder|adult|adolesc|boy|girl|young|teen)", re.I)
DOSED = re.compile(r"\d|\b(?:dose|dosage|dosing|mg|low|high|single|daily|weekly)\b", re.I)
ROUTE = (
    r"intra|oral|topical|inject|inhal|infus|subcut|drops|systemic|dermal|epidural|spinal|iv\b|parenteral|rectal|nasal|"
    r"cream|patch"
)
SURE = {"dose": re.compile(r"\d"), "route": re.compile(ROUTE, re.I)}
VAGUE_ROUTE = re.compile(r"(?:inject|infus|inhal)\w*", re.I)  # a text may also say into what
EPONYM = re.compile(r"[A-Z][a-z]+(?:'s|-[A-Z]| (?:disease|syndrome|sign|reaction|phenomenon)\b)")
QUOTES = {
    "drug": ["Which medicine is it about?", "The medicine", "Copy the name of the drug.", "Drug"],
    "effect": ["What happened to the patient?", "The unwanted effect", "Copy the side effect.", "Adverse reaction"],
    "illness": ["What was the medicine given for?", "The illness treated", "Reason for the treatment"],
    "age": ["The age of the patient", "How old is the patient?", "Copy the age."],
    "dose": ["How much was given?", "The dose", "Dosage, as written"],
    "route": ["How was the medicine given?", "Route of administration", "The way it was given"],
}
ROLES = [
    {"drug": "the medicine", "effect": "the unwanted effect", "illness": "what was treated", "patient": "the patient"},
    {"drug": "drug", "effect": "adverse event", "illness": "indication", "patient": "patient"},
    {
        "drug": "what was given",
        "effect": "what came of it",
        "illness": "what it was given for",
        "patient": "who got it",
    },
]
ROLE_ASKS = ['What is "{}" in this report?', 'Label "{}".', 'Which field of the form does "{}" go into?']
ABSENT = 0.12


def spans(part, name):
    """The texts marked as something, if each is one stretch."""
    found = (part or {}).get(name, {}).get("text", [])
    return [one[0] for one in found] if all(len(one) == 1 for one in found) else []


def is_whole(said, text):
    """Whether a marked text begins and ends with whole words: some marks are a letter off."""
    return re.search(rf"(?<!\w){re.escape(said)}(?!\w)", text) is not None


def marked(show):
    """(text, {what: the one text marked as it}) of sentences on one event."""
    for file in FILES:
        for line in show(f"data/json/{file}.json").splitlines():
            one = json.loads(line)
            events = [event for each in one["annotations"] for event in each["events"]]
            text = rows.plain(one["context"])
            if len(events) != 1 or "Negated" in events[0] or not FEWEST_WORDS <= len(text.split()) <= MOST_WORDS:
                continue
            event = events[0]
            treatment, subject = event.get("Treatment"), event.get("Subject")
            found = {
                "drug": [each[0] for each in (treatment or {}).get("Drug", {}).get("text", [])],
                "effect": spans(event, "Effect") if event["event_type"] == "Adverse_event" else [],
                "illness": spans(treatment, "Disorder"),
                "patient": spans(event, "Subject"),
                "age": spans(subject, "Age"),
                "sex": spans(subject, "Gender"),
                "dose": spans(treatment, "Dosage"),
                "route": spans(treatment, "Route"),
            }
            told = {name: each[0].strip(" .,;:") for name, each in found.items() if len(each) == 1 and each[0] in text}
            told = {name: each for name, each in told.items() if is_whole(each, text)}
            told = {name: each for name, each in told.items() if name not in SURE or SURE[name].search(each)}
            if VAGUE_ROUTE.fullmatch(told.get("route", "")) and len(SURE["route"].findall(text)) > 1:
                del told["route"]
            if "drug" in told:
                yield text, told, {name for name, each in found.items() if each}


def surely_for(text, illness):
    """Whether the text says in so many words that an illness was treated."""
    return re.search(rf"\b(?:for|treat\w*|against)\b(?: of)?[^,.;]{{0,25}}{re.escape(illness)}", text)


def named(text):
    """A name for a claim: short, in one piece; None else."""
    return (
        text
        if len(text.split()) <= MOST_NAME
        and not re.search(r"[;:()]|\b(?:and|or|who|which|was|were|had|has|have|is|are)\b", text)
        else None
    )


def small(text):
    """As within a sentence."""
    return text if EPONYM.match(text) or not re.match(r"[A-Z][a-z]", text) else text[0].lower() + text[1:]


def claim(text, told, others, surplus, rnd):
    """What a medicine did or was for, as it is told, the other way round, or with a name from elsewhere."""
    effect, illness = named(told.get("effect", "")) or None, named(told.get("illness", "")) or None
    drug, made = small(told["drug"]), []
    illness = illness if illness and surely_for(text, illness) else None
    if effect:
        made += [(CAUSED, True, drug, effect), (TREATED, False, drug, effect)]
        other = small(rnd.choice(others)["drug"])
        made += [] if other.lower() in text.lower() else [(CAUSED, False, other, effect)]
    if illness:
        made += [(TREATED, True, drug, illness), (CAUSED, False, drug, illness)]
        other = small(rnd.choice(others)["drug"])
        made += [] if other.lower() in text.lower() else [(TREATED, False, other, illness)]
    holds = rnd.random() < 0.5
    fitting = [one for one in made if one[1] is holds]
    if not fitting:
        return None
    said, holds, drug, what = rnd.choice(fitting)
    what = small(what)
    asked = evened.claim(said, holds, surplus, rnd, drug=drug, effect=what, illness=what)
    if asked is None:
        return None
    question, truth = asked
    return question | {"instructions": rows.begun(question["instructions"])}, truth


def sex(text, told):
    word = told.get("sex", "").lower()
    found = [kind for kind, words in WORDS_OF_SEX.items() if word in words]
    if found:
        return found[0]
    every = set(re.findall("[a-z]+", text.lower()))
    other = HINTS.search(text.lower()) or any(every & words for words in WORDS_OF_SEX.values())
    return None if word or other else "untold"


def quotes(text, told, every, rnd):
    """Questions for what is marked, and now and then for what is surely not there."""
    for name in QUOTES:
        if name in told and (name != "illness" or surely_for(text, told[name])):
            yield name, told[name]
    for name, hint in (("age", AGED), ("dose", DOSED), ("route", SURE["route"])):
        if name not in every and not hint.search(text) and rnd.random() < ABSENT:
            yield name, None


def role(told, rnd):
    """What one of the marked texts is."""
    shown = [name for name in ROLES[0] if name in told and len(told[name].split()) <= MOST_NAME + 4]
    if not shown:
        return None
    name, names = rnd.choice(shown), rnd.choice(ROLES)
    options = list(names.values())
    rnd.shuffle(options)
    return {"type": "choice", "instructions": rnd.choice(ROLE_ASKS).format(told[name]), "criteria": options}, names[
        name
    ]


def read(show, rnd):
    every = list(marked(show))
    others = [told for _, told, _ in every]
    surplus, sexes = collections.Counter(), collections.Counter()
    for count, (text, told, marks) in enumerate(every):
        made = [claim(text, told, others, surplus, rnd)]
        kind = sex(text, told)
        if kind and (kind != "untold" or rnd.random() < 0.1):
            truths = {one: one == kind for one in WORDS_OF_SEX} | {"untold": kind == "untold"}
            made += one_of_kinds.claims(truths, SEX, 1, sexes, rnd)
            if rnd.random() < 0.4:
                made.append(one_of_kinds.choice(kind, SEXES, SEX_ASKS, rnd, most=3))
        asked = list(quotes(text, told, marks, rnd))
        rare = [one for one in asked if one[0] not in ("drug", "effect")]
        name, said = rnd.choice(rare if rare and rnd.random() < 0.6 else asked)
        if rnd.random() < 0.75:
            made.append(({"type": "extract", "instructions": rnd.choice(QUOTES[name])}, said))
        if rnd.random() < 0.3:
            made.append(role(told, rnd))
        made = [one for one in made if one is not None]
        rnd.shuffle(made)
        if made:
            state = {rnd.choice(["report", "text", "sentence"]): text} if rnd.random() < 0.25 else text
            yield rows.row(f"reactions-{count:05d}", "reports on medicines", LICENCE, state, made)
