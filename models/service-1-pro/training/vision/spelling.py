"""A code for the letters of each word piece.

A code is the sum, scaled to length 1, of random vectors of the piece's letters, its letter pairs, its first and last
pair, and whether a word begins with it. A cell's features are mapped to the code of what the cell shows, and the piece
with the nearest code is looked up. So the tower learns to see letters; what words mean, the text model knows already.
A map from letters to meaning vectors would have to memorise thousands of words.
"""

import numpy
import tokenizers
import torch

CODE_WIDTH = 192
BEGINS_WORD = " "


def letter_groups(text: str) -> list[str]:
    """The parts of a piece as the tokenizer writes it, with its leading space."""
    letters = text.strip().lower()
    if not letters or "\ufffd" in letters:
        return []
    pairs = [letters[i : i + 2] for i in range(len(letters) - 1)]
    start = [BEGINS_WORD] if text.startswith(" ") else []
    return [*start, *letters, *pairs, "^" + letters[:2], letters[-2:] + "$"]


def spelling_codes(tokenizer: tokenizers.Tokenizer) -> torch.Tensor:
    """[pieces, CODE_WIDTH], zeros for pieces that are no letters; the same numbers every time."""
    groups = [letter_groups(tokenizer.decode([piece])) for piece in range(tokenizer.get_vocab_size())]
    names = sorted({group for own in groups for group in own})
    vectors = dict(
        zip(names, numpy.random.default_rng(0).standard_normal((len(names), CODE_WIDTH)).astype(numpy.float32))
    )
    codes = numpy.stack(
        [sum((vectors[group] for group in own), numpy.zeros(CODE_WIDTH, numpy.float32)) for own in groups]
    )
    return torch.nn.functional.normalize(torch.from_numpy(codes), dim=1)
