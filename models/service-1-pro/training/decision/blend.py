"""The weighted mean of checkpoints of a run, and of those it started from.

    python -m decision.blend OUT.pt CHECKPOINT=WEIGHT ...

What a run gains on new rows mostly survives in such a mean; what it loses elsewhere, and what it learned by heart, does
not (Wortsman et al. 2022, "Robust fine-tuning of zero-shot models" and "Model soups"). Choose the weights on a split of
their own, never on the one that results are reported on. Counts of steps and tokens are those of the last checkpoint.
"""

import sys

import torch


def main(out, *parts):
    if not parts:
        raise SystemExit(__doc__)
    paths, weights = zip(*(part.rsplit("=", 1) for part in parts))
    weights = torch.tensor([float(weight) for weight in weights], dtype=torch.float64)
    mean, first = {}, None
    for path, share in zip(paths, (weights / weights.sum()).tolist()):
        checkpoint = torch.load(path, weights_only=False)
        first = first or checkpoint["config"]
        if checkpoint["config"] != first:
            raise SystemExit(f"the checkpoints are of different sizes: {first} and {checkpoint['config']} ({path})")
        for name, values in checkpoint["model"].items():
            mean[name] = mean.get(name, 0) + share * values.double()
    checkpoint.pop("optimiser", None)
    torch.save(
        {
            **checkpoint,
            "model": {name: values.float() for name, values in mean.items()},
            "blended": dict(zip(paths, weights.tolist())),
        },
        out,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
