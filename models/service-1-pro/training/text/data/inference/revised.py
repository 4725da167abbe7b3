"""TalSchuster/talschuster.github.io: VitaminC, the parts "real" and "synthetic" (its test halves; the others are too
large for a snapshot). Sentences of Wikipedia before and after an edit that changed a fact, and claims that one of the
two bears out and the other refutes or leaves open (Schuster and others, 2021; CC BY-SA 3.0).
"""

import collections
import io
import json
import re
import zipfile

from data.shared import pairs, rows
from data.shared.spaced import closed

REPOSITORY = "TalSchuster/talschuster.github.io"
PARTS = {"real": 4300, "synthetic": 1500}  # and how many edits of each
LICENCE = "CC BY-SA 3.0 (sentences: Wikipedia)"
MARKS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-COLON-": " :", "``": '"', "''": '"', " ' ": "' "}
MARKS |= dict.fromkeys(("\ufffd", "ï¿½"), " ")
LABELS = {"SUPPORTS": "entails", "REFUTES": "contradicts", "NOT ENOUGH INFO": "neutral"}
BOTH_SHOWN, AS_CHOICE = 0.35, 0.35  # of edits, of questions about both
VERSIONS = [("before", "after"), ("old", "new"), ("version 1", "version 2"), ("A", "B"), ("draft", "revision")]
IN_ONE = [
    ("Going by {this}: {claim}", True),
    ("{this} bears this out: {claim}", True),
    ("The text under {this} says so: {claim}", True),
    ("{that} does not say so, {this} does: {claim}", True),
    ("This can be told from {this} and not from {that}: {claim}", True),
    ("This needs {this}, {that} does not do: {claim}", True),
    ("{this} does not bear this out: {claim}", False),
    ("{this} does not say so: {claim}", False),
    ("Only {that} bears this out: {claim}", False),
    ("This is no longer so if {this} takes the place of {that}: {claim}", False),
]
WHICH = [
    "Which one bears this out: {}",
    "Which of the two says so: {}",
    "{} In which text is that so?",
    "Where is this said: {}",
    "{} Going by which text?",
    "Which of the texts makes this true: {}",
]


def whole(text):
    """Without the marks and spaces of a tokenizer."""
    for mark, meant in MARKS.items():
        text = text.replace(mark, meant)
    text = re.sub(r"([$£€#(]) (?=\S)|(?<=\d) (?=%)", r"\1", closed(text))
    return re.sub(r'" ([^"]+?) ?"', r'"\1"', text)


def about(page, said):
    """A sentence, behind the name of its page where it does not name what it is about."""
    name = whole(page.replace("_", " ").replace("-LRB-", " -LRB- ").replace("-RRB-", " -RRB- "))
    return said if max(name.split(), key=len) in said else f"{name}: {said.lstrip(' ,:')}"


def cases(show, part):
    """Edits as [{sentence: {claim: label}}]."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    with zipfile.ZipFile(io.BytesIO(show(f"static/vitaminc_{part}.zip", text=False))) as packed:
        for line in packed.read(f"vitaminc_{part}/test.jsonl").decode().splitlines():
            one = json.loads(line)
            said = about(one["page"], whole(one["evidence"]))
            found[one["case_id"]][said][whole(one["claim"])] = LABELS[one["label"]]
    return list(found.values())


def compared(case, rnd):
    """(state, questions with truths): both sentences, and claims of which one of them bears out."""
    texts = list(case)
    rnd.shuffle(texts)
    shown = dict(zip(rnd.choice(VERSIONS), texts, strict=True))
    names, made = list(shown), []
    for claim in dict.fromkeys(one for of in case.values() for one in of):
        bearing = [name for name, text in shown.items() if case[text].get(claim) == "entails"]
        if len(bearing) != 1:
            continue
        this, that = rnd.sample(names, 2)
        words = {"this": f'"{this}"', "that": f'"{that}"', "claim": claim}
        if rnd.random() < AS_CHOICE:
            ask = {"type": "choice", "instructions": rnd.choice(WHICH).format(claim), "criteria": rnd.sample(names, 2)}
            made.append((ask, bearing[0]))
        else:
            made.append(rows.claim(IN_ONE, bearing[0] == this, rnd, **words))
    rnd.shuffle(made)
    return rows.named(shown, rnd.random() < 0.4), made


def read(show, rnd):
    triples, count = [], 0
    for part, most in PARTS.items():
        found = cases(show, part)
        for case in rnd.sample(found, min(most, len(found))):
            state, made = compared(case, rnd) if len(case) == 2 and rnd.random() < BOTH_SHOWN else (None, [])
            if made:
                yield rows.row(f"versions-{count:05d}", "two versions of a sentence", LICENCE, state, made)
                count += 1
            else:
                triples += [(said, claim, label) for said, of in case.items() for claim, label in of.items()]
    yield from pairs.rows(triples, "revised", LICENCE, rnd)
