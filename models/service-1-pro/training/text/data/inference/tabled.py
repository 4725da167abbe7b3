"""wenhuchen/Table-Fact-Checking: pairs of statements about a table of Wikipedia, one true and one false, mostly
alike but for a word or two. Tables become records, lines or columns, as programs send them.
"""

import collections
import json
import re

from data.shared.spaced import closed

REPOSITORY = "wenhuchen/Table-Fact-Checking"
PAIRS, TITLES, TABLES = "pairwise_data/all_positive_negative_pairs.json", "data/table_to_page.json", "data/all_csv"
MOST_CHARACTERS, MOST_ROWS = 900, 12
FEWEST_WORDS = 4
TITLED = 0.7  # of tables
OF_A_NUMBER = re.compile(r"(?<=\d) - (?=\d)")


def plain(text):
    return OF_A_NUMBER.sub("-", closed(text).replace("( ", "("))


def table(text):
    """Names of columns, and rows as lists of as many cells; None where some row has others."""
    names, *rows = ([plain(cell) for cell in line.split("#")] for line in text.splitlines() if line)
    return (names, rows) if rows and all(len(row) == len(names) for row in rows) else None


def is_long(rows):
    return len(rows) > MOST_ROWS or sum(len(cell) + 2 for row in rows for cell in row) > MOST_CHARACTERS


def shown(title, names, rows, rnd):
    """A state: records, a text of lines, or columns."""
    how = rnd.choice(["records", "records", "lines", "bars", "columns"])
    if how == "records" and len(set(names)) == len(names):
        records = [dict(zip(names, row, strict=True)) for row in rows]
        return {"title": title, "rows": records} if title else records
    if how == "columns" and len(set(names)) == len(names):
        columns = {name: [row[n] for row in rows] for n, name in enumerate(names)}
        return {"title": title, **columns} if title and "title" not in columns else columns
    between = " | " if how == "bars" else ", "
    lines = [between.join(row) for row in [names, *rows]]
    return "\n".join([title, *lines] if title else lines)


def statements(pair):
    """The two statements as sentences; None where one is hardly any."""
    said = [plain(one) for one in pair]
    if any(len(one.split()) < FEWEST_WORDS for one in said) or said[0] == said[1]:
        return None
    return [one if one.endswith(".") else f"{one}." for one in said]


def read(show, rnd):
    titles, tables = json.loads(show(TITLES)), set(show(TABLES).split())
    pairs = collections.defaultdict(list)
    for name, *pair in json.loads(show(PAIRS)):
        pairs[name].append(pair)
    count = 0
    for name, of in pairs.items():
        found = table(show(f"{TABLES}/{name}")) if name in tables else None
        if found is None or is_long(found[1]):
            continue
        said = [one for pair in map(statements, of) if pair for one in zip(pair, (True, False), strict=True)]
        rnd.shuffle(said)
        if not said:
            continue
        title = plain(titles[name][0]) if name in titles and rnd.random() < TITLED else None
        yield {
            "id": f"tabled-{count:06d}",
            "source": "tabled",
            "task": "statements about tables",
            "licence": "MIT (repository); tables CC BY-SA (Wikipedia)",
            "state": shown(title, *found, rnd),
            "questions": {f"claim{n}": {"type": "noul", "instructions": one} for n, (one, _) in enumerate(said)},
            "truth": {f"claim{n}": holds for n, (_, holds) in enumerate(said)},
        }
        count += 1
