"""Checks exported graphs: in onnxruntime against the training code's one-pass forward, on random rows."""

import numpy as np
import onnxruntime
import torch

from decision.batches import NO_PICTURE, WORD, Packed, Row, collate, layouts_of
from decision.constants import (
    END,
    FIRST_KIND,
    GEOMETRY,
    IMAGE,
    IMAGE_END,
    IMAGE_START,
    KINDS,
    LAYOUT,
    OPTION,
    QUESTION,
    READOUT,
    STATE,
    VOCABULARY,
)
from decision.loss import forward, next_terms, pointer_terms, scored_logits
from export.branch_reader import PADDING
from export.tensor_names import CELL_INDEX, LAYOUTS, READOUT_WEIGHTS, READOUTS

# Each pair of graphs -> how names of its files begin, and its file of weights.
PARTS = dict(texts=("", "decision.onnx_data"), pictures=("pictures_", "pictures.onnx_data"))
# What is read -> the outputs that hold it.
OUTPUTS = {READOUTS: ("logits",), "pointers": ("start", "end", "absent"), "reads": ("vocabulary", "copy")}


def sample(rng, picture=None):
    """A random row: a state, and questions of all kinds and several lengths.

    picture: one of `sample_picture`, with words read in it that questions ask about."""

    def words(count):
        return rng.integers(0, 8000, count).tolist()

    read = words(len(picture[5])) if picture else []

    def asked(count):
        return [int(rng.choice(read)) if read and rng.random() < 0.5 else word for word in words(count)]

    n = int(rng.integers(20, 60))
    state = [STATE, *words(n)]
    state[n // 2 + 2 : n // 2 + 5] = state[3:6]

    def question(kind, truth, options=0):
        body = [QUESTION, FIRST_KIND + KINDS.index(kind), *asked(int(rng.integers(1, 9)))]
        body += [] if options else [READOUT]
        listed = [[OPTION, *asked(int(rng.integers(1, 5))), READOUT] for _ in range(options)]
        return [kind, body, [0] * len(body), [[own, [0] * len(own)] for own in listed], truth]

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
    cases = [0, *rng.integers(0, 3, n).tolist()]
    segments = [-1] + [0] * (n // 2) + [1] * (n - n // 2)
    groups = [-1] + [0] * (n // 3) + [1] * (n - n // 3)
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


def sample_picture(model, rng, count=30, read=6):
    """A random picture entry of a row: features, geometry of cells and of words behind them, and the words' cells.

    Each cell clearly spells a piece: for random features the eighth piece and the ninth are too near for two programs
    to agree on them."""
    written = (model.vision_codes[:VOCABULARY].norm(dim=-1) > 0.5).nonzero()[
        :, 0
    ]  # pieces that are bytes of a letter have no code
    features = model.vision_codes[written[torch.from_numpy(rng.integers(0, len(written), count))]] @ torch.linalg.pinv(
        model.vision_spell
    )
    noise = 0.02 * float(features.std()) * rng.standard_normal(features.shape)
    places, cell_index = rng.random((count + read, GEOMETRY), np.float32), rng.integers(0, count, read)
    return (features.numpy() + noise).astype(np.float32), places, cell_index, None, None, places[count:]


def alone(row, question):
    """The question packed alone behind the state, and its rows to read: all of a scored one, else the last."""
    packed = Packed(row._replace(questions=[question]))
    return packed, packed.rows if packed.scored else packed.rows[-1:]


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
            feed["image_features"], feed["image_places"], cell_index = packed.pictures[0][:3]
            cells = len(feed["image_features"])
            feed[CELL_INDEX] = np.where(placed, np.concatenate((np.arange(cells), cell_index))[feed["places"]], -1)
            words = np.flatnonzero(np.array(packed.cells) == WORD)
            layouts = np.full((len(packed.ids), LAYOUT), -1, np.float32)
            layouts[words] = layouts_of(words, feed["image_places"][cells:], feed["segments"][words], 0)[:, 1:]
        outputs = [o.name for o in self.state.get_outputs()]
        encoded = dict(zip(outputs, self.state.run(outputs, feed)))
        encoded["previous"] = np.array([-1, *packed.ids[:-1]], np.int64)
        return {**encoded, LAYOUTS: layouts} if packed.pictures else encoded

    def read(self, encoded, questions, role, padding=0):
        """Outputs of questions [(packed alone behind the state, rows to read)].

        role: what the rows are, READOUTS, "pointers" or "reads"."""
        longest = max(len(packed.ids) - packed.state for packed, _ in questions) + padding
        widest = max(len(rows) for _, rows in questions) + padding * (role == READOUTS)

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
            kinds=none,
            pointers=none,
            reads=none,
            read_tokens=none,
        )
        feed |= {READOUTS: none, READOUT_WEIGHTS: none.astype(np.float32)}
        first = np.arange(len(questions))[:, None] * longest
        feed[role] = first + table(lambda packed, rows: [row - packed.state for row in rows], 0, widest)
        if role == READOUTS:
            feed[READOUT_WEIGHTS] = table(lambda _, rows: [1] * len(rows), 0, widest, np.float32)
            feed["kinds"] = table(lambda packed, rows: [packed.scored[0][0]] * len(rows), 0, widest)
        if role == "reads":
            feed["read_tokens"] = table(lambda packed, rows: [packed.ids[row] for row in rows], 0, widest)
        feed["past_seen"] = none.astype(np.float32)
        for past in (i for i in self.branch.get_inputs() if i.name.startswith("past_") and i.name not in feed):
            feed[past.name] = np.zeros((len(questions), past.shape[1], 0, past.shape[3]), np.float32)
        feed |= {i.name: encoded[i.name] for i in self.branch.get_inputs() if i.name not in feed}
        return self.branch.run(list(OUTPUTS[role]), feed)


@torch.no_grad()
def check(model, folder, part, count=20):
    """The largest difference of any logit between the exported graphs and the training code's forward pass.

    Questions are asked alone and in padded batches. Logits above 1, as those of writing, differ relative to the
    largest."""
    graphs, rng, worst = Graphs(folder, part), np.random.default_rng(0), 0.0

    def cells_of(picture):
        features, places, cell_index, *_ = picture
        return features, *(part.numpy() for part in model.spelled(torch.from_numpy(features))), places, cell_index

    for turn in range(count):
        row = sample(rng, sample_picture(model, rng) if part != "texts" else None)
        batch = collate([Packed(row)], cells_of)
        hidden, memory, similarities = forward(model, batch)
        logits = scored_logits(model, batch, hidden, similarities)[0]
        start, end, absent, _ = pointer_terms(model, batch, hidden, memory, batch["pointers"])
        b, rows, tokens = (
            torch.tensor(part) for part in zip(*[(write[0], write[1][-1], write[2][-1]) for write in batch["writes"]])
        )
        written = next_terms(model, batch, hidden, memory, b, rows, tokens)
        expected = {READOUTS: [logits], "pointers": [start, end, absent], "reads": written}
        encoded, groups = graphs.encode(row), {}
        for question in row.questions:
            packed, rows = alone(row, question)
            groups.setdefault(READOUTS if packed.scored else "pointers" if packed.pointers else "reads", []).append(
                (packed, rows)
            )
        for role, questions in groups.items():
            wholes = [graphs.read(encoded, questions, role, padding=turn % 3)]
            wholes.append(
                [np.concatenate(parts) for parts in zip(*[graphs.read(encoded, [one], role) for one in questions])]
                if role != READOUTS
                else None
            )
            for whole in wholes:
                if whole is None:
                    singles = [graphs.read(encoded, [one], role)[0][0] for one in questions]
                    pairs = [(single, expected[role][0][i, : len(single)]) for i, single in enumerate(singles)]
                elif role == READOUTS:
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
