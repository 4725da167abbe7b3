"""The vision tower: 256 numbers for each cell of 32 x 32 pixels; its training heads; and the pair that is served."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.spelling import CODE_WIDTH

TILE = 256
CELL = 32
GRID = TILE // CELL
WIDTH = 256
FINE_WIDTH, COARSE_WIDTH = 128, 320


class Convolution(nn.Sequential):
    """Convolution, batch norm, ReLU. Batch norm folds into the convolution at export."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int | tuple[int, int] = 1) -> None:
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
    """Maps at a stride of 8 pixels (for the character head), then the features of the cells, which are served."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(
            Convolution(3, 16, 3, 2),
            Convolution(16, 48, 3, 2),
            Residual(48),
            Convolution(48, FINE_WIDTH, 2, 2),
            Residual(FINE_WIDTH),
            Residual(FINE_WIDTH),
        )
        self.coarse = nn.Sequential(
            Convolution(FINE_WIDTH, 192, 2, 2),
            Residual(192),
            Residual(192),
            Convolution(192, COARSE_WIDTH, 2, 2),
            Residual(COARSE_WIDTH),
        )
        self.mix = Mix(COARSE_WIDTH, 512)
        self.feature = nn.Conv2d(COARSE_WIDTH, WIDTH, 1)

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        """Pixels [n, 3, y, x] in [-1, 1] to ([n, FINE_WIDTH, y / 8, x / 8], [n, cells, WIDTH])."""
        fine = self.fine(pixels)
        return fine, as_cells(self.feature(self.mix(self.coarse(fine))))


def as_cells(maps: Tensor) -> Tensor:
    """[n, width, y, x] to [n, y * x, width], line by line."""
    return maps.flatten(2).transpose(1, 2)


class BoxHead(nn.Sequential):
    """Cell features to left, top, right and bottom offsets from the centre, and a logit of "an element is there"."""

    def __init__(self) -> None:
        super().__init__(nn.Linear(WIDTH, 128), nn.ReLU(), nn.Linear(128, 5))


class Teacher(nn.Module):
    """The tower and everything that is asked of its features while it learns."""

    def __init__(self, tags: int, characters: int) -> None:
        super().__init__()
        self.tower = Tower()
        # The decoder reads spellings and tags from features with these very maps (decoder's own copies go on learning).
        self.spelling = nn.Linear(WIDTH, CODE_WIDTH, bias=False)
        self.sharpness = nn.Parameter(torch.tensor(20.0).log())
        self.blank = nn.Parameter(torch.randn(CODE_WIDTH) * 0.1)
        self.tags = nn.Linear(WIDTH, tags)
        self.box = BoxHead()
        # Two columns of 4 pixels for each fine position, because small letters are narrower than 8 pixels.
        self.characters = nn.Conv2d(FINE_WIDTH, 2 * characters, 1)

    def spelled(self, cells: Tensor, codes: Tensor) -> Tensor:
        """Scores [n, pieces + 1] of cells [n, WIDTH] for pieces, and last for a blank: scaled cosines.

        codes [pieces, CODE_WIDTH] have length 1."""
        said = functional.normalize(self.spelling(cells).float(), dim=-1)
        return self.sharpness.exp() * said @ torch.cat([codes, functional.normalize(self.blank, dim=0)[None]]).T


class Served(nn.Module):
    """What the engine runs."""

    def __init__(self, teacher: Teacher) -> None:
        super().__init__()
        self.tower = teacher.tower
        self.box = teacher.box

    def forward(self, pixel_values: Tensor) -> tuple[Tensor, Tensor]:
        _, cells = self.tower(pixel_values)
        return cells, self.box(cells)


def averaged_weights(checkpoint: dict) -> dict[str, Tensor]:
    """The running average of a training checkpoint, as the teacher's own state."""
    return {
        name.removeprefix("module."): value
        for name, value in checkpoint["average"].items()
        if name.startswith("module.")
    }
