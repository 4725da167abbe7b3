"""Random tiny text decoders in hub layout, one folder a family, and what transformers says about them: prompts, token ids, logits.

    pip install -r requirements.txt && OMP_NUM_THREADS=1 python make.py

Writes a folder for each family (configuration, tokenizer, one ONNX graph built from the state dict) and `goldens.json`. Logits are those of the PyTorch
model in float32, of the whole prompt and with kept keys, values and states. The weights are random: only the sums are tested.
"""
import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers.utils import chat_template_utils
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast
from transformers import Gemma3TextConfig, GraniteConfig, Lfm2Config, LlamaConfig, Qwen2Config, Qwen3_5TextConfig, Qwen3Config, SmolLM3Config

import templates
from graphs import Form, decoder_graph

HERE = Path(__file__).parent
POSITIONS = 1024

CORPUS = """Statement: the customer asks for a refund. Is the statement true? Answer with one word, Yes or No.
Question: what is the tone of the message? Answer with the letter of the one best option. Yes. No. Yes No
A. calm B. angry C. happy D. sad E. formal F. polite G. rude H. short I. long J. open K. closed L. late M. early N. new O. old
P. paid Q. queued R. refused S. sent T. taken U. used V. void W. won X. crossed Y. young Z. zero
Hello, my order number has not arrived. Please send the money back to me, or send a new one today.
Copy the answer word for word from the text above. If it is not there, answer: none. Give a number. Give a date.
You are a helpful assistant. Cutting Knowledge Date: December. Today Date: user system assistant model
""".splitlines()

LLAMA_SPLIT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN_SPLIT = LLAMA_SPLIT.replace(r"\p{N}{1,3}", r"\p{N}")
# Marks that stand on letters belong to the word.
QWEN35_SPLIT = QWEN_SPLIT.replace(r"?\p{L}+", r"?[\p{L}\p{M}]+").replace(r"[^\s\p{L}\p{N}]", r"[^\s\p{L}\p{M}\p{N}]")


def byte_level(split, controls, words=()):
    """Byte-level BPE. `split`: an expression, or 'digits'. `controls` are special; `words` are added, but no special tokens."""
    tokenizer = Tokenizer(models.BPE())
    bytes_only = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=split == "digits")
    first = pre_tokenizers.Digits(individual_digits=True) if split == "digits" else pre_tokenizers.Split(Regex(split), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([first, bytes_only])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=330, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_special_tokens(controls)
    tokenizer.add_tokens([AddedToken(word, normalized=False, special=False) for word in words])
    return tokenizer


def sentence_piece():
    """BPE over characters as in Gemma: spaces are a letter of their own, unknown characters fall back to bytes, runs of new lines are added words."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    # Words are trained apart here, or the corpus would become a few long pieces.
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    trainer = trainers.BpeTrainer(vocab_size=170, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    trained = json.loads(tokenizer.to_str())
    front = ["<pad>", "<eos>", "<bos>", "<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
    pieces = [*front, *sorted(trained["model"]["vocab"], key=trained["model"]["vocab"].get)]
    trained["model"] |= dict(vocab={piece: id for id, piece in enumerate(pieces)}, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    tokenizer = Tokenizer.from_str(json.dumps(trained))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_special_tokens(["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>"])
    tokenizer.add_tokens([AddedToken(word, normalized=False, special=False) for word in ["\n\n", "\n\n\n", "<table>"]])
    return tokenizer


def composed(tokenizer):
    """Letters and the marks on them are read as one character where there is one (NFC)."""
    tokenizer.normalizer = normalizers.NFC()
    return tokenizer


@dataclass
class Family:
    config: type
    template: str
    tokenizer: Tokenizer
    eos: list[str]
    """The ends that generation_config.json names; the first is the tokenizer's."""
    bos: str | None = None
    form: Form = field(default_factory=Form)
    settings: dict = field(default_factory=dict)
    adds_bos: bool = False
    """The tokenizer itself puts the beginning in front, which a template has done already."""


# Three layers of four keep a state of one size instead of keys and values.
QWEN35 = dict(
    tie_word_embeddings=True, num_hidden_layers=4, num_attention_heads=2, num_key_value_heads=1, head_dim=64,
    linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=8, linear_value_head_dim=8, linear_conv_kernel_dim=4,
    rope_parameters=dict(rope_type="default", rope_theta=10000.0, partial_rotary_factor=0.25, mrope_section=[3, 3, 2], mrope_interleaved=True),
)

IM = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
FAMILIES = {
    "llama": lambda: Family(
        LlamaConfig, templates.LLAMA, byte_level(LLAMA_SPLIT, ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>"]),
        ["<|eot_id|>", "<|end_of_text|>", "<|eom_id|>"], "<|begin_of_text|>",
        settings=dict(head_dim=16, rope_parameters=dict(rope_type="llama3", rope_theta=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64)),
        adds_bos=True,
    ),
    "smollm2": lambda: Family(
        LlamaConfig, templates.SMOLLM2, byte_level("digits", IM), ["<|im_end|>"], "<|im_start|>", Form("plain"), dict(tie_word_embeddings=True, num_attention_heads=3, num_key_value_heads=1, hidden_size=48)
    ),
    "qwen2": lambda: Family(Qwen2Config, templates.QWEN2, byte_level(QWEN_SPLIT, IM), ["<|im_end|>", "<|endoftext|>"], None, settings=dict(tie_word_embeddings=True)),
    "qwen3": lambda: Family(
        Qwen3Config, templates.QWEN3, byte_level(QWEN_SPLIT, IM, ["<think>", "</think>", "<tool_call>", "</tool_call>"]), ["<|im_end|>", "<|endoftext|>"], None, Form("rotary gqa"),
        dict(tie_word_embeddings=True, head_dim=16),
    ),
    "qwen3.5": lambda: Family(
        Qwen3_5TextConfig, templates.QWEN35, composed(byte_level(QWEN35_SPLIT, IM, ["<think>", "</think>"])), ["<|im_end|>", "<|endoftext|>"], None, Form("rotary gqa"), QWEN35,
    ),
    "smollm3": lambda: Family(
        SmolLM3Config, templates.SMOLLM3, byte_level(LLAMA_SPLIT, IM, ["<think>", "</think>"]), ["<|im_end|>"], None,
        settings=dict(tie_word_embeddings=True, no_rope_layers=[1, 0]),
    ),
    "gemma3": lambda: Family(
        Gemma3TextConfig, templates.GEMMA, sentence_piece(), ["<eos>", "<end_of_turn>"], "<bos>", Form("rotary gqa", keeps_rows=True, biased=True),
        dict(head_dim=16, sliding_window=16, layer_types=["sliding_attention", "full_attention"], query_pre_attn_scalar=24, tie_word_embeddings=True), adds_bos=True,
    ),
    "granite": lambda: Family(
        GraniteConfig, templates.GRANITE, byte_level(LLAMA_SPLIT, ["<|end_of_text|>", "<|start_of_role|>", "<|end_of_role|>"]), ["<|end_of_text|>"], "<|end_of_text|>",
        settings=dict(tie_word_embeddings=True, embedding_multiplier=12.0, residual_multiplier=0.22, attention_multiplier=0.0156, logits_scaling=8.0),
    ),
    "lfm2": lambda: Family(
        Lfm2Config, templates.LFM2, byte_level(LLAMA_SPLIT, ["<|startoftext|>", *IM]), ["<|im_end|>"], "<|startoftext|>", Form("rotary gqa"),
        dict(tie_word_embeddings=True, num_hidden_layers=3, layer_types=["conv", "full_attention", "conv"], block_auto_adjust_ff_dim=False, conv_L_cache=3, num_attention_heads=2, num_key_value_heads=1),
        adds_bos=True,
    ),
}

STATES = [
    ("text", "Hello, my order number 4711 has not arrived.", "\n\nIs a refund asked for?"),
    ("unicode", "Größe 5€ 🙂 東京  \tdone", "\n\nQuestion: what is the tone?\nA. calm\nB. angry\nAnswer with the letter."),
]


def write_json(path, value, indent=2):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=indent, ensure_ascii=False) + "\n", encoding="utf-8")


def make_model(family, tokenizer):
    torch.manual_seed(7)
    settings = dict(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=POSITIONS,
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, tie_word_embeddings=False,
    )
    config = family.config(**settings | family.settings)
    config._attn_implementation = "eager"
    model = AutoModelForCausalLM.from_config(config).eval()
    # Weights large enough that a wrong position, mask or state moves the logits.
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith("A_log"):
                remember(weight)
            elif weight.ndim >= 2:
                weight.normal_(0, 1.5 / np.sqrt(np.prod(weight.shape[1:])))
            else:
                weight.add_(torch.randn_like(weight) * 0.1)
    return model


def remember(weight):
    """Decays of gated delta nets that are slow enough to tell a state that was kept from one that was lost."""
    weight.copy_(torch.linspace(0.02, 0.5, len(weight)).log())


def frequencies_of(model):
    rotary = model.model.rotary_emb
    if hasattr(rotary, "inv_freq"):
        return {"full_attention": rotary.inv_freq.numpy()}
    return {kind: getattr(rotary, f"{kind}_inv_freq").numpy() for kind in ("full_attention", "sliding_attention")}


class FixedDay(datetime):
    """The day that the engine gives to templates that ask for today."""

    @classmethod
    def now(cls, tz=None):
        return cls(2024, 7, 26)


def make_cases(model, tokenizer):
    cases = []
    for name, state, question in STATES:
        render = lambda text: tokenizer.apply_chat_template([{"role": "user", "content": text}], tokenize=False, add_generation_prompt=True, enable_thinking=False)
        prompt = render(state + question)
        ids = tokenizer(prompt, add_special_tokens=False)["input_ids"]
        tail = tokenizer(question + prompt.split(question)[1], add_special_tokens=False)["input_ids"]
        cut = len(ids) - len(tail)
        assert ids[cut:] == tail, (name, "the question does not start at a token of its own")
        tensor = torch.tensor([ids])
        with torch.no_grad():
            whole = model(tensor).logits[0, -1]
            kept = model(tensor[:, :cut], use_cache=True)
            behind = model(tensor[:, cut:], past_key_values=kept.past_key_values).logits[0, -1]
        assert (whole - behind).abs().max() < 1e-4, name
        cases.append(dict(name=name, state=state, question=question, prompt=prompt, ids=ids, stateTokens=cut, logits=[round(float(v), 5) for v in behind]))
    return cases


def check_graph(path, cases):
    """The graph against the model here already, whole and behind a kept cache, so that a failing test points at TypeScript."""
    session = onnxruntime.InferenceSession(path)
    inputs = {one.name: one for one in session.get_inputs()}
    worst = 0
    for case in cases:
        ids, cut = case["ids"], case["stateTokens"]

        def run(tokens, before, cache):
            n = before + len(tokens)
            feeds = dict(input_ids=np.array([tokens]), attention_mask=np.ones((1, n), "int64"), position_ids=np.arange(before, n)[None], num_logits_to_keep=np.array(0)) | cache
            names = [one.name for one in session.get_outputs()]
            return dict(zip(names, session.run(names, {name: value for name, value in feeds.items() if name in inputs})))

        empty = {name: np.zeros([1 if i == 0 else size if isinstance(size, int) else 0 for i, size in enumerate(one.shape)], "float32") for name, one in inputs.items() if name.startswith("past")}
        first = run(ids[:cut], 0, empty)
        kept = {name.replace("present.", "past_key_values.").replace("present_", "past_"): value for name, value in first.items() if name != "logits"}
        for out in (run(ids, 0, empty), run(ids[cut:], cut, kept)):
            worst = max(worst, np.abs(out["logits"][0, -1] - np.array(case["logits"])).max())
    return worst


def make_family(name, family):
    folder = HERE / name
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=family.tokenizer, bos_token=family.bos, eos_token=family.eos[0], pad_token=family.eos[-1], clean_up_tokenization_spaces=False, chat_template=family.template
    )
    if family.adds_bos:
        family.tokenizer.post_processor = processors.TemplateProcessing(single=f"{family.bos} $A", special_tokens=[(family.bos, tokenizer.bos_token_id)])
    model = make_model(family, tokenizer)
    cases = make_cases(model, tokenizer)
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    family.tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    config = json.loads(model.config.to_json_string())
    config["architectures"] = [type(model).__name__]
    write_json(folder / "config.json", config)
    ends = [tokenizer.convert_tokens_to_ids(token) for token in family.eos]
    write_json(folder / "generation_config.json", dict(bos_token_id=tokenizer.bos_token_id, eos_token_id=ends if len(ends) > 1 else ends[0]))
    # Newer folders keep the template in a file of its own.
    own = name in ("gemma3", "lfm2", "smollm3")
    settings = dict(bos_token=family.bos, eos_token=family.eos[0], clean_up_tokenization_spaces=False, model_max_length=POSITIONS, tokenizer_class="PreTrainedTokenizerFast")
    write_json(folder / "tokenizer_config.json", settings | ({} if own else dict(chat_template=family.template)))
    if own:
        (folder / "chat_template.jinja").write_text(family.template, encoding="utf-8")
    weights = {key: value.detach().numpy() for key, value in model.state_dict().items()}
    graph = folder / "onnx" / "model.onnx"
    decoder_graph(weights, model.config, frequencies_of(model), POSITIONS, family.form, graph)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{name}: max abs difference {check_graph(graph, cases):.2g} of {max(map(abs, cases[0]['logits'])):.2g}; {size // 1024} KiB")
    return cases


def main():
    chat_template_utils.datetime = FixedDay
    write_json(HERE / "goldens.json", {name: make_family(name, make()) for name, make in FAMILIES.items()}, indent=None)


if __name__ == "__main__":
    main()
