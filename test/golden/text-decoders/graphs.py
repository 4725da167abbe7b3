"""A text decoder as one ONNX graph, written node by node from the state dict: names and shapes as the exports for transformers.js have them.

`Form` says in which of the ways that are in use a graph is written: attention as one node or in plain products, positions as an input or counted inside.
"""
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSETS = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
FLOAT, INT64, INT32, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32, TensorProto.BOOL
LOWEST = float(np.finfo(np.float32).min)


@dataclass
class Form:
    """`attention`: 'gqa' with rotary embedding outside, 'rotary gqa' with it inside (then no position_ids), or 'plain' products."""

    attention: str = "gqa"
    keeps_rows: bool = False
    """Takes `num_logits_to_keep`."""
    biased: bool = False
    """GroupQueryAttention is given a bias that is computed from the attention mask, as in the graphs of 2026."""
    embeds: bool = False
    """Takes `inputs_embeds`, as decoders of models that see do; the embeddings are a graph of their own."""
    axes: tuple = ()
    """Rotary embedding on three axes (M-RoPE): how many frequencies take the time, the row, the column. `position_ids` has three of each then."""
    interleaved: bool = False
    """The frequencies take the axes in turns, as long as each has some left; otherwise those of an axis stand together."""
    fused: bool = False
    """Gated delta nets as two nodes (the exports called OPT), which keep one token of their convolution less; otherwise a loop over the tokens (Scan)."""
    deepstack: tuple = ()
    """Inputs with a row for each token, which are added behind the first layers, one behind each."""


class Graph:
    def __init__(self, name, prefix=""):
        """`prefix`: of the names in a graph within another."""
        self.name, self.prefix, self.nodes, self.initializers, self.count = name, prefix, [], [], 0

    def const(self, value, name=None):
        value = np.asarray(value)
        if value.dtype == np.float64:
            value = value.astype(np.float32)
        self.count += 1
        name = name or f"{self.prefix}const_{self.count}"
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def op(self, kind, inputs, outputs=1, domain="", **attributes):
        self.count += 1
        names = [f"{self.prefix}{kind}_{self.count}_{i}" for i in range(outputs)] if isinstance(outputs, int) else outputs
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"{self.prefix}{kind}_{self.count}", domain=domain, **attributes))
        return names[0] if len(names) == 1 else names

    def make(self, inputs, outputs):
        return helper.make_graph(self.nodes, self.name, inputs, outputs, self.initializers)

    def save(self, inputs, outputs, path):
        graph = self.make(inputs, outputs)
        onnx.save(helper.make_model(graph, opset_imports=OPSETS, ir_version=10, producer_name="assay-golden"), path)


def info(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


class Names:
    """What the parts of a layer are called in the state dict of a family."""

    def __init__(self, model_type):
        self.is_gemma = model_type.startswith("gemma")
        self.is_lfm2 = model_type == "lfm2"
        self.is_qwen35 = model_type.startswith("qwen3_5")
        # Norms whose weights are what they are more than one.
        self.is_centred = self.is_gemma or self.is_qwen35
        self.input_norm = "operator_norm" if self.is_lfm2 else "input_layernorm"
        self.inner_norm = "ffn_norm" if self.is_lfm2 else "pre_feedforward_layernorm" if self.is_gemma else "post_attention_layernorm"
        self.gate, self.up, self.down = ("feed_forward.w1", "feed_forward.w3", "feed_forward.w2") if self.is_lfm2 else ("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")
        self.out = "out_proj" if self.is_lfm2 else "o_proj"
        self.head_norm = "layernorm" if self.is_lfm2 else "norm"
        self.last_norm = "model.embedding_norm" if self.is_lfm2 else "model.norm"


def decoder_graph(w, config, frequencies, positions, form, path):
    """`frequencies`: layer type to the inverse frequencies of its rotary embedding; None for layers without one."""
    c, names = config, Names(config.model_type)
    heads, kv = c.num_attention_heads, c.num_key_value_heads
    dim = getattr(c, "head_dim", None) or c.hidden_size // heads
    eps = c.norm_eps if names.is_lfm2 else c.rms_norm_eps
    types = getattr(c, "layer_types", None) or ["full_attention"] * c.num_hidden_layers
    rope_free = [not uses for uses in getattr(c, "no_rope_layers", None) or [1] * c.num_hidden_layers]
    scale = {"granite": lambda: c.attention_multiplier, "gemma3_text": lambda: c.query_pre_attn_scalar**-0.5}.get(c.model_type, lambda: dim**-0.5)()
    g = Graph("decoder_model_merged" if form.embeds else "model")
    taken = "inputs_embeds" if form.embeds else "input_ids"
    shape_of_rows = g.op("Shape", [taken], end=2)  # batch, sequence

    def on_axes(inverse):
        """Tables with a row for each token of the pass, and the rows' numbers."""
        angles = g.op("Mul", [g.op("Unsqueeze", [g.op("Cast", ["position_ids"], to=FLOAT), g.const([-1])]), g.const(np.asarray(inverse, dtype=np.float32))])
        if form.interleaved:
            axis_of = [i % 3 if i // 3 < form.axes[i % 3] else 0 for i in range(len(inverse))]
            own = np.equal.outer(np.arange(3), axis_of).astype(np.float32)[:, None, None]
            mixed = g.op("ReduceSum", [g.op("Mul", [angles, g.const(own)]), g.const([0])], keepdims=0)
        else:
            parts = g.op("Split", [angles, g.const(list(form.axes))], len(form.axes), axis=-1)
            mixed = g.op("Concat", [g.op("Gather", [part, g.const(i % 3)], axis=0) for i, part in enumerate(parts)], axis=-1)
        flat = g.op("Reshape", [mixed, g.const([-1, len(inverse)])])
        count = g.op("ReduceProd", [shape_of_rows], keepdims=0)
        numbers = g.op("Reshape", [g.op("Range", [g.const(0), count, g.const(1)]), shape_of_rows])
        return (g.op("Cos", [flat]), g.op("Sin", [flat])), numbers

    tables, numbers = {}, "position_ids"
    for kind, inverse in frequencies.items():
        if form.axes:
            tables[kind], numbers = on_axes(inverse)
            continue
        angles = np.outer(np.arange(positions), inverse)
        tables[kind] = (g.const(np.cos(angles), f"cos_{kind}"), g.const(np.sin(angles), f"sin_{kind}"))

    # GroupQueryAttention counts valid keys: all of them, less one.
    valid = g.op("ReduceSum", ["attention_mask", g.const([1])], keepdims=0)
    last = g.op("Cast", [g.op("Sub", [valid, g.const([1])])], to=INT32)
    total = g.op("Gather", [g.op("Shape", ["attention_mask"]), g.const(1)])
    total32 = g.op("Cast", [total], to=INT32)

    def causal_bias():
        """[1, 1, sequence, total]: 0 where a token may look, the lowest float elsewhere."""
        count = g.op("Gather", [shape_of_rows, g.const(1)])
        keys = g.op("Range", [g.const(0), total, g.const(1)])
        queries = g.op("Range", [g.op("Sub", [total, count]), total, g.const(1)])
        ahead = g.op("Greater", [g.op("Unsqueeze", [keys, g.const([0])]), g.op("Unsqueeze", [queries, g.const([1])])])
        bias = g.op("Where", [ahead, g.const(np.float32(LOWEST)), g.const(np.float32(0))])
        return g.op("Unsqueeze", [bias, g.const([0, 1])])

    def mask_bias():
        """[batch, 1, sequence, total], from the attention mask alone: the node itself is causal."""
        hidden = g.op("Mul", [g.op("Sub", [g.const(np.float32(1)), g.op("Cast", ["attention_mask"], to=FLOAT)]), g.const(np.float32(LOWEST))])
        shape = g.op("Concat", [shape_of_rows, g.const([1])], axis=0)
        ones = g.op("ConstantOfShape", [shape], value=numpy_helper.from_array(np.array([0], dtype=np.float32)))
        rows = g.op("Add", [g.op("Unsqueeze", [hidden, g.const([1])]), ones])
        return g.op("Unsqueeze", [rows, g.const([1])])

    bias = causal_bias() if form.attention == "plain" else mask_bias() if form.biased else ""

    def linear(x, name):
        y = g.op("MatMul", [x, g.const(w[f"{name}.weight"].T)])
        return g.op("Add", [y, g.const(w[f"{name}.bias"])]) if f"{name}.bias" in w else y

    def norm(x, name):
        gain = w[f"{name}.weight"] + (1 if names.is_centred and not name.endswith("linear_attn.norm") else 0)
        return g.op("SimplifiedLayerNormalization", [x, g.const(gain)], axis=-1, epsilon=eps)

    def head_norm(x, name, count):
        """Each head on its own."""
        if f"{name}.weight" not in w:
            return x
        apart = g.op("Reshape", [x, g.const([0, 0, count, dim])])
        return g.op("Reshape", [norm(apart, name), g.const([0, 0, count * dim])])

    def rotate(x, count, tables_of):
        turned = 2 * len(frequencies["full_attention"])
        return g.op("RotaryEmbedding", [x, numbers, *tables_of], domain="com.microsoft", num_heads=count, rotary_embedding_dim=0 if turned == dim else turned)

    def plain_attention(i, q, k, v):
        split = lambda x, count: g.op("Transpose", [g.op("Reshape", [x, g.const([0, 0, count, dim])])], perm=[0, 2, 1, 3])
        parts = []
        for part, x in (("key", k), ("value", v)):
            whole = g.op("Concat", [f"past_key_values.{i}.{part}", split(x, kv)], [f"present.{i}.{part}"], axis=2)
            times = g.op("Unsqueeze", [whole, g.const([2])])
            shape = g.op("Concat", [g.op("Shape", [times], end=2), g.const([heads // kv]), g.op("Shape", [times], start=3)], axis=0)
            parts.append(g.op("Reshape", [g.op("Expand", [times, shape]), g.const([0, heads, -1, dim])]))
        scores = g.op("MatMul", [split(q, heads), g.op("Transpose", [parts[0]], perm=[0, 1, 3, 2])])
        scores = g.op("Add", [g.op("Mul", [scores, g.const(np.float32(scale))]), bias])
        found = g.op("MatMul", [g.op("Softmax", [scores], axis=-1), parts[1]])
        return g.op("Reshape", [g.op("Transpose", [found], perm=[0, 2, 1, 3]), g.const([0, 0, heads * dim])])

    def attention(i, h):
        here = f"model.layers.{i}.self_attn"
        q, k, v = (linear(h, f"{here}.{n}_proj") for n in "qkv")
        if names.is_qwen35:
            # Behind the query of each head stands what its result is gated by.
            q, gate = g.op("Split", [g.op("Reshape", [q, g.const([0, 0, heads, 2 * dim])])], 2, axis=-1, num_outputs=2)
            q, gate = (g.op("Reshape", [one, g.const([0, 0, heads * dim])]) for one in (q, gate))
        q, k = head_norm(q, f"{here}.q_{names.head_norm}", heads), head_norm(k, f"{here}.k_{names.head_norm}", kv)
        tables_of = None if rope_free[i] else tables[types[i] if types[i] in tables else "full_attention"]
        inside = form.attention == "rotary gqa"
        if tables_of and not inside:
            q, k = rotate(q, heads, tables_of), rotate(k, kv, tables_of)
        if form.attention == "plain":
            return linear(plain_attention(i, q, k, v), f"{here}.{names.out}")
        inputs = [q, k, v, f"past_key_values.{i}.key", f"past_key_values.{i}.value", last, total32]
        if inside or bias:
            inputs += [*(tables_of if inside else ("", "")), "", bias]
        while inputs[-1] == "":
            inputs.pop()
        attributes = dict(num_heads=heads, kv_num_heads=kv, scale=float(scale))
        if inside:
            attributes["do_rotary"] = 1
        if types[i] == "sliding_attention":
            attributes["local_window_size"] = c.sliding_window
        outputs = [f"attention_{i}", f"present.{i}.key", f"present.{i}.value"]
        found = g.op("GroupQueryAttention", inputs, outputs, domain="com.microsoft", **attributes)[0]
        found = g.op("Mul", [found, g.op("Sigmoid", [gate])]) if names.is_qwen35 else found
        return linear(found, f"{here}.{names.out}")

    def kept_convolution(i, x, weight):
        """Over the last tokens, of [batch, channel, token]. What it keeps is as long as its kernel, and moves on with every token."""
        channels, _, length = weight.shape
        x = g.op("Concat", [f"past_conv.{i}", x], axis=2)
        cut = lambda start, name=1: g.op("Slice", [x, g.const([start]), g.const([np.iinfo(np.int64).max]), g.const([2])], name)
        cut(-length, [f"present_conv.{i}"])
        # What was kept is one longer than what the kernel needs of it.
        return g.op("Conv", [cut(1), g.const(weight)], group=channels, kernel_shape=[length])

    def convolution(i, h):
        """LFM2: a gated convolution."""
        here = f"model.layers.{i}.conv"
        mixed = g.op("Transpose", [linear(h, f"{here}.in_proj")], perm=[0, 2, 1])
        before, behind, x = g.op("Split", [mixed], 3, axis=1, num_outputs=3)
        y = kept_convolution(i, g.op("Mul", [before, x]), w[f"{here}.conv.weight"])
        return linear(g.op("Transpose", [g.op("Mul", [behind, y])], perm=[0, 2, 1]), f"{here}.out_proj")

    def delta_rule_loop(i, q, k, v, decay, beta):
        """Token by token: the state fades, then the value at the key is moved towards the token's own (gated delta rule)."""
        b = Graph("token", "step_")
        column = lambda x: b.op("Unsqueeze", [x, b.const([-1])])
        read = lambda state, x: b.op("ReduceSum", [b.op("Mul", [state, column(x)]), b.const([2])], keepdims=0)
        faded = b.op("Mul", ["step_before", column(column(b.op("Exp", ["step_decay"])))])
        wrong = b.op("Mul", [b.op("Sub", ["step_v", read(faded, "step_k")]), column("step_beta")])
        state = b.op("Add", [faded, b.op("Mul", [column("step_k"), b.op("Unsqueeze", [wrong, b.const([2])])])], ["step_after"])
        b.op("Identity", [read(state, "step_q")], ["step_found"])
        named = lambda *names: [info(f"step_{name}", FLOAT, None) for name in names]
        body = b.make(named("before", "q", "k", "v", "decay", "beta"), named("after", "found"))
        return g.op(
            "Scan", [f"past_recurrent.{i}", q, k, v, decay, beta], [f"present_recurrent.{i}", f"found_{i}"], body=body, num_scan_inputs=5, scan_input_axes=[1] * 5, scan_output_axes=[1]
        )[1]

    def delta_net(i, h):
        """Qwen3.5: a convolution over the last tokens, then a state of keys and values that is of one size however many tokens it has read."""
        here = f"model.layers.{i}.linear_attn"
        keys, values, of_key, of_value = c.linear_num_key_heads, c.linear_num_value_heads, c.linear_key_head_dim, c.linear_value_head_dim
        mixed = g.op("Transpose", [linear(h, f"{here}.in_proj_qkv")], perm=[0, 2, 1])
        weight = w[f"{here}.conv1d.weight"]
        if form.fused:
            outputs = [f"convolved_{i}", f"present_conv.{i}"]
            mixed = g.op("CausalConvWithState", [mixed, g.const(weight), "", f"past_conv.{i}"], outputs, domain="com.microsoft", activation="silu")[0]
        else:
            mixed = kept_convolution(i, mixed, weight)
            mixed = g.op("Mul", [mixed, g.op("Sigmoid", [mixed])])
        widths = [keys * of_key, keys * of_key, values * of_value]
        q, k, v = g.op("Split", [g.op("Transpose", [mixed], perm=[0, 2, 1]), g.const(widths)], 3, axis=-1)

        def unit(x):
            """Keys and queries of length one, each for the heads of values that share it."""
            x = g.op("Reshape", [x, g.const([0, 0, keys, 1, of_key])])
            length = g.op("Sqrt", [g.op("Add", [g.op("ReduceSum", [g.op("Mul", [x, x]), g.const([-1])], keepdims=1), g.const(np.float32(1e-6))])])
            return g.op("Expand", [g.op("Div", [x, length]), g.const([1, 1, 1, values // keys, 1])])

        fading = g.op("Softplus", [g.op("Add", [linear(h, f"{here}.in_proj_a"), g.const(w[f"{here}.dt_bias"])])])
        decay = g.op("Mul", [fading, g.const(-np.exp(w[f"{here}.A_log"]))])
        beta = g.op("Sigmoid", [linear(h, f"{here}.in_proj_b")])
        if form.fused:
            q, k = (g.op("Reshape", [unit(x), g.const([0, 0, values * of_key])]) for x in (q, k))
            outputs = [f"found_{i}", f"present_recurrent.{i}"]
            attributes = dict(q_num_heads=values, kv_num_heads=values, update_rule="gated_delta", scale=of_key**-0.5)
            found = g.op("LinearAttention", [q, k, v, f"past_recurrent.{i}", decay, beta], outputs, domain="com.microsoft", **attributes)[0]
        else:
            q, k = (g.op("Reshape", [unit(x), g.const([0, 0, values, of_key])]) for x in (q, k))
            v = g.op("Reshape", [v, g.const([0, 0, values, of_value])])
            found = delta_rule_loop(i, g.op("Mul", [q, g.const(np.float32(of_key**-0.5))]), k, v, decay, beta)
        found = norm(g.op("Reshape", [found, g.const([0, 0, values, of_value])]), f"{here}.norm")
        gate = linear(h, f"{here}.in_proj_z")
        gated = g.op("Mul", [g.op("Reshape", [found, g.const([0, 0, values * of_value])]), g.op("Mul", [gate, g.op("Sigmoid", [gate])])])
        return linear(gated, f"{here}.out_proj")

    def times(x, factor):
        return x if factor == 1 else g.op("Mul", [x, g.const(np.float32(factor))])

    embedding = None if form.embeds and not c.tie_word_embeddings else g.const(w["model.embed_tokens.weight"], "model.embed_tokens.weight")
    x = "inputs_embeds" if form.embeds else g.op("Gather", [embedding, "input_ids"])
    x = x if form.embeds else times(x, np.sqrt(c.hidden_size) if names.is_gemma else getattr(c, "embedding_multiplier", 1))
    residual = getattr(c, "residual_multiplier", 1)
    for i in range(c.num_hidden_layers):
        layer = f"model.layers.{i}."
        h = norm(x, layer + names.input_norm)
        h = {"conv": convolution, "linear_attention": delta_net}.get(types[i], attention)(i, h)
        if names.is_gemma:
            h = norm(h, layer + "post_attention_layernorm")
        x = g.op("Add", [x, times(h, residual)])
        h = norm(x, layer + names.inner_norm)
        gate = linear(h, layer + names.gate)
        gate = g.op("Gelu", [gate], approximate="tanh") if names.is_gemma else g.op("Mul", [gate, g.op("Sigmoid", [gate])])
        h = linear(g.op("Mul", [gate, linear(h, layer + names.up)]), layer + names.down)
        if names.is_gemma:
            h = norm(h, layer + "post_feedforward_layernorm")
        x = g.op("Add", [x, times(h, residual)])
        if i < len(form.deepstack):
            x = g.op("Add", [x, form.deepstack[i]])
    x = norm(x, names.last_norm)
    if form.keeps_rows:
        # The last n positions; 0 keeps all: a slice from -0 is a slice from the start.
        start = g.op("Reshape", [g.op("Neg", ["num_logits_to_keep"]), g.const([1])])
        x = g.op("Slice", [x, start, g.const([np.iinfo(np.int64).max]), g.const([1])])
    # Tied embeddings: the head is the table of embeddings, turned.
    head = g.op("Transpose", [embedding], perm=[1, 0]) if c.tie_word_embeddings else g.const(w["lm_head.weight"].T)
    divisor = getattr(c, "logits_scaling", 1)
    if divisor == 1:
        g.op("MatMul", [x, head], ["logits"])
    else:
        g.op("Div", [g.op("MatMul", [x, head]), g.const(np.float32(divisor))], ["logits"])

    def cache(prefix, length):
        out = []
        for i, kind in enumerate(types):
            kept = "past" if prefix == "past_key_values" else "present"
            if kind == "conv":
                out.append(info(f"{kept}_conv.{i}", FLOAT, ["batch_size", c.hidden_size, c.conv_L_cache]))
            elif kind == "linear_attention":
                channels, _, kernel = w[f"model.layers.{i}.linear_attn.conv1d.weight"].shape
                out.append(info(f"{kept}_conv.{i}", FLOAT, ["batch_size", channels, kernel - 1 if form.fused else kernel]))
                out.append(info(f"{kept}_recurrent.{i}", FLOAT, ["batch_size", c.linear_num_value_heads, c.linear_key_head_dim, c.linear_value_head_dim]))
            else:
                out += [info(f"{prefix}.{i}.{part}", FLOAT, ["batch_size", kv, length, dim]) for part in ("key", "value")]
        return out

    takes_positions = form.attention != "rotary gqa"
    g.save(
        [
            info(taken, FLOAT, ["batch_size", "sequence_length", c.hidden_size]) if form.embeds else info(taken, INT64, ["batch_size", "sequence_length"]),
            info("attention_mask", INT64, ["batch_size", "total_sequence_length"]),
            *([info("position_ids", INT64, [*([3] if form.axes else []), "batch_size", "sequence_length"])] if takes_positions else []),
            *(info(name, FLOAT, ["batch_size", "sequence_length", c.hidden_size]) for name in form.deepstack),
            *([info("num_logits_to_keep", INT64, [])] if form.keeps_rows else []),
            *cache("past_key_values", "past_sequence_length"),
        ],
        [info("logits", FLOAT, ["batch_size", "num_logits", c.vocab_size]), *cache("present", "total_sequence_length")],
        path,
    )
