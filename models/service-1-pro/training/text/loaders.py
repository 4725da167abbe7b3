"""Steps laid out beside the training process: a fast device would else wait for Python to do it.

Each loader draws rows of its own, as a process of a gang does; steps are taken from one after the other, so a run is
the same again for the same number of loaders.
"""

import torch
import torch.multiprocessing as processes

import draw
import layout

WAITING = 3  # steps that a loader keeps ready


def drawn(drawer, step, tokens):
    """Look -> batch, of each step for ever from a step on; `tokens` gives what the run has seen."""
    for sequences in drawer.steps(step, tokens):
        yield {look: layout.batch(made, look) for look, made in sequences.items()}


def work(number, count, options, step, seen, ready):
    # Tensors are handed over as files: so many open handles are allowed nowhere.
    torch.multiprocessing.set_sharing_strategy("file_system")
    torch.set_num_threads(1)
    for one in drawn(draw.drawer(options, number, count), step // count, lambda: seen.value):
        ready.put(one)


class Loaders:
    """`count` processes; iterating gives look -> batch of each step. `seen.value` is to be kept at the tokens that the
    run has seen.
    """

    def __init__(self, count, options, step, tokens):
        context = processes.get_context("spawn")
        self.seen = context.Value("q", tokens)
        self.queues = [context.Queue(WAITING) for _ in range(count)]
        self.processes = [
            context.Process(target=work, args=(n, count, options, step, self.seen, queue), daemon=True)
            for n, queue in enumerate(self.queues)
        ]
        for one in self.processes:
            one.start()

    def __iter__(self):
        while True:
            for queue in self.queues:
                yield queue.get()

    def stop(self):
        for one in self.processes:
            one.terminate()
