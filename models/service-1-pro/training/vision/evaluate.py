"""Dev figures of a teacher on the tiles that the engine would cut: words, tags, boxes."""

import torch

from vision.labels import TAGS
from vision.losses import box_overlap, to_pixels
from vision.net import Teacher
from vision.precision import autocast
from vision.targets import targets_of
from vision.views import Picture, example, tile_view

CPU = torch.device("cpu")


@torch.no_grad()
def evaluate(
    teacher: Teacher, pictures: list[Picture], codes: torch.Tensor, device: torch.device = CPU
) -> dict[str, float]:
    """Word accuracies are over cells with readable text; the cut tiles and the squashed views are told apart."""
    teacher.eval()
    hits: dict[str, list[torch.Tensor]] = {}
    counts = torch.zeros(3, len(TAGS), device=device)
    for picture in pictures:
        tiles = range(len(picture.tiles))
        batch = torch.utils.data.default_collate(
            [example(picture.tiles[i].copy(), targets_of(picture.labels, tile_view(picture, i))) for i in tiles]
        )
        batch = {name: values.to(device) for name, values in batch.items()}
        with autocast(device.type):
            _, cells = teacher.tower(to_pixels(batch["pixels"]))
            predicted_tags, predicted_boxes = teacher.tags(cells).float(), teacher.box(cells).float()
            cells = cells.flatten(0, 1)
            has_text = (batch["weights"].flatten(0, 1).sum(1) > 0.5) & batch["is_word_asked"].flatten()
            scores = teacher.spelled(cells[has_text], codes)
        wanted, weights = batch["pieces"].flatten(0, 1)[has_text], batch["weights"].flatten(0, 1)[has_text]
        best = scores[:, :-1].topk(5, 1).indices
        right = (best[:, :, None] == wanted[:, None]) & (weights[:, None] > 0.15)
        where = ("global" if i == len(picture.tiles) - 1 and picture.is_cut else picture.labels.kind for i in tiles)
        kinds = [name if name in ("global", "shapes", "photo") else "page" for name in where for _ in range(64)]
        kinds = [kind for kind, has in zip(kinds, has_text.tolist()) if has]
        for kind, first, five in zip(kinds, right[:, 0].any(1), right.any(2).any(1)):
            hits.setdefault(f"{kind} word top 1", []).append(first)
            hits.setdefault(f"{kind} word top 5", []).append(five)
        blank = (batch["weights"].flatten(0, 1).sum(1) < 0.5) & batch["is_word_asked"].flatten()
        hits.setdefault("blank", []).extend(teacher.spelled(cells[blank][:32].float(), codes).argmax(1) == len(codes))
        on, wanted_on = predicted_tags > 0, batch["tags"] > 0.5
        counts += torch.stack(
            [(on & wanted_on).sum((0, 1)), (on & ~wanted_on).sum((0, 1)), (~on & wanted_on).sum((0, 1))]
        )
        has = batch["has_box"]
        hits.setdefault("box overlap", []).extend(box_overlap(predicted_boxes[has][:, :4], batch["boxes"][has]))
        # The cell in the middle of an element is the one an answer would point at.
        middle = has & ((batch["boxes"][..., :2] - batch["boxes"][..., 2:]).abs().amax(-1) <= 1)
        hits.setdefault("box overlap, middle cell", []).extend(
            box_overlap(predicted_boxes[middle][:, :4], batch["boxes"][middle])
        )
    teacher.train()
    right, extra, missed = counts.sum(1)
    figures = {name: torch.stack(values).float().mean().item() for name, values in hits.items()}
    figures["tag F1"] = (2 * right / (2 * right + extra + missed).clamp(min=1)).item()
    f1 = 2 * counts[0] / (2 * counts[0] + counts[1] + counts[2]).clamp(min=1)
    return figures | {
        f"F1 {tag}": value for tag, value, seen in zip(TAGS, f1.tolist(), (counts[0] + counts[2]).tolist()) if seen > 20
    }
