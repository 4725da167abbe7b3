"""A point on the line between two checkpoints, one of which was trained from the other: python blend.py FROM TO SHARE OUT.pt

What a short run on new rows wins often survives half way back, while what it loses elsewhere does not (Wortsman et al. 2022, "Robust fine-tuning of
zero-shot models"). SHARE is how far towards TO. Choose it on a split of its own, never on the one the result is reported on.
"""
import argparse

import torch

from model import PICTURE_PARTS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('start', 'end'):
        parser.add_argument(name)
    parser.add_argument('share', type=float)
    parser.add_argument('out')
    parser.add_argument('--pictures', type=float, metavar='SHARE', help='of the parts that only pictures pass through; texts are read as without it')
    options = parser.parse_args()
    start, end = (torch.load(path, weights_only=False) for path in (options.start, options.end))
    if start['config'] != end['config']:
        raise SystemExit(f'the checkpoints are of different sizes: {start["config"]} and {end["config"]}')
    of_pictures = options.share if options.pictures is None else options.pictures
    share_of = (lambda name: of_pictures if name.startswith(PICTURE_PARTS) else options.share)
    end['model'] = {name: torch.lerp(start['model'][name], values, share_of(name)) for name, values in end['model'].items()}
    end.pop('optimiser', None)
    torch.save({**end, 'blended': options.share}, options.out)


if __name__ == '__main__':
    main()
