"""Rows about records: python -m data.records TOKENIZER OUT [rows]

A JSON object (or lines of "Key: value") as programs hold them: orders, customers, tickets, trips. A question names a
field in other words or another style than its key, and asks to quote its value, to write it down, whether it is so, or
which of some it is; or it names a field that is not there. Made from the lists below and from words of the tokenizer:
some fields have random words as key and value, so the value has to be found by its position, not by what it is.
"""

import json
import random
import re
import sys

FIRST = (
    "Laura",
    "Omar",
    "Ines",
    "Peter",
    "Mina",
    "Jonas",
    "Aisha",
    "Tom",
    "Elena",
    "Victor",
    "Chloe",
    "Raj",
    "Nadia",
    "Bruno",
    "Hana",
    "Felix",
    "Sofia",
    "Liam",
    "Grace",
    "Ivan",
)
LAST = (
    "Chen",
    "Haddad",
    "Costa",
    "Novak",
    "Okafor",
    "Berg",
    "Silva",
    "Walker",
    "Rossi",
    "Dubois",
    "Kim",
    "Patel",
    "Moreau",
    "Lindgren",
    "Fischer",
    "Santos",
    "Reyes",
    "Quinn",
)
ADJECTIVES = (
    "Blue",
    "Northern",
    "Swift",
    "Golden",
    "Urban",
    "Silver",
    "Green",
    "Royal",
    "Open",
    "Bright",
    "Harbour",
    "Central",
    "First",
    "Atlas",
    "Summit",
    "River",
)
FIRMS = (
    "Freight",
    "Parcel",
    "Logistics",
    "Foods",
    "Systems",
    "Media",
    "Bank",
    "Motors",
    "Energy",
    "Labs",
    "Courier",
    "Trading",
    "Books",
    "Travel",
)
THINGS = (
    "desk lamp",
    "office chair",
    "garden hose",
    "coffee mill",
    "light bulb",
    "phone case",
    "rain coat",
    "running shoes",
    "water bottle",
    "note book",
    "tea pot",
    "bike helmet",
    "wool scarf",
    "hand drill",
    "yoga mat",
    "table fan",
    "paper bag",
    "wall clock",
    "door lock",
    "camp tent",
    "keyboard",
    "monitor",
    "printer",
    "headphones",
    "backpack",
    "blanket",
)
CITIES = (
    "Lyon",
    "Oslo",
    "Kyoto",
    "Denver",
    "Lima",
    "Cairo",
    "Prague",
    "Dublin",
    "Porto",
    "Turin",
    "Boston",
    "Quito",
    "Hanoi",
    "Leeds",
    "Basel",
    "Ghent",
    "Tampa",
    "Perth",
)
WORDS = (
    "please",
    "leave",
    "it",
    "with",
    "the",
    "neighbour",
    "call",
    "before",
    "noon",
    "fragile",
    "second",
    "floor",
    "ring",
    "twice",
    "urgent",
    "gift",
    "wrap",
    "back",
    "door",
)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def name(rng):
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def firm(rng):
    return f"{rng.choice(ADJECTIVES)} {rng.choice(FIRMS)}"


def code(rng):
    return rng.choice(
        (
            f"{rng.choice('ABCDEKMPRT')}-{rng.randint(10, 99999)}",
            f"{rng.choice('ABCDEK')}{rng.choice('PRSTX')}{rng.randint(100, 99999)}",
            str(rng.randint(1000, 9999999)),
            f"{rng.randint(10, 99)}/{rng.randint(100, 999)}",
        )
    )


def date(rng):
    year, month, day = rng.randint(2021, 2029), rng.randint(1, 12), rng.randint(1, 28)
    return rng.choice(
        (
            f"{year}-{month:02}-{day:02}",
            f"{year}-{month:02}-{day:02}",
            f"{day}.{month}.{year}",
            f"{day} {MONTHS[month - 1]} {year}",
        )
    )


def email(rng):
    first, joint, last = rng.choice(FIRST).lower(), rng.choice((".", "_", "")), rng.choice(LAST).lower()
    return f"{first}{joint}{last}@{rng.choice(('example.com', 'mail.test', 'shop.example', 'post.test'))}"


def of(*values):
    return lambda rng: rng.choice(values)


thing = of(*THINGS)

# Keys a program would use, phrases a question would use, a value.
FIELDS = (
    (("order", "order_id", "orderNumber", "order_no"), ("order number", "number of the order", "order id"), code),
    (("invoice", "invoice_number", "invoiceId"), ("invoice number", "number of the invoice"), code),
    (("ticket", "ticket_id", "case"), ("ticket number", "id of the ticket"), code),
    (("tracking", "tracking_code", "trackingNumber"), ("tracking code", "tracking number"), code),
    (("carrier", "shipper", "shipped_by"), ("carrier", "name of the carrier", "shipping company"), firm),
    (("company", "company_name", "employer"), ("company", "name of the company", "employer"), firm),
    (("supplier", "vendor", "vendor_name"), ("supplier", "name of the vendor"), firm),
    (("customer", "customer_name", "buyer", "client"), ("customer", "name of the customer", "buyer"), name),
    (("agent", "assignee", "assigned_to", "owner"), ("person in charge", "assignee", "name of the agent"), name),
    (("manager", "manager_name", "supervisor"), ("manager", "name of the manager"), name),
    (("author", "written_by", "created_by"), ("author", "name of the author", "person who wrote it"), name),
    (("city", "town", "destination"), ("city", "destination", "town"), of(*CITIES)),
    (("origin", "from", "departure_city"), ("place of departure", "origin", "city it starts from"), of(*CITIES)),
    (("due", "due_date", "dueDate", "pay_by"), ("due date", "date it is due", "payment date"), date),
    (
        ("created", "created_at", "createdOn", "opened"),
        ("creation date", "date it was created", "date of opening"),
        date,
    ),
    (
        ("expected", "expected_delivery", "eta", "delivery_date"),
        ("expected date", "delivery date", "date of delivery"),
        date,
    ),
    (("birthday", "date_of_birth", "born"), ("date of birth", "birthday"), date),
    (
        ("status", "state", "order_status"),
        ("status", "state of it"),
        of("delayed", "shipped", "cancelled", "paid", "open", "closed", "pending", "refunded", "delivered", "returned"),
    ),
    (("priority", "urgency", "severity"), ("priority", "urgency"), of("low", "medium", "high", "critical")),
    (
        ("plan", "subscription", "tier"),
        ("plan", "subscription", "kind of subscription"),
        of("basic", "premium", "family", "trial", "enterprise", "student"),
    ),
    (
        ("currency", "currency_code"),
        ("currency", "currency of the amount"),
        of("EUR", "USD", "GBP", "JPY", "CHF", "SEK"),
    ),
    (("language", "locale", "lang"), ("language",), of("English", "German", "French", "Spanish", "Polish", "Korean")),
    (
        ("payment", "payment_method", "paid_with"),
        ("payment method", "way of paying"),
        of("credit card", "bank transfer", "cash", "gift card", "invoice"),
    ),
    (("email", "mail", "contact_email"), ("mail address", "email address", "e-mail"), email),
    (("product", "article", "item", "product_name"), ("product", "name of the product", "article"), thing),
    (("color", "colour"), ("color", "colour"), of("red", "green", "blue", "black", "white", "grey", "yellow", "brown")),
    (
        ("department", "team", "unit"),
        ("department", "team"),
        of("sales", "support", "billing", "legal", "marketing", "warehouse", "research"),
    ),
    (
        ("role", "job", "job_title", "position"),
        ("role", "job title", "position"),
        of("engineer", "accountant", "driver", "designer", "nurse", "cook", "editor", "analyst"),
    ),
    (("room", "room_number", "office"), ("room", "room number"), lambda rng: str(rng.randint(1, 499))),
    (
        ("flight", "flight_no"),
        ("flight", "flight number"),
        lambda rng: f"{rng.choice(('LH', 'BA', 'AF', 'KL', 'QF'))} {rng.randint(10, 9999)}",
    ),
    (
        ("total", "amount", "total_price", "sum"),
        ("total", "amount", "total price"),
        lambda rng: f"{rng.randint(1, 2500)}.{rng.randint(0, 99):02}",
    ),
    (("quantity", "count", "pieces"), ("quantity", "number of pieces"), lambda rng: str(rng.randint(1, 60))),
    (
        ("note", "comment", "remark"),
        ("note", "comment"),
        lambda rng: " ".join(rng.choice(WORDS) for _ in range(rng.randint(2, 6))),
    ),
)
ASKS = (
    "The {}",
    "The {}",
    "What is the {}?",
    "Find the {}.",
    "Quote the {}.",
    "Extract the {}.",
    "Which {} is given?",
    "{}",
)
WRITES = ("The {}", "Give the {}.", "Fill in the {}.", "What is the {}?", "{}")
# What can be written down: the kind of fill, what its value looks like, the truth.
FORMS = (
    ("int", r"\d{1,6}", int),
    ("number", r"\d{1,6}\.\d+", float),
    ("date", r"\d{4}-\d\d-\d\d", str),
    ("text", r"[\w ]{2,24}", str),
)
CLAIMS = ("The {} is {}.", "Is the {} {}?", "{} is the {}.")
PICKS = ("What is the {}?", "Which {} is given?", "The {}", "Choose the {}.")
NONE = ("none of these", "not given", "another one")
LISTS = (
    ("lines", "items", "articles", "positions"),
    (
        "Which articles are in it?",
        "Which of these were ordered?",
        "Select the items of the order.",
        "What is on the list?",
    ),
    ("How many lines are there?", "How many different articles are listed?", "Count the items."),
)


def any_fields(words, rng):
    """Fields as in FIELDS, of one or two words that mean nothing together."""
    fields = []
    for _ in range(3):
        key = rng.sample(words, rng.choice((1, 1, 2)))
        style = rng.choice(("_".join(key), key[0] + "".join(word.capitalize() for word in key[1:])))
        make = rng.choice(
            (
                code,
                date,
                firm,
                name,
                email,
                lambda rng: " ".join(rng.sample(words, rng.choice((1, 1, 2, 3)))),
                lambda rng: str(rng.randint(0, 9999)),
                lambda rng: f"{rng.randint(1, 500)} {rng.choice(('mg', 'km', '%', 'min', 'kg', 'cm', 'MB', '°C'))}",
                lambda rng: f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}",
            )
        )
        fields.append(((style,), (), make))
    return fields


def spoken(key):
    return re.sub(r"([a-z])([A-Z])", r"\1 \2", key).replace("_", " ").lower()


def record(words, rng):
    """The state, [(phrases, value, maker)] of its fields, of those it lacks, and the names in its list."""
    strange = any_fields(words, rng) if rng.random() < 0.6 else []
    chosen = rng.sample(FIELDS, rng.randint(1 if strange else 3, 7)) + strange[1:]
    rng.shuffle(chosen)
    used, fields, flat = set(), [], {}
    for keys, phrases, make in chosen:
        key, value = rng.choice(keys), make(rng)
        if key in used or value in map(str, flat.values()):
            continue
        used.add(key)
        flat[key] = (
            json.loads(value) if re.fullmatch(r"[1-9]\d{0,8}(\.\d?[1-9])?", value) and rng.random() < 0.6 else value
        )
        fields.append(((*phrases, spoken(key)), value, make))
    # What is not there: no field of the same maker, or a guess would be as good.
    away = [
        ((*phrases, spoken(keys[0])), make)
        for keys, phrases, make in FIELDS
        if not used & set(keys) and all(make is not other for _, _, other in fields)
    ]
    away += [((spoken(keys[0]),), make) for keys, _, make in strange[:1] if keys[0] not in used]
    names = (
        rng.sample(THINGS, rng.randint(1, 4))
        if rng.random() < 0.35 and all(make is not thing for _, _, make in fields)
        else []
    )
    if rng.random() < 0.3:
        state = "\n".join(f"{spoken(key).capitalize()}: {value}" for key, value in flat.items())
        return state, fields, away, []
    state = flat
    if names:
        state = {**flat, rng.choice(LISTS[0]): [{"article": listed, "count": rng.randint(1, 9)} for listed in names]}
    if rng.random() < 0.3:
        first = list(flat)[: rng.randint(1, 3)]
        outer = rng.choice([key for key in ("order", "data", "details", "record", "result") if key not in flat])
        state = {
            outer: {key: flat[key] for key in first},
            **{key: value for key, value in state.items() if key not in first},
        }
    return state, fields, away, names


def row(words, rng, index):
    state, fields, away, names = record(words, rng)
    questions, truth = {}, {}

    def ask(question, answer):
        identity = f"q{len(questions)}"
        questions[identity], truth[identity] = question, answer

    for phrases, value, make in rng.sample(fields, min(len(fields), rng.randint(1, 4))):
        phrase, kind = rng.choice(phrases), rng.random()
        if kind < 0.55:
            ask({"type": "extract", "instructions": rng.choice(ASKS).format(phrase)}, value)
        elif kind < 0.65:
            fitting = [(form, cast) for form, pattern, cast in FORMS if re.fullmatch(pattern, value)]
            for form, cast in fitting[:1]:
                ask({"type": "fill", "kind": form, "instructions": rng.choice(WRITES).format(phrase)}, cast(value))
        elif kind < 0.8:
            is_true = rng.random() < 0.5
            said = value if is_true else make(rng)
            form = rng.choice(CLAIMS)
            ask(
                {
                    "type": "noul",
                    "instructions": form.format(said, phrase)
                    if form.startswith("{} is")
                    else form.format(phrase, said),
                },
                said == value,
            )
        else:
            others = sorted({make(rng) for _ in range(6)} - {value})
            others = rng.sample(others, min(len(others), rng.randint(1, 5)))
            none = rng.choice(NONE)
            is_out = rng.random() < 0.15
            options = [*others, *([] if is_out else [value]), *([none] if is_out or rng.random() < 0.3 else [])]
            if len(options) > 1:
                rng.shuffle(options)
                ask(
                    {
                        "type": "choice",
                        "instructions": rng.choice(PICKS).format(phrase),
                        "criteria": dict.fromkeys(options),
                    },
                    none if is_out else value,
                )
    for phrases, _ in rng.sample(away, 1 if rng.random() < 0.6 else 0):
        ask({"type": "extract", "instructions": rng.choice(ASKS).format(rng.choice(phrases))}, None)
    if names:
        options = names + [other for other in rng.sample(THINGS, 3) if other not in names]
        rng.shuffle(options)
        ask(
            {"type": "select", "instructions": rng.choice(LISTS[1]), "criteria": dict.fromkeys(options)},
            [option for option in options if option in names],
        )
        ask({"type": "fill", "kind": "int", "instructions": rng.choice(LISTS[2])}, len(names))
    return {
        "id": f"records-{index:06d}",
        "source": "records",
        "task": "records",
        "licence": "Apache-2.0",
        "state": state,
        "questions": questions,
        "truth": truth,
    }


def main(tokenizer, out, count=25000):
    with open(tokenizer) as file:
        pieces = json.load(file)["model"]["vocab"]
    words = [piece[1:] for piece in pieces if re.fullmatch("Ġ[a-z]{4,}", piece)]
    rng = random.Random(23)
    with open(out, "w") as file:
        for index in range(int(count)):
            made = row(words, rng, index)
            if made["questions"]:
                file.write(json.dumps(made) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:4])
