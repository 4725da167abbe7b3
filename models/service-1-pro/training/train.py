"""Trains the decision model: python train.py ROWS VECTORS OUT [--seconds N] [--threads N] [--tokens N] [--from CHECKPOINT] ...

Cosine over time, so a run ends when its time is up wherever it is. Writes OUT/last.pt every few minutes (resumable with --resume) and a line of
losses every 50 steps. Seeds, settings and counts go into the checkpoint.
"""
import argparse
import glob
import math
import os
import time

import numpy as np
import torch

from batches import collate, load, stream
from loss import total_loss
from model import Config, Decision


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('rows', help='rendered rows, or a pattern of them')
    parser.add_argument('vectors', help='emb.npy of vectors.py')
    parser.add_argument('out')
    parser.add_argument('--seconds', type=float, default=3600)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--tokens', type=int, default=2600, help='tokens a step')
    parser.add_argument('--rate', type=float, default=2e-3)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--start', help='checkpoint to start from (weights only)')
    parser.add_argument('--resume', action='store_true')
    parser.add_argument('--pictures', help='folder of vision features (features.py)')
    parser.add_argument('--weight', action='append', default=[], help='SOURCE=FACTOR: how much more often a source is drawn')
    parser.add_argument('--layers', type=int, default=4)
    parser.add_argument('--width', type=int, default=192)
    return parser.parse_args()


def groups(model):
    matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and 'embedding' not in n and n not in ('pair', 'rank', 'direct')]
    chosen = {id(p) for p in matrices}
    return [dict(params=matrices, weight_decay=0.05), dict(params=[p for p in model.parameters() if id(p) not in chosen], weight_decay=0.0)]


def main():
    options = arguments()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    os.makedirs(options.out, exist_ok=True)
    rows = [row for path in sorted(glob.glob(options.rows)) for row in load(path)]
    features = None
    if options.pictures:
        from pictures import Features
        features = Features(options.pictures)
    model = Decision(Config(width=options.width, layers=options.layers, inner=4 * options.width))
    model.embedding.weight.data = torch.from_numpy(np.load(options.vectors))[:, :options.width].clone() * 1.0
    if options.start:
        model.load_state_dict(torch.load(options.start, weights_only=False)['model'], strict=False)  # new parts start as they are
    optimiser = torch.optim.AdamW(groups(model), lr=options.rate, betas=(0.9, 0.98))
    used, step, seen, asked, last, running = 0.0, 0, 0, 0, 0.0, {}
    checkpoint = f'{options.out}/last.pt'
    if options.resume and os.path.exists(checkpoint):
        saved = torch.load(checkpoint, weights_only=False)
        model.load_state_dict(saved['model'])
        optimiser.load_state_dict(saved['optimiser'])
        used, step, seen, asked = saved['used'], saved['step'], saved['seen'], saved['asked']
    print(f'{len(rows)} rows, {sum(p.numel() for p in model.parameters()):,} parameters', flush=True)

    def save(path):
        torch.save(dict(model=model.state_dict(), optimiser=optimiser.state_dict(), used=used, step=step, seen=seen, asked=asked,
                        options=vars(options), config=model.config.dict()), path + '.new')
        os.replace(path + '.new', path)

    weights = {name: float(value) for name, value in (pair.split('=') for pair in options.weight)}
    weight_of = (lambda source: weights.get(source, 1.0))
    for packed in stream(rows, options.seed + step, options.tokens, weight_of):
        if used >= options.seconds:
            break
        begun = time.time()
        rate = options.rate * min(1.0, (step + 1) / 80) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1, used / options.seconds))))
        for group in optimiser.param_groups:
            group['lr'] = rate
        batch = collate(packed, features)
        with torch.autocast('cpu', dtype=torch.bfloat16):
            loss, parts = total_loss(model, batch)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step += 1
        seen += batch['tokens']
        asked += sum(n for _, n in parts.values())
        for name, (total, count) in parts.items():
            so_far = running.get(name, (0.0, 0))
            running[name] = (so_far[0] + total, so_far[1] + count)
        used += time.time() - begun
        if step % 50 == 0:
            shown = ' '.join(f'{name} {total / count:.3f}' for name, (total, count) in sorted(running.items()))
            print(f'{used:.0f}s step {step} {shown} | {seen / used:.0f} tokens/s, {asked:,} questions, rate {rate:.5f}', flush=True)
            running = {}
        if used - last > 240:
            last = used
            save(checkpoint)
    save(checkpoint)


if __name__ == '__main__':
    main()
