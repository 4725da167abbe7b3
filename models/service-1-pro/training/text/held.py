"""Which written families are held out: every sixth by name in each kind, told once and for all in held.json, so that
families written later change nothing for those that were there.

python held.py FAMILIES [FAMILIES ...]    adds the families that are not in held.json yet
"""

import glob
import json
import os
import sys

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "held.json")
EVERY = 6


def read():
    return json.load(open(FILE, encoding="utf-8")) if os.path.exists(FILE) else {}


def files(folders):
    """Kind -> family file, by name; the first folder that has a name wins."""
    found = {}
    for folder in folders:
        for path in sorted([*glob.glob(f"{folder}/*/*.json"), *glob.glob(f"{folder}/*/*.txt")]):
            kind, name = os.path.basename(os.path.dirname(path)), os.path.splitext(os.path.basename(path))[0]
            found.setdefault(kind, {}).setdefault(name, path)
    return found


def split(folders):
    """Kind -> (paths to train on, paths held out); families that held.json does not know are in neither."""
    known = read()
    out = {}
    for kind, paths in files(folders).items():
        sides = known.get(kind, {"train": [], "held": []})
        out[kind] = tuple([paths[name] for name in sides[side] if name in paths] for side in ("train", "held"))
    return out


def main():
    known = read()
    for kind, paths in files(sys.argv[1:]).items():
        sides = known.setdefault(kind, {"train": [], "held": []})
        fresh = [name for name in sorted(paths) if name not in sides["train"] and name not in sides["held"]]
        for at, name in enumerate(fresh):
            sides["held" if at % EVERY == 0 else "train"].append(name)
        print(f"{kind}: {len(fresh)} new, {len(sides['train'])} to train on, {len(sides['held'])} held out")
    with open(FILE, "w", encoding="utf-8") as to:
        json.dump(known, to, indent=1)
        to.write("\n")


if __name__ == "__main__":
    main()
