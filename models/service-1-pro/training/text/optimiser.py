"""How weights move: Muon for the matrices of the encoder's layers, AdamW for everything else.

Muon (`torch.optim.Muon`, https://kellerjordan.github.io/posts/muon) takes a step of the same size in every direction of
a matrix, so what few rows teach moves as far as what all of them do. Its steps are scaled to the size of AdamW's
(`match_rms_adamw`), so one rate serves both. HISTORY.md, run 22: after the same steps it has learned more and forgotten
no more than AdamW; a step costs a seventh more time.
"""

import collections

import torch

import precision

FRESH = ("evidence", "siblings", "quotes", "kind", "rank", "likeness.", "pool", "compare", "sure", "widen", "decide")
NUMBERS = ("likeness_scale", "likeness_shift", "found_scale")
FACTORS = {"encoder": 1.0, "matrix": 1.0, "fresh": 4.0, "number": 40.0}
WEIGHT_DECAY = 0.01


def group_of(name, weight):
    if name in NUMBERS:
        return "number"
    if name.startswith(FRESH):
        return "fresh"
    return "matrix" if name.startswith("encoder.layers") and weight.ndim == 2 else "encoder"


def orthogonal(gradient, coefficients, steps, epsilon):
    """`_zeropower_via_newtonschulz` of torch.optim._muon, in float32, where that multiplies in bfloat16."""
    a, b, c = coefficients
    x = gradient.T if gradient.size(0) > gradient.size(1) else gradient
    x = x / x.norm().clamp(min=epsilon)
    for _ in range(steps):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if gradient.size(0) > gradient.size(1) else x


def step_in_float32():
    """Muon of this process multiplies in float32 from now on."""
    assert hasattr(torch.optim._muon, "_zeropower_via_newtonschulz"), "torch is another version than requirements.txt"
    torch.optim._muon._zeropower_via_newtonschulz = orthogonal


class Optimiser:
    """Both, as one: what is new moves faster than the encoder, the few scales fastest. Word vectors stay as they are
    (the caller asks no gradient of them): rare ones would only move by noise, and they are half of all numbers.
    """

    def __init__(self, model, rate):
        groups = collections.defaultdict(list)
        for name, weight in model.named_parameters():
            if weight.requires_grad:
                groups[group_of(name, weight)].append(weight)
        matrices = groups.pop("matrix")
        if precision.is_bfloat16_slow(matrices[0].device.type):
            step_in_float32()
        adam = [{"params": weights, "lr": 0.0} for weights in groups.values()]
        self.parts = [
            torch.optim.AdamW(adam, betas=(0.9, 0.98), weight_decay=WEIGHT_DECAY, fused=True),
            torch.optim.Muon(matrices, lr=0.0, weight_decay=WEIGHT_DECAY, adjust_lr_fn="match_rms_adamw"),
        ]
        self.full = [[rate * FACTORS[name] for name in groups], [rate * FACTORS["matrix"]]]

    def pace(self, share):
        """Sets the rates to a share of the full ones."""
        for part, rates in zip(self.parts, self.full, strict=True):
            for group, rate in zip(part.param_groups, rates, strict=True):
                group["lr"] = rate * share

    def step(self):
        for part in self.parts:
            part.step()
            part.zero_grad()

    def state_dict(self):
        return [part.state_dict() for part in self.parts]

    def load_state_dict(self, states):
        for part, state in zip(self.parts, states, strict=True):
            part.load_state_dict(state)
