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

import layout
import loss
import start
from config import Config
from model import Model
from reader import POINTED, Item, Reader

MOST_SECOND = 500
PASS_TOKENS = 4000
LOOKS = ("first", "second", "both")
LONGEST_QUOTE = 24


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


def runs(made, look, model):
    """Key -> logits (and for quotes the likeliest span), of sequences batched by length."""
    out = {}
    for part in layout.cut(made, PASS_TOKENS, lambda one: one[1][0]):
        batch = layout.batch([one for _, one in part], look)
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            logits, evidence, quotes = model(batch)
        q = 0
        for key, (_, asked) in part:
            for question, slots, _ in asked:
                if question.kind in POINTED:
                    out[*key, question.name] = span(quotes[q].float(), batch.at[q], question.choices)
                else:
                    out[*key, question.name] = logits[q, : len(slots)].float()
                    if question.evidence is not None and question.kind == "noul":
                        best = evidence[q, 0].argmax().item() - 1
                        places = batch.at[q]  # a second look may be cut before the evidence
                        spans = [range(places[a], places[b] + 1) for a, b in question.evidence if b < len(places)]
                        if spans or not question.evidence:
                            out[*key, question.name, "evidence"] = any(best in s for s in spans) if spans else best < 0
                q += 1
    return out


def span(logits, places, choices=None):
    """(first, last) pieces of the likeliest quote, or None for nothing there; with choices, the likeliest of them."""
    if choices is not None:
        held = [place for place, _ in choices if place[1] < len(places)]
        fits = [(logits[0, 1 + places[a]] + logits[1, 1 + places[b]]).item() for a, b in held]
        return held[fits.index(max(fits))] if held else None
    logits = logits.log_softmax(-1)
    first, last = (logits[n, [1 + place for place in places]] for n in (0, 1))
    fits = first[:, None] + last[None]
    length = torch.arange(len(places))[None] - torch.arange(len(places))[:, None]
    fits = fits.masked_fill((length < 0) | (length >= LONGEST_QUOTE), -1e9)
    best = fits.argmax().item()
    return None if fits.max() < logits[0, 0] + logits[1, 0] else (best // len(places), best % len(places))


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


def cut(item):
    """The item with as much of its state as a second look takes."""
    out, left = [], MOST_SECOND - 90
    for pieces in item.passages:
        out.append(pieces[:left])
        left -= len(out[-1])
        if left <= 0:
            break
    return Item(out, item.questions, item.source)


def look_at(model, rows, reader, by):
    """(group, kind) -> counts and sums."""
    items = []
    for row in rows:
        item = reader.item(row)
        if item is not None:
            items.append((row["task"] if by == "task" else row["source"] if by == "source" else "", item))
    answers = {}
    made = []
    for n, (_, item) in enumerate(items):
        asked = [q for q in item.questions if q.kind not in POINTED]
        # Many options twice over and many questions: a few at a time.
        for at in range(0, len(asked), 4):
            made.append(((n,), layout.first(Item(item.passages, asked[at : at + 4], item.source))))
    answers["first"] = runs(made, "first", model)
    made = []
    for n, (_, item) in enumerate(items):
        short = cut(item)
        fits = [
            q
            for q in item.questions
            if len(q.pieces) + 3 + max([len(o) + 1 for o in q.options], default=0) + sum(map(len, short.passages)) < 510
        ]
        made += [((n,), layout.second(short, question)) for question in fits]
    answers["second"] = runs(made, "second", model)
    out = collections.defaultdict(
        lambda: {
            "n": 0,
            "base": 0.0,
            "looks": {look: [0, 0.0] for look in LOOKS},
            "scores": {look: [] for look in LOOKS},
            "truths": [],
            "evidence": collections.defaultdict(list),
        }
    )
    for n, (group, item) in enumerate(items):
        for question in item.questions:
            key = (n, question.name)
            into = out[group, question.kind]
            if question.kind in POINTED:
                if key in answers["second"]:
                    into["n"] += 1
                    got = answers["second"][key]
                    nothing = question.kind == "extract" and not question.target
                    into["looks"]["second"][0] += int(got is None if nothing else got in question.target)
                    into["base"] += 1 / max(1, len(question.choices)) if question.choices is not None else int(nothing)
                continue
            first = answers["first"][key]
            second = answers["second"].get(key, first)
            count = None
            for look, logits in zip(LOOKS, (first, second, (first + second) / 2), strict=True):
                good, count = right(question, logits)
                into["looks"][look][0] += good
                into["looks"][look][1] += (
                    float(
                        loss.decided(question, logits)
                        if question.kind != "score"
                        else -(logits.log_softmax(0) * torch.tensor(question.target)).sum()
                    )
                    * count
                )
                if question.kind == "noul":
                    into["scores"][look].append(logits[0].item())
                if (n, question.name, "evidence") in answers.get(look, {}):
                    into["evidence"][look].append(int(answers[look][n, question.name, "evidence"]))
            into["n"] += count
            into["base"] += (
                question.target
                if question.kind == "noul"
                else sum(question.target)
                if question.kind == "select"
                else 1 / max(1, len(question.options))
            )
            if question.kind == "noul":
                into["truths"].append(question.target)
    return out


def numbers(into, kind):
    n = into["n"]
    base = into["base"] / n
    base = max(base, 1 - base) if kind in ("noul", "select", "extract") else base
    looks = {
        look: {"right": round(good / n, 4), "loss": round(total / n, 4)}
        for look, (good, total) in into["looks"].items()
    }
    if kind == "noul":
        for look in LOOKS:
            looks[look]["area"] = round(area(into["scores"][look], into["truths"]), 4)
            if into["evidence"][look]:
                looks[look]["evidence"] = round(sum(into["evidence"][look]) / len(into["evidence"][look]), 4)
    return {
        "n": n,
        "base": round(base, 4),
        **(looks if kind not in POINTED else {"second": {"right": looks["second"]["right"]}}),
    }


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
    begun, line, totals = time.time(), {}, collections.defaultdict(lambda: {look: [0, 0.0, 0] for look in LOOKS})
    names = options.sets or [
        f"{side}/{os.path.basename(path)[:-6]}"
        for side in ("held", "dev")
        for path in sorted(glob.glob(f"{options.rows}/{side}/*.jsonl"))
    ]
    minutes = found["spent"] / 60
    print(f"step {found['step']}, {found['tokens']:,} tokens, {found['asked']:,} questions, {minutes:.0f} minutes")
    for name in names:
        with open(f"{options.rows}/{name}.jsonl", encoding="utf-8") as file:
            lines = file.read().splitlines()
        lines = (
            [lines[int(n * len(lines) / options.limit)] for n in range(options.limit)]
            if len(lines) > options.limit
            else lines
        )
        rows = [json.loads(one) for one in lines]
        if options.without_state:
            rows = [{**row, "state": ""} for row in rows]
        for (group, kind), into in sorted(look_at(model, rows, reader, options.by).items()):
            if not into["n"]:
                continue
            got = numbers(into, kind)
            line[f"{name} {group} {kind}".replace("  ", " ")] = got
            said = "  ".join(
                f"{look} {got[look]['right']:.3f} {got[look].get('loss', 0):.3f}"
                + (f" {got[look]['area']:.3f}" if kind == "noul" else "")
                + (f" e {got[look]['evidence']:.3f}" if "evidence" in got[look] else "")
                for look in LOOKS
                if look in got
            )
            print(f"{name:24s} {group:24s} {kind:8s} n {got['n']:5d} base {got['base']:.2f}  {said}", flush=True)
            if kind not in POINTED:
                for look in LOOKS:
                    total = totals[f"{name.split('/')[0]} {kind}"][look]
                    total[0], total[1], total[2] = (
                        total[0] + got[look]["right"] * got["n"],
                        total[1] + got[look]["loss"] * got["n"],
                        total[2] + got["n"],
                    )
    for name, looks in sorted(totals.items()):
        print(
            f"{'all ' + name:58s} n {looks['first'][2]:5d}            "
            + "  ".join(f"{look} {good / n:.3f} {total / n:.3f}" for look, (good, total, n) in looks.items())
        )
    print(f"{time.time() - begun:.0f} s")
    if options.curve:
        with open(options.curve, "a") as to:
            to.write(
                json.dumps(
                    {
                        "step": found["step"],
                        "tokens": found["tokens"],
                        "asked": found["asked"],
                        "minutes": round(found["spent"] / 60, 1),
                        "limit": options.limit,
                        "without_state": options.without_state,
                        "numbers": line,
                    }
                )
                + "\n"
            )


if __name__ == "__main__":
    main()
