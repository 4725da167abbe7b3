"""Vectors of the word pieces from co-occurrence: python -m data.vectors OUT [width]

Shifted positive PMI over windows of five, weighted by 1 / distance, factored by a randomised SVD (Levy and Goldberg
2014; Halko et al. 2011). The first direction (frequency) is dropped; rows are scaled to length 1 and rotated at random,
so that no unit is special.
"""

import sys

import numpy as np

VOCABULARY, ROWS, WINDOW = 8128, 8192, 5


def main(out, width=192):
    ids = np.load(f"{out}/corpus.npy").astype(np.int64)
    counts = np.zeros(VOCABULARY * VOCABULARY, np.float32)
    for offset in range(1, WINDOW + 1):
        for start in range(0, len(ids) - offset, 4_000_000):
            left = ids[start : start + 4_000_000]
            right = ids[start + offset : start + offset + len(left)]
            counts += (
                np.bincount(left[: len(right)] * VOCABULARY + right, minlength=VOCABULARY**2).astype(np.float32)
                / offset
            )
    counts = counts.reshape(VOCABULARY, VOCABULARY)
    counts += counts.T.copy()
    total = counts.sum(1)
    context = total**0.75
    context /= context.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(counts, total[:, None], out=counts)
        np.divide(counts, context[None], out=counts)
        np.log(counts, out=counts)
    counts[~np.isfinite(counts)] = 0
    np.maximum(counts, 0, out=counts)
    rng = np.random.default_rng(0)
    basis = counts @ rng.standard_normal((VOCABULARY, width + 64), dtype=np.float32)
    for _ in range(3):
        basis, _ = np.linalg.qr(counts @ (counts.T @ basis))
    small = basis.T @ counts
    power, turn = np.linalg.eigh(small @ small.T)
    vectors = (basis @ turn[:, ::-1]) * np.maximum(power[::-1], 0)[None] ** 0.25
    vectors[total == 0] = rng.standard_normal((int((total == 0).sum()), vectors.shape[1])) * vectors.std()
    vectors = vectors[:, 1 : width + 1]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-6
    control = rng.standard_normal((ROWS - VOCABULARY, width))
    control /= np.linalg.norm(control, axis=1, keepdims=True)
    rotation = np.linalg.qr(rng.standard_normal((width, width)))[0]
    np.save(f"{out}/emb.npy", (np.concatenate([vectors, control]) @ rotation).astype(np.float32))
    show(out, vectors)


def show(out, vectors):
    """Prints neighbours of a few words, so that a person sees at once whether the vectors mean anything."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(f"{out}/tokenizer.json")
    for word in ("angry", "bank", "film", "flight", "monday", "error", "save", "five"):
        ids = tokenizer.encode(f" {word}").ids
        if len(ids) == 1:
            near = np.argsort(-vectors @ vectors[ids[0]])[1:8]
            print(word, [tokenizer.decode([int(i)]) for i in near])


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
