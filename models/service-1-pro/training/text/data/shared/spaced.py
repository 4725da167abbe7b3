"""Texts that are kept with a space before each mark and each shortened word, as people write them."""

import re

MARKS = re.compile(r" ([.,;:!?%)…]|'(?:s|re|ve|ll|d|m|t)\b|n't\b)")


def closed(text):
    """ "I do n't know ." as "I don't know.", with single spaces."""
    return MARKS.sub(r"\1", " ".join(text.split()))
