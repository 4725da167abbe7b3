"""PolyAI-LDN/evi-paper (EVI, English): what people said to a telephone line that asks for their postcode, name and date
of birth, as a recognizer wrote it down, and the made-up customers whom they played (Spithourakis and others, 2022;
CC BY 4.0). Rows ask whether what was said agrees with a record, what does not, and which of several customers calls;
of what was said only that is shown which can be read in one way.
"""

import collections
import csv
import datetime
import io
import re

from data.shared import rows

REPOSITORY = "PolyAI-LDN/evi-paper"
LICENCE = "CC BY 4.0"
TIMES, MOST = 2, 4000
MONTHS = "January February March April May June July August September October November December".split()
SPELT = "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo"
SPELT = (SPELT + " sierra tango uniform victor whiskey x-ray yankee zulu").split()
DIGITS = "zero one two three four five six seven eight nine".split()
LETTERS = {word: word[0] for word in SPELT} | {word: str(n) for n, word in enumerate(DIGITS)} | {"juliett": "j"}
BORN = re.compile(
    r"(?:(?:my |the )?date of birth is |it'?s |born on )?(?:the )?(\d{1,2})(?:st|nd|rd|th)?(?: of)?(?: the)? "
    rf"({'|'.join(MONTHS)}|\d{{1,2}}(?:st|nd|rd|th))(?: of)?,? (\d{{4}})",
    re.I,
)
CALLED = {"name": "name", "dob": "date of birth", "postcode": "postcode"}
ASKED = {
    "name": ["What is your full name?", "Can I have your name, please?", "Your name, please."],
    "dob": ["What is your date of birth?", "When were you born?", "And your date of birth?"],
    "postcode": ["What is your postcode?", "Can you tell me your postcode?", "And the postcode, please?"],
}
SPEAKERS = [("Agent", "Caller"), ("System", "User"), ("Bot", "Customer"), ("A", "C")]
AGREES = [
    ("The {field} agrees with the record.", True),
    ("The {field} that the caller gives is the right one.", True),
    ("Does the {field} match?", True),
    ("The {field} that was given is another one than in the record.", False),
    ("The {field} is wrong.", False),
    ("There is a mismatch in the {field}.", False),
]
PASSES = [
    ("Everything that the caller gives agrees with the record.", True),
    ("The caller can be verified.", True),
    ("The caller is who the record is about.", True),
    ("Something that the caller gives does not match the record.", False),
    ("The check fails.", False),
    ("The caller gives at least one wrong detail.", False),
]
WRONG = ["What does not match the record?", "Which detail is wrong?", "Where is the mismatch?"]
NOTHING = ["nothing", "none", "everything matches"]
WHO = ["Which customer is calling?", "Whose account is it?", "Find the record of the caller.", "Who is on the phone?"]
NOBODY = ["none of these", "no match", "nobody"]
IS_WHO = [
    ("The caller is {who}.", True),
    ("The record that fits the caller is {who}.", True),
    ("Is {who} on the phone?", True),
    ("The caller is somebody else than {who}.", False),
    ("What was said does not fit {who}.", False),
    ("It would be wrong to open the record {who}.", False),
]
DATE_ASKS = ["The caller's date of birth", "When was the caller born?", "Date of birth, as given by the caller"]


def born(said):
    """The day that is said, or None where it can be read in two ways."""
    found = BORN.fullmatch(said.strip(" ."))
    if not found:
        return None
    month = found[2].capitalize()
    number = MONTHS.index(month) + 1 if month in MONTHS else int(re.sub(r"\D", "", month))
    try:
        return datetime.date(int(found[3]), number, int(found[1])).isoformat()
    except ValueError:
        return None


def spelt(said):
    """The letters and digits that are said one by one or in groups, or None where a word is neither."""
    said, made = re.sub(r"\b([a-z]) for [a-z]+", r"\1", said.lower()), ""
    for word in said.split():
        if word not in LETTERS and not (re.fullmatch(r"[a-z]?|[a-z]?\d+[a-z]?", word) or re.search(r"\d", word)):
            return None
        made += LETTERS.get(word, word)
    return made.upper()


def right(item, said, record):
    """Whether what was said is surely what the record has."""
    if item == "name":
        return said.strip().lower() == record["name"].lower()
    return born(said) == record["dob"] if item == "dob" else spelt(said) == record["postcode"].replace(" ", "")


def written(record, rnd):
    """The record with its date in one of three forms."""
    day = datetime.date.fromisoformat(record["dob"])
    forms = [
        record["dob"],
        f"{day.day} {MONTHS[day.month - 1]} {day.year}",
        day.strftime("%d/%m/%Y" if day.day > 12 else "%d %b %Y"),
    ]
    return record | {"dob": rnd.choice(forms)}


def nearly(record, item, others, rnd):
    """The record with another value of one detail, near the true one or somebody else's."""
    value = record[item]
    if item == "dob" and rnd.random() < 0.7:
        day = datetime.date.fromisoformat(value)
        change = rnd.choice(["year", "month", "day"])
        moved = {"year": day.year + rnd.choice([-10, -1, 1]), "month": day.month % 12 + 1, "day": day.day % 28 + 1}[
            change
        ]
        return record | {"dob": day.replace(**{"day": min(day.day, 28)} | {change: moved}).isoformat()}
    if item == "postcode" and rnd.random() < 0.7:
        at = rnd.choice([n for n, sign in enumerate(value) if sign not in " OIS015"] or [0])
        signs = "234679" if value[at].isdigit() else "BCDFGHJKLMNPQRTVWXYZ"
        return record | {"postcode": value[:at] + rnd.choice([s for s in signs if s != value[at]]) + value[at + 1 :]}
    if item == "name" and rnd.random() < 0.7:
        first, last = value.split(" ", 1)
        other = rnd.choice([one["name"] for one in others]).split(" ", 1)
        changed = f"{other[0]} {last}" if rnd.random() < 0.5 else f"{first} {other[1]}"
        return record | {"name": changed}
    return record | {item: rnd.choice([one[item] for one in others if one[item] != value])}


def shown(record, items, rnd):
    record = written(record, rnd)
    return {CALLED[item]: record[item] for item in items}


def talk(said, rnd):
    """What was said, as a talk or as fields."""
    if rnd.random() < 0.4:
        return {CALLED[item]: text for item, text in said.items()}
    names = rnd.choice(SPEAKERS)
    lines = [f"{names[0]}: {rnd.choice(ASKED[item])}\n{names[1]}: {text}" for item, text in said.items()]
    return "\n".join(lines)


def checked(said, record, others, rnd):
    """What was said beside one record, which is the right one or differs in one detail."""
    holds, items = rnd.random() < 0.5, list(said)
    wrong = None if holds else rnd.choice(items)
    beside = record if holds else nearly(record, wrong, others, rnd)
    state = {"record": shown(beside, rnd.sample(list(CALLED), 3), rnd), "said": talk(said, rnd)}
    made = []
    if rnd.random() < 0.6:
        made.append(rows.claim(PASSES, holds, rnd))
    if len(items) > 1 and rnd.random() < 0.5:
        none = rnd.choice(NOTHING)
        options = [CALLED[one] for one in items] + ([none] if holds or rnd.random() < 0.6 else [])
        rnd.shuffle(options)
        asked = {"type": "choice", "instructions": rnd.choice(WRONG), "criteria": options}
        made.append((asked, none if holds else CALLED[wrong]))
    if not made or rnd.random() < 0.5:
        item = wrong if wrong and rnd.random() < 0.6 else rnd.choice(items)
        made.append(rows.claim(AGREES, item != wrong, rnd, field=CALLED[item]))
    if "dob" in said and rnd.random() < 0.15:
        made.append(({"type": "fill", "kind": "date", "instructions": rnd.choice(DATE_ASKS)}, record["dob"]))
    return state, made


def found(said, record, others, rnd):
    """What was said beside some records, of which one fits or none."""
    count, missing = rnd.randint(3, 5), rnd.random() < 0.2
    near = [nearly(record, item, others, rnd) for item in rnd.sample(list(said), min(2, len(said)))]
    every = [*near, *rnd.sample(others, count)][:count]
    if not missing:
        every[-1] = record
    rnd.shuffle(every)
    form = rnd.choice(["customer {}", "{}", "C-{}"])
    names = [
        form.format(n) for n in (rnd.sample(range(1000, 9999), count) if form != "customer {}" else "ABCDE"[:count])
    ]
    items = rnd.sample(list(CALLED), 3)
    state = {"records": {name: shown(one, items, rnd) for name, one in zip(names, every, strict=True)}}
    state["said"] = talk(said, rnd)
    none = rnd.choice(NOBODY)
    truth = none if missing else names[every.index(record)]
    made = []
    if missing or rnd.random() < 0.7:
        options = [*names, *([none] if missing or rnd.random() < 0.3 else [])]
        made.append(({"type": "choice", "instructions": rnd.choice(WHO), "criteria": options}, truth))
    if not made or rnd.random() < 0.4:
        holds = not missing and rnd.random() < 0.6
        who = truth if holds else rnd.choice([one for one in names if one != truth])
        made.append(rows.claim(IS_WHO, holds, rnd, who=who))
    return state, made


def read(show, rnd):
    records = {}
    for one in csv.DictReader(io.StringIO(show("data/records.en.csv"))):
        records[one["scenario_id"]] = {item: one[item] for item in CALLED}
    turns = collections.defaultdict(lambda: collections.defaultdict(set))
    for one in csv.DictReader(io.StringIO(show("data/dialogues.en.tsv")), delimiter="\t"):
        name = one["scenario_id"]
        if name in records and right(one["item"], one["transcription"], records[name]):
            turns[one["dialogue_id"], name][one["item"]].add(rows.plain(one["transcription"]))
    every, made = list(records.values()), []
    for (_, name), items in turns.items():
        for _ in range(TIMES):
            order = rnd.sample(list(items), rnd.randint(1, len(items)) if len(items) < 3 else rnd.choice([2, 3, 3]))
            said = {item: rnd.choice(sorted(items[item])) for item in order}
            others = rnd.sample([one for one in rnd.sample(every, 12) if one != records[name]], 8)
            pick = found if len(said) > 1 and rnd.random() < 0.4 else checked
            made.append(pick(said, records[name], others, rnd))
    rnd.shuffle(made)
    for count, (state, asked) in enumerate(made[:MOST]):
        yield rows.row(f"identities-{count:05d}", "identities", LICENCE, state, asked)
