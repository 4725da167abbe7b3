"""Yale-LILY/FeTaQA (dev and test): questions about tables of Wikipedia, answered in a sentence (Nan and others, 2022;
CC BY-SA 4.0). An answer is shown as it is, or with one value replaced by another of the same column, beside something
that only its own row has: is it right, what is wrong in it, which version is right. Answers that name or number what
is not in the table are left out.
"""

import itertools
import json
import re

from data.inference.tabled import is_long, shown
from data.shared import pairs, rows
from data.shared.asked import alike

REPOSITORY = "Yale-LILY/FeTaQA"
FILES = [f"data/fetaQA-v1_{part}.jsonl" for part in ("dev", "test")]
LICENCE = "CC BY-SA 4.0"
FEWEST_LETTERS, TIMES, VERSIONS, ALONE = 3, 2, 0.15, 0.35
RIGHT = [
    ("The answer is right, going by the table.", True),
    ("The table bears out every part of the answer.", True),
    ("What is said in the answer agrees with the data.", True),
    ("Is the answer correct?", True),
    ("The answer can be sent as it is.", True),
    ("Something in the answer is wrong.", False),
    ("The answer does not fit the table.", False),
    ("The data contradict the answer.", False),
    ("Does the answer hold a mistake?", False),
    ("The answer has to be corrected before it is sent.", False),
]
GRADES = [
    ("Grade the answer.", ("correct", "incorrect")),
    ("Check the answer against the table.", ("agrees", "contradicts it")),
    ("What should be done with the answer?", ("keep it", "mend it")),
]
MISTAKE = ["Copy what is wrong in the answer.", "Which words of the answer contradict the table?", "The wrong value"]
WHICH = ["{ask}", "{ask}", "Which answer is right? {ask}", "Which reply fits the table? {ask}"]
FIELDS = [("question", "answer"), ("asked", "reply"), ("query", "draft"), ("user", "assistant")]


def is_grounded(answer, known):
    """Whether the numbers of an answer, and its words with capitals, are known."""
    said = re.findall(r"\d[\d.,]*\d|\d|(?<!^)\b[A-Z]\w+", answer)
    return all(one.lower() in known for one in said)


def swaps(one, lines, body):
    """(value of the answer, [others of its column]) of what only one row has, beside something else of that row."""
    text = f"{one['question']} {one['answer']}"
    for i, j in sorted({tuple(cell) for cell in one["highlighted_cell_ids"]}):
        said = lines[i][j]
        if i == 0 or len(re.findall(r"\w", said)) < FEWEST_LETTERS or said in one["question"]:
            continue
        places = re.findall(rf"(?<!\w){re.escape(said)}(?!\w)", one["answer"])
        anchored = any(
            n != j and len(cell) >= FEWEST_LETTERS and cell in text and sum(line[n] == cell for line in body) == 1
            for n, cell in enumerate(lines[i])
        )
        # Rows of one cell that spans several are totals and the like.
        usual = [line for line in body if not any(a == b and a not in "-–" for a, b in itertools.pairwise(line))]
        others = [line[j] for line in usual if line[j] != said and len(re.findall(r"\w", line[j])) >= FEWEST_LETTERS]
        others = [cell for cell in dict.fromkeys(others) if cell not in text and cell not in said and said not in cell]
        if len(places) == 1 and anchored and others and sum(line[j] == said for line in body) == 1:
            yield said, sorted(others, key=lambda cell: -alike(said, cell))[:4]


def put(one, said, others, table, rnd):
    """(state, questions with truths): the answer as it is or with another value for `said`."""
    wrong, holds, drawn = rnd.choice(others), rnd.random() < 0.5, rnd.random()
    answer = one["answer"] if holds else one["answer"].replace(said, wrong)
    if drawn < VERSIONS and len(others) > 1:
        names = [one["answer"].replace(said, each) for each in [said, *others[:3]]]
        ask = rnd.choice(WHICH).format(ask=one["question"])
        return table, [({"type": "choice", "instructions": ask, "criteria": pairs.shown(names, rnd)}, names[0])]
    if drawn < VERSIONS + ALONE:
        return table, [({"type": "noul", "instructions": answer}, holds)]
    parts = dict(zip(rnd.choice(FIELDS), (one["question"], answer), strict=True))
    flat = isinstance(table, str) and rnd.random() < 0.6
    state = "\n".join([table, "", rows.named(parts, True)]) if flat else {"table": table, **parts}
    made = [rows.claim(RIGHT, holds, rnd) if rnd.random() < 0.75 else rows.either(GRADES, holds, rnd)]
    if rnd.random() < 0.5:
        made.append(({"type": "extract", "instructions": rnd.choice(MISTAKE)}, None if holds else wrong))
    return state, made


def read(show, rnd):
    count = 0
    for line in (line for path in FILES for line in show(path).splitlines()):
        one = json.loads(line)
        one |= {name: rows.plain(one[name]) for name in ("question", "answer")}
        lines = [[rows.plain(cell) for cell in each] for each in one["table_array"]]
        names, body = lines[0], lines[1:]
        if not body or is_long(body) or any(len(each) != len(names) for each in body):
            continue
        title = " – ".join([one["table_page_title"], one["table_section_title"]])
        known = " ".join([title, one["question"], *(cell for each in lines for cell in each)]).lower()
        found = list(swaps(one, lines, body)) if is_grounded(one["answer"], known) else []
        for said, others in rnd.sample(found, min(TIMES, len(found))):
            state, made = put(one, said, others, shown(title, names, body, rnd), rnd)
            yield rows.row(f"retold-{count:05d}", "answers about tables", LICENCE, state, made)
            count += 1
