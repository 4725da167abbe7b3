"""The branch reader as an ONNX graph: a batch of questions about one state to logits, pointers and next tokens.

graphs.py explains how a question attends to the state and to itself.
"""

import numpy as np

from decision.constants import (
    AFTER,
    APPEARANCE,
    AROUND,
    LAYOUT,
    NAME,
    OVERLAP_WITHIN,
    PAIRS,
    READOUT,
    SCORED,
    VOCABULARY,
)
from export.graphs import POINT, Model, by_layer, ratio
from export.nodes import FLOAT, INT64, TRANSPOSED, info
from export.picture_graphs import PictureGraph
from export.tensor_names import LAYOUTS, OVERLAP_TERMS, READOUT_WEIGHTS, READOUTS

# Owner of padding: neither a question nor an option, so none of their tokens attends to it.
PADDING = -1

# fmt: off
BRANCH_INPUTS = [
    "ids", "cases", "positions", "owners", "orders", "ranks", READOUTS, READOUT_WEIGHTS, "kinds", "pointers", "reads",
    "read_tokens", "past_seen", "previous", "words", "memory", OVERLAP_TERMS, "pairs", "point_keys", "point_added",
]
# fmt: on
BRANCH_OUTPUTS = ["logits", "topic", "hidden", "start", "end", "absent", "vocabulary", "copy"]
# What the branch reader for pictures takes of the state in addition.
PICTURE_INPUTS = ["appearance", LAYOUTS]
STATE_FLOATS = ["words", "memory", OVERLAP_TERMS, "pairs", "point_keys", "point_added"]
FLOAT_INPUTS = {"ranks", READOUT_WEIGHTS, "past_seen", *STATE_FLOATS, *PICTURE_INPUTS}


def branch_reader(model, path, sees):
    """Writes the branch reader; `sees`: the one for states with pictures.

    Inputs of the questions: ids … orders [B,T] int64 (owner -1: padding), ranks [B,T] float. Which tokens are read, as
    rows of [B·T]: READOUTS [B,R] with READOUT_WEIGHTS and kinds [B,R]; pointers [B,P]; reads [B,W] with read_tokens,
    the token at each. Lists without columns cost nothing. Inputs of the state: previous [S] int64, the token before
    each, and the outputs of the state encoder; with pictures LAYOUTS [S,LAYOUT], whose number of the picture is -1
    where no word stands.

    Outputs: logits [B,R]; topic [1,D], the pooled state that options are compared with; hidden [B,R,D], the readout
    tokens after the last layer; start, end [B,P,S]; absent [B,P]; vocabulary [B,W,8192]; copy [B,W,S]. P and W are 0
    or 1.

    Texts are written a token at a time: new_keys_0 … new_values_L [B,H,T,hd] are the keys and values of a pass, and
    past_keys_0 … past_values_L [B,H,Q,hd] those of earlier ones; all tokens attend to them where past_seen [B,Q] is 1.
    Q is 0 for whole questions."""
    m = Model(model, "branch_reader")
    g, d, H, hd = m.graph, m.width, m.heads, m.hd
    e = m.words("ids")
    x = g.op("Add", [g.op("Mul", [e, g.weight("input_gain")]), g.op("Gather", [g.weight("case.weight"), "cases"])])
    # (rank, 1 - rank) times two vectors for the readout tokens of a scale, (0, 0) elsewhere.
    ranked = g.op("Cast", [g.op("GreaterOrEqual", ["ranks", g.constant(0.0)])], to=FLOAT)
    ends = [g.op("Mul", [part, ranked]) for part in ("ranks", g.op("Sub", [g.constant(1.0), "ranks"]))]
    ends = g.op("Concat", [g.op("Unsqueeze", [part, g.ints(2)]) for part in ends], axis=2)
    x = g.op("Add", [x, g.op("MatMul", [ends, g.weight("rank")])])
    x = g.norm(x, width=d)
    # Which tokens of a question attend to which.
    column, line = g.ints(2), g.ints(1)
    owner_of, owner_by = g.op("Unsqueeze", ["owners", column]), g.op("Unsqueeze", ["owners", line])
    order_of, order_by = g.op("Unsqueeze", ["orders", column]), g.op("Unsqueeze", ["orders", line])
    shares = g.op("Or", [g.op("Equal", [owner_by, g.constant(0, np.int64)]), g.op("Equal", [owner_of, owner_by])])
    inside = g.op("And", [shares, g.op("LessOrEqual", [order_by, order_of])])
    is_readout = g.op("Equal", ["ids", g.constant(READOUT, np.int64)])
    among = g.op("And", [g.op("Unsqueeze", [is_readout, column]), g.op("Unsqueeze", [is_readout, line])])
    bias = g.op("Where", [g.op("Or", [inside, among]), g.constant(0.0), g.constant(-1e9)])
    past = g.op("Where", [g.op("Greater", ["past_seen", g.constant(0.5)]), g.constant(0.0), g.constant(-1e9)])
    past = g.op(
        "Expand", [g.op("Unsqueeze", [past, line]), g.op("Concat", [g.op("Shape", ["ids"]), g.ints(1)], axis=0)]
    )
    bias = g.op("Concat", [past, bias], axis=2)
    everywhere = g.op("Unsqueeze", [bias, line])
    rows = g.op("Concat", [READOUTS, "pointers", "reads"], axis=1)

    def attend(layer, q, k, v, bias):
        """Attention of q [B,N,D] to the state, the KV cache and k, v [B,T,D]; bias [B,1,N,Q+T] for the last two."""
        made = [m.by_head(part, [f"new_{name}_{layer}"]) for name, part in (("keys", k), ("values", v))]
        k, v = (g.op("Concat", [f"past_{name}_{layer}", part], axis=2) for name, part in zip(("keys", "values"), made))
        scores = g.op("Add", [g.product(m.by_head(q), k, hd**-0.5, turned=True), bias])
        shares = g.op("Softmax", [scores], axis=-1)
        # The log-sum-exp, from the largest score and its share: ReduceLogSumExp is much slower.
        top, share = (g.op("ReduceMax", [part, g.ints(3)], keepdims=1) for part in (scores, shares))
        total = g.op("Sub", [top, g.op("Log", [share])])
        own = g.transpose(g.op("MatMul", [shares, v]), 0, 2, 1, 3)
        asking = g.op("Concat", [g.reshape(q, 0, 0, H, hd), g.transpose(total, 0, 2, 1, 3)], axis=3)
        found = m.attention(g.reshape(asking, 1, -1, H * (hd + 1)), f"keys_{layer}", f"values_{layer}")
        # [1,B·N,H·(hd+1)] as [B,N,H,hd+1].
        found, due = g.split(g.op("Reshape", [found, g.op("Shape", [asking])]), [hd, 1])
        return g.reshape(g.op("Add", [found, g.op("Mul", [own, due])]), 0, 0, d)

    h = g.norm(x, "layers.0.norm1.gain")
    for layer in range(m.layers - 1):
        q, k, v = m.projected(h, layer, "positions")
        h, x = m.behind_attention(x, attend(layer, q, k, v, everywhere), layer, f"layers.{layer + 1}.norm1.gain")
    # The last layer has the rows that are read as its only queries.
    q, k, v = m.projected(h, m.layers - 1, "positions")
    picked = g.op("Gather", [g.reshape(q, -1, d), rows])
    width = g.op("Shape", [bias], start=2, end=3)
    bias = g.op("Gather", [g.op("Reshape", [bias, g.op("Concat", [g.ints(-1), width], axis=0)]), rows])
    attended = attend(m.layers - 1, picked, k, v, g.op("Unsqueeze", [bias, g.ints(1)]))
    final, _ = m.behind_attention(g.op("Gather", [g.reshape(x, -1, d), rows]), attended, m.layers - 1, "final.gain")

    counts = [g.op("Shape", [name], start=1, end=2) for name in (READOUTS, "pointers", "reads")]
    hidden = g.op("Split", [final, g.op("Concat", counts, axis=0)], 3, axis=1)
    is_asked = [g.op("Squeeze", [g.op("Greater", [count, g.ints(0)])]) for count in counts]
    table, block = np.zeros((0, 0)), np.zeros((0, 0, 0))
    pictures = PictureGraph(m) if sees else None
    g.when(
        is_asked[0],
        lambda: read_scored(m, hidden[0], e, pictures),
        [table, table, block],
        ["logits", "topic", "hidden"],
    )
    g.when(
        is_asked[1], lambda: read_pointers(m, hidden[1], e, pictures), [block, block, table], ["start", "end", "absent"]
    )
    g.when(is_asked[2], lambda: read_next(m, hidden[2], e, pictures), [block, block], ["vocabulary", "copy"])
    tokens, state, wide = ["batch", "tokens"], ["state"], [1, H, "state+1", hd + 1]
    readouts, reads = ["batch", READOUTS], ["batch", "reads"]
    shapes = {
        READOUTS: readouts,
        READOUT_WEIGHTS: readouts,
        "kinds": readouts,
        "pointers": ["batch", "pointers"],
        "reads": reads,
        "read_tokens": reads,
        "previous": state,
        "past_seen": ["batch", "past"],
        "words": ["state", d],
        "memory": ["state", d],
        OVERLAP_TERMS: ["state", 2],
        "pairs": [PAIRS],
        "point_keys": ["state", POINT],
        "point_added": ["state", POINT],
        "appearance": ["state", APPEARANCE],
        LAYOUTS: ["state", LAYOUT],
    }
    names = [*BRANCH_INPUTS, *(PICTURE_INPUTS if sees else [])]
    inputs = [info(name, FLOAT if name in FLOAT_INPUTS else INT64, shapes.get(name, tokens)) for name in names]
    inputs += [info(name, FLOAT, wide) for name in by_layer("", m.layers)]
    inputs += [info(name, FLOAT, ["batch", H, "past", hd]) for name in by_layer("past_", m.layers)]
    outputs = [info(name, FLOAT, None) for name in BRANCH_OUTPUTS]
    outputs += [info(name, FLOAT, ["batch", H, "tokens", hd]) for name in by_layer("new_", m.layers)]
    g.save(inputs, outputs, path)


def read_scored(m, h, e, pictures):
    """Decision.similarities and Decision.decide for h [B,R,D], e [B,T,D] the words of the questions."""
    g, d = m.graph, m.width
    column, line = g.ints(2), g.ints(1)
    text = g.op("Less", ["ids", g.constant(VOCABULARY, np.int64)])
    is_asked = g.op("And", [text, g.op("Equal", ["owners", g.constant(0, np.int64)])])
    asked = g.op("Cast", [is_asked], to=FLOAT)
    asked_once = g.op("Unsqueeze", [asked, line])
    asked = g.op("Div", [asked, g.op("Max", [g.op("ReduceSum", [asked, g.ints(1)], keepdims=1), g.constant(1.0)])])
    asked = g.op("MatMul", [g.op("Unsqueeze", [asked, line]), e])
    # Each readout token pools the words of its owner. An option without words pools all tokens of its question alike,
    # padding none of them.
    owner = g.op("Gather", [g.reshape("owners", -1), READOUTS])
    own = g.op(
        "And",
        [
            g.op("Unsqueeze", [text, line]),
            g.op("Equal", [g.op("Unsqueeze", ["owners", line]), g.op("Unsqueeze", [owner, column])]),
        ],
    )
    is_padding = g.op("Unsqueeze", [g.op("Equal", ["owners", g.constant(PADDING, np.int64)]), line])
    away = g.op("Where", [is_padding, g.constant(-1e5), g.constant(-1e4)])
    pool = g.op("Unsqueeze", [g.op("MatMul", [e, g.weight("pool_option")]), line])
    weights = g.op("Softmax", [g.op("Where", [own, pool, away])], axis=-1)
    option = g.op("MatMul", [weights, e])
    state = g.op("Softmax", [g.op("MatMul", ["words", g.weight("pool_state")])], axis=-1)
    state = g.op("MatMul", [g.op("Unsqueeze", [state, g.ints(0)]), "words"])
    topic = g.norm(g.op("MatMul", [state, g.weight("left")]), width=d)
    pooled = g.product(g.norm(g.op("MatMul", [option, g.weight("right")]), width=d), topic, 1 / d, turned=True)
    cosines = g.product(e, "words", 1 / d, turned=True)
    best = g.op("ReduceMax", [cosines, g.ints(2)], keepdims=1)
    matched = g.op("MatMul", [weights, best])
    attended = g.op(
        "Softmax", [g.product(g.op("MatMul", [asked, g.weight("ask")]), "words", d**-0.5, turned=True)], axis=-1
    )
    attended = g.norm(g.op("MatMul", [g.op("MatMul", [attended, "words"]), g.weight("left2")]), width=d)
    attended = g.product(g.norm(g.op("MatMul", [option, g.weight("right2")]), width=d), attended, 1 / d, turned=True)
    # Decision.proximity, 0 for a question without words.
    alike = g.op("Relu", [cosines])
    asked_weights = g.op(
        "Softmax", [g.op("Where", [g.op("Unsqueeze", [is_asked, line]), pool, g.constant(-1e4)])], axis=-1
    )
    squared = g.op("Mul", [alike, alike])
    named = g.op("MatMul", [g.op("Mul", [asked_weights, asked_once]), squared])
    near = g.op("Conv", [named, g.weight("proximity_kernel")], pads=[AROUND, AROUND])
    places = g.op(
        "Softmax", [g.op("Mul", [g.op("MatMul", [weights, alike]), g.weight("proximity_sharpness")])], axis=-1
    )
    proximity = g.op("ReduceSum", [g.op("Mul", [places, near]), column], keepdims=1)
    # Decision.name_positions and Decision.overlap; each readout token is a row of one channel.
    named = g.op("MatMul", [weights, squared])
    rows = g.op(
        "Reshape", [named, g.op("Concat", [g.ints(-1, 1), g.op("Shape", [OVERLAP_TERMS], start=0, end=1)], axis=0)]
    )
    rows = g.op("Conv", [rows, g.weight("overlap_name")], pads=[NAME, NAME])
    rows = g.op("Softmax", [g.op("Mul", [rows, g.weight("overlap_sharpness")])], axis=-1)
    positions = g.op("Reshape", [rows, g.op("Shape", [named])])
    rows = g.op("Conv", [rows, g.op("Relu", [g.weight("overlap_kernel")])], pads=[OVERLAP_WITHIN, OVERLAP_WITHIN])
    overlap = ratio(
        g, *g.split(g.op("MatMul", [g.op("Reshape", [rows, g.op("Shape", [named])]), OVERLAP_TERMS]), [1, 1])
    )
    features = g.op("Concat", [pooled, matched, attended, proximity, overlap], axis=2)
    # Less the mean over the question's options, and less the best of the others.
    real = g.op("Unsqueeze", [READOUT_WEIGHTS, line])
    count = g.op("ReduceSum", [real, column], keepdims=1)
    size = g.op("Squeeze", [g.op("Shape", [READOUTS], start=1, end=2)])
    index = g.op("Range", [g.constant(0, np.int64), size, g.constant(1, np.int64)])
    is_other = g.op("Not", [g.op("Equal", [index, g.op("Unsqueeze", [index, g.ints(1)])])])
    others = g.op("And", [g.op("Greater", [real, g.constant(0.5)]), is_other])

    def mean_of(values):
        return g.op("Div", [g.op("MatMul", [real, values]), count])

    def compared(values, least):
        """The three parts of Decision.compared."""
        from_mean = g.op("Sub", [values, mean_of(values)])
        other = g.op(
            "Where", [g.op("Unsqueeze", [others, g.ints(3)]), g.op("Unsqueeze", [values, line]), g.constant(least)]
        )
        other = g.op("ReduceMax", [other, column], keepdims=0)
        other = g.op("Where", [g.op("Greater", [count, g.constant(1.5)]), other, values])
        return [values, from_mean, g.op("Sub", [values, other])]

    shape = g.op("Concat", [g.op("Shape", [READOUTS]), g.ints(PAIRS)], axis=0)
    inputs = [*compared(features, -1.0), g.op("Expand", ["pairs", shape])]
    inputs = g.op("Mul", [g.op("Concat", inputs, axis=2), g.constant(4.0)])
    onehot = g.op("Gather", [g.constant(np.eye(SCORED)), "kinds"])
    mixed = g.op("Relu", [g.linear(g.op("Concat", [h, inputs, onehot], axis=2), "mix", "mix.bias")])
    direct = g.op(
        "ReduceSum", [g.op("Mul", [features, g.op("Gather", [g.weight("direct"), "kinds"])]), column], keepdims=0
    )
    gated = g.op("ReduceSum", [g.op("Mul", [g.linear(h, "gate"), inputs]), column], keepdims=0)
    logits = [g.op("Squeeze", [g.linear(part, name), column]) for part, name in ((mixed, "out"), (h, "flat"))]
    if pictures is not None:
        asked = g.op("Mul", [asked_weights, asked_once])
        relations = pictures.option_relations(own, weights, asked, cosines, positions)
        logits.append(pictures.logits(h, relations, positions, mean_of, compared))
    return g.op("Sum", [*logits, direct, gated, g.op("Gather", [g.weight("offset"), "kinds"])]), topic, h


def sought(m, e):
    """What a question names, for e [B,T,D], the words of the questions.

    How much each token of the state is named [B,1,S], Decision.wanted [B,1,T], and cosines of words and state
    [B,T,S]."""
    g, d = m.graph, m.width
    cosines = g.product(e, "words", 1 / d, turned=True)
    asked = g.op(
        "And",
        [g.op("Less", ["ids", g.constant(VOCABULARY, np.int64)]), g.op("Equal", ["owners", g.constant(0, np.int64)])],
    )
    there = g.op("Mul", [g.op("ReduceMax", [cosines, g.ints(2)], keepdims=0), g.weight("seek_there")])
    wanted = g.op("Where", [asked, g.op("Add", [g.op("MatMul", [e, g.weight("seek")]), there]), g.constant(-1e4)])
    weights = g.op("Unsqueeze", [g.op("Softmax", [wanted], axis=-1), g.ints(1)])
    return g.op("MatMul", [weights, g.op("Relu", [cosines])]), weights, cosines


def behind(g, found):
    """Decision.behind. The padding is as long as the kernel, since the token itself does not count; the last value is
    one too many."""
    return g.op(
        "Slice", [g.op("Conv", [found, g.weight("seek_after")], pads=[AFTER, 0]), g.ints(0), g.ints(-1), g.ints(2)]
    )


def by_gate(g, h, gate, values):
    return g.op("Mul", [g.op("Mul", [g.linear(h, gate, f"{gate}.bias"), g.constant(8.0)]), values])


def read_pointers(m, h, e, pictures):
    """Decision.point and Decision.absent for h [B,1,D], e [B,T,D] the words of the questions."""
    g = m.graph
    found, *asked = sought(m, e)
    added = g.op("Add", ["point_added", g.linear(h, "point_ask")])
    z = g.op("Relu", [g.op("Add", [g.op("Mul", ["point_keys", g.linear(h, "point_readout")]), added])])
    start, end = (g.transpose(part, 0, 2, 1) for part in g.split(g.linear(z, "point_out"), [1, 1]))
    gains = [by_gate(g, h, "seek_gate", found), by_gate(g, h, "seek_after_gate", behind(g, found))]
    if pictures is not None:
        gains.append(pictures.gained(h, "relation_gate", *asked))
    start = g.op("Sum", [start, *gains])
    top = g.op("Mul", [g.op("ReduceMax", [start, g.ints(2)], keepdims=1), g.constant(0.3)])
    absent = g.linear(g.op("Concat", [h, top], axis=2), "nothing", "nothing.bias")
    return start, end, g.op("Squeeze", [absent, g.ints(2)])


def read_next(m, h, e, pictures):
    """Decision.next_token for h [B,W,D], e [B,T,D] the words of the questions."""
    g, d = m.graph, m.width
    pieces = g.norm(g.weight("embedding.weight"), width=d)
    vocabulary = g.op("Add", [g.product(g.linear(h, "write"), pieces, 0.25, turned=True), g.weight("write_bias")])
    # The same as copy_state(memory) · copy_readout(h), with the state left as it is.
    wanted = g.product(g.linear(h, "copy_readout"), g.weight(f"copy_state.weight{TRANSPOSED}"), d**-0.5, turned=True)
    written = g.op("Unsqueeze", ["read_tokens", g.ints(2)])
    follows = g.op("Cast", [g.op("Equal", ["previous", written])], to=FLOAT)
    is_first = g.op("Cast", [g.op("Equal", [written, g.constant(READOUT, np.int64)])], to=FLOAT)
    found, *asked = sought(m, e)
    begins = by_gate(g, h, "copy_after_gate", behind(g, found))
    if pictures is not None:
        begins = g.op("Add", [begins, pictures.gained(h, "relation_copy_gate", *asked)])
    begins = g.op("Mul", [is_first, begins])
    copy = g.op(
        "Sum", [g.product(wanted, "memory", turned=True), g.op("Mul", [follows, g.weight("copy_next")]), begins]
    )
    return vocabulary, copy
