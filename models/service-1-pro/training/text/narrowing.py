"""A state without the rows of its tables and lists that a question does not call by name, as the engine reads it
(src/backends/onnx/families/encoder: row-lists.ts, row-names.ts, named-rows.ts, row-branches.ts, state-text.ts).
"""

import re

import states
import tables
from options import options_of

SPEAKERS = {"role", "speaker", "from", "author", "sender", "user", "who"}
SAID = {"text", "content", "message", "body"}
NAMES = {"name", "title", "label", "item", "product", "person", "user", "customer", "service", "city"}
FIELD = {"text": "text", "json": "value"}  # of a part, by its type
ID = {"id", "number", "no", "nr", "key", "code"}
FEWEST_ROWS, FEWEST_IN_COMMON, MOST_WORDS, SHORTEST_NUMBER, MOST_EACH = 3, 2, 5, 3, 16
NUMBER = re.compile(r"[0-9.,]+")
MARK = re.compile(r"[0-9@._:/-]|\S\s\S")
AROUND_WORDS = re.compile(r"[\s()\[\]{}<>,;\"“”]+")
COMMON = set(
    "a actual after all an and answer any are as at be before by current default do done expected first for from has "
    "he her his i if in input is it its last left new next no none not now of off old on one open or other out output "
    "previous prompt reply request response right second she source target that the their then they third this to "
    "today tomorrow true false up us was we what who will with yes yesterday you question".split()
)
OF_OTHERS = re.compile(
    r"(?<!\bat )\b(?:most|least)\b|\b(?:only|others?|another|else|any(?:body|one)|every(?:body|one)?|highest|lowest|"
    r"largest|smallest|biggest|longest|shortest|cheapest|dearest|oldest|newest|earliest|fastest|slowest|best|worst|"
    r"ranks?)\b",
    re.I | re.A,
)
COMPARES = re.compile(
    r"(?<!\bor )(?<!\bno )(?<!\bany )\b(?:more|less|fewer|higher|lower|larger|smaller|bigger|longer|shorter|cheaper|"
    r"dearer|older|newer|later|earlier|faster|slower|better|worse|same|differs?|different|equal|alike|compared|unlike)\b"
    r"(?!.*\bthan\b)",
    re.I | re.A,
)


LETTER = r"[^\W\d_]"
CODE = rf"(?:{LETTER}{{1,5}}[-_]?)?[0-9]{{1,9}}(?:[./_-][0-9]{{1,6}}){{0,3}}"
MENTION = re.compile(
    rf"(?<![^\W_])({LETTER}(?:{LETTER}|-){{1,30}})[ \t]+(?:no\.?[ \t]*|number[ \t]+|#)?"
    rf"({CODE}(?:(?:,|,?[ \t]+(?:and|or|&))[ \t]*{CODE})*)(?![^\W_])",
    re.I,
)
LAST_WORD = re.compile(rf"{LETTER}(?:{LETTER}|-){{1,30}}$")


def label(word, number):
    word = re.sub(r"(?<!s)s$", "", re.sub(r"ies$", "y", word.lower()))
    return f"{word} {number.lower()}"


def last_word(name):
    found = LAST_WORD.search(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
    return found and found[0]


def words(text):
    out = []
    for word in AROUND_WORDS.split(text.lower()):
        word = re.sub(r"^[\W_]+", "", word)
        word = re.sub(r"(?:['’]s)?[\W_]*$", "", word)
        out += [word] if word else []
    return out


def possible_names(question):
    said = words(question)
    runs = {
        " ".join(said[begin:end])
        for begin in range(len(said))
        for end in range(begin + 1, min(len(said), begin + MOST_WORDS) + 1)
    }
    labels = {label(word, one) for word, codes in MENTION.findall(question) for one in re.findall(CODE, codes)}
    return {run for run in runs if len(run) > 1 and run not in COMMON} | labels


def kinds(head, called):
    """What a row with a number is called: by the list ("orders"), and by the head of its number ("order_id", "id")."""
    said = words_of_key(head).split(" ")
    while len(said) > 1 and said[-1].lower() in ID:
        said.pop()
    return [one for one in (last_word(called), last_word(" ".join(said))) if one]


def naming(columns, rows, called=""):
    """What each column that can calls the rows: [{name: row}]. Columns are (head, values);
    `called`: all rows together.
    """
    out = []
    for n, (head, values) in enumerate(columns):
        is_id = n == 0 or head.lower() in ID
        is_name = is_id or head.lower() in NAMES
        if not is_name and len(rows) < FEWEST_ROWS:
            continue
        own = kinds(head, called) if is_id else []
        names = {}
        for row, value in zip(rows, values, strict=True):
            if not states.is_plain(value):
                break
            value = states.plain(value)
            name = " ".join(words(value))
            if not name or name in names or len(name.split(" ")) > MOST_WORDS:
                break
            is_number = NUMBER.fullmatch(name)
            if (is_number and not is_id) or not (is_name or MARK.search(value) or any(map(str.isupper, value))):
                break
            if not is_number or len(name) >= SHORTEST_NUMBER:
                names[name] = row
            if is_number:
                names.update({label(kind, name): row for kind in own})
        else:
            out.append(names)
    return out


def lists(value, at=()):
    """[(path, number of rows, keys of what is no row, naming columns)] of JSON, an outer list before those in it."""
    if isinstance(value, list):
        within = [one for n, inner in enumerate(value) for one in lists(inner, (*at, n))]
        are_objects = len(value) > 1 and all(isinstance(one, dict) for one in value)
        if not are_objects or all(states.turn(one) is not None for one in value):
            return within
        heads = list(dict.fromkeys(key for one in value for key in one))
        if SAID & set(heads) and SPEAKERS & set(heads):
            heads = [head for head in heads if head.lower() in ID]
        columns = [(head, [one.get(head) for one in value]) for head in heads]
        return [(at, len(value), [], naming(columns, list(range(len(value))), str(at[-1]) if at else "")), *within]
    if not isinstance(value, dict):
        return []
    within = [one for key, inner in value.items() for one in lists(inner, (*at, key))]
    rows = {key: one for key, one in value.items() if isinstance(one, dict) and states.turn(one) is None}
    if not are_alike(list(rows.values()), len(value)):
        return within
    others = [key for key in value if key not in rows]
    columns = naming([("key", [words_of_key(key) for key in rows])], list(rows))
    return [(at, len(rows), others, columns), *within]


def are_alike(rows, members):
    """Whether some members of an object are one kind of thing: they have the same in common, or are all there is."""
    if len(rows) == members and len(rows) >= FEWEST_ROWS:
        return True
    if len(rows) < 2:
        return False
    common = len(set.intersection(*map(set, rows)))
    return common >= FEWEST_IN_COMMON and 2 * common >= min(map(len, rows))


def words_of_key(key):
    return re.sub(r"[_\-.]+", " ", re.sub(r"([a-z])([A-Z])", r"\1 \2", key))


def taken(value, shown, at=()):
    """The value with the rows alone that are shown of each list: path -> rows."""
    if isinstance(value, list):
        rows = shown.get(at)
        return [taken(one, shown, (*at, n)) for n, one in enumerate(value) if rows is None or n in rows]
    if isinstance(value, dict):
        rows = shown.get(at)
        return {key: taken(one, shown, (*at, key)) for key, one in value.items() if rows is None or key in rows}
    return value


def in_text(text, shown):
    """A text with the rows alone that are shown, {table: rows}: a line a cell, apart from what stands around."""
    parts, at = [], 0
    for table, rows in shown:
        parts.append(text[at : table.start].strip())
        kept = [row for n, row in enumerate(table.rows) if n in rows]
        if table.heads is None:
            parts.append("\n".join(line for line, _ in kept))
        else:
            for _, cells in kept:
                said = (f"{head}: {cell}" if head else cell for head, cell in zip(table.heads, cells, strict=True))
                parts.append("\n".join(said))
        at = table.end
    parts.append(text[at:].strip())
    return "\n\n".join(part for part in parts if part)


class Named:
    """The rows of a state that questions call by name."""

    def __init__(self, state):
        self.has_parts = states.has_parts(state)
        self.parts = state if self.has_parts else [{"type": "json", "value": state}]
        self.lists = []  # (part, table or path, rows, keys of what is no row, columns)
        for n, part in enumerate(self.parts):
            value = part.get(FIELD.get(part["type"]))
            if isinstance(value, str):
                for table in tables.found(value):
                    heads = table.heads or [""] * len(table.rows[0][1])
                    columns = [(head, [cells[i] for _, cells in table.rows]) for i, head in enumerate(heads)]
                    columns = naming(columns, list(range(len(table.rows))))
                    self.lists.append((n, table, len(table.rows), [], columns))
            else:
                self.lists += [(n, *one) for one in lists(value)]
        self.lists = [one for one in self.lists if one[4]]

    def of(self, question):
        """{number of the list: rows}, or None where the question is about the whole state."""
        if not self.lists or OF_OTHERS.search(question):
            return None
        names, shown, compares = possible_names(question), {}, bool(COMPARES.search(question))
        for n, (_, _, count, others, columns) in enumerate(self.lists):
            named = ({column[name] for name in names if name in column} for column in columns)
            rows = next(filter(None, named), set())
            if 0 < len(rows) < count and not (compares and len(rows) == 1):
                shown[n] = {*others, *rows}
        return shown or None

    def of_each(self, options):
        """[{number of the list: rows}] where each option names a row of one list, else None."""
        names = [" ".join(words(option)) for option in options]
        if len(names) > MOST_EACH or len(set(names)) < len(names):
            return None
        for n, (*_, others, columns) in enumerate(self.lists):
            for column in columns:
                if all(name in column for name in names):
                    return [{n: {*others, column[name]}} for name in names]
        return None

    def narrowed(self, shown):
        """The state as it is read where these rows are shown."""
        out = []
        for n, part in enumerate(self.parts):
            here = [(self.lists[number][1], rows) for number, rows in shown.items() if self.lists[number][0] == n]
            if here:
                field = FIELD[part["type"]]
                value = part[field]
                part = {**part, field: in_text(value, here) if isinstance(value, str) else taken(value, dict(here))}
            out.append(part)
        return out if self.has_parts else out[0]["value"]


def rows_of(row):
    """The rows that the engine makes of one: questions about the whole state, and those about some of its rows."""
    named = Named(row["state"])
    if not named.lists:
        return [row]
    groups = {}
    for name, asked in row["questions"].items():
        for shown, own, question, truth in asked_of(named, name, asked, row["truth"]):
            key = str(sorted((n, sorted(rows, key=str)) for n, rows in (shown or {}).items()))
            _, questions, truths = groups.setdefault(key, (shown, {}, {}))
            questions[own] = question
            truths.update(truth)
    return [
        {
            **row,
            "state": row["state"] if shown is None else named.narrowed(shown),
            "questions": questions,
            "truth": truths,
        }
        for shown, questions, truths in groups.values()
    ]


def asked_of(named, name, asked, truth):
    """(rows, name, question, truth) of what the engine asks for one question."""
    own = {name: truth[name]} if name in truth else {}
    said = asked.get("instructions")
    if not isinstance(said, str):
        return [(None, name, asked, own)]
    shown = named.of(said)
    options = options_of(asked)
    if shown is None and asked["type"] == "select" and name in truth and options:
        labels = [label for label, _ in options]
        each = named.of_each(labels)
        if each is not None:
            claim = {"type": "noul", "instructions": said}
            return [
                (rows, f"{name} {label}", claim, {f"{name} {label}": label in truth[name]})
                for rows, label in zip(each, labels, strict=True)
            ]
    return [(shown, name, asked, own)]


def drawn(row, rnd):
    """One of the rows that the engine makes of one, those with more questions more often."""
    made = rows_of(row)
    return made[0] if len(made) == 1 else rnd.choices(made, [len(one["questions"]) for one in made])[0]
