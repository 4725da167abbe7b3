"""datamade/usaddress and datamade/probablepeople: addresses in the United States, and names of people and companies, as
they stand in lists of offices, firms and campaigns, with marks by people on each word (DataMade and others; MIT).

Rows are an address or a name (its parts, and what it lacks), and two of them: the second is the first written in
another way, or has one part that makes it another address or another person.
"""

import collections
import html
import re

from data.shared import evened, one_of_kinds, rows

REPOSITORY = "datamade/usaddress"
MORE = {"names": "datamade/probablepeople"}
LICENCE = "MIT"
TIMES = 3
STREET = "StreetNamePreModifier StreetNamePreDirectional StreetNamePreType StreetName StreetNamePostType".split()
STREET += ["StreetNamePostDirectional"]
PART_OF = {"AddressNumber": "number", "PlaceName": "city", "StateName": "state", "ZipCode": "zip"} | dict.fromkeys(
    STREET, "street"
)
PART_OF |= {"OccupancyType": "unit", "OccupancyIdentifier": "unit", "USPSBoxType": "box", "USPSBoxID": "box"}
COPY = {
    "number": ["The house number", "Copy the number of the house.", "Which house number?", "House number"],
    "street": ["The street", "Which street?", "Copy the street without the house number.", "Street name"],
    "city": ["The city", "Which city or town?", "Copy the city.", "City"],
    "state": ["The state", "Which state?", "Copy the state as it is written.", "State"],
    "zip": ["The ZIP code", "Postal code", "Copy the ZIP code.", "What is the ZIP code?"],
    "unit": ["The suite, flat, floor or room", "Which unit in the building?", "Copy the unit.", "Unit or suite"],
    "box": ["The post office box", "Which PO box?", "Copy the PO box.", "PO box"],
}
HAS = one_of_kinds.written(
    {
        "zip": (
            ["There is a ZIP code.", "The address has a postal code.", "Is the ZIP code given?"],
            ["The ZIP code is missing.", "No postal code is given.", "The address lacks a ZIP code."],
        ),
        "city": (
            ["A city or town is named.", "The address says which city it is in.", "Is the city given?"],
            ["The city is missing.", "No city or town is named.", "One cannot tell the city from this."],
        ),
        "unit": (
            [
                "A suite, flat, floor or room is given.",
                "The address names a unit within the building.",
                "Is there a unit number?",
            ],
            [
                "No suite, flat or room is given.",
                "The address is of a whole building, without a unit.",
                "Nothing is said of a unit in the building.",
            ],
        ),
        "box": (
            ["This is a post office box.", "The mail goes to a PO box.", "Is it a PO box?"],
            [
                "This is not a PO box.",
                "The address does not use a post office box.",
                "It is something else than a PO box.",
            ],
        ),
        "number": (
            ["There is a house number.", "The address has the number of a house.", "Is a house number given?"],
            ["The house number is missing.", "No house number is given.", "The address lacks the number of a house."],
        ),
    }
)
IN = [
    ("The address is in {city}.", True),
    ("The city is {city}.", True),
    ("Is it in {city}?", True),
    ("A parcel for this address goes to {city}.", True),
    ("The address is in another city than {city}.", False),
    ("The city is not {city}.", False),
    ("A list of addresses in {city} would leave this one out.", False),
]
LACKS = ["What is missing?", "Which part does the address lack?", "What has to be asked for?", "Not given"]
LACKED = {"number": "house number", "city": "city", "state": "state", "zip": "ZIP code"}
SAME = [
    ("Both mean the same address.", True),
    ("This is one address, written in two ways.", True),
    ("Do the two agree?", True),
    ("A letter would arrive at the same door.", True),
    ("The second is the first in another spelling.", True),
    ("These are two different addresses.", False),
    ("The two do not mean the same door.", False),
    ("One part is not the same in both.", False),
    ("Is the second another address than the first?", False),
]
DIFFERS = ["What differs?", "In which part do they differ?", "What is not the same?", "Compare the two."]
PARTS = {"number": "house number", "street": "street", "unit": "unit", "city": "city", "zip": "ZIP code"}
NOTHING = ["nothing that matters", "nothing", "only the way of writing"]
BESIDE = [("first", "second"), ("on_file", "given"), ("billing", "shipping"), ("a", "b"), ("order", "account")]
LONG = dict(
    one.split(":")
    for one in (
        "st:street ave:avenue dr:drive rd:road blvd:boulevard ln:lane ct:court pl:place n:north s:south e:east w:west "
        "ste:suite hwy:highway apt:apartment cir:circle pkwy:parkway"
    ).split()
)
SHORT = {long: short for short, long in LONG.items()}
TURNED = {"north": "south", "south": "north", "east": "west", "west": "east", "n": "s", "s": "n", "e": "w", "w": "e"}
PERSON = one_of_kinds.written(
    {
        "person": (
            [
                "This is a person.",
                "The name is a person's.",
                "Is this somebody's own name?",
                "The payee is a human being.",
            ],
            ["This is not a person.", "The name is not that of a person.", "Is it something else than a person?"],
        ),
        "company": (
            [
                "This is a company or an organization.",
                "The name is that of a firm or body.",
                "Is this an organization?",
                "The payee is a company or an institution.",
            ],
            ["This is no company or organization.", "No firm or body has this name.", "Is it no organization?"],
        ),
        "legal": (
            ["The legal form is given.", "One can tell the legal form.", "Does the name say Inc., LLC or the like?"],
            [
                "No legal form is given.",
                "The name does not tell the legal form.",
                "Inc., LLC and the like are missing.",
            ],
        ),
        "couple": (
            ["Two people are named.", "This is a couple or a pair of people.", "Is more than one person named?"],
            ["One person is named.", "It is a single person.", "Only one person is meant."],
        ),
        "turned": (
            [
                "The surname comes first.",
                "The family name stands before the given name.",
                "Is the surname written first?",
            ],
            [
                "The given name or its initial comes first.",
                "The surname comes last.",
                "The family name is behind the given name.",
            ],
        ),
        "title": (
            ["A title like Mr or Dr is in front.", "The person is given with a title.", "Is there a Mr, Ms or Dr?"],
            [
                "There is no title before the name.",
                "The name comes without Mr, Ms or Dr.",
                "No form of address is given.",
            ],
        ),
    }
)
KIND = ["Who is this?", "Kind of name", "What sort of payee is it?", "Classify the name."]
KINDS = [
    ("person", "organization"),
    ("a person", "a company or body"),
    ("individual", "business"),
    ("natural person", "legal entity"),
]
COPY_NAME = {
    "Surname": ["Surname", "Copy the family name.", "The surname", "Last name"],
    "GivenName": ["Given name", "Copy the given name.", "The first name", "First name"],
    "CorporationLegalType": [
        "Legal form",
        "Copy the legal form.",
        "The legal form as it is written",
        "Which legal form?",
    ],
}
LIKE_A_FORM = re.compile(  # words that some take for a legal form, or that nobody marked as one
    r"\b(?:corp\w*|co|company|inc|pac|p\.a\.c|committee|partner\w*|trust|ass(?:n|oc)\w*|co-?op\w*|d ?b ?a)\b", re.I
)
CAN_BE = [
    ("Both can be the same person.", True),
    ("The two names fit one person.", True),
    ("It may be one person, written in two ways.", True),
    ("Nothing in the names speaks against one person.", True),
    ("The names are of two people.", False),
    ("The names do not fit together.", False),
    ("Going by the names, these are different people.", False),
    ("One part of the name contradicts the other record.", False),
]


def marked(page, tag):
    """[[(mark, words)]]: words with the same mark beside each other as one."""
    for entry in re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.S):
        runs = []
        for mark, said in re.findall(r"<(\w+)>(.*?)</\1>", entry, re.S):
            said = rows.plain(html.unescape(said))
            if runs and runs[-1][0] == mark:
                runs[-1][1] += f" {said}"
            else:
                runs.append([mark, said])
        yield runs


def is_run_on(one, following):
    """Whether one cannot see where a street ends and the city begins ("El Tordo Rancho Santa Fe")."""
    (mark, said), (next_mark, _) = one, following
    return mark == "StreetName" and next_mark == "PlaceName" and re.search(r"[A-Za-z]\W+[A-Za-z]+$", said)


def addresses(page):
    """(text, part -> words as written) of addresses whose parts are each in one piece."""
    for runs in marked(page, "AddressString"):
        parts, order = {}, []
        for mark, said in runs:
            part = PART_OF.get(mark, mark)
            if part in parts and order[-1] != part:
                order = []
                break
            parts[part] = f"{parts[part]} {said}" if part in parts else said
            order.append(part)
        known = set(parts) <= {*PARTS, "state", "box", "Recipient"}
        known = known and not any(map(is_run_on, runs, runs[1:]))
        if order and known and len(parts) > 2 and ("street" in parts) != ("box" in parts):
            yield " ".join(said for _, said in runs), {part: said.strip(" ,.;()") for part, said in parts.items()}


def quoted(part, parts):
    """The words of a part, where it is sure to be right."""
    said = parts.get(part)
    if (
        said is None
        or (part == "number" and not said.isdigit())
        or (part == "zip" and not re.fullmatch(r"\d{5}(-\d{4})?", said))
    ):
        return None
    if part == "state" and not re.fullmatch(r"[A-Za-z]{2}|[A-Z]?[a-z]{4,}(?: [A-Z]?[a-z]+)?", said):
        return None
    return said if part not in ("unit", "box") or re.search(r"\d", said) else None


def on_parts(parts, cities, surplus, rnd):
    known = [part for part in COPY if quoted(part, parts)]
    for part in rnd.sample(known, min(len(known), rnd.choice([1, 2, 2]))):
        yield {"type": "extract", "instructions": rnd.choice(COPY[part])}, quoted(part, parts)
    if "unit" not in parts and rnd.random() < 0.1:
        yield {"type": "extract", "instructions": rnd.choice(COPY["unit"])}, None
    yield from one_of_kinds.claims(
        {part: part in parts for part in ("zip", "city", "unit", "box", "number")}, HAS, 1, surplus, rnd
    )
    if "city" in parts and rnd.random() < 0.4:
        holds, city = rnd.random() < 0.5, parts["city"].title()
        other = rnd.choice([one for one in cities if one.lower() not in " ".join(parts.values()).lower()])
        yield evened.claim(IN, holds, surplus, rnd, city=city if holds else other)
    lacking = [part for part in LACKED if part not in parts]
    if "street" in parts and len(lacking) <= 1 and rnd.random() < 0.5:
        options = rnd.sample([*LACKED.values(), "nothing"], 5)
        yield (
            {"type": "choice", "instructions": rnd.choice(LACKS), "criteria": options},
            LACKED[lacking[0]] if lacking else "nothing",
        )


def rewritten(parts, rnd):
    """The same address in other spelling."""
    change = rnd.choice([LONG, SHORT, {}])

    def spelt(part, said):
        words = said.replace(",", "").replace(".", "").split()
        if part in ("street", "unit"):
            first, last = words[0].lower(), words[-1].lower()
            if len(words) > 1:
                words[-1] = change.get(last, words[-1])
                words[0] = change.get(first, words[0]) if first not in ("st", "street") else words[0]
        return " ".join(words)

    kept = {part: spelt(part, said) for part, said in parts.items()}
    if "-" in kept.get("zip", "") and rnd.random() < 0.5:
        kept["zip"] = kept["zip"][:5]
    case = rnd.choice([str.upper, str.title, str.lower])
    order = ["number", "street", "unit", "box", "city", "state", "zip"]
    said = {
        part: kept[part].upper() if part == "state" and len(kept[part]) == 2 else case(kept[part])
        for part in order
        if part in kept
    }
    said = {
        part: re.sub(r"(?<=\d)(?:St|Nd|Rd|Th)\b", lambda found: found[0].lower(), one) for part, one in said.items()
    }
    line = " ".join(said[part] for part in ("number", "street", "box") if part in said)
    place = " ".join(said[part] for part in ("state", "zip") if part in said)
    return rnd.choice([", ", ", ", " "]).join(one for one in (line, said.get("unit"), said.get("city"), place) if one)


def changed(parts, cities, streets, rnd):
    """(part, address with another value of it)."""
    part = rnd.choice([one for one in PARTS if one in parts])
    said = parts[part]
    if part in ("number", "unit", "zip"):
        digits = re.findall(r"\d+", said)
        if not digits:
            return None
        old = digits[0]
        new = str(int(old) + rnd.choice([-2, 2, 10, 100, 1000] if part == "number" else [1, 2, 11]))
        if part == "zip" or rnd.random() < 0.3:
            new = (
                old[:-2] + old[-1] + old[-2]
                if len(old) > 1 and old[-1] != old[-2]
                else str(int(old) + 1).zfill(len(old))
            )
        value = said.replace(old, new, 1) if new[0] != "-" else None
    elif part == "street":
        words = said.split()
        turns = [n for n, word in enumerate(words) if word.lower().strip(".,") in TURNED and len(words) > 1]
        if turns and rnd.random() < 0.6:
            words[turns[0]] = TURNED[words[turns[0]].lower().strip(".,")]
            value = " ".join(words)
        else:
            value = rnd.choice([one for one in streets if not set(one.lower().split()) & set(said.lower().split())])
    else:
        value = rnd.choice([one for one in cities if one.lower() != said.lower()])
    return (part, parts | {part: value}) if value else None


def pair(text, parts, cities, streets, surplus, rnd):
    """(state, questions) of two addresses."""
    holds, parts = rnd.random() < 0.5, {part: said for part, said in parts.items() if part != "Recipient"}
    off = None if holds else changed(parts, cities, streets, rnd)
    if not holds and off is None:
        return None
    names, second = rnd.choice(BESIDE), rewritten(parts if holds else off[1], rnd)
    made = [evened.claim(SAME, holds, surplus, rnd)]
    if rnd.random() < 0.6:
        none, shown = rnd.choice(NOTHING), [part for part in PARTS if part in parts]
        options = rnd.sample([PARTS[part] for part in shown] + [none], len(shown) + 1)
        asked = {"type": "choice", "instructions": rnd.choice(DIFFERS), "criteria": options}
        made.append((asked, none if holds else PARTS[off[0]]))
    state = dict(zip(names, rnd.sample([text, second], 2), strict=True))
    return rows.named(state, rnd.random() < 0.5), made


def named(page):
    """(text, [(mark, words)]) of names of more than one word, each once."""
    found = {}
    for runs in marked(page, "Name"):
        if len(runs) > 1:
            found[" ".join(said for _, said in runs)] = runs
    return list(found.items())


def truths(runs, is_person):
    """What is so of a name, where a reader can tell."""
    marks = [mark for mark, _ in runs]
    known = {"person": is_person, "company": not is_person}
    if not is_person:
        if "CorporationLegalType" in marks or not LIKE_A_FORM.search(" ".join(said for _, said in runs)):
            known["legal"] = "CorporationLegalType" in marks
    else:
        known["couple"] = "And" in marks
        known["title"] = bool({"PrefixMarital", "PrefixOther"} & set(marks))
        if marks.count("Surname") == 1 and marks.count("GivenName") == 1 and "And" not in marks:
            known["turned"] = marks.index("Surname") < marks.index("GivenName")
    return known


def on_name(text, runs, is_person, givens, surplus, rnd):
    yield from one_of_kinds.claims(truths(runs, is_person), PERSON, rnd.choice([1, 2]), surplus, rnd)
    if rnd.random() < 0.25:
        names = rnd.choice(KINDS)
        asked = {"type": "choice", "instructions": rnd.choice(KIND), "criteria": rnd.sample(names, 2)}
        yield asked, names[0] if is_person else names[1]
    marks = [mark for mark, _ in runs]
    given = dict(runs).get("GivenName", "").strip(" ,.").title()
    if is_person and "," not in text and givens[given] < 3:
        return  # one may take the name for the surname
    for mark, said in runs:
        word = said.strip(" ,.;") if mark != "CorporationLegalType" else said.strip(" ,;")
        if (
            mark in COPY_NAME
            and marks.count(mark) == 1
            and len(word) > 1
            and text.count(word) == 1
            and rnd.random() < 0.6
        ):
            yield {"type": "extract", "instructions": rnd.choice(COPY_NAME[mark])}, word
    if truths(runs, is_person).get("legal") is False and rnd.random() < 0.1:
        yield {"type": "extract", "instructions": rnd.choice(COPY_NAME["CorporationLegalType"])}, None


def two_names(runs, everybody, surplus, rnd):
    """(state, questions): a name, and it again in another form, or that of somebody else."""
    marks = dict(runs)
    if set(marks) - {"GivenName", "Surname", "MiddleInitial", "PrefixMarital", "PrefixOther"} or len(marks) < len(runs):
        return None
    if not {"GivenName", "Surname"} <= marks.keys() or len(marks["GivenName"]) < 3:
        return None
    given, last = marks["GivenName"].strip(" ,.").title(), marks["Surname"].strip(" ,.").title()
    middle, holds = marks.get("MiddleInitial", "").strip(" ,.").upper(), rnd.random() < 0.5
    if not holds:
        part = rnd.choice(["given", "last", "middle"] if middle else ["given", "last"])
        others = [one for one in everybody if one[0][0] != given[0] and one[1][0] != last[0]]
        other = rnd.choice(others)
        given, last = (other[0] if part == "given" else given), (other[1] if part == "last" else last)
        middle = rnd.choice([one for one in "ABCDEJLMRST" if one != middle]) if part == "middle" else middle
    elif rnd.random() < 0.3:
        given = f"{given[0]}."
    dot = f" {middle}." if middle and (rnd.random() < 0.7 or not holds) else ""
    second = rnd.choice(
        [
            f"{last}, {given}{dot}",
            f"{given}{dot} {last}",
            f"{last.upper()}, {given}{dot}",
            f"{given}{dot} {last.upper()}",
        ]
    )
    first = " ".join(said for _, said in runs)
    state = dict(zip(rnd.choice(BESIDE[:2] + BESIDE[3:]), rnd.sample([first, second], 2), strict=True))
    return rows.named(state, rnd.random() < 0.5), [evened.claim(CAN_BE, holds, surplus, rnd)]


def of_addresses(page, surplus, rnd):
    every = list(addresses(page))
    cities = sorted(
        {
            parts["city"].title()
            for _, parts in every
            if quoted("state", parts) and re.fullmatch(r"[A-Za-z ]{4,}", parts.get("city", "1"))
        }
    )
    streets = sorted(
        {parts["street"] for _, parts in every if re.fullmatch(r"[A-Za-z]{4,} [A-Za-z]+\.?", parts.get("street", ""))}
    )
    for text, parts in every * TIMES:
        yield (text if rnd.random() < 0.75 else {"address": text}), list(on_parts(parts, cities, surplus, rnd))
        if "street" in parts and "number" in parts and "city" in parts:
            yield pair(text, parts, cities, streets, surplus, rnd)


def of_names(people, companies, surplus, rnd):
    telling = {
        "CorporationLegalType",
        "CorporationNameOrganization",
        "CorporationCommitteeType",
        "CorporationNameAndCompany",
    }
    companies = [(text, runs) for text, runs in companies if telling & {mark for mark, _ in runs}]
    people = [(text, runs) for text, runs in people if {"Surname"} <= {mark for mark, _ in runs}]
    givens = collections.Counter(
        said.strip(" ,.").title() for _, runs in people for mark, said in runs if mark == "GivenName"
    )
    simple = [dict(runs) for _, runs in people if [mark for mark, _ in runs] == ["GivenName", "Surname"]]
    everybody = [(one["GivenName"].title(), one["Surname"].title()) for one in simple if len(one["GivenName"]) > 2]
    for text, runs in [*people, *companies]:
        is_person = "Surname" in {mark for mark, _ in runs}
        yield (
            (text if rnd.random() < 0.75 else {"name": text}),
            list(on_name(text, runs, is_person, givens, surplus, rnd)),
        )
    for _, runs in people * 2:
        yield two_names(runs, everybody, surplus, rnd)


def read(show, rnd):
    surplus, count = collections.Counter(), 0
    page = show("training/labeled.xml")
    people, companies = (
        named(show(f"name_data/labeled/{one}_labeled.xml", MORE["names"])) for one in ("person", "company")
    )
    for source, made in (
        ("postal", list(of_addresses(page, surplus, rnd))),
        ("payees", list(of_names(people, companies, surplus, rnd))),
    ):
        made = [(one[0], [each for each in one[1] if each]) for one in made if one]
        for state, asked in rnd.sample(made, len(made)):
            if asked:
                yield rows.row(f"{source}-{count:05d}", "addresses and names", LICENCE, state, asked[:4])
                count += 1
