"""yamanalab/ec-darkpattern: texts of web shops, some of which press the customer: little time, few left, what others
buy, refusals that shame, ways out that take a call (Yada and others, 2022; patterns of Mathur and others, 2019;
Apache-2.0).

A row is one text, or several as they stand on a page. Texts are used whose words show the kind they were given; plain
ones have none of these words.
"""

import collections
import csv
import io
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "yamanalab/ec-darkpattern"
PATH = "dataset/dataset.tsv"
LICENCE = "Apache-2.0"
PAGES, MOST_PLAIN, MOST_WORDS, FEWEST_LETTERS = 1500, 350, 90, 4
PLAIN = "plain"
# Kind as the data set has it: ours, the words that show it.
FOUND = {
    "Urgency": (
        "time",
        r"limited[- ]time|time left|hours?\b|hrs?\b|minutes?|\bmins?\b|seconds|expire|ends|reserved|act now|today only"
        r"|days? left|last chance|flash",
    ),
    "Scarcity": (
        "stock",
        r"\bleft\b|few|almost gone|remaining|low (?:in )?stock|limited (?:quantit|availab|stock|suppl)"
        r"|almost sold|only \d+",
    ),
    "Social Proof": (
        "others",
        r"bought|purchased|view|people|customers|sold|carts?\b|baskets?\b|looking|someone|ordered|active|watching|shoppers",
    ),
    "Misdirection": (
        "shame",
        r"^(?:\W*)no\b.*(?:thank|\bi\b|don.?t|rather|prefer|like|hate|want)",
    ),
    "Obstruction": ("cancelling", r"cancel.*(?:call|phone|contact|e-?mail|postal|write)|to cancel"),
}
ANY = re.compile(
    "|".join(words for _, words in FOUND.values())
    + r"|limited|hurry|sale|off\b|save|free|offer|popular|best|exclusive|cancel|trending|no thank|stock|rated|reviews?"
    r"|\bI\b|\bmy\b|author",
    re.I,
)
HASTE = re.compile(r"hurry|quick|soon|fast|act now|don.?t (?:miss|wait)|gone|get it", re.I)
SAID = one_of_kinds.written(
    {
        "time": (
            [
                "The customer is put under pressure of time.",
                "An offer or a reservation is said to end soon.",
                "There is a countdown or a deadline.",
                "The shop suggests that one has to be quick because time runs out.",
                "Does a text speak of limited time?",
            ],
            ["There is no time limit in the text.", "No deadline is used to press the customer."],
        ),
        "stock": (
            [
                "The shop says that little is left.",
                "Low stock or high demand is pointed out.",
                "The customer is told that the goods may soon be gone.",
                "Scarcity is used to sell.",
                "Is it said that few are left?",
            ],
            ["Nothing is said about low stock.", "The text does not suggest that goods are running out."],
        ),
        "others": (
            [
                "The customer is told what other people buy or look at.",
                "The activity of other shoppers is shown.",
                "The shop points to other customers to sell more.",
                "Other people's purchases, visits or carts are mentioned.",
                "Does the shop use social proof?",
            ],
            ["Other shoppers are not mentioned.", "The text does not show what others buy or look at."],
        ),
        "shame": (
            [
                "Whoever declines is made to look foolish or ungrateful.",
                "The button for refusing is worded to shame the customer.",
                "To say no, one has to click on something unflattering.",
                "A refusal is put into words that nobody would like to say.",
                "Is the customer shamed for declining?",
            ],
            ["Nobody is shamed for declining.", "There is no refusal that is worded to embarrass."],
        ),
        "cancelling": (
            [
                "It is said how a membership, subscription or order is cancelled.",
                "To get out, the customer has to write, call or contact someone.",
                "The text deals with cancelling.",
                "Ending a membership, subscription or order takes a message, a call or another step.",
                "Is cancelling explained?",
            ],
            ["Cancelling is not dealt with.", "The text does not tell how to get out of a subscription or order."],
        ),
        "pressing": (
            [
                "The shop presses or steers the customer.",
                "There is a dark pattern.",
                "A text is meant to hurry, tempt or shame the customer.",
                "A reviewer of fair design would object to something here.",
                "Is the customer being manipulated?",
            ],
            [
                "The wording is neutral.",
                "There is no dark pattern here.",
                "Nothing here puts the customer under pressure.",
                "The text is plain information or navigation.",
            ],
        ),
    }
)
NAMES = [
    {
        "time": "urgency",
        "stock": "scarcity",
        "others": "social proof",
        "shame": "shaming",
        "cancelling": "cancellation",
        PLAIN: "none",
    },
    {
        "time": "time is said to run out",
        "stock": "little is said to be left",
        "others": "other shoppers are pointed to",
        "shame": "declining is made embarrassing",
        "cancelling": "leaving takes a call or a message",
        PLAIN: "ordinary text of a shop",
    },
    {
        "time": "Countdown or deadline",
        "stock": "Low stock",
        "others": "Activity of others",
        "shame": "Guilt for refusing",
        "cancelling": "Hard to cancel",
        PLAIN: "No dark pattern",
    },
]
DESCRIPTIONS = {
    "time": "a countdown, a deadline or an offer that ends soon",
    "stock": "few items left, low stock or high demand",
    "others": "what other customers buy, view or have in their carts",
    "shame": "a refusal worded so that one feels bad about it",
    "cancelling": "how to end a membership, subscription or order",
    PLAIN: "navigation, descriptions and other neutral text",
}
ASKS = ["Which dark pattern is this?", "How is the customer pressed?", "Classify the text.", "Kind of pressure"]
COPY = {
    "time": ["Copy the text that puts the customer under pressure of time.", "Which text speaks of limited time?"],
    "stock": ["Copy the text that says that little is left.", "Which text points to low stock or high demand?"],
    "others": ["Copy the text about other shoppers.", "Which text tells what other people do?"],
    "shame": ["Copy the refusal that is worded to shame.", "Which text makes declining embarrassing?"],
    "cancelling": ["Copy the text about cancelling.", "Which text says how to get out?"],
}
SELECT = ["Which kinds of pressure are there on the page?", "Patterns on the page", "What does the page use?"]
# Numbers that a text tells: words around it, questions.
COUNTS = [
    (
        r"(?:only|just) (\d+)(?: \w+){0,2} (?:left|remaining)|^(\d+) items? left",
        ["How many are left?", "Number in stock"],
    ),
    (r"(\d+) (?:people|customers|shoppers|others|users)", ["How many people are mentioned?", "Number of people"]),
    (r"(\d+) (?:minutes?|mins) ago", ["How many minutes ago?", "Minutes since the purchase"]),
]


def is_plain(text):
    """Whether a text has none of the words that any kind may have."""
    return re.search(r"[a-z]{3}", text, re.I) is not None and not (ANY.search(text) or HASTE.search(text))


def texts(show):
    """kind -> texts, each once whatever its numbers are three times at most."""
    kinds, seen = collections.defaultdict(list), collections.Counter()
    for one in csv.DictReader(io.StringIO(show(PATH)), delimiter="\t"):
        text, given = rows.plain(one["text"].replace('""', '"')), one["Pattern Category"]
        alike = re.sub(r"\d+", "0", text.lower())
        seen[alike] += 1
        fits = len(text) >= FEWEST_LETTERS and len(text.split()) <= MOST_WORDS and seen[alike] <= 3 and text.isascii()
        if fits and given in FOUND:
            kind, _ = FOUND[given]
            hits = [name for name, others in FOUND.values() if re.search(others, text, re.I)]
            if hits == [kind] or (kind == "cancelling" and kind in hits):
                kinds[kind].append(text)
        elif fits and given == "Not Dark Pattern" and is_plain(text):
            kinds[PLAIN].append(text)
    return kinds


def truths_of(kinds, text):
    """kind -> whether it is there, where that is sure."""
    truths = {kind: kind in kinds for kind in COPY}
    if not truths["time"] and HASTE.search(text):
        truths.pop("time")
    # Some take a mere number for information: what is left, what others do, how to cancel.
    if not kinds or {"time", "shame"} & set(kinds) or HASTE.search(text):
        truths["pressing"] = bool(kinds)
    return truths


def counted(text, rnd):
    """A question about a number that the text tells, and it."""
    for words, asks in COUNTS:
        found = re.search(words, text, re.I)
        if found and len(re.findall(r"\d+", text)) == 1:
            yield {"type": "extract", "instructions": rnd.choice(asks)}, next(one for one in found.groups() if one)
            return


def alone(text, kind, surplus, rnd):
    yield from one_of_kinds.claims(truths_of([kind], text), SAID, rnd.choice([1, 2, 2]), surplus, rnd)
    if rnd.random() < 0.45:
        yield one_of_kinds.choice(kind, NAMES, ASKS, rnd, () if kind == PLAIN else (PLAIN,), 6, DESCRIPTIONS)
    if rnd.random() < 0.5:
        yield from counted(text, rnd)


def together(shown, surplus, rnd):
    """Questions about texts on a page; `shown`: text -> kind."""
    kinds = [kind for kind in shown.values() if kind != PLAIN]
    yield from one_of_kinds.claims(truths_of(kinds, " ".join(shown)), SAID, rnd.choice([1, 2, 2]), surplus, rnd)
    for text, kind in shown.items():
        if kind != PLAIN and kinds.count(kind) == 1 and rnd.random() < 0.45:
            yield {"type": "extract", "instructions": rnd.choice(COPY[kind])}, text
            break
    if kinds and rnd.random() < 0.35:
        names = rnd.choice(NAMES)
        options = rnd.sample([kind for kind in COPY if kind != "cancelling"], 4)
        right = [names[kind] for kind in options if kind in kinds]
        yield (
            {"type": "select", "instructions": rnd.choice(SELECT), "options": [names[kind] for kind in options]},
            right,
        )


def read(show, rnd):
    kinds, surplus, count = texts(show), collections.Counter(), 0
    for kind, found in kinds.items():
        for text in found[: MOST_PLAIN if kind == PLAIN else None]:
            made = list(alone(text, kind, surplus, rnd))
            if made:
                state = {rnd.choice(["text", "button", "banner"]): text} if rnd.random() < 0.15 else text
                yield rows.row(f"pressure-{count:05d}", "texts of shops", LICENCE, state, made)
                count += 1
    for _ in range(PAGES):
        shown = dict.fromkeys(rnd.sample(kinds[PLAIN], rnd.randint(3, 6)), PLAIN)
        for kind in rnd.sample(sorted(COPY), rnd.choice([0, 1, 1, 2, 3])):
            shown[rnd.choice(kinds[kind])] = kind
        shown = dict(rnd.sample(list(shown.items()), len(shown)))
        made = list(together(shown, surplus, rnd))
        if made:
            page = list(shown)
            state = "\n".join(page) if rnd.random() < 0.6 else {"texts": page} if rnd.random() < 0.5 else page
            yield rows.row(f"pressure-{count:05d}", "texts of shops", LICENCE, state, made)
            count += 1
