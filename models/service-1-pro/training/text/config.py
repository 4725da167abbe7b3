"""Sizes of the model, and presets of a run: the same code at three scales."""

import dataclasses


@dataclasses.dataclass
class Config:
    """Sizes; those of the start (all-MiniLM-L6-v2) by default."""

    pieces: int = 30522
    places: int = 512
    width: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536
    epsilon: float = 1e-12
    sibling_heads: int = 6
    sibling_inner: int = 768
    passage: int = 190  # pieces of a passage at most, its marks not counted

    @classmethod
    def read(cls, values):
        return cls(**{field.name: values[field.name] for field in dataclasses.fields(cls) if field.name in values})


@dataclasses.dataclass
class Preset:
    """How a run goes: tokens of a batch, padding included; longest states; how often it is kept."""

    batch_tokens: int
    rate: float
    longest_state: int
    longest_branches: int
    keep_every_s: float
    warm_up: int
    half: bool
    rows_a_source: int = 0


PRESETS = {
    "smoke": Preset(
        batch_tokens=700,
        rate=2e-4,
        longest_state=120,
        longest_branches=200,
        keep_every_s=1e9,
        warm_up=2,
        half=False,
        rows_a_source=60,
    ),
    # The rate is for going on from weights that were trained; runs from the public start took 2e-4.
    "cpu": Preset(
        batch_tokens=6000,
        rate=7e-5,
        longest_state=360,
        longest_branches=420,
        keep_every_s=240,
        warm_up=30,
        half=True,
    ),
    "gpu": Preset(
        batch_tokens=24000,
        rate=2.5e-4,
        longest_state=380,
        longest_branches=520,
        keep_every_s=60,
        warm_up=100,
        half=True,
    ),
}
KINDS = ["noul", "choice", "score", "select", "extract"]
