"""ppasupat/WikiTableQuestions: questions that people asked about tables of Wikipedia: what stands where, what comes
first or next, which is the most, how many there are (Pasupat and Liang, 2015; CC BY-SA 4.0). Tables that are short.
"""

import collections
import csv
import io
import json
import re

from data.inference.tabled import shown
from data.shared import answers, pairs, rows
from data.shared.answers import begun
from data.shared.asked import ASKS

REPOSITORY = "ppasupat/WikiTableQuestions"
FILES = ("training", "pristine-seen-tables", "pristine-unseen-tables")
LICENCE = "CC BY-SA 4.0"
MOST_CHARACTERS, MOST_ROWS, MOST_WORDS, MOST_OPTIONS = 1300, 18, 260, 8
TITLED, AS_QUOTE, ABSENT, MOST_COUNTED = 0.7, 0.45, 0.08, 20
COUNTS_KEPT = {True: 0.6, False: 0.15}  # by whether counting rows or cells bears them out
# Questions that have more answers than the one that is given, or that ask about the page.
SEVERAL = re.compile(
    r"\b(?:(?:name|list|give|tell) (?:me )?(?:a|an|any|one|another|some|two|three)|other than|besides|another|one of"
    r"|example|(?:which|what) other|only other|at least one|aside from|table|chart|shown|wikipedia)\b"
)
COUNTED = re.compile(r"\b(?:how many|number of|total|difference|how long|how much|average|times|years|amount|sum)\b")
# What stands before the name of the thing that is asked for.
OPENING = re.compile(r"(?:which|what|who)(?: (?:is|are|was|were))?(?: the)?(?: (?:only|first|last|next|[a-z]+est))? ")
ORDER = re.compile(r"(?:Name|List|Tell|Give|Find|Add|Compare) ")
NUMBER = re.compile(r"\d+")
WHETHER = {"yes": True, "no": False, "true": True, "false": False}
AUXILIARY = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b")
OPPOSITE = {"more": "less", "above": "below", "before": "after", "higher": "lower", "longer": "shorter"}
OPPOSITE |= {wrong: right for right, wrong in OPPOSITE.items()}
NOT_SO = [
    ('Asked "{ask}", one has to say no.', False),
    ('The answer to "{ask}" is no.', False),
    ('"{ask}" Going by the data, yes.', True),
]


def table(show, path):
    """Names of columns and rows; None where the table is long or a row has too few cells."""
    read_lines = csv.reader(io.StringIO(show(path)), escapechar="\\")
    names, *found = ([rows.plain(cell) for cell in line] for line in read_lines)
    long = len(found) > MOST_ROWS or sum(len(cell) + 2 for line in [names, *found] for cell in line) > MOST_CHARACTERS
    return None if long or not found or any(len(line) != len(names) for line in found) else (names, found)


def written(ask, cells):
    """A question with capitals, and names as the table writes them."""
    for cell in cells:
        if len(cell) > 5 and " " in cell and cell.lower() in ask:
            ask = re.sub(rf"\b{re.escape(cell.lower())}(?!\w)", lambda _, cell=cell: cell, ask)
    ask = re.sub(r"(?<=[a-z]{3}[.?!] )[a-z]", lambda first: first[0].upper(), begun(ask))
    return f"{ask}." if ORDER.match(ask) else ask if ask.endswith("?") else f"{ask}?"


def column(found, answer):
    """The number of the leftmost column with a cell that is the answer, or None."""
    return next((n for n in range(len(found[0])) if any(line[n].lower() == answer for line in found)), None)


def is_named(cell, ask):
    """Whether a question has the words of a cell, or a long one of them."""
    words = re.findall(r"\w+", cell.lower())
    return any(len(word) > 3 and word in ask.lower() for word in words) or cell.lower() in ask.lower()


def asks_for_another(ask, said, names, found):
    """Whether a question opens with the name of a column in which its answer does not stand."""
    rest = OPENING.sub("", ask.lower(), count=1) if OPENING.match(ask.lower()) else ""
    heads = [re.sub(r"\(.*?\)", "", name).strip().lower().rstrip("s") for name in names]
    asked_for = [n for n, head in enumerate(heads) if len(head) > 2 and re.match(rf"{re.escape(head)}(?:e?s)?\b", rest)]
    return bool(asked_for) and not any(line[n].lower() == said for line in found for n in asked_for)


def is_borne_out(ask, answer, found):
    """Whether a number is that of the rows, of different cells of a column, or of cells that the question names."""
    numbers = {len(found)}
    for cells in zip(*found, strict=True):
        cells = [cell.lower() for cell in cells]
        numbers.add(len(set(cells)))
        numbers |= {sum(said in cell for cell in cells) for said in set(cells) if said and said in ask.lower()}
    return int(answer) in numbers


def counted(ask, answer, rnd):
    """A number that has to be counted or worked out, among near ones."""
    right = int(answer)
    near = [str(one) for one in range(max(0, right - 3), right + 4) if one != right]
    if re.search(r"\d", ask):
        near = [one for one in near if one not in ask.split()]
    return answers.question(ask, answer, near, rnd)


def of_a_cell(ask, said, found, rnd):
    """What a cell says: a quote, a choice between cells of its column, or a claim."""
    at = column(found, said)
    cells = list(dict.fromkeys(line[at] for line in found if line[at]))
    right = next(cell for cell in cells if cell.lower() == said)
    wrong = [cell for cell in cells if cell != right and right not in cell and cell not in right]
    named = [cell for cell in wrong if is_named(cell, ask)] if " or " in ask and is_named(right, ask) else []
    if len(wrong) < 2 or (rnd.random() < AS_QUOTE and not named):
        return {"type": "extract", "instructions": rnd.choice(ASKS).format(ask)}, right
    return answers.question(ask, right, named or wrong, rnd)  # of "A or B?", one of the two


def of_cells(ask, said, found):
    """Several cells of a column."""
    at = column(found, said[0])
    cells = list(dict.fromkeys(line[at] for line in found if line[at])) if at is not None else []
    right = [cell for cell in cells if cell.lower() in said]
    if len(right) == len(said) < len(cells) <= MOST_OPTIONS:
        return {"type": "select", "instructions": ask, "options": cells}, right
    return None


def question(ask, said, names, found, rnd):
    """A question and its truth, or None where it can't be put."""
    answer = said[0]
    if len(said) > 1:
        return of_cells(ask, said, found)
    if answer in WHETHER:
        ask = re.sub(r"^True or false[?:,]? *", "", ask)
        if not AUXILIARY.match(ask.lower()):
            return None
        if rnd.random() < 0.6:
            return {"type": "noul", "instructions": begun(ask)}, WHETHER[answer]
        return rows.claim(NOT_SO, WHETHER[answer], rnd, ask=begun(ask))
    if answer in OPPOSITE and answer in ask and OPPOSITE[answer] in ask:
        return {"type": "choice", "instructions": ask, "criteria": pairs.shown([answer, OPPOSITE[answer]], rnd)}, answer
    if NUMBER.fullmatch(answer) and int(answer) <= MOST_COUNTED and COUNTED.search(ask.lower()):
        is_kept = rnd.random() < COUNTS_KEPT[is_borne_out(ask, answer, found)]
        return counted(ask, answer, rnd) if is_kept else None
    if column(found, answer) is not None:
        if asks_for_another(ask, answer, names, found):
            return None
        return of_a_cell(ask, answer, found, rnd)
    within = {cell for line in found for cell in line if re.search(rf"\b{re.escape(answer)}(?!\w)", cell.lower())}
    if len(within) == 1 and not COUNTED.search(ask.lower()):
        cell = within.pop()
        at = cell.lower().find(answer)
        return {"type": "extract", "instructions": rnd.choice(ASKS).format(ask)}, cell[at : at + len(answer)]
    return None


def elsewhere(ask, cells):
    """Whether a question names something of its own table, by which one knows that another one can't answer it."""
    return any(len(cell) > 5 and not NUMBER.fullmatch(cell) and cell.lower() in ask.lower() for cell in cells)


def read(show, rnd):
    of = collections.defaultdict(list)
    for name in FILES:
        for line in show(f"data/{name}.tsv").splitlines()[1:]:
            _, ask, path, said = line.split("\t")
            if not SEVERAL.search(ask):
                of[path].append((rows.plain(ask), [rows.plain(one).lower() for one in said.split("|")]))
    count, before = 0, []
    for path, asked in of.items():
        found = table(show, path)
        if found is None:
            continue
        names, lines = found
        cells = list(dict.fromkeys(cell for line in lines for cell in line))
        everything = " ".join([*names, *cells]).lower()
        title = json.loads(show(path.replace("csv", "page")[: -len("page")] + "json"))["title"]
        made = [question(written(ask, cells), said, names, lines, rnd) for ask, said in asked]
        made = [one for one in made if one is not None]
        strange = [ask for ask, there in before if not any(cell.lower() in everything for cell in there)]
        for n in range(0, len(made), 3):
            shown_here = made[n : n + 3]
            if strange and rnd.random() < ABSENT * len(shown_here):
                ask = rnd.choice(ASKS).format(rnd.choice(strange))
                shown_here[-1] = ({"type": "extract", "instructions": ask}, None)
            titled = title if rnd.random() < TITLED else ""
            state = shown(titled, names, lines, rnd)
            if len(json.dumps(state).split()) > MOST_WORDS:
                state = "\n".join([titled, *(" | ".join(line) for line in [names, *lines])]).strip()
            yield rows.row(f"looked-up-{count:05d}", "questions about tables", LICENCE, state, shown_here)
            count += 1
        before = [
            (written(ask, cells), [cell for cell in cells if len(cell) > 5 and cell.lower() in ask])
            for ask, said in asked
            if elsewhere(ask, cells) and NUMBER.fullmatch(said[0]) is None
        ]
