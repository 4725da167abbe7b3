"""Words by their beginnings, so that "work" and "working" count as one: what converters compare texts by."""

import re


def stems(text, but=(), shortest=3, of=r"\w"):
    """The first five characters of the words of a text, without short words and those of `but`. `of`: what characters
    words are made of.
    """
    words = re.findall(rf"{of}{{{shortest},}}", text.lower())
    return {word[:5] for word in words if word not in but}
