"""Decoders of Gemma 3n and Gemma 4 as ONNX graphs, written node by node from the state dict, with the names and shapes of exports for transformers.js.

What both have and no other family here: numbers of a token for each layer (`per_layer_inputs`) beside its embedding, and last layers that attend to the keys
and values of earlier ones, so that fewer caches are taken than there are layers.
"""
import numpy as np
import torch

from graphs import FLOAT, INT32, INT64, Graph, info

BATCH = ["batch_size", "sequence_length"]


class LayeredGraph(Graph):
    """`w`: the state dict of the text model, `c`: its configuration, `frequencies`: layer type to the inverse frequencies of its rotary embedding."""

    def __init__(self, name, w, c, frequencies):
        super().__init__(name)
        self.w, self.c = w, c
        self.types = c.layer_types
        self.first_shared = c.num_hidden_layers - c.num_kv_shared_layers
        self.kept = {}
        shape = self.op("Shape", ["inputs_embeds"], end=2)
        count = self.op("ReduceProd", [shape], keepdims=0)
        self.numbers = self.op("Reshape", [self.op("Range", [self.const(0), count, self.const(1)]), shape])
        places = self.op("Unsqueeze", [self.op("Cast", [self.op("Reshape", ["position_ids", self.const([-1])])], to=FLOAT), self.const([1])])
        self.tables = {}
        for kind, inverse in frequencies.items():
            angles = self.op("Mul", [places, self.const(np.asarray(inverse, dtype=np.float32))])
            self.tables[kind] = self.op("Cos", [angles]), self.op("Sin", [angles])
        # No attention mask is taken: every token before is valid.
        past = self.op("Shape", ["past_key_values.0.key"], start=2, end=3)
        total = self.op("Add", [past, self.op("Shape", ["inputs_embeds"], start=1, end=2)])
        batch = self.op("Shape", ["inputs_embeds"], end=1)
        self.last = self.op("Cast", [self.op("Expand", [self.op("Sub", [total, self.const([1])]), batch])], to=INT32)
        self.total = self.op("Cast", [self.op("Squeeze", [total])], to=INT32)

    def op(self, kind, inputs, outputs=1, **more):
        """Short names: there are many nodes."""
        return super().op(kind, inputs, [f"{self.count}.{i}" for i in range(outputs)] if isinstance(outputs, int) else outputs, **more)

    def linear(self, x, name):
        return self.op("MatMul", [x, self.const(self.w[f"{name}.weight"].T)])

    def norm(self, x, name=None, width=None):
        """Without a name there is no gain."""
        gain = np.ones(width, dtype=np.float32) if name is None else self.w[f"{name}.weight"]
        return self.op("SimplifiedLayerNormalization", [x, self.const(gain)], axis=-1, epsilon=self.c.rms_norm_eps)

    def add(self, a, b):
        return self.op("Add", [a, b])

    def times(self, x, factor):
        return self.op("Mul", [x, factor if isinstance(factor, str) else self.const(np.asarray(factor, dtype=np.float32))])

    def pick(self, x, at, axis):
        """One of an axis, which goes."""
        return self.op("Squeeze", [self.op("Gather", [x, self.const(at)], axis=axis), self.const([axis])])

    def attention(self, i, h):
        c, kind, here = self.c, self.types[i], f"layers.{i}.self_attn"
        dim = self.w[f"{here}.q_norm.weight"].shape[0]
        heads = self.w[f"{here}.q_proj.weight"].shape[0] // dim

        def apart(x, name, count):
            x = self.op("Reshape", [x, self.const([0, 0, count, dim])])
            return self.op("Reshape", [self.norm(x, name, dim), self.const([0, 0, count * dim])])

        def rotate(x, count):
            return self.op("RotaryEmbedding", [x, self.numbers, *self.tables[kind]], domain="com.microsoft", num_heads=count, rotary_embedding_dim=0)

        q = rotate(apart(self.linear(h, f"{here}.q_proj"), f"{here}.q_norm", heads), heads)
        if i < self.first_shared:
            kv = self.w[f"{here}.k_proj.weight"].shape[0] // dim
            k = rotate(apart(self.linear(h, f"{here}.k_proj"), f"{here}.k_norm", kv), kv)
            v = apart(self.linear(h, f"{here}.v_proj"), None, kv)
            self.kept[kind] = (i, k, v, kv)
            outputs = [f"attention_{i}", f"present.{i}.key", f"present.{i}.value"]
        else:
            # Keys and values of the last layer of this type that has its own.
            outputs = [f"attention_{i}", f"unused_{i}.key", f"unused_{i}.value"]
        source, k, v, kv = self.kept[kind]
        inputs = [q, k, v, f"past_key_values.{source}.key", f"past_key_values.{source}.value", self.last, self.total]
        window = dict(local_window_size=c.sliding_window) if kind == "sliding_attention" else {}
        found = self.op("GroupQueryAttention", inputs, outputs, domain="com.microsoft", num_heads=heads, kv_num_heads=kv, scale=1.0, **window)[0]
        return self.linear(found, f"{here}.o_proj")

    def mlp(self, i, h, sparsity=0.0):
        here = f"layers.{i}.mlp"
        gate = self.linear(h, f"{here}.gate_proj")
        if sparsity > 0:
            # What is under a quantile of a normal distribution is cut off.
            mean = self.op("ReduceMean", [gate, self.const([-1])], keepdims=1)
            apart = self.op("Sub", [gate, mean])
            deviation = self.op("Sqrt", [self.op("ReduceMean", [self.op("Mul", [apart, apart]), self.const([-1])], keepdims=1)])
            gate = self.op("Relu", [self.op("Sub", [apart, self.times(deviation, float(torch.distributions.Normal(0, 1).icdf(torch.tensor(sparsity))))])])
        gate = self.op("Gelu", [gate], approximate="tanh")
        return self.linear(self.op("Mul", [gate, self.linear(h, f"{here}.up_proj")]), f"{here}.down_proj")

    def per_layer(self):
        """What each layer takes beside the hidden states: made of the embedding, features of pictures included, and of `per_layer_inputs`."""
        c, size = self.c, self.c.hidden_size_per_layer_input
        own = self.times(self.linear("inputs_embeds", "per_layer_model_projection"), c.hidden_size**-0.5)
        own = self.norm(self.op("Reshape", [own, self.const([0, 0, c.num_hidden_layers, size])]), "per_layer_projection_norm")
        both = self.times(self.add(own, "per_layer_inputs"), 2**-0.5)
        return [self.pick(both, i, 2) for i in range(c.num_hidden_layers)]

    def gated(self, i, h, per_layer):
        """The part of a layer that takes the numbers of a token for it."""
        gate = self.op("Gelu", [self.linear(h, f"layers.{i}.per_layer_input_gate")], approximate="tanh")
        return self.norm(self.linear(self.op("Mul", [gate, per_layer]), f"layers.{i}.per_layer_projection"), f"layers.{i}.post_per_layer_input_norm")

    def finish(self, x, path):
        """Logits of the last rows, and the graph to a file."""
        c = self.c
        start = self.op("Reshape", [self.op("Neg", ["num_logits_to_keep"]), self.const([1])])
        x = self.op("Slice", [self.norm(x, "norm"), start, self.const([np.iinfo(np.int64).max]), self.const([1])])
        logits = self.op("MatMul", [x, self.const(self.w["embed_tokens.weight"].T)])
        self.op("Mul", [self.op("Tanh", [self.times(logits, 1 / c.final_logit_softcapping)]), self.const(np.float32(c.final_logit_softcapping))], ["logits"])

        def cache(prefix, length):
            out = []
            for i in range(self.first_shared):
                dim = self.w[f"layers.{i}.self_attn.q_norm.weight"].shape[0]
                kv = self.w[f"layers.{i}.self_attn.k_proj.weight"].shape[0] // dim
                out += [info(f"{prefix}.{i}.{part}", FLOAT, ["batch_size", kv, length, dim]) for part in ("key", "value")]
            return out

        size = c.hidden_size_per_layer_input
        self.save(
            [
                info("inputs_embeds", FLOAT, [*BATCH, c.hidden_size]),
                *([info("per_layer_inputs", FLOAT, [*BATCH, c.num_hidden_layers, size])] if size else []),
                info("position_ids", INT64, BATCH),
                info("num_logits_to_keep", INT64, []),
                *cache("past_key_values", "past_sequence_length"),
            ],
            [info("logits", FLOAT, ["batch_size", "num_logits", c.vocab_size]), *cache("present", "total_sequence_length")],
            path,
        )


def gemma3n_decoder_graph(w, c, frequencies, path):
    """Several streams of hidden states, of which a layer updates one (AltUp), [batch, token, width, stream]."""
    g = LayeredGraph("decoder_model_merged", w, c, frequencies)
    streams, active = c.altup_num_inputs, c.altup_active_idx
    per_layer = g.per_layer()
    column = lambda x: g.op("Unsqueeze", [x, g.const([3])])
    stream = lambda x, at: g.pick(x, at, 3)
    size_of = lambda x: g.op("ReduceMean", [g.op("Mul", [x, x]), g.const([-1])], keepdims=1)

    def as_large_as(x, model, name):
        large = g.op("Sqrt", [g.op("Max", [size_of(g.linear(x, name)), g.const(np.float32(1e-5))])])
        return g.op("Div", [g.op("Mul", [g.linear(x, name), model]), large])

    def routed(here, x):
        x = g.times(g.norm(x, f"{here}.router_norm"), 1 / c.hidden_size)
        return g.op("Tanh", [g.linear(x, f"{here}.modality_router")])

    model = g.op("Sqrt", [size_of("inputs_embeds")])
    others = [as_large_as("inputs_embeds", model, f"altup_projections.{i}") for i in range(streams - 1)]
    x = g.op("Concat", [column(one) for one in ["inputs_embeds", *others]], axis=3)
    for i in range(c.num_hidden_layers):
        layer = f"layers.{i}."
        here = layer + "altup"
        coefficients = g.op("Reshape", [g.linear(routed(here, stream(x, active)), f"{here}.prediction_coefs"), g.const([0, 0, streams, streams])])
        predicted = g.add(g.op("MatMul", [x, g.op("Transpose", [coefficients], perm=[0, 1, 3, 2])]), x)
        now = stream(predicted, active)
        h = g.norm(now, layer + "input_layernorm")
        low = g.linear(g.linear(h, layer + "laurel.linear_left"), layer + "laurel.linear_right")
        laurel = g.add(h, g.norm(low, layer + "laurel.post_laurel_norm"))
        attended = g.add(now, g.norm(g.attention(i, h), layer + "post_attention_layernorm"))
        h = g.times(g.add(attended, laurel), 2**-0.5)
        fed = g.mlp(i, g.norm(h, layer + "pre_feedforward_layernorm"), c.activation_sparsity_pattern[i])
        h = g.add(h, g.norm(fed, layer + "post_feedforward_layernorm"))
        weights = g.add(g.linear(routed(here, h), f"{here}.correction_coefs"), g.const(np.float32(1)))
        weights = g.op("Unsqueeze", [weights, g.const([2])])
        x = g.add(predicted, g.op("Mul", [column(g.op("Sub", [h, now])), weights]))
        first = g.times(stream(x, active), w[f"{here}.correct_output_scale"])
        passive = np.arange(streams) > 0
        x = g.add(x, g.times(column(g.gated(i, first, per_layer[i])), passive))
    first = stream(x, 0)
    model = g.op("Sqrt", [size_of(first)])
    others = [as_large_as(stream(x, i + 1), model, f"altup_unembed_projections.{i}") for i in range(streams - 1)]
    g.finish(g.times(g.op("Sum", [first, *others]), 1 / streams), path)


def gemma4_decoder_graph(w, c, frequencies, path):
    """One stream of hidden states. Layers of full attention have larger heads than those with a window."""
    g = LayeredGraph("decoder_model_merged", w, c, frequencies)
    per_layer = g.per_layer()
    x = "inputs_embeds"
    for i in range(c.num_hidden_layers):
        layer = f"layers.{i}."
        x = g.add(x, g.norm(g.attention(i, g.norm(x, layer + "input_layernorm")), layer + "post_attention_layernorm"))
        x = g.add(x, g.norm(g.mlp(i, g.norm(x, layer + "pre_feedforward_layernorm")), layer + "post_feedforward_layernorm"))
        x = g.add(x, g.gated(i, x, per_layer[i]))
        x = g.times(x, w[layer + "layer_scalar"])
    g.finish(x, path)


def embed_graph(w, c, embedders, path, unread=()):
    """
    `embedders`: name and first id of tables for tokens of pictures and sounds, which stand in place of the text's. Ids without a row have the first per layer.
    `unread`: ids that are read as padding.
    """
    g = Graph("embed_tokens")
    ids = "input_ids"
    for one in unread:
        ids = g.op("Where", [g.op("Equal", [ids, g.const(one)]), g.const(c.pad_token_id), ids])
    rows = g.op("Mul", [g.op("Gather", [g.const(w["embed_tokens.weight"]), ids]), g.const(np.float32(c.hidden_size**0.5))])
    for prefix, first in embedders:
        table = w[f"{prefix}.embedding.weight"]
        own = g.op("Min", [g.op("Max", [g.op("Sub", ["input_ids", g.const(first)]), g.const(0)]), g.const(len(table) - 1)])
        norm = lambda x, gain: g.op("SimplifiedLayerNormalization", [x, g.const(gain)], axis=-1, epsilon=1e-6)
        hard = norm(g.op("Gather", [g.const(table), own]), w[f"{prefix}.hard_embedding_norm.weight"])
        hard = g.op("MatMul", [hard, g.const(w[f"{prefix}.embedding_projection.weight"].T)])
        is_own = g.op("Unsqueeze", [g.op("GreaterOrEqual", ["input_ids", g.const(first)]), g.const([2])])
        rows = g.op("Where", [is_own, norm(hard, np.ones(c.hidden_size, dtype=np.float32)), rows])
    g.op("Identity", [rows], ["inputs_embeds"])
    outputs, size = [info("inputs_embeds", FLOAT, [*BATCH, c.hidden_size])], c.hidden_size_per_layer_input
    if size:
        table = w["embed_tokens_per_layer.weight"]
        known = g.op("Where", [g.op("Less", [ids, g.const(len(table))]), ids, g.const(0)])
        flat = g.op("Mul", [g.op("Gather", [g.const(table), known]), g.const(np.float32(size**0.5))])
        g.op("Reshape", [flat, g.const([0, 0, c.num_hidden_layers, size])], ["per_layer_inputs"])
        outputs.append(info("per_layer_inputs", FLOAT, [*BATCH, c.num_hidden_layers, size]))
    g.save([info("input_ids", INT64, BATCH)], outputs, path)
