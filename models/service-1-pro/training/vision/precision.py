"""Which number format this machine multiplies fastest in.

A processor without units for bfloat16 or float16 may emulate them at a hundredth of the speed of float32.
"""

import contextlib
import functools
import time

import torch

# float16 only where it is so much faster than what is left: small gradients vanish in it, so a loss must be scaled.
FLOAT16_FASTER = 1.3
ROWS, WIDTH = 512, 192


def seconds_of(kind: torch.dtype) -> float:
    """Of a matrix product like those of training, at best."""
    a, b = torch.randn(ROWS, WIDTH).to(kind), torch.randn(WIDTH, 4 * WIDTH).to(kind)
    spent = []
    for _ in range(12):
        begun = time.perf_counter()
        a @ b
        spent.append(time.perf_counter() - begun)
    return min(spent)


def times() -> list[float]:
    """Seconds in float32, bfloat16 and float16, for `fastest`."""
    return [seconds_of(kind) for kind in (torch.float32, torch.bfloat16, torch.float16)]


def fastest(seconds: list[float]) -> torch.dtype:
    full, brain, half = seconds
    if half * FLOAT16_FASTER < min(full, brain):
        return torch.float16
    return torch.bfloat16 if brain < full else torch.float32


@functools.cache
def is_bfloat16_faster() -> bool:
    return seconds_of(torch.bfloat16) < seconds_of(torch.float32)


def autocast(device: str, kind: torch.dtype | None = None) -> contextlib.AbstractContextManager:
    """Computes in `kind`; where none is given in bfloat16, on a CPU only where that is faster."""
    if kind is None:
        kind = torch.bfloat16 if device != "cpu" or is_bfloat16_faster() else torch.float32
    return contextlib.nullcontext() if kind == torch.float32 else torch.autocast(device, kind)
