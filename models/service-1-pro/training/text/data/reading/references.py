"""inukshuk/anystyle (core and gold): references as authors of papers and books wrote them, with marks on who, what,
when and where (Keil and others; BSD-2-Clause). Those in English.

Rows are references alone (what is given, and what not), beside the record of a catalogue that may differ in one thing,
and short lists of them.
"""

import collections
import html
import re

from data.shared import evened, rows

REPOSITORY = "inukshuk/anystyle"
LICENCE = "BSD-2-Clause"
PATHS = ["res/parser/core.xml", "res/parser/gold.xml"]
MOST_WORDS, LISTS = 60, 900
ENGLISH = re.compile(r"\b(?:the|of|and|for|with|from|an|on|to|in)\b", re.I)
FOREIGN = re.compile(
    r"\b(?:der|die|das|und|von|im|zur|et|la|le|les|des|du|sur|del|el|los|en|para|di|il|della|nel|da|dos|het|een|och|trans)\b",
    re.I,
)
YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d(?=[a-z]?\b)")
EDGES = " \t\n.,;:()[]“”\"‘’'"
ASKS = {
    "title": ["What is the title?", "The title of the work", "Copy the title.", "What was published?"],
    "author": ["Who wrote it?", "The authors as they are written", "Copy the names of the authors.", "By whom is it?"],
    "year": ["In which year was it published?", "Year", "When did it appear?", "Copy the year."],
    "journal": ["In which journal did it appear?", "The name of the journal", "Journal", "Copy the journal."],
    "publisher": ["Who published it?", "Publisher", "The publisher's name", "Copy the publisher."],
    "pages": ["On which pages?", "Pages", "Copy the pages.", "The range of pages"],
    "location": ["Where was it published?", "Place of publication", "Copy the place.", "Place"],
}
IN_YEAR = [
    ("It was published in {year}.", True),
    ("The year of publication is {year}.", True),
    ("Did it appear in {year}?", True),
    ("{year} is when it came out.", True),
    ("It came out in another year than {year}.", False),
    ("It is not from {year}.", False),
    ("The year is something else than {year}.", False),
]
AFTER = [
    ("It is newer than {year}.", True),
    ("It was published after {year}.", True),
    ("The source is from later than {year}.", True),
    ("It meets the rule that sources must be from after {year}.", True),
    ("It is from {year} or earlier.", False),
    ("It was not published after {year}.", False),
    ("It is too old for a list of what came out after {year}.", False),
]
SEVERAL = [
    ("More than one person wrote it.", True),
    ("There are several authors.", True),
    ("Is it a joint work?", True),
    ("The work has co-authors.", True),
    ("One person alone wrote it.", False),
    ("There is only one author.", False),
    ("The author had no co-authors.", False),
    ("Is it by a single author?", False),
]
GIVEN = [
    ("The reference gives {what}.", True),
    ("One finds {what} in the reference.", True),
    ("Does the reference tell {what}?", True),
    ("One can see {what} from it.", True),
    ("The reference lacks {what}.", False),
    ("The reference leaves out {what}.", False),
    ("It says nothing of {what}.", False),
    ("One has to look up {what} elsewhere.", False),
]
PARTS = {
    "year": "the year",
    "pages": "the pages",
    "publisher": "the publisher",
    "journal": "the journal",
    "doi": "the DOI",
    "url": "the web address",
    "editor": "the editors",
    "volume": "the volume",
}
WHICH = ["Which details are given?", "Select what the reference contains.", "What can be read from the reference?"]
KINDS = [
    {"article": "journal article", "book": "book", "chapter": "chapter in a book", "paper": "conference paper"},
    {
        "article": "an article in a journal",
        "book": "a book",
        "chapter": "part of a book",
        "paper": "a talk at a conference",
    },
    {"article": "article", "book": "monograph", "chapter": "book section", "paper": "proceedings"},
]
DESCRIBED = {
    "article": "in a journal, with volume and pages",
    "book": "a whole book by its authors",
    "chapter": "a part of a book that others edited",
    "paper": "in the proceedings of a conference or workshop",
}
KIND = ["What kind of publication is it?", "Type of the source", "Classify the reference.", "Which entry type fits?"]
AGREES = [
    ("The reference agrees with the record.", True),
    ("The record is right, going by the reference.", True),
    ("Is the reference in accord with the record?", True),
    ("Both describe the same thing in the same way.", True),
    ("The record and the reference do not match.", False),
    ("Something in the record contradicts the reference.", False),
    ("Is there a mistake in the record, if the reference is right?", False),
    ("The two differ in more than the way of writing.", False),
]
OFF = [
    "What differs?",
    "Where do the record and the reference disagree?",
    "Which field is wrong?",
    "What has to be corrected?",
]
NOTHING = ["nothing", "no field", "none of these"]
BESIDE = [("record", "reference"), ("catalogue", "citation"), ("database", "cited_as"), ("entry", "reference")]
LISTED = {
    "oldest": ["Which is the oldest?", "Which was published first?", "The earliest of these"],
    "newest": ["Which is the newest?", "Which was published last?", "The most recent of these"],
    "author": ["Which one is by {said}?", "Which reference has the author {said}?", "Find the work of {said}."],
    "journal": ["Which appeared in {said}?", "Which of them is in the journal {said}?", "Find the one in {said}."],
}


def entries(show):
    """{tag: text} of each English reference, with the whole as "said", its year, and how it is marked."""
    for path in PATHS:
        for sequence in re.findall(r"<sequence>(.*?)</sequence>", show(path), re.S):
            parts = [
                (tag, rows.plain(html.unescape(said)).replace("\xad", ""))
                for tag, said in re.findall(r"<([a-z-]+)>(.*?)</\1>", sequence, re.S)
            ]
            one = {}
            for tag, said in parts:
                initial = tag == "author" and re.search(r"\b[A-Z]\.[ ,;:]*$|\bal\.[ ,;:]*$", said)
                kept = said.strip(EDGES) + ("." if initial else "")
                one.setdefault(tag, kept + ")" * (kept.count("(") - kept.count(")")))
            counts = collections.Counter(tag for tag, _ in parts)
            one["said"] = " ".join(said for tag, said in parts if tag != "citation-number")
            title = one.get("title", "")
            plain = one["said"].isascii() or not re.search(
                r"[^\W\da-zA-Z_]", re.sub(r"[–—’‘“”áéíóúñüöäßçø]", "", one["said"])
            )
            once = all(counts[tag] == 1 for tag in ("title", "author", "date"))
            if (
                not once
                or not plain
                or re.search(r"<|[a-z]- [a-z]", one["said"])
                or re.match("[–—-]", one["author"])
                or len(one["said"].split()) > MOST_WORDS
            ):
                continue
            if FOREIGN.search(one["said"]) or not ENGLISH.search(title) or len(title.split()) < 3:
                continue
            years = set(YEAR.findall(one["date"]))
            if len(years) == 1 and years == set(YEAR.findall(re.sub(r"https?:\S+", "", one["said"]))):
                yield one | {"year": years.pop()}


def kind(one):
    holder = one.get("container-title", "")
    if one.get("genre"):
        return None
    if re.search(r"proc|conf|workshop|symposi|congress", holder, re.I) and "journal" not in one:
        return "paper"
    if {"journal", "volume", "pages"} <= one.keys() and not holder:
        return "article"
    if holder and {"editor", "publisher"} <= one.keys():
        return "chapter"
    if (
        {"publisher", "location"} <= one.keys()
        and not holder
        and not {"journal", "pages", "volume", "editor"} & one.keys()
    ):
        return "book"
    return None


def several(one):
    """Whether more than one person wrote it; None where it is hard to tell."""
    said = one["author"]
    if re.search(r"\s(?:and|&)\s|;|et al", said):
        return not re.search(r"department|council|ministry|institute|office|commission|association|agency", said, re.I)
    if re.fullmatch(r"[A-Z][\w'’-]+, (?:[A-Z][\w'’-]*\.?[ -]?)+(?:[A-Z]\.)*", said):
        return False
    return False if re.fullmatch(r"(?:[A-Z]\. ?)+[A-Z][\w'’-]+", said) else None


def holds(one):
    """part -> whether the reference gives it; left out where a mark may be missing."""
    said, told = one["said"], {}
    for part in PARTS:
        told[part] = part in one
    if re.search(r"\bdoi\b|10\.\d{4}", said, re.I) and "doi" not in one:
        del told["doi"]
    if re.search(r"http|www\.", said) and "url" not in one:
        del told["url"]
    if re.search(r"\beds?\b|edited|editor", said, re.I) and "editor" not in one:
        del told["editor"]
    if "publisher" not in one and ("location" in one or "container-title" in one):
        del told["publisher"]
    if "journal" not in one and ("container-title" in one or "volume" in one):
        del told["journal"]
    if "pages" not in one and re.search(r"\d+ ?[-–] ?\d+|\bpp?\b", said):
        del told["pages"]
    if "volume" not in one and len(re.findall(r"\d+", said)) > 1:
        del told["volume"]
    return told


def clean(part, said):
    """A part as it is quoted, without marks and words around it; None where it is not sure."""
    if part == "pages":
        found = re.fullmatch(r"(?:(?:pp?|pages?)\.?\s*)?(\d+ ?[-–] ?\d+)", said)
        return found and found[1]
    if part in ("publisher", "location", "journal"):
        return said if len(said.split()) <= 8 and not re.search(r"\d|^In\b|:", said) else None
    return said


def quotes(one, count, rnd):
    known = [
        part
        for part in ASKS
        if (part, "genre" in one) != ("publisher", True)
        and part in one
        and clean(part, one[part])
        and clean(part, one[part]) in one["said"]
    ]
    for part in rnd.sample(known, min(len(known), count)):
        yield {"type": "extract", "instructions": rnd.choice(ASKS[part])}, clean(part, one[part])
    lacking = [part for part in ("journal", "pages") if holds(one).get(part) is False]
    if lacking and rnd.random() < 0.12:
        yield {"type": "extract", "instructions": rnd.choice(ASKS[rnd.choice(lacking)][:2])}, None


def on_year(one, surplus, rnd):
    year, right = int(one["year"]), rnd.random() < 0.5
    if rnd.random() < 0.4:
        other = year + rnd.choice([-20, -10, -5, -3, -2, -1, 1, 2, 3, 5, 10])
        return evened.claim(IN_YEAR, right, surplus, rnd, year=year if right else other)
    limit = year - rnd.choice([1, 2, 4, 8, 15]) if right else year + rnd.choice([0, 1, 2, 5, 10])
    return evened.claim(AFTER, year > limit, surplus, rnd, year=limit)


def alone(one, surplus, rnd):
    """Questions about one reference."""
    made, told, joint, sort = list(quotes(one, rnd.choice([1, 1, 2]), rnd)), holds(one), several(one), kind(one)
    made.append(on_year(one, surplus, rnd) if rnd.random() < 0.5 else None)
    if joint is not None and rnd.random() < 0.5:
        made.append(evened.claim(SEVERAL, joint, surplus, rnd))
    if rnd.random() < 0.4:
        wanted = rnd.random() < 0.5
        fitting = [part for part in told if told[part] == wanted and part != "year"]
        if fitting:
            what = PARTS[rnd.choice(fitting)]
            made.append(evened.claim([(said.format(what=what), when) for said, when in GIVEN], wanted, surplus, rnd))
    elif rnd.random() < 0.3 and len(told) > 3:
        shown = rnd.sample(list(told), rnd.randint(4, min(6, len(told))))
        options = [PARTS[part].removeprefix("the ") for part in shown]
        right = [said for part, said in zip(shown, options, strict=True) if told[part]]
        made.append(({"type": "select", "instructions": rnd.choice(WHICH), "options": options}, right))
    if sort and rnd.random() < 0.6:
        names = rnd.choice(KINDS)
        shown = rnd.sample(list(names), 4)
        criteria = (
            {names[each]: DESCRIBED[each] for each in shown} if rnd.random() < 0.4 else [names[each] for each in shown]
        )
        made.append(({"type": "choice", "instructions": rnd.choice(KIND), "criteria": criteria}, names[sort]))
    rnd.shuffle(made)
    return made


def beside(one, every, surplus, rnd):
    """(state, questions): a record of a catalogue, right or with one field wrong, beside the reference."""
    parts = [
        part
        for part in ("author", "title", "year", "journal", "publisher", "pages")
        if part in one and clean(part, one[part])
    ]
    record = {("authors" if part == "author" else part): clean(part, one[part]) for part in parts}
    off = rnd.choice([None, *parts[:1], *parts]) if rnd.random() < 0.62 else None
    if off == "year":
        record["year"] = str(int(one["year"]) + rnd.choice([-10, -4, -2, -1, 1, 2, 3, 10]))
    elif off == "pages":
        first, last = re.split(r" ?[-–] ?", record["pages"])
        record["pages"] = f"{int(first) + rnd.choice([3, 10, 17, 100])}-{last}" if len(last) == len(first) else None
    elif off:
        key = "authors" if off == "author" else off
        others = [clean(off, each[off]) for each in rnd.sample(every, 60) if off in each and clean(off, each[off])]
        others = [
            said
            for said in others
            if not set(re.findall(r"\w{4,}", said.lower())) & set(re.findall(r"\w{4,}", one["said"].lower()))
        ]
        record[key] = rnd.choice(others) if others else None
    if None in record.values():
        return None
    first, second = rnd.choice(BESIDE)
    made = [evened.claim(AGREES, off is None, surplus, rnd)]
    if rnd.random() < 0.6:
        none = rnd.choice(NOTHING)
        options = rnd.sample([*record, none], len(record) + 1)
        right = none if off is None else "authors" if off == "author" else off
        made.append(({"type": "choice", "instructions": rnd.choice(OFF), "criteria": options}, right))
    return rnd.choice([{first: record, second: one["said"]}, {second: one["said"], first: record}]), made


def listed(every, rnd):
    """(state, questions): a short list of references, numbered."""
    shown = rnd.sample(every, rnd.choice([3, 3, 4, 5]))
    if len({one["year"] for one in shown}) < len(shown):
        return None
    style = rnd.choice(["[{}]", "{}.", "({})"])
    lines = [f"{style.format(n)} {one['said']}" for n, one in enumerate(shown, 1)]
    names = [style.format(n).rstrip(".") for n in range(1, len(shown) + 1)]
    made = []
    for part in rnd.sample(["oldest", "newest", "author", "journal"], 2):
        if part in ("oldest", "newest"):
            right = (min if part == "oldest" else max)(range(len(shown)), key=lambda n: int(shown[n]["year"]))
            ask = rnd.choice(LISTED[part])
        else:
            fitting = [
                n for n, one in enumerate(shown) if part in one and clean(part, one[part]) and several(one) is False
            ]
            if not fitting or (part == "journal" and sum("journal" in one for one in shown) < 2):
                continue
            right = rnd.choice(fitting)
            said = clean(part, shown[right][part])
            last = re.search(r"[A-Z][\w'’-]{2,}", said)
            said = said if part == "journal" else last and last[0]
            if not said or sum(said in one["said"] for one in shown) > 1:
                continue
            ask = rnd.choice(LISTED[part]).format(said=said)
        made.append(({"type": "choice", "instructions": ask, "criteria": list(names)}, names[right]))
    return "\n".join(lines), made


def read(show, rnd):
    every, surplus, made = list(entries(show)), collections.Counter(), []
    for one in every * 2:
        made.append((one["said"] if rnd.random() < 0.8 else {"reference": one["said"]}, alone(one, surplus, rnd)))
        made.append(beside(one, every, surplus, rnd))
    made += [listed(every, rnd) for _ in range(LISTS)]
    made = [(one[0], [each for each in one[1] if each]) for one in made if one]
    made = [one for one in made if one[1]]
    for count, (state, asked) in enumerate(rnd.sample(made, len(made))):
        yield rows.row(f"references-{count:05d}", "references", LICENCE, state, asked[:4])
