"""berzak/onestop-qa: paragraphs of news articles in three levels of English, with questions of which each has a right
answer, one that misreads what decides, one taken from elsewhere in the paragraph, and one that nothing speaks for
(OneStopQA: Berzak and others, 2020; CC BY-SA 4.0; articles: OneStopEnglish). Also: which of two levels is simpler.
"""

import io
import json
import re
import zipfile

from data.reading.shifts import sentences
from data.shared import answers, rows

REPOSITORY = "berzak/onestop-qa"
FILE, INSIDE = "annotations/onestop_qa.zip", "onestop_qa.json"
LICENCE = "CC BY-SA 4.0"
EASY, HARD = "Ele", "Adv"
LEVELS = (EASY, "Int", HARD)
CUT, GRADED, QUOTED = 0.5, 0.4, 0.15  # of questions: asked of a part of the paragraph, answered by somebody, as a quote
LONGEST_QUOTE = 25  # words
QUOTES = ["Copy the words that answer: {}", "Which part of the text answers this: {}", "The words that decide: {}"]
YES_OR_NO = re.compile(r"(yes|no)\b", re.I)
NAMES = [("first", "second"), ("A", "B"), ("text 1", "text 2"), ("original", "rewritten"), ("old", "new")]
SIMPLER = [
    ("The text under {this} is easier to read than the one under {that}.", True),
    ("{this} is the simpler text.", True),
    ("{that} uses harder words than {this}.", True),
    ("Somebody who learns English should rather be given {this}.", True),
    ("{that} is the more demanding text.", True),
    ("The text under {this} is harder to read than the one under {that}.", False),
    ("{that} is the easier text.", False),
    ("{this} is written in more complicated sentences than {that}.", False),
    ("Beginners would find {that} easier.", False),
    ("{this} is meant for more advanced readers.", False),
]
WHICH = ["Which text is easier to read?", "Which is the simpler one?", "Which one is for beginners?", "The easier text"]


def place(text, span):
    """(first, last) characters of words of a text."""
    words = [one.span() for one in re.finditer(r"\S+", text)]
    return words[span[0]][0], words[min(span[1], len(words) - 1)][1]


def part(text, places):
    """From the sentence before the first of some places to the last of them."""
    spans, begin, end = sentences(text), min(a for a, _ in places), max(b for _, b in places)
    first = max(0, next(n for n, (_, last) in enumerate(spans) if last > begin) - 1)
    return text[spans[first][0] : max(last for start, last in spans if start < end)].strip()


def asked(ask, right, wrong, quote, rnd):
    """One question and its truth."""
    said = YES_OR_NO.match(right)
    if said:
        return {"type": "noul", "instructions": ask}, said[1].lower() == "yes"
    if rnd.random() < QUOTED and len(quote.split()) <= LONGEST_QUOTE:
        return {"type": "extract", "instructions": rnd.choice(QUOTES).format(ask)}, quote
    return answers.question(ask, right, wrong, rnd)


def about(shown, questions, rnd):
    """(state, questions with truths) of one paragraph of one level."""
    text, whole = shown["context"], []
    for n, one in enumerate(questions):
        ask, (right, *wrong) = one["question"].strip(), [answers.begun(said) for said in one["answers"]]
        decides, other = (place(text, shown[name][n]) for name in ("a_spans", "d_spans"))
        given = (ask, right, wrong, text[slice(*decides)].strip(), rnd)
        whole.append(asked(*given))
        if rnd.random() < CUT:
            yield part(text, [decides, other]), [asked(*given)]
        if rnd.random() < GRADED:
            yield answers.graded(part(text, [decides, other]), ask, right, wrong, rnd)
    rnd.shuffle(whole)
    yield text, whole


def simpler(paragraph, rnd):
    """The same: the easiest and the hardest level of a paragraph, side by side."""
    names = rnd.choice(NAMES)
    easy, hard = rnd.sample(names, 2)
    texts = {easy: paragraph[EASY]["context"], hard: paragraph[HARD]["context"]}
    this, that = rnd.sample(names, 2)
    made = [rows.claim(SIMPLER, this == easy, rnd, this=f'"{this}"', that=f'"{that}"')]
    if rnd.random() < 0.5:
        made.append(({"type": "choice", "instructions": rnd.choice(WHICH), "criteria": rnd.sample(names, 2)}, easy))
    return rows.named({name: texts[name] for name in names}, rnd.random() < 0.4), made


def read(show, rnd):
    with zipfile.ZipFile(io.BytesIO(show(FILE, text=False))) as packed:
        articles = json.loads(packed.read(INSIDE))["data"]
    paragraphs = [one for article in articles for one in article["paragraphs"]]
    made = [one for of in paragraphs for level in LEVELS for one in about(of[level], of["qas"], rnd)]
    for count, (state, questions) in enumerate(made):
        yield rows.row(f"understood-{count:05d}", "questions about passages", LICENCE, state, questions)
    for count, paragraph in enumerate(paragraphs):
        yield rows.row(f"simpler-{count:05d}", "which text is simpler", LICENCE, *simpler(paragraph, rnd))
