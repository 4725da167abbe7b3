"""julianmichael/qamr: questions that people asked about sentences of Wikipedia and Wikinews, answered by words of them.

A row has one to four sentences, so that the one that answers has to be found. Only answers on which two of three
people agree are taken. Some questions are about a sentence that is not there, and some ask whether it is.
"""

import collections
import re

from data.shared.asked import ABSENT, TOLD, question

REPOSITORY = "julianmichael/qamr"
FILES = ("data/filtered/dev.tsv", "data/filtered/test.tsv")
SENTENCES = "data/wiki-sentences.tsv"
QUESTIONS = 6
WHETHER_TOLD = 0.1
MARKS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}


def joined(tokens):
    """Tokens of the treebank as they were written."""
    out, is_open = "", False
    for token in tokens:
        is_quote, token = token in ("``", "''", '"'), MARKS.get(token, token)
        glued = re.fullmatch(r"[.,:;!?%)\]}]|'\w{0,2}|n't|\.\.\.", token) or (is_quote and is_open)
        opened = out and (out[-1] in "([{$" or (out[-1] == '"' and is_open and not is_quote))
        out += token if not out or glued or opened else f" {token}"
        is_open = is_open != is_quote
    return out


def places(cell):
    """Places of an answer, as far as they stand side by side; None where they do not."""
    found = [int(one) for one in cell.split()]
    return tuple(found) if found and found == list(range(found[0], found[-1] + 1)) else None


def agreed(cells):
    """The answer that at least two gave."""
    counts = collections.Counter(filter(None, map(places, cells)))
    best = counts.most_common(1)
    return best[0][0] if best and best[0][1] > 1 else None


def asked_of(show):
    """Sentence -> [(question, places)], in the order of the files."""
    out = collections.defaultdict(dict)
    for path in FILES:
        for line in show(path).splitlines():
            cells = line.split("\t")
            if cells[0].startswith("Wiki1k"):
                answers = [cells[6], *(cell.split(":", 1)[1] for cell in cells[7:] if ":" in cell)]
                found = agreed(answers)
                if found is not None:
                    out[cells[0]][cells[5]] = found
    return {name: list(asked.items()) for name, asked in out.items()}


def read(show, rnd):
    tokens = {}
    for line in show(SENTENCES).splitlines():
        name, _, said = line.partition("\t")
        tokens[name] = said.split(" ")
    asked = {name: found for name, found in asked_of(show).items() if name in tokens}
    names = sorted(asked)
    count = 0
    for name in names:
        rnd.shuffle(asked[name])
        answers = [joined(tokens[name][at] for at in found) for _, found in asked[name]]
        for at in range(0, len(asked[name]), QUESTIONS):
            beside = [one for one in rnd.sample(names, 4) if one != name]
            shown, absent = beside[: rnd.choice([0, 1, 2, 3])], beside[-1]
            texts = [joined(tokens[one]) for one in [name, *shown[:3]]]
            rnd.shuffle(texts)
            questions, truth = {}, {}
            for n, (ask, found) in enumerate(asked[name][at : at + QUESTIONS]):
                answer = joined(tokens[name][one] for one in found)
                is_whether = rnd.random() < WHETHER_TOLD
                if rnd.random() < (0.5 if is_whether else ABSENT) and absent not in shown:
                    ask, answer = rnd.choice(asked[absent])[0], None
                if is_whether:
                    questions[f"q{n}"] = {"type": "noul", "instructions": rnd.choice(TOLD).format(ask)}
                    truth[f"q{n}"] = answer is not None
                    continue
                if answer and sum(text.count(answer) for text in texts) != 1:
                    continue
                questions[f"q{n}"], truth[f"q{n}"] = question(ask, answer, answers, rnd)
            if questions:
                yield {
                    "id": f"qamr-{count:06d}",
                    "source": "qamr",
                    "task": "questions about sentences",
                    "licence": "MIT (repository); sentences CC BY-SA (Wikipedia), CC BY (Wikinews)",
                    "state": " ".join(texts) if rnd.random() < 0.6 else "\n".join(texts),
                    "questions": questions,
                    "truth": truth,
                }
                count += 1
