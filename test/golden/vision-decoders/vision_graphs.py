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
    """Qwen2-VL and Qwen2.5-VL, for one picture a pass. Windows of attention are a bias here, which gives the same sums as other orders of patches."""
    c = config.vision_config
    is_25 = config.model_type == "qwen2_5_vl"
    hidden = c.hidden_size if is_25 else c.embed_dim
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

    x = g.op("MatMul", ["pixel_values", g.const(g.w["patch_embed.proj.weight"].reshape(hidden, -1).T)])
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
        else:
            h = g.linear(h, layer + "mlp.fc1")
            h = g.op("Mul", [h, g.op("Sigmoid", [g.op("Mul", [h, g.const(np.float32(1.702))])])])
            h = g.linear(h, layer + "mlp.fc2")
        x = g.op("Add", [x, h])
    x = g.op("Reshape", [g.norm(x, "merger.ln_q", 1e-6), g.const([-1, hidden * merge**2])])
    x = g.op("Gelu", [g.linear(x, "merger.mlp.0")])
    y = g.op("MatMul", [x, g.const(g.w["merger.mlp.2.weight"].T)])
    g.op("Add", [y, g.const(g.w["merger.mlp.2.bias"])], ["image_features"])
    width = 3 * c.temporal_patch_size * c.patch_size**2
    g.save(
        [info("pixel_values", FLOAT, ["num_patches", width]), info(grid_name, INT64, ["num_images", 3])],
        [info("image_features", FLOAT, ["num_tokens", config.text_config.hidden_size])],
        path,
    )
