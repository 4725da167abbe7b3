"""Values of slots, records made of them, and expressions over records."""
import datetime
import re

FIRST = (
    "Ana Ben Carla Dmitri Elena Farid Grace Hugo Ines Jonas Kemal Lucia Marta Nils Olga Pavel Quentin Rosa Samir Tessa "
    "Umar Vera Wim Xenia Yusuf Zoe Maeve Priya Kofi Sanna Tomas Noor Li Aiko Mateo Ruth"
).split()
LAST = (
    "Abbott Berg Costa Dahl Egan Ferrari Grant Haddad Ito Jansen Kowalski Lund Moreau Novak Okafor Petrov Quiroga "
    "Rossi Sato Thorne Ueda Vargas Weber Xu Yilmaz Zimmer Byrne Nowak Silva Khan Larsen Ortiz"
).split()
CITY = (
    "Antwerp Bergen Cork Dresden Exeter Florence Ghent Haifa Izmir Jena Kyoto Leeds Malmo Nantes Oslo Porto Quito Riga "
    "Seville Turin Utrecht Vienna Warsaw York Zurich Boston Denver Austin Lagos Perth"
).split()
COMPANY = (
    "Alder & Sons,Birchline,Corvid Systems,Dunmore Ltd,Eastgate Foods,Fjord Data,Grantham Tools,Halcyon Travel,"
    "Ironbark,Juniper Labs,Kestrel Freight,Lumen Energy,Marlow Books,Northwind,Oakhurst Clinic,Pinecrest,"
    "Quarry Road Motors,Ridgeway Homes,Saltmarsh Hotels,Tamarind Media"
).split(",")
DOMAINS = ["example.com", "example.org", "mail.example", "post.example"]
MINUTES = [0, 5, 10, 15, 20, 30, 40, 45, 50]


def count(rows):
    """How many of a list of truths hold: `count(r.paid for r in rows)`."""
    return sum(1 for x in rows if x)


def top(rows, key):
    """The one row whose `key` is greatest; None where two share it."""
    best = sorted(rows, key=lambda r: r[key], reverse=True)
    return None if len(best) > 1 and best[0][key] == best[1][key] else best[0]


def low(rows, key):
    """The one row whose `key` is least; None where two share it."""
    best = sorted(rows, key=lambda r: r[key])
    return None if len(best) > 1 and best[0][key] == best[1][key] else best[0]


NAMES = {
    "len": len, "min": min, "max": max, "sum": sum, "any": any, "all": all, "abs": abs, "round": round, "str": str,
    "sorted": sorted, "set": set, "True": True, "False": False, "None": None, "count": count, "top": top, "low": low,
    "int": int,
}


class Fields(dict):
    """A record whose fields are attributes too, for expressions."""

    __getattr__ = dict.__getitem__


def a_code(spec, rnd):
    """# is a digit, @ a capital that can't be taken for a digit."""
    letters = "ABCDEFGHKLMNPRSTVWXYZ"
    return "".join(
        str(rnd.randint(0, 9)) if c == "#" else rnd.choice(letters) if c == "@" else c for c in spec["pattern"]
    )


def some_money(spec, rnd):
    amount = round(rnd.uniform(spec.get("from", 5), spec.get("to", 900)), rnd.choice([0, 2, 2]))
    if rnd.random() < 0.6:
        return f"{amount:.2f} {rnd.choice(spec.get('currency', ['EUR', 'USD']))}"
    return f"{rnd.choice(['$', '€', '£'])}{amount:.2f}".replace(".00", "")


def a_date(spec, rnd):
    day = datetime.date(2024, 1, 1) + datetime.timedelta(days=rnd.randint(0, 1000))
    if rnd.random() < 0.5 or spec.get("iso"):
        return day.isoformat()
    return rnd.choice(
        [f"{day.day} {day:%B} {day.year}", f"{day:%B} {day.day}, {day.year}", f"{day.day} {day:%b} {day.year}"]
    )


def a_list(spec, rnd):
    n, of = rnd.randint(spec["from"], spec["to"]), spec["of"]
    if isinstance(of, list):
        return rnd.sample(of, min(n, len(of)))
    return [make(of, rnd) if isinstance(of, dict) and "gen" not in of else draw(of, rnd) for _ in range(n)]


GENERATORS = {
    "code": a_code,
    "int": lambda spec, rnd: rnd.randint(spec["from"], spec["to"]),
    "step": lambda spec, rnd: rnd.randrange(spec["from"], spec["to"] + 1, spec["by"]),
    "number": lambda spec, rnd: round(rnd.uniform(spec["from"], spec["to"]), spec.get("digits", 2)),
    "money": some_money,
    "date": a_date,
    "time": lambda spec, rnd: f"{rnd.randint(6, 22):02d}:{rnd.choice(MINUTES):02d}",
    "person": lambda spec, rnd: f"{rnd.choice(FIRST)} {rnd.choice(LAST)}",
    "mail": lambda spec, rnd: f"{rnd.choice(FIRST).lower()}.{rnd.choice(LAST).lower()}@{rnd.choice(DOMAINS)}",
    "phone": lambda spec, rnd: (
        f"+{rnd.randint(1, 49)} {rnd.randint(100, 999)} {rnd.randint(100, 999)} {rnd.randint(10, 99)}"
    ),
    "company": lambda spec, rnd: rnd.choice(COMPANY),
    "city": lambda spec, rnd: rnd.choice(CITY),
    "bool": lambda spec, rnd: rnd.random() < spec.get("share", 0.5),
    "null": lambda spec, rnd: None if rnd.random() < spec.get("share", 0.3) else draw(spec["of"], rnd),
    "list": a_list,
}


def draw(spec, rnd):
    """A value of a slot: one of a list, what a generator makes, or the value itself."""
    if isinstance(spec, list):
        return rnd.choice(spec)
    if not isinstance(spec, dict) or "gen" not in spec:
        return spec
    if spec["gen"] not in GENERATORS:
        raise ValueError(f"no generator {spec['gen']}")
    return GENERATORS[spec["gen"]](spec, rnd)


def make(spec, rnd, outer=None):
    """A record from its fields; fields that follow from others (`"= a * b"`) see those before them."""
    out = Fields()
    for key, value in spec.items():
        seen = {**(outer or {}), **out}
        if isinstance(value, str) and value.startswith("="):
            out[key] = look(value[1:], seen)
        elif isinstance(value, dict) and "gen" not in value:
            out[key] = make(value, rnd, seen)
        else:
            out[key] = draw(value, rnd)
    return out


def look(expression, fields):
    """The value of an expression of one of our own files. Fields go in as globals: generator expressions see them."""
    return eval(expression.strip(), {**fields, "__builtins__": NAMES})  # noqa: S307


def put(text, slots, rnd, used):
    """The text with its {slots}; what was drawn once (`used`) stays."""

    def fill(match):
        name = match.group(1)
        if name not in used:
            used[name] = str(draw(slots[name], rnd))
        return used[name]

    return re.sub(r"\{(\w+)\}", fill, text)


def iso(text):
    """A date as ISO 8601."""
    for form in ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d %b %Y"):
        try:
            return datetime.datetime.strptime(text, form).date().isoformat()
        except ValueError:
            pass
    raise ValueError(text)


def number(text):
    """The number in a text such as "€1,200.50"."""
    return float(re.sub(r"[^\d.]", "", str(text).replace(",", "")))


def read_as(value, read):
    """A slot's text as the answer to an extract or a fill question."""
    if read in ("extract", "text"):
        return str(value)
    return iso(str(value)) if read == "date" else int(number(value)) if read == "int" else number(value)


def in_words(value):
    """A field as a document shows it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(not isinstance(x, (dict, list)) for x in value):
        return ", ".join(map(in_words, value)) or "none"
    return str(value)
