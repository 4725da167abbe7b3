"""Word pieces for the model: python -m data.tokenizer DATA OUT

Trains a byte-level BPE (lossless, each digit apart) on normalised states, questions, options and corpora. Writes
OUT/tokenizer.json in the Hugging Face layout, and OUT/corpus.npy, the piece ids of the corpora, for vectors.py. The
tokenizer has no special tokens: control ids lie behind the vocabulary (decision/constants.py), so no text becomes one.
"""

import glob
import gzip
import json
import lzma
import random
import re
import sys

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

VOCABULARY = 8128  # and 64 control ids behind it


def normalise(text):
    """A text as the model reads it: lower case, a space before every word.

    The engine's side is src/backends/onnx/families/decision/piece-tokenizer.ts."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text.replace("_", " "))
    return " " + re.sub(r"(?<![^\W\d_])(?<![ '’])(?=[^\W\d_])", " ", text).lower().lstrip(" ")


def leaves(value):
    """Every string and key of a JSON value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from leaves(item)


def rows(data):
    for path in sorted(glob.glob(f"{data}/train/text/*.jsonl.gz")):
        with gzip.open(path, "rt") as file:
            for row in map(json.loads, file):
                yield " ".join(leaves(row["state"]))
                for question in row["questions"].values():
                    yield " ".join(leaves([question.get("instructions"), question.get("criteria", [])]))


def corpora(data, characters):
    for name in ("wikipedia-sentences", "task-dialogues", "prompts", "reviews-speeches-masc", "books-01"):
        with lzma.open(f"{data}/train/corpora/{name}.txt.xz", "rt", errors="replace") as file:
            for document in file.read(characters).split("<|endoftext|>"):
                yield document.strip()


def main(data, out):
    random.seed(1)
    texts = [normalise(text) for text in rows(data)]
    documents = [normalise(text) for text in corpora(data, 14_000_000)]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    sample = random.sample(texts, min(len(texts), 400_000)) + [
        d[:2000] for d in random.sample(documents, min(len(documents), 6000))
    ]
    tokenizer.train_from_iterator(sample, trainer)
    tokenizer.save(f"{out}/tokenizer.json")
    ids = []
    for text in tokenizer.encode_batch(documents + random.sample(texts, len(texts) // 2)):
        ids.append(np.array(text.ids, dtype=np.int32))
    corpus = np.concatenate(ids)
    np.save(f"{out}/corpus.npy", corpus)
    print(f"{tokenizer.get_vocab_size()} pieces, {len(corpus):,} ids in the corpus")


if __name__ == "__main__":
    main(*sys.argv[1:3])
