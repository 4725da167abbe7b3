"""Rendered rows (data/render.ts) to batches of tensors.

Questions and options are drawn, packed behind the state, padded and masked.
"""

import gzip
import json
import math
import random
from typing import NamedTuple

import numpy as np
import torch

from decision.constants import FIRST_KIND, IMAGE, IMAGE_START, KINDS, LAYOUT, READOUT, SCORED, VOCABULARY

KIND = {name: index for index, name in enumerate(KINDS)}
MOST_TOKENS, MOST_QUESTIONS, MOST_OPTIONS, MOST_LABELS = 420, 6, 12, 10
# A page is long and has many questions; asking several at once encodes it only once.
PAGE_TOKENS, PAGE_QUESTIONS = 240, 12
# How often a choice is asked as a select, one yes or no for each option: the engine may ask so (choice_readouts in
# config.json).
ONE_BY_ONE = 0.3
# Augmentation: in this share of the draws of a text, this share of its pieces is replaced, alike everywhere in the row.
# Pieces below FIRST_RENAMED (digits, signs, parts of words, the most frequent words) stay. There are only a few hundred
# functions, so most of their pieces are replaced: a name that changes cannot be learned by heart.
RENAME, RENAMED, FIRST_RENAMED = 0.5, 0.08, 512
MORE_RENAMED = {"functions": 0.4}
# What a token has to do with a picture.
NO_PICTURE, CELL, WORD = -1, 0, 1


class Row(NamedTuple):
    """A state and its questions, as data/render.ts writes them.

    Lists have one entry for each token of the state; questions are (kind, ids, cases, options, truth)."""

    source: str
    ids: list
    cases: list
    segments: list
    groups: list
    questions: list
    pictures: list


def load(path):
    """Rendered rows of a .jsonl or .jsonl.gz file."""
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as file:
        return [Row(*values[:6], values[6:]) for values in map(json.loads, file)]


def subsample(question, rng):
    """Keeps at most MOST_OPTIONS options of a choice, the true one among them, and at most MOST_LABELS of a select."""
    kind, ids, cases, options, truth = question
    if kind == "exclusive" and len(options) > MOST_OPTIONS:
        keep = [*rng.sample([i for i in range(len(options)) if i != truth], MOST_OPTIONS - 1), truth]
        return kind, ids, cases, [options[i] for i in keep], keep.index(truth)
    if kind == "independent" and len(options) > MOST_LABELS:
        keep = rng.sample(range(len(options)), MOST_LABELS)
        return kind, ids, cases, [options[i] for i in keep], [truth[i] for i in keep]
    return question


def one_by_one(question):
    """A choice as a select with one true option."""
    _, ids, cases, options, truth = question
    swapped = {FIRST_KIND + KIND["exclusive"]: FIRST_KIND + KIND["independent"]}
    return (
        "independent",
        [swapped.get(token, token) for token in ids],
        cases,
        options,
        [int(i == truth) for i in range(len(options))],
    )


def renamed(row, rng):
    """The row with some pieces replaced, alike in state, questions and written answers.

    What is matched or quoted stays so; what was learned by heart does not."""
    names, stated, more = {}, set(row.ids), MORE_RENAMED.get(row.source, RENAMED)

    def name(token):
        if token not in names:
            moves = FIRST_RENAMED <= token < VOCABULARY and rng.random() < (more if token in stated else RENAMED)
            names[token] = rng.randrange(FIRST_RENAMED, VOCABULARY) if moves else token
        return names[token]

    def asked(kind, ids, cases, options, truth):
        written = KIND[kind] >= KIND["text"]
        return (
            kind,
            [name(i) for i in ids],
            cases,
            [([name(i) for i in tokens], own) for tokens, own in options],
            [name(i) for i in truth] if written else truth,
        )

    return row._replace(ids=[name(i) for i in row.ids], questions=[asked(*question) for question in row.questions])


def size(question):
    kind, ids, _, options, truth = question
    return (
        len(ids)
        + sum(len(o[0]) for o in options)
        + (len(truth) if kind in ("text", "int", "number", "date", "list") else 0)
    )


def draw(row, rng, budget=MOST_TOKENS):
    """Some of a row's questions, as many as fit."""
    questions = list(row.questions)
    rng.shuffle(questions)
    most, room = (PAGE_QUESTIONS, PAGE_TOKENS) if row.pictures else (MOST_QUESTIONS, 120)
    used, chosen = len(row.ids), []
    for question in questions:
        if len(chosen) == most:
            break
        question = subsample(question, rng)
        if question[0] == "exclusive" and rng.random() < ONE_BY_ONE:
            question = one_by_one(question)
        if chosen and used + size(question) > max(budget, len(row.ids) + room):
            continue
        used += size(question)
        chosen.append(question)
    return row._replace(questions=chosen), used


class Packed:
    """One row as parallel lists of tokens, and its read-outs."""

    def __init__(self, row):
        self.ids, self.cases, self.segments, self.groups = (
            list(row.ids),
            list(row.cases),
            list(row.segments),
            list(row.groups),
        )
        self.cells = [NO_PICTURE] * len(row.ids)
        self.positions = list(range(len(row.ids)))
        self.pictures = row.pictures
        if self.pictures:
            self.place_cells()
        self.state = len(self.ids)
        n = self.state
        self.question, self.owner, self.order, self.ranks = [0] * n, [0] * n, [0] * n, [-1.0] * n
        self.rows = []  # token index of each read-out row
        self.scored, self.pointers, self.boxes, self.writes = [], [], [], []
        start = self.positions[-1] + 1
        for index, question in enumerate(row.questions, 1):
            self.add(index, start, *question)

    def place_cells(self):
        """Cells of one picture share a position; behind them stand the words that were read in it."""
        position, words = 0, iter([len(picture[5]) for picture in self.pictures])
        left = 0  # words of this picture that are still to come
        for i, token in enumerate(self.ids):
            if i and (token != IMAGE or self.ids[i - 1] != IMAGE):
                position += 1
            if token == IMAGE_START:
                left = next(words)
            elif token == IMAGE:
                self.cells[i] = CELL
            elif left:
                self.cells[i] = WORD
                left -= 1
            self.positions[i] = position

    def push(self, token, case, position, question, owner, order=0, rank=-1.0):
        self.ids.append(token)
        self.cases.append(case)
        self.positions.append(position)
        self.question.append(question)
        self.owner.append(owner)
        self.order.append(order)
        self.ranks.append(rank)
        self.segments.append(-1)
        self.groups.append(-1)
        self.cells.append(NO_PICTURE)

    def row(self):
        self.rows.append(len(self.ids) - 1)
        return len(self.rows) - 1

    def add(self, index, start, kind, ids, cases, options, truth):
        for i, (token, case) in enumerate(zip(ids, cases)):
            self.push(token, case, start + i, index, 0)
        behind = start + len(ids)
        k = KIND[kind]
        if kind == "binary":
            self.scored.append((k, [self.row()], [float(truth)]))
        elif k < SCORED:
            readouts = []
            for o, (tokens, letter_cases) in enumerate(options):
                rank = o / max(1, len(options) - 1) if kind == "ordinal" else -1.0
                for i, (token, case) in enumerate(zip(tokens, letter_cases)):
                    self.push(token, case, behind + i, index, o + 1, rank=rank if token == READOUT else -1.0)
                readouts.append(self.row())
            self.scored.append((k, readouts, target(kind, truth, len(options))))
        elif kind in ("span", "spans"):
            self.pointers.append((self.row(), kind == "spans", truth))
        elif kind in ("box", "boxes"):
            self.boxes.append((self.row(), kind == "boxes", truth))
        else:
            rows, inputs = [self.row()], [READOUT]
            for i, token in enumerate(truth[:-1]):
                self.push(token, 0, behind + i, index, 1000, order=i + 1)
                rows.append(self.row())
                inputs.append(token)
            self.writes.append((rows, inputs, truth))


def target(kind, truth, count):
    if kind == "exclusive":
        return [float(i == truth) for i in range(count)]
    if kind == "independent":
        return [float(t) for t in truth]
    level = min(max(float(truth), 0), count - 1)
    low = math.floor(level)
    values = [0.0] * count
    values[low] = 1 - (level - low)
    if level > low:
        values[low + 1] = level - low
    return values


def mask_of(question, owner, order, readouts, state):
    """[B,T,T] bool: which tokens (axis 1) attend to which (axis 2); the rules are in decision/model.py."""
    qi, qj, oi, oj = question[:, :, None], question[:, None], owner[:, :, None], owner[:, None]
    seen = (qj == 0) & (qi >= 0) & state[:, None]
    inside = (qi == qj) & (qi > 0) & ((oj == 0) | (oi == oj)) & (order[:, None] <= order[:, :, None])
    return seen | inside | (readouts[:, :, None] & readouts[:, None] & (qi == qj) & (qi > 0))


def layouts_of(tokens, places, segments, picture):
    """[words, 1 + LAYOUT]: token and layout of each word of a picture.

    places [words, GEOMETRY]; segments [words]: the line that each stands in."""
    aspect = np.exp(places[:, 5])
    x, y, wide, high = places[:, 0] * aspect, places[:, 1], places[:, 2] * aspect, places[:, 3]
    left, right = x - wide / 2, x + wide / 2
    _, line = np.unique(segments, return_inverse=True)
    ends = [np.full(line.max(initial=-1) + 1, start, np.float32) for start in (np.inf, -np.inf)]
    np.minimum.at(ends[0], line, left)
    np.maximum.at(ends[1], line, right)
    return np.stack((tokens, x, y, high, ends[0][line], ends[1][line], np.full(len(x), picture)), 1).astype(np.float32)


def collate(packed, features=None):
    """Packed rows to one batch of tensors (a dict).

    `features(picture)` returns what `Features` of picture_features.py does: the arguments of `Decision.cell_vectors`,
    geometry [cells + words, GEOMETRY], and the cell [words] that each word stands in."""
    B, T = len(packed), max(len(p.ids) for p in packed)
    R = max(len(p.rows) for p in packed)

    def full(fill, kind):
        return np.full((B, T), fill, kind)

    ids, cases, positions = full(0, np.int64), full(0, np.int64), full(0, np.int64)
    question, owner, order = full(-1, np.int64), full(0, np.int64), full(0, np.int64)
    segments, groups, ranks, state = full(-1, np.int64), full(-1, np.int64), full(-1, np.float32), full(False, bool)
    rows, row_question, readouts = np.zeros((B, R), np.int64), np.zeros((B, R), np.int64) - 2, full(False, bool)
    pictured = any(p.pictures for p in packed)
    is_image, is_placed = full(False, bool), full(False, bool)
    picture_cells, geometry, cell_index, count = [], [], [], 0
    token_cells, read = full(0, np.int64), []
    scored, pointers, boxes, writes = [], [], [], []
    for b, p in enumerate(packed):
        n = len(p.ids)
        ids[b, :n], cases[b, :n], positions[b, :n] = p.ids, p.cases, p.positions
        question[b, :n], owner[b, :n], order[b, :n] = p.question, p.owner, p.order
        segments[b, :n], groups[b, :n], ranks[b, :n], state[b, : p.state] = p.segments, p.groups, p.ranks, True
        rows[b, : len(p.rows)] = p.rows
        row_question[b, : len(p.rows)] = [p.question[i] for i in p.rows]
        for _, rows_of, _ in p.scored:
            for r in rows_of:
                readouts[b, p.rows[r]] = True
        if p.pictures:
            kinds = np.array(p.cells)
            is_image[b, :n], is_placed[b, :n] = kinds == CELL, kinds != NO_PICTURE
            cells_at, words_at = (iter(np.flatnonzero(kinds == kind)) for kind in (CELL, WORD))
            layouts = []
            for number, picture in enumerate(p.pictures):
                *cells, places, own_index = features(picture)
                picture_cells.append(cells)
                geometry.append(places)
                cell_index.append(own_index + count)
                token_cells[b, [next(cells_at) for _ in cells[0]]] = np.arange(len(cells[0])) + count
                at = np.array([next(words_at) for _ in own_index], np.int64)
                token_cells[b, at] = cell_index[-1]
                layouts.append(layouts_of(at, places[len(cells[0]) :], segments[b, at], number))
                count += len(cells[0])
            read.append((b, np.concatenate(layouts)))
        scored += [(b, *s) for s in p.scored]
        pointers += [(b, *s) for s in p.pointers]
        boxes += [(b, *s) for s in p.boxes]
        writes += [(b, *s) for s in p.writes]
    W = max(1, *(len(words) for _, words in read)) if read else 1
    words, layouts = np.zeros((B, W), np.int64), np.full((B, W, LAYOUT), -1, np.float32)
    for b, own in read:
        words[b, : len(own)], layouts[b, : len(own)] = own[:, 0], own[:, 1:]
    device = torch.get_default_device()

    def t(values):
        return torch.from_numpy(values).to(device)

    question_t, owner_t, order_t, state_t, readouts_t = t(question), t(owner), t(order), t(state), t(readouts)
    seen = mask_of(question_t, owner_t, order_t, readouts_t, state_t)
    at = t(rows)
    row_owner = owner_t.gather(1, at)
    row_question = t(row_question)
    # Cells of all rows follow one another in the order of `is_image`, geometry in that of `is_placed`; `cell_index`
    # counts through the cells of all rows.
    cells = [t(np.concatenate(parts)) for parts in zip(*picture_cells)]
    text = (t(ids) < VOCABULARY)[:, None] & (question_t[:, None] == row_question[:, :, None])
    own = text & (owner_t[:, None] == row_owner[:, :, None])
    asked = text & (owner_t[:, None] == 0)
    return dict(
        ids=t(ids),
        cases=t(cases),
        positions=t(positions),
        segments=t(segments),
        groups=t(groups),
        ranks=t(ranks),
        state=state_t,
        seen=seen,
        rows=at,
        row_question=row_question,
        own=own,
        asked=asked,
        is_image=t(is_image) if pictured else None,
        is_placed=t(is_placed) if pictured else None,
        cells=cells if pictured else None,
        geometry=t(np.concatenate(geometry)) if pictured else None,
        cell_index=t(np.concatenate(cell_index)) if pictured else None,
        token_cells=t(token_cells),
        words=t(words),
        layouts=t(layouts),
        scored=scored,
        pointers=pointers,
        boxes=boxes,
        writes=writes,
        tokens=sum(len(p.ids) for p in packed),
    )


def stream(rows, seed, tokens, weight_of=None):
    """Endless batches of packed rows.

    Sources are drawn with weight sqrt(rows) times `weight_of(source)`; rows are sorted by length inside chunks."""
    rng = random.Random(seed)
    by_source = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    names = sorted(by_source)
    weights = [len(by_source[n]) ** 0.5 * (weight_of or (lambda _: 1.0))(n) for n in names]
    at = dict.fromkeys(names, 0)
    for name in names:
        rng.shuffle(by_source[name])
    while True:
        chunk = []
        for name in rng.choices(names, weights, k=384):
            of = by_source[name]
            row, used = draw(of[at[name] % len(of)], rng)
            if not row.pictures and rng.random() < RENAME:
                row = renamed(row, rng)
            at[name] += 1
            chunk.append((used, rng.random(), row))
        chunk.sort(key=lambda c: c[:2])
        batches, current = [], []
        for used, _, row in chunk:
            if current and used * (len(current) + 1) > tokens:
                batches.append(current)
                current = []
            current.append(row)
        batches.append(current)
        rng.shuffle(batches)
        yield from ([Packed(row) for row in batch] for batch in batches)
