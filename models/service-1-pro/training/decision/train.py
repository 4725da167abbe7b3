"""Trains the decision model.

    python -m decision.train ROWS VECTORS OUT --preset cpu|gpu [--mixture NAME] [--start CHECKPOINT] ...
    python -m decision.train OUT --preset smoke   # less than a minute, on rows it writes itself

The learning rate follows a cosine over time, so a run ends when its time is up; with --steps it follows the steps, and
then a run is the same on every machine. Writes OUT/last.pt every few minutes (--resume continues from it) and a line of
losses every 50 steps. Seeds, settings and counts go into the checkpoint. With --workers 2 two processes draw rows of
their own and average their gradients (process_group.py): on two cores half as many tokens again as with two threads.
"""

import argparse
import glob
import json
import math
import os
import time

import numpy as np
import torch

from decision.batches import collate, load, stream
from decision.loss import total_loss
from decision.model import PICTURE_PARTS, READ_PARTS, Config, Decision
from decision.process_group import ProcessGroup, free_port
from vision.precision import autocast, fastest, times

# The same code in three sizes. What the command line says comes first.
PRESETS = {
    "smoke": dict(device="cpu", steps=240, threads=1, workers=1, tokens=500, rate=3e-3, layers=2, width=96),
    "cpu": dict(device="cpu", seconds=3300, threads=1, workers=1, tokens=2800, rate=1e-3, layers=4, width=192),
    "gpu": dict(device="cuda", seconds=540, threads=8, workers=1, tokens=60_000, rate=1.5e-3, layers=6, width=384),
}
PARTS = {"pictures": PICTURE_PARTS, "reads": READ_PARTS}
WARM_UP, SAVE_SECONDS = 80, 240
# Small gradients vanish in float16, so the loss is scaled; a step that overflows is left out.
FLOAT16_SCALE = 1024.0


def arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="ROWS VECTORS OUT",
        help="rendered rows or a pattern of them; emb.npy of data/vectors.py; a folder to write",
    )
    parser.add_argument("--preset", choices=PRESETS, default="cpu")
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--seconds", type=float, help="how long to train; or --steps")
    parser.add_argument("--steps", type=int, help="a fixed number of steps, however long they take")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--workers", type=int, help="processes that share the work, on the CPU")
    parser.add_argument("--tokens", type=int, help="tokens a step and worker")
    parser.add_argument("--rate", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", help="checkpoint to start from (weights only)")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument(
        "--keep",
        action="store_true",
        help="also keep the weights of every few minutes, as OUT/SECONDS.pt, for decision.blend",
    )
    parser.add_argument("--pictures", help="folder of vision features (vision/features.py)")
    parser.add_argument(
        "--reading",
        metavar="READING.npz",
        help="written by export.vision: how words are read from a cell's features; starts the picture parts anew",
    )
    parser.add_argument(
        "--only",
        choices=PARTS,
        help="train only what pictures pass through, so that texts are answered as before; or only what points and "
        "writes, so that decisions are",
    )
    parser.add_argument(
        "--picture-factor",
        type=float,
        default=1.0,
        help="how much faster the parts learn that only pictures pass through",
    )
    parser.add_argument("--mixture", help="how often sources are drawn, by a name in mixtures.json")
    parser.add_argument(
        "--weight", action="append", default=[], help="SOURCE=FACTOR: how much more often a source is drawn"
    )
    parser.add_argument("--layers", type=int)
    parser.add_argument("--width", type=int)
    options = parser.parse_args(words)
    for name, value in PRESETS[options.preset].items():
        if getattr(options, name, None) is None:
            setattr(options, name, value)
    if options.preset == "smoke" and len(options.paths) == 1:
        from decision.smoke import write_inputs

        options.paths = [*write_inputs(options.paths[0], options.width), options.paths[0]]
    if len(options.paths) != 3:
        parser.error("give ROWS VECTORS OUT (with --preset smoke OUT alone)")
    options.rows, options.vectors, options.out = options.paths
    return options


def groups(model, picture_factor):
    """Parameter groups of the optimiser: by weight decay (matrices only), and by how much faster they learn."""
    by_kind = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            decays = parameter.ndim == 2 and "embedding" not in name and name not in ("pair", "rank", "direct")
            by_kind.setdefault((decays, picture_factor if name.startswith(PICTURE_PARTS) else 1.0), []).append(
                parameter
            )
    return [
        dict(params=parameters, weight_decay=0.05 if decays else 0.0, factor=factor)
        for (decays, factor), parameters in by_kind.items()
    ]


def weights_of(options):
    weights = {}
    if options.mixture:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "mixtures.json")) as file:
            weights = json.load(file)[options.mixture]
    return {**weights, **{name: float(value) for name, value in (pair.split("=") for pair in options.weight)}}


def build(options, device):
    model = Decision(Config(width=options.width, layers=options.layers, inner=4 * options.width))
    model.embedding.weight.data = torch.from_numpy(np.load(options.vectors))[:, : options.width].clone().to(device)
    if options.start:
        known = torch.load(options.start, weights_only=False, map_location=device)["model"]
        own = model.state_dict()
        model.load_state_dict(
            {name: value for name, value in known.items() if name in own and own[name].shape == value.shape},
            strict=False,
        )  # new parts start as they are
    if options.reading:
        model.read_cells_with(np.load(options.reading))
    return model


def main(words=None):
    options = arguments(words)
    os.makedirs(options.out, exist_ok=True)
    rows = [row for path in sorted(glob.glob(options.rows)) for row in load(path)]
    if not rows:
        raise SystemExit(f"no rows in {options.rows}")
    if options.workers == 1:
        run(0, options, rows, 0)
    else:  # forked, so that the rows are there once
        torch.multiprocessing.start_processes(run, (options, rows, free_port()), options.workers, start_method="fork")
    return f"{options.out}/last.pt"


def run(rank, options, rows, port):
    """Trains as process `rank` of options.workers."""
    torch.set_num_threads(options.threads)
    device = torch.device(options.device)
    torch.set_default_device(device)
    torch.manual_seed(options.seed)
    processes = ProcessGroup(rank, options.workers, port)
    features = None
    if options.pictures:
        from decision.picture_features import Features

        features = Features(options.pictures)
    model = build(options, device)
    if options.only:
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(name.startswith(PARTS[options.only]))
    optimiser = torch.optim.AdamW(groups(model, options.picture_factor), lr=options.rate, betas=(0.9, 0.98))
    used, step, seen, asked, last, lap, running = 0.0, 0, 0, 0, 0.0, 0.0, {}
    checkpoint = f"{options.out}/last.pt"
    if options.resume and os.path.exists(checkpoint):
        saved = torch.load(checkpoint, weights_only=False, map_location=device)
        model.load_state_dict(saved["model"])
        optimiser.load_state_dict(saved["optimiser"])
        used, step, seen, asked = saved["used"], saved["step"], saved["seen"], saved["asked"]
        last = used
    if rank == 0:
        print(f"{len(rows)} rows, {sum(p.numel() for p in model.parameters()):,} parameters", flush=True)

    def save(path):
        weights = dict(
            model=model.state_dict(),
            used=used,
            step=step,
            seen=seen,
            asked=asked,
            options=vars(options),
            config=model.config.dict(),
        )
        torch.save(dict(**weights, optimiser=optimiser.state_dict()), path + ".new")
        os.replace(path + ".new", path)
        if options.keep:
            torch.save(weights, f"{options.out}/{used:.0f}.pt")

    weights = weights_of(options)
    # All processes use one format, because their gradients are averaged as they come.
    if device.type == "cuda":
        kind = torch.bfloat16
    else:  # small models are not faster in half precision
        kind = fastest(processes.all_reduce_mean([], times())) if options.width >= 128 else torch.float32
    half = autocast(device.type, kind)
    scale = FLOAT16_SCALE if kind == torch.float16 else 1.0
    for packed in stream(
        rows, options.seed + step + 1_000_003 * rank, options.tokens, lambda source: weights.get(source, 1.0)
    ):
        done = step / options.steps if options.steps else used / options.seconds
        if done >= 1:
            break
        begun = time.time()
        rate = options.rate * min(1.0, (step + 1) / WARM_UP) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done)))
        for group in optimiser.param_groups:
            group["lr"] = rate * group["factor"]
        batch = collate(packed, features)
        with half:
            loss, parts = total_loss(model, batch)
        optimiser.zero_grad(set_to_none=True)
        if loss.requires_grad:  # with --only, a batch may have nothing to move
            (loss * scale).backward()
        spent, tokens, questions = processes.all_reduce_mean(
            model.parameters(), [lap, batch["tokens"], sum(n for _, n in parts.values())]
        )
        if scale != 1.0:
            torch._foreach_div_([p.grad for p in model.parameters() if p.grad is not None], scale)
        if torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).isfinite():
            optimiser.step()
        step += 1
        used += spent
        seen += round(tokens * processes.world_size)
        asked += round(questions * processes.world_size)
        for name, (total, count) in parts.items():
            so_far = running.get(name, (0.0, 0))
            running[name] = (so_far[0] + total, so_far[1] + count)
        lap = time.time() - begun
        if rank > 0:
            continue
        if step % 50 == 0:
            shown = " ".join(f"{name} {total / count:.3f}" for name, (total, count) in sorted(running.items()))
            print(
                f"{used:.0f}s step {step} {shown} | {seen / used:.0f} tokens/s, {asked:,} questions, rate {rate:.5f}",
                flush=True,
            )
            running = {}
        if used - last > SAVE_SECONDS:
            last = used
            save(checkpoint)
    if rank == 0:
        save(checkpoint)
    processes.destroy()


if __name__ == "__main__":
    main()
