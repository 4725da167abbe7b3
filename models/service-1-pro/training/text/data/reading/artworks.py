"""tategallery/collection: records of works of art that the Tate owns: by whom, from when, made of what, how large, and
how they came into the collection (Tate, 2014; CC0). A sample of them, as records, as labels, and as short lists.

Whether the artist was still alive, how old he was, what is older or larger is worked out of the records.
"""

import collections
import json
import re

from data.shared import evened, one_of_kinds, rows

REPOSITORY = "tategallery/collection"
LICENCE = "CC0"
ROOMS, WORKS, TIMES, LISTS = ["a", "ar", "n", "p", "t"], 1900, 2, 1400
WAYS = {
    "bought": r"Purchased",
    "given": r"(?:Presented|Gift)(?!.*\bBequest\b)",  # a fund that was left to buy works is neither gift nor will
    "left": r"Bequeathed",
    "moved": r"Transferred",
    "tax": r".*lieu of",
}
CAME = one_of_kinds.written(
    {
        "bought": (
            [
                "The work was bought.",
                "Money was paid for the work.",
                "Was it a purchase?",
                "The collection acquired it by purchase.",
            ],
            [
                "The work was not bought.",
                "It came in another way than by purchase.",
                "Nothing was paid, going by the credit line.",
            ],
        ),
        "given": (
            [
                "The work was a gift.",
                "Somebody gave the work to the collection.",
                "Was it donated?",
                "It came as a present, not by a will.",
            ],
            ["The work was not a gift.", "It was not donated, it came in another way.", "Is it no donation?"],
        ),
        "left": (
            ["The work was left to the collection in a will.", "It is a bequest.", "Did it come by somebody's will?"],
            ["The work is no bequest.", "It did not come by a will.", "Nobody left it to the collection."],
        ),
    }
)
WAY_NAMES = [
    {"bought": "purchase", "given": "gift", "left": "bequest", "moved": "transfer", "tax": "instead of tax"},
    {
        "bought": "bought",
        "given": "donated",
        "left": "left in a will",
        "moved": "moved from elsewhere",
        "tax": "taken for tax",
    },
]
WAY_SAID = {
    "bought": "the collection paid for it",
    "given": "somebody gave it",
    "left": "somebody left it in a will",
    "moved": "it came from another public body",
    "tax": "the state took it in place of tax",
}
HOW = ["How did the work come into the collection?", "Kind of acquisition", "How was it acquired?", "Provenance"]
KINDS = {
    "print": r"etch|lithograph|screenprint|engrav|aquatint|mezzotint|woodcut|linocut|intaglio|drypoint",
    "painting": r"^(?:oil|acrylic) paint",
    "drawing": r"^(?:graphite|ink|chalk|charcoal)(?:,? (?:and )?(?:graphite|ink|chalk|charcoal|crayon))* on paper$",
    "watercolour": r"^watercolour on paper$",
    "photograph": r"^photograph",
    "sculpture": r"^(?:bronze|plaster|marble|limestone|sandstone|steel|fibreglass|terracotta)\b",
    "film or video": r"^(?:film|video)",
}
KIND = [
    "What kind of work is it?",
    "Which department looks after it?",
    "Kind of work",
    "Classify the work by what it is made of.",
]
BEFORE = [
    ("The work was made before {year}.", True),
    ("It is older than {year}.", True),
    ("Was it made before {year}?", True),
    ("In {year}, the work already existed.", True),
    ("The work was made in {year} or later.", False),
    ("It does not go back to before {year}.", False),
    ("Before {year} there was no such work.", False),
]
EXACT = [
    ("The year in which it was made is known exactly.", True),
    ("The date is certain.", True),
    ("Is the year of the work known for sure?", True),
    ("The record gives one definite year for the work.", True),
    ("When it was made is not known exactly.", False),
    ("The date is a guess or unknown.", False),
    ("Nobody knows the exact year, going by the record.", False),
    ("Is the date of the work uncertain?", False),
]
DEAD = [
    ("The artist was dead when the work was acquired.", True),
    ("The collection got the work after the artist's death.", True),
    ("Had the artist died before it was acquired?", True),
    ("The artist did not live to see the acquisition.", True),
    ("The artist was alive when the work was acquired.", False),
    ("The work was acquired in the artist's lifetime.", False),
    ("Could the artist have known of the acquisition?", False),
]
YOUNG = [
    ("The artist was younger than {age} when it was made.", True),
    ("The artist had not turned {age} yet.", True),
    ("Is it a work by somebody under {age}?", True),
    ("The artist was {age} or older when it was made.", False),
    ("It was made after the artist's {age}th birthday.", False),
    ("The artist was no longer under {age}.", False),
]
LARGE = [
    ("One side is longer than a metre.", True),
    ("It is more than a metre high or wide.", True),
    ("Is it too large for a case of one metre by one metre?", True),
    ("The work measures over a metre in one direction.", True),
    ("No side is longer than a metre.", False),
    ("It would fit into a frame of a metre by a metre.", False),
    ("All of it measures less than a metre.", False),
]
GIVER = ["Who gave or left the work?", "From whom did it come?", "Name the giver.", "The donor"]
COPY = {
    "title": ["Title", "What is the work called?"],
    "artist": ["Artist", "By whom is it?"],
    "medium": ["Medium", "What is it made of?"],
}
LISTED = {
    "oldest": ["Which work is the oldest?", "Which was made first?", "The earliest work"],
    "newest": ["Which work is the newest?", "Which was made last?", "The most recent work"],
    "last": ["Which was acquired last?", "Which came into the collection most recently?", "The latest acquisition"],
    "first": ["Which was acquired first?", "Which has been in the collection the longest?", "The earliest acquisition"],
}
BOUGHT = ["Which works were bought?", "Select the purchases.", "For which of them was money paid?"]
FIELDS = [
    {
        "artist": "artist",
        "title": "title",
        "date": "date",
        "medium": "medium",
        "dimensions": "dimensions",
        "credit": "credit_line",
    },
    {
        "artist": "artist",
        "title": "work",
        "date": "year",
        "medium": "material",
        "dimensions": "size",
        "credit": "acquisition",
    },
]


def works(show, rnd):
    """Records of a sample, with what is worked out of them."""
    paths = []
    for room in ROOMS:
        for part in show(f"artworks/{room}").split("\n")[2:]:
            if part:
                paths += [
                    f"artworks/{room}/{part}{name}"
                    for name in show(f"artworks/{room}/{part}".rstrip("/")).split("\n")[2:]
                    if name
                ]
    for path in rnd.sample(sorted(paths), WORKS):
        one = json.loads(show(path))
        makers, credit = one["contributors"], rows.plain(one["creditLine"] or "")
        lived = re.fullmatch(r"born (\d{4})|(\d{4})[–-](\d{4})", makers[0]["date"] or "") if len(makers) == 1 else None
        size = rows.plain(one["dimensions"] or "")
        if not (lived and credit and one["medium"] and one["title"] and re.search(r"\d mm$", size)):
            continue
        if len(one["title"].split()) > 14 or "[" in one["title"] or one["title"].lower().startswith("title not known"):
            continue
        date = one["dateText"] or "date not known"
        yield {
            "artist": f"{makers[0]['fc']} ({makers[0]['date']})",
            "name": makers[0]["fc"],
            "title": rows.plain(one["title"]),
            "date": date,
            "medium": one["medium"],
            "dimensions": size,
            "credit": credit,
            "born": int(lived[1] or lived[2]),
            "died": int(lived[3]) if lived[3] else None,
            "years": [int(date)] * 2 if re.fullmatch(r"\d{4}", date) else span(date),
            "acquired": one.get("acquisitionYear"),
            "way": next((way for way, start in WAYS.items() if re.match(start, credit)), None),
        }


def span(date):
    """First and last year of "1963–5"; None where it is uncertain."""
    found = re.fullmatch(r"(\d{4})[–-](\d{1,4})", date)
    return [int(found[1]), int(found[1][: 4 - len(found[2])] + found[2])] if found else None


def label(one, names, rnd):
    """As a record or as it stands on a wall."""
    if rnd.random() < 0.55:
        return {key: one[name] for name, key in names.items()}
    lines = [one["artist"], f"{one['title']}, {one['date']}", one["medium"], one["dimensions"], one["credit"]]
    return "\n".join(lines) if rnd.random() < 0.7 else ". ".join(lines)


def asks(one, surplus, rnd):
    """Questions about one work."""
    years, way = one["years"], one["way"]
    if way:
        yield from one_of_kinds.claims(
            {kind: kind == way for kind in ("bought", "given", "left")}, CAME, 1, surplus, rnd
        )
        if rnd.random() < 0.3:
            yield one_of_kinds.choice(way, WAY_NAMES, HOW, rnd, descriptions=WAY_SAID, most=5)
    if years and rnd.random() < 0.45:
        holds = rnd.random() < 0.5
        year = years[1] + rnd.choice([1, 3, 10, 25]) if holds else years[0] - rnd.choice([0, 1, 3, 10, 25])
        yield evened.claim(BEFORE, holds, surplus, rnd, year=year)
    if rnd.random() < 0.35 and (re.fullmatch(r"\d{4}", one["date"]) or re.match(r"c\.|\?|date not known", one["date"])):
        yield evened.claim(EXACT, one["date"].isdigit(), surplus, rnd)
    told = one["died"] and one["acquired"] and str(one["acquired"]) in one["credit"]
    if told and abs(one["acquired"] - one["died"]) > 1 and rnd.random() < 0.5:
        yield evened.claim(DEAD, one["acquired"] > one["died"], surplus, rnd)
    if years and years[0] == years[1] and rnd.random() < 0.35:
        age, limit = years[0] - one["born"], rnd.choice([20, 25, 30, 40, 50, 60, 70])
        if abs(age - limit) > 1 and 15 < age < 95:
            yield evened.claim([(said.format(age=limit), when) for said, when in YOUNG], age < limit, surplus, rnd)
    sides = [int(side) for side in re.findall(r"\d+", one["dimensions"])]
    if rnd.random() < 0.35 and len(re.findall(r"mm", one["dimensions"])) == 1 and max(sides) != 1000:
        yield evened.claim(LARGE, max(sides) > 1000, surplus, rnd)
    kinds = [kind for kind, pattern in KINDS.items() if re.search(pattern, one["medium"], re.I)]
    if len(kinds) == 1 and rnd.random() < 0.35:
        options = rnd.sample(list(KINDS), 4)
        options = options if kinds[0] in options else rnd.sample([*options, kinds[0]], 5)
        yield {"type": "choice", "instructions": rnd.choice(KIND), "criteria": options}, kinds[0]
    giver = re.fullmatch(r"(?:Presented|Bequeathed) by ([^,(]+?) \d{4}", one["credit"])
    if giver and rnd.random() < 0.4:
        yield {"type": "extract", "instructions": rnd.choice(GIVER)}, giver[1]
    elif rnd.random() < 0.15:
        field = rnd.choice(list(COPY))
        yield (
            {"type": "extract", "instructions": rnd.choice(COPY[field])},
            one["name"] if field == "artist" else one[field],
        )


def listed(every, names, rnd):
    """(state, questions) of a few works together."""
    shown = rnd.sample(
        [one for one in every if one["years"] and one["way"] and one["acquired"]], rnd.choice([3, 4, 4, 5])
    )
    titles = [one["title"] for one in shown]
    if len(set(titles)) < len(titles):
        return None
    lasts, got = [one["years"][1] for one in shown], [one["acquired"] for one in shown]
    made = []
    for what in rnd.sample(list(LISTED), 2):
        values = lasts if what in ("oldest", "newest") else got
        best = min(values) if what in ("oldest", "first") else max(values)
        if what == "oldest" and any(one["years"][0] <= best for one in shown if one["years"][1] != best):
            continue
        if what == "newest" and any(
            lasts[n] != best and lasts[n] >= shown[lasts.index(best)]["years"][0] for n in range(len(shown))
        ):
            continue
        if values.count(best) == 1:
            asked = {
                "type": "choice",
                "instructions": rnd.choice(LISTED[what]),
                "criteria": rnd.sample(titles, len(titles)),
            }
            made.append((asked, titles[values.index(best)]))
    bought = [title for title, one in zip(titles, shown, strict=True) if one["way"] == "bought"]
    if 0 < len(bought) < len(titles):
        made.append(({"type": "select", "instructions": rnd.choice(BOUGHT), "options": titles}, bought))
    kept = {name: key for name, key in names.items() if name not in ("medium", "dimensions") or rnd.random() < 0.3}
    state = [{key: one[name] for name, key in kept.items()} for one in shown]
    if rnd.random() < 0.5:
        state = "\n".join(f"- {one['artist']}: {one['title']}, {one['date']}. {one['credit']}" for one in shown)
    return state, made


def read(show, rnd):
    every, surplus, made = list(works(show, rnd)), collections.Counter(), []
    for one in every * TIMES:
        made.append((label(one, rnd.choice(FIELDS), rnd), list(asks(one, surplus, rnd))))
    made += [found for found in (listed(every, rnd.choice(FIELDS), rnd) for _ in range(LISTS)) if found]
    for count, (state, asked) in enumerate(rnd.sample(made, len(made))):
        asked = [each for each in asked if each]
        if asked:
            yield rows.row(f"artworks-{count:05d}", "works of art", LICENCE, state, asked[:4])
