"""All rows there are to train on and to look at, from the packs, the written families and public snapshots.

    python prepare.py OUT --data DATA --families FOLDER [FOLDER ...] --compose FOLDER --mirror FOLDER [--rows 200]
    [--seed 1] [--only families [--named PATTERN --into NAME]]

DATA holds train/text and dev (packs); --compose is the folder of compose.py; --mirror holds the snapshots
(OWNER+NAME/repo). Writes OUT/train/*.jsonl (one file a source), OUT/held/*.jsonl (families held out, by kind;
comparing.py) and OUT/dev/*.jsonl (text tasks of the dev packs). Rows of public pairs that share a text with a dev row
are left out, and said.
Families that came later have files of their own besides ("cases-NAME" beside "cases"), so that a mixture can give them
a share of their own: groups.json names them by patterns of their files' names. `--named` with `--into` makes one alone.
"""

import argparse
import collections
import fnmatch
import glob
import gzip
import hashlib
import importlib
import json
import os
import random
import re
import subprocess
import sys

import comparing
import held

MADE = {
    "functions": ["{data}"],
    "graded": ["{data}"],
    "measured": [],
    "dated": [],
    "who_did_what": [],
    "contains": [],
    "stated": [],
    "records": ["{pictures}/tokenizer.json"],
}  # generators in ../data and what they are given
MADE_ROWS = 9000
SHARED = "shared"
HERE = os.path.dirname(os.path.abspath(__file__))
GROUPS = f"{HERE}/groups.json"
PICTURES = {"blood-cells", "photo-class", "receipts", "shapes", "images"}
# Of rows a family: where a family holds many more questions than others.
MORE_ROWS = {"claims": 2, "graded": 5}
HELD_ROWS = {"letters": 20, "records": 20, "claims": 60, "sorts": 40, "cases": 60, "graded": 60}
FEWEST_WORDS = 6
HELD_SEED = 990
COMPARING, COMPARING_ROWS = "comparing", 150
# Kinds that can be drawn short: one sentence a row, or claims alone.
PAIRED = {"letters", "claims", "dialogues", "documents", "unsaid", "cases"}


def lines(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def write(path, rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as to:
        for row in rows:
            to.write(json.dumps(row, ensure_ascii=False) + "\n")
    return len(rows)


def leaves(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one)


def prints(text):
    """Hashes of a text's words, and of its lines' words behind a mark like "Premise:"."""
    for part in {text, *(line.split(": ", 1)[-1] for line in text.splitlines())}:
        words = re.findall(r"\w+", part.lower())
        if len(words) >= FEWEST_WORDS:
            yield hashlib.sha256(" ".join(words).encode()).hexdigest()


def row_prints(row, claims=False):
    """Hashes of what a state says; claims, too, where they are texts of a data set and not of a template."""
    asked = [
        leaf for q in row["questions"].values() if claims and q["type"] == "noul" for leaf in leaves(q["instructions"])
    ]
    return {one for text in [*leaves(row["state"]), *asked] for one in prints(text)}


def git(folder, path, text=True):
    """A file of a snapshot, as text or as bytes."""
    shown = subprocess.run(["git", "-C", folder, "show", f"HEAD:{path}"], capture_output=True, check=True).stdout
    return shown.decode("utf-8", "replace") if text else shown


def snapshot(mirror, repository):
    for inner in ("repo", "repo/.git"):
        folder = os.path.join(mirror, repository.replace("/", "+"), inner)
        if os.path.exists(os.path.join(folder, "HEAD")):
            return folder
    return None


def converters():
    """(name, module) of all public sets: a module a repository in the folders of data/, by what it teaches."""
    for path in sorted(glob.glob(f"{HERE}/data/*/*.py")):
        folder, name = path[:-3].split("/")[-2:]
        if folder != SHARED and name != "__init__":
            yield name, importlib.import_module(f"data.{folder}.{name}")


def repositories(module):
    return [module.REPOSITORY, *getattr(module, "MORE", {}).values()]


def public(options, dev):
    for name, module in converters():
        wanted = repositories(module)
        folders = {repository: snapshot(options.mirror, repository) for repository in wanted}
        lacking = [repository for repository, folder in folders.items() if folder is None]
        if lacking:
            print(f"{name}: no snapshot of {', '.join(lacking)}; fetched first, it would be read")
            continue
        rnd = random.Random(f"{options.seed} {name}")
        by_source, leaked = collections.defaultdict(list), collections.Counter()

        def show(path, other=module.REPOSITORY, text=True, at=folders):
            return git(at[other], path, text)

        for row in module.read(show, rnd):
            if row_prints(row, claims=True) & dev:
                leaked[row["source"]] += 1
            else:
                by_source[row["source"]].append(row)
        for source, rows in by_source.items():
            rnd.shuffle(rows)
            count = sum(len(row["questions"]) for row in rows)
            written = write(f"{options.out}/train/public-{source}.jsonl", rows)
            left = leaked[source]
            print(f"public-{source}: {written:,} rows, {count:,} questions, {left} left out", flush=True)


def composed(options, what, name, each, seed, paths):
    """Rows of families in one file; a family whose drawing fails is passed over, and said."""
    os.makedirs(os.path.dirname(name), exist_ok=True)
    script, drawn = f"{options.compose}/compose.py", 0
    with open(name, "w", encoding="utf-8") as to:
        for path in paths:
            done = subprocess.run(
                [sys.executable, script, what, f"{name}.one", str(each), str(seed), path],
                capture_output=True,
                text=True,
            )
            if done.returncode:
                print(f"{path}: {(done.stderr.strip().splitlines() or ['nothing said'])[-1]}")
                continue
            with open(f"{name}.one", encoding="utf-8") as one:
                to.write(one.read())
            drawn += 1
    if os.path.exists(f"{name}.one"):
        os.remove(f"{name}.one")
    print(f"{name}: {drawn} families, {each} rows each", flush=True)


def families(options, named="*", group=None):
    """Rows of the families whose files are so named: of all, or of a group in files of its own."""
    for kind, both in held.split(options.families).items():
        train, kept = ([path for path in paths if fnmatch.fnmatch(os.path.basename(path), named)] for paths in both)
        if not train and not kept:
            continue
        into = f"-{group}" if group else ""
        for side, paths, each, seed in (
            ("train", train, options.rows, options.seed),
            ("held", kept, HELD_ROWS.get(kind, 20), HELD_SEED),
        ):
            each *= MORE_ROWS.get(kind, 1) if side == "train" else 1
            prefix = f"{options.out}/{side}/{'written-' if side == 'train' else ''}"
            composed(options, "rows", f"{prefix}{kind}{into}.jsonl", each, seed, paths)
            if kind in PAIRED:
                composed(
                    options,
                    "pairs",
                    f"{prefix}pairs{'' if kind == 'letters' else '-' + kind}{into}.jsonl",
                    each * (2 if side == "train" else 1),
                    seed,
                    paths,
                )


def compared(options):
    """OUT/held/comparing.jsonl: of many rows of families held out the claims that compare a number or a day."""
    to = f"{options.out}/held/{COMPARING}.jsonl"
    paths = [path for _, kept in held.split(options.families).values() for path in kept]
    composed(options, "rows", to, COMPARING_ROWS, HELD_SEED + 1, paths)
    print(f"{COMPARING}: {write(to, list(comparing.rows(lines(to)))):,} rows")


def made(options):
    """Rows of our own generators (../data): functions, who did what, records, numbers. Often nothing fits."""
    os.makedirs(f"{options.out}/train", exist_ok=True)
    for name, given in MADE.items():
        count = str(MADE_ROWS)
        given = [one.format(data=os.path.abspath(options.data), pictures=f"{HERE}/../../pictures") for one in given]
        to = os.path.abspath(f"{options.out}/train/made-{name}.jsonl")
        subprocess.run(
            [sys.executable, "-m", f"data.{name}", *given, to, count],
            cwd=f"{HERE}/..",
            check=True,
        )
        print(f"made-{name}: {count} rows", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--data")
    parser.add_argument("--families", nargs="+", default=[])
    parser.add_argument("--compose")
    parser.add_argument("--mirror")
    parser.add_argument("--rows", type=int, default=200, help="rows a family")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["families", "public", "packs", "made"])
    parser.add_argument("--named", default="*", help="of families: a pattern of their files' names")
    parser.add_argument("--into", help="with --named: what their files are called beside those of all families")
    options = parser.parse_args()
    if (options.named != "*") != (options.into is not None) or (options.into and options.only != "families"):
        parser.error("--named and --into go together, with --only families")
    if options.into:
        families(options, options.named, options.into)
    elif options.only in (None, "families"):
        families(options)
        with open(GROUPS, encoding="utf-8") as file:
            for group, named in json.load(file).items():
                families(options, named, group)
        compared(options)
    if options.only in (None, "made"):
        made(options)
    dev = set()
    for path in sorted(glob.glob(f"{options.data}/dev/*/*.jsonl.gz")):
        task = os.path.basename(os.path.dirname(path))
        if task in PICTURES:
            continue
        rows = list(lines(path))
        dev |= set().union(*map(row_prints, rows))
        if os.path.basename(path).startswith("dev"):
            write(f"{options.out}/dev/{task}.jsonl", rows)
    if options.only in (None, "packs"):
        for path in sorted(glob.glob(f"{options.data}/train/text/*.jsonl.gz")):
            rows = list(lines(path))
            random.Random(f"{options.seed} {path}").shuffle(rows)
            write(f"{options.out}/train/pack-{os.path.basename(path)[:-9]}.jsonl", rows)
    if options.only in (None, "public"):
        public(options, dev)


if __name__ == "__main__":
    main()
