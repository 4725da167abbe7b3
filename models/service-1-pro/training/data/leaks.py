"""Training rows whose state is also in a dev set: python -m data.leaks DATA OUT.txt [ROWS.jsonl ...]

Compares DATA/train (text and vision) and further training rows with every row of DATA/dev by a hash of the state: its
words in lower case without punctuation, or the bytes of its picture. Writes the ids of the training rows to leave out
(render.ts --leave-out), one a line, and prints how many there are by source. States of fewer than four words ("yes",
"thank you") coincide by chance and are not compared.
"""

import argparse
import collections
import glob
import gzip
import hashlib
import json
import os
import re
import zipfile

from data.tokenizer import leaves

FEWEST_WORDS = 4


def lines(path):
    """The JSON values of a .jsonl or .jsonl.gz file, one at a time."""
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as file:
        for line in file:
            yield json.loads(line)


class Pictures:
    """Bytes of the pictures a row names, from the zips of a split's images folder or from beside the rows."""

    def __init__(self, folder):
        self.archives = {
            os.path.basename(path)[:-4]: zipfile.ZipFile(path) for path in glob.glob(f"{folder}/images/*.zip")
        }
        self.folder = folder

    def read(self, path):
        archive = self.archives.get(path.split("/")[-2])
        if archive is not None:
            return archive.read("/".join(path.split("/")[-2:]))
        with open(f"{self.folder}/{path}", "rb") as file:
            return file.read()


def picture_paths(state):
    parts = [part for part in state if isinstance(part, dict)] if isinstance(state, list) else []
    pictured = [
        one
        for part in parts
        for one in (part["frames"] if part.get("type") == "video" else [part] if part.get("type") == "image" else [])
    ]
    return [one["source"]["path"] for one in pictured]


def said(state):
    """The words of a text or JSON state, with keys and roles of a dialogue; None when there are too few to compare."""
    words = re.findall(r"\w+", " ".join(leaves(state)).lower())
    return " ".join(words) if len(words) >= FEWEST_WORDS else None


def fingerprints(state, pictures):
    paths = picture_paths(state)
    if paths:
        return {hashlib.sha256(pictures.read(path)).hexdigest() for path in paths}
    words = said(state)
    return set() if words is None else {hashlib.sha256(words.encode()).hexdigest()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("out")
    parser.add_argument("rows", nargs="*", help="training rows beside those of DATA")
    options = parser.parse_args()
    dev_pictures, train_pictures = Pictures(f"{options.data}/dev"), Pictures(f"{options.data}/train")
    dev = {}
    for path in sorted(glob.glob(f"{options.data}/dev/*/*.jsonl*")):
        for row in lines(path):
            for fingerprint in fingerprints(row["state"], dev_pictures):
                dev.setdefault(fingerprint, os.path.basename(os.path.dirname(path)))
    leaked, seen = [], collections.Counter()
    pairs = collections.Counter()
    for path in [*sorted(glob.glob(f"{options.data}/train/*/*.jsonl.gz")), *options.rows]:
        pictures = Pictures(os.path.dirname(path)) if path in options.rows else train_pictures
        for row in lines(path):
            seen[row["source"]] += 1
            met = {dev[fingerprint] for fingerprint in fingerprints(row["state"], pictures) if fingerprint in dev}
            if met:
                leaked.append(row["id"])
                pairs.update((row["source"], task) for task in met)
    with open(options.out, "w") as file:
        file.write("".join(f"{name}\n" for name in leaked))
    print(f"{len(dev):,} dev states, {sum(seen.values()):,} training rows, {len(leaked):,} to leave out")
    for (source, task), count in pairs.most_common():
        print(f"{source}: {count} of {seen[source]} rows are in {task}")


if __name__ == "__main__":
    main()
