"""Shipped weights back to a checkpoint to go on from: python restore.py MODEL_FOLDER OUT

Writes OUT/last.pt (the decoder, for train.py --start) and OUT/emb.npy (its word vectors, for the vision tower). The exporter writes the same graph for
the same code, so a model of random numbers is exported beside the shipped one, and every number of it that is found in the state dict says where the
number in its place belongs. What comes out is checked by running the shipped graphs against it.
"""
import argparse
import json
import os
import tempfile

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from export import check, write_graphs
from model import Config, Decision

GRAPHS = ('state_encoder', 'branch_reader')
LARGEST_DIFFERENCE = 1e-4


def weights_in_order(path):
    """The initializers of a graph as arrays, and whether they are at the same places tells their shapes."""
    return [numpy_helper.to_array(tensor, base_dir=os.path.dirname(path)) for tensor in onnx.load(path, load_external_data=False).graph.initializer]


def places(state):
    """What an initializer may look like -> where it comes from: (name, transposed, row) of the state dict."""
    found = {}
    for name, tensor in state.items():
        values = tensor.numpy()
        found[values.shape, values.tobytes()] = (name, False, None)
        if values.ndim == 2:
            found[values.T.shape, np.ascontiguousarray(values.T).tobytes()] = (name, True, None)
            for row in range(len(values) if len(values) < 8 else 0):
                found.setdefault((values[row].shape, values[row].tobytes()), (name, False, row))
    return found


def restore(folder):
    """The model behind MODEL_FOLDER/onnx, in evaluation mode."""
    with open(f'{folder}/config.json') as file:
        served = json.load(file)
    config = Config(**{name: served[name] for name in Config().dict()})
    stand_in = Decision(config).eval()
    with torch.no_grad():
        for parameter in stand_in.parameters():
            parameter.normal_()
    state = stand_in.state_dict()
    where = places(state)
    missing, restored = set(state), {name: np.zeros(tensor.shape, np.float32) for name, tensor in state.items()}
    rows = {}
    with tempfile.TemporaryDirectory() as scratch:
        write_graphs(stand_in, scratch)
        for graph in GRAPHS:
            ours, theirs = (weights_in_order(f'{of}/{graph}.onnx') for of in (scratch, f'{folder}/onnx'))
            if [o.shape for o in ours] != [t.shape for t in theirs]:
                raise SystemExit(f'{graph}: the shipped graph has other weights than this code writes ({len(theirs)} against {len(ours)})')
            for own, shipped in zip(ours, theirs):
                name, transposed, row = where[own.shape, np.ascontiguousarray(own).tobytes()]
                if row is not None:
                    restored[name][row] = shipped
                    rows.setdefault(name, set()).add(row)
                    if len(rows[name]) < len(restored[name]):
                        continue
                else:
                    restored[name][...] = shipped.T if transposed else shipped
                missing.discard(name)
    if missing:
        raise SystemExit(f'not in the graphs: {", ".join(sorted(missing))}')
    model = Decision(config).eval()
    model.load_state_dict({name: torch.from_numpy(values) for name, values in restored.items()})
    return model, served['trained']


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('model')
    parser.add_argument('out')
    options = parser.parse_args()
    model, trained = restore(options.model)
    worst = check(model, f'{options.model}/onnx')
    if worst > LARGEST_DIFFERENCE:
        raise SystemExit(f'the shipped graphs answer otherwise: a logit differs by {worst:.2e}, {LARGEST_DIFFERENCE:.0e} allowed')
    os.makedirs(options.out, exist_ok=True)
    torch.save(dict(model=model.state_dict(), config=model.config.dict(), step=trained['steps'], seen=trained['tokens'], asked=trained['questions'],
                    used=trained['seconds']), f'{options.out}/last.pt')
    np.save(f'{options.out}/emb.npy', model.embedding.weight.detach().numpy())
    print(f'{sum(p.numel() for p in model.parameters()):,} numbers, largest logit difference {worst:.2e}')


if __name__ == '__main__':
    main()
