"""uci-soe/FairytaleQAData: questions that teachers asked about sections of old tales, and their answers (Xu and others,
2022; Apache-2.0; the tales are out of copyright, from Project Gutenberg). The wrong answers are those to other
questions of the same kind about the tale. A row is a section, or the sentences of it around what answers.
"""

import collections
import csv
import io
import re

from data.reading.shifts import sentences
from data.shared import answers, rows
from data.shared.asked import ASKS, alike, stated

REPOSITORY = "uci-soe/FairytaleQAData"
FOLDER, ENDS = "data-by-train-split", "-questions.csv"
LICENCE = "Apache-2.0 (tales: public domain)"
WHOLE = 110  # words of a section that is not cut
LONGEST = 190  # words of a section that is shown whole where nothing says which sentence answers
LONGEST_ANSWER = 14
AS_QUOTE, AS_GRADED = 0.5, 0.15
NEAREST = 4  # wrong answers that there are to choose from
FELT = re.compile(r"How (?:did|does|do) (?P<who>.+?) feel(?P<rest>\b.*)\?")
# Words for feelings: a wrong answer has one of the other side.
PLEASANT = "happy glad joy delight pleas content excit cheer proud thank grate reliev love satisf".split()
UNPLEASANT = """sad unhapp upset sorrow griev grief miser lone heartbr despair disappoint mourn troubl distress afraid
scare fear frighten terri worr anxious nervous alarm angr mad furious rage annoy jealous envi vex asham guilt""".split()


def plain(text):
    return " ".join(text.replace("``", '"').replace("''", '"').split())


def stems(text):
    """The words that tell something, cut short so that forms of a word are alike."""
    return {word[:5] for word in re.findall(r"[a-z]{3,}", text.lower())} - COMMON


COMMON = frozenset(
    word[:5]
    for word in """the and that was were had has have his her him she they them their its for from with into but not
    this because what when where who why how did does will would could should there then than you your are all one out
    after before happened feel""".split()
)


def feeling(answer):
    """Whether it is pleasant; None where that is not clear."""
    sides = [any(mark in answer.lower() for mark in marks) for marks in (PLEASANT, UNPLEASANT)]
    return sides[0] if sides[0] != sides[1] and " not " not in f" {answer} " else None


def differs(answer, other, kind):
    """Whether an answer to another question is another answer."""
    if kind == "feeling":
        return {feeling(answer), feeling(other)} == {True, False}
    mine, its = stems(answer), stems(other)
    return bool(its) and len(mine & its) <= 0.3 * min(len(mine), len(its))


def felt(ask, said):
    """ "How did Ann feel when it rained?", "Sad" make "Ann felt sad when it rained."."""
    found = FELT.fullmatch(ask)
    if found is None:
        return stated(ask, said)
    return (
        f"{answers.begun(found['who'])} felt {said[0].lower()}{said[1:]}{found['rest']}."
        if len(said.split()) < 5
        else None
    )


def around(text, ask, answer, rnd):
    """The sentences of a section around the one that answers; None where none does."""
    spans = sentences(text)
    sought, words = stems(answer), stems(ask)

    def fits(span):
        here = stems(text[span[0] : span[1]])
        return 2 * len(sought & here) / len(sought) + len(words & here) / (len(words) or 1)

    best = max(range(len(spans)), key=lambda n: fits(spans[n]))
    shown = text[
        spans[max(0, best - rnd.randint(1, 3))][0] : spans[min(len(spans) - 1, best + rnd.randint(0, 2))][1]
    ].strip()
    here = stems(shown)
    return shown if len(sought & here) >= 0.6 * len(sought) and len(words & here) >= 0.6 * len(words) else None


def usable(one):
    """Whether there is an answer, and it is short and no speech."""
    return 0 < len(one["answer1"].split()) <= 2 * LONGEST_ANSWER and '"' not in one["answer1"]


def told(show):
    """[{section: text}, questions of it] of each tale."""
    for split in ("train", "val", "test"):
        for file in show(f"{FOLDER}/questions/{split}").split()[2:]:
            tale = csv.DictReader(io.StringIO(show(f"{FOLDER}/section-stories/all/{file.replace(ENDS, '-story.csv')}")))
            asked = csv.DictReader(io.StringIO(show(f"{FOLDER}/questions/{split}/{file}")))
            yield {one["section"]: plain(one["text"]) for one in tale}, [one for one in asked if usable(one)]


def wrong_ones(one, asked, rnd):
    """The answers to other questions of a tale that look most like the one to this."""
    right, kind, word = plain(one["answer1"]), one["attribute1"], one["question"].split()[0].lower()
    others = collections.Counter()
    for other in asked:
        said, same_section = plain(other["answer1"]), other["cor_section"] == one["cor_section"]
        near = other["question"].split()[0].lower() == word and other["attribute1"] == kind
        if near and differs(right, said, kind):
            shared = len(stems(other["question"]) & stems(one["question"]))
            others[answers.begun(said)] = alike(right, said) + shared + same_section + rnd.random()
    return [said for said, _ in others.most_common(NEAREST)]


def quote(text, answer):
    at = text.lower().find(answer.lower().strip(" ."))
    return text[at : at + len(answer.strip(" ."))] if at >= 0 and len(answer.split()) <= LONGEST_ANSWER else None


def asks(text, one, wrong, rnd):
    ask, right = plain(one["question"]), plain(one["answer1"])
    said = quote(text, right)
    if said and rnd.random() < AS_QUOTE:
        return {"type": "extract", "instructions": rnd.choice(ASKS).format(ask)}, said
    return answers.question(ask, answers.begun(right), wrong, rnd, felt)


def read(show, rnd):
    count = 0
    for sections, asked in told(show):
        shown = collections.defaultdict(list)
        for one in asked:
            text, wrong = sections.get(one["cor_section"]), wrong_ones(one, asked, rnd)
            if text is None or not wrong or not stems(one["answer1"]):
                continue
            length = len(text.split())
            if length > WHOLE and one["ex-or-im1"] == "explicit":
                text = around(text, one["question"], one["answer1"], rnd) or (text if length <= LONGEST else None)
            if text and len(text.split()) <= LONGEST:
                shown[text].append((one, wrong))
        for text, found in shown.items():
            rnd.shuffle(found)
            if rnd.random() < AS_GRADED:
                one, wrong = found.pop()
                state, made = answers.graded(text, plain(one["question"]), plain(one["answer1"]), wrong, rnd)
                yield rows.row(f"tales-{count:05d}", "questions about tales", LICENCE, state, made)
                count += 1
            for at in range(0, len(found), 4):
                made = [asks(text, one, wrong, rnd) for one, wrong in found[at : at + 4]]
                yield rows.row(f"tales-{count:05d}", "questions about tales", LICENCE, text, made)
                count += 1
