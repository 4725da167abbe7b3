"""The vision tower: a 256 x 256 tile to 8 x 8 cells of 192 numbers, the heads that teach it, and the served pair (features, boxes)."""

import torch
from torch import Tensor, nn

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


class Tower(nn.Module):
    """Feature maps at a stride of 8 pixels (for the character head, training only) and 32 pixels (the cells)."""

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
        self.feature = nn.Conv2d(256, WIDTH, 1)

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        """Pixels [n, 3, 256, 256] in [-1, 1] to ([n, 96, 32, 32], [n, 64, 192])."""
        fine = self.fine(pixels)
        cells = self.feature(self.coarse(fine))
        return fine, cells.flatten(2).transpose(1, 2)


class BoxHead(nn.Sequential):
    """Cell features to left, top, right, bottom offsets from the cell's centre in cells, and the logit of "there is an element"."""

    def __init__(self) -> None:
        super().__init__(nn.Linear(WIDTH, 128), nn.ReLU(), nn.Linear(128, 5))


class Teacher(nn.Module):
    """The tower and everything that is asked of its features while it learns."""

    def __init__(self, tags: int, characters: int) -> None:
        super().__init__()
        self.tower = Tower()
        self.word = nn.Linear(WIDTH, WIDTH)
        self.blank = nn.Parameter(torch.randn(WIDTH) * 0.1)
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
        _, cells = self.tower(pixel_values)
        return cells, self.box(cells)
