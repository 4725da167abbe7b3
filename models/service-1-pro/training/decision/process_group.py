"""Data-parallel training: several processes train one model, and their gradients are averaged before every step.

Small matrices leave a second thread idle half of the time; a second process does not. PyTorch's DistributedDataParallel
does the same with buckets; this model is small, so one all-reduce a step is enough.
"""

import socket

import torch
import torch.distributed as dist


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class ProcessGroup:
    """One of `world_size` processes. With one process, nothing is sent."""

    def __init__(self, rank, world_size, port):
        self.rank, self.world_size = rank, world_size
        if world_size > 1:
            address = f"tcp://127.0.0.1:{port}"
            dist.init_process_group("gloo", init_method=address, rank=rank, world_size=world_size)

    def all_reduce_mean(self, parameters, numbers):
        """Puts the mean gradient into every process (zero where one has none); returns the means of `numbers`."""
        if self.world_size == 1:
            return numbers
        parameters = [p for p in parameters if p.requires_grad]
        for p in parameters:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        every = torch.cat([*(p.grad.reshape(-1) for p in parameters), torch.tensor(numbers)])
        dist.all_reduce(every)
        every /= self.world_size
        at = 0
        for p in parameters:
            p.grad.copy_(every[at : at + p.numel()].view_as(p))
            at += p.numel()
        return every[at:].tolist()

    def destroy(self):
        if self.world_size > 1:
            dist.destroy_process_group()
