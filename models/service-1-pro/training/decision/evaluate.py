"""Scores a checkpoint on rendered dev rows.

    python -m decision.evaluate CHECKPOINT ROWS [most rows a source] [--pictures FOLDER]

Prints, by source and kind: questions, log-loss, accuracy (F1 for select, exact match for spans and written answers),
and chance. All options are shown.
"""

import argparse
import math
from collections import defaultdict

import torch

from decision.batches import Packed, collate, load
from decision.constants import KINDS
from decision.loss import LONGEST_SPAN, forward, pointer_terms, scored_logits, scored_loss
from decision.model import Config, Decision


def batches(rows, tokens=6000):
    packed = sorted((Packed(row) for row in rows), key=lambda p: len(p.ids))
    current = []
    for p in packed:
        if current and len(p.ids) * (len(current) + 1) > tokens:
            yield current
            current = []
        current.append(p)
    if current:
        yield current


def best_span(start, end, absent, states, model):
    """The most probable (first, last), or None; as src/backends/onnx/families/decision/span-finder.ts does it."""
    if absent >= torch.logsumexp(start, 0):
        return None
    best, found = -math.inf, None
    for first in torch.topk(start, min(4, len(start))).indices.tolist():
        window = slice(first, min(first + LONGEST_SPAN, len(end)))
        logits = torch.log_softmax(end[window] + model.ends_given(states[first], states[window]).float(), 0)
        value, offset = logits.max(0)
        if float(start[first] + value) > best:
            best, found = float(start[first] + value), (first, first + int(offset))
    return found


@torch.no_grad()
def evaluate(model, rows, features=None):
    tables = defaultdict(lambda: defaultdict(list))
    for source in sorted({row.source for row in rows}):
        for group in batches([row for row in rows if row.source == source]):
            batch = collate(group, features)
            hidden, memory, similarities = forward(model, batch)
            if batch["scored"]:
                logits, mask, truth, kinds = scored_logits(model, batch, hidden, similarities)
                for z, m, y, k, loss in zip(
                    logits, mask, truth, kinds.tolist(), scored_loss(logits, mask, truth, kinds).tolist()
                ):
                    n = int(m.sum())
                    table = tables[source, KINDS[k]]
                    table["loss"].append(loss)
                    if k == 0:
                        table["right"].append(float((z[0] > 0) == (y[0] > 0.5)))
                        table["rate"].append(float(y[0]))
                    elif k == 3:
                        table["right"].append(float(((z[:n] > 0) == (y[:n] > 0.5)).float().mean()))
                        table["tp"].append(float(((z[:n] > 0) & (y[:n] > 0.5)).sum()))
                        table["off"].append(float(((z[:n] > 0) != (y[:n] > 0.5)).sum()))
                        table["rate"].append(float(y[:n].mean()))
                    else:
                        table["right"].append(float(z[:n].argmax() == y[:n].argmax()))
                        table["chance"].append(1 / n)
                        table["expected"].append(float((torch.softmax(z[:n], 0) * torch.arange(n)).sum()))
                        table["level"].append(float((y[:n] * torch.arange(n)).sum()))
            if batch["pointers"]:
                start, end, absent, states = pointer_terms(model, batch, hidden, memory, batch["pointers"])
                for i, (_, _, many, spans) in enumerate(batch["pointers"]):
                    table = tables[source, "spans" if many else "span"]
                    if many:
                        table["loss"].append(0.0)
                        starts = set((torch.sigmoid(start[i]) > 0.5).nonzero()[:, 0].tolist())
                        table["right"].append(float(starts == {s[0] for s in spans}))
                    else:
                        found = best_span(start[i], end[i], absent[i], states[i], model)
                        table["loss"].append(0.0)
                        table["right"].append(float(found is None if not spans else found in {tuple(s) for s in spans}))
                        table["null"].append(float(not spans))
                        table["null right" if not spans else "given right"].append(table["right"][-1])
    return tables


def spearman(a, b):
    def ranks(x):
        x = torch.tensor(x)
        return torch.stack([((x < v).sum() + ((x == v).sum() - 1) / 2.0) for v in x]).float()

    if len(a) < 3:
        return 0.0
    r, s = ranks(a), ranks(b)
    return float(torch.corrcoef(torch.stack((r, s)))[0, 1]) if r.std() > 0 and s.std() > 0 else 0.0


def mean(values):
    return sum(values) / max(1, len(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("rows")
    parser.add_argument("most", nargs="?", type=int, default=10**9)
    parser.add_argument("--pictures")
    options = parser.parse_args()
    torch.set_num_threads(1)
    saved = torch.load(options.checkpoint, weights_only=False)
    model = Decision(Config(**saved["config"]))
    model.load_state_dict(saved["model"])
    model.eval()
    features = None
    if options.pictures:
        from decision.picture_features import Features

        features = Features(options.pictures)
    counts = defaultdict(int)
    rows = []
    for row in load(options.rows):
        counts[row.source] += 1
        if counts[row.source] <= options.most:
            rows.append(row)
    for (source, kind), t in sorted(evaluate(model, rows, features).items()):
        n, extra = len(t["right"]), ""
        if kind in ("binary", "independent"):
            p = min(max(mean(t["rate"]), 1e-6), 1 - 1e-6)
            extra = f"majority {max(p, 1 - p):.3f}, prior loss {-(p * math.log(p) + (1 - p) * math.log(1 - p)):.3f}"
        if kind == "independent":
            extra += f", F1 {2 * sum(t['tp']) / max(1e-9, 2 * sum(t['tp']) + sum(t['off'])):.3f}"
        if kind in ("exclusive", "ordinal"):
            extra = f"chance {mean(t['chance']):.3f}, uniform loss {mean([-math.log(c) for c in t['chance']]):.3f}"
        if kind == "ordinal":
            extra += f", spearman {spearman(t['expected'], t['level']):.3f}"
        if kind == "span":
            extra = f"nothing there {mean(t['null']):.3f}, right then {mean(t['null right']):.3f}, "
            extra += f"right otherwise {mean(t['given right']):.3f}"
        print(f"{source:24s} {kind:12s} n {n:5d}  loss {mean(t['loss']):.3f}  right {mean(t['right']):.3f}  ({extra})")


if __name__ == "__main__":
    main()
