"""From rows (request and truth) to items: the pieces of a state's passages and of its questions, as the engine reads
them (README.md), and what is wanted of each. For training, some questions become others (variants.py).
"""

import dataclasses
import re

import checks
import lists
import narrowing
import removed
import states
import sums
import values
import variants
from options import options_of

POINTED = ("extract", "fill")
MOST_QUESTION, MOST_OPTION, MOST_OPTIONS = 70, 40, 12
MOST_PLACES = 8  # of a quote
JOINED, NUMBER = re.compile(r"[^\W_]{2}"), re.compile(r"\d[.,]\d")
UNNAMED = 0.9  # of options that are described: read without their names, as the engine reads them


@dataclasses.dataclass
class Question:
    kind: str
    pieces: list
    options: list  # of pieces; none for claims and quotes
    # noul: a number; choice: an index; score: shares of the levels; select: a list of 0 and 1; extract: a list of
    # (first, last) pieces, empty where nothing is there
    target: object
    # a list of (first, last) pieces; empty where the state says nothing of it; None where that is not known
    evidence: object
    name: str
    # for written values: [(first, last), value] of all that the text holds of the kind; None where any quote will do
    choices: object = None
    # for quotes: the places of each answer; where every one is asked for there are several
    answers: object = None
    # for training: the claim that this one denies, asked beside it; their shares should add up to one
    denies: object = None
    # for training: the choice or scale that this claim was made of, asked beside it, and the options whose shares
    # should add up to this one's
    made_of: object = None
    of: object = None


@dataclasses.dataclass
class Item:
    """A state's passages, and questions about it."""

    passages: list  # lists of pieces
    questions: list
    source: str

    def state_tokens(self):
        return sum(map(len, self.passages)) + 2 * len(self.passages)


def spread(question):
    """Tokens of a question and its options."""
    return len(question.pieces) + 2 + sum(len(option) + 1 for option in question.options)


def words_of(option, rnd=None):
    """A described option by what describes it, whatever it is called; for training now and then with its name."""
    name, about = option
    if not (isinstance(about, str) and about):
        return str(name)
    drawn = 0.0 if rnd is None else rnd.random()
    return about if drawn < UNNAMED else f"{name}: {about}"


def levels(truth, count):
    """A level between two is shared by both."""
    truth = min(max(float(truth), 0.0), count - 1.0)
    out = [0.0] * count
    low = int(truth)
    out[low] += 1 - (truth - low)
    if truth > low:
        out[low + 1] += truth - low
    return out


def is_within(text, at):
    """Whether a place of a text lies within a word or a number."""
    around = text[max(0, at - 2) : at + 1], text[at - 1 : at + 2]
    return bool(JOINED.fullmatch(text[max(0, at - 1) : at + 1]) or any(map(NUMBER.fullmatch, around)))


def places_of(said, text, spans_by_passage):
    """(first, last) pieces, counted over all passages, of the first places where the text says it; a list says it in
    several places. "3" is not said by "36" where it is said by itself as well.
    """
    if isinstance(said, list):
        return [place for one in said for place in places_of(one, text, spans_by_passage)]
    found, at = [], text.find(said)
    if at < 0:
        text, said = text.lower(), said.lower()
        at = text.find(said)
    while at >= 0:
        found.append((at, at + len(said)))
        at = text.find(said, at + len(said))
    whole = [place for place in found if not any(is_within(text, at) for at in place)]
    out = []
    for begin, end in (whole or found)[:MOST_PLACES]:
        covered = [n for n, (a, b) in enumerate(spans_by_passage) if a < end and b > begin]
        if covered:
            out.append((covered[0], covered[-1]))
    return out


def decided_by(row, name, text, spans):
    """Places of the sentence that decides a question; None where none is known, or it does not stand there."""
    sentence = row.get("evidence", {}).get(name)
    return (places_of(sentence, text, spans) or None) if sentence else None


class Reader:
    """Rows (requests and truth) to items."""

    def __init__(self, tokenizer, passage):
        self.tokenizer, self.passage = tokenizer, passage
        self.kept = {}

    def pieces(self, text, most):
        key = (text, most)
        if key not in self.kept:
            if len(self.kept) > 200_000:
                self.kept.clear()
            self.kept[key] = self.tokenizer.encode(text, add_special_tokens=False).ids[:most]
        return self.kept[key]

    def item(self, row, longest=None, rnd=None):
        """None where there is nothing to train on: a picture, a state that is too long, questions of other kinds.
        With `rnd` for training: many options become fewer, and questions that name rows of a table or list are about
        these rows alone, or the others are left out (narrowing.py); what answers one may be taken out (removed.py).
        """
        row = row if rnd is None else narrowing.drawn(removed.drawn(sums.told(row, rnd), rnd), rnd)
        text = states.text_of(row["state"])
        if text is None or (longest is not None and len(text) > 9 * longest):
            return None
        cut = states.passages(text, self.tokenizer, self.passage)
        if longest is not None and sum(len(one.pieces) for one in cut) > longest:
            return None
        spans = [span for one in cut for span in one.spans]
        questions = []
        for name, asked in row["questions"].items():
            made = self.question(name, asked, row, text, spans, rnd)
            if made is not None:
                questions += [one for one in (made.denies, made.made_of, made) if one is not None]
        if rnd is not None:
            questions += self.statements(row, text, spans, rnd)
            questions += [*self.checks(row, text, spans, rnd), *self.lists(row, text, spans, rnd)]
        return (
            Item([one.pieces for one in cut], questions, row["source"] if row["source"] != "written" else row["task"])
            if questions
            else None
        )

    def statements(self, row, text, spans, rnd):
        """For training: claims of the row as the options of a choice (variants.py)."""
        drawn = variants.which_statement(row, rnd)
        if drawn is None:
            return []
        asked, options, right, name = drawn
        asked = self.pieces(asked, MOST_QUESTION)
        options = [self.pieces(one, MOST_OPTION) for one in options]
        return [Question("choice", asked, options, right, decided_by(row, name, text, spans), "which statement")]

    def checks(self, row, text, spans, rnd):
        """For training: whether a value of the row is right (checks.py). What decides is where the right one stands."""
        drawn = checks.check(row, text, rnd)
        if drawn is None:
            return []
        claim, is_right, name = drawn
        right = row["truth"][name]
        stands = [] if right is None else places_of(right if isinstance(right, list) else str(right), text, spans)
        evidence = stands or (None if right else [])
        return [Question("noul", self.pieces(claim, MOST_QUESTION), [], float(is_right), evidence, "check")]

    def lists(self, row, text, spans, rnd):
        """For training: every one of some values of the state (lists.py)."""
        drawn = lists.every(row, text, rnd)
        if drawn is None:
            return []
        asked, found = drawn
        made = self.quotes(self.pieces(asked, MOST_QUESTION), found, text, spans, "every")
        return [] if made is None else [made]

    def quotes(self, pieces, said, text, spans, name):
        """A question for one quote or for every one; None where one of them does not stand in the text."""
        said = [] if said is None else said if isinstance(said, list) else [said]
        answers = [places_of(str(one), text, spans) for one in dict.fromkeys(said)]
        if not all(answers):
            return None
        target = [place for places in answers for place in places]
        return Question("extract", pieces, [], target, None, name, answers=answers)

    def question(self, name, asked, row, text, spans, rnd):
        kind, truth = asked["type"], row["truth"].get(name)
        said = asked.get("instructions") or name
        pieces = self.pieces(said if isinstance(said, str) else states.flat(said), MOST_QUESTION)
        evidence = None
        if "evidence" in row and kind in ("noul", "choice", "score"):
            # A letter that says nothing of a fact has no sentence for it; of other kinds, that may have other
            # reasons.
            is_unsaid = kind == "noul" and not truth and row["task"].startswith("letter-")
            evidence = [] if is_unsaid and not row["evidence"].get(name) else decided_by(row, name, text, spans)
        if kind == "noul" and truth is not None:
            return self.claim(name, said, pieces, float(truth), evidence, rnd, row["task"])
        if kind == "extract":
            if asked.get("kind") == "coordinates":
                return None
            return self.quotes(pieces, truth, text, spans, name)
        if kind == "fill" and name in row["truth"]:
            return self.written(name, asked.get("kind"), truth, pieces, text, spans, rnd)
        if kind not in ("choice", "score", "select") or truth is None:
            return None
        options = options_of(asked)
        if not options:
            return None
        names = [option[0] for option in options]
        if kind == "choice":
            if str(truth) not in names:
                return None
            if rnd is not None and len(options) > MOST_OPTIONS:
                options = rnd.sample([option for option in options if option[0] != str(truth)], MOST_OPTIONS - 1) + [
                    option for option in options if option[0] == str(truth)
                ]
                rnd.shuffle(options)
            truth = str(truth)
            if rnd is not None:
                options, truth, evidence = variants.nothing_fits(options, truth, evidence, rnd)
            target = [option[0] for option in options].index(truth)
            if rnd is not None:
                options, places = variants.merged(options, False, words_of, rnd)
                target = places[target]
        elif kind == "score":
            target = levels(truth, len(options))
            if rnd is not None:
                shares = target
                options, places = variants.merged(options, True, words_of, rnd)
                target = [
                    sum(share for at, share in zip(places, shares, strict=True) if at == n) for n in range(len(options))
                ]
        else:
            if rnd is not None and len(options) > MOST_OPTIONS:
                options = rnd.sample(options, MOST_OPTIONS)
            target = [float(option[0] in truth) for option in options]
        shown = [words_of(option, rnd) for option in options]
        made = Question(kind, pieces, [self.pieces(one, MOST_OPTION) for one in shown], target, evidence, name)
        if rnd is not None and kind != "select" and isinstance(said, str) and rnd.random() < variants.AS_CLAIM:
            return self.answered(made, said, shown, rnd)
        return made

    def claim(self, name, said, pieces, truth, evidence, rnd, task):
        """A claim; for training now and then the same as a choice of two, or its denial, with the claim beside it
        or alone.
        """
        drawn = 1.0 if rnd is None or not isinstance(said, str) else rnd.random()
        if drawn < variants.AS_CHOICE:
            names, right = variants.as_choice(truth, rnd)
            return Question(
                "choice", pieces, [self.pieces(one, MOST_OPTION) for one in names], right, evidence or None, name
            )
        plain = Question("noul", pieces, [], truth, evidence, name)
        if drawn >= variants.AS_CHOICE + variants.DENIED + variants.TWINS:
            return plain
        denied = variants.denial(said, task)
        if denied is None:
            return plain
        denied = self.pieces(denied, MOST_QUESTION)
        beside = plain if drawn >= variants.AS_CHOICE + variants.DENIED else None
        return Question("noul", denied, [], 1.0 - truth, evidence, name, denies=beside)

    def answered(self, made, said, shown, rnd):
        """For training: a choice or scale as a claim about its options, beside what it was made of, or alone."""
        claim, truth, of = variants.as_claim(said, shown, made.target, rnd)
        beside = made if rnd.random() < variants.BESIDE else None
        pieces = self.pieces(claim, MOST_QUESTION)
        return Question("noul", pieces, [], truth, made.evidence, made.name, made_of=beside, of=of)

    def written(self, name, kind, truth, pieces, text, spans, rnd):
        """A question for a value; for training, None where the text holds none. Where the right one has to be worked
        out of others, nothing that stands there is right, as where the text does not say it.
        """
        if kind in values.KINDS:
            choices = []
            for begin, end, value in values.candidates(text, kind):
                covered = [n for n, (a, b) in enumerate(spans) if a < end and b > begin]
                if covered:
                    choices.append(((covered[0], covered[-1]), value))
            target = [] if truth is None else [place for place, value in choices if values.same(value, truth)]
        else:
            choices, target = None, [] if truth is None else places_of(str(truth), text, spans)
        if rnd is not None and kind in ("int", "number") and truth is not None:
            found = sums.how_found([value for _, value in sorted(choices)], truth, rnd)
            if found is not None:
                options, right = found
                return Question("choice", pieces, [self.pieces(one, MOST_OPTION) for one in options], right, None, name)
        is_told = bool(target) if choices is None and truth is not None else choices != []
        return Question("fill", pieces, [], target, None, name, choices) if rnd is None or is_told else None
