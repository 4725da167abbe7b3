"""decompositional-semantics-initiative/DNC: what follows from a verb, a feeling, a number, a place, in template
words; parts that the snapshot holds whole.
"""

import json

from data.shared import pairs

REPOSITORY = "decompositional-semantics-initiative/DNC"
PARTS = {
    "factuality": ["dev", "test"],
    "megaveridicality": ["train", "dev", "test"],
    "sentiment": ["train", "dev", "test"],
    "verbnet": ["train", "dev", "test"],
    "kg_relations": ["dev", "test"],
    "puns": ["dev"],
    "winogender": ["test"],
}
WORDS = ["comparatives", "negation", "prepositions", "quantification", "spatial"]
LABELS = {
    "entailed": "entails",
    "not-entailed": "not",
    "entailment": "entails",
    "contradiction": "contradicts",
    "neutral": "neutral",
    "5": "entails",
    "1": "not",
    "2": "not",
    "3": "not",
}
MOST = 5000


def plain(text):
    """Without the marks of a tokenizer."""
    for mark, meant in (
        (" n't", "n't"),
        ("``", '"'),
        ("''", '"'),
        ("-LRB- ", "("),
        (" -RRB-", ")"),
        (" 's", "'s"),
        (" .", "."),
        (" ,", ","),
        (" ?", "?"),
        (" !", "!"),
        (" '", "'"),
    ):
        text = text.replace(mark, meant)
    return text.strip()


def read(show, rnd):
    files = {part: [f"{split}/recast_{part}_data.json" for split in splits] for part, splits in PARTS.items()}
    files |= {part: [f"function_words/NLI/nli-{part}_data.json"] for part in WORDS}
    for part, paths in files.items():
        items = [item for path in paths for item in json.loads(show(path)) if str(item["label"]) in LABELS]
        # Both wordings of a context stay together, so that neither "happened" nor "did not" tells anything.
        contexts = sorted({item["context"] for item in items})
        rnd.shuffle(contexts)
        keep = set(contexts[: MOST // 2])
        triples = [
            (plain(item["context"]), plain(item["hypothesis"]), LABELS[str(item["label"])])
            for item in items
            if item["context"] in keep
        ]
        yield from pairs.rows(triples, f"dnc-{part}", "per source (DNC metadata)", rnd)
