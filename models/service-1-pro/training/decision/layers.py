"""Transformer layers of the decision model, and its small parts. Shapes: B rows, T tokens, N queries, D width."""

import torch
import torch.nn.functional as F
from torch import nn


def normalise(x):
    return F.layer_norm(x, (int(x.shape[-1]),))


class Norm(nn.Module):
    """Layer norm with a gain and no bias."""

    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return normalise(x) * self.gain


def linear(inputs, outputs, scale=0.7, bias=False):
    """A linear layer whose weights start as normal numbers of deviation `scale / sqrt(inputs)`."""
    layer = nn.Linear(inputs, outputs, bias=bias)
    nn.init.normal_(layer.weight, std=scale * inputs**-0.5)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


class Layer(nn.Module):
    """Attention and a feed-forward block. Half of every head is rotary (Su et al. 2021), the other has no positions."""

    def __init__(self, config, first):
        super().__init__()
        d, self.heads = config.width, config.heads
        self.hd = d // config.heads
        self.rotary = self.hd // 2
        self.norm1, self.norm2 = Norm(d), Norm(d)
        self.q, self.k, self.v = linear(d, d), linear(d, d), linear(d, d)
        self.o, self.up, self.down = linear(d, d, 0.25), linear(d, config.inner), linear(config.inner, d, 0.25)
        if first:  # Queries equal keys in the half without positions, so each head starts by comparing words.
            with torch.no_grad():
                q, k = (w.weight.view(self.heads, self.hd, d) for w in (self.q, self.k))
                k[:, self.rotary :] = q[:, self.rotary :].mul_(1.6)

    def rope(self, x, cos, sin):
        r = self.rotary
        a, b, rest = x[..., : r // 2], x[..., r // 2 : r], x[..., r:]
        return torch.cat((a * cos - b * sin, a * sin + b * cos, rest), -1)

    def keys_values(self, h, cos, sin):
        """Keys and values [B,heads,T,head width] of h [B,T,D]."""
        B, T = h.shape[:2]
        k = self.rope(self.k(h).view(B, T, self.heads, self.hd), cos, sin)
        return k.transpose(1, 2), self.v(h).view(B, T, self.heads, self.hd).transpose(1, 2)

    def attend(self, x, h, cos, sin, k, v, bias):
        """The layer's output [B,N,D] for x [B,N,D], the residual stream of the queries, its norm h, and an additive
        bias [B,1,N,T]."""
        B, N, D = x.shape[0], x.shape[1], int(x.shape[2])
        q = self.rope(self.q(h).view(B, N, self.heads, self.hd), cos, sin).transpose(1, 2)
        # Never holds all attention weights at once, which is twice as fast on a CPU.
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = x + self.o(mixed.transpose(1, 2).reshape(B, N, D))
        return x + self.down(F.relu(self.up(self.norm2(x))).square())
