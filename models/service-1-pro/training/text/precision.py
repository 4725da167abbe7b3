"""Products in bfloat16 where that is faster: on a processor that lacks them they take many times as long as those of
float32, fifty with AVX2 alone and five with AVX-512 alone (which torch calls supported nevertheless).
"""

import contextlib

import torch


def is_bfloat16_slow(device):
    """Whether a device has no instructions for products in bfloat16."""
    return device == "cpu" and not (torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())


def short(device):
    """A context of bfloat16 products, where they are fast."""
    return contextlib.nullcontext() if is_bfloat16_slow(device) else torch.autocast(device, dtype=torch.bfloat16)
