"""Which readout answers choices better: python -m decision.readouts CHECKPOINT ROWS [--pictures FEATURES]

Asks each choice of the rendered rows twice: comparing its options (a softmax over them), and one by one (as a select,
with a softmax over the logits of its yes or no). Prints accuracy and log-loss of both, by source. The better one on the
calibration split goes into CHOICE_READOUTS of export/decision.py.
"""

import argparse
from collections import defaultdict

import torch

from decision.batches import Packed, collate, load, one_by_one
from decision.compare import read
from decision.loss import forward, scored_logits


@torch.no_grad()
def answers(model, row, questions, features):
    """[(right, log-loss)] of choices, whichever kind they are asked as."""
    batch = collate([Packed(row._replace(questions=questions))], features)
    hidden, _, similarities = forward(model, batch)
    logits, mask, truth, _ = scored_logits(model, batch, hidden, similarities)
    found = []
    for z, m, y in zip(logits, mask, truth):
        said, right = z[m].log_softmax(0), int(y[m].argmax())
        found.append((float(said.argmax() == right), -float(said[right])))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("rows")
    parser.add_argument("--pictures")
    options = parser.parse_args()
    torch.set_num_threads(1)
    model, features = read(options.checkpoint), None
    if options.pictures:
        from decision.picture_features import Features

        features = Features(options.pictures)
    table = defaultdict(list)
    for row in load(options.rows):
        choices = [question for question in row.questions if question[0] == "exclusive"]
        if not choices:
            continue
        both = zip(
            answers(model, row, choices, features),
            answers(model, row, [one_by_one(question) for question in choices], features),
        )
        for compared, alone in both:
            for source in ("all", row.source):
                table[source].append((*compared, *alone))
    for source, values in sorted(table.items(), key=lambda item: (item[0] != "all", item[0])):
        means = torch.tensor(values).mean(0).tolist()
        print(
            "{}: n {}, comparing {:.3f} right, loss {:.3f}; one by one {:.3f} right, loss {:.3f}".format(
                source, len(values), *means
            )
        )


if __name__ == "__main__":
    main()
