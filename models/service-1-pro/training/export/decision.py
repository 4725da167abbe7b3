"""Two checkpoints to the shipped folder: python -m export.decision TEXTS.pt PICTURES.pt TOKENIZER VISION_ENCODER OUT (PICTURES.pt and VISION_ENCODER: - for a
model that sees none)

Writes onnx/state_encoder.onnx and onnx/branch_reader.onnx, which read texts, and onnx/pictures_... of both, which read states with a picture in them,
each pair over one shared weights file; copies the vision encoder and the tokenizer, writes config.json, and checks all graphs in onnxruntime against
the training code's one-pass forward on random rows.
"""

import argparse
import filecmp
import json
import os
import shutil

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import external_data_helper, numpy_helper

from decision.batches import NO_PICTURE, WORD, Packed, Row, collate, spots_of
from decision.loss import forward, next_terms, pointer_terms, scored_logits
from decision.model import (
    END,
    FIRST_KIND,
    GEOMETRY,
    IMAGE,
    IMAGE_END,
    IMAGE_START,
    KINDS,
    MARK,
    OPTION,
    QUESTION,
    SPOT,
    STATE,
    VOCABULARY,
    Config,
    Decision,
)
from export.graphs import PADDING, branch_reader, state_encoder

# Kinds without training rows yet read like a neighbour.
LIKE = dict(texts={"number": "int", "date": "text", "list": "text", "boxes": "box"}, pictures={"list": "text"})


def sample(rng, picture=None):
    """A random state and random questions of several lengths: choices, a scale, yes or no, spans and texts. A picture (sample_picture) comes with words read in it, of which questions ask."""

    def words(count):
        return rng.integers(0, 8000, count).tolist()

    read = words(len(picture[5])) if picture else []

    def asked(count):
        return [int(rng.choice(read)) if read and rng.random() < 0.5 else word for word in words(count)]

    n = int(rng.integers(20, 60))
    state = [STATE, *words(n)]
    state[n // 2 + 2 : n // 2 + 5] = state[3:6]

    def question(kind, truth, options=0):
        body = [QUESTION, FIRST_KIND + KINDS.index(kind), *asked(int(rng.integers(1, 9)))] + ([] if options else [MARK])
        return [
            kind,
            body,
            [0] * len(body),
            [
                (lambda own: [own, [0] * len(own)])([OPTION, *asked(int(rng.integers(1, 5))), MARK])
                for _ in range(options)
            ],
            truth,
        ]

    questions = [
        question("exclusive", 0, int(rng.integers(2, 9))),
        question("ordinal", 1, 5),
        question("independent", [0] * 3, 3),
        question("binary", 1.0),
        question("span", [[2, 3]]),
        question("span", []),
        question("text", [*words(4), END]),
        question("int", [END]),
    ]
    cases, segments, groups = (
        [0, *rng.integers(0, 3, n).tolist()],
        [-1] + [0] * (n // 2) + [1] * (n - n // 2),
        [-1] + [0] * (n // 3) + [1] * (n - n // 3),
    )
    if picture is None:
        return Row("x", state, cases, segments, groups, questions, [])
    cells = len(picture[0])
    shown = [IMAGE_START, *[IMAGE] * cells, *read, IMAGE_END]
    of_words = [-1] * (1 + cells) + [2] * len(read) + [-1]
    return Row(
        "x",
        [*state, *shown],
        [*cases, *[0] * len(shown)],
        *([*part, *of_words] for part in (segments, groups)),
        questions,
        [picture],
    )


# What a pair of graphs reads -> how its files begin, and its weights.
PARTS = dict(texts=("", "decision.onnx_data"), pictures=("pictures_", "pictures.onnx_data"))


def in_order(layers, sees):
    """The weights of the data file, in its order: those of the state encoder, then what only the branch reader has."""

    def block(layer, parts):
        return [f"layers.{layer}.{part}.weight.T" for part in parts]

    own, both = ("q", "o", "up", "down"), ("k", "v")
    names = ["embedding.weight", "case.weight"]
    if sees:
        names += [
            "vision_spell",
            "vision_codes.T",
            "vision_tell.0.weight.T",
            "vision_tell.2.weight.T",
            "vision_rest.weight.T",
            "look_state.weight.T",
            "place.0.weight.T",
            "place.2.weight.T",
        ]
    for layer in range(layers - 1):
        names += block(layer, both + own)
    names += [
        *block(layers - 1, both),
        "point_end.weight.T",
        "point_state.weight.T",
        "left",
        "right",
        "ask",
        "left2",
        "right2",
        *block(layers - 1, own),
    ]
    return names + [
        f"{name}.weight.T"
        for name in (
            *(["look_mark", "shown_mix", "shown_gate"] if sees else []),
            "mix",
            "gate",
            "point_mark",
            "point_add",
            "point_ask",
            "point_out",
            "write",
            "copy_state",
            "copy_mark",
        )
    ]


def share_weights(folder, names, data, order):
    """Moves the larger weights of several graphs into one file, each once."""
    models = {name: onnx.load(f"{folder}/{name}.onnx") for name in names}
    tensors = {}
    for model in models.values():
        for tensor in model.graph.initializer:
            tensors.setdefault(tensor.name, []).append(tensor)
    blob = bytearray()
    for name in order:
        raw = numpy_helper.to_array(tensors[name][0]).tobytes()
        if len(raw) < 1024:
            continue
        blob += b"\0" * (-len(blob) % 64)
        for tensor in tensors[name]:
            tensor.raw_data = raw
            external_data_helper.set_external_data(tensor, location=data, offset=len(blob), length=len(raw))
            tensor.ClearField("raw_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
        blob += raw
    with open(f"{folder}/{data}", "wb") as file:
        file.write(blob)
    for name, model in models.items():
        with open(f"{folder}/{name}.onnx", "wb") as file:
            file.write(model.SerializeToString())


def write_graphs(model, folder, part):
    """The state encoder and the branch reader of a model, over one file of weights."""
    (prefix, data), sees = PARTS[part], part == "pictures"
    graphs = (f"{prefix}state_encoder", f"{prefix}branch_reader")
    state_encoder(model, f"{folder}/{graphs[0]}.onnx", sees)
    branch_reader(model, f"{folder}/{graphs[1]}.onnx", sees)
    share_weights(folder, graphs, data, in_order(model.config.layers, sees))


class Graphs:
    """The exported graphs as the engine runs them: questions of one state in one padded pass."""

    def __init__(self, folder, part):
        self.state, self.branch = (
            onnxruntime.InferenceSession(f"{folder}/{PARTS[part][0]}{name}.onnx")
            for name in ("state_encoder", "branch_reader")
        )

    def encode(self, row):
        packed = Packed(row._replace(questions=[]))
        feed = dict(
            ids=packed.ids,
            cases=packed.cases,
            segments=packed.segments,
            groups=packed.groups,
            positions=packed.positions,
        )
        if packed.pictures:
            placed = np.array(packed.cells) != NO_PICTURE
            feed["places"] = np.where(placed, placed.cumsum() - 1, -1)
        feed = {name: np.array(values, np.int64) for name, values in feed.items()}
        if packed.pictures:
            feed["image_features"], feed["image_places"], looks = packed.pictures[0][:3]
            cells = len(feed["image_features"])
            feed["looks"] = np.where(placed, np.concatenate((np.arange(cells), looks))[feed["places"]], -1)
            words = np.flatnonzero(np.array(packed.cells) == WORD)
            spots = np.full((len(packed.ids), SPOT), -1, np.float32)
            spots[words] = spots_of(words, feed["image_places"][cells:], feed["segments"][words], 0)[:, 1:]
        outputs = [o.name for o in self.state.get_outputs()]
        encoded = dict(zip(outputs, self.state.run(outputs, feed)))
        encoded["previous"] = np.array([-1, *packed.ids[:-1]], np.int64)
        return {**encoded, "spots": spots} if packed.pictures else encoded

    def read(self, encoded, questions, role, padding=0):
        """Outputs of questions [(packed alone behind the state, rows to read)], whose rows have the role `marks`, `pointers` or `reads`."""
        longest = max(len(packed.ids) - packed.state for packed, _ in questions) + padding
        widest = max(len(rows) for _, rows in questions) + padding * (role == "marks")

        def table(values_of, fill, width, dtype=np.int64):
            lines = [list(values_of(packed, rows)) for packed, rows in questions]
            return np.array([line + [fill] * (width - len(line)) for line in lines], dtype)

        def tokens(name, fill, dtype=np.int64):
            return table(lambda packed, _: getattr(packed, name)[packed.state :], fill, longest, dtype)

        none = np.zeros((len(questions), 0), np.int64)
        feed = dict(
            ids=tokens("ids", 0),
            cases=tokens("cases", 0),
            positions=tokens("positions", 0),
            owners=tokens("owner", PADDING),
            orders=tokens("order", 0),
            ranks=tokens("ranks", -1, np.float32),
            marks=none,
            mark_weights=none.astype(np.float32),
            kinds=none,
            pointers=none,
            reads=none,
            read_tokens=none,
        )
        first = np.arange(len(questions))[:, None] * longest
        feed[role] = first + table(lambda packed, rows: [row - packed.state for row in rows], 0, widest)
        if role == "marks":
            feed["mark_weights"] = table(lambda _, rows: [1] * len(rows), 0, widest, np.float32)
            feed["kinds"] = table(lambda packed, rows: [packed.scored[0][0]] * len(rows), 0, widest)
        if role == "reads":
            feed["read_tokens"] = table(lambda packed, rows: [packed.ids[row] for row in rows], 0, widest)
        feed["past_seen"] = none.astype(np.float32)
        for past in (i for i in self.branch.get_inputs() if i.name.startswith("past_") and i.name not in feed):
            feed[past.name] = np.zeros((len(questions), past.shape[1], 0, past.shape[3]), np.float32)
        feed |= {i.name: encoded[i.name] for i in self.branch.get_inputs() if i.name not in feed}
        outputs = dict(marks=("logits",), pointers=("start", "end", "absent"), reads=("vocabulary", "copy"))[role]
        return self.branch.run(list(outputs), feed)


def sample_picture(model, rng, count=30, read=6):
    """As a row's picture entry: features of cells that spell a piece clearly, places of these and of some words behind them, and the cell that each of these looks at. Of random features the eighth piece and the ninth are too near for two programs to agree."""
    written = (model.vision_codes[:VOCABULARY].norm(dim=-1) > 0.5).nonzero()[:, 0]  # a byte of a letter has no code
    features = model.vision_codes[written[torch.from_numpy(rng.integers(0, len(written), count))]] @ torch.linalg.pinv(
        model.vision_spell
    )
    noise = 0.02 * float(features.std()) * rng.standard_normal(features.shape)
    places, looks = rng.random((count + read, GEOMETRY), np.float32), rng.integers(0, count, read)
    return (features.numpy() + noise).astype(np.float32), places, looks, None, None, places[count:]


def alone(row, question):
    """The question behind the state as the only one; what is read of it is its last read-out row or, of a scored one, all of them."""
    packed = Packed(row._replace(questions=[question]))
    return packed, packed.rows if packed.scored else packed.rows[-1:]


@torch.no_grad()
def check(model, folder, part, count=20):
    """Largest difference of any logit between the exported graphs and the training forward, questions alone and in padded batches; of logits in the
    tens, as those of writing are, as a share of the largest."""
    graphs, rng, worst = Graphs(folder, part), np.random.default_rng(0), 0.0

    def cells_of(picture):
        features, places, looks, *_ = picture
        return features, *(part.numpy() for part in model.spelled(torch.from_numpy(features))), places, looks

    for turn in range(count):
        row = sample(rng, sample_picture(model, rng) if part != "texts" else None)
        batch = collate([Packed(row)], cells_of)
        hidden, memory, similarities = forward(model, batch)
        logits, _mask = scored_logits(model, batch, hidden, similarities)[:2]
        start, end, absent, _ = pointer_terms(model, batch, hidden, memory, batch["pointers"])
        b, rows, tokens = (
            torch.tensor(part) for part in zip(*[(write[0], write[1][-1], write[2][-1]) for write in batch["writes"]])
        )
        expected = dict(
            marks=[logits],
            pointers=[start, end, absent],
            reads=next_terms(model, batch, hidden, memory, b, rows, tokens),
        )
        encoded, groups = graphs.encode(row), {}
        for question in row.questions:
            packed, rows = alone(row, question)
            groups.setdefault("marks" if packed.scored else "pointers" if packed.pointers else "reads", []).append(
                (packed, rows)
            )
        for role, questions in groups.items():
            wholes = [graphs.read(encoded, questions, role, padding=turn % 3)]
            wholes.append(
                [np.concatenate(parts) for parts in zip(*[graphs.read(encoded, [one], role) for one in questions])]
                if role != "marks"
                else None
            )
            for whole in wholes:
                if whole is None:
                    singles = [graphs.read(encoded, [one], role)[0][0] for one in questions]
                    pairs = [(single, expected[role][0][i, : len(single)]) for i, single in enumerate(singles)]
                elif role == "marks":
                    pairs = [
                        (whole[0][i, : len(rows)], expected[role][0][i, : len(rows)])
                        for i, (_, rows) in enumerate(questions)
                    ]
                else:
                    pairs = [(got.reshape(tuple(want.shape)), want) for got, want in zip(whole, expected[role])]
                for got, want in pairs:
                    size = max(1.0, float(want.abs().max()))
                    worst = max(worst, float(np.abs(got - want.numpy()).max()) / size)
    return worst


def copy_vision(encoder, folder):
    """The float encoder. The engine takes one in 8 bits before it: that of another encoder goes, until export/quantise.py makes a new one."""
    there, small = f"{folder}/vision_encoder.onnx", f"{folder}/vision_encoder_int8.onnx"
    if os.path.exists(there) and filecmp.cmp(encoder, there, shallow=False):
        return
    shutil.copy(encoder, there)
    if os.path.exists(small):
        os.remove(small)
        print(f"{small} was of the encoder before and is gone: make one of this encoder with export/quantise.py")


def letters_of(reader):
    """What the classes of the text reader are, for config.json; nothing for a model without one."""
    if not os.path.exists(reader):
        return {}
    return {prop.key: prop.value for prop in onnx.load(reader).metadata_props if prop.key == "letters"}


# Which read-out answers a choice: about a text, about pictures, and when no question stands beside the options. What is better is measured on the
# calibration split for each set of weights (bench/experiments/operators.ts), so look again when they change.
CHOICE_READOUTS = dict(text="exclusive", images="exclusive", bare="exclusive")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("texts", "pictures", "tokenizer", "vision", "out"):
        parser.add_argument(name)
    parser.add_argument("--reader", help="text_reader.onnx of export/reader.py; else the one that is there")
    options = parser.parse_args()
    folder = f"{options.out}/onnx"
    os.makedirs(folder, exist_ok=True)
    runs = {}
    for part in PARTS:
        if getattr(options, part) == "-":
            continue
        saved = runs[part] = torch.load(getattr(options, part), weights_only=False)
        model = Decision(Config(**saved["config"])).eval()
        model.load_state_dict(saved["model"])
        with torch.no_grad():
            for kind, other in LIKE[part].items():
                model.embedding.weight[FIRST_KIND + KINDS.index(kind)] = model.embedding.weight[
                    FIRST_KIND + KINDS.index(other)
                ]
        write_graphs(model, folder, part)
        print(f"{part}: largest logit difference {check(model, folder, part):.2e}")
    if options.vision != "-":
        copy_vision(options.vision, folder)
    if options.reader:
        shutil.copy(options.reader, f"{folder}/text_reader.onnx")
    if os.path.abspath(options.tokenizer) != os.path.abspath(f"{options.out}/tokenizer.json"):
        shutil.copy(options.tokenizer, f"{options.out}/tokenizer.json")
    config = dict(
        model_type="assay-decision",
        id="service-1-pro",
        name="Service 1 Pro",
        context_length=4096,
        control_ids_from=8128,
        kinds=list(KINDS),
        choice_readouts=CHOICE_READOUTS,
        span_tokens=24,
        write_tokens=40,
        image=dict(longest_edge=1024, tile_size=256, cells_per_tile=64, **letters_of(f"{folder}/text_reader.onnx")),
        trained={
            part: dict(
                steps=saved["step"], tokens=saved["seen"], questions=saved["asked"], seconds=round(saved["used"])
            )
            for part, saved in runs.items()
        },
        **runs["texts"]["config"],
    )
    with open(f"{options.out}/config.json", "w") as file:
        file.write(json.dumps(config, indent=2) + "\n")
    print({f: os.path.getsize(f"{folder}/{f}") for f in sorted(os.listdir(folder))})


if __name__ == "__main__":
    main()
