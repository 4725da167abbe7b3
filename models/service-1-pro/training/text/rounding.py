"""Weights rounded to whole steps so that what a product gives changes least (GPTQ, arXiv 2210.17323): each column that
is rounded passes its error on to the columns that are not yet, by how they go together in what enters the product.
"""

import glob
import json
import random

import numpy as np
import torch

import layout
import start
from reader import POINTED, Item, Reader

ROWS_A_FILE = 4
PASS_TOKENS = 4000
DAMP = 0.01  # of the mean variance
ENOUGH = 16  # inputs for each number of an input; with fewer, rounding would fit to them alone
OF_TOKENS = ("evidence.key", "evidence.value", "quotes.key_first", "quotes.key_last")  # asked of every token of a state


class Inputs:
    """What enters each linear layer, by its name in the state dict: mean, covariance, and the largest size of each
    column; nothing before `watch`.
    """

    def __init__(self):
        self.count, self.sums, self.products, self.largest = {}, {}, {}, {}

    def __contains__(self, name):
        return self.count.get(name, 0) >= ENOUGH * len(self.sums.get(name, ()))

    def mean(self, name):
        return self.sums[name] / self.count[name]

    def covariance(self, name):
        mean = self.mean(name)
        return self.products[name] / self.count[name] - np.outer(mean, mean)

    def add(self, name, x):
        x = x.double()
        self.count[name] = self.count.get(name, 0) + len(x)
        self.sums[name] = self.sums.get(name, 0) + x.sum(0).numpy()
        self.products[name] = self.products.get(name, 0) + (x.T @ x).numpy()
        self.largest[name] = np.maximum(self.largest.get(name, 0), x.abs().amax(0).numpy())

    def watch(self, model, made, look):
        """Runs sequences of one look through the model."""
        batch = layout.batch(made, look)

        def hook(name):
            def take(_, given):
                x = given[0].detach()
                for there in (batch.real, batch.present):
                    if x.dim() == 3 and x.shape[:2] == there.shape:
                        return self.add(name, x[there])
                return self.add(name, x.reshape(-1, x.shape[-1]))

            return take

        hooks = [
            part.register_forward_pre_hook(hook(name))
            for name, part in model.named_modules()
            if isinstance(part, torch.nn.Linear)
        ]
        hooks.append(model.encoder.register_forward_hook(lambda _, given, x: tokens.append(x[batch.state])))
        tokens = []
        with torch.no_grad():
            model(batch)
        for one in hooks:
            one.remove()
        for name in OF_TOKENS:
            self.add(name, tokens[0])


def inputs(model, folder, seed=1):
    """What enters the layers of a model on a few rows of each file of a folder, in both looks."""
    rnd, reader, out = random.Random(seed), Reader(start.tokenizer(), model.config.passage), Inputs()
    made = {"first": [], "second": []}
    for path in sorted(glob.glob(f"{folder}/*.jsonl")):
        with open(path, "rb") as file:
            rows = rnd.sample(found := file.read().splitlines(), min(ROWS_A_FILE, len(found)))
        for row in rows:
            item = reader.item(json.loads(row), 400)
            if item is not None:
                asked = [q for q in item.questions if q.kind not in POINTED]
                if asked:
                    made["first"].append(layout.first(Item(item.passages, asked[:4], item.source)))
                made["second"].append(layout.second(item, rnd.choice(item.questions)))
    for look, sequences in made.items():
        for part in layout.cut(sequences, PASS_TOKENS):
            out.watch(model, part, look)
    return out


def nearest(weight, steps, most):
    return np.round(weight / steps).clip(-most, most)


def passed_on(weight, steps, most, covariance):
    """Whole steps of a weight [out][in], each row in steps of its own, for inputs of a covariance [in][in]."""
    spread = covariance + DAMP * np.diag(covariance).mean() * np.eye(len(covariance))
    order = np.argsort(-np.diag(spread))
    back = np.argsort(order)
    # What a column's error costs, and which others make up for it, once those before it are fixed.
    inverse = np.linalg.cholesky(np.linalg.inv(spread[np.ix_(order, order)])).T
    left, out = weight[:, order].astype(np.float64), np.empty(weight.shape)
    for n in range(left.shape[1]):
        out[:, n] = nearest(left[:, n], steps[:, 0], most)
        error = (left[:, n] - out[:, n] * steps[:, 0]) / inverse[n, n]
        left[:, n:] -= np.outer(error, inverse[n, n:])
    return out[:, back]
