"""The two graphs the engine runs, written from the state dict: the state encoder once a state, the branch reader once a batch of questions about it.

Lengths: S state tokens, N image cells (at least one row, unused without images), B questions of T tokens (padded), R marks, P pointers, W written rows of
a question, L layers, H heads, hd head width.

The state encoder never holds scores of all against all: MultiHeadAttention without a mask, of keys in rows of a token, works block by block. The branch
reader takes keys by head, so that none are copied; its kernel then holds the scores of a pass, which the engine bounds by its tokens. What a question
attends to among its own tokens is merged with the state exactly, without joining keys: the state has one key more, a sentinel that scores
the log-sum-exp of the question's own scores (queries carry it in one more channel, where all other keys have 0). So the weight the sentinel gets is what
is due to the own tokens; its value is 0 and 1 in one more channel, where that weight comes out. A softmax stays a softmax: nothing can overflow.
"""

import numpy as np
from onnx import helper

from decision.model import (
    AFTER,
    AROUND,
    GEOMETRY,
    IMAGE,
    LOOKS,
    MARK,
    NAME,
    PAIRS,
    SCORED,
    SPELLED,
    SPOT,
    TOLD_WITHIN,
    VOCABULARY,
)
from export.nodes import FLOAT, INT64, MICROSOFT, TRANSPOSED, Graph, info
from export.picture_graphs import Seeing

# Rotary tables are as long as a position can be.
POSITIONS = 8192
# Rows of the state that are compared with all others at a time.
BLOCK = 256
POINT = 128
# Owner of padding: no question and no option, so no token of them sees it.
PADDING = -1


class Model:
    """What both graphs are made of."""

    def __init__(self, model, name):
        self.weights = {key: value.detach().numpy() for key, value in model.state_dict().items()}
        self.graph = Graph(name, self.weights)
        config = model.config
        self.width, self.heads, self.layers = config.width, config.heads, config.layers
        self.hd = config.width // config.heads
        # The same angles as Decision.angles, folded into tables when the graph is loaded.
        r = self.hd // 2
        inverse = (10000.0 ** (-np.arange(0, r, 2, dtype=np.float32) / np.float32(r))).astype(np.float32)
        g = self.graph
        angle = g.op(
            "Mul",
            [
                g.op(
                    "Unsqueeze",
                    [g.op("Range", [g.constant(0.0), g.constant(float(POSITIONS)), g.constant(1.0)]), g.ints(1)],
                ),
                g.constant(inverse),
            ],
        )
        self.cos, self.sin = g.op("Cos", [angle]), g.op("Sin", [angle])

    def words(self, ids):
        g = self.graph
        return g.norm(g.op("Gather", [g.weight("embedding.weight"), ids]), width=self.width)

    def rotated(self, x, positions, heads):
        return self.graph.op(
            "RotaryEmbedding",
            [x, positions, self.cos, self.sin],
            domain=MICROSOFT,
            num_heads=heads,
            rotary_embedding_dim=self.hd // 2,
        )

    def projected(self, h, layer, positions, parts="qkv"):
        """The roped ones of q and k, and v, each [B,T,D], by one product: the weights are put side by side when the graph is loaded."""
        g, d = self.graph, self.width
        weight = g.op("Concat", [g.weight(f"layers.{layer}.{part}.weight{TRANSPOSED}") for part in parts], axis=1)
        turning = len(parts) - 1
        roped, v = g.split(g.op("MatMul", [h, weight]), [turning * d, d])
        roped = self.rotated(roped, positions, turning * self.heads)
        return (*(g.split(roped, [d] * turning) if turning > 1 else [roped]), v)

    def by_head(self, x, output=1):
        """[B,T,D] as [B,H,T,hd]."""
        return self.graph.op("Transpose", [self.graph.reshape(x, 0, 0, self.heads, self.hd)], output, perm=[0, 2, 1, 3])

    def attention(self, q, keys, values):
        return self.graph.op(
            "MultiHeadAttention", [q, keys, values], domain=MICROSOFT, num_heads=self.heads, scale=self.hd**-0.5
        )

    def behind_attention(self, x, attended, layer, gain):
        """The rest of a layer: the norm with `gain` of what it gives, and what it gives."""
        g, name = self.graph, f"layers.{layer}"
        h, x = g.add_norm(x, g.linear(attended, f"{name}.o"), f"{name}.norm2.gain")
        up = g.op("Relu", [g.linear(h, f"{name}.up")])
        return g.add_norm(x, g.linear(g.op("Mul", [up, up]), f"{name}.down"), gain)


def state_inputs(model, sees):
    texts = [info(name, INT64, ["state"]) for name in ("ids", "cases", "segments", "groups", "positions")]
    if not sees:
        return texts
    return [
        *texts,
        info("places", INT64, ["state"]),
        info("looks", INT64, ["state"]),
        info("image_features", FLOAT, ["cells", model.config.vision_width]),
        info("image_places", FLOAT, ["placed", GEOMETRY]),
    ]


def state_outputs(layers, sees):
    return [
        "words",
        "memory",
        "echo",
        "pairs",
        "end_queries",
        "point_keys",
        "point_added",
        *(["appearance"] if sees else []),
        *by_layer("", layers),
    ]


def by_layer(prefix, layers):
    return [f"{prefix}{part}_{layer}" for layer in range(layers) for part in ("keys", "values")]


def state_encoder(model, path, sees):
    """ids, cases, segments, groups, positions [S] int64; when it sees pictures: places [S] int64 (row of the image places, -1 for what is in none), looks [S] int64 (image cell: a cell itself, of a word that was read the one it stands in), image_features
    [N,vision_width], those of the image cells, and image_places [M,6], those of the cells and behind them of the words that were read.

    words, memory [S,D]; echo [S,2] (Decision.echoes); pairs [4]; appearance [S,LOOKS], when it sees pictures (Decision.look_state); end_queries, point_keys, point_added [S,128] (the state's part of pointing: point_end, point_state, point_add);
    keys_0 … values_L [1,H,S+1,hd+1], the sentinel last."""
    m = Model(model, "state_encoder")
    g, d, H, hd = m.graph, m.width, m.heads, m.hd
    e = m.words("ids")
    if sees:
        # Image cells: what they say in place of words, and what else is known of them.
        is_cell = g.op("Unsqueeze", [g.op("Equal", ["ids", g.constant(IMAGE, np.int64)]), g.ints(1)])
        is_placed = g.op("Unsqueeze", [g.op("GreaterOrEqual", ["places", g.constant(0, np.int64)]), g.ints(1)])
        row = g.op("Max", ["places", g.constant(0, np.int64)])
        cell = g.op("Max", ["looks", g.constant(0, np.int64)])
        e = g.op("Where", [is_cell, g.op("Gather", [seen(m), cell]), e])
        place = g.op(
            "Gather", [g.linear(g.op("Relu", [g.linear("image_places", "place.0", "place.0.bias")]), "place.2"), row]
        )
        rest = g.op("Gather", [g.norm(g.linear("image_features", "vision_rest"), width=d), cell])
        look = g.op("Where", [is_cell, rest, g.op("Mul", [rest, g.weight("vision_look")])])
        appearance = g.linear(g.norm("image_features", width=model.config.vision_width), "look_state")
        g.op("Where", [is_placed, g.op("Gather", [appearance, cell]), g.constant(0.0)], ["appearance"])
    # Likeness: for each token of a segment the best cosine to a token of another segment, in blocks of rows.
    zero = g.constant(0, np.int64)
    compared = g.op("GreaterOrEqual", ["segments", zero])
    compared_float = g.op("Cast", [compared], to=FLOAT)
    like, across = (
        g.op("Mul", [best, compared_float]) for best in likeness(m, e, compared_float, ("segments", "groups"))
    )
    last = g.op("ReduceMax", ["segments"], keepdims=1)
    first = g.op("ReduceMin", [g.op("Where", [compared, "segments", last])], keepdims=1)
    has_other = g.op("Mul", [compared_float, g.op("Cast", [g.op("Greater", [last, first])], to=FLOAT)])
    # How much of all compared segments, and of the last one, is found in another.
    weights = g.op("MatMul", [e, g.weight("pool_pair")])
    is_last = g.op("And", [compared, g.op("Equal", ["segments", last])])
    means = []
    for mask in (compared, is_last):
        share = g.op("Softmax", [g.op("Where", [mask, weights, g.constant(-1e4)])], axis=-1)
        found = g.op("Mul", [g.op("Mul", [share, like]), g.op("Cast", [mask], to=FLOAT)])
        means.append(g.op("ReduceSum", [found, g.ints(0)], keepdims=1))
    g.op("Concat", [*means, *echoes(m, e, across, compared)], ["pairs"], axis=0)
    # What goes in: words, letter cases, likeness, pictures. A state has no ranks.
    x = g.op("Add", [g.op("Mul", [e, g.weight("input_gain")]), g.op("Gather", [g.weight("case.weight"), "cases"])])
    x = g.op(
        "Add",
        [
            x,
            g.op(
                "MatMul",
                [g.op("Concat", [g.reshape(like, -1, 1), g.reshape(has_other, -1, 1)], axis=1), g.weight("pair")],
            ),
        ],
    )
    if sees:
        x = g.op("Where", [is_placed, g.op("Add", [g.op("Add", [x, look]), place]), x])
    x = g.norm(g.op("Unsqueeze", [x, g.ints(0)]), width=d)
    positions = g.op("Unsqueeze", ["positions", g.ints(0)])
    sentinel_key, sentinel_value = np.zeros((1, H, 1, hd + 1)), np.zeros((1, H, 1, hd + 1))
    # Divided by the square root of hd as every score is, what the queries carry comes out as it is.
    sentinel_key[..., -1], sentinel_value[..., -1] = hd**0.5, 1
    h = g.norm(x, "layers.0.norm1.gain")
    for layer in range(m.layers):
        is_last = layer == m.layers - 1
        *q, k, v = m.projected(h, layer, positions, "kv" if is_last else "qkv")
        for name, part, sentinel in (("keys", k, sentinel_key), ("values", v, sentinel_value)):
            wide = g.op("Pad", [m.by_head(part), g.ints(0, 0, 0, 0, 0, 0, 0, 1)])
            g.op("Concat", [wide, g.constant(sentinel)], [f"{name}_{layer}"], axis=2)
        if not is_last:
            h, x = m.behind_attention(x, m.attention(q[0], k, v), layer, f"layers.{layer + 1}.norm1.gain")
    memory = g.op("Squeeze", [g.norm(x, "memory.gain"), g.ints(0)], ["memory"])
    g.op("Identity", [e], ["words"])
    for name, output in (("point_end", "end_queries"), ("point_state", "point_keys"), ("point_add", "point_added")):
        g.op("Identity", [g.linear(memory, name)], [output])
    wide = [1, H, "state+1", hd + 1]
    shapes = dict(
        words=["state", d],
        memory=["state", d],
        echo=["state", 2],
        pairs=[PAIRS],
        appearance=["state", LOOKS],
        end_queries=["state", POINT],
        point_keys=["state", POINT],
        point_added=["state", POINT],
    )
    g.save(
        state_inputs(model, sees),
        [info(name, FLOAT, shapes.get(name, wide)) for name in state_outputs(m.layers, sees)],
        path,
    )


def seen(m):
    """Decision.seen: [N,D] what image cells say. The pieces spelled nearest to them, by their shares, and what else is told of them."""
    g, d = m.graph, m.width
    said = g.op("MatMul", ["image_features", g.weight("vision_spell")])
    said = g.op("Div", [said, g.op("Max", [g.op("ReduceL2", [said, g.ints(1)], keepdims=1), g.constant(1e-12)])])
    scores = g.op("Mul", [g.op("MatMul", [said, g.weight("vision_codes.T")]), g.weight("vision_sharpness")])
    best, pieces = g.op("TopK", [scores, g.ints(SPELLED)], 2, axis=1)
    blank = g.constant(VOCABULARY, np.int64)
    shares = g.op("Mul", [g.op("Softmax", [best], axis=-1), g.op("Cast", [g.op("Less", [pieces, blank])], to=FLOAT)])
    words = m.words(g.op("Min", [pieces, g.constant(VOCABULARY - 1, np.int64)]))
    written = g.op("Squeeze", [g.op("MatMul", [g.op("Unsqueeze", [shares, g.ints(1)]), words]), g.ints(1)])
    told = g.linear(
        g.op("Sigmoid", [g.linear("image_features", "vision_tell.0", "vision_tell.0.bias")]), "vision_tell.2"
    )
    return g.norm(g.op("Add", [written, told]), width=d)


def echoes(m, e, across, counts):
    """Decision.echoes: [S,2] as `echo`, and the most of the first group and of the others, [1] each."""
    g = m.graph
    logits = g.op("Where", [counts, g.op("MatMul", [e, g.weight("told_content")]), g.constant(-1e4)])
    weight = g.op("Exp", [g.op("Sub", [logits, g.op("ReduceMax", [logits], keepdims=1)])])
    weight = g.op("Mul", [weight, g.op("Cast", [counts], to=FLOAT)])
    echo = g.op(
        "Concat",
        [g.reshape(part, 1, 1, -1) for part in (weight, g.op("Mul", [weight, g.op("Mul", [across, across])]))],
        axis=0,
    )
    g.op("Transpose", [g.reshape(echo, 2, -1)], ["echo"], perm=[1, 0])
    # Around each token what stands behind it, where `told` goes from what stands behind to it.
    kernel = g.op(
        "Slice",
        [
            g.op("Relu", [g.weight("told_kernel")]),
            g.ints(2 * TOLD_WITHIN),
            g.ints(-2 * TOLD_WITHIN - 2),
            g.ints(2),
            g.ints(-1),
        ],
    )
    around = g.op("Conv", [echo, kernel], pads=[TOLD_WITHIN, TOLD_WITHIN])
    share = g.reshape(ratio(g, *g.split(around, [1, 1], axis=0)), -1)
    first = g.op("Equal", ["groups", g.constant(0, np.int64)])
    others = g.op("Greater", ["groups", g.constant(0, np.int64)])
    return [
        g.op("ReduceMax", [g.op("Mul", [share, g.op("Cast", [part], to=FLOAT)])], keepdims=1)
        for part in (first, others)
    ]


def ratio(g, weight, echoed):
    return g.op("Div", [echoed, g.op("Max", [weight, g.constant(1e-6)])])


def likeness(m, e, compared, numbers):
    """For each input of `numbers`, as `segments`, [S] the best cosine of each token to one of another number, 0 at least. Tokens that are not compared are
    zeros: like nothing."""
    g, d = m.graph, m.width
    shown = g.op("Mul", [e, g.op("Unsqueeze", [compared, g.ints(1)])])
    numbered = {name: g.op("Cast", [name], to=FLOAT) for name in numbers}
    # Rows in blocks of a fixed length, filled up behind the last.
    missing = g.op("Mod", [g.op("Neg", [g.op("Shape", ["segments"])]), g.ints(BLOCK)])
    blocks = [
        g.reshape(g.op("Pad", [shown, g.op("Concat", [g.ints(0, 0), missing, g.ints(0)], axis=0)]), -1, BLOCK, d),
        *(
            g.reshape(g.op("Pad", [own, g.op("Concat", [g.ints(0), missing], axis=0)]), -1, BLOCK, 1)
            for own in numbered.values()
        ),
    ]
    kept, g.nodes = g.nodes, []
    cosines = g.product("block_rows", shown, 1 / d, turned=True)
    for name, own in numbered.items():
        other = g.op("Where", [g.op("Equal", [f"block_{name}", own]), g.constant(0.0), cosines])
        g.op("Relu", [g.op("ReduceMax", [other, g.ints(1)], keepdims=0)], [f"best_{name}"])
    body = helper.make_graph(
        g.nodes,
        "likeness",
        [info("block_rows", FLOAT, [BLOCK, d]), *(info(f"block_{name}", FLOAT, [BLOCK, 1]) for name in numbers)],
        [info(f"best_{name}", FLOAT, [BLOCK]) for name in numbers],
    )
    g.nodes = kept
    best = g.op("Scan", blocks, len(numbers), body=body, num_scan_inputs=len(blocks))
    return [g.op("Slice", [g.reshape(own, -1), g.ints(0), g.op("Shape", ["segments"])]) for own in best]


BRANCH_INPUTS = [
    "ids",
    "cases",
    "positions",
    "owners",
    "orders",
    "ranks",
    "marks",
    "mark_weights",
    "kinds",
    "pointers",
    "reads",
    "read_tokens",
    "past_seen",
    "previous",
    "words",
    "memory",
    "echo",
    "pairs",
    "point_keys",
    "point_added",
]
BRANCH_OUTPUTS = ["logits", "topic", "hidden", "start", "end", "absent", "vocabulary", "copy"]
# What the branch reader of pictures takes of the state beside the others.
SEEING_INPUTS = ["appearance", "spots"]


def branch_reader(model, path, sees):
    """Questions: ids … orders [B,T] int64 (owner -1: padding), ranks [B,T] float. What is read of them, as rows of [B·T]: marks [B,R] with
    mark_weights 1, or 0 where there are fewer, and kinds [B,R]; pointers [B,P]; reads [B,W] with read_tokens, the token at each. Lists of no
    columns cost nothing. The state: previous [S] int64, the token before each, and what the state encoder made of it; when it sees pictures, spots [S,SPOT] too, as `spots_of` in
    decision/batches.py, -1 for what is no word that was read in a picture.

    logits [B,R]; topic [1,D] the pooled state where options are compared with it; hidden [B,R,D] the marks behind the last layer; start, end [B,P,S];
    absent [B,P]; vocabulary [B,W,8192]; copy [B,W,S]. P and W are 0 or 1.

    Texts are written a token at a time: new_keys_0 … new_values_L [B,H,T,hd] are what a pass made of its tokens, and past_keys_0 … past_values_L [B,H,Q,hd]
    what earlier ones made of the tokens before them, which all see where past_seen [B,Q] is 1. Q is 0 for whole questions."""
    m = Model(model, "branch_reader")
    g, d, H, hd = m.graph, m.width, m.heads, m.hd
    e = m.words("ids")
    x = g.op("Add", [g.op("Mul", [e, g.weight("input_gain")]), g.op("Gather", [g.weight("case.weight"), "cases"])])
    # (rank, 1 - rank) times its two vectors for the marks of a scale, (0, 0) elsewhere.
    ranked = g.op("Cast", [g.op("GreaterOrEqual", ["ranks", g.constant(0.0)])], to=FLOAT)
    ends = [g.op("Mul", [part, ranked]) for part in ("ranks", g.op("Sub", [g.constant(1.0), "ranks"]))]
    x = g.op(
        "Add",
        [
            x,
            g.op(
                "MatMul",
                [g.op("Concat", [g.op("Unsqueeze", [part, g.ints(2)]) for part in ends], axis=2), g.weight("rank")],
            ),
        ],
    )
    x = g.norm(x, width=d)
    # Who sees whom among the tokens of a question.
    column, line = g.ints(2), g.ints(1)
    owner_of, owner_by = g.op("Unsqueeze", ["owners", column]), g.op("Unsqueeze", ["owners", line])
    order_of, order_by = g.op("Unsqueeze", ["orders", column]), g.op("Unsqueeze", ["orders", line])
    shares = g.op("Or", [g.op("Equal", [owner_by, g.constant(0, np.int64)]), g.op("Equal", [owner_of, owner_by])])
    inside = g.op("And", [shares, g.op("LessOrEqual", [order_by, order_of])])
    is_mark = g.op("Equal", ["ids", g.constant(MARK, np.int64)])
    among = g.op("And", [g.op("Unsqueeze", [is_mark, column]), g.op("Unsqueeze", [is_mark, line])])
    bias = g.op("Where", [g.op("Or", [inside, among]), g.constant(0.0), g.constant(-1e9)])
    past = g.op("Where", [g.op("Greater", ["past_seen", g.constant(0.5)]), g.constant(0.0), g.constant(-1e9)])
    past = g.op(
        "Expand", [g.op("Unsqueeze", [past, line]), g.op("Concat", [g.op("Shape", ["ids"]), g.ints(1)], axis=0)]
    )
    bias = g.op("Concat", [past, bias], axis=2)
    everywhere = g.op("Unsqueeze", [bias, line])
    rows = g.op("Concat", ["marks", "pointers", "reads"], axis=1)

    def attend(layer, q, k, v, bias):
        """q [B,N,D] over the state, and over what is past and k, v [B,T,D], where the bias [B,1,N,Q+T] allows it."""
        made = [m.by_head(part, [f"new_{name}_{layer}"]) for name, part in (("keys", k), ("values", v))]
        k, v = (g.op("Concat", [f"past_{name}_{layer}", part], axis=2) for name, part in zip(("keys", "values"), made))
        scores = g.op("Add", [g.product(m.by_head(q), k, hd**-0.5, turned=True), bias])
        shares = g.op("Softmax", [scores], axis=-1)
        # The log-sum-exp, by the largest: ReduceLogSumExp goes number by number.
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
    # The last layer runs on the rows that are read only.
    q, k, v = m.projected(h, m.layers - 1, "positions")
    picked = g.op("Gather", [g.reshape(q, -1, d), rows])
    width = g.op("Shape", [bias], start=2, end=3)
    bias = g.op("Gather", [g.op("Reshape", [bias, g.op("Concat", [g.ints(-1), width], axis=0)]), rows])
    attended = attend(m.layers - 1, picked, k, v, g.op("Unsqueeze", [bias, g.ints(1)]))
    final, _ = m.behind_attention(g.op("Gather", [g.reshape(x, -1, d), rows]), attended, m.layers - 1, "final.gain")

    counts = [g.op("Shape", [name], start=1, end=2) for name in ("marks", "pointers", "reads")]
    hidden = g.op("Split", [final, g.op("Concat", counts, axis=0)], 3, axis=1)
    is_asked = [g.op("Squeeze", [g.op("Greater", [count, g.ints(0)])]) for count in counts]
    table, block = np.zeros((0, 0)), np.zeros((0, 0, 0))
    seeing = Seeing(m) if sees else None
    g.when(
        is_asked[0], lambda: read_marks(m, hidden[0], e, seeing), [table, table, block], ["logits", "topic", "hidden"]
    )
    g.when(
        is_asked[1], lambda: read_pointers(m, hidden[1], e, seeing), [block, block, table], ["start", "end", "absent"]
    )
    g.when(is_asked[2], lambda: read_next(m, hidden[2], e, seeing), [block, block], ["vocabulary", "copy"])
    tokens, marks, state, wide = ["batch", "tokens"], ["batch", "marks"], ["state"], [1, H, "state+1", hd + 1]
    shapes = dict(
        marks=marks,
        mark_weights=marks,
        kinds=marks,
        pointers=["batch", "pointers"],
        reads=["batch", "reads"],
        read_tokens=["batch", "reads"],
        previous=state,
        past_seen=["batch", "past"],
        words=["state", d],
        memory=["state", d],
        echo=["state", 2],
        pairs=[PAIRS],
        point_keys=["state", POINT],
        point_added=["state", POINT],
        appearance=["state", LOOKS],
        spots=["state", SPOT],
    )
    floats = {
        "ranks",
        "mark_weights",
        "past_seen",
        "words",
        "memory",
        "echo",
        "pairs",
        "point_keys",
        "point_added",
        *SEEING_INPUTS,
    }
    inputs = [
        info(name, FLOAT if name in floats else INT64, shapes.get(name, tokens))
        for name in [*BRANCH_INPUTS, *(SEEING_INPUTS if sees else [])]
    ]
    inputs += [info(name, FLOAT, wide) for name in by_layer("", m.layers)]
    inputs += [info(name, FLOAT, ["batch", H, "past", hd]) for name in by_layer("past_", m.layers)]
    outputs = [info(name, FLOAT, None) for name in BRANCH_OUTPUTS]
    outputs += [info(name, FLOAT, ["batch", H, "tokens", hd]) for name in by_layer("new_", m.layers)]
    g.save(inputs, outputs, path)


def read_marks(m, h, e, seeing):
    """Decision.similarities and Decision.decide for h [B,R,D], e [B,T,D] the words of the questions."""
    g, d = m.graph, m.width
    column, line = g.ints(2), g.ints(1)
    text = g.op("Less", ["ids", g.constant(VOCABULARY, np.int64)])
    is_asked = g.op("And", [text, g.op("Equal", ["owners", g.constant(0, np.int64)])])
    asked = g.op("Cast", [is_asked], to=FLOAT)
    asked_once = g.op("Unsqueeze", [asked, line])
    asked = g.op("Div", [asked, g.op("Max", [g.op("ReduceSum", [asked, g.ints(1)], keepdims=1), g.constant(1.0)])])
    asked = g.op("MatMul", [g.op("Unsqueeze", [asked, line]), e])
    # Each mark pools the words of its owner; an option without words pools all tokens of its question alike, and padding none of them.
    owner = g.op("Gather", [g.reshape("owners", -1), "marks"])
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
    look = g.op(
        "Softmax", [g.product(g.op("MatMul", [asked, g.weight("ask")]), "words", d**-0.5, turned=True)], axis=-1
    )
    look = g.norm(g.op("MatMul", [g.op("MatMul", [look, "words"]), g.weight("left2")]), width=d)
    looked = g.product(g.norm(g.op("MatMul", [option, g.weight("right2")]), width=d), look, 1 / d, turned=True)
    # Decision.beside, of a question without words nothing.
    alike = g.op("Relu", [cosines])
    asked_weights = g.op(
        "Softmax", [g.op("Where", [g.op("Unsqueeze", [is_asked, line]), pool, g.constant(-1e4)])], axis=-1
    )
    squared = g.op("Mul", [alike, alike])
    named = g.op("MatMul", [g.op("Mul", [asked_weights, asked_once]), squared])
    near = g.op("Conv", [named, g.weight("beside_kernel")], pads=[AROUND, AROUND])
    places = g.op("Softmax", [g.op("Mul", [g.op("MatMul", [weights, alike]), g.weight("beside_sharpness")])], axis=-1)
    beside = g.op("ReduceSum", [g.op("Mul", [places, near]), column], keepdims=1)
    # Decision.told, a mark a row of one channel.
    named = g.op("MatMul", [weights, squared])
    rows = g.op("Reshape", [named, g.op("Concat", [g.ints(-1, 1), g.op("Shape", ["echo"], start=0, end=1)], axis=0)])
    rows = g.op("Conv", [rows, g.weight("told_name")], pads=[NAME, NAME])
    rows = g.op("Softmax", [g.op("Mul", [rows, g.weight("told_sharpness")])], axis=-1)
    standing = g.op("Reshape", [rows, g.op("Shape", [named])])
    rows = g.op("Conv", [rows, g.op("Relu", [g.weight("told_kernel")])], pads=[TOLD_WITHIN, TOLD_WITHIN])
    told = ratio(g, *g.split(g.op("MatMul", [g.op("Reshape", [rows, g.op("Shape", [named])]), "echo"]), [1, 1]))
    features = g.op("Concat", [pooled, matched, looked, beside, told], axis=2)
    # Against the mean of the question's options, and against the best other.
    real = g.op("Unsqueeze", ["mark_weights", line])
    count = g.op("ReduceSum", [real, column], keepdims=1)
    size = g.op("Squeeze", [g.op("Shape", ["marks"], start=1, end=2)])
    index = g.op("Range", [g.constant(0, np.int64), size, g.constant(1, np.int64)])
    is_other = g.op("Not", [g.op("Equal", [index, g.op("Unsqueeze", [index, g.ints(1)])])])
    others = g.op("And", [g.op("Greater", [real, g.constant(0.5)]), is_other])

    def mean_of(values):
        return g.op("Div", [g.op("MatMul", [real, values]), count])

    def compared(values, least):
        """Decision.compared, its three parts."""
        from_mean = g.op("Sub", [values, mean_of(values)])
        other = g.op(
            "Where", [g.op("Unsqueeze", [others, g.ints(3)]), g.op("Unsqueeze", [values, line]), g.constant(least)]
        )
        other = g.op("ReduceMax", [other, column], keepdims=0)
        other = g.op("Where", [g.op("Greater", [count, g.constant(1.5)]), other, values])
        return [values, from_mean, g.op("Sub", [values, other])]

    shape = g.op("Concat", [g.op("Shape", ["marks"]), g.ints(PAIRS)], axis=0)
    seen = [*compared(features, -1.0), g.op("Expand", ["pairs", shape])]
    seen = g.op("Mul", [g.op("Concat", seen, axis=2), g.constant(4.0)])
    onehot = g.op("Gather", [g.constant(np.eye(SCORED)), "kinds"])
    mixed = g.op("Relu", [g.linear(g.op("Concat", [h, seen, onehot], axis=2), "mix", "mix.bias")])
    direct = g.op(
        "ReduceSum", [g.op("Mul", [features, g.op("Gather", [g.weight("direct"), "kinds"])]), column], keepdims=0
    )
    gated = g.op("ReduceSum", [g.op("Mul", [g.linear(h, "gate"), seen]), column], keepdims=0)
    logits = [g.op("Squeeze", [g.linear(part, name), column]) for part, name in ((mixed, "out"), (h, "flat"))]
    if seeing is not None:
        aligned = seeing.aligned(own, weights, g.op("Mul", [asked_weights, asked_once]), cosines, standing)
        logits.append(seeing.shown(h, aligned, standing, mean_of, compared))
    return g.op("Sum", [*logits, direct, gated, g.op("Gather", [g.weight("offset"), "kinds"])]), topic, h


def sought(m, e):
    """What a question names, for e [B,T,D] the words of the questions: Decision.found [B,1,S], Decision.wanted [B,1,T], and cosines of words and state [B,T,S]."""
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
    """Decision.behind. Padded by as much as the kernel is long: the token itself does not count, and one too many comes out at the end."""
    return g.op(
        "Slice", [g.op("Conv", [found, g.weight("seek_after")], pads=[AFTER, 0]), g.ints(0), g.ints(-1), g.ints(2)]
    )


def by_gate(g, h, gate, values):
    return g.op("Mul", [g.op("Mul", [g.linear(h, gate, f"{gate}.bias"), g.constant(8.0)]), values])


def read_pointers(m, h, e, seeing):
    """Decision.point and Decision.absent for h [B,1,D], e [B,T,D] the words of the questions."""
    g = m.graph
    found, *asked = sought(m, e)
    added = g.op("Add", ["point_added", g.linear(h, "point_ask")])
    z = g.op("Relu", [g.op("Add", [g.op("Mul", ["point_keys", g.linear(h, "point_mark")]), added])])
    start, end = (g.transpose(part, 0, 2, 1) for part in g.split(g.linear(z, "point_out"), [1, 1]))
    gains = [by_gate(g, h, "seek_gate", found), by_gate(g, h, "seek_after_gate", behind(g, found))]
    if seeing is not None:
        gains.append(seeing.gained(h, "aside_gate", *asked))
    start = g.op("Sum", [start, *gains])
    top = g.op("Mul", [g.op("ReduceMax", [start, g.ints(2)], keepdims=1), g.constant(0.3)])
    absent = g.linear(g.op("Concat", [h, top], axis=2), "nothing", "nothing.bias")
    return start, end, g.op("Squeeze", [absent, g.ints(2)])


def read_next(m, h, e, seeing):
    """Decision.next_token for h [B,W,D], e [B,T,D] the words of the questions."""
    g, d = m.graph, m.width
    pieces = g.norm(g.weight("embedding.weight"), width=d)
    vocabulary = g.op("Add", [g.product(g.linear(h, "write"), pieces, 0.25, turned=True), g.weight("write_bias")])
    # The same as copy_state(memory) · copy_mark(h), with the state left as it is.
    wanted = g.product(g.linear(h, "copy_mark"), g.weight(f"copy_state.weight{TRANSPOSED}"), d**-0.5, turned=True)
    written = g.op("Unsqueeze", ["read_tokens", g.ints(2)])
    follows = g.op("Cast", [g.op("Equal", ["previous", written])], to=FLOAT)
    is_first = g.op("Cast", [g.op("Equal", [written, g.constant(MARK, np.int64)])], to=FLOAT)
    found, *asked = sought(m, e)
    begins = by_gate(g, h, "copy_after_gate", behind(g, found))
    if seeing is not None:
        begins = g.op("Add", [begins, seeing.gained(h, "aside_copy_gate", *asked)])
    begins = g.op("Mul", [is_first, begins])
    copy = g.op(
        "Sum", [g.product(wanted, "memory", turned=True), g.op("Mul", [follows, g.weight("copy_next")]), begins]
    )
    return vocabulary, copy
