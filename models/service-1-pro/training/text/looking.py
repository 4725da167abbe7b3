"""What a checkpoint answers to items (reader.py) in its first look and in its second."""

import torch

import layout
import precision
from reader import POINTED, Item

MOST_SECOND = 500
MOST_PIECES = 510
PASS_TOKENS = 4000
QUESTIONS_A_PASS = 4
LONGEST_QUOTE = 24


def answered(model, items):
    """Look -> (number of the item, name of the question) -> logits, or for quotes the likeliest span. Under (number,
    name, "evidence"): whether the heaviest piece of a claim's evidence is of the sentence that decides.
    """
    made = {"first": first_looks(items), "second": second_looks(items)}
    return {look: runs(sequences, look, model) for look, sequences in made.items()}


def first_looks(items):
    """Many options twice over and many questions: a few at a time."""
    made = []
    for n, item in enumerate(items):
        asked = [q for q in item.questions if q.kind not in POINTED]
        for at in range(0, len(asked), QUESTIONS_A_PASS):
            some = Item(item.passages, asked[at : at + QUESTIONS_A_PASS], item.source)
            made.append(((n,), layout.first(some)))
    return made


def second_looks(items):
    made = []
    for n, item in enumerate(items):
        short = cut(item)
        state = sum(map(len, short.passages))
        for question in item.questions:
            longest = max((len(option) + 1 for option in question.options), default=0)
            if len(question.pieces) + 3 + longest + state < MOST_PIECES:
                made.append(((n,), layout.second(short, question)))
    return made


def cut(item):
    """The item with as much of its state as a second look takes."""
    out, left = [], MOST_SECOND - 90
    for pieces in item.passages:
        out.append(pieces[:left])
        left -= len(out[-1])
        if left <= 0:
            break
    return Item(out, item.questions, item.source)


def runs(made, look, model):
    """Key -> logits (and for quotes the likeliest span), of sequences batched by length."""
    out = {}
    for part in layout.cut(made, PASS_TOKENS, lambda one: one[1][0]):
        batch = layout.batch([one for _, one in part], look)
        with torch.no_grad(), precision.short("cpu"):
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
