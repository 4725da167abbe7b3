"""Products in bfloat16 where that is faster."""

import contextlib

import torch


def short(device):
    """A context of bfloat16 products: on a processor that lacks them (AVX2 alone) they take fifty times as long as
    whole ones, so nothing changes there.
    """
    if device == "cpu" and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        return contextlib.nullcontext()
    return torch.autocast(device, dtype=torch.bfloat16)
