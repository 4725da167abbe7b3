"""google-research-datasets/Taskmaster (TM-4): short talks at a coffee bar that people wrote, and the orders that came
of them, item by item (Byrne and Ganesh, 2024; CC BY 4.0). A row is a talk, whole or while the order is not sent yet.
"""

import json
import re

from data.shared import rows

REPOSITORY = "google-research-datasets/Taskmaster"
FILES = [f"TM-4-2024/data/data_0{n}.json" for n in range(8)]
MOST, LICENCE = 5000, "CC BY 4.0"
CUT, NOTHING_KEPT, WITH_ORDER = 0.35, 0.6, 0.3
DRINKS = "mocha,cortado,cappuccino,macchiato,americano,matcha latte,chai latte,espresso,cold brew,hot chocolate".split(
    ","
)
MILKS = ["oat milk", "almond milk", "whole milk", "2% milk", "non-fat milk"]
EXTRAS = ["chocolate sauce", "caramel sauce", "vanilla sweetener", "hazelnut sweetener", "honey", "sugar"]
SHOTS = ["single", "double", "triple", "quadruple"]
OTHERS = {"milk": MILKS, "extra": EXTRAS, "shots": SHOTS, "drink": DRINKS}
NAMED = [name.split()[0] for name in MILKS + EXTRAS + SHOTS] + ["decaf", "iced"]
SPEAKERS = [("Customer", "Barista"), ("user", "assistant"), ("Guest", "Bar"), ("A", "B"), ("customer", "agent")]
CLAIMS = {
    "drink": [
        ("{one} is ordered.", True),
        ("The {buyer} wants {one}.", True),
        ("Is one of the drinks {one}?", True),
        ("The order contains {one}.", True),
        ("No {said} is ordered.", False),
        ("The {buyer} asks for something else than {one}.", False),
        ("There is no {said} in the order.", False),
    ],
    "milk": [
        ("The {drink} is to be made with {said}.", True),
        ("Milk for the {drink}: {said}", True),
        ("Does the {buyer} want {said} in the {drink}?", True),
        ("The {drink} gets another milk than {said}.", False),
        ("It would be wrong to make the {drink} with {said}.", False),
        ("The {buyer} does not ask for {said} in the {drink}.", False),
    ],
    "shots": [
        ("The {drink} is to have a {said} shot.", True),
        ("Espresso in the {drink}: {said}", True),
        ("Does the {buyer} want a {said} {drink}?", True),
        ("Making the {drink} with a {said} shot would be wrong.", False),
        ("The {buyer} wants another number of shots than {said}.", False),
        ("The {drink} is not to have a {said} shot.", False),
    ],
    "extra": [
        ("There is to be {said} in the {drink}.", True),
        ("To the {drink}, {said} has to be added.", True),
        ("Does the {buyer} ask for {said}?", True),
        ("No {said} goes into the {drink}.", False),
        ("The {buyer} says nothing of {said}.", False),
        ("Adding {said} to the {drink} would be a mistake.", False),
    ],
}
WHETHER = {
    "decaf": [
        ("The {drink} is to be without caffeine.", True),
        ("Is the {drink} to be decaf?", True),
        ("The {buyer} wants the {drink} decaffeinated.", True),
        ("The {drink} is a normal one, with caffeine.", False),
        ("The {buyer} does not ask for decaf in the {drink}.", False),
        ("Making the {drink} decaf would be wrong.", False),
    ],
    "iced": [
        ("The {drink} is to be iced.", True),
        ("Does the {buyer} want ice in the {drink}?", True),
        ("The {drink} has to be served cold, with ice.", True),
        ("No ice is wanted in the {drink}.", False),
        ("The {buyer} does not ask for an iced {drink}.", False),
        ("The {drink} is a usual, hot one.", False),
    ],
}
ASKS = {
    "drink": ["What is ordered?", "Which drink does the {buyer} want?", "Drink"],
    "milk": ["Which milk goes into the {drink}?", "Milk for the {drink}", "With what milk is the {drink} to be made?"],
    "shots": ["How many shots?", "Espresso in the {drink}", "What size of shot does the {buyer} ask for?"],
    "extra": [
        "What is added to the {drink}?",
        "What else goes into the {drink}?",
        "Sweetener or sauce for the {drink}",
    ],
}
SENT = [
    ("The order has been placed.", True),
    ("The order can be prepared now.", True),
    ("Has an order been sent off?", True),
    ("The {buyer} has confirmed an order.", True),
    ("No order has been placed so far.", False),
    ("The {buyer} has not confirmed any order.", False),
    ("There is nothing yet that would have to be prepared.", False),
]
TWO = [
    ("More than one drink is ordered.", True),
    ("Two drinks are wanted.", True),
    ("There is more than one item in the order.", True),
    ("There is one drink in the order, no more.", False),
    ("The {buyer} wants a single drink.", False),
    ("Only one item is ordered.", False),
]
FITS = [
    ("The order agrees with what was asked for.", True),
    ("The order was taken down correctly.", True),
    ("The order is what the {buyer} wants.", True),
    ("Something in the order is wrong.", False),
    ("The order differs from what the {buyer} said.", False),
    ("The order has to be corrected.", False),
]
STATUS = ["What is the state of things?", "Status of the order", "How far has the order come?"]
STATES = ["order placed", "waiting for confirmation", "nothing ordered"]


def words(name):
    """ "hazelnut-sweetener-021" as "hazelnut sweetener"."""
    return " ".join(re.sub(r"[-_](?!fat\b)|\d+$", " ", name.strip().lower()).split())


def item_of(asked):
    """What is changed or chosen for an item by a call."""
    made = {}
    for one in asked.get("attributes") or []:
        kind, value = one.get("attribute_id", ""), words(one.get("option", ""))
        if kind == "milk-options":
            made["milk"] = value
        elif kind == "espresso-shots":
            made["shots"] = value
        elif value in ("decaf", "iced"):
            made[value] = True
    for one in asked.get("addons") or []:
        if one.get("option") == "ADD":
            made["extra"] = words(one.get("addon_id", ""))
    return made


def played(talk):
    """[(text of both, items, whether the order was sent)] after each reply; None where a call can't be read."""
    lines, items, sent, after = [], {}, False, []
    for line in talk["utterances"]:
        lines.append((line["speaker"] == "user", " ".join(line["text"].split())))
        called, asked = None, {}
        for one in line["annotations"]:
            if one["name"] == "api_call":
                called, asked = one["value"], {}
            elif one["name"] == "request":
                asked = json.loads(one["value"])
            elif one["name"] == "response" and called == "add_order_item":
                made = {"drink": words(asked["menu_item_id"]), "count": asked.get("quantity", "1")} | item_of(asked)
                items[json.loads(one["value"])["order_item_id"]] = made
            elif one["name"] == "response" and called == "update_order_item":
                items[asked["order_item_id"]] |= item_of(asked)
            elif one["name"] == "response" and called == "finish_order":
                sent = True
        if line["speaker"] != "user":
            after.append((list(lines), [dict(item) for item in items.values()], sent))
    return after


def talks(show, rnd):
    for path in FILES:
        for talk in json.loads(show(path)):
            try:
                after = played(talk)
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
            if after:
                yield after[-1] if len(after) == 1 or rnd.random() >= CUT else rnd.choice(after[:-1])


def is_whole(items, lines):
    """Whether all that the customer names, as far as is known here, is in the order."""
    had, asked = json.dumps(items), " ".join(line for mine, line in lines if mine).lower()
    return "to go" not in asked and all(word in had for word in NAMED if word in asked)


def is_said(value, text):
    return all(part in text for part in value.removesuffix(" milk").removesuffix(" sweetener").split())


def of_item(item, items, text, buyer, rnd):
    """Questions about one drink, where all is told that they are about."""
    same = {"buyer": buyer, "drink": item["drink"]}
    kinds = [kind for kind in OTHERS if kind in item and is_said(item[kind], text)]
    for kind in rnd.sample(kinds, min(2, len(kinds))):
        right, taken = item[kind], {one.get(kind, "") for one in items} if kind in ("drink", "extra") else {item[kind]}
        wrong = [one for one in OTHERS[kind] if not any(one in had or had in one for had in taken if had)]
        wrong.sort(key=lambda one: (one.split()[0] not in text, rnd.random()))
        if kind == "extra" and wrong[0].split()[0] in text:
            continue
        if rnd.random() < 0.35 and (kind != "drink" or len(items) == 1):
            shown = rnd.sample([right, *wrong[:3]], 4)
            ask = rnd.choice(ASKS[kind]).format(**same)
            yield {"type": "choice", "instructions": ask, "criteria": shown}, right
        else:
            holds = rnd.random() < 0.5
            said = right if holds else wrong[0]
            one = f"{'an' if said[0] in 'aeio' else 'a'} {said}"
            question, truth = rows.claim(CLAIMS[kind], holds, rnd, **same, said=said, one=one)
            question["instructions"] = question["instructions"][0].upper() + question["instructions"][1:]
            yield question, truth
    for kind in WHETHER:
        if item.get(kind, False) == (kind in text) and rnd.random() < (0.8 if kind in item else 0.1):
            yield rows.claim(WHETHER[kind], kind in item, rnd, **same)


def mistaken(items, rnd):
    """The items with one thing changed or left out."""
    items = [dict(item) for item in items]
    item = rnd.choice(items)
    kind = rnd.choice([kind for kind in OTHERS if kind in item])
    wrong = rnd.choice([one for one in OTHERS[kind] if one not in item[kind] and item[kind] not in one])
    if kind == "drink" or rnd.random() < 0.7:
        item[kind] = wrong
    else:
        del item[kind]
    return items


def read(show, rnd):
    count = 0
    for lines, items, sent in talks(show, rnd):
        text = " ".join(line for _, line in lines).lower()
        if count == MOST or (not items and rnd.random() > NOTHING_KEPT):
            continue
        names = rnd.choice(SPEAKERS)
        buyer = names[0].lower() if len(names[0]) > 1 else "customer"
        told = all(is_said(value, text) for item in items for kind, value in item.items() if kind in OTHERS)
        made = []
        for item in items:
            if is_said(item["drink"], text) and sum(one["drink"] == item["drink"] for one in items) == 1:
                made += of_item(item, items, text, buyer, rnd)
        made = rnd.sample(made, min(3, len(made)))
        if rnd.random() < (0.6 if sent else 0.8):
            made.append(rows.claim(SENT, sent, rnd, buyer=buyer))
        if rnd.random() < 0.25:
            status = STATES[0 if sent else 1 if items else 2]
            asked = {"type": "choice", "instructions": rnd.choice(STATUS), "criteria": rnd.sample(STATES, 3)}
            made.append((asked, status))
        if items and (len(items) > 1 or rnd.random() < 0.12) and all(item["count"] == "1" for item in items):
            made.append(rows.claim(TWO, len(items) > 1, rnd, buyer=buyer))
        talk = [f"{names[0 if mine else 1]}: {line}" for mine, line in lines]
        state = "\n".join(talk) if rnd.random() < 0.7 else talk
        if items and told and is_whole(items, lines) and rnd.random() < WITH_ORDER:
            holds = rnd.random() < 0.5
            order = items if holds else mistaken(items, rnd)
            state, made = {"conversation": state, "order": order}, [rows.claim(FITS, holds, rnd, buyer=buyer)]
        if made:
            yield rows.row(f"orders-{count:05d}", "orders", LICENCE, state, made)
            count += 1
