"""The average of some checkpoints' weights, to be shipped or gone on from:

    python average.py CHECKPOINT CHECKPOINT [...] OUT.pt

What runs from the same start learned apart adds up, and what each of them forgot does not (HISTORY.md). Tokens,
questions and seconds are those of the last checkpoint.
"""

import sys

import torch


def main():
    *sources, out = sys.argv[1:]
    found = [torch.load(path, map_location="cpu") for path in sources]
    weights = {
        name: torch.stack([one["model"][name].double() for one in found]).mean(0).to(value.dtype)
        for name, value in found[-1]["model"].items()
    }
    torch.save(
        {"model": weights} | {name: found[-1][name] for name in ("config", "step", "tokens", "asked", "spent")}, out
    )


if __name__ == "__main__":
    main()
