"""One run of the text model, from the public start or from a checkpoint.

    python train.py RUN --rows ROWS/train [--preset smoke|cpu|gpu] [--workers 2] [--threads 1] [--start CHECKPOINT]
    [--resume] [--seconds 3600] [--seed 1] [--rate 1.5e-4] [--cool 600]

A file RUN/stop ends the run after its step, kept. RUN/last.pt is everything to go on from (written whole, then
renamed), RUN/mean.pt the weights averaged along the run (what is looked at and shipped), RUN/log.jsonl a line every
twenty steps.
With one process or `--apart 1` gradients are averaged every step; with `--apart 4` each process takes four steps of
its own, then their weights are averaged: less waiting for each other where the cores are shared.
A step learns from a batch of each look. The rate rises (not where a run goes on), stays, and falls over the last
`--cool` seconds where `--seconds` says when that is.
"""

import argparse
import os
import time

import numpy as np
import torch
import torch.multiprocessing as processes

import draw
import loaders
import memory
from config import PRESETS
from gang import Gang, free_port
from run import MEAN_EVERY, Run

LOG_EVERY = 20
NO_END = 1e9


def pace_of(steps, left, warm_up, cool):
    """The share of the full rate: it rises over the first steps and falls over the last `cool` seconds."""
    return min(1.0, (steps + 1) / warm_up) * min(1.0, max(left, 0.0) / cool if cool else 1.0)


def work(rank, options, port):
    """One process: takes steps of its own rows, meets the others, and (the first) keeps and tells."""
    memory.keep()
    gang, preset = Gang(rank, options.workers, port), PRESETS[options.preset]
    device = "cuda" if options.preset == "gpu" and torch.cuda.is_available() else "cpu"
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    run = Run(options, device)
    options.drawn = run.seed
    beside = loaders.Loaders(options.loaders, options, run.step, run.tokens) if options.loaders else None
    phases = draw.drawer(options, rank, options.workers)
    warm_up = preset.warm_up if run.is_new else 1
    since, first_step, kept = np.zeros(2), run.step, time.time()
    for batches in beside or loaders.drawn(phases, run.step, lambda: run.tokens):
        left = options.seconds - run.took() if options.seconds else NO_END
        for look, batch in batches.items():
            since += run.gradients(look, batch, 1 / len(batches))
        if options.apart == 1:
            for p in run.parameters:
                p.grad = torch.zeros_like(p) if p.grad is None else p.grad
            gang.average([p.grad for p in run.parameters], [])
        run.move(pace_of(run.step - first_step, left, warm_up, options.cool))
        meets, stop = run.step % options.apart == 0, False
        if meets:
            ends = left <= 0 or os.path.exists(f"{options.run}/stop")
            with torch.no_grad():
                weights = [] if options.apart == 1 else run.parameters
                tokens, asked, stop = gang.average(weights, [*since, float(ends)])
            run.tokens, run.asked, since = run.tokens + int(tokens), run.asked + int(asked), np.zeros(2)
            if beside:
                beside.seen.value = run.tokens
        if rank == 0 and meets and run.step % max(MEAN_EVERY, options.apart) == 0:
            run.average(max(MEAN_EVERY, options.apart))
        if rank == 0 and (run.step % LOG_EVERY == 0 or run.step == options.steps):
            run.log(phases.phase(run.tokens)["name"])
        if rank == 0 and meets and time.time() - kept > preset.keep_every_s:
            run.keep()
            kept = time.time()
        if stop or (meets and options.steps and run.step >= options.steps):
            break
    if rank == 0:
        run.keep()
        seconds = run.spent + run.took()
        print(f"{run.step} steps, {run.tokens:,} tokens, {run.asked:,} questions, {seconds:.0f} s", flush=True)
    if beside:
        beside.stop()
    gang.leave()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("--rows", required=True)
    parser.add_argument("--preset", choices=list(PRESETS), default="cpu")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--loaders", type=int, default=0, help="processes that lay out batches for a fast device")
    parser.add_argument("--apart", type=int, default=1, help="steps that a process takes alone before all meet")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--start")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--cool", type=float, default=0)
    parser.add_argument("--rate", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mixture")
    options = parser.parse_args()
    os.makedirs(options.run, exist_ok=True)
    if options.workers == 1:
        work(0, options, 0)
    else:
        processes.spawn(work, (options, free_port()), nprocs=options.workers)


if __name__ == "__main__":
    main()
