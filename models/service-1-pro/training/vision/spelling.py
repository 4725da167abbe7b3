"""
A code for the letters of each word piece: random vectors of its letters, letter pairs, first and last pair, added up and scaled to length 1.
Pieces that look alike get codes that are alike, which their meaning vectors do not offer, so the codes are a far easier thing to learn to see.
"""

import numpy
import tokenizers
import torch

CODE_WIDTH = 256


def letter_groups(text: str) -> list[str]:
    pairs = [text[i : i + 2] for i in range(len(text) - 1)]
    return [*text, *pairs, "^" + text[:2], text[-2:] + "$"]


def spelling_codes(tokenizer: tokenizers.Tokenizer, count: int) -> torch.Tensor:
    """[count, CODE_WIDTH] for the piece ids below `count`; the same numbers every time."""
    texts = [tokenizer.decode([piece]).strip().lower() if piece < tokenizer.get_vocab_size() else "" for piece in range(count)]
    names = sorted({group for text in texts for group in letter_groups(text)})
    vectors = dict(zip(names, numpy.random.default_rng(0).standard_normal((len(names), CODE_WIDTH)).astype(numpy.float32)))
    codes = numpy.stack([sum(vectors[group] for group in letter_groups(text)) for text in texts])
    return torch.nn.functional.normalize(torch.from_numpy(codes), dim=1)
