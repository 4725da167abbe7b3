"""From items (reader.py) to batches: pieces, blocks, and which block sees which.

First look: passages see themselves; the question sees passages and itself; an option sees passages, question and
itself; each option stands once more alone, for its sentence vector. Passages have places
from 0 and type 0, question and options type 1, the question's places from 0, the options' after it.
Second look: `[CLS] question [SEP] state [SEP]`, places running on, the question of type 0 and the state of type 1, as
BERT reads pairs; both see each other. Options, of type 0, stand behind the question at the places where the state
begins; they see question and state and are seen by neither, so how one fits does not depend on what else there is
to choose from.
"""

import dataclasses

import numpy as np
import torch

from config import KINDS
from start import CLS, PAD, SEP

KIND = {name: n for n, name in enumerate(KINDS)}
KIND["fill"] = KIND["extract"]  # a written value is a quote that has to be one of what the text holds of its kind
LOOK = {"first": 0, "second": 1}


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
