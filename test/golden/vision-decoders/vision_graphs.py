"""Vision encoders and embeddings as ONNX graphs, written node by node from the state dict: names and shapes as the exports for transformers.js have them."""
import numpy as np

from graphs import FLOAT, INT64, Graph, info

LEAST = -1e30


def embed_graph(weight, path, factor=1):
    g = Graph("embed_tokens")
    rows = g.op("Gather", [g.const(weight), "input_ids"], 1 if factor != 1 else ["inputs_embeds"])
    if factor != 1:
        g.op("Mul", [rows, g.const(np.float32(factor))], ["inputs_embeds"])
    shape = ["batch_size", "sequence_length"]
    g.save([info("input_ids", INT64, shape)], [info("inputs_embeds", FLOAT, [*shape, weight.shape[1]])], path)


class Encoder(Graph):
    """What vision encoders share. `w`: the state dict."""

    def __init__(self, w):
        super().__init__("vision_encoder")
        self.w = w

    def linear(self, x, name):
        y = self.op("MatMul", [x, self.const(self.w[f"{name}.weight"].T)])
        return self.op("Add", [y, self.const(self.w[f"{name}.bias"])]) if f"{name}.bias" in self.w else y

    def norm(self, x, name, epsilon):
        """Of layers where there is a bias, else of root mean squares."""
        weight = self.const(self.w[f"{name}.weight"])
        if f"{name}.bias" not in self.w:
            return self.op("SimplifiedLayerNormalization", [x, weight], axis=-1, epsilon=epsilon)
        return self.op("LayerNormalization", [x, weight, self.const(self.w[f"{name}.bias"])], axis=-1, epsilon=epsilon)


def qwen_vision_graph(w, config, grid_name, path):
    """Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5, for one picture a pass. Windows of attention are a bias here, which gives the same sums as other orders of patches."""
    c = config.vision_config
    is_25, is_3 = config.model_type == "qwen2_5_vl", config.model_type in ("qwen3_vl", "qwen3_5")
    # The features behind these layers are given besides, each through a merger of its own.
    tapped = list(c.deepstack_visual_indexes) if config.model_type == "qwen3_vl" else []
    hidden = c.hidden_size if is_25 or is_3 else c.embed_dim
    heads, merge = c.num_heads, c.spatial_merge_size
    dim = hidden // heads
    g = Encoder({name.removeprefix("model.visual."): value for name, value in w.items()})
    number = lambda value: g.const(np.int64(value))
    of = lambda kind, a, b: g.op(kind, [a, b])

    across = g.op("Slice", [g.op("Reshape", [grid_name, g.const([-1])]), g.const([2]), g.const([3])])
    count = g.op("Gather", [g.op("Shape", ["pixel_values"]), g.const(0)])
    patch = g.op("Range", [number(0), count, number(1)])
    # Patches come in blocks that are merged: the row and the column of each.
    block, within = of("Div", patch, number(merge**2)), of("Mod", patch, number(merge**2))
    wide = of("Div", across, number(merge))
    block_row, block_col = of("Div", block, wide), of("Mod", block, wide)
    row = of("Add", of("Mul", block_row, number(merge)), of("Div", within, number(merge)))
    col = of("Add", of("Mul", block_col, number(merge)), of("Mod", within, number(merge)))
    inverse = g.const((1 / 10000 ** (np.arange(0, dim // 2, 2) / (dim // 2))).astype(np.float32))
    angle = lambda place: of("Mul", g.op("Cast", [g.op("Unsqueeze", [place, g.const([1])])], to=FLOAT), inverse)
    angles = g.op("Concat", [angle(row), angle(col)], axis=1)
    tables = g.op("Cos", [angles]), g.op("Sin", [angles])
    positions = g.op("Unsqueeze", [patch, g.const([0])])
    if is_25:
        side = c.window_size // merge // c.patch_size
        windows = of("Add", of("Mul", of("Div", block_row, number(side)), number(100000)), of("Div", block_col, number(side)))
        same = of("Equal", g.op("Unsqueeze", [windows, g.const([0])]), g.op("Unsqueeze", [windows, g.const([1])]))
        bias = g.op("Unsqueeze", [g.op("Where", [same, g.const(np.float32(0)), g.const(np.float32(LEAST))]), g.const([0, 1])])

    def project(merged, first, second, output):
        h = g.op("Gelu", [g.linear(merged, first)])
        y = g.op("MatMul", [h, g.const(g.w[f"{second}.weight"].T)])
        g.op("Add", [y, g.const(g.w[f"{second}.bias"])], [output])

    x = g.op("MatMul", ["pixel_values", g.const(g.w["patch_embed.proj.weight"].reshape(hidden, -1).T)])
    if is_3:
        # A table of places, stretched linearly from its corners to those of the picture.
        side = int(c.num_position_embeddings**0.5)
        down = of("Div", g.op("Reshape", [count, g.const([1])]), across)

        def near(place, total):
            """[patch, table]"""
            steps = g.op("Max", [g.op("Cast", [of("Sub", total, number(1))], to=FLOAT), g.const(np.float32(1))])
            at = of("Div", of("Mul", g.op("Cast", [place], to=FLOAT), g.const(np.float32(side - 1))), steps)
            apart = g.op("Abs", [of("Sub", g.op("Unsqueeze", [at, g.const([1])]), g.const(np.arange(side, dtype=np.float32)))])
            return g.op("Relu", [of("Sub", g.const(np.float32(1)), apart)])

        rows = of("MatMul", near(row, down), g.const(g.w["pos_embed.weight"].reshape(side, side * hidden)))
        rows = g.op("Reshape", [rows, g.const([-1, side, hidden])])
        places = g.op("ReduceSum", [of("Mul", rows, g.op("Unsqueeze", [near(col, across), g.const([2])])), g.const([1])], keepdims=0)
        x = of("Add", of("Add", x, g.const(g.w["patch_embed.proj.bias"])), places)
    x = g.op("Unsqueeze", [x, g.const([0])])
    for i in range(c.depth):
        layer = f"blocks.{i}."
        q, k, v = g.op("Split", [g.linear(g.norm(x, layer + "norm1", 1e-6), layer + "attn.qkv")], 3, axis=-1, num_outputs=3)
        q, k = (g.op("RotaryEmbedding", [one, positions, *tables], domain="com.microsoft", num_heads=heads, rotary_embedding_dim=0) for one in (q, k))
        windowed = is_25 and i not in c.fullatt_block_indexes
        h = g.op("MultiHeadAttention", [q, k, v, *(["", "", bias] if windowed else [])], domain="com.microsoft", num_heads=heads)
        x = g.op("Add", [x, g.linear(h, layer + "attn.proj")])
        h = g.norm(x, layer + "norm2", 1e-6)
        if is_25:
            gate = g.linear(h, layer + "mlp.gate_proj")
            gate = g.op("Mul", [gate, g.op("Sigmoid", [gate])])
            h = g.linear(g.op("Mul", [gate, g.linear(h, layer + "mlp.up_proj")]), layer + "mlp.down_proj")
        elif is_3:
            h = g.op("Gelu", [g.linear(h, layer + "mlp.linear_fc1")], approximate="tanh")
            h = g.linear(h, layer + "mlp.linear_fc2")
        else:
            h = g.linear(h, layer + "mlp.fc1")
            h = g.op("Mul", [h, g.op("Sigmoid", [g.op("Mul", [h, g.const(np.float32(1.702))])])])
            h = g.linear(h, layer + "mlp.fc2")
        x = g.op("Add", [x, h])
        if i in tapped:
            level = tapped.index(i)
            here = f"deepstack_merger_list.{level}"
            # Normalised behind the merging, unlike the last features.
            merged = g.norm(g.op("Reshape", [x, g.const([-1, hidden * merge**2])]), f"{here}.norm", 1e-6)
            project(merged, f"{here}.linear_fc1", f"{here}.linear_fc2", f"deepstack_features_{level}")
    norm_name, first, second = ("merger.norm", "merger.linear_fc1", "merger.linear_fc2") if is_3 else ("merger.ln_q", "merger.mlp.0", "merger.mlp.2")
    project(g.op("Reshape", [g.norm(x, norm_name, 1e-6), g.const([-1, hidden * merge**2])]), first, second, "image_features")
    width = 3 * c.temporal_patch_size * c.patch_size**2
    g.save(
        [info("pixel_values", FLOAT, ["num_patches", width]), info(grid_name, INT64, ["num_images", 3])],
        [info(name, FLOAT, ["num_tokens", config.text_config.hidden_size]) for name in ["image_features", *(f"deepstack_features_{i}" for i in range(len(tapped)))]],
        path,
    )


def lfm2_vision_graph(w, config, path):
    """SigLIP2 with pictures of many sizes and the projector of LFM2-VL, for one tile a pass: padding is masked, and cut off behind the encoder."""
    c, factor = config.vision_config, config.downsample_factor
    hidden, side = c.hidden_size, int(c.num_patches**0.5)
    g = Encoder({name.removeprefix("model.").replace("vision_tower.vision_model.", "vision_tower."): value for name, value in w.items()})
    here = "vision_tower."
    shape = g.op("Reshape", ["spatial_shapes", g.const([2])])
    real = g.op("ReduceProd", [shape], keepdims=1)
    padded = g.op("Shape", ["pixel_values"], start=1, end=2)

    def stretch(at):
        """Weights of linear interpolation with antialiasing, [target, source], from the table's side to that of the picture."""
        target = g.op("Slice", [shape, g.const([at]), g.const([at + 1])])
        scale = g.op("Div", [g.const(np.float32(side)), g.op("Cast", [target], to=FLOAT)])
        reach = g.op("Max", [scale, g.const(np.float32(1))])
        place = g.op("Add", [g.op("Cast", [g.op("Range", [g.const(0), target, g.const(1)])], to=FLOAT), g.const(np.float32(0.5))])
        centre = g.op("Unsqueeze", [g.op("Mul", [place, scale]), g.const([1])])
        apart = g.op("Abs", [g.op("Sub", [g.const(np.arange(side, dtype=np.float32) + np.float32(0.5)), centre])])
        weight = g.op("Relu", [g.op("Sub", [g.const(np.float32(1)), g.op("Div", [apart, reach])])])
        return g.op("Div", [weight, g.op("ReduceSum", [weight, g.const([1])], keepdims=1)])

    table = g.const(g.w[here + "embeddings.position_embedding.weight"].reshape(side, side * hidden))
    rows = g.op("Reshape", [g.op("MatMul", [stretch(0), table]), g.const([-1, side, hidden])])
    places = g.op("Reshape", [g.op("MatMul", [stretch(1), rows]), g.const([1, -1, hidden])])
    fill = g.op("Concat", [g.const([0, 0, 0, 0]), g.op("Sub", [padded, real]), g.const([0])], axis=0)
    x = g.op("Add", [g.linear("pixel_values", here + "embeddings.patch_embedding"), g.op("Pad", [places, fill])])

    hidden_ones = g.op("Mul", [g.op("Sub", [g.const(np.float32(1)), g.op("Cast", ["pixel_attention_mask"], to=FLOAT)]), g.const(np.float32(LEAST))])
    bias = g.op("Expand", [g.op("Unsqueeze", [hidden_ones, g.const([1, 2])]), g.op("Concat", [g.const([1, 1]), padded, padded], axis=0)])
    for i in range(c.num_hidden_layers):
        layer = f"{here}encoder.layers.{i}."
        h = g.norm(x, layer + "layer_norm1", c.layer_norm_eps)
        q, k, v = (g.linear(h, f"{layer}self_attn.{n}_proj") for n in "qkv")
        h = g.op("MultiHeadAttention", [q, k, v, "", "", bias], domain="com.microsoft", num_heads=c.num_attention_heads)
        x = g.op("Add", [x, g.linear(h, layer + "self_attn.out_proj")])
        h = g.op("Gelu", [g.linear(g.norm(x, layer + "layer_norm2", c.layer_norm_eps), layer + "mlp.fc1")], approximate="tanh")
        x = g.op("Add", [x, g.linear(h, layer + "mlp.fc2")])
    x = g.norm(x, here + "post_layernorm", c.layer_norm_eps)
    x = g.op("Slice", [x, g.const([0]), real, g.const([1])])

    # Neighbours of a factor x factor block side by side.
    down = g.op("Slice", [shape, g.const([0]), g.const([1])])
    x = g.op("Reshape", [x, g.op("Concat", [g.const([1]), down, g.const([-1, hidden * factor])], axis=0)])
    x = g.op("Transpose", [x], perm=[0, 2, 1, 3])
    x = g.op("Reshape", [x, g.const([0, 0, -1, hidden * factor**2])])
    x = g.op("Reshape", [g.op("Transpose", [x], perm=[0, 2, 1, 3]), g.const([-1, hidden * factor**2])])
    there = "multi_modal_projector."
    if config.projector_use_layernorm:
        x = g.norm(x, there + "layer_norm", 1e-5)
    x = g.op("Gelu", [g.linear(x, there + "linear_1")])
    y = g.op("MatMul", [x, g.const(g.w[there + "linear_2.weight"].T)])
    g.op("Add", [y, g.const(g.w[there + "linear_2.bias"])], ["image_features"])
    tiles = ["num_tiles", "num_patches"]
    g.save(
        [info("pixel_values", FLOAT, [*tiles, 3 * c.patch_size**2]), info("pixel_attention_mask", INT64, tiles), info("spatial_shapes", INT64, ["num_tiles", 2])],
        [info("image_features", FLOAT, ["num_tokens", config.text_config.hidden_size])],
        path,
    )
