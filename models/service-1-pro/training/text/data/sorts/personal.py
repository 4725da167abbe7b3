"""microsoft/presidio-research: sentences with made-up names, addresses, card numbers and the like, marked; to test
tools that find personal data (MIT; some of the made-up people are from the Fake Name Generator, CC BY-SA 3.0). The
sentences come from a few hundred templates, so that few are taken of each.
"""

import collections
import json

from data.shared import one_of_kinds, rows

REPOSITORY = "microsoft/presidio-research"
FILES = ("data/synth_dataset_v2.json", "tests/data/generated_large.json")
MOST_EACH, FEWEST_CHARACTERS = 9, 12  # of a template
SAME = {"STREET_ADDRESS": "address", "ADDRESS": "address", "PERSON": "person", "PHONE_NUMBER": "phone"}
SAME |= {"EMAIL_ADDRESS": "mail", "CREDIT_CARD": "card", "IBAN_CODE": "account", "IP_ADDRESS": "ip", "AGE": "age"}
SAME |= {"US_SSN": "ssn", "DOMAIN_NAME": "site", "ORGANIZATION": "organization", "ZIP_CODE": "address"}
WORDS = {
    "person": ("a person's name", "the name of a person", "the name"),
    "address": ("an address", "a postal address", "the address"),
    "phone": ("a phone number", "a telephone number", "the phone number"),
    "mail": ("an e-mail address", "an email", "the e-mail address"),
    "card": ("a credit card number", "the number of a payment card", "the card number"),
    "account": ("an IBAN", "a bank account number", "the IBAN"),
    "ip": ("an IP address", "the address of a computer", "the IP address"),
    "ssn": ("a social security number", "an SSN", "the social security number"),
    "site": ("a web address", "a URL or domain", "the web address"),
    "age": ("somebody's age", "an age", "the age"),
    "organization": ("the name of an organization", "a company or organization", "the organization"),
}
PRIVATE = {"person", "phone", "mail", "card", "account", "ssn"}
NOT_PRIVATE = {"organization", "site"}
AFFIRMED = [
    "The text holds {what}.",
    "There is {what} in the message.",
    "Does the text contain {what}?",
    "The message gives {what}.",
    "One can read {what} here.",
]
MASKED = ["{first} would have to be masked.", "There is {what}, which should be redacted."]
DENIED = ["The text holds no such thing as {what}.", "There isn't {what} in it.", "The message does not give {what}."]
ANY = (
    [
        "The text holds personal data.",
        "Something has to be redacted before this is published.",
        "Is there anything personal in the text?",
        "The message should not be logged as it is.",
    ],
    ["The text holds no personal data.", "Nothing has to be masked.", "The message can be logged as it is."],
)
NAMES = [
    {one: words[0] for one, words in WORDS.items()} | {"none": "nothing personal"},
    {one: words[1] for one, words in WORDS.items()} | {"none": "none of these"},
    {one: words[2].removeprefix("the ").capitalize() for one, words in WORDS.items()} | {"none": "None"},
]
ASKS = [
    "Which personal data does the text hold?",
    "What would have to be masked?",
    "Kind of personal data",
    "What does the message give away?",
    "Which of these is in the text?",
]
SEVERAL = ["Which of these does the text hold?", "Personal data in the text", "What has to be masked?"]
COPY = ["Copy {it}.", "What is {it}?", "{it}", "Which words are {it}?"]
ABSENT = 0.15  # of what is to be copied


def read(show, rnd):
    surplus, seen, count = collections.Counter(), collections.Counter(), 0
    said = [
        one
        for kind, words in WORDS.items()
        for what in words[:2]
        for one in one_of_kinds.said_of(
            {kind: {"what": what, "first": rows.begun(what)}},
            AFFIRMED + (MASKED if kind in PRIVATE else []),
            DENIED,
        )
    ] + one_of_kinds.written({"any": ANY})
    found = [one for path in FILES for one in json.loads(show(path))]
    rnd.shuffle(found)
    for one in found:
        text, parts = one["full_text"].strip(), collections.defaultdict(list)
        seen[one["masked"].lower()] += 1
        if seen[one["masked"].lower()] > MOST_EACH or len(text) < FEWEST_CHARACTERS:
            continue
        for span in one["spans"]:
            parts[SAME.get(span["entity_type"], "other")].append(span["entity_value"].strip())
        held = [kind for kind in WORDS if kind in parts]
        truths = {kind: int(kind in parts) for kind in WORDS}
        if PRIVATE & set(held) or not parts:
            truths["any"] = int(bool(PRIVATE & set(held)))
        made = list(one_of_kinds.claims(truths, said, rnd.choice([1, 2, 2]), surplus, rnd))
        alone = "none" if not parts else held[0] if len(held) == 1 and held[0] not in NOT_PRIVATE else None
        if alone and rnd.random() < 0.6:
            made.append(one_of_kinds.choice(alone, NAMES, ASKS, rnd, ("none",), 6))
        elif len(held) > 1 and rnd.random() < 0.5:
            shown = held + rnd.sample([kind for kind in WORDS if kind not in held], rnd.randint(2, 3))
            rnd.shuffle(shown)
            names = rnd.choice(NAMES)
            asked = {"type": "select", "instructions": rnd.choice(SEVERAL), "options": [names[kind] for kind in shown]}
            made.append((asked, [names[kind] for kind in shown if kind in held]))
        sought = [kind for kind in held if len(parts[kind]) == 1]
        if rnd.random() < ABSENT:
            sought = [kind for kind in WORDS if kind not in held]
        if sought and rnd.random() < 0.6:
            kind = rnd.choice(sought)
            ask = rnd.choice(COPY).format(it=WORDS[kind][2])
            made.append(({"type": "extract", "instructions": rows.begun(ask)}, (parts[kind] or [None])[0]))
        if made:
            yield rows.row(f"personal-{count:05d}", "personal data", "MIT and CC BY-SA 3.0", text, made)
            count += 1
