"""The three ONNX graphs of an Idefics3, written node by node from the state dict: names and shapes as the hub has them.

The decoder uses GroupQueryAttention with rotary embedding outside (position_ids are an input), as the hub's SmolVLM exports do.
"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSETS = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


class Graph:
    def __init__(self, name):
        self.name, self.nodes, self.initializers, self.count = name, [], [], 0

    def const(self, value, name=None):
        value = np.asarray(value)
        if value.dtype == np.float64:
            value = value.astype(np.float32)
        self.count += 1
        name = name or f"const_{self.count}"
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def op(self, kind, inputs, outputs=1, domain="", **attributes):
        self.count += 1
        names = [f"{kind}_{self.count}_{i}" for i in range(outputs)] if isinstance(outputs, int) else outputs
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"{kind}_{self.count}", domain=domain, **attributes))
        return names[0] if len(names) == 1 else names

    def linear(self, x, weight, bias=None):
        y = self.op("MatMul", [x, self.const(weight.T)])
        return y if bias is None else self.op("Add", [y, self.const(bias)])

    def save(self, inputs, outputs, path):
        graph = helper.make_graph(self.nodes, self.name, inputs, outputs, self.initializers)
        model = helper.make_model(graph, opset_imports=OPSETS, ir_version=10, producer_name="assay-golden")
        onnx.save(model, path)


def info(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def vision_graph(w, config, path):
    c = config.vision_config
    grid, hidden, scale = c.image_size // c.patch_size, c.hidden_size, config.scale_factor
    g = Graph("vision_encoder")
    pixels = g.op("Reshape", ["pixel_values", g.const([-1, 3, c.image_size, c.image_size])])
    # Tiles that only pad a batch have an empty mask: they are dropped.
    mask = g.op("Cast", [g.op("Reshape", ["pixel_attention_mask", g.const([-1, c.image_size**2])])], to=FLOAT)
    real = g.op("Cast", [g.op("ReduceMax", [mask, g.const([1])], keepdims=0)], to=BOOL)
    pixels = g.op("Compress", [pixels, real], axis=0)

    p = "model.vision_model."
    x = g.op(
        "Conv",
        [pixels, g.const(w[p + "embeddings.patch_embedding.weight"]), g.const(w[p + "embeddings.patch_embedding.bias"])],
        kernel_shape=[c.patch_size] * 2, strides=[c.patch_size] * 2,
    )
    x = g.op("Transpose", [g.op("Reshape", [x, g.const([0, hidden, grid * grid])])], perm=[0, 2, 1])
    x = g.op("Add", [x, g.const(w[p + "embeddings.position_embedding.weight"])])

    def norm(value, name):
        return g.op("LayerNormalization", [value, g.const(w[name + ".weight"]), g.const(w[name + ".bias"])], axis=-1, epsilon=c.layer_norm_eps)

    def linear(value, name):
        return g.linear(value, w[name + ".weight"], w[name + ".bias"])

    for i in range(c.num_hidden_layers):
        layer = f"{p}encoder.layers.{i}."
        h = norm(x, layer + "layer_norm1")
        q, k, v = (linear(h, f"{layer}self_attn.{n}_proj") for n in "qkv")
        h = g.op("MultiHeadAttention", [q, k, v], domain="com.microsoft", num_heads=c.num_attention_heads)
        x = g.op("Add", [x, linear(h, layer + "self_attn.out_proj")])
        h = linear(norm(x, layer + "layer_norm2"), layer + "mlp.fc1")
        x = g.op("Add", [x, linear(g.op("Gelu", [h], approximate="tanh"), layer + "mlp.fc2")])
    x = norm(x, p + "post_layernorm")

    # Pixel shuffle: neighbours of a scale x scale block side by side.
    part = grid // scale
    x = g.op("Reshape", [x, g.const([-1, grid, part, hidden * scale])])
    x = g.op("Transpose", [x], perm=[0, 2, 1, 3])
    x = g.op("Reshape", [x, g.const([-1, part, part, hidden * scale * scale])])
    x = g.op("Transpose", [x], perm=[0, 2, 1, 3])
    x = g.op("Reshape", [x, g.const([-1, part * part, hidden * scale * scale])])
    g.op("MatMul", [x, g.const(w["model.connector.modality_projection.proj.weight"].T)], ["image_features"])
    size = c.image_size
    g.save(
        [info("pixel_values", FLOAT, ["batch_size", "num_images", 3, size, size]), info("pixel_attention_mask", BOOL, ["batch_size", "num_images", size, size])],
        [info("image_features", FLOAT, ["num_tiles", part * part, config.text_config.hidden_size])],
        path,
    )


def embed_graph(w, path):
    weight = w["model.text_model.embed_tokens.weight"]
    g = Graph("embed_tokens")
    g.op("Gather", [g.const(weight), "input_ids"], ["inputs_embeds"])
    g.save([info("input_ids", INT64, ["batch_size", "sequence_length"])], [info("inputs_embeds", FLOAT, ["batch_size", "sequence_length", weight.shape[1]])], path)


def decoder_graph(w, config, max_positions, path, keeps_all=False, cache_type=FLOAT):
    c = config.text_config
    heads, kv, dim = c.num_attention_heads, c.num_key_value_heads, c.head_dim
    g = Graph("decoder_model_merged")
    theta = c.rope_parameters["rope_theta"] if getattr(c, "rope_parameters", None) else c.rope_theta
    angles = np.outer(np.arange(max_positions), 1.0 / theta ** (np.arange(0, dim, 2) / dim))
    cos, sin = g.const(np.cos(angles)), g.const(np.sin(angles))

    # GroupQueryAttention counts valid keys: all of them, less one.
    total = g.op("ReduceSum", ["attention_mask", g.const([1])], keepdims=0)
    seqlens = g.op("Cast", [g.op("Sub", [total, g.const([1])])], to=TensorProto.INT32)
    length = g.op("Cast", [g.op("Gather", [g.op("Shape", ["attention_mask"]), g.const(1)])], to=TensorProto.INT32)

    def norm(value, name):
        return g.op("SimplifiedLayerNormalization", [value, g.const(w[name + ".weight"])], axis=-1, epsilon=c.rms_norm_eps)

    x = "inputs_embeds"
    for i in range(c.num_hidden_layers):
        layer = f"model.text_model.layers.{i}."
        h = norm(x, layer + "input_layernorm")
        q, k, v = (g.linear(h, w[f"{layer}self_attn.{n}_proj.weight"]) for n in "qkv")
        # Head counts are told by the head size: rotary tables are half of it.
        q = g.op("RotaryEmbedding", [q, "position_ids", cos, sin], domain="com.microsoft", num_heads=heads, rotary_embedding_dim=0)
        k = g.op("RotaryEmbedding", [k, "position_ids", cos, sin], domain="com.microsoft", num_heads=kv, rotary_embedding_dim=0)
        past = [f"past_key_values.{i}.{part}" for part in ("key", "value")]
        if cache_type != FLOAT:
            q, k, v = (g.op("Cast", [name], to=cache_type) for name in (q, k, v))
        h, _, _ = g.op(
            "GroupQueryAttention", [q, k, v, *past, seqlens, length], [f"attention_{i}", f"present.{i}.key", f"present.{i}.value"],
            domain="com.microsoft", num_heads=heads, kv_num_heads=kv, scale=dim**-0.5,
        )
        if cache_type != FLOAT:
            h = g.op("Cast", [h], to=FLOAT)
        x = g.op("Add", [x, g.linear(h, w[layer + "self_attn.o_proj.weight"])])
        h = norm(x, layer + "post_attention_layernorm")
        gate = g.linear(h, w[layer + "mlp.gate_proj.weight"])
        gate = g.op("Mul", [gate, g.op("Sigmoid", [gate])])
        x = g.op("Add", [x, g.linear(g.op("Mul", [gate, g.linear(h, w[layer + "mlp.up_proj.weight"])]), w[layer + "mlp.down_proj.weight"])])
    x = norm(x, "model.text_model.norm")
    if not keeps_all:
        # The last n positions; 0 keeps all: a slice from -0 is a slice from the start.
        start = g.op("Reshape", [g.op("Neg", ["num_logits_to_keep"]), g.const([1])])
        x = g.op("Slice", [x, start, g.const([np.iinfo(np.int64).max]), g.const([1])])
    g.op("MatMul", [x, g.const(w["lm_head.weight"].T)], ["logits"])

    cache = ["batch_size", kv, "past_sequence_length", dim]
    names = [f"{i}.{part}" for i in range(c.num_hidden_layers) for part in ("key", "value")]
    g.save(
        [
            info("inputs_embeds", FLOAT, ["batch_size", "sequence_length", c.hidden_size]),
            info("attention_mask", INT64, ["batch_size", "total_sequence_length"]),
            info("position_ids", INT64, ["batch_size", "sequence_length"]),
            *([] if keeps_all else [info("num_logits_to_keep", INT64, [])]),
            *(info(f"past_key_values.{n}", cache_type, cache) for n in names),
        ],
        [
            info("logits", FLOAT, ["batch_size", "num_logits", c.vocab_size]),
            *(info(f"present.{n}", cache_type, ["batch_size", kv, "total_sequence_length", dim]) for n in names),
        ],
        path,
    )


def half_cache_decoder(path, w, config, max_positions):
    """Float graph, float16 keys and values, as the hub's `_fp16` and `_q4f16` files: weights are stored as float16 and widened by the graph."""
    decoder_graph(w, config, max_positions, path, keeps_all=True, cache_type=TensorProto.FLOAT16)
    model = onnx.load(path)
    graph = model.graph
    for tensor in list(graph.initializer):
        if tensor.data_type != FLOAT or int(np.prod(tensor.dims)) < 64:
            continue
        name = tensor.name
        half = numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), f"{name}/half")
        graph.initializer.remove(tensor)
        graph.initializer.append(half)
        graph.node.insert(0, helper.make_node("Cast", [f"{name}/half"], [name], name=f"{name}/widen", to=FLOAT))
    onnx.save(model, path)


def four_bits(model, block=32):
    """Products with a weight as MatMulNBits, 4 bits, symmetric, without accuracy_level, as hub files of 2024 and 2025 have them."""
    graph = model.graph
    weights = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type != "MatMul" or node.input[1] not in weights:
            continue
        tensor = weights[node.input[1]]
        rows = numpy_helper.to_array(tensor).T.reshape(tensor.dims[1], -1, block)  # [out][block][in]
        scale = np.abs(rows).max(-1, keepdims=True) / 7
        levels = np.clip(np.rint(rows / scale) + 8, 0, 15).astype(np.uint8)
        packed = levels[..., 0::2] | (levels[..., 1::2] << 4)
        names = [f"{node.input[1]}/q4", f"{node.input[1]}/scale"]
        graph.initializer.append(numpy_helper.from_array(packed, names[0]))
        graph.initializer.append(numpy_helper.from_array(scale.reshape(-1).astype(np.float32), names[1]))
        graph.initializer.remove(tensor)
        k, n = tensor.dims
        small = helper.make_node(
            "MatMulNBits", [node.input[0], *names], list(node.output), name=node.name, domain="com.microsoft", K=k, N=n, bits=4, block_size=block
        )
        node.CopyFrom(small)
    return model
