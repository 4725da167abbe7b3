"""What the training loops here share: a step of the optimiser and of the running average, and lines in the log."""

import json
import pathlib

import torch

LARGEST_GRADIENT = 2.0
STEPS_A_LINE = 50


class Steps:
    def __init__(
        self,
        model: torch.nn.Module,
        optimiser: torch.optim.Optimizer,
        average: torch.optim.swa_utils.AveragedModel,
        log: pathlib.Path,
    ) -> None:
        self.model, self.optimiser, self.average = model, optimiser, average
        self.log = log.open("a", encoding="utf-8")
        self.sums: dict[str, float] = {}

    def take(self, loss: torch.Tensor) -> None:
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), LARGEST_GRADIENT)
        self.optimiser.step()
        self.average.update_parameters(self.model)

    def tell(self, step: int, seconds: float, parts: dict[str, torch.Tensor]) -> None:
        """Every STEPS_A_LINE steps the mean of each part of the loss since the last line."""
        for name, part in parts.items():
            self.sums[name] = self.sums.get(name, 0) + part.item()
        if step % STEPS_A_LINE == 0:
            self.write(step, seconds, {name: round(value / STEPS_A_LINE, 4) for name, value in self.sums.items()})
            self.sums = {}

    def write(self, step: int, seconds: float, values: dict) -> None:
        self.log.write(json.dumps({"step": step, "seconds": round(seconds), **values}) + "\n")
        self.log.flush()
