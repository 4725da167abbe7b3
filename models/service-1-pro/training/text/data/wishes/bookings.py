"""RasaHQ/STAR: people who book, report or look up something with an assistant that another person played, who filled a
form after it (Mosig, Mehri and Kober, 2020; MIT). Rows are talks and the form (does it say what the customer said, and
where not), talks that are cut off (which details are given), and how a matter stands after the last reply.
"""

import collections
import json
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "RasaHQ/STAR"
LICENCE = "MIT"
COUNT, TAKEN = 6652, 5000  # dialogues there are, and that are read
MOST_LINES, MOST_WORDS, MOST = 18, 190, 4500  # of a talk; rows of a source
# Marks of lines, and what the two are called in questions.
SPEAKERS = [
    ("Customer", "Assistant", "customer", "assistant"),
    ("User", "Agent", "user", "agent"),
    ("client", "clerk", "client", "clerk"),
    ("U", "A", "user", "assistant"),
    ("Caller", "Service desk", "caller", "service desk"),
]
# Fields of a form: what they are called, and of what kind.
FIELDS = {
    "hotel_book": {
        "Name": ("hotel", "name"),
        "StartDate": ("day of arrival", "date"),
        "EndDate": ("day of departure", "date"),
        "CustomerName": ("name of the guest", "name"),
    },
    "restaurant_book": {
        "Name": ("restaurant", "name"),
        "Time": ("time of the reservation", "time"),
        "PartySize": ("number of people", "number"),
        "CustomerName": ("name for the reservation", "name"),
    },
    "plane_book": {"id": ("flight number", "code"), "CustomerName": ("name of the passenger", "name")},
    "plane_search": {"DepartureCity": ("city of departure", "name"), "ArrivalCity": ("destination", "name")},
    "ride_book": {
        "CustomerName": ("name of the passenger", "name"),
        "DepartureLocation": ("place of departure", "name"),
        "ArrivalLocation": ("destination", "name"),
    },
    "ride_change": {"id": ("booking number", "code"), "CustomerName": ("name of the passenger", "name")},
    "ride_status": {"id": ("booking number", "code"), "CustomerName": ("name of the passenger", "name")},
    "doctor_schedule": {
        "Name": ("name of the doctor", "name"),
        "PatientName": ("name of the patient", "name"),
        "Day": ("day of the appointment", "day"),
        "StartTimeHour": ("time of the appointment", "time"),
    },
    "apartment_schedule": {
        "Name": ("apartment building", "name"),
        "RenterName": ("name of the customer", "name"),
        "Day": ("day of the viewing", "day"),
        "StartTimeHour": ("time of the viewing", "time"),
    },
    "party_plan": {
        "Name": ("venue", "name"),
        "HostName": ("name of the host", "name"),
        "Day": ("day of the party", "day"),
        "StartTimeHour": ("time the party starts", "time"),
        "NumberGuests": ("number of guests", "number"),
    },
    "party_rsvp": {
        "Name": ("venue", "name"),
        "ArrivalTime": ("time of arrival", "time"),
        "NumberGuests": ("number of guests", "number"),
    },
    "meeting_schedule": {
        "Name": ("person to meet", "name"),
        "Day": ("day of the meeting", "day"),
        "StartTimeHour": ("start of the meeting", "time"),
        "EndTimeHour": ("end of the meeting", "time"),
    },
    "hotel_service_request": {
        "Name": ("hotel", "name"),
        "RoomNumber": ("room number", "code"),
        "Time": ("time of the service", "time"),
        "CustomerName": ("name of the guest", "name"),
    },
    "bank_balance": {
        "FullName": ("name of the customer", "name"),
        "AccountNumber": ("account number", "code"),
        "PIN": ("PIN", "code"),
        "SecurityAnswer1": ("mother's maiden name", "name"),
        "SecurityAnswer2": ("name of the pet", "name"),
    },
}
FIELDS["bank_fraud_report"] = FIELDS["bank_balance"]
PAIRS = [("StartDate", "EndDate"), ("DepartureLocation", "ArrivalLocation"), ("DepartureCity", "ArrivalCity")]
PAIRS += [("StartTimeHour", "EndTimeHour")]
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
# What shows that something of a kind may have been told.
HINTS = {
    "time": r"\d|noon|midnight|morning|evening|night|o'?clock|" + "|".join(NUMBERS),
    "day": "day|tomorrow|tonight|week|" + "|".join(day[:3] for day in DAYS),
    "date": r"\d|day|tomorrow|tonight|week|" + "|".join(NUMBERS),
    "number": r"\d|\b(?:alone|myself|both|couple|dozen|we|us|wife|husband|friends?)\b|" + "|".join(NUMBERS),
    "code": r"\d",
}
FITS = [
    ("The {form} agrees with what the {buyer} said.", True),
    ("The {form} was filled in correctly.", True),
    ("Everything in the {form} is as the {buyer} told it.", True),
    ("Does the {form} match the talk?", True),
    ("Something in the {form} is wrong.", False),
    ("The {form} differs from what was said.", False),
    ("The {form} has to be corrected.", False),
    ("Does the {form} contain a mistake?", False),
]
IS = [
    ("The {field} is {said}.", True),
    ("Is the {field} {said}?", True),
    ("{field}: {said}", True),
    ("{said} is right as the {field}.", True),
    ("The {field} is not {said}.", False),
    ("The {buyer} gives something else than {said} as the {field}.", False),
    ("It would be wrong to put {said} down as the {field}.", False),
    ("{said} is the wrong {field}.", False),
]
WHICH_WRONG = [
    "Which field of the {form} is wrong?",
    "What has to be corrected in the {form}?",
    "The field that does not fit the talk",
    "Where does the {form} differ from what the {buyer} said?",
]
ALL_RIGHT = ["none", "none of them", "nothing", "all are right"]
COPY = ["{field}", "What is the {field}?", "Copy the {field} that the {buyer} gives.", "The {field}, as it was said"]
GIVEN = [
    ("The {buyer} has told the {field}.", True),
    ("The {field} is known by now.", True),
    ("Has the {buyer} given the {field}?", True),
    ("The {field} is still missing.", False),
    ("The {buyer} has not said the {field} yet.", False),
    ("Nothing has been said about the {field} so far.", False),
]
NEED_ASK = [
    ("One need not ask for the {field} any more.", True),
    ("The {clerk} still has to ask for the {field}.", False),
]
TOLD = ["Which details has the {buyer} given?", "What is known already?", "Details that were told so far"]
MISSING = ["Which of these are still missing?", "Details that are not given yet"]
TO_ASK = ["What must the {clerk} still ask for?"]
STATES = {
    "done": r"successful$|succeeded$|_confirmed$|_confirm_rsvp$|ride_confirm_booking$|report_submitted$",
    "failed": r"_failed$|cannot_authenticate$",
    "taken": r"unavailable|not_available$|no_venue_available$",
    "open": r"ask_confirm_booking$|flight_available$|booking_available$|viewing_available$",
    "lost": r"^out_of_scope$",
    "asks": r"ask_(?:name|day|.*time|account_number|pin|dob|.*maiden_name|.*pets_name|date.*|location|venue|host|hotel"
    r"|number_of_guests|size|restaurant|destination|departure.*|symptoms|booking_number|flight_id|apartment_name)$",
}
OWN, DONE = "own words", "booked|scheduled|reserved|confirmed|complete|submitted|success|done|set"
UNSURE = {"taken": ("failed", "asks"), "failed": ("taken", "lost"), "open": ("asks",), "lost": ("failed",)}
SAID = one_of_kinds.written(
    {
        "done": (
            ["The request has been carried out.", "The matter is settled as the customer wished.", "It worked."],
            ["Nothing has been booked or passed on yet.", "The last message reports no success."],
        ),
        "failed": (
            ["The request was turned down.", "The last attempt failed.", "The assistant reports a failure."],
            ["No attempt was turned down in the last message.", "The last message reports no failure."],
        ),
        "taken": (
            ["What the customer wanted is not available.", "Another time or place has to be found."],
            ["The last message says nothing of something being unavailable.", "Availability is not the problem."],
        ),
        "open": (
            ["The customer has to confirm before anything is booked.", "The assistant waits for a yes or no to book."],
            [
                "There is no booking that waits for the customer's yes.",
                "The customer is not asked to confirm a booking.",
            ],
        ),
        "lost": (
            ["The assistant says that it does not understand.", "The assistant replies that it cannot help with this."],
            ["The assistant understood the customer.", "The assistant does not say that this is beyond it."],
        ),
        "asks": (
            ["The assistant asks for a detail that it lacks.", "The customer is asked for more information."],
            ["The last message does not ask for any more details.", "No information is asked for at the end."],
        ),
    }
)
NAMES = [
    {
        "done": "done",
        "failed": "failed",
        "taken": "not available",
        "open": "to be confirmed",
        "lost": "not understood",
        "asks": "details missing",
    },
    {
        "done": "completed",
        "failed": "rejected",
        "taken": "unavailable",
        "open": "awaiting confirmation",
        "lost": "out of scope",
        "asks": "collecting information",
    },
]
DESCRIPTIONS = {
    "done": "what was asked for has been booked, changed or passed on",
    "failed": "it was tried and did not work",
    "taken": "free at another time or place only, if at all",
    "open": "it is possible, and the customer is asked whether to go ahead",
    "lost": "the assistant cannot help with what was said",
    "asks": "the assistant needs to know something first",
}
STANDS = [
    "How does the matter stand?",
    "Status of the request",
    "What came of it so far?",
    "State after the last message",
]


def value_of(said):
    """The plain value of a condition of a form: "Sunday" of api.is_equal_to("Sunday"); None of others."""
    found = re.fullmatch(r'(?:api\.is_equal_to\()?"?([^"\[\]()]+?)"?\)?', str(said).strip())
    return found[1].strip() if found and found[1] not in ("null", "None", "True", "False") else None


def pattern(value, kind):
    """What the value looks like in what people write."""
    if kind == "time":
        hour, _, half = value.partition(" ")
        return rf"\b{re.escape(hour)}(?::00)?\s?{half[:1]}\.?m\b" if half else None
    if kind == "date":
        return rf"\b{re.escape(value)}\b" if re.fullmatch(r"\d+(?:st|nd|rd|th)", value) else None
    if kind == "number":
        if not value.isdigit() or int(value) < 2:
            return None
        word = f"|{NUMBERS[int(value)]}" if int(value) < len(NUMBERS) else ""
        return rf"\b(?:{value}{word})\b(?!\s*(?:[ap]\.?m|:|th|st|nd|rd|o'?clock))"
    return rf"\b{re.escape(value)}\b"


def found(value, kind, text):
    """The place of the value in the text, or None."""
    like = pattern(value, kind)
    return re.search(like, text, re.I) if like else None


def read_talk(talk):
    """(lines [(whether the customer's, text, label)], forms [(count of lines before, kind of form, values)])."""
    lines, forms = [], []
    for one in talk["Events"]:
        if one["Action"] == "pick_suggestion" or (one["Action"] == "utter" and one["Agent"] == "User"):
            lines.append((one["Agent"] == "User", rows.plain(one["Text"]), one.get("ActionLabel")))
        elif one["Action"] == "utter":
            lines.append((False, rows.plain(one["Text"]), OWN))
        elif one["Action"] == "query" and one["APIName"] in FIELDS:
            given = {key: value_of(said) for each in one["Constraints"] for key, said in each.items()}
            forms.append((len(lines), one["APIName"], {k: v for k, v in given.items() if v}))
    return lines, forms


def shown(lines, names):
    return [f"{names[0] if mine else names[1]}: {text}" for mine, text, _ in lines if text]


def window(lines, last):
    """The first line to show, so that lines[first:last] are not too many."""
    first = last
    while first and last - first < MOST_LINES:
        if sum(len(text.split()) for _, text, _ in lines[first - 1 : last]) > MOST_WORDS:
            break
        first -= 1
    return first


def of_customer(lines):
    return " / ".join(text for mine, text, _ in lines if mine)


def another(value, kind, pool, text, rnd):
    """Another value of a field that nobody says."""
    fitting = [one for one in pool if one.lower() not in text.lower() and not found(one, kind, text)]
    near = [one for one in fitting if len(one) == len(value)] if value.isdigit() else fitting
    return rnd.choice(near or fitting) if near or fitting else None


def said_of(field, said, holds, names, rnd):
    question, truth = rows.claim(IS, holds, rnd, field=field, said=said, buyer=names[0])
    return question | {"instructions": rows.begun(question["instructions"])}, truth


def form_row(lines, kind, values, pool, rnd):
    """A talk and a form of it that is right or not, with questions; None where too little of it was said."""
    fields, text = FIELDS[kind], " / ".join(said for _, said, _ in lines)
    known = {k: v for k, v in values.items() if k in fields and found(v, fields[k][1], of_customer(lines))}
    if len(known) < 2:
        return None
    names, form = rnd.choice(SPEAKERS), rnd.choice(["form", "booking", "record", "request"])
    keys = rnd.sample(list(known), len(known))
    put, wrong, holds, words = dict(known), None, rnd.random() < 0.5, {"form": form, "buyer": names[2]}
    swapped = [pair for pair in PAIRS if all(k in known for k in pair) and known[pair[0]] != known[pair[1]]]
    if not holds and swapped and rnd.random() < 0.4:
        first, second = swapped[0]
        put[first], put[second] = known[second], known[first]
    elif not holds:
        wrong = keys[0]
        put[wrong] = another(known[wrong], fields[wrong][1], pool[wrong], text, rnd)
        if put[wrong] is None:
            return None
    made, called = [], {k: fields[k][0] for k in keys}
    if rnd.random() < 0.7 or (not holds and wrong is None):
        made.append(rows.claim(FITS, holds, rnd, **words))
    if (holds or wrong) and (not made or rnd.random() < 0.4) and len(keys) > 2:
        none = rnd.choice(ALL_RIGHT)
        options = [*called.values(), *([none] if holds or rnd.random() < 0.6 else [])]
        rnd.shuffle(options)
        ask = rnd.choice(WHICH_WRONG).format(**words)
        made.append(({"type": "choice", "instructions": ask, "criteria": options}, called[wrong] if wrong else none))
    if not made:
        made.append(rows.claim(FITS, holds, rnd, **words))
    keyed = (lambda name: name.replace(" ", "_").replace("'s", "s")) if rnd.random() < 0.5 else str
    filled = {keyed(called[k]): put[k] for k in sorted(keys, key=list(fields).index)}
    talk = shown(lines, names)
    state = {"talk": talk if rnd.random() < 0.3 else "\n".join(talk), form: filled}
    return state, made


def value_row(lines, kind, values, pool, rnd):
    """A talk and questions about the values that were given."""
    fields, text, told = FIELDS[kind], " / ".join(said for _, said, _ in lines), of_customer(lines)
    places = {k: found(v, fields[k][1], told) for k, v in values.items() if k in fields}
    known = {k: at for k, at in places.items() if at}
    names, made = rnd.choice(SPEAKERS), []
    for key in rnd.sample(list(known), min(len(known), 3)):
        (field, sort), value = fields[key], values[key]
        drawn, other = rnd.random(), another(value, sort, pool[key], text, rnd)
        pair = next((values[b] for p in PAIRS for a, b in (p, p[::-1]) if a == key and b in known), None)
        other = pair if pair and pair != value and rnd.random() < 0.5 else other
        if drawn < 0.5 and other:
            holds = rnd.random() < 0.5
            made.append(said_of(field, value if holds else other, holds, [names[2]], rnd))
        elif drawn < 0.75 and len(re.findall(pattern(value, sort), told, re.I)) == 1:
            ask = rnd.choice(COPY).format(field=field, buyer=names[2])
            made.append(({"type": "extract", "instructions": rows.begun(ask)}, known[key][0]))
        elif sort == "number":
            made.append(({"type": "fill", "kind": "int", "instructions": f"The {field}"}, int(value)))
    return ("\n".join(shown(lines, names)), made) if made else None


def told_row(lines, kind, values, pools, rnd):
    """A talk cut off on the way to the form, and which of the details of the form are given by then."""
    fields, places = FIELDS[kind], [n for n, (mine, _, _) in enumerate(lines) if mine]
    if len(places) < 3:
        return None
    cut = rnd.choice(places[:-1]) + 1
    if cut < len(lines) and not lines[cut][0] and rnd.random() < 0.4:
        cut += 1
    before, after = of_customer(lines[:cut]), of_customer(lines[cut:])
    every = " / ".join(text for _, text, _ in lines[:cut])
    given, missing = [], []
    for key, value in values.items():
        if key not in fields:
            continue
        field, kind_of = fields[key]
        hints = HINTS.get(kind_of) or "|".join(re.escape(one) for one in pools[key])
        if found(value, kind_of, before):
            given.append(field)
        elif found(value, kind_of, after) and not re.search(hints, every, re.I):
            missing.append(field)
    if not given or not missing:
        return None
    names, made = rnd.choice(SPEAKERS), []
    words = {"buyer": names[2], "clerk": names[3]}
    to_ask = lines[cut - 1][0]  # what the clerk has just asked for is missing, but need not be asked for again
    if len(given) + len(missing) > 2 and rnd.random() < 0.45:
        options, is_told = [*given, *missing], rnd.random() < 0.5
        rnd.shuffle(options)
        ask = rnd.choice(TOLD if is_told else MISSING + TO_ASK * to_ask).format(**words)
        right = [one for one in options if one in (given if is_told else missing)]
        made.append(({"type": "select", "instructions": ask, "options": options}, right))
    else:
        for field, holds in ((rnd.choice(given), True), (rnd.choice(missing), False)):
            made.append(rows.claim(GIVEN + NEED_ASK * to_ask, holds, rnd, field=field, **words))
        rnd.shuffle(made)
    return "\n".join(shown(lines[:cut], names)), made


def state_of(text, label):
    if label in (None, OWN, "custom"):
        return "done" if re.search(DONE, text, re.I) else None
    return next((kind for kind, like in STATES.items() if re.search(like, label)), None)


def state_rows(lines, surplus, rnd):
    """Talks up to a reply of which it is known what it means for the matter."""
    labels = [None if mine else state_of(text, label) for mine, text, label in lines]
    places = [
        n
        for n, kind in enumerate(labels)
        if kind and n > 1 and "done" not in labels[:n] and lines[n][2] not in (OWN, "custom")
    ]
    common = {"asks": 0.25, "done": 0.8}
    for n in rnd.sample(places, min(2, len(places))):
        kind = labels[n]
        if rnd.random() > common.get(kind, 1):
            continue
        truths = {one: one == kind for one in STATES}
        for near in UNSURE.get(kind, ()):
            truths.pop(near)
        made = list(one_of_kinds.claims(truths, SAID, rnd.choice([1, 2]), surplus, rnd))
        if not made or rnd.random() < 0.6:
            names = [{k: v for k, v in one.items() if k not in UNSURE.get(kind, ())} for one in NAMES]
            made.append(one_of_kinds.choice(kind, names, STANDS, rnd, (), 5, DESCRIPTIONS))
        first = max(window(lines, n + 1), n - rnd.randint(2, 12))
        yield "\n".join(shown(lines[first : n + 1], ("Customer", "Assistant"))), made


def read(show, rnd):
    made, surplus, pools, talks = collections.defaultdict(list), collections.Counter(), {}, []
    for number in sorted(rnd.sample(range(1, COUNT + 1), TAKEN)):
        lines, forms = read_talk(json.loads(show(f"dialogues/{number}.json")))
        talks.append((lines, forms))
        for _, kind, values in forms:
            for key, value in values.items():
                if key in FIELDS[kind]:
                    pools.setdefault(kind, {}).setdefault(key, collections.Counter())[value] += 1
    # Values that many gave, to take for each other.
    pools = {k: {key: sorted(v for v, n in c.items() if n > 2) for key, c in p.items()} for k, p in pools.items()}
    for lines, forms in talks:
        if len(lines) < 4:
            continue
        made["state"] += state_rows(lines, surplus, rnd)
        for last, kind, values in rnd.sample(forms, min(2, len(forms))):
            part = lines[window(lines, last) : last]
            pick = form_row if rnd.random() < 0.6 else value_row
            made["forms"].append(pick(part, kind, values, pools[kind], rnd))
        if forms and window(lines, forms[0][0]) == 0:
            last, kind, values = forms[0]
            made["told"].append(told_row(lines[:last], kind, values, pools[kind], rnd))
    for source, some in made.items():
        some = [one for one in some if one]
        rnd.shuffle(some)
        for count, (state, questions) in enumerate(some[:MOST]):
            yield rows.row(f"bookings-{source}-{count:05d}", "bookings", LICENCE, state, questions)
