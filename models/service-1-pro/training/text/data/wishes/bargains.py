"""kushalchawla/CaSiNo: campers who bargain for food, water and firewood; people marked what each line does, and each
talk has the deal that came of it (Chawla and others, 2021; CC BY 4.0). A row is a line, or how a talk ends.
"""

import collections
import json
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "kushalchawla/CaSiNo"
FILES = [f"data/split/casino_{part}.json" for part in ("train", "valid", "test")]
LICENCE = "CC BY 4.0"
PLAIN_KEPT = 0.45  # of lines that do none of this
MOVES = {
    "small-talk": (
        ["This is small talk.", "The speaker chats about something else than the bargain."],
        ["There is no small talk in this.", "The speaker keeps to the bargain, without any chat."],
    ),
    "self-need": (
        ["The speaker gives a need of their own as a reason.", "The speaker argues with what they need themselves."],
        ["The speaker does not argue with a need of their own.", "No need of the speaker's own is given as a reason."],
    ),
    "other-need": (
        [
            "The speaker brings up others who come along and need something.",
            "Needs of family or friends are mentioned.",
        ],
        ["No needs of family, friends or pets are mentioned.", "The speaker argues with nobody else's needs."],
    ),
    "no-need": (
        ["The speaker says that there is something they hardly need.", "The speaker can do without something."],
        ["The speaker does not say that they could do without anything.", "Nothing is called unneeded by the speaker."],
    ),
    "elicit-pref": (
        ["The speaker asks what the other one wants or needs.", "The speaker wants to know the other's preferences."],
        ["The speaker does not ask what the other one prefers.", "The other's wishes are not asked for."],
    ),
    "promote-coordination": (
        [
            "The speaker proposes a trade, or that both work together.",
            "The speaker tries to meet the other one halfway.",
        ],
        ["No trade is offered here, and no working together.", "The speaker proposes nothing to settle it together."],
    ),
    "vouch-fair": (
        ["The speaker appeals to fairness.", "The argument is about what is fair."],
        ["Fairness is not brought up.", "The speaker does not argue with what is fair."],
    ),
    "showing-empathy": (
        ["The speaker feels with the other one.", "The speaker shows understanding for the other's situation."],
        ["The speaker shows no sympathy in this.", "The other's situation is met with no compassion here."],
    ),
    "uv-part": (
        ["The speaker plays down what the other one needs.", "The speaker doubts that the other one needs so much."],
        ["The speaker does not call the other's needs into question.", "The other's needs are not played down."],
    ),
}
SAID = one_of_kinds.written(MOVES)
NAMES = [
    {
        "small-talk": "small talk",
        "self-need": "own need",
        "other-need": "need of family or friends",
        "no-need": "can do without something",
        "elicit-pref": "asks for the other's wishes",
        "promote-coordination": "proposes a trade",
        "vouch-fair": "appeals to fairness",
        "showing-empathy": "empathy",
        "uv-part": "plays down the other's needs",
    },
]
ASKS = [
    "What does the speaker do?",
    "The move in the negotiation",
    "What kind of line is this?",
    "How does one argue here?",
]
SPEAKERS = [("A", "B"), ("Camper 1", "Camper 2"), ("Mia", "Ravi"), ("Tom", "Ana"), ("Kofi", "Lena")]
THINGS = ("Food", "Water", "Firewood")
GETS_MORE = [
    ("{one} gets more {thing} than {other}.", True),
    ("Most of the {thing} goes to {one}.", True),
    ("Does {one} get more {thing} than {other} in the end?", True),
    ("The larger part of the {thing} is not for {one}.", False),
    ("{other} gets more {thing} than {one}.", False),
    ("{one} has to do with less {thing} than {other}.", False),
]
WHO = ["Who gets more {thing}?", "Most of the {thing} goes to", "Who takes the larger part of the {thing}?"]
GETS = [
    ("{one} gets {count} {thing}.", True),
    ("In the end, {one} has {count} {thing}.", True),
    ("{thing} for {one}: {count}", True),
    ("{one} gets another amount of {thing} than {count}.", False),
    ("It is not agreed that {one} gets {count} {thing}.", False),
]
# A row on the end of a talk has its last lines, in which most of the deal is named: so many of six numbers.
SHORTEST, LONGEST, NAMED, MOST_WORDS = 6, 9, 4, 190
CONSENT = re.compile(r"deal|agree|sounds|great|perfect|thank|works|fine|fair|good|settled", re.I)
NUMBERS = {"0": "no|zero|0|none", "1": "1|one", "2": "2|two", "3": "3|three|all(?: of)?(?: the)?"}
SETTLED = ["The two come to an agreement.", "They agree in the end.", "A deal is made."]
# Told apart from a talk that breaks off before anything is agreed.
OPEN = ["Nothing has been agreed yet.", "The two have not come to terms so far.", "There is no deal at this point."]


def moves(talk, surplus, rnd):
    """Rows on single lines: (state, questions)."""
    before = None
    for line, marks in talk["annotations"]:
        line, marks = rows.plain(line), set(marks.split(","))
        last, before = before, line
        if len(line.split()) < 4 or (not marks & set(MOVES) and rnd.random() > PLAIN_KEPT):
            continue
        truths = {move: int(move in marks) for move in MOVES}
        made = list(one_of_kinds.claims(truths, SAID, rnd.choice([1, 2, 2, 3]), surplus, rnd))
        named = marks & set(MOVES)
        if len(marks) == 1 and named and rnd.random() < 0.4:
            made.append(one_of_kinds.choice(next(iter(named)), NAMES, ASKS, rnd, (), 6))
        if made:
            state = {"before": last, "line": line} if last and rnd.random() < 0.4 else line
            yield state, made


def agreed(talk):
    """The lines up to the deal, as (who, what), and what each gets; None where no deal is made at once."""
    lines = talk["chat_logs"]
    offers = [n for n, line in enumerate(lines) if line["text"] == "Submit-Deal"]
    if len(offers) != 1 or lines[-1]["text"] != "Accept-Deal":
        return None
    offer = lines[offers[0]]
    other = next(who for who in talk["participant_info"] if who != offer["id"])
    deal = {offer["id"]: offer["task_data"]["issue2youget"], other: offer["task_data"]["issue2theyget"]}
    return [(line["id"], rows.plain(line["text"])) for line in lines[: offers[0]]], deal


def is_named(said, deal):
    """How many of the six numbers of a deal are said."""
    return sum(
        bool(re.search(rf"\b(?:{NUMBERS[count]}) (?:\w+ ){{0,3}}{thing.lower().replace('fire', '(?:fire)?')}", said))
        for gets in deal.values()
        for thing, count in gets.items()
    )


def shares(deal, names, rnd):
    """Questions on who gets what."""
    for thing in rnd.sample(THINGS, 2):
        who = rnd.choice(list(deal))
        other = next(one for one in deal if one != who)
        mine, its = int(deal[who][thing]), int(deal[other][thing])
        words, drawn = {"one": names[who], "other": names[other], "thing": thing.lower()}, rnd.random()
        if drawn < 0.25:
            right = names[who] if mine > its else names[other]
            shown = rnd.sample(list(names.values()), 2)
            yield {"type": "choice", "instructions": rnd.choice(WHO).format(**words), "criteria": shown}, right
        elif drawn < 0.6:
            yield rows.claim(GETS_MORE, mine > its, rnd, **words)
        else:
            holds = rnd.random() < 0.5
            count = mine if holds else rnd.choice([its, its, *{0, 1, 2, 3} - {mine, its}])
            yield rows.claim(GETS, holds, rnd, **words, count=count)


def ends(talk, rnd):
    """Rows on how a talk ends, or on its beginning where nothing is agreed yet."""
    found = agreed(talk)
    if found is None:
        return
    lines, deal = found
    names = dict(zip(deal, rnd.choice(SPEAKERS), strict=True))
    for last in rnd.sample(range(SHORTEST, LONGEST + 1), 2):
        shown = lines[-last:]
        text = " ".join(text for _, text in shown).lower()
        if is_named(text, deal) < NAMED or len(text.split()) > MOST_WORDS:
            continue
        made = list(shares(deal, names, rnd))
        if CONSENT.search(shown[-1][1]) and rnd.random() < 0.6:
            made.append(({"type": "noul", "instructions": (said := rnd.choice(SETTLED + OPEN))}, said in SETTLED))
        yield [f"{names[who]}: {text}" for who, text in shown], made
    if len(lines) > 10 and rnd.random() < 0.4:
        said = rnd.choice(SETTLED + OPEN)
        begun = [f"{names[who]}: {text}" for who, text in lines[: rnd.randint(3, 5)]]
        yield begun, [({"type": "noul", "instructions": said}, said in OPEN)]


def read(show, rnd):
    surplus, counts = collections.Counter(), collections.Counter()
    for path in FILES:
        for talk in json.loads(show(path)):
            for state, made in moves(talk, surplus, rnd):
                state = rows.named(state, rnd.random() < 0.6) if isinstance(state, dict) else state
                yield rows.row(f"moves-{counts['moves']:05d}", "moves in a bargain", LICENCE, state, made)
                counts["moves"] += 1
            for lines, made in ends(talk, rnd):
                state = "\n".join(lines) if rnd.random() < 0.7 else {"talk": lines}
                yield rows.row(f"bargains-{counts['bargains']:05d}", "how a bargain ends", LICENCE, state, made)
                counts["bargains"] += 1
