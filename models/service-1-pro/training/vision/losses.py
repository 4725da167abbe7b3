"""What the teacher's heads are asked, and how wrong they are."""

import torch
from torch import Tensor
from torch.nn import functional

from labels import BLANK_CHARACTER
from net import Teacher
from targets import IGNORED

COSINE_SCALE = 15.0
WRITTEN_A_BATCH = 512
BLANKS_A_BATCH = 128
WEIGHTS = {"word": 1.0, "spelling": 4.0, "tag": 16.0, "box": 1.0, "found": 0.5, "character": 0.5}
# Most cells have none of the tags, so a missed one counts more than a false one.
TAG_WEIGHT = 3.0


def to_pixels(tiles: Tensor) -> Tensor:
    """uint8 [n, y, x, 3] to floats in [-1, 1], [n, 3, y, x], channels last in memory."""
    return (tiles.permute(0, 3, 1, 2).float() / 127.5 - 1).contiguous(memory_format=torch.channels_last)


def word_scores(teacher: Teacher, cells: Tensor, vectors: Tensor) -> Tensor:
    """Cells [n, 192] to COSINE_SCALE times the cosine with each piece vector (unit rows) and, last, the blank."""
    table = torch.cat([vectors, functional.normalize(teacher.blank, dim=0)[None]])
    return COSINE_SCALE * functional.normalize(teacher.word(cells).float(), dim=-1) @ table.T


def word_loss(teacher: Teacher, cells: Tensor, batch: dict[str, Tensor], vectors: Tensor) -> Tensor:
    """Cross-entropy of the scores with the pieces in the cell, weighted by how much of it they fill."""
    ids, weights, asked = batch["pieces"].flatten(0, 1), batch["weights"].flatten(0, 1), batch["is_word_asked"].flatten()
    has_text = weights.sum(1) > 0.5
    written = some(asked & has_text, WRITTEN_A_BATCH)
    blank = some(asked & ~has_text, BLANKS_A_BATCH)
    rows = torch.cat([written, blank])
    said = functional.normalize(teacher.word(cells[rows]).float(), dim=-1)
    blank_vector = functional.normalize(teacher.blank, dim=0)
    # The weighted mean of the wanted vectors gives the weighted mean of the wanted scores without gathering them.
    wanted = torch.cat([(vectors[ids[written]] * weights[written, :, None]).sum(1), blank_vector.expand(len(blank), -1)])
    scores = COSINE_SCALE * said @ torch.cat([vectors, blank_vector[None]]).T
    wrong = torch.logsumexp(scores.float(), 1) - COSINE_SCALE * (said * wanted).sum(1)
    # Blank cells are easy and many: together they count a quarter.
    return wrong[: len(written)].mean() + 0.25 * wrong[len(written) :].mean()


def some(mask: Tensor, count: int) -> Tensor:
    """Up to `count` random positions where the mask holds."""
    places = torch.nonzero(mask).flatten()
    return places[torch.randperm(len(places))[:count]]


def character_loss(teacher: Teacher, fine: Tensor, wanted: Tensor) -> Tensor:
    logits = teacher.characters(fine)
    count, _, lines, _ = logits.shape
    # Channels [2 * class] at column i are the classes at the columns 2 i and 2 i + 1.
    logits = logits.view(count, 2, -1, lines, logits.shape[3]).permute(0, 3, 4, 1, 2).reshape(count, lines, wanted.shape[2], -1)
    is_written = (wanted != IGNORED) & (wanted != BLANK_CHARACTER)
    blank = some((wanted == BLANK_CHARACTER).flatten(), 2048)
    flat = logits.reshape(-1, logits.shape[-1]).float()
    return functional.cross_entropy(flat[is_written.flatten()], wanted[is_written]) + 0.25 * functional.cross_entropy(
        flat[blank], wanted.flatten()[blank]
    )


def box_loss(predicted: Tensor, wanted: Tensor, has_box: Tensor) -> tuple[Tensor, Tensor]:
    """Errors count relative to the distance: half a cell matters for a check box and not for a full-width field."""
    offsets, goal = predicted[..., :4][has_box].float(), wanted[has_box]
    room = 0.5 + goal.abs()
    near = functional.smooth_l1_loss(offsets / room, goal / room, beta=0.1)
    return near, functional.binary_cross_entropy_with_logits(predicted[..., 4].float(), has_box.float())


def spelling_loss(teacher: Teacher, seen: Tensor, batch: dict[str, Tensor], codes: Tensor) -> Tensor:
    """1 - cosine with the weighted mean of the codes of the pieces in the cell."""
    ids, weights, asked = batch["pieces"].flatten(0, 1), batch["weights"].flatten(0, 1), batch["is_word_asked"].flatten()
    written = torch.nonzero(asked & (weights.sum(1) > 0.5)).flatten()
    wanted = (codes[ids[written]] * weights[written, :, None]).sum(1)
    return 1 - functional.cosine_similarity(teacher.spelling(seen[written]).float(), wanted).mean()


def losses(teacher: Teacher, batch: dict[str, Tensor], vectors: Tensor, codes: Tensor) -> dict[str, Tensor]:
    fine, seen, cells = teacher.tower(to_pixels(batch["pixels"]))
    box, found = box_loss(teacher.box(cells), batch["boxes"], batch["has_box"])
    return {
        "word": word_loss(teacher, cells.flatten(0, 1), batch, vectors),
        "spelling": spelling_loss(teacher, seen.flatten(0, 1), batch, codes),
        "tag": functional.binary_cross_entropy_with_logits(
            teacher.tags(cells).float(), batch["tags"], pos_weight=cells.new_tensor(TAG_WEIGHT, dtype=torch.float32)
        ),
        "box": box,
        "found": found,
        "character": character_loss(teacher, fine, batch["characters"]),
    }
