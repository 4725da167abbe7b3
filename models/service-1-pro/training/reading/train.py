"""Trains the text reader from the first layers of a trained tower.

    python -m reading.train RUN TILES TEXT --start TOWER.pt --minutes 40 --pages SHARE:NAME=LABELS.jsonl ...

Continues from RUN/last.pt when it is there. Prints the shares of right letters and lines in the dump --dev.
"""

import argparse
import pathlib
import time

import tokenizers
import torch

from reading.lines import CTC_BLANK, line_targets
from reading.reader import WEIGHTS, Reader, reader_losses
from vision.labels import CHARACTER_CLASSES, TAGS
from vision.losses import to_pixels
from vision.net import Teacher, averaged_weights
from vision.precision import autocast
from vision.steps import Steps
from vision.train import AVERAGE_DECAY, keep_memory, rate_at, split
from vision.views import Examples, read_pictures

SAVE_SECONDS = 240
DEV_BATCHES = 6


def edits(a: list[int], b: list[int]) -> int:
    """Levenshtein distance."""
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (x != y)))
        last = row
    return last[-1]


def collapsed(best: list[int]) -> list[int]:
    return [c for i, c in enumerate(best) if c != CTC_BLANK and (i == 0 or c != best[i - 1])]


@torch.no_grad()
def figures(reader: Reader, batches: list[dict]) -> dict[str, float]:
    """Shares: wrong letters (edit distance) and faultless lines, read where lines are; recall and precision of steps
    that belong to lines."""
    reader.eval()
    wrong = letters_all = right = lines_all = hits = found = there = 0
    for batch in batches:
        with autocast("cpu"):
            letters, lines, _ = reader(to_pixels(batch["pixels"]))
        best = letters.argmax(-1)
        is_found, is_line = lines > 0, batch["is_line"] == 1
        hits += int((is_found & is_line).sum())
        there += int(is_line.sum())
        found += int((is_found & (batch["is_line"] >= 0)).sum())
        for n, at in torch.nonzero(batch["lengths"] > 0).tolist():
            row, first, end = batch["places"][n, at].tolist()
            wanted = batch["classes"][n, at, : batch["lengths"][n, at]].tolist()
            distance = edits(collapsed(best[n, row, first:end].tolist()), wanted)
            wrong, letters_all, right, lines_all = (
                wrong + distance,
                letters_all + len(wanted),
                right + (distance == 0),
                lines_all + 1,
            )
    reader.train()
    return {
        "wrong": round(wrong / letters_all, 4),
        "lines": round(right / lines_all, 4),
        "recall": round(hits / there, 4),
        "precision": round(hits / max(found, 1), 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("run", "tiles", "text"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument(
        "--start", type=pathlib.Path, required=True, help="a checkpoint of vision/train.py or vision/restore.py"
    )
    parser.add_argument("--pages", action="append", default=[], metavar="SHARE:NAME=LABELS.jsonl")
    parser.add_argument("--dev", action="append", default=[], metavar="NAME=LABELS.jsonl")
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peak", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    keep_memory()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    arguments.run.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizers.Tokenizer.from_file(str(arguments.text / "tokenizer.json"))

    def pool(pair: str):
        name, labels = pair.split("=", 1)
        return read_pictures(arguments.tiles, name, pathlib.Path(labels), tokenizer)

    teacher = Teacher(len(TAGS), CHARACTER_CLASSES)
    teacher.load_state_dict(averaged_weights(torch.load(arguments.start, weights_only=True)))
    reader = Reader(teacher.tower).to(memory_format=torch.channels_last)
    learning = list(reader.parameters())
    groups = [{"params": own, "weight_decay": decay} for own, decay in zip(split(learning), (0.02, 0.0))]
    optimiser = torch.optim.AdamW(groups, arguments.peak, (0.9, 0.98))
    average = torch.optim.swa_utils.AveragedModel(
        reader, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(AVERAGE_DECAY), use_buffers=True
    )
    step, spent, last = 0, 0.0, arguments.run / "last.pt"
    if last.exists():
        saved = torch.load(last, weights_only=True)
        reader.load_state_dict(saved["reader"])
        optimiser.load_state_dict(saved["optimiser"])
        average.load_state_dict(saved["average"])
        step, spent = saved["step"], saved["seconds"]
    pools = [(float(pair.split(":", 1)[0]), pool(pair.split(":", 1)[1])) for pair in arguments.pages]
    examples = Examples(pools, arguments.seed + step, line_targets)
    loader = torch.utils.data.DataLoader(
        examples, arguments.batch, num_workers=arguments.workers, prefetch_factor=4 if arguments.workers else None
    )
    devs = {}
    for pair in arguments.dev:
        dev = iter(torch.utils.data.DataLoader(Examples([(1.0, pool(pair))], 7, line_targets), arguments.batch))
        devs[pair.split("=")[0]] = [next(dev) for _ in range(DEV_BATCHES)]
    total, started, saved_at = arguments.minutes * 60, time.monotonic() - spent, time.monotonic()
    steps = Steps(reader, optimiser, average, arguments.run / "log.jsonl")

    def save() -> None:
        state = {"reader": reader.state_dict(), "optimiser": optimiser.state_dict(), "average": average.state_dict()}
        torch.save({**state, "step": step, "seconds": time.monotonic() - started}, last.with_suffix(".tmp"))
        last.with_suffix(".tmp").rename(last)
        steps.write(
            step, time.monotonic() - started, {name: figures(average.module, own) for name, own in devs.items()}
        )

    for batch in loader:
        seconds = time.monotonic() - started
        if seconds > total:
            break
        for group in optimiser.param_groups:
            group["lr"] = rate_at(arguments.peak, seconds, total, step)
        with autocast("cpu"):
            parts = reader_losses(reader, to_pixels(batch["pixels"]), batch)
        loss = sum(WEIGHTS[name] * part for name, part in parts.items())
        steps.take(loss)
        step += 1
        steps.tell(step, seconds, parts)
        if time.monotonic() - saved_at > SAVE_SECONDS:
            save()
            saved_at = time.monotonic()
    save()


if __name__ == "__main__":
    main()
