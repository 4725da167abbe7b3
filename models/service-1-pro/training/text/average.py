"""The average of some checkpoints' weights, to be shipped or gone on from:

    python average.py CHECKPOINT [CHECKPOINT ...] OUT.pt [--shares 0.5 0.5] [--went-on-from CHECKPOINT] [--start 0.3]

What runs from the same start learned apart adds up, and what each of them forgot does not (HISTORY.md). Of a run's
last.pt the weights averaged along the run are taken. --went-on-from: the checkpoint that all of them began with; with
it tokens, questions and seconds are those of all runs together, else those of the last. --start: so much of the public
start's own encoder is mixed back in, so that what training forgot comes back.
"""

import argparse

import torch

import start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoints", nargs="+")
    parser.add_argument("out")
    parser.add_argument("--shares", type=float, nargs="+", help="of each checkpoint; default: equal ones")
    parser.add_argument("--went-on-from")
    parser.add_argument("--start", type=float, default=0.0)
    options = parser.parse_args()
    found = [torch.load(path, map_location="cpu") for path in options.checkpoints]
    each = [one.get("mean") or one["model"] for one in found]
    shares = options.shares or [1 / len(each)] * len(each)
    assert len(shares) == len(each) and abs(sum(shares) - 1) < 1e-6, f"{len(each)} shares that sum to 1 are wanted"
    weights = {
        name: sum(share * one[name].double() for share, one in zip(shares, each, strict=True)).to(value.dtype)
        for name, value in each[-1].items()
    }
    if options.start:
        for name, value in start.weights().items():
            weights[f"encoder.{name}"].lerp_(value, options.start)
    kept = {name: found[-1][name] for name in ("config", "step", "tokens", "asked", "spent")}
    if options.went_on_from:
        begin = torch.load(options.went_on_from, map_location="cpu")
        for name in ("tokens", "asked", "spent"):
            kept[name] = begin[name] + sum(one[name] - begin[name] for one in found)
    torch.save({"model": weights} | kept, options.out)


if __name__ == "__main__":
    main()
