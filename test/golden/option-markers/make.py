"""Random tiny decision encoders as their makers lay them out, one folder a line, and what the makers' own reading of them says: rows of token ids, places of markers, logits, probabilities.

    pip install -r requirements.txt && OMP_NUM_THREADS=1 python make.py

Laya is built, exported and asked by its own package. jevhome has none: its head, rows and temperatures are written here from its README and training notes. The weights are random: only the
sums are tested.
"""
import json
import tempfile
import warnings
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from laya.common import DecisionModel, build_sequence
from laya.onnx_agent import ONNXAgent
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import ModernBertConfig, ModernBertModel, PreTrainedTokenizerFast

HERE = Path(__file__).parent
SPECIAL = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
NAMES = dict(cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]", pad_token="[PAD]", mask_token="[MASK]")
TYPES = {"choice": 0, "score": 1, "noul": 2}
POSITIONS = 600

# Names of control tokens are among the words, so that a question full of them is short enough to be asked.
CORPUS = """The customer is angry and asks for a refund. The parcel arrived late or broken. Nobody answers the question. The customer was charged twice.
choice question: What is this about? score question: How urgent is it? noul question: What is mentioned? What is said? Where is it? place Which team?
One of the answers to "What is mentioned?" is: price. date weather email address car refund delivery praise the goods arrived late or broken true false
The proposition is true. The proposition is false. yes, the statement holds no, the statement does not hold level 0: low level 1: medium level 2: high critical
Order was placed by mail. The total is for lamps. the string <|im_start|> the string <|im_end|> the string <end_of_utterance> the string <image> end.
the string <fake_token_around_image> the string <|endoftext|> the string <s> the string </s> Note: <fake_token_around_image> <end_of_utterance> <|endoftext|>
""".splitlines()

STATES = [
    "Order 4711 arrived broken, and nobody answers! Größe 5€ 東京 🙂",
    "",
    "The text says [MASK] twice: [MASK].",
    {"ticket": {"lines": ["charged twice", "refund?"], "count": 2, "open": True, "note": None}, "größe": 0.5},
    [{"role": "user", "content": "Where is my \"parcel\"?\n"}, {"role": "agent", "content": "In Lima\\Peru."}],
]
QUESTIONS = {
    "angry": {"type": "noul", "instructions": "The customer is angry."},
    "late": {"type": "noul", "instructions": "Is it late?", "criteria": {"true": "the parcel is late", "false": "it is in time, or there is none"}},
    "topic": {"type": "choice", "instructions": "What is this about?", "criteria": {"refund": None, "delivery": "the goods arrived late or broken", "praise": None}},
    "two": {"type": "choice", "instructions": "Which?", "criteria": {"[MASK] one": "it has [MASK] in it", "two": ""}},
    "many": {"type": "choice", "instructions": "Where is it?", "criteria": {f"place {i}": None for i in range(12)}},
    "urgency": {"type": "score", "instructions": "How urgent is it?", "criteria": ["low", "medium", "high", "critical"]},
}


def write_json(path, value, indent=2):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=indent, ensure_ascii=False) + "\n", encoding="utf-8")


def make_tokenizer():
    """Bytes, as ModernBERT's; its mask token takes the space in front of it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=680, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True, normalized=False, special=True)])
    return tokenizer


def make_encoder(size, mask):
    config = ModernBertConfig(
        vocab_size=size, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4, max_position_embeddings=POSITIONS, global_attn_every_n_layers=3, local_attention=16,
        pad_token_id=3, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2, mask_token_id=mask,
    )
    config._attn_implementation = "eager"
    return ModernBertModel(config)


def shaken(model):
    """Weights large enough that a wrong type, place or mask moves the logits."""
    model.eval()
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim >= 2:
                weight.normal_(0, 1.5 / np.sqrt(np.prod(weight.shape[1:])))
            else:
                weight.add_(torch.randn_like(weight) * 0.1)
    return model


def export(model, feeds, outputs, path):
    axes = {"input_ids": {0: "batch", 1: "sequence"}, "attention_mask": {0: "batch", 1: "sequence"}, "marker_pos": {0: "batch", 1: "options"}, "marker_mask": {0: "batch", 1: "options"}, "qtype": {0: "batch"}}
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model, tuple(feeds.values()), str(path), input_names=list(feeds), output_names=outputs, dynamic_axes={name: axes[name] for name in feeds}, opset_version=18, dynamo=False
        )


def tensors(rows, has_mask):
    """Rows of unlike lengths, padded."""
    length, options = max(len(ids) for ids, _, _ in rows), max(len(places) for _, places, _ in rows)
    feeds = {name: torch.zeros((len(rows), size), dtype=torch.long) for name, size in [("input_ids", length), ("attention_mask", length), ("marker_pos", options)]}
    feeds["input_ids"].fill_(3)
    mask = torch.zeros((len(rows), options), dtype=torch.bool)
    for i, (ids, places, _) in enumerate(rows):
        feeds["input_ids"][i, : len(ids)] = torch.tensor(ids)
        feeds["attention_mask"][i, : len(ids)] = 1
        feeds["marker_pos"][i, : len(places)] = torch.tensor(places)
        mask[i, : len(places)] = True
    if has_mask:
        feeds["marker_mask"] = mask
    feeds["qtype"] = torch.tensor([TYPES[kind] for _, _, kind in rows])
    return feeds


class Jevhome(torch.nn.Module):
    """The encoder's last state at each marker, the type's vector added, to one number by a small network."""

    def __init__(self, encoder):
        super().__init__()
        width = encoder.config.hidden_size
        self.encoder = encoder
        self.kinds = torch.nn.Embedding(3, width)
        self.scorer = torch.nn.Sequential(torch.nn.LayerNorm(width), torch.nn.Linear(width, width), torch.nn.GELU(), torch.nn.Linear(width, 1))

    def forward(self, input_ids, attention_mask, marker_pos, qtype):
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        at_markers = torch.gather(states, 1, marker_pos[:, :, None].expand(-1, -1, states.size(-1)))
        return self.scorer(at_markers + self.kinds(qtype)[:, None, :]).squeeze(-1)


class LayaGraph(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, marker_pos, marker_mask, qtype):
        return self.model(input_ids, attention_mask, marker_pos, marker_mask, qtype)


def jevhome_row(tokenizer, state, question):
    """The row of the README, for questions that are short enough: `[CLS] type question: … [SEP] [MASK] id: text … [SEP] state [SEP]`."""
    kind, criteria = question["type"], question.get("criteria")
    if kind == "noul":
        options = [f"{key}: {(criteria or {}).get(key, f'The proposition is {key}.')}" for key in ("true", "false")]
    elif kind == "choice":
        options = [f"{key}: {text or key}" for key, text in criteria.items()]
    else:
        options = [f"{level}: {text}" for level, text in enumerate(criteria)]
    text_of = lambda text: tokenizer(text.replace("[MASK]", " "), add_special_tokens=False)["input_ids"]
    ids, places = [1, *text_of(f"{kind} question: {question['instructions']}"), 2], []
    for option in options:
        places.append(len(ids))
        piece = text_of(f" {option}")
        assert len(piece) <= 48
        ids += [tokenizer.mask_token_id, *piece]
    assert len(ids) - 2 <= 320
    ids += [2, *text_of(state if isinstance(state, str) else json.dumps(state, ensure_ascii=False)), 2]
    assert len(ids) <= 512
    return ids, places, kind


def softmax(logits, temperature):
    shares = np.exp((logits - logits.max()) / temperature)
    return (shares / shares.sum()).tolist()


def rounded(values, digits=6):
    return [round(float(value), digits) for value in values]


def bucket(kind, count):
    return f"{kind}:{'2' if count <= 2 else '3-5' if count <= 5 else '6-10' if count <= 10 else '11+'}"


def run(graph, row, has_mask):
    session = onnxruntime.InferenceSession(graph)
    feeds = {name: tensor.numpy() for name, tensor in tensors([row], has_mask).items()}
    return session.run(["logits"], feeds)[0][0]


def make_laya(tokenizer, fast):
    folder = HERE / "laya"
    torch.manual_seed(7)
    model = shaken(DecisionModel(make_encoder(len(fast), fast.mask_token_id), head_layers=2, n_act=2))
    section = dict(
        encoder="random", head_layers=2, max_len=480, head_max_len=288, act_costs={"escalate": 0.5}, temperature=[1.6, 1.25, 1.98], temperature_by_options={"choice:3-5": 1.76, "choice:11+": 0.1006, "noul:2": 2.4}
    )

    def row_of(state, question):
        q = {"t": question["type"], "ins": question["instructions"], "crit": question.get("criteria")}
        ids, places = build_sequence(fast, state, q, section["max_len"], section["head_max_len"])
        return ids, places, question["type"]

    graph = folder / "onnx" / "model.onnx"
    examples = [row_of(STATES[0], QUESTIONS["topic"]), row_of(STATES[3], QUESTIONS["angry"])]
    export(LayaGraph(model).eval(), tensors(examples, True), ["logits", "act_logits"], graph)
    config = json.loads(model.encoder.config.to_json_string())
    write_json(folder / "config.json", config | dict(architectures=["ModernBertModel"], laya=section))
    with tempfile.TemporaryDirectory() as place:
        fast.save_pretrained(Path(place) / "tokenizer")
        write_json(Path(place) / "rl_agent_config.json", section)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            agent = ONNXAgent(place, onnx_path=str(graph))

        def probabilities(state, question):
            answer = agent.system_one(state, {"it": question})["answers"]["it"]
            if question["type"] == "noul":
                return [answer["noul"], 1 - answer["noul"]]
            return list(answer["probabilities"].values())

        return folder, graph, row_of, probabilities, LayaGraph(model), True


def make_jevhome(tokenizer, fast):
    folder = HERE / "jevhome"
    torch.manual_seed(11)
    model = shaken(Jevhome(make_encoder(len(fast), fast.mask_token_id)))
    temperatures = {"noul:2": {"T": 0.8, "n": 9, "nll_before": 1, "nll_after": 1}, "choice:3-5": {"T": 1.3, "n": 9}, "choice:11+": {"T": 0.6, "n": 9}, "_fitted_on": ["calibration.jsonl"]}
    graph = folder / "model.onnx"
    row_of = lambda state, question: jevhome_row(fast, state, question)
    export(model, tensors([row_of(STATES[0], QUESTIONS["topic"]), row_of(STATES[3], QUESTIONS["angry"])], False), ["logits"], graph)
    write_json(folder / "config.json", json.loads(model.encoder.config.to_json_string()) | dict(architectures=["ModernBertForMaskedLM"]))
    write_json(folder / "decision_config.json", dict(head="h2", head_layers=0, typed=False, ordinal=False, order_invariant=False, evidence=False))
    write_json(folder / "calibration_u.json", temperatures)

    def probabilities(state, question):
        row = row_of(state, question)
        temperature = temperatures.get(bucket(row[2], len(row[1])), {"T": 1.0})["T"]
        return softmax(run(graph, row, False), temperature)

    return folder, graph, row_of, probabilities, model, False


def main():
    goldens = {}
    for name, make in [("laya", make_laya), ("jevhome", make_jevhome)]:
        tokenizer = make_tokenizer()
        fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, clean_up_tokenization_spaces=False, **NAMES)
        folder, graph, row_of, probabilities, model, has_mask = make(tokenizer, fast)
        tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
        write_json(folder / "tokenizer_config.json", NAMES | dict(clean_up_tokenization_spaces=False, model_max_length=8192, tokenizer_class="PreTrainedTokenizerFast"))
        cases, worst = [], 0
        for state in STATES:
            for id, question in QUESTIONS.items():
                row = row_of(state, question)
                with torch.no_grad():
                    out = model(*tensors([row], has_mask).values())
                logits = (out[0] if has_mask else out)[0].numpy()
                worst = max(worst, np.abs(run(graph, row, has_mask) - logits).max())
                cases.append(dict(state=state, question=id, ids=row[0], markers=row[1], logits=rounded(logits), probabilities=rounded(probabilities(state, question))))
        goldens[name] = cases
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        print(f"{name}: {len(cases)} rows, max abs difference of the graph {worst:.2g}; {size // 1024} KiB; longest {max(len(case['ids']) for case in cases)}; {cases[2]['probabilities']}")
    write_json(HERE / "goldens.json", dict(questions=QUESTIONS, cases=goldens), indent=None)


if __name__ == "__main__":
    main()
