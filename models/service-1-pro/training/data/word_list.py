"""Corpora (xz text) to frequent lower-case words, one a line, most frequent first.

python -m data.word_list CORPORA OUT.txt
"""

import collections
import lzma
import pathlib
import re
import sys

COUNT = 12_000
BYTES_PER_FILE = 4_000_000

counts: collections.Counter[str] = collections.Counter()
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.txt.xz")):
    with lzma.open(path, "rt", encoding="utf-8", errors="ignore") as file:
        counts.update(re.findall(r"\b[a-z]{2,14}\b", file.read(BYTES_PER_FILE)))
pathlib.Path(sys.argv[2]).write_text("\n".join(word for word, _ in counts.most_common(COUNT)) + "\n")
