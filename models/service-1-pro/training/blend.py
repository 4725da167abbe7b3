"""A point on the line between two checkpoints, one of which was trained from the other: python blend.py FROM TO SHARE OUT.pt

What a short run on new rows wins often survives half way back, while what it loses elsewhere does not (Wortsman et al. 2022, "Robust fine-tuning of
zero-shot models"). SHARE is how far towards TO. Choose it on a split of its own, never on the one the result is reported on.
"""
import argparse

import torch


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('start', 'end'):
        parser.add_argument(name)
    parser.add_argument('share', type=float)
    parser.add_argument('out')
    options = parser.parse_args()
    start, end = (torch.load(path, weights_only=False) for path in (options.start, options.end))
    if start['config'] != end['config']:
        raise SystemExit(f'the checkpoints are of different sizes: {start["config"]} and {end["config"]}')
    end['model'] = {name: torch.lerp(start['model'][name], values, options.share) for name, values in end['model'].items()}
    end.pop('optimiser', None)
    torch.save({**end, 'blended': options.share}, options.out)


if __name__ == '__main__':
    main()
