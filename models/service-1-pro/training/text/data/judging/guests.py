"""alexa/dstc11-track5 (validation): what people ask a booking assistant about hotels and restaurants, and the sentences
of guests' reviews and the entries of lists of questions that help with it (Kim and others, 2023; CDLA-Sharing 1.0; on
MultiWOZ). Rows are reviews and what was asked of the place; messages and entries; messages of which some need neither.
"""

import collections
import json

from data.shared import rows

REPOSITORY = "alexa/dstc11-track5"
LICENCE = "CDLA-Sharing 1.0"
MOST_WORDS, TIMES = 30, 3
TOLD = [
    ("The review tells something about this: {ask}", True),
    ("The review helps with this question: {ask}", True),
    ("Somebody who asks this learns something from the guest: {ask}", True),
    ("Does the guest say anything on this? {ask}", True),
    ("The guest says nothing about this: {ask}", False),
    ("The review is of no use to somebody who asks: {ask}", False),
    ("For this, one has to look elsewhere: {ask}", False),
]
COPY = [
    "Copy the sentence that helps with this: {}",
    "Which sentence has to do with this? {}",
    "{} Copy what is said on it.",
]
WHICH = [
    "Which of these does the review say something about?",
    "Questions that the review helps with",
    "What is touched on?",
]
ENTRIES = [
    "Which entry answers the message?",
    "The question of the list that fits",
    "What does the customer want to know?",
]
ENTRY = [
    ("The message asks for this: {said}", True),
    ('The entry "{said}" answers the message.', True),
    ("Does the customer want to know this? {said}", True),
    ('The entry "{said}" is about something else than the message.', False),
    ("The customer does not ask this: {said}", False),
    ("This does not help the customer: {said}", False),
]
NEEDS = [
    ("The last message asks what the place is like or has to offer.", True),
    ("Reviews by guests can help with the last message.", True),
    ("Does the customer ask for a detail that guests would know?", True),
    ("The customer wants to know something about comfort, food or service.", True),
    ("The last message is a matter for the search or the booking alone.", False),
    ("What guests wrote is of no use for the last message.", False),
    ("The customer asks nothing that reviews could tell.", False),
]
ROUTES = [
    ("Where should the assistant look?", ("reviews and common questions", "the booking system")),
    ("Route the last message.", ("knowledge base", "search and booking")),
    ("The next step", ("read what guests wrote", "look up or book")),
]
SPEAKERS = [("Customer", "Assistant"), ("User", "System"), ("guest", "agent"), ("U", "S")]


def asked_of(logs, labels):
    """(talk, place, snippets that help) of the messages that ask about one place."""
    for talk, label in zip(logs, labels, strict=True):
        found = label.get("knowledge", [])
        places = {(one["domain"], str(one["entity_id"])) for one in found}
        if label["target"] and len(places) == 1:
            yield talk, places.pop(), found


def reviewed(place, asked, rnd):
    """(review, questions) for the reviews of a place; `asked`: (message, {review: sentences that help})."""
    told_of = dict(asked)
    for number, review in place["reviews"].items():
        sentences = {n: rows.plain(said) for n, said in review["sentences"].items()}
        helped = [(ask, told[number]) for ask, told in asked if number in told]
        others = [(ask, []) for ask, told in asked if number not in told]
        if not helped or not others:
            continue
        shown, made = rnd.sample(helped, min(2, len(helped))), []
        if len(others) > 1 and rnd.random() < 0.2:
            names = [ask for ask, _ in [*shown, *rnd.sample(others, min(2, len(others)))]]
            rnd.shuffle(names)
            asks = {"type": "select", "instructions": rnd.choice(WHICH), "options": names}
            yield " ".join(sentences.values()), [(asks, [ask for ask in names if number in told_of[ask]])]
            continue
        for ask, told in shown:
            if len(told) == 1 and rnd.random() < 0.35:
                made.append(({"type": "extract", "instructions": rnd.choice(COPY).format(ask)}, sentences[told[0]]))
            else:
                made.append(rows.claim(TOLD, True, rnd, ask=ask))
        # As many claims about what is not told.
        count = sum(question["type"] == "noul" for question, _ in made)
        made += [rows.claim(TOLD, False, rnd, ask=ask) for ask, _ in rnd.sample(others, min(count, len(others)))]
        rnd.shuffle(made)
        yield " ".join(sentences.values()), made


def reviews(places, found, rnd):
    by_place = collections.defaultdict(dict)
    for talk, place, helps in found:
        ask, told = rows.plain(talk[-1]["text"]), collections.defaultdict(list)
        for one in helps:
            if one["doc_type"] == "review":
                told[str(one["doc_id"])].append(str(one["sent_id"]))
        if len(ask.split()) <= MOST_WORDS and told:
            by_place[place][ask] = told
    for (domain, number), asked in by_place.items():
        for _ in range(TIMES):
            for review, made in reviewed(places[domain][number], list(asked.items()), rnd):
                yield {"review": review} if rnd.random() < 0.2 else review, made


def entries(places, found, rnd):
    """Messages that one entry of a list of questions answers."""
    for talk, (domain, number), helps in found:
        listed = {n: rows.plain(one["question"]) for n, one in places[domain][number]["faqs"].items()}
        right = [listed[str(one["doc_id"])] for one in helps if one["doc_type"] == "faq"]
        others = [said for said in listed.values() if said not in right]
        if len(right) != 1 or len(others) < 4:
            continue
        holds = rnd.random() < 0.5
        made = [rows.claim(ENTRY, holds, rnd, said=right[0] if holds else rnd.choice(others))]
        names = [right[0], *rnd.sample(others, rnd.randint(2, 4))]
        rnd.shuffle(names)
        made.append(({"type": "choice", "instructions": rnd.choice(ENTRIES), "criteria": names}, right[0]))
        yield {"message": rows.plain(talk[-1]["text"])} if rnd.random() < 0.4 else rows.plain(talk[-1]["text"]), made


def routed(logs, labels, rnd):
    """The end of talks: whether what guests wrote can help."""
    for talk, label in zip(logs, labels, strict=True):
        if rnd.random() < 0.5:
            names = dict(zip("US", rnd.choice(SPEAKERS), strict=True))
            lines = [f"{names[one['speaker']]}: {rows.plain(one['text'])}" for one in talk[-rnd.choice([1, 2, 3, 3]) :]]
            made = [rows.claim(NEEDS, label["target"], rnd)]
            if rnd.random() < 0.4:
                made.append(rows.either(ROUTES, label["target"], rnd))
            yield "\n".join(lines) if rnd.random() < 0.7 else lines, made


def read(show, rnd):
    logs, labels, places = (json.loads(show(f"data/{name}.json")) for name in ("val/logs", "val/labels", "knowledge"))
    found = list(asked_of(logs, labels))
    kinds = {
        "guests": ("what guests wrote", reviews(places, found, rnd)),
        "entries": ("lists of questions", entries(places, found, rnd)),
        "routed": ("what a message needs", routed(logs, labels, rnd)),
    }
    for source, (task, made) in kinds.items():
        for count, (state, questions) in enumerate(made):
            yield rows.row(f"{source}-{count:05d}", task, LICENCE, state, questions)
