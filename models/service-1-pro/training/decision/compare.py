"""Compares two checkpoints on the same rendered rows, question by question.

    python -m decision.compare BEFORE AFTER ROWS [--pictures FOLDER] [--by-source] [--asked WORDS --tokenizer FILE]

Prints for each kind of question (and each source, with --by-source) the number of questions, accuracy and log-loss
before and after, and the mean difference of the log-losses with a 95 % interval from a paired bootstrap over rows
(rows, because the questions of a row share their state). Quotes have no log-loss; their intervals are of the share
that is right. --asked keeps the questions whose text matches a pattern.
"""

import argparse
import re
from collections import defaultdict

import numpy as np
import torch

from decision.batches import Packed, collate, load
from decision.constants import KINDS
from decision.evaluate import best_span
from decision.loss import box_loss, forward, pointer_terms, scored_logits, scored_loss
from decision.model import Config, Decision

DRAWS = 1000


def read(path):
    saved = torch.load(path, weights_only=False)
    model = Decision(Config(**saved["config"])).eval()
    model.load_state_dict(saved["model"])
    return model


@torch.no_grad()
def answers(model, row, features):
    """[(kind, right, loss)] of a row's questions: scored ones first, then spans, then boxes. Spans have no loss."""
    batch = collate([Packed(row)], features)
    hidden, memory, similarities = forward(model, batch)
    found = []
    if batch["scored"]:
        logits, mask, truth, kinds = scored_logits(model, batch, hidden, similarities)
        for z, m, y, k, loss in zip(
            logits, mask, truth, kinds.tolist(), scored_loss(logits, mask, truth, kinds).tolist()
        ):
            z, y = z[m], y[m]
            right = (
                float(z.argmax() == y.argmax())
                if KINDS[k] in ("exclusive", "ordinal")
                else float(((z > 0) == (y > 0.5)).float().mean())
            )
            found.append((KINDS[k], right, loss))
    if batch["pointers"]:
        start, end, absent, states = pointer_terms(model, batch, hidden, memory, batch["pointers"])
        for i, (_, _, many, spans) in enumerate(batch["pointers"]):
            if many:
                right = set((torch.sigmoid(start[i]) > 0.5).nonzero()[:, 0].tolist()) == {s[0] for s in spans}
            else:
                place = best_span(start[i], end[i], absent[i], states[i], model)
                right = place is None if not spans else place in {tuple(s) for s in spans}
            found.append(("spans" if many else "span", float(right), None))
    if batch["boxes"]:
        for loss, (_, _, _, cells) in zip(box_loss(model, batch, hidden, memory).tolist(), batch["boxes"]):
            # The share of its probability that lies on a right cell; half of the time is right.
            found.append(("box" if cells else "no box", float(loss < 0.6931), loss))
    return found


ORDER = {
    **dict.fromkeys(("binary", "exclusive", "ordinal", "independent"), 0),
    "span": 1,
    "spans": 1,
    "box": 2,
    "boxes": 2,
}


def interval(differences, rows, rng):
    """95 % of the bootstrap means, drawing whole rows."""
    _, index = np.unique(rows, return_inverse=True)
    sums, counts = np.bincount(index, differences), np.bincount(index)
    drawn = rng.integers(0, len(sums), (DRAWS, len(sums)))
    return np.quantile(sums[drawn].sum(1) / counts[drawn].sum(1), (0.025, 0.975))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("before", "after", "rows"):
        parser.add_argument(name)
    parser.add_argument("--pictures")
    parser.add_argument("--pictures-after", help="features of another vision encoder, for the second checkpoint")
    parser.add_argument("--asked", help="a pattern the text of a question must match")
    parser.add_argument("--tokenizer")
    parser.add_argument("--by-source", action="store_true")
    parser.add_argument("--most", type=int, default=10**9, help="rows a source")
    options = parser.parse_args()
    torch.set_num_threads(1)
    features = [None, None]
    if options.pictures:
        from decision.picture_features import Features

        features = [Features(options.pictures), Features(options.pictures_after or options.pictures)]
    models = [read(options.before), read(options.after)]
    if options.asked:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(options.tokenizer)
    taken, table = defaultdict(int), defaultdict(list)
    for number, row in enumerate(load(options.rows)):
        questions = [q for q in row.questions if q[0] in ORDER]
        if options.asked:
            questions = [
                q for q in questions if re.search(options.asked, tokenizer.decode([i for i in q[1] if i < 8128]))
            ]
        taken[row.source] += 1
        if taken[row.source] > options.most or not questions:
            continue
        row = row._replace(questions=questions)
        for (kind, *before), (_, *after) in zip(*(answers(model, row, look) for model, look in zip(models, features))):
            for key in [("all", kind), *([(row.source, kind)] if options.by_source else [])]:
                table[key].append((number, *before, *after))
    rng = np.random.default_rng(0)
    for (source, kind), values in sorted(table.items(), key=lambda item: (item[0][0] != "all", item[0])):
        rows, right_before, loss_before, right_after, loss_after = map(np.array, zip(*values))
        scored = loss_before[0] is not None
        before, after = (loss_before.astype(float), loss_after.astype(float)) if scored else (right_before, right_after)
        low, high = interval(after - before, rows, rng)
        losses = (
            f"loss {before.mean():.3f} -> {after.mean():.3f}, by {after.mean() - before.mean():+.3f}"
            if scored
            else f"right by {(after - before).mean():+.3f}"
        )
        print(
            f"{source} {kind}: n {len(rows)}, right {right_before.mean():.3f} -> {right_after.mean():.3f}, "
            f"{losses} ({low:+.3f} to {high:+.3f})"
        )


if __name__ == "__main__":
    main()
