"""Products in bfloat16 where that is faster: on a processor that lacks them (AVX2 alone) they take fifty times as long
as those of float32.
"""

import contextlib

import torch


def is_bfloat16_slow(device):
    """Whether a device has no instructions for products in bfloat16."""
    return device == "cpu" and not torch.ops.mkldnn._is_mkldnn_bf16_supported()


def short(device):
    """A context of bfloat16 products, where they are fast."""
    return contextlib.nullcontext() if is_bfloat16_slow(device) else torch.autocast(device, dtype=torch.bfloat16)
