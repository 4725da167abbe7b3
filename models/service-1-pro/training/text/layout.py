"""From rows to batches: pieces, blocks, and which block sees which.

First look: passages see themselves; the question sees passages and itself; an option sees passages, question and
itself; each option stands once more alone, for its sentence vector. Passages have places
from 0 and type 0, question and options type 1, the question's places from 0, the options' after it.
Second look: `[CLS] question [SEP] state [SEP]`, places running on, the question of type 0 and the state of type 1, as
BERT reads pairs; both see each other. Options, of type 0, stand behind the question at the places where the state
begins; they see question and state and are seen by neither, so how one fits does not depend on what else there is
to choose from.
"""

import dataclasses
import re

import numpy as np
import torch

import denials
import states
import values
from config import KINDS
from start import CLS, PAD, SEP

KIND = {name: n for n, name in enumerate(KINDS)}
KIND["fill"] = KIND["extract"]  # a written value is a quote that has to be one of what the text holds of its kind
POINTED = ("extract", "fill")
MOST_QUESTION, MOST_OPTION, MOST_OPTIONS = 70, 40, 12
LOOK = {"first": 0, "second": 1}
UNNAMED = 0.9  # of options that are described: read without their names, as the engine reads them
# Of claims: a choice of two, a denial in natural words (where there is one) alone, and beside the claim. Sentences
# before a claim ("It is not true that …") and claims put together are read by the engine as what they are made of.
AS_CHOICE, DENIED, TWINS = 0.03, 0.06, 0.15
# Tasks whose false claims are false, and not only left open by the text.
CLOSED = ("case-", "letter-", "record-", "dialogue-", "document-", "policy-", "table-")
AS_CLAIM = 0.12  # of choices: one option, right or wrong, becomes a claim; of scales: a level or what is above it
BESIDE = 0.6  # of those claims: asked beside the question they are made of
MERGED = 0.06  # of choices and scales: two options become one
NONE_SHOWN, NONE_RIGHT, FEWEST_LEFT = 0.25, 0.5, 2  # of choices; of those; other options at least
NONE_NAMED = re.compile(r"\b(none|no|not|other|out of scope|unknown|neither|nothing|undetermined|cannot|can't)\b", re.I)
NONES = [
    "none of these",
    "none of the above",
    "none",
    "no option fits",
    "none of them",
    "something else",
    "nothing fits",
    "other",
    "neither",
    "no match",
]
TWO = [("yes", "no"), ("true", "false"), ("it holds", "it does not hold"), ("agree", "disagree"), ("correct", "wrong")]
ANSWERED = ["{asked} {option}", "{asked} - {option}", "{asked} Answer: {option}", "{option} ({asked})"]
REACHED = [
    '{asked} "{option}" or more, of: {scale}',
    "{asked} At least: {option}. (Levels: {scale})",
    "{asked} {option}, or above it. Of {scale}",
]
EITHER = ["{} or {}", "either {} or {}", "one of the two: {}, {}", "{} / {}"]


@dataclasses.dataclass
class Question:
    kind: str
    pieces: list
    options: list  # of pieces; none for claims and quotes
    # noul: a number; choice: an index; score: shares of the levels; select: a list of 0 and 1; extract: a list of
    # (first,
    # last) pieces, empty where nothing is there
    target: object
    # a list of (first, last) pieces; empty where the state says nothing of it; None where that is not known
    evidence: object
    name: str
    # for written values: [(first, last), value] of all that the text holds of the kind; None where any quote will do
    choices: object = None
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


def options_of(question):
    given = question.get("criteria") or question.get("options")
    if given is None:
        return None
    if isinstance(given, dict):
        return list(given.items())
    named = [one if isinstance(one, dict) else {"label": one} for one in given]
    return [(str(one.get("label", one.get("value", one.get("name")))), one.get("description")) for one in named]


def levels(truth, count):
    """A level between two is shared by both."""
    truth = min(max(float(truth), 0.0), count - 1.0)
    out = [0.0] * count
    low = int(truth)
    out[low] += 1 - (truth - low)
    if truth > low:
        out[low + 1] += truth - low
    return out


def places_of(said, text, spans_by_passage):
    """(first, last) pieces, counted over all passages, of every place where the text says it; a list says it in
    several places.
    """
    if isinstance(said, list):
        return [place for one in said for place in places_of(one, text, spans_by_passage)]
    found, at = [], text.find(said)
    if at < 0:
        text, said = text.lower(), said.lower()
        at = text.find(said)
    while at >= 0 and len(found) < 8:
        found.append((at, at + len(said)))
        at = text.find(said, at + len(said))
    out = []
    for begin, end in found:
        covered = [n for n, (a, b) in enumerate(spans_by_passage) if a < end and b > begin]
        if covered:
            out.append((covered[0], covered[-1]))
    return out


def nothing_fits(options, truth, evidence, rnd):
    """For training: now and then an option that says that none of the others fits, which half of the time is so,
    because the right one was left out.
    """
    if rnd is None or len(options) <= FEWEST_LEFT or rnd.random() >= NONE_SHOWN:
        return options, truth, evidence
    if any(NONE_NAMED.search(name) for name, _ in options):
        return options, truth, evidence
    none = (rnd.choice(NONES), None)
    left_out = rnd.random() < NONE_RIGHT
    options = [option for option in options if not (left_out and option[0] == truth)] + [none]
    rnd.shuffle(options)
    # What decided for the option that was left out decides for nothing that is shown.
    return options, none[0] if left_out else truth, None if left_out else evidence


def merged(options, pair, rnd):
    """For training: now and then two options, which `pair` draws, are one. Gives what is shown, and where each went."""
    same = list(range(len(options)))
    if rnd is None or len(options) <= FEWEST_LEFT or rnd.random() >= MERGED:
        return options, same
    a, b = pair(options, rnd)
    if any(NONE_NAMED.search(options[n][0]) for n in (a, b)):
        return options, same
    both = (rnd.choice(EITHER).format(words_of(options[a]), words_of(options[b])), None)
    places = [a if n == b else n - (n > b) for n in same]
    return [both if n == a else option for n, option in enumerate(options) if n != b], places


def any_two(options, rnd):
    return sorted(rnd.sample(range(len(options)), 2))


def neighbours(options, rnd):
    low = rnd.randrange(len(options) - 1)
    return low, low + 1


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
        With `rnd` for training: many options become fewer.
        """
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
        return (
            Item([one.pieces for one in cut], questions, row["source"] if row["source"] != "written" else row["task"])
            if questions
            else None
        )

    def question(self, name, asked, row, text, spans, rnd):
        kind, truth = asked["type"], row["truth"].get(name)
        said = asked.get("instructions") or name
        pieces = self.pieces(said if isinstance(said, str) else states.flat(said), MOST_QUESTION)
        evidence = None
        if "evidence" in row and kind in ("noul", "choice", "score"):
            sentence = row["evidence"].get(name)
            # A letter that says nothing of a fact has no sentence for it; of other kinds, that may have other
            # reasons.
            unsaid = kind == "noul" and not truth and row["task"].startswith("letter-")
            evidence = places_of(sentence, text, spans) if sentence else [] if unsaid else None
            if sentence and not evidence:
                evidence = None
        if kind == "noul" and truth is not None:
            return self.claim(name, said, pieces, float(truth), evidence, rnd, row["task"])
        if kind == "extract":
            if asked.get("kind") == "coordinates":
                return None
            quotes = [] if truth is None else truth if isinstance(truth, list) else [truth]
            target = [place for quote in quotes for place in places_of(str(quote), text, spans)]
            return None if quotes and not target else Question(kind, pieces, [], target, None, name)
        if kind == "fill" and truth is not None:
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
            options, truth, evidence = nothing_fits(options, str(truth), evidence, rnd)
            right = [option[0] for option in options].index(truth)
            options, places = merged(options, any_two, rnd)
            target = places[right]
        elif kind == "score":
            shares = levels(truth, len(options))
            options, places = merged(options, neighbours, rnd)
            target = [
                sum(share for at, share in zip(places, shares, strict=True) if at == n) for n in range(len(options))
            ]
        else:
            if rnd is not None and len(options) > MOST_OPTIONS:
                options = rnd.sample(options, MOST_OPTIONS)
            target = [float(option[0] in truth) for option in options]
        shown = [words_of(option, rnd) for option in options]
        made = Question(kind, pieces, [self.pieces(one, MOST_OPTION) for one in shown], target, evidence, name)
        if rnd is not None and kind != "select" and isinstance(said, str) and rnd.random() < AS_CLAIM:
            return self.answered(made, said, shown, rnd)
        return made

    def claim(self, name, said, pieces, truth, evidence, rnd, task):
        """A claim; for training now and then the same as a choice of two, or its denial, with the claim beside it
        or alone.
        """
        drawn = 1.0 if rnd is None or not isinstance(said, str) else rnd.random()
        if drawn < AS_CHOICE:
            names = list(rnd.choice(TWO))
            right = names[0] if truth > 0.5 else names[1]
            rnd.shuffle(names)
            options = [self.pieces(one, MOST_OPTION) for one in names]
            return Question("choice", pieces, options, names.index(right), evidence or None, name)
        plain = Question("noul", pieces, [], truth, evidence, name)
        if drawn >= AS_CHOICE + DENIED + TWINS:
            return plain
        denied = denials.denied(said) if task.startswith(CLOSED) else None
        if denied is None:
            return plain
        denied = self.pieces(denied, MOST_QUESTION)
        beside = plain if drawn >= AS_CHOICE + DENIED else None
        return Question("noul", denied, [], 1.0 - truth, evidence, name, denies=beside)

    def answered(self, made, said, shown, rnd):
        """For training: a choice as the claim that one of its options is the answer, true half of the time; a scale
        as the claim that a level is reached. Beside what it was made of, or alone.
        """
        if made.kind == "score":
            at = rnd.randrange(1, len(shown))
            of, right = list(range(at, len(shown))), sum(made.target[at:])
            claim = rnd.choice(REACHED).format(asked=said, option=shown[at], scale=", ".join(shown))
        else:
            named = [n for n, one in enumerate(shown) if not NONE_NAMED.search(one)] or list(range(len(shown)))
            holds = rnd.random() < 0.5
            at = rnd.choice([n for n in named if (n == made.target) == holds] or named)
            of, right = [at], float(at == made.target)
            claim = rnd.choice(ANSWERED).format(asked=said, option=shown[at])
        beside = made if rnd.random() < BESIDE else None
        pieces = self.pieces(claim, MOST_QUESTION)
        return Question("noul", pieces, [], right, made.evidence, made.name, made_of=beside, of=of)

    def written(self, name, kind, truth, pieces, text, spans, rnd):
        """A question for a value; for training, None where the text does not hold it."""
        if kind in values.KINDS:
            choices = []
            for begin, end, value in values.candidates(text, kind):
                covered = [n for n, (a, b) in enumerate(spans) if a < end and b > begin]
                if covered:
                    choices.append(((covered[0], covered[-1]), value))
            target = [place for place, value in choices if values.same(value, truth)]
        else:
            choices, target = None, places_of(str(truth), text, spans)
        return None if rnd is not None and not target else Question("fill", pieces, [], target, None, name, choices)


@dataclasses.dataclass
class Batch:
    tokens: torch.Tensor  # [sequence][place]
    places: torch.Tensor
    types: torch.Tensor
    mask: torch.Tensor  # [sequence][1][place][place] bool: sees
    state: torch.Tensor  # [sequence][place] bool: a token of the state
    block: torch.Tensor  # [sequence][place]
    real: torch.Tensor  # [sequence][place] bool: no padding
    passages: torch.Tensor  # [sequence][block] bool
    blocks: int
    row: torch.Tensor  # [question] its sequence
    slots: torch.Tensor  # [question][slot] place
    present: torch.Tensor  # [question][slot] bool
    alone: object  # [question][slot] block of the option alone, or None in the second look
    compared: torch.Tensor  # [question] 1 where options have vectors of their own
    kind: torch.Tensor
    look: int
    rank: torch.Tensor  # [question][slot][2]
    apart: torch.Tensor  # [question][slot][slot]
    at: list  # [question] places of the state's pieces, in their order
    asked: list  # the questions

    def to(self, device):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, torch.Tensor):
                setattr(self, field.name, value.to(device))
        return self


class Sequence:
    def __init__(self):
        self.tokens, self.places, self.types, self.block, self.state, self.sees, self.at, self.is_passage = (
            [],
            [],
            [],
            [],
            [],
            [],
            [],
            [],
        )

    def add(self, tokens, place, kind, sees, passage=None):
        """A block; `sees` are blocks beside itself; `passage` is the part of it (from, to) that is of the state.
        Gives its number and its first place.
        """
        number, begin = len(self.sees), len(self.tokens)
        self.tokens += tokens
        self.places += range(place, place + len(tokens))
        self.types += [kind] * len(tokens)
        self.block += [number] * len(tokens)
        self.sees.append([*sees, number])
        self.is_passage.append(passage is not None)
        self.state += [passage is not None and passage[0] <= n < passage[1] for n in range(len(tokens))]
        if passage is not None:
            self.at += range(begin + passage[0], begin + passage[1])
        return number, begin


def first(item):
    """One sequence: the state and all its questions. Gives it and, for each question, slots and blocks alone."""
    s, made = Sequence(), []
    seen = [s.add([CLS, *pieces, SEP], 0, 0, [], (1, 1 + len(pieces)))[0] for pieces in item.passages]
    for question in item.questions:
        own, begin = s.add([CLS, *question.pieces, SEP], 0, 1, seen)
        slots, alone = [], []
        if not question.options:
            slots.append(begin)
            alone.append(s.add([CLS, *question.pieces, SEP], 0, 0, [])[0])
        for option in question.options:
            _, at = s.add([*option, SEP], len(question.pieces) + 2, 1, [*seen, own])
            slots.append(at + len(option))
            alone.append(s.add([CLS, *option, SEP], 0, 0, [])[0])
        made.append((question, slots, alone))
    return s, made


def second(item, question):
    """One sequence of one question."""
    s = Sequence()
    state = 1 + len(question.options)
    _, begin = s.add([CLS, *question.pieces, SEP], 0, 0, [state])
    place, slots = len(question.pieces) + 2, []
    for option in question.options:
        _, at = s.add([*option, SEP], place, 0, [0, state])
        slots.append(at + len(option))
    pieces = [piece for passage in item.passages for piece in passage]
    s.add([*pieces, SEP], place, 1, [0], (0, len(pieces)))
    return s, [(question, slots or [begin], [])]


def cut(made, most, sequence=lambda one: one[0]):
    """What was made, shortest first, in lists whose sequences padded to the longest are `most` pieces at most."""
    now = []
    for one in sorted(made, key=lambda one: len(sequence(one).tokens)):
        if now and (len(now) + 1) * len(sequence(one).tokens) > most:
            yield now
            now = []
        now.append(one)
    if now:
        yield now


def batch(sequences, look):
    """Sequences with their questions, padded to the longest."""
    rows, length = len(sequences), max(len(s.tokens) for s, _ in sequences)
    blocks = 1 + max(len(s.sees) for s, _ in sequences)
    tokens, places, types, block = (np.full((rows, length), fill, np.int64) for fill in (PAD, 0, 0, blocks - 1))
    state, real = np.zeros((rows, length), bool), np.zeros((rows, length), bool)
    sees, passages = np.zeros((rows, blocks, blocks), bool), np.zeros((rows, blocks), bool)
    questions = [(r, *one) for r, (_, made) in enumerate(sequences) for one in made]
    most = max(len(slots) for _, _, slots, _ in questions)
    slots, alone = np.zeros((len(questions), most), np.int64), np.zeros((len(questions), most), np.int64)
    present, rank, apart = (
        np.zeros((len(questions), most), bool),
        np.zeros((len(questions), most, 2), np.float32),
        np.zeros((len(questions), most, most), np.float32),
    )
    for r, (s, _) in enumerate(sequences):
        n = len(s.tokens)
        tokens[r, :n], places[r, :n], types[r, :n], block[r, :n], state[r, :n], real[r, :n] = (
            s.tokens,
            s.places,
            s.types,
            s.block,
            s.state,
            True,
        )
        for number, seen in enumerate(s.sees):
            sees[r, number, seen] = True
        sees[r, blocks - 1, blocks - 1] = True
        passages[r, : len(s.sees)] = s.is_passage
    for q, (_, question, at, own) in enumerate(questions):
        n = len(at)
        slots[q, :n], present[q, :n] = at, True
        if own:
            alone[q, :n] = own
        if question.kind == "score" and n > 1:
            levels_at = np.arange(n) / (n - 1)
            rank[q, :n, 0], rank[q, :n, 1] = np.abs(2 * levels_at - 1), 1 / n
            apart[q, :n, :n] = np.abs(levels_at[:, None] - levels_at[None])
    mask = sees[np.arange(rows)[:, None, None], block[:, :, None], block[:, None, :]]
    return Batch(
        *map(torch.from_numpy, (tokens, places, types)),
        torch.from_numpy(mask)[:, None],
        *map(torch.from_numpy, (state, block, real, passages)),
        blocks,
        torch.tensor([r for r, *_ in questions]),
        torch.from_numpy(slots),
        torch.from_numpy(present),
        torch.from_numpy(alone) if look == "first" else None,
        torch.tensor([float(bool(own)) for *_, own in questions]),
        torch.tensor([KIND[question.kind] for _, question, _, _ in questions]),
        LOOK[look],
        torch.from_numpy(rank),
        torch.from_numpy(apart),
        [sequences[r][0].at for r, *_ in questions],
        [question for _, question, _, _ in questions],
    )
