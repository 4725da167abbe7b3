"""What the teacher's heads are asked, and how wrong they are."""

import torch
from torch import Tensor
from torch.nn import functional

from vision.labels import BLANK_CHARACTER
from vision.net import Teacher
from vision.targets import IGNORED

WRITTEN_A_BATCH = 768
BLANKS_A_BATCH = 128
WEIGHTS = {"word": 1.0, "tag": 16.0, "box": 1.0, "overlap": 0.5, "found": 0.5, "character": 0.5}
# Most cells have none of the tags, so a missed one counts more than a false one.
TAG_WEIGHT = 3.0


def to_pixels(tiles: Tensor) -> Tensor:
    """uint8 [n, y, x, 3] to floats in [-1, 1], [n, 3, y, x], channels last in memory."""
    return (tiles.permute(0, 3, 1, 2).float() / 127.5 - 1).contiguous(memory_format=torch.channels_last)


def word_loss(teacher: Teacher, cells: Tensor, batch: dict[str, Tensor], codes: Tensor) -> Tensor:
    """Cross-entropy of the spelling scores with the pieces in the cell, weighted by how much of it they fill."""
    ids, weights, asked = (
        batch["pieces"].flatten(0, 1),
        batch["weights"].flatten(0, 1),
        batch["is_word_asked"].flatten(),
    )
    has_text = weights.sum(1) > 0.5
    written = some(asked & has_text, WRITTEN_A_BATCH)
    blank = some(asked & ~has_text, BLANKS_A_BATCH)
    scores = teacher.spelled(cells[torch.cat([written, blank])], codes).log_softmax(1)
    wrong = -(scores[: len(written)].gather(1, ids[written]) * weights[written]).sum(1)
    # Blank cells are easy and many: together they count a quarter.
    return wrong.mean() - 0.25 * scores[len(written) :, -1].mean()


def some(mask: Tensor, count: int) -> Tensor:
    """Up to `count` random positions where the mask holds."""
    places = torch.nonzero(mask).flatten()
    return places[torch.randperm(len(places))[:count]]


def character_loss(teacher: Teacher, fine: Tensor, wanted: Tensor) -> Tensor:
    logits = teacher.characters(fine)
    count, _, lines, _ = logits.shape
    # Channels [2 * class] at column i are the classes at the columns 2 i and 2 i + 1.
    logits = (
        logits.view(count, 2, -1, lines, logits.shape[3])
        .permute(0, 3, 4, 1, 2)
        .reshape(count, lines, wanted.shape[2], -1)
    )
    is_written = (wanted != IGNORED) & (wanted != BLANK_CHARACTER)
    blank = some((wanted == BLANK_CHARACTER).flatten(), 2048)
    flat = logits.reshape(-1, logits.shape[-1]).float()
    return functional.cross_entropy(flat[is_written.flatten()], wanted[is_written]) + 0.25 * functional.cross_entropy(
        flat[blank], wanted.flatten()[blank]
    )


def box_loss(predicted: Tensor, wanted: Tensor, has_box: Tensor, is_known: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Errors of the offsets, 1 - IoU, and log-loss of "there is an element".

    Errors are relative to the distance: half a cell matters for a check box and not for a full-width field."""
    offsets, goal = predicted[..., :4][has_box].float(), wanted[has_box]
    room = 0.5 + goal.abs()
    near = functional.smooth_l1_loss(offsets / room, goal / room, beta=0.1)
    apart = 1 - box_overlap(offsets, goal).mean()
    return (
        near,
        apart,
        functional.binary_cross_entropy_with_logits(predicted[..., 4][is_known].float(), has_box[is_known].float()),
    )


def box_overlap(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of offset boxes (left, top, right, bottom from one point)."""
    low = torch.minimum(a, b)
    shared = (low[:, 0] + low[:, 2]).clamp(min=0) * (low[:, 1] + low[:, 3]).clamp(min=0)
    return shared / (area(a) + area(b) - shared).clamp(min=1e-6)


def area(offsets: Tensor) -> Tensor:
    return (offsets[:, 0] + offsets[:, 2]).clamp(min=0) * (offsets[:, 1] + offsets[:, 3]).clamp(min=0)


def losses(teacher: Teacher, batch: dict[str, Tensor], codes: Tensor) -> dict[str, Tensor]:
    fine, cells = teacher.tower(to_pixels(batch["pixels"]))
    known = batch["is_known"]
    near, apart, found = box_loss(teacher.box(cells), batch["boxes"], batch["has_box"], known)
    return {
        "word": word_loss(teacher, cells.flatten(0, 1), batch, codes),
        "tag": functional.binary_cross_entropy_with_logits(
            teacher.tags(cells)[known].float(),
            batch["tags"][known],
            pos_weight=cells.new_tensor(TAG_WEIGHT, dtype=torch.float32),
        ),
        "box": near,
        "overlap": apart,
        "found": found,
        "character": character_loss(teacher, fine, batch["characters"]),
    }
