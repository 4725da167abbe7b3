"""Several processes of this machine train one model: each takes rows of its own, and their gradients are averaged before every step.

Small matrices leave a second thread idle half of the time; a second process does not (data-parallel training as in PyTorch's DistributedDataParallel,
without its buckets: the model is small, so one message a step is enough).
"""

import socket

import torch
import torch.distributed as dist


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Gang:
    """One of `size` processes; alone it does nothing."""

    def __init__(self, rank, size, port):
        self.rank, self.size = rank, size
        if size > 1:
            dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=size)

    def average(self, parameters, numbers):
        """Leaves the mean gradient in every process, zero where one has none, and gives the mean of each of `numbers` (floats)."""
        if self.size == 1:
            return numbers
        parameters = [p for p in parameters if p.requires_grad]
        for p in parameters:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        every = torch.cat([*(p.grad.reshape(-1) for p in parameters), torch.tensor(numbers)])
        dist.all_reduce(every)
        every /= self.size
        at = 0
        for p in parameters:
            p.grad.copy_(every[at : at + p.numel()].view_as(p))
            at += p.numel()
        return every[at:].tolist()

    def leave(self):
        if self.size > 1:
            dist.destroy_process_group()
