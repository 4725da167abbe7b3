"""A checkpoint to the shipped folder: python export.py CHECKPOINT TOKENIZER VISION_ENCODER OUT [--name ...]

Writes onnx/state_encoder.onnx and onnx/branch_reader.onnx over one shared weights file, copies the vision encoder and the tokenizer, writes
config.json, and checks both graphs in onnxruntime against the training code's one-pass forward on random rows.
"""
import argparse
import hashlib
import json
import os
import shutil

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import external_data_helper, numpy_helper

from batches import Packed, collate
from graphs import BRANCH_INPUTS, BRANCH_OUTPUTS, STATE_INPUTS, STATE_OUTPUTS, BranchReader, StateEncoder
from loss import forward, scored_logits
from model import FIRST_KIND, GEOMETRY, KINDS, MARK, OPTION, QUESTION, STATE, Config, Decision

OPSET = 17
# Kinds without training rows yet read like a neighbour.
LIKE = {'number': 'int', 'date': 'text', 'list': 'text', 'boxes': 'box'}


def sample(rng, options=3):
    """Inputs of both graphs for a random state and a random choice of `options` options."""
    state = [STATE] + rng.integers(0, 8000, 23).tolist()
    body = [QUESTION, QUESTION + 8] + rng.integers(0, 8000, 5).tolist()
    row = ['x', state, [0] * 24, [-1] + [0] * 12 + [1] * 11,
           [['exclusive', body, [0] * 7, [[[OPTION, *rng.integers(0, 8000, 3).tolist(), MARK], [0] * 5] for _ in range(options)], 0]]]
    return row


def state_feed(ids, cases, segments):
    n = len(ids)
    return [torch.tensor(ids), torch.tensor(cases), torch.tensor(segments), torch.arange(n), torch.full((n,), -1),
            torch.zeros(1, 192), torch.zeros(1, GEOMETRY)]


def branch_feed(row, encoded):
    packed = Packed(row)
    n = packed.state
    take = (lambda values: torch.tensor(values[n:]))
    marks = torch.tensor([r - n for r in packed.rows])
    kind = packed.scored[0][0]
    return [take(packed.ids), take(packed.cases), take(packed.positions), take(packed.owner), take(packed.order), take(packed.ranks).float(),
            marks, torch.full_like(marks, kind), marks[:1], torch.tensor([MARK]), torch.tensor(row[1]), torch.ones(n),
            *encoded[:4], encoded[4]]


def share_weights(folder, names, data):
    """Moves the initializers of several graphs into one file, each tensor once."""
    offsets, blob = {}, bytearray()
    models = {name: onnx.load(f'{folder}/{name}.onnx') for name in names}
    for model in models.values():
        for tensor in model.graph.initializer:
            raw = numpy_helper.to_array(tensor).tobytes()
            if len(raw) < 1024:
                continue
            key = hashlib.sha256(raw).hexdigest()
            if key not in offsets:
                blob += b'\0' * (-len(blob) % 64)
                offsets[key] = len(blob)
                blob += raw
            tensor.raw_data = raw
            external_data_helper.set_external_data(tensor, location=data, offset=offsets[key], length=len(raw))
            tensor.ClearField('raw_data')
            tensor.data_location = onnx.TensorProto.EXTERNAL
    with open(f'{folder}/{data}', 'wb') as file:
        file.write(blob)
    for name, model in models.items():
        with open(f'{folder}/{name}.onnx', 'wb') as file:
            file.write(model.SerializeToString())


def write_graphs(model, folder):
    """state_encoder.onnx and branch_reader.onnx of a model, each with its own weights inside."""
    rng = np.random.default_rng(1)
    row = sample(rng)
    feed = state_feed(*row[1:4])
    with torch.no_grad():
        encoded = StateEncoder(model)(*feed)
        inputs = branch_feed(row, encoded)
        length, cells = {0: 'state'}, {0: 'cells'}
        torch.onnx.export(StateEncoder(model), tuple(feed), f'{folder}/state_encoder.onnx', opset_version=OPSET, dynamo=False,
                          input_names=STATE_INPUTS, output_names=STATE_OUTPUTS,
                          dynamic_axes={**{n: length for n in STATE_INPUTS[:5]}, 'image_features': cells, 'image_places': cells,
                                        'words': length, 'memory': length, 'end_queries': length, 'end_keys': length,
                                        'keys': {2: 'state'}, 'values': {2: 'state'}})
        torch.onnx.export(BranchReader(model), tuple(inputs), f'{folder}/branch_reader.onnx', opset_version=OPSET, dynamo=False,
                          input_names=BRANCH_INPUTS, output_names=BRANCH_OUTPUTS,
                          dynamic_axes={**{n: {0: 'tokens'} for n in BRANCH_INPUTS[:6]}, 'marks': {0: 'marks'}, 'kinds': {0: 'marks'},
                                        'reads': {0: 'reads'}, 'read_tokens': {0: 'reads'}, 'state_ids': length, 'state_seen': length,
                                        'words': length, 'memory': length, 'keys': {2: 'state'}, 'values': {2: 'state'},
                                        'logits': {0: 'marks'}, 'start': {0: 'reads', 1: 'state'}, 'end': {0: 'reads', 1: 'state'},
                                        'absent': {0: 'reads'}, 'vocabulary': {0: 'reads'}, 'copy': {0: 'reads', 1: 'state'}})


def check(model, folder, count=20):
    """Largest difference of option logits between the exported graphs and the training forward."""
    state, branch = (onnxruntime.InferenceSession(f'{folder}/{name}.onnx') for name in ('state_encoder', 'branch_reader'))
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(count):
        row = sample(rng, int(rng.integers(2, 9)))
        with torch.no_grad():
            batch = collate([Packed(row)])
            hidden, _, similarities = forward(model, batch)
            expected = scored_logits(model, batch, hidden, similarities)[0][0].numpy()
        feed = dict(zip(STATE_INPUTS, (t.numpy() for t in state_feed(*row[1:4]))))
        encoded = [torch.from_numpy(o) for o in state.run(None, feed)]
        inputs = [i.name for i in branch.get_inputs()]
        feed = {k: t.numpy() for k, t in zip(BRANCH_INPUTS, branch_feed(row, encoded)) if k in inputs}
        worst = max(worst, float(np.abs(branch.run(['logits'], feed)[0] - expected).max()))
    return worst


# Which read-out answers a choice: about a text, about pictures, and when no question stands beside the options. What is better is measured on the
# calibration split for each set of weights (bench/operators.ts), so look again when they change.
CHOICE_READOUTS = dict(text='independent', images='exclusive', bare='exclusive')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ('checkpoint', 'tokenizer', 'vision', 'out'):
        parser.add_argument(name)
    options = parser.parse_args()
    saved = torch.load(options.checkpoint, weights_only=False)
    model = Decision(Config(**saved['config'])).eval()
    model.load_state_dict(saved['model'])
    with torch.no_grad():
        for kind, other in LIKE.items():
            model.embedding.weight[FIRST_KIND + KINDS.index(kind)] = model.embedding.weight[FIRST_KIND + KINDS.index(other)]
    folder = f'{options.out}/onnx'
    os.makedirs(folder, exist_ok=True)
    write_graphs(model, folder)
    share_weights(folder, ('state_encoder', 'branch_reader'), 'decision.onnx_data')
    if options.vision != '-':
        shutil.copy(options.vision, f'{folder}/vision_encoder.onnx')
    shutil.copy(options.tokenizer, f'{options.out}/tokenizer.json')
    config = dict(
        model_type='assay-decision', id='service-1-pro', name='Service 1 Pro', context_length=4096,
        control_ids_from=8128, kinds=list(KINDS), choice_readouts=CHOICE_READOUTS, span_tokens=24, write_tokens=40, image=dict(longest_edge=1024, tile_size=256, cells_per_tile=64),
        trained=dict(steps=saved['step'], tokens=saved['seen'], questions=saved['asked'], seconds=round(saved['used'])), **saved['config'])
    with open(f'{options.out}/config.json', 'w') as file:
        file.write(json.dumps(config, indent=2) + '\n')
    print(f'largest logit difference {check(model, folder):.2e}')
    print({f: os.path.getsize(f'{folder}/{f}') for f in sorted(os.listdir(folder))})


if __name__ == '__main__':
    main()
