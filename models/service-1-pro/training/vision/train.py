"""Trains the vision tower on dumped tiles.

    python -m vision.train RUN_FOLDER PICTURES_FOLDER TEXT_FOLDER --minutes 60 --pages NAME=LABELS.jsonl ...

Continues from RUN_FOLDER/last.pt when it is there. One process runs the net, --workers processes make the examples.
"""

import argparse
import ctypes
import math
import pathlib
import time

import tokenizers
import torch

from vision.evaluate import evaluate
from vision.labels import CHARACTER_CLASSES, TAGS
from vision.losses import WEIGHTS, losses
from vision.net import Teacher, averaged_weights
from vision.precision import autocast
from vision.spelling import spelling_codes
from vision.steps import Steps
from vision.views import Examples, Picture, read_pictures

# One command a preset, the same code. What the command line says comes first.
PRESETS = {
    "smoke": {"device": "cpu", "batch": 4, "workers": 0, "threads": 1, "compile": False, "peak": 2e-3, "steps": 6},
    "cpu": {"device": "cpu", "batch": 32, "workers": 1, "threads": 2, "compile": True, "peak": 2e-3, "steps": None},
    "gpu": {"device": "cuda", "batch": 256, "workers": 14, "threads": 2, "compile": True, "peak": 4e-3, "steps": None},
}
WARM_UP = 200
SAVE_SECONDS = 300
DEV_PICTURES = 24
AVERAGE_DECAY = 0.998


def keep_memory() -> None:
    """Tells glibc's allocator to keep what it freed: new pages for every large array cost a third of a step.

    Without glibc it has no effect."""
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except OSError:
        return
    trim_threshold, top_pad, mmap_threshold = -1, -2, -3
    for name, value in ((trim_threshold, 2**31 - 1), (top_pad, 2**27), (mmap_threshold, 2**30)):
        mallopt(name, value)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("pictures", type=pathlib.Path, help="holds tiles-NAME.raw and tiles-NAME.json")
    parser.add_argument("text", type=pathlib.Path, help="holds tokenizer.json")
    parser.add_argument("--preset", choices=PRESETS, default="cpu")
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--batch", type=int, help="windows a step")
    parser.add_argument("--workers", type=int, help="processes that make examples")
    parser.add_argument("--threads", type=int, help="for the net")
    parser.add_argument(
        "--compile", action=argparse.BooleanOptionalAction, help="fuse the net's small operations; needs a C++ compiler"
    )
    parser.add_argument("--steps", type=int, help="stop after so many")
    parser.add_argument("--minutes", type=float, default=40, help="length of the cosine, counted from the first start")
    parser.add_argument("--pages", action="append", default=[], help="NAME=LABELS.jsonl of a dump with pages")
    parser.add_argument(
        "--photos", action="append", default=[], help="NAME=LABELS.jsonl of a dump with photos or single shapes"
    )
    parser.add_argument("--dev", default=None, help="NAME=LABELS.jsonl of the dump for the dev figures")
    parser.add_argument(
        "--start", type=pathlib.Path, default=None, help="a checkpoint whose averaged weights a new run begins with"
    )
    parser.add_argument(
        "--keep-heads", action="store_true", help="train only the tower, so that what reads its features can stay"
    )
    parser.add_argument(
        "--heads-first",
        type=int,
        default=0,
        metavar="STEPS",
        help="steps in which the tower rests while new heads find their way",
    )
    parser.add_argument("--peak", type=float, help="highest learning rate")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for name, value in PRESETS[arguments.preset].items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    return arguments


def read_pool(arguments: argparse.Namespace, pairs: list[str], tokenizer: tokenizers.Tokenizer) -> list[Picture]:
    pictures: list[Picture] = []
    for pair in pairs:
        name, labels = pair.split("=", 1)
        pictures += read_pictures(arguments.pictures, name, pathlib.Path(labels), tokenizer)
    return pictures


def pools(arguments: argparse.Namespace, tokenizer: tokenizers.Tokenizer) -> list[tuple[float, list[Picture]]]:
    pages = read_pool(arguments, arguments.pages, tokenizer)
    drawn = [page for page in pages if page.labels.kind == "shapes"]
    written = [page for page in pages if page.labels.kind != "shapes"]
    return [(0.8, written), (0.08, drawn), (0.12, read_pool(arguments, arguments.photos, tokenizer))]


def rate_at(peak: float, seconds: float, total: float, step: int) -> float:
    """Warm-up by steps, then a cosine over time, so that a busy machine does not cut the end off."""
    done = min(seconds / total, 1)
    return peak * min(1, (step + 1) / WARM_UP) * max(0.005, 0.5 * (1 + math.cos(math.pi * done)))


def split(parameters: list[torch.nn.Parameter]) -> tuple[list[torch.nn.Parameter], list[torch.nn.Parameter]]:
    """Those that decay and those (biases, norms) that do not."""
    return [p for p in parameters if p.ndim > 1], [p for p in parameters if p.ndim <= 1]


def main() -> None:
    arguments = parse()
    keep_memory()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    arguments.run.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizers.Tokenizer.from_file(str(arguments.text / "tokenizer.json"))
    device = torch.device(arguments.device)
    codes = spelling_codes(tokenizer).to(device)
    teacher = Teacher(len(TAGS), CHARACTER_CLASSES).to(device, memory_format=torch.channels_last)
    if arguments.start:
        teacher.load_state_dict(averaged_weights(torch.load(arguments.start, weights_only=True, map_location=device)))
    learning = list((teacher.tower if arguments.keep_heads else teacher).parameters())
    of_tower = {id(parameter) for parameter in teacher.tower.parameters()}
    groups = [
        {"params": parameters, "weight_decay": decay, "is_tower": is_tower}
        for is_tower in (True, False)
        for parameters, decay in zip(split([p for p in learning if (id(p) in of_tower) == is_tower]), (0.02, 0.0))
        if parameters
    ]
    optimiser = torch.optim.AdamW(groups, arguments.peak, (0.9, 0.98))
    average = torch.optim.swa_utils.AveragedModel(
        teacher, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(AVERAGE_DECAY), use_buffers=True
    )
    if arguments.compile:
        teacher.tower.compile()
    step, spent = 0, 0.0
    last = arguments.run / "last.pt"
    if last.exists():
        saved = torch.load(last, weights_only=True, map_location=device)
        teacher.load_state_dict(saved["teacher"])
        optimiser.load_state_dict(saved["optimiser"])
        average.load_state_dict(saved["average"])
        step, spent = saved["step"], saved["seconds"]

    dev = read_pool(arguments, [arguments.dev], tokenizer)[:DEV_PICTURES] if arguments.dev else []
    examples = Examples(pools(arguments, tokenizer), arguments.seed + step)
    loader = torch.utils.data.DataLoader(
        examples, arguments.batch, num_workers=arguments.workers, prefetch_factor=4 if arguments.workers else None
    )
    started, saved_at = time.monotonic() - spent, time.monotonic()
    steps = Steps(teacher, optimiser, average, arguments.run / "log.jsonl")
    total = arguments.minutes * 60

    def save() -> None:
        state = {"teacher": teacher.state_dict(), "optimiser": optimiser.state_dict(), "average": average.state_dict()}
        torch.save({**state, "step": step, "seconds": time.monotonic() - started}, last.with_suffix(".tmp"))
        last.with_suffix(".tmp").rename(last)
        figures = evaluate(average.module, dev, codes, device) if dev else {}
        steps.write(step, time.monotonic() - started, {"dev": figures})

    for batch in loader:
        seconds = time.monotonic() - started
        if seconds > total or (arguments.steps and step >= arguments.steps):
            break
        for group in optimiser.param_groups:
            rests = group["is_tower"] and step < arguments.heads_first
            group["lr"] = (
                0.0
                if rests
                else rate_at(arguments.peak, seconds, total, step - (arguments.heads_first if group["is_tower"] else 0))
            )
        batch = {name: values.to(device, non_blocking=True) for name, values in batch.items()}
        with autocast(device.type):
            parts = losses(teacher, batch, codes)
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
