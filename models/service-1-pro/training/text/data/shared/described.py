"""What converters share whose source says in a sentence what something is for: a description as a plain sentence, and
whether two of them are unlike enough to be told apart.
"""

import re

from data.shared import rows

FEWEST_WORDS, MOST_WORDS = 4, 26
UNCLEAR = r"deprecated|\bsee\b|schema|\be\.g\.?$|i\.e\.?$|:$|^this |^the default|^default|^and |^do not set"


def told(text):
    """The first sentence of a description where it is a plain one, else None."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text.split("\n")[0])
    text = re.split(r"(?<=[\w`)\]\"'][.!]) ", rows.plain(text))[0].strip()
    if not FEWEST_WORDS <= len(text.split()) <= MOST_WORDS or not text.isascii() or re.search(r"http|[{<]", text):
        return None
    return None if re.search(UNCLEAR, text, re.I) else rows.ended(text)


def words(said):
    """The words of some length, in small letters."""
    return set(re.findall(r"[a-z]{4,}", said.lower()))


def far(said, others):
    """Whether a description shares less than half its words with each of the others."""
    return all(len(words(said) & words(one)) < 0.5 * max(1, min(len(words(said)), len(words(one)))) for one in others)
