"""Rows about what a text gives away: python -m data.contains OUT [rows]

A message of a few sentences, some of which hold a phone number, an address, a price, a day and so on; claims that it
holds one, which of some it holds, and the detail itself as a quote. Made from the lists below.
"""

import json
import random
import string
import sys

FIRST = (
    "Ann Ben Chloe Dario Elif Farid Greta Hana Igor Jule Kofi Lena Marek Nora Omar Petra Quinn Rosa Sven Tess".split()
)
LAST = (
    "Abbott Berg Costa Diaz Evans Fischer Grant Hughes Ivanov Jensen Kaya Lopez Meyer Novak Okafor Price Rossi".split()
)
STREETS = ["Mill Lane", "Station Road", "High Street", "Oak Avenue", "Harbour Walk", "Queen's Road", "Elm Court"]
TOWNS = ["Leeds", "Porto", "Basel", "Austin", "Ghent", "Malmo", "Toronto", "Cork", "Lyon", "Gdansk"]
MONTHS = "January February March April May June July August September October November December".split()
SITES = ["example.com", "northbound.example", "mail.example", "shop.example.org", "tickets.example.net"]

FILLERS = [
    "Thanks for getting back to me so quickly.",
    "I still have not heard anything about my complaint.",
    "The parcel was wet when it got here.",
    "Could somebody have a look at this, please?",
    "Everything else is fine.",
    "We are very happy with the new version.",
    "The door of the fridge does not close properly.",
    "My colleague will take over while I am away.",
    "I tried to log in several times and failed.",
    "The print is too small to read.",
    "It works on my laptop but not on the tablet.",
    "Let me know what you think.",
    "The heating is broken again.",
    "I would rather have it in blue.",
    "Nobody picks up when I call.",
    "The instructions are hard to follow.",
    "We had a lovely stay, the staff were kind.",
    "Please send me the form again.",
    "As discussed, the draft is attached.",
    "The team did a great job on this.",
    "I am writing about the noise upstairs.",
    "There is a scratch on the lid.",
    "The bus was late, so I missed the beginning.",
    "Is there anything else you need from me?",
    "The screen goes black after a while.",
    "I have changed my mind about the second one.",
    "Your driver left it with the neighbours.",
    "The update removed my settings.",
    "Sorry for the long silence.",
    "The soup was cold and the bread was stale.",
]


def digits(rnd, pattern):
    """A pattern with a digit for each # and a capital for each @."""
    return "".join(
        rnd.choice(string.digits) if c == "#" else rnd.choice(string.ascii_uppercase) if c == "@" else c
        for c in pattern
    )


def name(rnd):
    return f"{rnd.choice(FIRST)} {rnd.choice(LAST)}"


# Kind of detail -> how it is called, how one is made, and sentences that hold one.
DETAILS = {
    "phone": (
        ["a phone number", "a telephone number"],
        lambda rnd: digits(rnd, rnd.choice(["+44 ### #### ###", "0## ### ####", "(###) ###-####", "+49 ### #######"])),
        ["Call me on {}.", "You can reach me at {}.", "My number is {}.", "Ring {} after lunch.", "Mobile: {}"],
    ),
    "mail": (
        ["an e-mail address", "an email address"],
        lambda rnd: f"{rnd.choice(FIRST).lower()}.{rnd.choice(LAST).lower()}@{rnd.choice(SITES)}",
        ["Write to {}.", "Please send it to {}.", "My other address is {}.", "Reply to {} instead.", "Contact: {}"],
    ),
    "web": (
        ["a web address", "a link"],
        lambda rnd: f"https://{rnd.choice(SITES)}/{rnd.choice(['help', 'orders', 'a1', 'news', 'login'])}",
        ["See {} for details.", "I found it on {}.", "The page {} does not load.", "More here: {}"],
    ),
    "card": (
        ["a credit card number", "the number of a card"],
        lambda rnd: digits(rnd, "4### #### #### ####"),
        ["I paid with {}.", "Please charge {}.", "The card is {}.", "Card: {}"],
    ),
    "iban": (
        ["a bank account number", "an IBAN"],
        lambda rnd: digits(rnd, rnd.choice(["DE## #### #### #### #### ##", "GB## @@@@ #### #### #### ##"])),
        ["Please pay it back to {}.", "My account is {}.", "Transfer the money to {}.", "IBAN: {}"],
    ),
    "address": (
        ["a postal address", "a street address"],
        lambda rnd: f"{rnd.randint(1, 120)} {rnd.choice(STREETS)}, {rnd.choice(TOWNS)}",
        ["I live at {}.", "Send it to {}.", "We have moved to {}.", "The shop is at {}.", "Delivery: {}"],
    ),
    "person": (
        ["the name of a person", "somebody's name"],
        name,
        ["I spoke to {} last time.", "My name is {}.", "{} told me to ask you.", "Please add {} to the list."],
    ),
    "day": (
        ["a date", "a day of the calendar"],
        lambda rnd: f"{rnd.randint(1, 28)} {rnd.choice(MONTHS)}",
        ["I bought it on {}.", "It has to be here by {}.", "We leave on {}.", "The course begins on {}."],
    ),
    "time": (
        ["a time of day", "a time on the clock"],
        lambda rnd: rnd.choice(
            [f"{rnd.randint(7, 19)}:{rnd.choice(['00', '15', '30', '45'])}", f"{rnd.randint(1, 11)} pm"]
        ),
        ["I am at home until {}.", "The train leaves at {}.", "Could we say {}?", "They close at {}."],
    ),
    "money": (
        ["an amount of money", "a price"],
        lambda rnd: rnd.choice(["{} EUR", "${}", "{} pounds", "€{}"]).format(f"{rnd.randint(3, 900)}"),
        ["It cost {}.", "You still owe me {}.", "The invoice says {}.", "For {} I expect more."],
    ),
    "order": (
        ["an order number", "the number of an order"],
        lambda rnd: digits(rnd, rnd.choice(["#######", "A-####", "@@-#####", "ORD####"])),
        ["My order is {}.", "It is about order {}.", "Order number {}.", "The order {} never came."],
    ),
    "ip": (
        ["an IP address", "the address of a computer"],
        lambda rnd: ".".join(str(rnd.randint(1, 254)) for _ in range(4)),
        ["The server is {}.", "I get refused from {}.", "Requests came from {}.", "host {} does not answer"],
    ),
    "password": (
        ["a password", "secret login data"],
        lambda rnd: rnd.choice(["hunter", "Sunny", "blue!", "pass"]) + digits(rnd, "##@#"),
        ["My password is {}.", "Log in with {} as the password.", "pw: {}", "The code to get in is {}."],
    ),
}
CLAIMS = [
    "The text contains {}.",
    "There is {} in it.",
    "The message gives {}.",
    "{} is mentioned.",
    "Does it contain {}?",
]
LACKING = ["The text does not contain {}.", "There is no mention of {}.", "The message comes without {}."]
PERSONAL = ["phone", "mail", "card", "iban", "address", "person", "password"]
ABOUT_PEOPLE = ["The text contains personal data.", "Personal data has to be removed before this is shown to others."]
WHICH = ["What does the text contain?", "Which of these are in the message?", "Details that are given away"]
QUOTE = ["Quote {}.", "{}", "Copy {} from the text."]


def row(count, rnd):
    held = rnd.sample(sorted(DETAILS), rnd.choice([0, 1, 1, 2, 2, 3]))
    given = {kind: DETAILS[kind][1](rnd) for kind in held}
    said = [rnd.choice(DETAILS[kind][2]).format(given[kind]) for kind in held]
    said += rnd.sample(FILLERS, rnd.randint(1, 4))
    rnd.shuffle(said)
    questions, truth = {}, {}
    for n in range(rnd.randint(1, 3)):
        kind = rnd.choice(held) if held and rnd.random() < 0.5 else rnd.choice(sorted(DETAILS))
        lacking = rnd.random() < 0.2
        claim = rnd.choice(LACKING if lacking else CLAIMS).format(rnd.choice(DETAILS[kind][0]))
        questions[f"claim{n}"] = {"type": "noul", "instructions": claim[0].upper() + claim[1:]}
        truth[f"claim{n}"] = (kind in held) != lacking
    if rnd.random() < 0.2:
        questions["personal"] = {"type": "noul", "instructions": rnd.choice(ABOUT_PEOPLE)}
        truth["personal"] = any(kind in PERSONAL for kind in held)
    if rnd.random() < 0.3:
        shown = rnd.sample(sorted(DETAILS), rnd.randint(3, 7))
        names = {kind: rnd.choice(DETAILS[kind][0]) for kind in shown}
        questions["which"] = {"type": "select", "instructions": rnd.choice(WHICH), "options": list(names.values())}
        truth["which"] = [said for kind, said in names.items() if kind in held]
    if rnd.random() < 0.4:
        kind = rnd.choice(held) if held and rnd.random() < 0.75 else rnd.choice(sorted(DETAILS))
        ask = rnd.choice(QUOTE).format(rnd.choice(DETAILS[kind][0]))
        questions["quote"] = {"type": "extract", "instructions": ask[0].upper() + ask[1:]}
        truth["quote"] = given.get(kind)
    text = rnd.choice([" ", " ", "\n"]).join(said)
    return {
        "id": f"contains-{count:05d}",
        "source": "contains",
        "task": "what a text contains",
        "licence": "Apache-2.0",
        "state": {"from": rnd.choice(["web form", "chat", "app"]), "text": text} if rnd.random() < 0.2 else text,
        "questions": questions,
        "truth": truth,
    }


def main(out, count=9000):
    rnd = random.Random("contains")
    with open(out, "w", encoding="utf-8") as file:
        for index in range(int(count)):
            file.write(json.dumps(row(index, rnd), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
