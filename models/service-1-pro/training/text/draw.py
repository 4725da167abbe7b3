"""Which rows a step learns from: sources by their share of the tokens, in phases; a pool of states of each look, cut
into batches of like lengths. A step takes a batch of each look.
"""

import array
import collections
import collections.abc
import fnmatch
import glob
import itertools
import json
import math
import mmap
import os
import random

import layout
import start
from config import PRESETS, Config
from reader import POINTED, Item, Reader, spread

HERE = os.path.dirname(os.path.abspath(__file__))

# Batches of a pool. The more sequences there are to cut from, the less is padding: .12 of a batch of 8, .04 of 32.
POOL = 32
QUESTIONS_A_STATE = {"first": 8, "second": 3}
CLAIMS_AGAIN = 1 / 3  # of the claims of a state: the engine hardly ever reads one again, so second looks are for others
POINTED_FIRST = 0.5  # how often quotes and written values, which the first look never trains, are taken before others


class Lines(collections.abc.Sequence):
    """Lines of a file, each read when it is asked for: only where they begin is held in memory."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.begins = array.array("Q", [0, *itertools.accumulate(map(len, file))])
            self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def __len__(self):
        return len(self.begins) - 1

    def __getitem__(self, number):
        return self.bytes[self.begins[number] : self.begins[number + 1]]


class Sources:
    """Rows of all files of a folder, as lines; each is read and parsed when it is drawn. With `most`, as many rows
    of each file, drawn by the seed.
    """

    def __init__(self, folder, most, seed):
        self.lines = {}
        for path in sorted(glob.glob(f"{folder}/*.jsonl")):
            lines = Lines(path)
            if most and most < len(lines):
                lines = random.Random(f"{seed} {path}").sample(lines, most)
            self.lines[os.path.basename(path)[:-6]] = lines

    def weights(self, shares):
        """Source -> its share. A group (a pattern) shares what it has by the square root of its rows times the
        factor a source has.
        """
        out = collections.defaultdict(float)
        factors = shares.get("factors", {})
        taken = set()
        for pattern, share in shares["groups"].items():
            found = {
                name: math.sqrt(len(lines)) * factors.get(name, 1)
                for name, lines in self.lines.items()
                if name not in taken and fnmatch.fnmatch(name, pattern)
            }
            taken |= set(found)
            total = sum(found.values())
            for name, weight in found.items():
                out[name] += share * weight / total if total else 0
        total = sum(out.values())
        return {name: share / total for name, share in out.items() if share}


class Drawer:
    """Steps of one process. What is drawn depends on the seed, the process and the step alone, so a run goes on
    where it stopped.
    """

    def __init__(self, sources, reader, preset, phases, rank, size, seed):
        self.sources, self.reader, self.preset, self.phases = sources, reader, preset, phases
        self.rank, self.size, self.seed = rank, size, seed

    def phase(self, tokens):
        return next((phase for phase in self.phases if tokens < phase.get("until_tokens", math.inf)), self.phases[-1])

    def item(self, name, rnd, longest):
        for _ in range(20):
            row = json.loads(rnd.choice(self.sources.lines[name]))
            item = self.reader.item(row, longest, rnd)
            if item is not None:
                return item
        return None

    def is_asked(self, question, look, rnd):
        if look == "first":
            return question.kind not in POINTED
        return question.kind != "noul" or rnd.random() < CLAIMS_AGAIN

    def sequences(self, item, look, rnd):
        """An item's sequences in a look; questions are drawn so that branches stay short."""
        questions = [q for q in item.questions if self.is_asked(q, look, rnd)]
        rnd.shuffle(questions)
        if look == "second" and rnd.random() < POINTED_FIRST:
            questions.sort(key=lambda question: question.kind not in POINTED)
        keep, spent = [], 0
        for question in questions[: QUESTIONS_A_STATE[look]]:
            cost = spread(question) * (2 if question.options and look == "first" else 1)
            if (look == "second" and cost + item.state_tokens() <= 500) or (
                look == "first" and spent + cost <= self.preset.longest_branches
            ):
                keep.append(question)
                spent += cost
        if not keep:
            return []
        if look == "second":
            return [layout.second(item, question) for question in keep]
        return [layout.first(Item(item.passages, keep, item.source))]

    def pool(self, number, look, tokens):
        """Batches of one look: lists of sequences of like lengths, which padded are of a batch's size at most."""
        rnd = random.Random(f"{self.seed} {self.rank} {number} {look}")
        phase = self.phase(tokens)
        weights = self.sources.weights(phase)
        longest = min(self.preset.longest_state, phase.get("longest_state", self.preset.longest_state))
        given, total, made = collections.Counter(), 0, []
        order = list(weights)
        rnd.shuffle(order)
        while total < self.preset.batch_tokens * POOL:
            name = max(order, key=lambda one: weights[one] * (total + 300) * (1 + 0.5 * rnd.random()) - given[one])
            item = self.item(name, rnd, longest)
            sequences = self.sequences(item, look, rnd) if item is not None else []
            # A source that has nothing of this look or length is passed over, as if it had been given its share.
            size = sum(len(s.tokens) for s, _ in sequences) or 60
            given[name] += size
            total += size if sequences else 0
            made += sequences
        batches = list(layout.cut(made, self.preset.batch_tokens))
        rnd.shuffle(batches)
        return batches[:POOL]

    def steps(self, step, tokens):
        """Look -> sequences, of each step for ever, beginning at a step; `tokens` gives what the run has seen."""
        while True:
            number, first = divmod(step, POOL)
            pools = {look: self.pool(number, look, tokens()) for look in layout.LOOK}
            for at in range(first, POOL):
                yield {look: pool[at % len(pool)] for look, pool in pools.items()}
            step += POOL - first


def mixture_of(path):
    """Phases with the shares of their groups, and factors of sources (of mixtures/usual.json where it has none)."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def drawer(options, rank, size):
    """The drawer of one process, by the options of a run (train.py)."""
    usual = mixture_of(f"{HERE}/mixtures/usual.json")
    mixture = mixture_of(options.mixture) if options.mixture else usual
    factors = mixture.get("factors", usual["factors"])
    phases = [{**phase, "factors": factors} for phase in mixture["phases"]]
    preset = PRESETS[options.preset]
    sources = Sources(options.rows, preset.rows_a_source, options.seed)
    reader = Reader(start.tokenizer(), Config().passage)
    return Drawer(sources, reader, preset, phases, rank, size, options.drawn)
