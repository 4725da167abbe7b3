"""A tiny encoder model with random weights, and what PyTorch and the tokenizers library make of some requests:

    python make.py ../../../models/service-1-pro/training/text .

Writes model/ (a folder as the engine loads it) and golden.json, which test/backends/onnx/families/encoder reads.
Needs the requirements of the training folder.
"""

import json
import os
import sys

TRAINING, OUT = sys.argv[1:3]
sys.path.insert(0, TRAINING)

import export  # noqa: E402
import layout  # noqa: E402
import start  # noqa: E402
import states  # noqa: E402
import torch  # noqa: E402
from config import Config  # noqa: E402
from model import Model  # noqa: E402
from reader import Item, Reader  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

MAIL = (
    "Hello, order 4711 was placed on 2024-03-09 by ada@example.com.\nThe total is $1,128.50 for three lamps. "
    'They said: "It will come on 3 May 2024!" Nobody answers; please send the money back.\n\nKind regards, Zoë'
)
TEXTS = [
    MAIL,
    "",
    "  \n ",
    "Ærø Straße İstanbul ÀÉÎ naïve café e\u0301 ﬁn",
    "東京 and 한국어 👩‍👩‍👧 Ωmega ΣΑΣ",
    "don't_stop at __init__.py, it's 12.50€/kg (x²)",
    "a\u0000b\u00adc\u200bd\ufffde\tf\u00a0g\u2028h",
    "supercalifragilisticexpialidocious " + "z" * 101 + " end",
]
STATES = [
    MAIL,
    {
        "order": {"id": 4711, "paid": True, "note": None, "items": [{"name": "lamp", "price": 12.5}, "bag", ["a", 1]]},
        "tags": [],
    },
    [{"from": "Ada", "text": "Where is it?"}, {"from": "Bo", "text": "On its way.\nTomorrow."}],
    {"chat": [{"role": "user", "content": "hi"}, {"role": "bot", "content": ""}], "empty": {}, "list": [{}, [], "x"]},
    [
        {"type": "text", "text": "First part."},
        {"type": "json", "value": {"a": [1, 2.5, False]}},
        {"type": "text", "text": ""},
    ],
    [["a", "b"], {"name": {"deep": 1}, "text": "no turn"}],
    {"speaker": "Ada", "message": "One turn."},
]
QUESTIONS = {
    "refund": {"type": "noul", "instructions": "The customer asks for money back."},
    "topic": {
        "type": "choice",
        "instructions": "What is it about?",
        "criteria": {"damage": None, "delay": "it came late", "praise": None},
    },
    "anger": {"type": "score", "instructions": "How angry?", "criteria": ["not", "a bit", "very"]},
    "named": {"type": "select", "instructions": "What is named?", "criteria": {"lamp": None, "tent": "to sleep"}},
    "id": {"type": "extract", "instructions": "Order number"},
}
TRUTH = {"refund": True, "topic": "damage", "anger": 1, "named": ["lamp"], "id": None}
CONFIG = Config(
    pieces=0, places=320, width=16, layers=2, heads=2, inner=24, sibling_heads=2, sibling_inner=16, passage=40
)


def small_tokenizer():
    """The pieces that the texts above need, single characters, and the control tokens at the ids of the whole one."""
    whole = json.loads(start.tokenizer().to_str())
    used = set()
    said = [*TEXTS, *map(states.text_of, STATES), json.dumps(QUESTIONS)]
    for text in said:
        used.update(start.tokenizer().encode(text, add_special_tokens=False).tokens)
    used.update(piece for piece in whole["model"]["vocab"] if len(piece.removeprefix("##")) == 1 and piece.isascii())
    control = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103}
    free = (n for n in range(1, 10_000) if n not in control.values())
    pieces = {piece: next(free) for piece in sorted(used - set(control))}
    whole["model"]["vocab"] = control | pieces
    return whole


def utf16(text, spans):
    places = [0]
    for character in text:
        places.append(places[-1] + len(character.encode("utf-16-le")) // 2)
    return [[places[a], places[b]] for a, b in spans]


def decided(model, reader, state):
    """Logits of every question in both looks, alone; quotes as pointers."""
    item = reader.item({"source": "golden", "task": "golden", "state": state, "questions": QUESTIONS, "truth": TRUTH})
    out = {}
    for question in item.questions:
        only = Item(item.passages, [question], "golden")
        for look in ("first", "second"):
            made = [layout.first(only)] if look == "first" else [layout.second(item, question)]
            batch = layout.batch(made, look)
            with torch.no_grad():
                logits, _, quotes = model(batch)
            if question.kind == "extract":
                if look == "second":
                    at = [0, *(1 + n for n in batch.at[0])]
                    out[f"{question.name} quote"] = quotes[0][:, at].tolist()
            else:
                out[f"{question.name} {look}"] = logits[0, : max(1, len(question.options))].tolist()
    return out


def main():
    tokenizer_json = small_tokenizer()
    CONFIG.pieces = 1 + max(tokenizer_json["model"]["vocab"].values())
    tokenizer = Tokenizer.from_str(json.dumps(tokenizer_json))
    torch.manual_seed(11)
    model = Model(CONFIG).eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            # Weights of one make what the heads say differ visibly; parts that begin as nothing take part, too.
            if p.dim() > 1 or p.abs().max() == 0:
                p.normal_(0, 0.35)
    folder = f"{OUT}/model"
    export.write_folder(model, folder, {"id": "tiny-encoder", "name": "Tiny encoder", "context_length": 400}, eight=False)
    with open(f"{folder}/tokenizer.json", "w", encoding="utf-8") as file:
        json.dump(tokenizer_json, file, ensure_ascii=False, separators=(",", ":"))
    reader = Reader(tokenizer, CONFIG.passage)
    golden = {"pieces": [], "states": [], "answers": []}
    for text in TEXTS:
        encoded = tokenizer.encode(text, add_special_tokens=False)
        golden["pieces"].append({"text": text, "ids": encoded.ids, "spans": utf16(text, encoded.offsets)})
    for state in STATES:
        text = states.text_of(state)
        cut = [len(one.pieces) for one in states.passages(text, tokenizer, CONFIG.passage)]
        golden["states"].append({"state": state, "text": text, "passages": cut})
    for state in STATES[:2]:
        golden["answers"].append({"state": state, "logits": decided(model, reader, state)})
    with open(f"{OUT}/golden.json", "w", encoding="utf-8") as file:
        parts = (f'"{name}": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]" for name, rows in golden.items())
        file.write("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    os.makedirs(OUT, exist_ok=True)
    main()
