"""A random tiny Gemma 3n that sees, in hub layout, and what transformers says of it: squares, prompts, logits.

    pip install -r ../vision-decoders/requirements.txt && OMP_NUM_THREADS=1 python make.py

Writes `model/` (configuration, tokenizer, three ONNX graphs built from the state dict) and `goldens.json`. Logits are those of the PyTorch model in
float32, of the whole prompt and with kept keys and values. The weights are random: only the sums are tested. The vision tower, a MobileNetV5 of timm, is one
convolution here: it is a graph of its own that takes squares and gives features, and the engine sees nothing of what stands in between.
"""
import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnxruntime
import torch
from transformers import AutoModel, Gemma3nConfig, Gemma3nForConditionalGeneration, Gemma3nProcessor, PreTrainedTokenizerFast
from transformers.models.gemma3n.feature_extraction_gemma3n import Gemma3nAudioFeatureExtractor
from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "vision-decoders"))

from shared import POSITIONS, case_of, levels_of, open_picture, rounded, save_folder, sentence_piece, shake, size_of, write_json
from graphs import FLOAT, Graph, info
from layered_graphs import embed_graph, gemma3n_decoder_graph

spec = importlib.util.spec_from_file_location("gemma3", HERE.parent / "gemma3" / "make.py")
gemma3 = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gemma3)

MODEL = HERE / "model"
SIDE, PATCH, TOKENS = 32, 4, 64
HALVES = [0.5] * 3
NAMES = {name: f"<{text}>" for name, text in dict(boi="start_of_image", image="image_soft_token", eoi="end_of_image", boa="start_of_audio", audio="audio_soft_token", eoa="end_of_audio").items()}
# What the template writes for a picture is the token of a row here, not the one that begins a picture.
TEMPLATE = gemma3.TEMPLATE.replace("'<start_of_image>'", "'<image_soft_token>'")


class Tower(torch.nn.Module):
    """In place of a MobileNetV5: [picture, width, row, column]."""

    def __init__(self, width):
        super().__init__()
        self.patches = torch.nn.Conv2d(3, width, PATCH, PATCH)

    def forward(self, pixel_values, **_):
        return SimpleNamespace(last_hidden_state=torch.tanh(self.patches(pixel_values)), pooler_output=None)


def make_tokenizer():
    """Behind the tokens of texts stand those of pictures, then those of sounds, each with a table of embeddings of their own."""
    tokenizer = sentence_piece()
    tokenizer.add_special_tokens([NAMES[name] for name in ("boi", "boa", "eoi", "image", "eoa", "audio")])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<bos>", eos_token="<eos>", pad_token="<pad>", unk_token="<unk>", clean_up_tokenization_spaces=False,
        extra_special_tokens={f"{name}_token": token for name, token in NAMES.items()},
    )


def make_model(tokenizer):
    torch.manual_seed(3)
    ids = {f"{name}_token_id": tokenizer.convert_tokens_to_ids(token) for name, token in NAMES.items()}
    texts = ids["eoi_token_id"]
    tiny = dict(hidden_size=8, rms_norm_eps=1e-6, vocab_size=2)
    config = Gemma3nConfig(
        vision_soft_tokens_per_image=TOKENS, tie_word_embeddings=True, **ids,
        text_config=dict(
            vocab_size=len(tokenizer), vocab_size_per_layer_input=texts, hidden_size=16, hidden_size_per_layer_input=4, intermediate_size=24, num_hidden_layers=4,
            num_attention_heads=2, num_key_value_heads=1, head_dim=16, max_position_embeddings=POSITIONS, sliding_window=16,
            layer_types=["sliding_attention", "full_attention"] * 2, num_kv_shared_layers=2,
            activation_sparsity_pattern=[0.5, 0.0, 0.0, 0.0], altup_num_inputs=3, laurel_rank=4, final_logit_softcapping=30.0,
            bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, tie_word_embeddings=True,
        ),
        vision_config=dict(tiny, vocab_offset=texts),
        audio_config=dict(tiny, vocab_offset=texts + 2, conf_num_attention_heads=2, conf_num_hidden_layers=1, sscp_conv_channel_size=[4, 4]),
    )
    config._attn_implementation = "eager"
    from_config = AutoModel.from_config
    AutoModel.from_config = lambda c, **more: Tower(c.hidden_size) if c.model_type == "gemma3n_vision" else from_config(c, **more)
    try:
        return shake(Gemma3nForConditionalGeneration(config).eval())
    finally:
        AutoModel.from_config = from_config


def vision_graph(w, config, path):
    """The tower, and the norms and the product that bring its features to the width of the text."""
    width = config.vision_config.hidden_size
    g = Graph("vision_encoder")
    weights = [g.const(w[f"vision_tower.patches.{part}"]) for part in ("weight", "bias")]
    x = g.op("Tanh", [g.op("Conv", ["pixel_values", *weights], kernel_shape=[PATCH] * 2, strides=[PATCH] * 2)])
    x = g.op("Transpose", [g.op("Reshape", [x, g.const([0, width, TOKENS])])], perm=[0, 2, 1])
    x = g.op("Mul", [x, g.const(np.float32(width**0.5))])
    x = g.op("SimplifiedLayerNormalization", [x, g.const(w["embed_vision.soft_embedding_norm.weight"])], axis=-1, epsilon=1e-6)
    x = g.op("MatMul", [x, g.const(w["embed_vision.embedding_projection.weight"].T)])
    ones = g.const(np.ones(config.text_config.hidden_size, dtype=np.float32))
    g.op("SimplifiedLayerNormalization", [x, ones], ["image_features"], axis=-1, epsilon=1e-6)
    g.save(
        [info("pixel_values", FLOAT, ["batch_size", 3, SIDE, SIDE])],
        [info("image_features", FLOAT, ["batch_size", TOKENS, config.text_config.hidden_size])],
        path,
    )


def make_cases(model, tokenizer, processor, states, inputs_of_pictures):
    """`inputs_of_pictures`: names of what the vision tower takes."""
    cases = []
    for name, state, question in states:
        # A question behind a text is part of it, as the engine writes it.
        parts = [*state[:-1], state[-1] + question] if isinstance(state[-1], str) else [*state, question]
        content = [{"type": "text", "text": part} if isinstance(part, str) else {"type": "image"} for part in parts]
        prompt = processor.apply_chat_template([{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True)
        pictures = [open_picture(part[0]) for part in state if not isinstance(part, str)]
        inputs = processor(text=[prompt], images=[pictures] if pictures else None, add_special_tokens=False, return_tensors="pt")
        ids = inputs["input_ids"][0].tolist()
        tail = tokenizer(question + prompt.split(question.strip())[1], add_special_tokens=False)["input_ids"]
        cut = len(ids) - len(tail)
        assert ids[cut:] == tail, (name, "the question does not start at a token of its own")
        seen = {key: inputs[key] for key in inputs_of_pictures if key in inputs}
        with torch.no_grad():
            whole = model(inputs["input_ids"], **seen).logits[0, -1]
            kept = model(inputs["input_ids"][:, :cut], use_cache=True, **seen)
            behind = model(inputs["input_ids"][:, cut:], past_key_values=kept.past_key_values).logits[0, -1]
        assert (whole - behind).abs().max() < 1e-4, (name, (whole - behind).abs().max())
        cases.append(case_of(name, state, question, prompt, ids, cut, logits=rounded(behind)))
        print(f"{name}: {len(ids)} tokens")
    return cases


def check_graphs(folder, cases, image_token, features_of):
    """The graphs against the model here already, so that a failing test points at TypeScript. `features_of`: encoder and picture to features."""
    vision, embed, decoder = (onnxruntime.InferenceSession(folder / "onnx" / f"{name}.onnx") for name in ("vision_encoder", "embed_tokens", "decoder_model_merged"))
    names = [output.name for output in embed.get_outputs()]
    worst = 0
    for case in cases:
        ids = np.array([case["ids"]])
        feeds = dict(zip(names, embed.run(names, {"input_ids": ids})))
        pictures = [open_picture(part["picture"]) for part in case["state"] if not isinstance(part, str)]
        if pictures:
            rows = [features_of(vision, picture).reshape(-1, feeds["inputs_embeds"].shape[-1]) for picture in pictures]
            feeds["inputs_embeds"][0, ids[0] == image_token] = np.concatenate(rows)
        feeds |= dict(position_ids=np.arange(ids.shape[1])[None], num_logits_to_keep=np.array(1))
        for one in decoder.get_inputs():
            if one.name.startswith("past"):
                feeds[one.name] = np.zeros([1, one.shape[1], 0, one.shape[3]], "float32")
        worst = max(worst, np.abs(decoder.run(["logits"], feeds)[0][0, -1] - np.array(case["logits"])).max())
    return worst


def main():
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    settings = dict(size=dict(height=SIDE, width=SIDE), resample=2, image_mean=HALVES, image_std=HALVES, do_normalize=False)
    images = SiglipImageProcessorPil(**settings)
    processor = Gemma3nProcessor(Gemma3nAudioFeatureExtractor(), images, tokenizer, image_seq_length=TOKENS, chat_template=TEMPLATE)
    cases = make_cases(model, tokenizer, processor, gemma3.STATES, ["pixel_values"])
    preprocessor = dict(
        do_convert_rgb=None, do_rescale=True, do_resize=True, feature_extractor_type="Gemma3nAudioFeatureExtractor", feature_size=128,
        image_processor_type="SiglipImageProcessorFast", image_seq_length=TOKENS, processor_class="Gemma3nProcessor", rescale_factor=1 / 255, sampling_rate=16000, **settings,
    )
    ends = [tokenizer.convert_tokens_to_ids(token) for token in ("<eos>", "<end_of_turn>")]
    tokens = {f"{name}_token": token for name, token in NAMES.items()}
    save_folder(
        MODEL, tokenizer, model, TEMPLATE, preprocessor, dict(bos_token_id=tokenizer.bos_token_id, eos_token_id=ends, pad_token_id=tokenizer.pad_token_id), type(model).__name__,
        bos_token="<bos>", eos_token="<eos>", pad_token="<pad>", unk_token="<unk>", image_token_id=model.config.image_token_id, **tokens,
    )
    write_json(MODEL / "processor_config.json", dict(audio_seq_length=188, image_seq_length=TOKENS, processor_class="Gemma3nProcessor"))
    weights = {name.removeprefix("model."): value.detach().numpy() for name, value in model.state_dict().items()}
    vision_graph(weights, model.config, MODEL / "onnx" / "vision_encoder.onnx")
    text = {name.removeprefix("language_model."): value for name, value in weights.items()}
    c = model.config
    embed_graph(text, c.text_config, [("embed_vision", c.vision_config.vocab_offset), ("embed_audio", c.audio_config.vocab_offset)], MODEL / "onnx" / "embed_tokens.onnx")
    rotary = model.model.language_model.rotary_emb
    frequencies = {kind: getattr(rotary, f"{kind}_inv_freq").numpy() for kind in ("full_attention", "sliding_attention")}
    gemma3n_decoder_graph(text, c.text_config, frequencies, MODEL / "onnx" / "decoder_model_merged.onnx")
    squares = [dict(picture=name, levels=levels_of(images([open_picture(name)], return_tensors="np")["pixel_values"], 0, 1)) for name in ("40x30.png", "400x37.png")]
    write_json(HERE / "goldens.json", dict(squares=squares, cases=cases), indent=None)
    square = lambda picture: images([picture], return_tensors="np")["pixel_values"].astype("float32")
    worst = check_graphs(MODEL, cases, c.image_token_id, lambda vision, picture: vision.run(None, {"pixel_values": square(picture)})[0])
    print(f"graphs: max abs difference {worst:.2g} of {max(map(abs, cases[0]['logits'])):.2g}; {size_of(HERE)} KiB")


if __name__ == "__main__":
    main()
