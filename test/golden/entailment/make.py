"""Random tiny entailment models in hub layout, one folder a family, and what transformers says about pairs: token ids, types, logits, zero-shot labels.

    pip install -r requirements.txt && OMP_NUM_THREADS=1 python make.py

Writes a folder for each family (configuration, tokenizer, the graph that torch.onnx makes of the PyTorch model) and `goldens.json`. The weights are
random: only the sums are tested.
"""
import json
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoModelForSequenceClassification, PreTrainedTokenizerFast, ZeroShotClassificationPipeline
from transformers import BertConfig, DebertaV2Config, ModernBertConfig, RobertaConfig

HERE = Path(__file__).parent
POSITIONS = 384

CORPUS = """The customer is angry and asks for a refund. The parcel arrived late or broken. Nobody answers the question.
The answer to the question is: yes. One of the answers is: refund. What is this about? How urgent is it? What is mentioned?
Order was placed by mail. The total is for lamps. See the page for more. low medium high critical price date weather praise delivery
""".splitlines()


def bert_tokenizer():
    """Word pieces in lower case."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=220, special_tokens=special, show_progress=False))
    cls, sep = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", special_tokens=[("[CLS]", cls), ("[SEP]", sep)]
    )
    return tokenizer


def byte_level(special):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=300, special_tokens=special, initial_alphabet=alphabet, show_progress=False))
    return tokenizer


def roberta_tokenizer():
    """Two separators between the texts, no types."""
    tokenizer = byte_level(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False)
    return tokenizer


def modernbert_tokenizer():
    tokenizer = byte_level(["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:0 [SEP]:0", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return tokenizer


def deberta_tokenizer():
    """Pieces of SentencePiece, the names of control tokens among them with the best of scores."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Replace(Regex(r"[\n\r\t]"), " "), normalizers.NFKC(), normalizers.Strip()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    trainer = trainers.UnigramTrainer(vocab_size=160, special_tokens=special, unk_token="[UNK]", show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_special_tokens(["[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return tokenizer


THREE = ["contradiction", "neutral", "entailment"]


@dataclass
class Family:
    config: type
    tokenizer: Tokenizer
    labels: list[str]
    settings: dict = field(default_factory=dict)
    takes_types: bool = False
    special: dict = field(default_factory=lambda: dict(cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]", pad_token="[PAD]", mask_token="[MASK]"))


DEBERTA = dict(
    relative_attention=True, pos_att_type=["p2c", "c2p"], position_biased_input=False, share_att_key=True, norm_rel_ebd="layer_norm", position_buckets=16,
    max_relative_positions=-1, type_vocab_size=0, pooler_hidden_size=32, pooler_dropout=0,
)
FAMILIES = {
    "bert": lambda: Family(BertConfig, bert_tokenizer(), ["entailment", "neutral", "contradiction"], dict(type_vocab_size=2), True),
    "roberta": lambda: Family(
        RobertaConfig, roberta_tokenizer(), [label.upper() for label in THREE], dict(type_vocab_size=1, max_position_embeddings=POSITIONS + 2, pad_token_id=1, bos_token_id=0, eos_token_id=2),
        special=dict(bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>", unk_token="<unk>", pad_token="<pad>", mask_token="<mask>"),
    ),
    # As DeBERTa-v3 has it, without types; its zero-shot models know two labels.
    "deberta": lambda: Family(DebertaV2Config, deberta_tokenizer(), ["entailment", "not_entailment"], DEBERTA),
    "modernbert": lambda: Family(
        ModernBertConfig, modernbert_tokenizer(), ["entailment", "neutral", "contradiction"],
        dict(num_hidden_layers=3, global_attn_every_n_layers=3, local_attention=16, pad_token_id=3, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2, classifier_pooling="mean"),
    ),
}

PAIRS = [
    ("Order 4711 arrived broken, and nobody answers!", "The customer is angry."),
    ("The total is $128.50 for 3 lamps.\nSee the page for more. Größe 5€ 東京 🙂", 'The answer to "What is this about?" is: refund.'),
    ("", "The parcel arrived late."),
]


def write_json(path, value, indent=2):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=indent, ensure_ascii=False) + "\n", encoding="utf-8")


def make_model(family, tokenizer):
    torch.manual_seed(7)
    settings = dict(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=POSITIONS, pad_token_id=tokenizer.pad_token_id,
        id2label=dict(enumerate(family.labels)), label2id={label: id for id, label in enumerate(family.labels)},
    )
    config = family.config(**settings | family.settings)
    config._attn_implementation = "eager"
    model = AutoModelForSequenceClassification.from_config(config).eval()
    # Weights large enough that a wrong type, position or mask moves the logits.
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim >= 2:
                weight.normal_(0, 1.5 / np.sqrt(np.prod(weight.shape[1:])))
            else:
                weight.add_(torch.randn_like(weight) * 0.1)
    return model


def export(model, names, path, vocabulary):
    """Two rows of unlike length, so that no size is fixed by the example."""
    ids = torch.randint(6, vocabulary, (2, 21))
    feeds = dict(input_ids=ids, attention_mask=torch.ones_like(ids), token_type_ids=torch.zeros_like(ids))
    axes = {0: "batch_size", 1: "sequence_length"}

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, *inputs):
            return self.model(**dict(zip(names, inputs))).logits

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Logits().eval(), tuple(feeds[name] for name in names), str(path), input_names=names, output_names=["logits"], dynamic_axes={**{name: axes for name in names}, "logits": {0: "batch_size"}},
            opset_version=18, dynamo=False,
        )


def make_family(name, family):
    folder = HERE / name
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=family.tokenizer, clean_up_tokenization_spaces=False, **family.special)
    model = make_model(family, tokenizer)
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if family.takes_types else [])]
    tokenizer.model_input_names = names
    graph = folder / "onnx" / "model.onnx"
    export(model, names, graph, len(tokenizer))
    session = onnxruntime.InferenceSession(graph)
    cases, worst = [], 0
    for state, statement in PAIRS:
        inputs = tokenizer(state, statement, return_tensors="pt", return_token_type_ids=True)
        inputs["token_type_ids"] = inputs.get("token_type_ids", torch.zeros_like(inputs["input_ids"]))
        with torch.no_grad():
            logits = model(**{key: inputs[key] for key in names}).logits[0]
        out = session.run(["logits"], {key: inputs[key].numpy() for key in names})[0][0]
        worst = max(worst, np.abs(out - logits.numpy()).max())
        cases.append(
            dict(state=state, statement=statement, ids=inputs["input_ids"][0].tolist(), types=inputs["token_type_ids"][0].tolist(), logits=[round(float(v), 6) for v in logits])
        )
    labels = ["refund", "delivery", "praise"]
    pipe = ZeroShotClassificationPipeline(model=model, tokenizer=tokenizer)
    zero_shot = {}
    for multi in (False, True):
        out = pipe(PAIRS[0][0], labels, hypothesis_template='The answer to "What is this about?" is: {}.', multi_label=multi)
        zero_shot["independent" if multi else "exclusive"] = [round(out["scores"][out["labels"].index(label)], 6) for label in labels]
    family.tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    config = json.loads(model.config.to_json_string())
    config["architectures"] = [type(model).__name__]
    write_json(folder / "config.json", config)
    write_json(folder / "tokenizer_config.json", family.special | dict(clean_up_tokenization_spaces=False, model_max_length=POSITIONS, tokenizer_class="PreTrainedTokenizerFast"))
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{name}: max abs difference {worst:.2g}; {size // 1024} KiB; {[one['logits'] for one in cases]}")
    return dict(pairs=cases, labels=labels, zeroShot=zero_shot)


def main():
    write_json(HERE / "goldens.json", {name: make_family(name, make()) for name, make in FAMILIES.items()}, indent=None)


if __name__ == "__main__":
    main()
