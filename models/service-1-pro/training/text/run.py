"""A run of training: the weights, how they move, their average along the run, and what was seen; kept whole in
RUN/last.pt and told in RUN/log.jsonl.
"""

import collections
import contextlib
import json
import os
import time

import torch

import loss
import precision
import start
from config import PRESETS, Config
from model import Model
from optimiser import FRESH, NUMBERS, Optimiser

MEAN_EVERY, MEAN_KEEPS = 2, 0.995
KIND_SHARE = {"noul": 1.2, "choice": 1.0, "score": 1.0, "select": 1.0, "extract": 1.2, "fill": 1.0}
MOST_GRADIENT = 1.0


def write(path, value):
    """Whole, or not at all."""
    torch.save(value, f"{path}.new")
    os.replace(f"{path}.new", path)


class Run:
    """Begins with the public start, with a checkpoint's weights (`--start`), or where it stopped (`--resume`)."""

    def __init__(self, options, device):
        preset = PRESETS[options.preset]
        self.folder, self.device = options.run, device
        self.model, self.step, self.tokens, self.asked, self.spent = Model(Config()), 0, 0, 0, 0.0
        # What is drawn depends on this: a run that goes on from another's weights does not draw the same rows again.
        self.seed = options.seed
        last = f"{self.folder}/last.pt"
        kept = torch.load(last, map_location="cpu") if options.resume and os.path.exists(last) else None
        # An optimiser that goes on knows how large its gradients are: the rate need not rise again.
        self.is_new = kept is None
        if kept is not None:
            self.model.load_state_dict(kept["model"])
            self.seen(kept)
            self.step, self.seed = kept["step"], kept["seed"]
        elif options.start:
            begin = torch.load(options.start, map_location="cpu")
            lacking, unknown = self.model.load_state_dict(begin["model"], strict=False)
            assert not unknown and all(name.startswith((*FRESH, *NUMBERS)) for name in lacking), (lacking, unknown)
            self.seen(begin)
            self.seed = f"{options.seed} {self.tokens}"
        else:
            self.model.encoder.load_state_dict(start.weights())
        self.model.to(device)
        self.model.encoder.words.weight.requires_grad_(False)
        self.parameters = [p for p in self.model.parameters() if p.requires_grad]
        self.optimiser = Optimiser(self.model, options.rate or preset.rate)
        mean = self.model.state_dict() if kept is None else kept["mean"]
        self.mean = {name: value.detach().clone().to(device) for name, value in mean.items()}
        if kept is not None:
            self.optimiser.load_state_dict(kept["optimiser"])
        self.precise = (lambda: precision.short(device)) if preset.half else contextlib.nullcontext
        self.begun, self.tokens_before, self.recent = time.time(), self.tokens, collections.defaultdict(list)

    def seen(self, checkpoint):
        self.tokens, self.asked, self.spent = checkpoint["tokens"], checkpoint["asked"], checkpoint["spent"]

    def took(self):
        """Seconds of this process."""
        return time.time() - self.begun

    def gradients(self, look, batch, weight):
        """Of one batch, which has so much weight, added to those in the parameters. Gives its tokens and questions."""
        batch = batch.to(self.device)
        with self.precise():
            logits, evidence, quotes = self.model(batch)
        each, plain = loss.losses(batch, logits, evidence, quotes)
        share = torch.tensor([KIND_SHARE[question.kind] for question in batch.asked], device=each.device)
        (weight * (each * share).mean()).backward()
        for question, value in zip(batch.asked, plain.tolist(), strict=True):
            self.recent[f"{look} {question.kind}"].append(value)
        real = int(batch.real.sum())
        self.recent["filled"].append(real / batch.tokens.numel())
        return real, len(batch.asked)

    def move(self, pace):
        """One step along the gradients, at a share of the full rate."""
        torch.nn.utils.clip_grad_norm_(self.parameters, MOST_GRADIENT)
        self.optimiser.pace(pace)
        self.optimiser.step()
        self.step += 1

    def average(self, steps):
        """The weights into their mean, which last saw them so many steps ago."""
        keeps = min(MEAN_KEEPS, self.step / (self.step + 10 * MEAN_EVERY)) ** steps
        with torch.no_grad():
            for name, value in self.model.named_parameters():
                if value.requires_grad:
                    self.mean[name].lerp_(value, 1 - keeps)

    def keep(self):
        whole = {
            "config": vars(self.model.config),
            "step": self.step,
            "tokens": self.tokens,
            "asked": self.asked,
            "spent": self.spent + self.took(),
        }
        going = {"optimiser": self.optimiser.state_dict(), "mean": self.mean, "seed": self.seed}
        write(f"{self.folder}/last.pt", {**whole, **going, "model": self.model.state_dict()})
        write(f"{self.folder}/mean.pt", {**whole, "model": self.mean})

    def log(self, phase):
        """A line of the mean losses since the last one, by look and kind of question."""
        took = self.took()
        scales = [*self.model.likeness_scale.tolist(), *self.model.found_scale.tolist()]
        line = {
            "step": self.step,
            "tokens": self.tokens,
            "asked": self.asked,
            "seconds": round(self.spent + took),
            "tokens_a_second": round((self.tokens - self.tokens_before) / took),
            "phase": phase,
            **{name: round(sum(values) / len(values), 4) for name, values in sorted(self.recent.items())},
            "scale": [round(x, 2) for x in scales],
        }
        with open(f"{self.folder}/log.jsonl", "a", encoding="utf-8") as log:
            print(json.dumps(line), file=log)
        self.recent.clear()
