"""One run of the text model, from the public start or from a checkpoint.

    python train.py RUN --rows ROWS/train [--preset smoke|cpu|gpu] [--workers 2] [--threads 1] [--start CHECKPOINT]
    [--resume] [--seconds 3600] [--seed 1] [--rate 1.5e-4] [--cool 600]

A file RUN/stop ends the run after its step, kept. RUN/last.pt is everything to go on from (written whole, then
renamed), RUN/mean.pt the weights averaged along the run
(what is looked at and shipped), RUN/log.jsonl a line every twenty steps.
With one process or `--apart 1` gradients are averaged every step; with `--apart 8` each process takes eight steps of
its
own, then their weights are averaged: less waiting for each other where the cores are shared.
Steps change between the two looks. The rate rises, stays, and falls over the last `--cool` seconds where `--seconds`
says when that is.
"""

import argparse
import collections
import contextlib
import json
import os
import time

import numpy as np
import torch
import torch.multiprocessing as processes

import draw
import loaders
import loss
import start
from config import PRESETS, Config
from gang import Gang, free_port
from model import Model
from optimiser import FRESH, NUMBERS, Optimiser

HERE = os.path.dirname(os.path.abspath(__file__))
MEAN_EVERY, MEAN_KEEPS = 4, 0.9975
LOG_EVERY = 20
KIND_SHARE = {"noul": 1.2, "choice": 1.0, "score": 1.0, "select": 1.0, "extract": 1.2, "fill": 1.0}


def write(path, value):
    torch.save(value, f"{path}.new")
    os.replace(f"{path}.new", path)


def work(rank, options, port):
    gang = Gang(rank, options.workers, port)
    preset = PRESETS[options.preset]
    device = "cuda" if options.preset == "gpu" and torch.cuda.is_available() else "cpu"
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    model, last = Model(Config()), f"{options.run}/last.pt"
    found = torch.load(last, map_location="cpu") if options.resume and os.path.exists(last) else None
    if found is not None:
        model.load_state_dict(found["model"])
    elif options.start:
        begin = torch.load(options.start, map_location="cpu")
        lacking, unknown = model.load_state_dict(begin["model"], strict=False)
        assert not unknown and all(name.startswith((*FRESH, *NUMBERS)) for name in lacking), (lacking, unknown)
    else:
        model.encoder.load_state_dict(start.weights())
    model.to(device)
    model.encoder.words.weight.requires_grad_(False)
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimise = Optimiser(model, options.rate or preset.rate)
    step, tokens, asked, spent = 0, 0, 0, 0.0
    mean = {name: value.detach().clone() for name, value in model.state_dict().items()} if rank == 0 else None
    # What is drawn depends on this: a run that goes on from another's weights does not draw the same rows again.
    seed = (
        options.seed
        if not options.start
        else f"{options.seed} {torch.load(options.start, map_location='cpu')['tokens']}"
    )
    if found is not None:
        seed = found.get("seed", options.seed)
        optimise.load_state_dict(found["optimiser"])
        step, tokens, asked, spent = found["step"], found["tokens"], found["asked"], found["spent"]
        if rank == 0:
            mean = {name: value.to(device) for name, value in found["mean"].items()}
    precise = contextlib.nullcontext if not preset.half else lambda: torch.autocast(device, dtype=torch.bfloat16)
    begun = kept = time.time()
    first_tokens, recent = tokens, collections.defaultdict(list)

    def keep():
        write(
            last,
            {
                "model": model.state_dict(),
                "optimiser": optimise.state_dict(),
                "mean": mean,
                "step": step,
                "tokens": tokens,
                "asked": asked,
                "spent": spent + time.time() - begun,
                "config": vars(model.config),
                "seed": seed,
            },
        )
        write(
            f"{options.run}/mean.pt",
            {
                "model": mean,
                "config": vars(model.config),
                "step": step,
                "tokens": tokens,
                "asked": asked,
                "spent": spent + time.time() - begun,
            },
        )

    since, stop = np.zeros(2), False
    if found is None and options.start:  # the same run with a fresh optimiser: what was seen counts
        tokens, asked, spent = begin["tokens"], begin["asked"], begin["spent"]
        first_tokens = tokens
    options.drawn = seed
    beside = loaders.Loaders(options.loaders, options, step, tokens) if options.loaders else None
    phases = draw.drawer(options, rank, options.workers)
    batches = beside or loaders.drawn(phases, step, lambda: tokens)
    halt = f"{options.run}/stop"
    warm_from = step
    for look, batch in batches:
        left = options.seconds - (time.time() - begun) if options.seconds else 1e9
        pace = min(1.0, (step - warm_from + 1) / preset.warm_up) * min(
            1.0, max(left, 0.0) / options.cool if options.cool else 1.0
        )
        optimise.pace(pace)
        batch = batch.to(device)
        with precise():
            logits, evidence, quotes = model(batch)
        each, plain = loss.losses(batch, logits, evidence, quotes)
        share = torch.tensor([KIND_SHARE[question.kind] for question in batch.asked], device=each.device)
        (each * share).mean().backward()
        real = int(batch.real.sum())
        since += real, len(batch.asked)
        meets = (step + 1) % options.apart == 0
        if options.apart == 1:
            for p in parameters:
                p.grad = torch.zeros_like(p) if p.grad is None else p.grad
            gang.average([p.grad for p in parameters], [])
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimise.step()
        step += 1
        if meets:
            with torch.no_grad():
                weights = [] if options.apart == 1 else parameters
                real_all, asked_all, stop = gang.average(weights, [*since, float(left <= 0 or os.path.exists(halt))])
            tokens, asked, since = tokens + int(real_all), asked + int(asked_all), np.zeros(2)
            if beside:
                beside.seen.value = tokens
        for question, value in zip(batch.asked, plain.tolist(), strict=True):
            recent[f"{look} {question.kind}"].append(value)
        recent["filled"].append(real / batch.tokens.numel())
        if rank == 0 and meets and step % max(MEAN_EVERY, options.apart) == 0:
            keeps = min(MEAN_KEEPS, step / (step + 10 * MEAN_EVERY)) ** max(MEAN_EVERY, options.apart)
            with torch.no_grad():
                for name, value in model.named_parameters():
                    if value.requires_grad:
                        mean[name].lerp_(value, 1 - keeps)
        if rank == 0 and (step % LOG_EVERY == 0 or step == options.steps):
            took = time.time() - begun
            line = {
                "step": step,
                "tokens": tokens,
                "asked": asked,
                "seconds": round(spent + took),
                "tokens_a_second": round((tokens - first_tokens) / took),
                "phase": phases.phase(tokens)["name"],
                **{name: round(sum(values) / len(values), 4) for name, values in sorted(recent.items())},
                "scale": [round(x, 2) for x in [*model.likeness_scale.tolist(), *model.found_scale.tolist()]],
            }
            with open(f"{options.run}/log.jsonl", "a", encoding="utf-8") as log:
                print(json.dumps(line), file=log)
            recent.clear()
        if rank == 0 and meets and time.time() - kept > preset.keep_every_s:
            keep()
            kept = time.time()
        if stop or (meets and options.steps and step >= options.steps):
            break
    if rank == 0:
        keep()
        print(f"{step} steps, {tokens:,} tokens, {asked:,} questions, {spent + time.time() - begun:.0f} s", flush=True)
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
