"""The text reader, a convolution net (cells of its maps are 8 pixels high and 4 wide), and its losses."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

from reading.lines import CLASSES, CTC_BLANK, NOT_ASKED, STEP
from vision.net import Convolution, Residual, Tower

STEM_WIDTH, WIDTH, COLUMN = 48, 96, 4
SUBSTEPS = COLUMN // STEP
WEIGHTS = {"letters": 1.0, "places": 0.4, "lines": 1.0, "edges": 0.5}


class Reader(nn.Module):
    """Pixels [n, 3, y, x] in [-1, 1] to letters, lines and edges.

    Letters are logits [n, y / 8, x / 2, CLASSES] (CTC: Graves et al. 2006); lines are logits [n, y / 8, x / 2] of "this
    row is the middle of a line of text here"; edges [n, y / 8, x / 4, 2] are the distances from the row's middle up to
    the top of the line and down to its bottom, in rows."""

    def __init__(self, tower: Tower) -> None:
        super().__init__()
        self.stem = copy.deepcopy(tower.fine[:3])
        self.body = nn.Sequential(Convolution(STEM_WIDTH, WIDTH, 3, (2, 1)), *(Residual(WIDTH) for _ in range(3)))
        self.letters = nn.Conv2d(WIDTH, SUBSTEPS * CLASSES, 1)
        self.lines = nn.Conv2d(WIDTH, SUBSTEPS, 1)
        self.edges = nn.Conv2d(WIDTH, 2, 1)

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        seen = self.body(self.stem(pixels))
        rows, columns = seen.shape[2:]
        letters = self.letters(seen).permute(0, 2, 3, 1).reshape(-1, rows, columns * SUBSTEPS, CLASSES)
        lines = self.lines(seen).permute(0, 2, 3, 1).reshape(-1, rows, columns * SUBSTEPS)
        return letters, lines, self.edges(seen).permute(0, 2, 3, 1)


def reader_losses(reader: Reader, pixels: Tensor, batch: dict[str, Tensor]) -> dict[str, Tensor]:
    letters, lines, edges = reader(pixels)
    wanted = batch["is_line"]
    asked = wanted != NOT_ASKED
    is_line = wanted == 1
    found = functional.binary_cross_entropy_with_logits(
        lines[asked].float(), wanted[asked], pos_weight=wanted.new_tensor(2.0)
    )
    apart = edges.repeat_interleave(SUBSTEPS, 2)[is_line].float() - batch["edges"][is_line]
    read, placed = line_losses(letters, batch)
    return {
        "letters": read,
        "places": placed,
        "lines": found,
        "edges": functional.smooth_l1_loss(apart, torch.zeros_like(apart), beta=0.2),
    }


def line_losses(letters: Tensor, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """For each line of a batch, by letter: the CTC loss, and the log-loss at the middle of each letter.

    The latter shows CTC where to begin."""
    n, at = torch.nonzero(batch["lengths"] > 0, as_tuple=True)
    row, first, end = batch["places"][n, at].unbind(1)
    lengths, classes, centres = (batch[name][n, at] for name in ("lengths", "classes", "centres"))
    steps = end - first
    index = (first[:, None] + torch.arange(int(steps.max()))).clamp(max=letters.shape[2] - 1)
    said = letters[n[:, None], row[:, None], index].float().log_softmax(-1)
    read = functional.ctc_loss(
        said.transpose(0, 1), classes, steps, lengths, CTC_BLANK, reduction="none", zero_infinity=True
    )
    is_letter = torch.arange(classes.shape[1]) < lengths[:, None]
    where = (centres - first[:, None]).clamp(min=0, max=said.shape[1] - 1)
    placed = -said.gather(1, where[..., None].expand(-1, -1, said.shape[2])).gather(2, classes[..., None])[..., 0]
    return read.sum() / lengths.sum(), placed[is_letter].mean()
