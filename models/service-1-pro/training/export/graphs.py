"""What the engine's two graphs share: the state encoder runs once a state, the branch reader once a batch of questions.

Both are written from the state dict. Lengths: S state tokens, N image cells (at least one row, unused without images),
B questions of T tokens (padded), R readout tokens, P pointers, W written rows of a question, L layers, H heads, hd head
width.

The state encoder never holds all attention scores: MultiHeadAttention without a mask works block by block. The branch
reader takes the state's keys by head, so that none are copied; its kernel then holds the scores of a pass, which the
engine bounds by tokens. What a question attends to among its own tokens is merged with the state exactly, without
concatenating keys: the state has one key more, a sentinel, which scores the log-sum-exp of the question's own scores
(queries carry it in one more channel, where all other keys are 0). The weight that the sentinel gets is the share of
the question's own tokens; its value is 0, and 1 in one more channel, where that weight comes out. Nothing can overflow.
"""

import numpy as np

from export.nodes import MICROSOFT, TRANSPOSED, Graph

# Length of the rotary tables: no position is larger.
POSITIONS = 8192
# Width of the pointers.
POINT = 128


class Model:
    """What both graphs share: weights, word vectors, attention, and the rest of a layer."""

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
        places = g.op("Range", [g.constant(0.0), g.constant(float(POSITIONS)), g.constant(1.0)])
        angle = g.op("Mul", [g.op("Unsqueeze", [places, g.ints(1)]), g.constant(inverse)])
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
        """q and k (those of `parts`) with rotary positions, and v, each [B,T,D].

        One product computes them: their weights are concatenated when the graph is loaded."""
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
        """The rest of a layer: the norm (with `gain`) of its output, and its output."""
        g, name = self.graph, f"layers.{layer}"
        h, x = g.add_norm(x, g.linear(attended, f"{name}.o"), f"{name}.norm2.gain")
        up = g.op("Relu", [g.linear(h, f"{name}.up")])
        return g.add_norm(x, g.linear(g.op("Mul", [up, up]), f"{name}.down"), gain)


def by_layer(prefix, layers):
    return [f"{prefix}{part}_{layer}" for layer in range(layers) for part in ("keys", "values")]


def ratio(g, weight, total):
    return g.op("Div", [total, g.op("Max", [weight, g.constant(1e-6)])])
