"""Sets rows aside of what is trained on, for ship.py to ask: none of them may be trained on after this.

    python set_aside.py ROWS ASIDE [--each 40] [--least 600]

Of each source in ROWS/train that has `--least` rows, packs and public sets alike (families of their own are held
out), `--each` rows, evenly spaced, move to ASIDE, one file a source. A source that is in ASIDE already is left alone.
"""

import argparse
import glob
import os

from prepare import lines, write

OURS = ("written-", "made-")  # families are held out whole; generators make as many rows as are asked for


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows")
    parser.add_argument("aside")
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--least", type=int, default=600)
    options = parser.parse_args()
    moved = 0
    for path in sorted(glob.glob(f"{options.rows}/train/*.jsonl")):
        name = os.path.basename(path)
        if name.startswith(OURS) or os.path.exists(f"{options.aside}/{name}"):
            continue
        rows = list(lines(path))
        if len(rows) >= options.least:
            places = {n * len(rows) // options.each for n in range(options.each)}
            moved += write(f"{options.aside}/{name}", [row for at, row in enumerate(rows) if at in places])
            write(path, [row for at, row in enumerate(rows) if at not in places])
    print(f"{moved:,} rows set aside")


if __name__ == "__main__":
    main()
