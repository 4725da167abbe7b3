"""The graphs of a checkpoint in float32 and in eight bits, each checked against PyTorch.

    python export.py RUN/mean.pt OUT [--rows ROWS/train]

With rows, weights are rounded to eight bits so that on those rows what comes out changes least (rounding.py).
`encoder.onnx` turns pieces into vectors, and serves passages, first look and second look alike: it takes the keys and
values of what has been read already (none for a passage and for the second look; those of the passages for the
questions and options of the first look) and gives those of what it has read now. `memory.onnx` gives what all
questions ask of a state's tokens, `heads.onnx` decides, `quotes.onnx` points. Shapes: b sequences of l pieces behind p
kept ones; q questions of s slots over t tokens of one state.
"""

import argparse
import json
import os
import sys

import numpy as np
import onnxruntime
import torch

import layout
import rounding
import start
from config import KINDS, Config
from model import HIDDEN, Model, Rows
from nodes import Graph
from reader import Reader

MOST_APART = 1e-4  # of the largest number of a question
CONTEXT = 16384  # pieces of a state
LEAST_GELU = -0.17  # no number is less behind a gelu
EVENNESS, MEASURED_EVENNESS = 0.7, 0.4


def encoder(config, weights, eight=False):
    g = Graph("encoder", weights, eight)
    width, heads = config.width, config.heads
    tokens, places, types = (g.input(name, "int", "b", "l") for name in ("tokens", "places", "types"))
    bias = g.input("bias", "float", "b", 1, "l", "p+l")
    past = [g.input(name, "float", config.layers, "b", "p", width) for name in ("past_keys", "past_values")]
    embedded = [
        g.look_up(f"encoder.{table}.weight", at)
        for table, at in (("words", tokens), ("places", places), ("types", types))
    ]
    x = g.norm(g.op("Add", g.op("Add", embedded[0], embedded[1]), embedded[2]), "encoder.norm", config.epsilon)
    keys, values = [], []

    def split(y, *order):
        return g.turn(g.reshape(y, 0, -1, heads, width // heads), *order)

    for n in range(config.layers):
        name, before = f"encoder.layers.{n}", f"encoder.layers.{n - 1}.norm" if n else "encoder.norm"
        even = evened(g, before, f"{name}.query", f"{name}.key")
        query = g.times(g.linear(x, f"{name}.query", even=even), (width // heads) ** -0.5)
        # What a value loses by rounding is lost for good; the others are averaged by the softmax.
        key, value = g.linear(x, f"{name}.key", even=even), g.linear(x, f"{name}.value", whole=False)
        keys.append(g.op("Unsqueeze", key, g.constant([0], np.int64)))
        values.append(g.op("Unsqueeze", value, g.constant([0], np.int64)))
        key = g.op("Concat", g.take(past[0], n), key, axis=1)
        value = g.op("Concat", g.take(past[1], n), value, axis=1)
        fits = g.op("Add", g.op("MatMul", split(query, 0, 2, 1, 3), split(key, 0, 2, 3, 1)), bias)
        seen = g.op("MatMul", g.op("Softmax", fits, axis=-1), split(value, 0, 2, 1, 3))
        seen = g.reshape(g.turn(seen, 0, 2, 1, 3), 0, -1, width)
        seen = g.linear(seen, f"{name}.out", even=evened(g, None, f"{name}.out"))
        x = g.norm(g.op("Add", x, seen), f"{name}.norm_attention", config.epsilon)
        even = evened(g, f"{name}.norm_attention", f"{name}.widen")
        wide = g.op("Gelu", g.linear(x, f"{name}.widen", even=even))
        narrow = g.linear(wide, f"{name}.narrow", least=LEAST_GELU)
        x = g.norm(g.op("Add", x, narrow), f"{name}.norm", config.epsilon)
    g.output("vectors", x, "b", "l", width)
    g.output("keys", g.op("Concat", *keys, axis=0), config.layers, "b", "l", width)
    g.output("values", g.op("Concat", *values, axis=0), config.layers, "b", "l", width)
    return g


def evened(g, norm, *products):
    """What the columns of an input are divided by before they are rounded in eight bits: large ones more, and those
    with small weights (SmoothQuant, arXiv 2211.10438). How large they are is known (rounding.py), or said by the scale
    of the norm that they come out of; None where it is neither.
    """
    weights = [np.abs(g.weights[f"{name}.weight"]) for name in products]
    if isinstance(g.eight, rounding.Inputs):
        reach, power = g.eight.largest[products[0]], MEASURED_EVENNESS
        against = np.sqrt(np.mean([weight**2 for weight in weights], (0, 1)))
    elif norm is not None:
        reach, power = 3 * np.abs(g.weights[f"{norm}.weight"]) + np.abs(g.weights[f"{norm}.bias"]), EVENNESS
        against = np.max([weight.max(0) for weight in weights], 0)
    else:
        return None
    even = reach**power / against.clip(1e-6) ** (1 - power)
    return (even / even.mean()).clip(1e-2).astype(np.float32)


def pointed(g, fits, state, nothing, axis):
    """Logits of "nothing there" and of every token of the state."""
    return g.op("Concat", nothing, g.op("Where", state, fits, g.constant(HIDDEN)), axis=axis)


def memory(config, weights, eight=False):
    """What every question about a state asks of its t tokens: keys and values of the evidence."""
    g = Graph("memory", weights, eight)
    tokens = g.input("tokens", "float", "t", config.width)
    g.output("keys", g.linear(tokens, "evidence.key"), "t", config.width)
    g.output("values", g.linear(tokens, "evidence.value"), "t", config.width)
    return g


def heads(config, weights, eight=False):
    """Decides q questions of s slots about one state. `kind` is the question's kind plus five in the second look,
    `like` the cosine of each slot with the nearest passage (0 in the second look).
    """
    g = Graph("heads", weights, eight, whole=False)
    width, count = config.width, config.sibling_heads
    slots = g.input("slots", "float", "q", "s", width)
    means = g.input("means", "float", "q", "s", width)
    told = g.input("told", "float", "q", "s", width)
    tokens, keys, values = (g.input(name, "float", "t", width) for name in ("tokens", "keys", "values"))
    state = g.input("state", "bool", "t")
    kind = g.input("kind", "int", "q")
    present = g.input("present", "float", "q", "s")
    rank, apart = g.input("rank", "float", "q", "s", 2), g.input("apart", "float", "q", "s", "s")
    like = g.input("like", "float", "q", "s")
    one = [g.constant([n], np.int64) for n in range(4)]

    def narrow(x):
        return g.op("Unsqueeze", x, one[1])

    scale = width**-0.5
    fits = g.times(g.op("MatMul", g.linear(slots, "evidence.query"), g.turn(keys, 1, 0)), scale)
    # How like each token is to the slot's text, both without the mean of the state.
    there = g.op("Unsqueeze", g.op("Cast", state, to=1), one[1])
    count_there = g.op("Max", g.op("ReduceSum", there, one[0], keepdims=1), g.constant(1.0))
    middle = g.op("Div", g.op("ReduceSum", g.op("Mul", tokens, there), one[0], keepdims=1), count_there)
    sought, seen = (g.op("LpNormalization", g.op("Sub", x, middle), axis=-1, p=2) for x in (told, tokens))
    near = g.op("MatMul", sought, g.turn(seen, 1, 0))
    look = g.op("Div", kind, g.constant(len(KINDS), np.int64))
    strength = g.op("Unsqueeze", g.op("Gather", g.weight("found_scale"), look), g.constant([1, 2], np.int64))
    fits = g.op("Add", fits, g.op("Mul", near, strength))
    evidence = pointed(g, fits, state, g.linear(slots, "evidence.nothing"), 2)
    end = g.constant([2**62], np.int64)
    every = g.op("Softmax", evidence, axis=-1)
    shares, nothing_there = g.op("Slice", every, one[1], end, one[2]), g.op("Slice", every, one[0], one[1], one[2])
    found = g.linear(g.op("MatMul", shares, values), "evidence.out")
    z = g.op("Add", g.op("Add", slots, found), narrow(g.op("Gather", g.weight("kind.weight"), kind)))
    z = g.op("Add", g.op("Add", z, g.linear(means, "pool")), g.linear(rank, "rank"))
    # The slot's text against what was found for it, and how sure that is.
    among = g.op("Softmax", g.op("Slice", evidence, one[1], end, one[2]), axis=-1)
    there = g.op("MatMul", among, tokens)
    pair = g.op("Concat", g.op("Mul", told, there), g.op("Abs", g.op("Sub", told, there)), axis=2)
    held_near = g.op("Where", state, near, g.constant(-1.0))
    nearest = g.op("ReduceMax", held_near, one[2], keepdims=1)
    z = g.op("Add", z, g.linear(pair, "compare"))
    z = g.op("Add", z, g.linear(g.op("Concat", nothing_there, nearest, axis=2), "sure"))
    # Vectors are compared with passages in the first look alone.
    first = g.op("Cast", g.op("Less", kind, g.constant(len(KINDS), np.int64)), to=1)
    compared = g.op("Unsqueeze", first, one[1])
    total = g.op("ReduceSum", g.op("Mul", like, present), one[1], keepdims=1)
    mean = g.op("Div", total, g.op("ReduceSum", present, one[1], keepdims=1))
    both = g.op("Concat", *(g.op("Unsqueeze", x, one[2]) for x in (like, g.op("Sub", like, mean))), axis=2)
    likeness = g.op("MatMul", g.op("Mul", both, g.op("Unsqueeze", compared, one[2])), g.weight("likeness.weight.T"))
    held = g.op("Mul", g.weight("likeness.bias"), g.op("Unsqueeze", first, g.constant([1, 2], np.int64)))
    z = g.op("Add", z, g.op("Add", likeness, held))
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
    g.output("hidden", z, "q", "s", width)
    decided = g.linear(g.op("Gelu", g.linear(z, "widen")), "decide")
    decided = g.op("Squeeze", decided, one[2])
    base = g.op("Mod", kind, g.constant(len(KINDS), np.int64))
    scales, shifts = (narrow(g.op("Gather", g.weight(f"likeness_{part}"), base)) for part in ("scale", "shift"))
    addend = g.op("Mul", g.op("Add", g.op("Mul", like, scales), shifts), compared)
    g.output("logits", g.op("Add", decided, addend), "q", "s")
    g.output("evidence", evidence, "q", "s", "1+t")
    return g


def quotes(config, weights, eight=False):
    """First and last token of a quote, from the question's slot, each against "nothing there"."""
    g = Graph("quotes", weights, eight)
    mark, tokens = g.input("mark", "float", 1, config.width), g.input("tokens", "float", "t", config.width)
    state = g.input("state", "bool", "t")
    nothing = g.op("Split", g.linear(mark, "quotes.nothing"), outputs=2, axis=1, num_outputs=2)
    for part, at in (("first", nothing[0]), ("last", nothing[1])):
        asks = g.linear(mark, f"quotes.{part}", whole=False)
        fits = g.op("MatMul", asks, g.turn(g.linear(tokens, f"quotes.key_{part}"), 1, 0))
        g.output(part, pointed(g, g.times(fits, config.width**-0.5), state, at, 1), 1, "1+t")
    return g


GRAPHS = {"encoder": encoder, "memory": memory, "heads": heads, "quotes": quotes}


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


def decided(heads, given, aloof):
    """What the heads say of one question; slots that are aloof are given one by one, as questions of their own."""
    if aloof:
        count = given["present"].shape[1]
        given = {
            **given,
            **{name: np.swapaxes(given[name], 0, 1) for name in ("slots", "means", "told", "present", "rank", "like")},
            "apart": np.zeros((count, 1, 1), np.float32),
            "kind": np.repeat(given["kind"], count),
        }
    found = heads.run(None, given)
    return [np.swapaxes(one, 0, 1) for one in found] if aloof else found


def check(model, folder, suffix):
    """The largest difference of any logit to PyTorch, both looks, as a share of the largest; first look with kept
    states.
    """
    sessions = {name: onnxruntime.InferenceSession(f"{folder}/onnx/{name}{suffix}.onnx") for name in GRAPHS}
    reader = Reader(start.tokenizer(), model.config.passage)
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
        means = model.means(torch.from_numpy(x), batch)
        own = means[batch.row[:, None], batch.block[batch.row[:, None], batch.slots]]
        like = np.zeros(batch.slots.shape, np.float32)
        if look == "first":
            like = model.likenesses(means, batch, Rows(batch.row, len(means))).numpy()
        told = model.told(own, means, batch).numpy()
        for q, r in enumerate(batch.row.tolist()):
            state = batch.state[r].numpy()
            keys, values = sessions["memory"].run(None, {"tokens": x[r]})
            only = slice(q, q + 1)
            _, logits, evidence = decided(
                sessions["heads"],
                {
                    "slots": x[r, batch.slots.numpy()[only]],
                    "means": own.numpy()[only],
                    "told": told[only],
                    "tokens": x[r],
                    "keys": keys,
                    "values": values,
                    "state": state,
                    "kind": batch.kind.numpy()[only] + len(KINDS) * batch.look,
                    "present": batch.present.float().numpy()[only],
                    "rank": batch.rank.numpy()[only],
                    "apart": batch.apart.numpy()[only],
                    "like": like[only],
                },
                batch.asked[q].kind == "choice",
            )
            mark = x[r, batch.slots.numpy()[q, :1]]
            first, last = sessions["quotes"].run(None, {"mark": mark, "tokens": x[r], "state": state})
            present, seen = batch.present.numpy()[q], np.concatenate([[True], state])
            pointers = wanted[2].numpy()[q]
            for got, want in (
                (logits[0][present], wanted[0].numpy()[q][present]),
                (evidence[0][present], wanted[1].numpy()[q][present]),
                (first[0][seen], pointers[0][seen]),
                (last[0][seen], pointers[1][seen]),
            ):
                real = np.abs(want) < -HIDDEN / 2
                worst = max(worst, float(np.abs(got - want)[real].max() / np.abs(want)[real].max()))
    return worst


def write_folder(model, folder, about, eight=True):
    """config.json and the graphs of a model as the engine loads it; tokenizer.json goes beside them. `eight` is True,
    False or what enters the layers (nodes.py).
    """
    weights = {name: value.float().numpy() for name, value in model.state_dict().items()}
    os.makedirs(f"{folder}/onnx", exist_ok=True)
    for name, graph in GRAPHS.items():
        graph(model.config, weights).save(f"{folder}/onnx/{name}.onnx")
        if eight:
            graph(model.config, weights, eight=eight).save(f"{folder}/onnx/{name}_int8.onnx")
    config = {
        "model_type": "assay-encoder",
        **about,
        "places": model.config.places,
        "passage_pieces": model.config.passage,
        "options_apart": True,
        "works_out": False,
        "weighs_nothing": True,
        "width": model.config.width,
        "layers": model.config.layers,
    }
    with open(f"{folder}/config.json", "w", encoding="utf-8") as to:
        json.dump(config, to, indent=1)


def write_tokenizer(folder):
    """The word pieces of the start, without its cut and its padding."""
    pieces = json.loads(start.tokenizer().to_str())
    with open(f"{folder}/tokenizer.json", "w", encoding="utf-8") as to:
        json.dump(pieces, to, ensure_ascii=False, separators=(",", ":"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("out")
    parser.add_argument("--rows")
    options = parser.parse_args()
    folder, found = options.out, torch.load(options.checkpoint, map_location="cpu")
    model = Model(Config.read(found["config"]))
    model.load_state_dict(found["model"])
    model.eval()
    seen = {"tokens": found["tokens"], "questions": found["asked"], "seconds": round(found["spent"])}
    eight = rounding.inputs(model, options.rows) if options.rows else True
    write_folder(model, folder, {"id": "text", "name": "Text", "context_length": CONTEXT, "trained": seen}, eight)
    write_tokenizer(folder)
    worst, rounded = check(model, folder, ""), check(model, folder, "_int8")
    print(f"largest difference to PyTorch: {worst:.1e} of the largest logit; in eight bits {rounded:.1e}")
    if worst > MOST_APART:
        sys.exit(1)


if __name__ == "__main__":
    main()
