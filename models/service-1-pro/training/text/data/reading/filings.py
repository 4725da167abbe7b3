"""NExTplusplus/TAT-QA (dev and test): annual reports of companies, a table with the text beside it, and what people
asked about them (Zhu and others, 2021; CC BY 4.0). Rows are a few sentences and their questions; and tables with their
questions, and with comparisons that their numbers decide.
"""

import itertools
import json
import re

from data.reading import shifts
from data.shared import answers, pairs, rows
from data.shared.asked import ASKS

REPOSITORY = "NExTplusplus/TAT-QA"
FILES = [f"dataset_raw/tatqa_dataset_{part}.json" for part in ("dev", "test_gold")]
LICENCE = "CC BY 4.0"
MOST_WORDS, MOST_CHARACTERS, MOST_LABEL = 200, 900, 9
AS_QUOTE, INTRODUCED, ROWS_EACH = 0.45, 0.6, 4
YEAR = re.compile(r"(?:fiscal |fy ?)?(?:19|20)\d\d", re.I)
FIGURE = re.compile(r"[$€£]? ?(\d{1,3}(?:,\d{3})*(?:\.\d+)?|\d+\.\d+)")
LOOSE = re.compile(r"(?:net|less|plus|total|other|of which)\b|.*[%:()]", re.I)
CHANGED = [
    ("{label}: the figure went up from {old} to {new}.", True),
    ("The figure for {label} rose between {old} and {new}.", True),
    ("{new} has a higher figure for {label} than {old}.", True),
    ("There was an increase in this item from {old} to {new}: {label}", True),
    ("Is the figure for {label} larger in {new} than in {old}?", True),
    ("{label}: the figure went down from {old} to {new}.", False),
    ("The figure for {label} fell between {old} and {new}.", False),
    ("{new} has a lower figure for {label} than {old}.", False),
    ("There was a decrease in this item from {old} to {new}: {label}", False),
    ("Is the figure for {label} smaller in {new} than in {old}?", False),
]
LIMITED = [
    ("The {column} figure for {label} is above {limit}.", True),
    ("{label} ({column}): more than {limit}", True),
    ("In the column {column}, {label} exceeds {limit}.", True),
    ("The {column} figure for {label} is below {limit}.", False),
    ("{label} ({column}): less than {limit}", False),
    ("In the column {column}, {label} stays under {limit}.", False),
]
LARGER = [
    ("In {column}, {label} has a larger figure than {other}.", True),
    ("{column}: {label} is more than {other}.", True),
    ("Is the {column} figure for {label} higher than the one for {other}?", True),
    ("In {column}, {label} has a smaller figure than {other}.", False),
    ("{column}: {label} is less than {other}.", False),
    ("Is the {column} figure for {label} lower than the one for {other}?", False),
]
MOST = [
    "Which of these has the largest {column} figure?",
    "{column}: which item is the largest?",
    "Highest in {column}",
]
LEAST = ["Which of these has the smallest {column} figure?", "{column}: which item is the smallest?"]
PEAK = ["In which year is the figure for {label} the highest?", "{label}: the best year by the figure", "{label}: peak"]
LOW = ["In which year is the figure for {label} the lowest?", "{label}: the year with the smallest figure"]
COURSE = ["How did the figure for {label} change from {old} to {new}?", "{label}, {old} to {new}", "Trend of {label}"]
LEVELS = [["fell", "stayed about the same", "rose"], ["down by more than 5%", "within 5%", "up by more than 5%"]]
SAME, MOVED = 0.04, 0.07  # shares by which a figure may move to be about the same, and must to have moved


def plain(text):
    return rows.plain(re.sub(r"\(\d\)$|\*+$", "", text.strip()))


def passage(one):
    """The paragraphs in their order, and questions with places of their answers."""
    text = "\n".join(plain(each["text"]) for each in sorted(one["paragraphs"], key=lambda each: each["order"]))
    found = []
    for each in one["questions"]:
        if each["answer_type"] == "span" and each["answer_from"] == "text":
            said = plain(each["answer"][0]).rstrip(".")
            places = list(re.finditer(rf"(?:US)?[$€£]?(?<!\w){re.escape(said)}(?!\w)(?: [mb]illion|%)?", text))
            if len(places) == 1 and said:
                found.append((plain(each["question"]), places[0].span()))
    return text, found


def parted(text, found):
    """(part, questions) of passages that are long, a few paragraphs each."""
    begin = 0
    ends = [one.end() for one in re.finditer(r"\n|$", text)]
    for n, end in enumerate(ends):
        following = ends[n + 1] if n + 1 < len(ends) else None
        if following is None or len(text[begin:following].split()) > MOST_WORDS:
            inside = [(ask, (a - begin, b - begin)) for ask, (a, b) in found if begin <= a and b <= end]
            if inside and len(text[begin:end].split()) <= 1.3 * MOST_WORDS:
                yield text[begin:end], inside
            begin = end


class Figures:
    """A table: names of its columns, [(label, cells)], and which cells are numbers."""

    def __init__(self, lines):
        lines = [[plain(cell) for cell in line] for line in lines]
        heads = 0
        while heads < len(lines) and not lines[heads][0]:
            heads += 1
        named = [line for line in lines[:heads] if all(line[1:]) and len(set(line)) == len(line)]
        self.lines, self.names = lines, named[-1] if named else None
        self.body = [line for line in lines[heads:] if any(line[1:])]
        self.labels = [line[0] for line in self.body]
        self.numbers = {}
        if named and len(set(self.labels)) == len(self.labels):
            self.numbers = {
                line[0]: [float(found[1].replace(",", "")) for found in map(FIGURE.fullmatch, line[1:]) if found]
                for line in self.body
                if all(FIGURE.fullmatch(cell) for cell in line[1:])
                and not LOOSE.match(line[0])
                and 0 < len(line[0].split()) <= MOST_LABEL
            }
        self.years = [n for n, name in enumerate(self.names[1:]) if YEAR.fullmatch(name)] if named else []

    def shown(self, intro, rnd):
        """A state: lines, or a record of records."""
        if self.names and len(set(self.labels)) == len(self.labels) == len(self.lines) - 1 and rnd.random() < 0.5:
            records = {line[0]: dict(zip(self.names[1:], line[1:], strict=True)) for line in self.body}
            return {"note": intro, "figures": records} if intro else records
        lines = [" | ".join(line) for line in self.lines]
        return "\n".join([intro, *lines] if intro else lines)


def changed(table, rnd):
    """Two years of one item: a claim, or how it went as levels."""
    years, up = sorted(table.years, key=lambda n: table.names[n + 1][-4:]), rnd.random() < 0.5
    found = [
        (label, row, old, new)
        for label, row in table.numbers.items()
        for old, new in itertools.combinations(years, 2)
        if row[old] and row[old] != row[new] and (row[new] > row[old]) == up
    ]
    if not found:
        return None
    label, row, old, new = rnd.choice(found)
    words = {"label": label, "old": table.names[old + 1], "new": table.names[new + 1]}
    moved = row[new] / row[old] - 1
    if rnd.random() < 0.25 and (abs(moved) < SAME or abs(moved) > MOVED):
        level = 1 if abs(moved) < SAME else 2 if moved > 0 else 0
        ask = rnd.choice(COURSE[: 3 if len(table.years) == 2 else 2]).format(**words)
        return {"type": "score", "instructions": ask, "criteria": list(rnd.choice(LEVELS))}, level
    return rows.claim(CHANGED, up, rnd, **words)


def limited(table, rnd):
    """A figure against a limit, or against the figure of another item."""
    at = rnd.randrange(len(table.names) - 1)
    label, row = rnd.choice(list(table.numbers.items()))
    column, holds = table.names[at + 1], rnd.random() < 0.5
    if rnd.random() < 0.5:
        near = row[at] * (rnd.uniform(0.5, 0.93) if holds else rnd.uniform(1.07, 2))
        limit = float(f"{near:.2g}")
        if limit == row[at] or (row[at] > limit) != holds:
            return None
        return rows.claim(LIMITED, holds, rnd, label=label, column=column, limit=f"{limit:,.10g}")
    others = [one for one, cells in table.numbers.items() if cells[at] != row[at]]
    if not others:
        return None
    other = rnd.choice(others)
    return rows.claim(LARGER, row[at] > table.numbers[other][at], rnd, label=label, column=column, other=other)


def extreme(table, rnd):
    """The largest or smallest of items, or of years."""
    largest = rnd.random() < 0.6
    if len(table.years) > 2 and rnd.random() < 0.5:
        label, row = rnd.choice(list(table.numbers.items()))
        cells, ask = {table.names[n + 1]: row[n] for n in table.years}, rnd.choice(PEAK if largest else LOW)
        ask = ask.format(label=label)
    else:
        at = rnd.randrange(len(table.names) - 1)
        labels = rnd.sample(list(table.numbers), min(len(table.numbers), rnd.randint(3, 5)))
        cells, ask = {label: table.numbers[label][at] for label in labels}, rnd.choice(MOST if largest else LEAST)
        ask = ask.format(column=table.names[at + 1])
    values = sorted(cells.values(), reverse=largest)
    if len(values) < 3 or values[0] == values[1]:
        return None
    right = next(name for name, value in cells.items() if value == values[0])
    return {"type": "choice", "instructions": ask, "criteria": pairs.shown(cells, rnd)}, right


def asked_of(table, one, rnd):
    """What people asked whose answer is a cell of the table."""
    for each in one["questions"]:
        if each["answer_type"] != "span" or each["answer_from"] == "text":
            continue
        said, ask = plain(each["answer"][0]), plain(each["question"])
        lines = [line for line in table.lines if said in line]
        if len(lines) != 1 or lines[0].count(said) > 1:
            continue
        wrong = [*lines[0][1:], *(line[lines[0].index(said)] for line in table.body)]
        wrong = [cell for cell in dict.fromkeys(wrong) if cell not in said and said not in cell]
        wrong = [cell for cell in wrong if re.search(r"\d", cell) and not YEAR.fullmatch(cell)]
        if YEAR.fullmatch(said):
            wrong = [name for name in lines[0] if YEAR.fullmatch(name) and name != said]
        if not wrong or rnd.random() < AS_QUOTE:
            yield {"type": "extract", "instructions": rnd.choice(ASKS).format(ask)}, said
        else:
            yield answers.question(ask, said, wrong[:4], rnd)


def intro(one):
    """A short paragraph that introduces the table."""
    said = [plain(each["text"]) for each in one["paragraphs"]]
    return next((each for each in said if each.endswith(":") or "in thousands" in each or "in millions" in each), None)


def tables(one, rnd):
    table = Figures(one["table"]["table"])
    if sum(len(cell) + 2 for line in table.lines for cell in line) > MOST_CHARACTERS:
        return
    told = intro(one)
    told = told if told and len(told.split()) <= 50 else None
    asks = list(asked_of(table, one, rnd))
    rnd.shuffle(asks)
    for _ in range(ROWS_EACH):
        made, asks = asks[:2], asks[2:]
        if len(table.numbers) > 1:
            kinds = [limited, extreme] + ([changed, changed] if len(table.years) > 1 else [])
            drawn = [kind(table, rnd) for kind in rnd.sample(kinds, min(len(kinds), 4 - len(made)))]
            made += {each[0]["instructions"]: each for each in drawn if each is not None}.values()
        if made:
            yield table.shown(told if rnd.random() < INTRODUCED else None, rnd), made


def read(show, rnd):
    reports = [one for path in FILES for one in json.loads(show(path))]
    passages = [part for one in reports for part in parted(*passage(one))]
    for count, (text, questions, truth) in enumerate(shifts.parts(passages, rnd)):
        state = {"text": text} if rnd.random() < 0.15 else text
        made = [(question, truth[name]) for name, question in questions.items()]
        yield rows.row(f"filings-{count:05d}", "questions about annual reports", LICENCE, state, made)
    count = 0
    for one in reports:
        for state, made in tables(one, rnd):
            yield rows.row(f"figures-{count:05d}", "tables of annual reports", LICENCE, state, made)
            count += 1
