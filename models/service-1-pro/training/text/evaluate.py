"""How well a checkpoint answers rows that nothing was trained on: first look, second look, and both (the mean of
their logits), uncalibrated.

    python evaluate.py RUN/mean.pt --rows ROWS [--limit 150] [--curve RUN/curve.jsonl] [--sets held/letters
    dev/inference ...] [--without-state] [--by task]

ROWS/held and ROWS/dev come from prepare.py. Prints, by set and kind of question: questions, chance (the likeliest
class for claims), share right, log-loss, and for claims the area under the ROC curve and (e) how
often the heaviest piece of the evidence is of the sentence that decides. With --curve
a line of all numbers with tokens and minutes of the run. --without-state asks with an empty state: what claims alone
give away.
"""

import argparse
import collections
import glob
import json
import os
import time

import torch

import looking
import loss
import narrowing
import start
from config import Config
from model import Model
from reader import POINTED, Reader

LOOKS = ("first", "second", "both")


def area(scores, truths):
    """The share of pairs (true, false) that stand in the right order."""
    order = sorted(range(len(scores)), key=lambda n: scores[n])
    ranks, at = [0.0] * len(scores), 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and scores[order[end + 1]] == scores[order[at]]:
            end += 1
        for n in range(at, end + 1):
            ranks[order[n]] = (at + end) / 2
        at = end + 1
    true = [rank for rank, truth in zip(ranks, truths, strict=True) if truth > 0.5]
    false = len(scores) - len(true)
    return (sum(true) - len(true) * (len(true) - 1) / 2) / (len(true) * false) if true and false else float("nan")


def right(question, logits):
    """How many of how many decisions are right."""
    if question.kind == "noul":
        return int((logits[0] > 0).item() == (question.target > 0.5)), 1
    if question.kind == "select":
        return sum(
            int((logit > 0).item() == (truth > 0.5)) for logit, truth in zip(logits, question.target, strict=True)
        ), len(question.target)
    target = (
        question.target
        if question.kind == "choice"
        else max(range(len(question.target)), key=lambda n: question.target[n])
    )
    return int(logits.argmax().item() == target), 1


def lost(question, logits):
    """Log-loss of a decision, in nats; of a selection the mean of its options."""
    if question.kind == "score":
        return -(logits.log_softmax(0) * torch.tensor(question.target)).sum().item()
    return loss.decided(question, logits).item()


class Tally:
    """Decisions of one kind of question: how many, how many a guess gets, and what each look makes of them."""

    def __init__(self, kind):
        self.kind, self.count, self.base, self.truths = kind, 0, 0.0, []
        self.right, self.lost = dict.fromkeys(LOOKS, 0), dict.fromkeys(LOOKS, 0.0)
        self.scores, self.evidence = {look: [] for look in LOOKS}, {look: [] for look in LOOKS}

    def read(self, question, answers, key):
        """A quote or written value, which the second look alone answers."""
        if key not in answers["second"]:
            return
        got, is_nothing = answers["second"][key], question.kind == "extract" and not question.target
        self.count += 1
        self.right["second"] += int(got is None if is_nothing else got in question.target)
        self.base += 1 / max(1, len(question.choices)) if question.choices is not None else int(is_nothing)

    def decide(self, question, answers, key):
        first = answers["first"][key]
        second = answers["second"].get(key, first)
        for look, logits in zip(LOOKS, (first, second, (first + second) / 2), strict=True):
            good, count = right(question, logits)
            self.right[look] += good
            self.lost[look] += lost(question, logits) * count
            if question.kind == "noul":
                self.scores[look].append(logits[0].item())
            found = answers.get(look, {}).get((*key, "evidence"))
            if found is not None:
                self.evidence[look].append(int(found))
        self.count += count
        self.base += guessed(question)
        if question.kind == "noul":
            self.truths.append(question.target)

    def numbers(self):
        base = self.base / self.count
        base = max(base, 1 - base) if self.kind in ("noul", "select", "extract") else base
        share = {look: round(good / self.count, 4) for look, good in self.right.items()}
        out = {"n": self.count, "base": round(base, 4)}
        if self.kind in POINTED:
            return {**out, "second": {"right": share["second"]}}
        for look in LOOKS:
            out[look] = {"right": share[look], "loss": round(self.lost[look] / self.count, 4)}
            if self.kind == "noul":
                out[look]["area"] = round(area(self.scores[look], self.truths), 4)
            if self.evidence[look]:
                out[look]["evidence"] = round(sum(self.evidence[look]) / len(self.evidence[look]), 4)
        return out


def guessed(question):
    """How many decisions a guess gets right; of claims and selections, how many are true."""
    if question.kind == "noul":
        return question.target
    return sum(question.target) if question.kind == "select" else 1 / max(1, len(question.options))


def look_at(model, rows, reader, by):
    """(group, kind) -> Tally, where there was anything to decide."""
    read = [("" if by == "set" else row[by], reader.item(row)) for row in rows]
    items = [(group, item) for group, item in read if item is not None]
    answers = looking.answered(model, [item for _, item in items])
    tallies = {}
    for n, (group, item) in enumerate(items):
        for question in item.questions:
            tally = tallies.setdefault((group, question.kind), Tally(question.kind))
            add = tally.read if question.kind in POINTED else tally.decide
            add(question, answers, (n, question.name))
    return {key: tally for key, tally in tallies.items() if tally.count}


def rows_of(path, limit, without_state):
    """At most so many rows of a file, evenly spread, as the engine reads them."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if len(lines) > limit:
        lines = [lines[int(n * len(lines) / limit)] for n in range(limit)]
    rows = [json.loads(one) for one in lines]
    if without_state:
        return [{**row, "state": ""} for row in rows]
    return [part for row in rows for part in narrowing.rows_of(row)]


def said(got):
    """Numbers of one kind, a look after the other."""
    parts = []
    for look in LOOKS:
        if look in got:
            one = got[look]
            parts.append(f"{look} {one['right']:.3f} {one.get('loss', 0):.3f}")
            parts[-1] += f" {one['area']:.3f}" if "area" in one else ""
            parts[-1] += f" e {one['evidence']:.3f}" if "evidence" in one else ""
    return "  ".join(parts)


class Totals:
    """Over all sets of a side (held, dev), by kind of question."""

    def __init__(self):
        self.sums = collections.defaultdict(lambda: {look: [0.0, 0.0, 0] for look in LOOKS})

    def add(self, key, got):
        for look in LOOKS:
            values = (got[look]["right"] * got["n"], got[look]["loss"] * got["n"], got["n"])
            self.sums[key][look] = [a + b for a, b in zip(self.sums[key][look], values, strict=True)]

    def tell(self):
        for name, looks in sorted(self.sums.items()):
            parts = (f"{look} {good / n:.3f} {total / n:.3f}" for look, (good, total, n) in looks.items())
            print(f"{'all ' + name:58s} n {looks['first'][2]:5d}            " + "  ".join(parts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("--rows", required=True)
    parser.add_argument("--limit", type=int, default=150)
    parser.add_argument("--curve")
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--by", choices=["set", "task", "source"], default="set")
    parser.add_argument("--without-state", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    found = torch.load(options.checkpoint, map_location="cpu")
    model = Model(Config.read(found["config"]))
    model.load_state_dict(found["model"])
    model.eval()
    reader = Reader(start.tokenizer(), model.config.passage)
    begun, line, totals = time.time(), {}, Totals()
    names = options.sets or [
        f"{side}/{os.path.basename(path)[:-6]}"
        for side in ("held", "dev")
        for path in sorted(glob.glob(f"{options.rows}/{side}/*.jsonl"))
    ]
    minutes = found["spent"] / 60
    print(f"step {found['step']}, {found['tokens']:,} tokens, {found['asked']:,} questions, {minutes:.0f} minutes")
    for name in names:
        rows = rows_of(f"{options.rows}/{name}.jsonl", options.limit, options.without_state)
        for (group, kind), tally in sorted(look_at(model, rows, reader, options.by).items()):
            got = tally.numbers()
            line[f"{name} {group} {kind}".replace("  ", " ")] = got
            about = f"{name:24s} {group:24s} {kind:8s} n {got['n']:5d} base {got['base']:.2f}"
            print(f"{about}  {said(got)}", flush=True)
            if kind not in POINTED:
                totals.add(f"{name.split('/')[0]} {kind}", got)
    totals.tell()
    print(f"{time.time() - begun:.0f} s")
    if options.curve:
        whole = {
            "step": found["step"],
            "tokens": found["tokens"],
            "asked": found["asked"],
            "minutes": round(minutes, 1),
            "limit": options.limit,
            "without_state": options.without_state,
            "numbers": line,
        }
        with open(options.curve, "a", encoding="utf-8") as to:
            print(json.dumps(whole), file=to)


if __name__ == "__main__":
    main()
