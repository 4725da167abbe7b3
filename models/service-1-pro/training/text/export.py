"""The graphs of a checkpoint in float32, each checked against PyTorch.

    python export.py RUN/mean.pt OUT

`encoder.onnx` turns pieces into vectors, and serves passages, first look and second look alike: it takes the keys and
values of what has been read already (none for a passage and for the second look; those of the passages for the
questions and options of the first look) and gives those of what it has read now. `heads.onnx` decides. Shapes: b
sequences of l pieces behind p kept ones; q questions of s slots over t tokens of their state.
"""

import json
import os
import sys

import numpy as np
import onnxruntime
import torch

import layout
import start
from config import KINDS, Config
from model import HIDDEN, Model
from nodes import Graph

MOST_APART = 1e-4  # of the largest number


def encoder(config, weights):
    g = Graph("encoder", weights)
    width, heads = config.width, config.heads
    tokens, places, types = (g.input(name, "int", "b", "l") for name in ("tokens", "places", "types"))
    bias = g.input("bias", "float", "b", 1, "l", "p+l")
    past = [g.input(name, "float", config.layers, "b", "p", width) for name in ("past_keys", "past_values")]
    embedded = [
        g.op("Gather", g.weight(f"encoder.{table}.weight"), at)
        for table, at in (("words", tokens), ("places", places), ("types", types))
    ]
    x = g.norm(g.op("Add", g.op("Add", embedded[0], embedded[1]), embedded[2]), "encoder.norm", config.epsilon)
    keys, values = [], []

    def split(y, *order):
        return g.turn(g.reshape(y, 0, -1, heads, width // heads), *order)

    for n in range(config.layers):
        name = f"encoder.layers.{n}"
        query = g.times(g.linear(x, f"{name}.query"), (width // heads) ** -0.5)
        key, value = g.linear(x, f"{name}.key"), g.linear(x, f"{name}.value")
        keys.append(g.op("Unsqueeze", key, g.constant([0], np.int64)))
        values.append(g.op("Unsqueeze", value, g.constant([0], np.int64)))
        key = g.op("Concat", g.take(past[0], n), key, axis=1)
        value = g.op("Concat", g.take(past[1], n), value, axis=1)
        fits = g.op("Add", g.op("MatMul", split(query, 0, 2, 1, 3), split(key, 0, 2, 3, 1)), bias)
        seen = g.op("MatMul", g.op("Softmax", fits, axis=-1), split(value, 0, 2, 1, 3))
        seen = g.linear(g.reshape(g.turn(seen, 0, 2, 1, 3), 0, -1, width), f"{name}.out")
        x = g.norm(g.op("Add", x, seen), f"{name}.norm_attention", config.epsilon)
        wide = g.op("Gelu", g.linear(x, f"{name}.widen"))
        x = g.norm(g.op("Add", x, g.linear(wide, f"{name}.narrow")), f"{name}.norm", config.epsilon)
    g.output("vectors", x, "b", "l", width)
    g.output("keys", g.op("Concat", *keys, axis=0), config.layers, "b", "l", width)
    g.output("values", g.op("Concat", *values, axis=0), config.layers, "b", "l", width)
    return g


def pointed(g, fits, state, nothing, axis):
    """Logits of "nothing there" and of every token of the state."""
    return g.op("Concat", nothing, g.op("Where", state, fits, g.constant(HIDDEN)), axis=axis)


def heads(config, weights):
    """`kind` is the question's kind plus five in the second look; `like` the cosine of each slot (0 where not
    compared).
    """
    g = Graph("heads", weights)
    width, count = config.width, config.sibling_heads
    slots = g.input("slots", "float", "q", "s", width)
    means = g.input("means", "float", "q", "s", width)
    told = g.input("told", "float", "q", "s", width)
    tokens = g.input("tokens", "float", "q", "t", width)
    state = g.input("state", "bool", "q", "t")
    kind = g.input("kind", "int", "q")
    present = g.input("present", "float", "q", "s")
    rank, apart = g.input("rank", "float", "q", "s", 2), g.input("apart", "float", "q", "s", "s")
    like, compared = g.input("like", "float", "q", "s"), g.input("compared", "float", "q", 1)
    one = [g.constant([n], np.int64) for n in range(4)]

    def narrow(x):
        return g.op("Unsqueeze", x, one[1])

    scale = width**-0.5
    key = g.turn(g.linear(tokens, "evidence.key"), 0, 2, 1)
    fits = g.times(g.op("MatMul", g.linear(slots, "evidence.query"), key), scale)
    # How like each token is to the slot's text, both without the mean of the state.
    there = g.op("Unsqueeze", g.op("Cast", state, to=1), one[2])
    count_there = g.op("Max", g.op("ReduceSum", there, one[1], keepdims=1), g.constant(1.0))
    middle = g.op("Div", g.op("ReduceSum", g.op("Mul", tokens, there), one[1], keepdims=1), count_there)
    sought, seen = (g.op("LpNormalization", g.op("Sub", x, middle), axis=-1, p=2) for x in (told, tokens))
    near = g.op("MatMul", sought, g.turn(seen, 0, 2, 1))
    look = g.op("Div", kind, g.constant(len(KINDS), np.int64))
    strength = g.op("Unsqueeze", g.op("Gather", g.weight("found_scale"), look), g.constant([1, 2], np.int64))
    fits = g.op("Add", fits, g.op("Mul", near, strength))
    evidence = pointed(g, fits, narrow(state), g.linear(slots, "evidence.nothing"), 2)
    end = g.constant([2**62], np.int64)
    every = g.op("Softmax", evidence, axis=-1)
    shares, nothing_there = g.op("Slice", every, one[1], end, one[2]), g.op("Slice", every, one[0], one[1], one[2])
    found = g.linear(g.op("MatMul", shares, g.linear(tokens, "evidence.value")), "evidence.out")
    z = g.op("Add", g.op("Add", slots, found), narrow(g.op("Gather", g.weight("kind.weight"), kind)))
    z = g.op("Add", g.op("Add", z, g.linear(means, "pool")), g.linear(rank, "rank"))
    # The slot's text against what was found for it, and how sure that is.
    among = g.op("Softmax", g.op("Slice", evidence, one[1], end, one[2]), axis=-1)
    there = g.op("MatMul", among, tokens)
    pair = g.op("Concat", g.op("Mul", told, there), g.op("Abs", g.op("Sub", told, there)), axis=2)
    held_near = g.op("Where", narrow(state), near, g.constant(-1.0))
    nearest = g.op("ReduceMax", held_near, one[2], keepdims=1)
    z = g.op("Add", z, g.linear(pair, "compare"))
    z = g.op("Add", z, g.linear(g.op("Concat", nothing_there, nearest, axis=2), "sure"))
    total = g.op("ReduceSum", g.op("Mul", like, present), one[1], keepdims=1)
    mean = g.op("Div", total, g.op("ReduceSum", present, one[1], keepdims=1))
    both = g.op("Concat", *(g.op("Unsqueeze", x, one[2]) for x in (like, g.op("Sub", like, mean))), axis=2)
    told = g.op("Mul", both, g.op("Unsqueeze", compared, one[2]))
    # The bias of this layer belongs to the first look alone, where vectors are compared at all.
    first = g.op("Cast", g.op("Less", kind, g.constant(len(KINDS), np.int64)), to=1)
    added = g.op("MatMul", told, g.weight("likeness.weight.T"))
    held = g.op("Mul", g.weight("likeness.bias"), g.op("Unsqueeze", first, g.constant([1, 2], np.int64)))
    z = g.op("Add", z, g.op("Add", added, held))
    # Siblings.
    mixed = g.linear(g.norm(z, "siblings.norm_attention", 1e-5), "siblings.mixed")
    query, key, value = g.op("Split", mixed, outputs=3, axis=2, num_outputs=3)

    def split(y, *order):
        return g.turn(g.reshape(y, 0, -1, count, width // count), *order)

    hidden = g.times(g.op("Sub", present, g.constant(1.0)), -HIDDEN)
    distance = g.op("Mul", narrow(apart), g.reshape(g.weight("siblings.nearness"), 1, count, 1, 1))
    bias = g.op("Sub", g.op("Unsqueeze", hidden, g.constant([1, 2], np.int64)), distance)
    query = g.times(split(query, 0, 2, 1, 3), (width // count) ** -0.5)
    fits = g.op("Add", g.op("MatMul", query, split(key, 0, 2, 3, 1)), bias)
    seen = g.op("MatMul", g.op("Softmax", fits, axis=-1), split(value, 0, 2, 1, 3))
    z = g.op("Add", z, g.linear(g.reshape(g.turn(seen, 0, 2, 1, 3), 0, -1, width), "siblings.out"))
    wide = g.op("Gelu", g.linear(g.norm(z, "siblings.norm", 1e-5), "siblings.widen"))
    z = g.op("Add", z, g.linear(wide, "siblings.narrow"))
    decided = g.linear(g.op("Gelu", g.linear(z, "widen")), "decide")
    decided = g.op("Squeeze", decided, one[2])
    base = g.op("Mod", kind, g.constant(len(KINDS), np.int64))
    scales, shifts = (narrow(g.op("Gather", g.weight(f"likeness_{part}"), base)) for part in ("scale", "shift"))
    addend = g.op("Mul", g.op("Add", g.op("Mul", like, scales), shifts), compared)
    g.output("logits", g.op("Add", decided, addend), "q", "s")
    g.output("evidence", evidence, "q", "s", "1+t")
    # Quotes, from the first slot.
    mark = g.take(slots, 0, axis=1)
    nothing = g.op("Split", g.linear(mark, "quotes.nothing"), outputs=2, axis=1, num_outputs=2)
    for part, at in (("first", nothing[0]), ("last", nothing[1])):
        asks = g.op("Unsqueeze", g.linear(mark, f"quotes.{part}"), one[2])
        fits = g.op("Squeeze", g.op("MatMul", g.linear(tokens, f"quotes.key_{part}"), asks), one[2])
        g.output(f"quote_{part}", pointed(g, g.times(fits, scale), state, at, 1), "q", "1+t")
    return g


def read(session, batch, kept=None):
    """The encoder graph on a batch; with `kept`, the passages are read first and their keys and values handed in."""
    tokens, places, types = (x.numpy() for x in (batch.tokens, batch.places, batch.types))
    bias = np.where(batch.mask.numpy(), 0.0, HIDDEN).astype(np.float32)
    config = kept
    rows, length = tokens.shape

    def run(at, past, seen):
        feeds = {"tokens": tokens[:, at], "places": places[:, at], "types": types[:, at], "bias": seen}
        return session.run(None, feeds | dict(zip(("past_keys", "past_values"), past, strict=True)))

    empty = [np.zeros((config.layers, rows, 0, config.width), np.float32)] * 2
    if batch.look == layout.LOOK["second"]:
        return run(slice(0, length), empty, bias)[0]
    ends = [max(n for n, x in enumerate(batch.state[r].tolist()) if x) + 2 for r in range(rows)]
    assert len(set(ends)) == 1, "the check wants states of one length"
    end = ends[0]
    state, keys, values = run(slice(0, end), empty, bias[:, :, :end, :end])
    branches = run(slice(end, length), [keys, values], bias[:, :, end:])[0]
    return np.concatenate([state, branches], 1)


def check(model, folder):
    """The largest difference of any logit to PyTorch, both looks, as a share of the largest; first look with kept
    states.
    """
    sessions = {name: onnxruntime.InferenceSession(f"{folder}/{name}.onnx") for name in ("encoder", "heads")}
    reader = layout.Reader(start.tokenizer(), model.config.passage)
    row = {
        "source": "check",
        "task": "check",
        "state": {"mail": "Please send the money back. The lamp was broken when it came.", "order": {"id": 4711}},
        "questions": {
            "refund": {"type": "noul", "instructions": "The customer asks for money back."},
            "topic": {"type": "choice", "instructions": "What is it about?", "criteria": ["damage", "delay", "praise"]},
            "anger": {"type": "score", "instructions": "How angry?", "criteria": ["not", "a bit", "very"]},
            "named": {
                "type": "select",
                "instructions": "What is named?",
                "criteria": {"lamp": None, "tent": "to sleep"},
            },
            "id": {"type": "extract", "instructions": "Order number"},
        },
        "truth": {"refund": True, "topic": "damage", "anger": 1, "named": ["lamp"], "id": "4711"},
    }
    item = reader.item(row)
    worst = 0.0
    for look in ("first", "second"):
        made = [layout.first(item)] if look == "first" else [layout.second(item, q) for q in item.questions]
        batch = layout.batch(made, look)
        with torch.no_grad():
            wanted = model(batch)
        x = read(sessions["encoder"], batch, model.config)
        at, count = batch.row.numpy(), len(batch.asked)
        means = model.means(torch.from_numpy(x), batch)
        own = means[batch.row[:, None], batch.block[batch.row[:, None], batch.slots]]
        like = np.zeros(batch.slots.shape, np.float32)
        if look == "first":
            like = model.likenesses(means, batch).numpy()
        logits, evidence, first, last = sessions["heads"].run(
            None,
            {
                "slots": x[at[:, None], batch.slots.numpy()],
                "means": own.numpy(),
                "told": model.told(own, means, batch).numpy(),
                "tokens": x[at],
                "state": batch.state.numpy()[at],
                "kind": batch.kind.numpy() + len(KINDS) * batch.look,
                "present": batch.present.float().numpy(),
                "rank": batch.rank.numpy(),
                "apart": batch.apart.numpy(),
                "like": like,
                "compared": batch.compared.numpy().reshape(count, 1),
            },
        )
        present = batch.present.numpy()
        seen = np.concatenate([np.ones((count, 1), bool), batch.state.numpy()[at]], 1)
        quotes = wanted[2].numpy()
        for got, want in (
            (logits[present], wanted[0].numpy()[present]),
            (evidence[present], wanted[1].numpy()[present]),
            (first[seen], quotes[:, 0][seen]),
            (last[seen], quotes[:, 1][seen]),
        ):
            real = np.abs(want) < -HIDDEN / 2
            worst = max(worst, float(np.abs(got - want)[real].max() / np.abs(want)[real].max()))
    return worst


def main():
    source, folder = sys.argv[1:3]
    found = torch.load(source, map_location="cpu")
    config = Config.read(found["config"])
    model = Model(config)
    model.load_state_dict(found["model"])
    model.eval()
    weights = {name: value.float().numpy() for name, value in model.state_dict().items()}
    os.makedirs(folder, exist_ok=True)
    encoder(config, weights).save(f"{folder}/encoder.onnx")
    heads(config, weights).save(f"{folder}/heads.onnx")
    with open(f"{folder}/config.json", "w", encoding="utf-8") as to:
        json.dump(vars(config), to, indent=1)
    worst = check(model, folder)
    print(f"largest difference to PyTorch: {worst:.1e} of the largest logit")
    if worst > MOST_APART:
        sys.exit(1)


if __name__ == "__main__":
    main()
