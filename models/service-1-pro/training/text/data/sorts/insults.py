"""ipavlopoulos/toxic_spans: comments under news (Civil Comments) in which three to seven people marked the words that
are insulting, obscene, threatening or against a group (Pavlopoulos and others, 2021 and 2022; CC0).

A row is a sentence or two of a comment: with words that most marked, or of the same comments with none that
anybody did.
"""

import collections
import csv
import io

from data.reading.shifts import sentences
from data.shared import one_of_kinds, rows

REPOSITORY = "ipavlopoulos/toxic_spans"
MOST, MOST_PEOPLE = 10000, 20
FEWEST_WORDS, MOST_WORDS = 5, 90
MARKED = 0.6  # share of the people
TYPES = {"Insult": "insult", "Profane/Obscene": "profane", "Identity based Attack": "group", "Threat": "threat"}
SAID = one_of_kinds.written(
    {
        "toxic": (
            [
                "The comment is toxic.",
                "A moderator should look at this.",
                "Is the comment abusive?",
                "The comment breaks a rule that asks for respect.",
                "The tone is hostile.",
                "Somebody is attacked here.",
            ],
            [
                "The comment is civil.",
                "Nothing in the comment is offensive.",
                "The comment can stay as it is.",
                "Is the comment respectful?",
                "The writer stays polite.",
                "No one is attacked.",
            ],
        ),
        "insult": (
            [
                "The comment insults somebody.",
                "Somebody is called names.",
                "Does the writer insult anyone?",
                "There is an insult in the text.",
                "The comment belittles a person or people.",
            ],
            ["Nobody is insulted.", "The comment holds no insult.", "The writer calls nobody names."],
        ),
        "profane": (
            [
                "The comment holds swear words.",
                "The language is obscene.",
                "Does the writer swear?",
                "There is profanity.",
            ],
            ["There are no swear words in the comment.", "The language is clean."],
        ),
        "group": (
            [
                "The comment attacks a group of people for what they are.",
                "This is hate speech.",
                "Is a religion, nation, sex or race insulted?",
                "The comment is an attack on an identity.",
            ],
            ["No group of people is attacked.", "The comment is free of hate against groups."],
        ),
        "threat": (
            [
                "The comment threatens somebody.",
                "Harm is wished on somebody.",
                "Does the writer call for violence?",
                "This is a threat.",
            ],
            ["Nobody is threatened.", "The comment wishes no harm on anyone."],
        ),
    }
)
NAMES = [
    {"insult": "insult", "profane": "profanity", "group": "hate against a group", "threat": "threat", "clean": "none"},
    {
        "insult": "somebody is insulted",
        "profane": "foul language",
        "group": "an attack on an identity",
        "threat": "a threat",
        "clean": "nothing wrong",
    },
    {"insult": "Insult", "profane": "Obscenity", "group": "Hate speech", "threat": "Violence", "clean": "Acceptable"},
]
DESCRIPTIONS = {
    "insult": "a person or people are belittled or called names",
    "profane": "swear words or obscene language",
    "group": "aimed at a religion, nation, race, sex or orientation",
    "threat": "harm or violence is announced or wished for",
    "clean": "no rule is broken",
}
ASKS = ["What is wrong with the comment?", "Moderate the comment.", "Which rule does it break?", "Kind of abuse"]
DONE = [
    ("What should a moderator do?", ("remove", "keep")),
    ("Is the comment fit to be published?", ("no", "yes")),
    ("Classify the comment.", ("toxic", "civil")),
    ("Classify.", ("abusive", "not abusive")),
    ("How does the writer speak of others?", ("with contempt", "with respect or not at all")),
]
RATES = ["How toxic is the comment?", "Rate how offensive it is.", "Severity", "How hostile is the tone?"]
SCALES = [
    ["civil", "borderline", "toxic"],
    ["not offensive", "somewhat offensive", "offensive"],
    ["fine", "doubtful", "abusive"],
]
COPY = ["Copy the offensive words.", "Which words are insulting or obscene?", "The words that a moderator would mark"]


def table(show, name):
    return csv.DictReader(io.StringIO(show(f"data/{name}.csv")))


def marked(show):
    """Of each comment the text and, of each person who judged it, [(type, first, last)] of what he marked."""
    spans = collections.defaultdict(list)
    for one in table(show, "spans"):
        spans[one["annotation"]].append((TYPES.get(one["type"]), int(one["start"]), int(one["end"])))
    people = collections.defaultdict(list)
    for one in table(show, "annotations"):
        people[one["comment_id"]].append(spans[one["annotation"]])
    texts = {one["comment_id"]: one["comment_text"] for one in table(show, "comments")}
    return [(texts[name], judged) for name, judged in people.items() if name in texts and len(judged) <= MOST_PEOPLE]


def parts(text, people, rnd):
    """(first, last) of a sentence or two with words that most marked, and of one or two where nobody marked any."""
    spans = sentences(text)
    rated = [share(people, a, b) for a, b in spans]
    for wanted in (lambda one: one >= MARKED, lambda one: one == 0):
        fitting = [n for n, one in enumerate(rated) if wanted(one)]
        if fitting:
            n = rnd.choice(fitting)
            more = n + 1 < len(spans) and rnd.random() < 0.4 and (rated[n] > 0 or rated[n + 1] == 0)
            yield spans[n][0], spans[n + more][1]


def share(people, first, last, kind=None):
    """The share of people who marked something there, of one kind or any."""
    hits = [any(a < last and b > first and kind in (None, what) for what, a, b in one) for one in people]
    return sum(hits) / len(hits)


def row(name, text, people, part, surplus, rnd):
    shares = {kind: share(people, *part, kind) for kind in TYPES.values()}
    total = share(people, *part)
    truths = {kind: one >= MARKED for kind, one in shares.items() if one >= MARKED or one == 0}
    truths["toxic"] = total >= MARKED
    if total and not truths.get("insult"):
        truths.pop("insult", None)  # people take an insult and another attack for each other
    made = list(one_of_kinds.claims(truths, SAID, rnd.choice([1, 2, 2]), surplus, rnd))
    if rnd.random() < 0.3:
        made.append(rows.either(DONE, truths["toxic"], rnd))
    sure = [kind for kind, one in shares.items() if one >= MARKED] or (["clean"] if total == 0 else [])
    if len(sure) == 1 and all(one <= 0.34 for kind, one in shares.items() if kind != sure[0]) and rnd.random() < 0.6:
        near = () if sure == ["clean"] else ("clean",)
        made.append(one_of_kinds.choice(sure[0], NAMES, ASKS, rnd, near, 5, DESCRIPTIONS))
    if rnd.random() < 0.25:
        level = 0 if total == 0 else 2 if total > 0.9 else 1
        asked = {"type": "score", "instructions": rnd.choice(RATES), "criteria": list(rnd.choice(SCALES))}
        made.append((asked, level))
    words = collections.Counter(
        text[a:b].strip(' \n.,;:!?"')
        for one in people
        for _, a, b in one
        if part[0] <= a and b <= part[1] and b - a < 60
    )
    if words and words.most_common(1)[0][1] >= MARKED * len(people) and rnd.random() < 0.35:
        made.append(({"type": "extract", "instructions": rnd.choice(COPY)}, words.most_common(1)[0][0]))
    return rows.row(name, "insults", "CC0", " ".join(text[slice(*part)].split()), made[:5])


def read(show, rnd):
    surplus, comments, count = collections.Counter(), marked(show), 0
    rnd.shuffle(comments)
    for text, people in comments:
        for part in parts(text, people, rnd):
            if FEWEST_WORDS <= len(text[slice(*part)].split()) <= MOST_WORDS and count < MOST:
                made = row(f"insults-{count:05d}", text, people, part, surplus, rnd)
                if made["questions"]:
                    yield made
                    count += 1
