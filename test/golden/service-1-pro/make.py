"""The shipped model's answers by its training code: python make.py TRAINING_FOLDER TEXTS.pt PICTURES.pt ROWS FEATURES OUT.json

ROWS are requests.jsonl rendered by training/data/render.ts (root: the repository) with the lines of pictures/read-lines.ts. One packed forward in
PyTorch, all questions of a state together; the engine runs the exported graphs, questions in padded passes, and must agree.
Options are listed in the order of rendering (sorted), logits in float32.
"""
import json
import sys

sys.path.insert(0, sys.argv[1])

import torch  # noqa: E402

from decision.batches import Packed, collate, load  # noqa: E402
from decision.loss import forward, pointer_terms, scored_logits  # noqa: E402
from decision.constants import KINDS  # noqa: E402
from decision.model import Config, Decision  # noqa: E402
from decision.picture_features import Features  # noqa: E402


def opened(checkpoint):
    saved = torch.load(checkpoint, weights_only=False)
    model = Decision(Config(**saved['config'])).eval()
    model.load_state_dict(saved['model'])
    return model


@torch.no_grad()
def answers_of(model, row, look):
    batch = collate([Packed(row)], look)
    hidden, memory, similarities = forward(model, batch)
    logits, mask, _, _ = scored_logits(model, batch, hidden, similarities)
    scored = iter(logits[i][mask[i]].tolist() for i in range(len(logits)))
    pointed = iter([]) if not batch['pointers'] else iter(zip(*pointer_terms(model, batch, hidden, memory, batch['pointers'])[:3]))
    answers = []
    for question in row.questions:
        kind = question[0]
        if KINDS.index(kind) < 4:
            answers.append({'kind': kind, 'logits': next(scored)})
        elif kind == 'span':
            start, _, absent = next(pointed)
            answers.append({'kind': kind, 'best_start': int(start.argmax()), 'start': float(start.max()), 'absent': float(absent)})
    return answers


def main(texts, pictures, rows, features, out):
    texts, pictures = opened(texts), opened(pictures)
    look = Features(features)
    golden = [answers_of(pictures if row.pictures else texts, row, look) for row in load(rows)]
    with open(out, 'w') as file:
        json.dump(golden, file, indent=1)


if __name__ == '__main__':
    main(*sys.argv[2:7])
