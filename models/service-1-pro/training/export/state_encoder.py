"""The state encoder as an ONNX graph: a state, once, to what its questions need of it.

graphs.py explains the sentinel.
"""

import numpy as np
from onnx import helper

from decision.constants import APPEARANCE, GEOMETRY, IMAGE, OVERLAP_WITHIN, PAIRS, SPELLED, VOCABULARY
from export.graphs import POINT, Model, by_layer, ratio
from export.nodes import FLOAT, INT64, info
from export.tensor_names import CELL_INDEX, OVERLAP_TERMS

# Rows of the state that are compared with all others at a time.
BLOCK = 256


def state_inputs(model, sees):
    texts = [info(name, INT64, ["state"]) for name in ("ids", "cases", "segments", "groups", "positions")]
    if not sees:
        return texts
    return [
        *texts,
        info("places", INT64, ["state"]),
        info(CELL_INDEX, INT64, ["state"]),
        info("image_features", FLOAT, ["cells", model.config.vision_width]),
        info("image_places", FLOAT, ["placed", GEOMETRY]),
    ]


def state_outputs(layers, sees):
    return [
        "words",
        "memory",
        OVERLAP_TERMS,
        "pairs",
        "end_queries",
        "point_keys",
        "point_added",
        *(["appearance"] if sees else []),
        *by_layer("", layers),
    ]


def state_encoder(model, path, sees):
    """Writes the state encoder; `sees`: the one for states with pictures.

    Inputs: ids, cases, segments, groups, positions [S] int64. With pictures: places [S] int64, the row of the image
    places or -1; CELL_INDEX [S] int64; image_features [N,vision_width]; image_places [M,6], geometry of the cells and
    behind them of the words that were read.

    Outputs: words, memory [S,D]; OVERLAP_TERMS [S,2]; pairs [4]; with pictures appearance [S,APPEARANCE]; end_queries,
    point_keys, point_added [S,128], the state's part of pointing; keys_0 … values_L [1,H,S+1,hd+1], the sentinel
    last."""
    m = Model(model, "state_encoder")
    g, d, H, hd = m.graph, m.width, m.heads, m.hd
    e = m.words("ids")
    if sees:
        # Image cells: the words they spell, their attributes, geometry and appearance.
        is_cell = g.op("Unsqueeze", [g.op("Equal", ["ids", g.constant(IMAGE, np.int64)]), g.ints(1)])
        is_placed = g.op("Unsqueeze", [g.op("GreaterOrEqual", ["places", g.constant(0, np.int64)]), g.ints(1)])
        row = g.op("Max", ["places", g.constant(0, np.int64)])
        cell = g.op("Max", [CELL_INDEX, g.constant(0, np.int64)])
        e = g.op("Where", [is_cell, g.op("Gather", [cell_vectors(m), cell]), e])
        place = g.op(
            "Gather",
            [g.linear(g.op("Relu", [g.linear("image_places", "geometry.0", "geometry.0.bias")]), "geometry.2"), row],
        )
        rest = g.op("Gather", [g.norm(g.linear("image_features", "vision_rest"), width=d), cell])
        appearing = g.op("Where", [is_cell, rest, g.op("Mul", [rest, g.weight("vision_appearance")])])
        appearance = g.linear(g.norm("image_features", width=model.config.vision_width), "appearance_state")
        g.op("Where", [is_placed, g.op("Gather", [appearance, cell]), g.constant(0.0)], ["appearance"])
    # For each token its best cosine to a token of another segment, in blocks of rows.
    zero = g.constant(0, np.int64)
    compared = g.op("GreaterOrEqual", ["segments", zero])
    compared_float = g.op("Cast", [compared], to=FLOAT)
    like, across = (
        g.op("Mul", [best, compared_float]) for best in likeness(m, e, compared_float, ("segments", "groups"))
    )
    last = g.op("ReduceMax", ["segments"], keepdims=1)
    first = g.op("ReduceMin", [g.op("Where", [compared, "segments", last])], keepdims=1)
    has_other = g.op("Mul", [compared_float, g.op("Cast", [g.op("Greater", [last, first])], to=FLOAT)])
    # How much of all segments, and of the last one, is found in another.
    weights = g.op("MatMul", [e, g.weight("pool_pair")])
    is_last = g.op("And", [compared, g.op("Equal", ["segments", last])])
    means = []
    for mask in (compared, is_last):
        share = g.op("Softmax", [g.op("Where", [mask, weights, g.constant(-1e4)])], axis=-1)
        found = g.op("Mul", [g.op("Mul", [share, like]), g.op("Cast", [mask], to=FLOAT)])
        means.append(g.op("ReduceSum", [found, g.ints(0)], keepdims=1))
    g.op("Concat", [*means, *overlap_terms(m, e, across, compared)], ["pairs"], axis=0)
    # Inputs of the first layer: words, letter cases, likeness, pictures. A state has no ranks.
    x = g.op("Add", [g.op("Mul", [e, g.weight("input_gain")]), g.op("Gather", [g.weight("case.weight"), "cases"])])
    likes = g.op("Concat", [g.reshape(like, -1, 1), g.reshape(has_other, -1, 1)], axis=1)
    x = g.op("Add", [x, g.op("MatMul", [likes, g.weight("pair")])])
    if sees:
        x = g.op("Where", [is_placed, g.op("Add", [g.op("Add", [x, appearing]), place]), x])
    x = g.norm(g.op("Unsqueeze", [x, g.ints(0)]), width=d)
    positions = g.op("Unsqueeze", ["positions", g.ints(0)])
    sentinel_key, sentinel_value = np.zeros((1, H, 1, hd + 1)), np.zeros((1, H, 1, hd + 1))
    # Scores are divided by the square root of hd; multiplied by it here, what the queries carry comes out unchanged.
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
        **{OVERLAP_TERMS: ["state", 2]},
        pairs=[PAIRS],
        appearance=["state", APPEARANCE],
        end_queries=["state", POINT],
        point_keys=["state", POINT],
        point_added=["state", POINT],
    )
    g.save(
        state_inputs(model, sees),
        [info(name, FLOAT, shapes.get(name, wide)) for name in state_outputs(m.layers, sees)],
        path,
    )


def cell_vectors(m):
    """Decision.spelled and Decision.cell_vectors: [N,D] vectors of image cells."""
    g, d = m.graph, m.width
    said = g.op("MatMul", ["image_features", g.weight("vision_spell")])
    said = g.op("Div", [said, g.op("Max", [g.op("ReduceL2", [said, g.ints(1)], keepdims=1), g.constant(1e-12)])])
    scores = g.op("Mul", [g.op("MatMul", [said, g.weight("vision_codes.T")]), g.weight("vision_sharpness")])
    best, pieces = g.op("TopK", [scores, g.ints(SPELLED)], 2, axis=1)
    blank = g.constant(VOCABULARY, np.int64)
    shares = g.op("Mul", [g.op("Softmax", [best], axis=-1), g.op("Cast", [g.op("Less", [pieces, blank])], to=FLOAT)])
    words = m.words(g.op("Min", [pieces, g.constant(VOCABULARY - 1, np.int64)]))
    written = g.op("Squeeze", [g.op("MatMul", [g.op("Unsqueeze", [shares, g.ints(1)]), words]), g.ints(1)])
    attributes = g.linear(
        g.op("Sigmoid", [g.linear("image_features", "vision_attributes.0", "vision_attributes.0.bias")]),
        "vision_attributes.2",
    )
    return g.norm(g.op("Add", [written, attributes]), width=d)


def overlap_terms(m, e, across, counts):
    """Decision.overlap_terms: names [S,2] OVERLAP_TERMS, and returns its largest overlaps, [1] each."""
    g = m.graph
    logits = g.op("Where", [counts, g.op("MatMul", [e, g.weight("overlap_content")]), g.constant(-1e4)])
    weight = g.op("Exp", [g.op("Sub", [logits, g.op("ReduceMax", [logits], keepdims=1)])])
    weight = g.op("Mul", [weight, g.op("Cast", [counts], to=FLOAT)])
    terms = g.op(
        "Concat",
        [g.reshape(part, 1, 1, -1) for part in (weight, g.op("Mul", [weight, g.op("Mul", [across, across])]))],
        axis=0,
    )
    g.op("Transpose", [g.reshape(terms, 2, -1)], [OVERLAP_TERMS], perm=[1, 0])
    # The kernel is flipped, as in Decision.overlap_terms.
    kernel = g.op(
        "Slice",
        [
            g.op("Relu", [g.weight("overlap_kernel")]),
            g.ints(2 * OVERLAP_WITHIN),
            g.ints(-2 * OVERLAP_WITHIN - 2),
            g.ints(2),
            g.ints(-1),
        ],
    )
    around = g.op("Conv", [terms, kernel], pads=[OVERLAP_WITHIN, OVERLAP_WITHIN])
    share = g.reshape(ratio(g, *g.split(around, [1, 1], axis=0)), -1)
    first = g.op("Equal", ["groups", g.constant(0, np.int64)])
    others = g.op("Greater", ["groups", g.constant(0, np.int64)])
    return [
        g.op("ReduceMax", [g.op("Mul", [share, g.op("Cast", [part], to=FLOAT)])], keepdims=1)
        for part in (first, others)
    ]


def likeness(m, e, compared, numbers):
    """For each input of `numbers` (as `segments`): the best cosine [S] of each token to one of another number.

    It is at least 0. Tokens that are not compared become zeros, which are like nothing."""
    g, d = m.graph, m.width
    shown = g.op("Mul", [e, g.op("Unsqueeze", [compared, g.ints(1)])])
    numbered = {name: g.op("Cast", [name], to=FLOAT) for name in numbers}
    # Rows go in blocks of a fixed length; the last one is padded.
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
