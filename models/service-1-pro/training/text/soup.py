"""The start's own encoder mixed back into a checkpoint's: what training forgot comes back, what it learned mostly
stays.

python soup.py RUN/last.pt SHARE OUT.pt      SHARE of the start, of the averaged weights the rest
"""

import sys

import torch

import start


def main():
    source, share, out = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    found = torch.load(source, map_location="cpu")
    weights = found.get("mean") or found["model"]
    for name, value in start.weights().items():
        weights[f"encoder.{name}"] = share * value + (1 - share) * weights[f"encoder.{name}"]
    torch.save({"model": weights} | {name: found[name] for name in ("config", "step", "tokens", "asked", "spent")}, out)


if __name__ == "__main__":
    main()
