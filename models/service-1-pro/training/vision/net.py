"""The vision tower: a 256 x 256 tile to 8 x 8 cells of 192 numbers, the heads that teach it, and the served pair (features, boxes)."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from spelling import CODE_WIDTH

TILE = 256
CELL = 32
GRID = TILE // CELL
WIDTH = 192


class Convolution(nn.Sequential):
    """Convolution, batch norm, ReLU. Batch norm folds into the convolution at export."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int = 1) -> None:
        padding = (kernel - 1) // 2 if stride == 1 or kernel % 2 else 0
        super().__init__(
            nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
        )


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner = Convolution(width, width, 3)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.inner(x)


class Mix(nn.Module):
    """Two layers within a cell, from what letters are seen to what they mean. Starts as the identity."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.rise, self.fall = nn.Conv2d(width, inner, 1), nn.Conv2d(inner, width, 1)
        nn.init.zeros_(self.fall.weight)
        nn.init.zeros_(self.fall.bias)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.fall(functional.relu(self.rise(x)))


class Tower(nn.Module):
    """Maps at a stride of 8 pixels (read by the character head) and of 32 (by the spelling head), then the features. Only these are served."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(
            Convolution(3, 16, 3, 2),
            Convolution(16, 48, 3, 2),
            Convolution(48, 96, 2, 2),
            Residual(96),
            Residual(96),
        )
        self.coarse = nn.Sequential(
            Convolution(96, 192, 2, 2),
            Residual(192),
            Residual(192),
            Convolution(192, 256, 2, 2),
            Residual(256),
        )
        self.mix = Mix(256, 352)
        self.feature = nn.Conv2d(256, WIDTH, 1)

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Pixels [n, 3, 256, 256] in [-1, 1] to ([n, 96, 32, 32], [n, 64, 256], [n, 64, 192])."""
        fine = self.fine(pixels)
        seen = self.coarse(fine)
        cells = self.feature(self.mix(seen))
        return fine, as_cells(seen), as_cells(cells)


def as_cells(maps: Tensor) -> Tensor:
    """[n, width, 8, 8] to [n, 64, width], cells row-major."""
    return maps.reshape(-1, maps.shape[1], GRID * GRID).transpose(1, 2)


class BoxHead(nn.Sequential):
    """Cell features to left, top, right, bottom offsets from the cell's centre in cells, and the logit of "there is an element"."""

    def __init__(self) -> None:
        super().__init__(nn.Linear(WIDTH, 128), nn.ReLU(), nn.Linear(128, 5))


class Teacher(nn.Module):
    """The tower and everything that is asked of its features while it learns."""

    def __init__(self, tags: int, characters: int) -> None:
        super().__init__()
        self.tower = Tower()
        # Without a bias, as the decoder reads words from features: its map can begin as this one.
        self.word = nn.Linear(WIDTH, WIDTH, bias=False)
        self.blank = nn.Parameter(torch.randn(WIDTH) * 0.1)
        self.spelling = nn.Linear(256, CODE_WIDTH)
        self.tags = nn.Linear(WIDTH, tags)
        self.box = BoxHead()
        # Two columns of 4 pixels for each fine position, because small letters are narrower than 8 pixels.
        self.characters = nn.Conv2d(96, 2 * characters, 1)


class Served(nn.Module):
    """What the engine runs."""

    def __init__(self, teacher: Teacher) -> None:
        super().__init__()
        self.tower = teacher.tower
        self.box = teacher.box

    def forward(self, pixel_values: Tensor) -> tuple[Tensor, Tensor]:
        _, _, cells = self.tower(pixel_values)
        return cells, self.box(cells)


def averaged_weights(checkpoint: dict) -> dict[str, Tensor]:
    """The running average of a training checkpoint, as the teacher's own state."""
    return {name.removeprefix("module."): value for name, value in checkpoint["average"].items() if name.startswith("module.")}
