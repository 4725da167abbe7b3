"""Tables that stand in a text: Markdown, values between tabs, commas or semicolons, columns kept apart by spaces, and
lines of "name: value; name: value"; with a line of headings or without. The runner has to find the same
(src/core/text-tables.ts).
"""

import dataclasses
import re

FEWEST_ROWS, FEWEST_LINES = 2, 3  # with a line of headings and without
LONGEST_HEAD, MOST_WORDS_OF_HEAD, FEWEST_WORDS_OF_SENTENCE = 32, 5, 3
LONGEST_LINE, MOST_CELLS = 2000, 64

RULE = re.compile(r"[\s|:+-]+")
PAIR = re.compile(r"\s*(?:[-*]\s+)?([^:;]{1,32}):\s(.*)", re.S)
YEAR = re.compile(r"(?:1[89]|20)[0-9][0-9]")
WORD = re.compile(r"[^\s0-9.,:/-]")
AROUND = " \t\r\f\v\n\u00a0`*"


@dataclasses.dataclass
class Table:
    start: int  # of its first line
    end: int  # of its last line, without the line's end
    heads: object  # a list, or None where no line heads the columns
    rows: list  # [(the line without spaces around it, [cells])]


def found(text):
    """In reading order, without overlaps; of forms that a line could have, the one with most rows counts."""
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append((line.removesuffix("\r"), at))
        at += len(line) + 1
    tables = [table for cells, bare in FORMS for table in of_form(lines, cells, bare)]
    taken = []
    for table in sorted(tables, key=lambda one: (-len(one.rows), one.start)):
        if all(table.end <= one.start or one.end <= table.start for one in taken):
            taken.append(table)
    return sorted(taken, key=lambda one: one.start)


def of_form(lines, cells_of, needs_no_heads):
    tables, block = [], []
    for line, start in [*lines, ("", None)]:
        cells = None if start is None or len(line) > LONGEST_LINE else cells_of(line)
        cells = None if cells is not None and len(cells) > MOST_CELLS else cells
        if block and (cells is None or not alike(cells, block[0][2])):
            table = made(block, needs_no_heads)
            tables += [table] if table is not None else []
            block = []
        if cells is not None:
            block.append((line, start, cells))
    return tables


def alike(cells, first):
    return [name for name, _ in cells] == [name for name, _ in first]


def made(block, needs_no_heads):
    """What lines of one form are a table of, or None. Cells are (name in the line itself or None, value)."""
    lines = [one for one in block if not RULE.fullmatch(one[0])]
    names = [name for name, _ in block[0][2] if name is not None]
    heads = names or [value for _, value in block[0][2]]
    below = lines if names else lines[1:]
    is_headed = len(set(heads)) == len(heads) and all(is_head(head, n == 0) for n, head in enumerate(heads))
    if not names:  # what stands below itself is a value
        is_headed = is_headed and not any(value == head for *_, row in below for (_, value), head in zip(row, heads))
    rows = below if is_headed else lines
    if len(rows) < FEWEST_ROWS if is_headed else not needs_no_heads or len(rows) < FEWEST_LINES:
        return None
    (_, start, _), (last, at, _) = block[0], block[-1]
    kept = [(line.strip(AROUND), [value for _, value in cells]) for line, _, cells in rows]
    return Table(start, at + len(last), heads if is_headed else None, kept)


def is_head(head, is_first):
    """Short, and neither a sentence nor a number, years aside; nothing at all over the first column."""
    if not head:
        return is_first
    words = len(re.split(r"\s+", head))
    is_sentence = words >= FEWEST_WORDS_OF_SENTENCE and head[-1] in ".!?"
    is_word = WORD.search(head) or (not is_first and YEAR.fullmatch(head))
    return len(head) <= LONGEST_HEAD and words <= MOST_WORDS_OF_HEAD and not is_sentence and bool(is_word)


def plain(values):
    return [(None, value.strip(AROUND)) for value in values]


def between_pipes(line):
    if "|" not in line:
        return None
    cells = line.split("|")
    if not cells[0].strip():
        cells = cells[1:]
    if len(cells) > 1 and not cells[-1].strip():
        cells = cells[:-1]
    return plain(cells) if len(cells) > 1 else None


def between(mark, fewest):
    quoted = re.compile(r' *"((?:[^"]|"")*)" *')

    def cells_of(line):
        if mark not in line:
            return None
        cells, at = [], 0
        while at <= len(line):
            one = quoted.match(line, at)
            if one is not None and (one.end() == len(line) or line[one.end()] == mark):
                cells.append((None, one.group(1)))
                at = one.end() + 1
            else:
                end = line.find(mark, at)
                end = len(line) if end < 0 else end
                cells += plain([line[at:end]])
                at = end + 1
        return cells if len(cells) >= fewest else None

    return cells_of


def pairs(line):
    if ";" not in line:
        return None
    cells = []
    for part in line.split(";"):
        one = PAIR.fullmatch(part)
        if one is None:
            return None
        cells.append((one.group(1).strip(), one.group(2).strip(AROUND)))
    return cells if len(cells) > 1 else None


def between_spaces(line):
    """A line that begins with spaces has nothing in its first column."""
    cells = plain(re.findall(r"\S+(?: \S+)*", line))
    if re.match(r"\s{2}", line) and cells:
        cells.insert(0, (None, ""))
    return cells if len(cells) >= 3 else None


FORMS = [
    (between_pipes, True),
    (between("\t", 2), True),
    (between(",", 3), False),
    (between(";", 3), False),
    (pairs, False),
    (between_spaces, True),
]
