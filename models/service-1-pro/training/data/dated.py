"""Rows about days: python -m data.dated OUT [rows]

A record, lines or a few sentences that name several days. What is asked is one of them, in the words in which the
engine asks for the day that a statement compares ("When is the invoice due?", see
src/questions/logic/compared-dates.ts) and as people ask ("Due date"); or one that is not there, though others are. The
statements that compare it are asked as well. Made from the lists below.
"""

import datetime
import json
import random
import sys

# Things, and their days: key in a record, name, subject, verb and rest of a statement, and sentences that tell the day.
THINGS = {
    "invoice": [
        ("issued", "date of issue", "the invoice", "was", "issued", "Issued on {}. | Invoice of {}."),
        ("due", "due date", "the invoice", "is", "due", "Please pay by {}. | Payable until {} at the latest."),
        ("paid_on", "day of payment", "the invoice", "was", "paid", "Your transfer reached us on {}. | Settled {}."),
        (
            "reminded",
            "day of the reminder",
            "the reminder",
            "was",
            "sent",
            "We reminded you on {}. | First reminder {}.",
        ),
        (
            "delivered",
            "day of delivery",
            "the goods",
            "were",
            "delivered",
            "The goods left our hands on {}. | Handed over {}.",
        ),
    ],
    "order": [
        ("ordered_at", "order date", "the order", "was", "placed", "You ordered on {}. | Order received {}."),
        ("shipped", "shipping date", "the parcel", "was", "shipped", "It went out on {}. | Sent {}."),
        (
            "expected",
            "expected delivery",
            "the parcel",
            "is",
            "expected",
            "It should be with you on {}. | Expected {}.",
        ),
        (
            "returned",
            "day of return",
            "the lamp",
            "was",
            "returned",
            "The lamp came back to us on {}. | Back in stock {}.",
        ),
        (
            "refunded",
            "day of the refund",
            "the money",
            "was",
            "refunded",
            "The sum was credited on {}. | Refund booked {}.",
        ),
    ],
    "contract": [
        (
            "signed",
            "day of signing",
            "the contract",
            "was",
            "signed",
            "Both parties signed on {}. | Signed {} in duplicate.",
        ),
        ("starts", "start", "the contract", "has", "started", "It takes effect on {}. | Begin: {}."),
        ("ends", "end", "the contract", "will", "end", "It runs out on {}. | Term up to and including {}."),
        (
            "notice_by",
            "last day for notice",
            "notice",
            "is",
            "possible",
            "Whoever wants to leave says so by {}. | Notice until {}.",
        ),
        (
            "next_review",
            "next review",
            "the price",
            "will",
            "be reviewed",
            "Prices are looked at again on {}. | Price check {}.",
        ),
    ],
    "ticket": [
        ("opened", "day it was opened", "the ticket", "was", "opened", "Reported on {}. | Came in {}."),
        ("answered", "first reply", "the ticket", "was", "answered", "First reply on {}. | We wrote back {}."),
        ("closed", "day it was closed", "the ticket", "was", "closed", "Closed on {}. | Done {}."),
        (
            "fix_planned",
            "planned fix",
            "the fix",
            "is",
            "planned",
            "The mend is to come with the release of {}. | Fix: {}.",
        ),
    ],
    "course": [
        ("begins", "first day", "the course", "will", "begin", "We start on {}. | First evening {}."),
        ("last_evening", "last evening", "the course", "will", "end", "The last evening is {}. | It closes on {}."),
        (
            "register_by",
            "deadline to register",
            "registration",
            "is",
            "open",
            "Sign up by {}. | Names are taken until {}.",
        ),
        ("exam", "day of the exam", "the exam", "is", "held", "You write the exam on {}. | Test: {}."),
        ("results", "day of the results", "the results", "are", "sent", "You hear how you did on {}. | Marks out {}."),
    ],
    "passport": [
        ("issued_on", "date of issue", "the passport", "was", "issued", "Made out on {}. | Issued {}."),
        ("expires", "expiry date", "the passport", "will", "expire", "It loses its force on {}. | Good through {}."),
        ("born", "date of birth", "the holder", "was", "born", "Born {}. | Birth date {}."),
        ("checked", "day of the check", "the passport", "was", "checked", "Looked at by us on {}. | Check {}."),
    ],
    "flat": [
        ("free_from", "day it is free", "the flat", "is", "free", "You can move in on {}. | Empty as of {}."),
        ("viewing", "viewing", "the flat", "is", "shown", "We show it on {}. | Come and see it {}."),
        (
            "heating",
            "last service of the heating",
            "the heating",
            "was",
            "serviced",
            "The boiler was seen to on {}. | Boiler {}.",
        ),
        (
            "painted",
            "day it was painted",
            "the flat",
            "was",
            "painted",
            "Fresh paint since {}. | The painters left on {}.",
        ),
    ],
    "appointment": [
        ("made_on", "day it was made", "the appointment", "was", "made", "Booked on {}. | Entered {}."),
        ("moved_to", "new date", "the appointment", "was", "moved", "We see you on {} instead. | New: {}."),
        ("last_visit", "last visit", "the patient", "was", "seen", "Here last on {}. | Last visit {}."),
        ("next_jab", "next jab", "the next jab", "is", "due", "Come for the jab on {}. | Jab again {}."),
    ],
}
ASKS = ["{name}", "What is the {name}?", "{name}, as a date", "Give the {name}.", "{said}: when?"]
FORMS = [
    "{iso}",
    "{day} {month} {year}",
    "{month} {day}, {year}",
    "{day:02}.{at:02}.{year}",
    "{day} {short} {year}",
    "{day} {month}",
]
HOLDS = {
    "before": lambda days: days < 0,
    "after": lambda days: days > 0,
    "by": lambda days: days <= 0,
    "no later than": lambda days: days <= 0,
    "later than": lambda days: days > 0,
    "earlier than": lambda days: days < 0,
    "on or after": lambda days: days >= 0,
}
ECHO, COMPARED = 0.6, 0.3  # of days: asked as the engine asks; compared as well
ABSENT = 0.25  # of rows: one day is asked that isn't there
APART = [1, 2, 4, 9, 20, 45, 120]


def written(day, form):
    months = {"month": f"{day:%B}", "short": f"{day:%b}", "at": day.month}
    return form.format(iso=day.isoformat(), day=day.day, year=day.year, **months)


def wanted(field, rng):
    """A question for a day."""
    _, name, subject, verb, rest, _ = field
    asked = f"When {verb} {subject} {rest}?"
    if rng.random() >= ECHO:
        asked = rng.choice(ASKS).format(name=name, said=f"{subject} {verb} {rest}")
    return {"type": "extract", "kind": "date", "instructions": asked[0].upper() + asked[1:]}


def compared(field, day, rng):
    """A statement that compares the day, and whether it holds."""
    _, _, subject, verb, rest, _ = field
    limit = day + datetime.timedelta(days=rng.choice(APART) * rng.choice([-1, 1]))
    word = rng.choice(list(HOLDS))
    said = f"{subject} {verb} {rest} {word} {written(limit, rng.choice(FORMS[:-1]))}."
    return said[0].upper() + said[1:], HOLDS[word]((day - limit).days)


def told(thing, fields, days, form, rng):
    """A state that tells the days: a record, lines, or sentences."""
    pairs = list(zip(fields, days, strict=True))
    how = rng.random()
    if how < 0.35:
        record = {key: day.isoformat() for (key, *_), day in pairs}
        return {thing: record, "number": rng.randint(100, 9999)} if rng.random() < 0.5 else record
    if how < 0.5:
        return "\n".join(f"{name.capitalize()}: {written(day, form)}" for (_, name, *_), day in pairs)
    return " ".join(rng.choice(sentences.split(" | ")).format(written(day, form)) for (*_, sentences), day in pairs)


def row(index, rng):
    thing = rng.choice(list(THINGS))
    fields = rng.sample(THINGS[thing], len(THINGS[thing]))
    shown, away = fields[:-1], fields[-1]
    shown = shown[: rng.randint(2, len(shown))]
    begin = datetime.date(rng.randint(2019, 2026), 1, 1) + datetime.timedelta(days=rng.randint(0, 364))
    days = [begin + datetime.timedelta(days=n) for n in rng.sample(range(200), len(shown))]
    form = rng.choice(FORMS)
    state = told(thing, shown, days, form, rng)
    questions, truth = {}, {}

    def ask(question, answer):
        questions[f"q{len(questions)}"], truth[f"q{len(truth)}"] = question, answer

    for field, day in list(zip(shown, days, strict=True))[:3]:
        ask(wanted(field, rng), written(day, form) if isinstance(state, str) else day.isoformat())
        if rng.random() < COMPARED:
            claim, holds = compared(field, day, rng)
            ask({"type": "noul", "instructions": claim}, holds)
    if rng.random() < ABSENT:
        ask(wanted(away, rng), None)
    return {
        "id": f"dated-{index:06d}",
        "source": "dated",
        "task": "dated",
        "licence": "Apache-2.0",
        "state": state,
        "questions": questions,
        "truth": truth,
    }


def main(out, count=9000):
    rng = random.Random(62)
    with open(out, "w", encoding="utf-8") as file:
        for index in range(int(count)):
            file.write(json.dumps(row(index, rng)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
