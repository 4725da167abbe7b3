"""A random tiny Gemma 3 that sees, in hub layout, and what transformers says of it: squares, prompts, logits.

    pip install -r ../vision-decoders/requirements.txt && OMP_NUM_THREADS=1 python make.py

Writes `model/` (configuration, tokenizer, three ONNX graphs built from the state dict) and `goldens.json`. Logits are those of the PyTorch model in
float32, of the whole prompt and with kept keys and values. They are those of causal attention, since the published graphs are causal;
`bothWays` are those of the model as it was trained, whose image tokens see each other in both directions. The weights are random: only the sums are tested.
"""
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from transformers import Gemma3Config, Gemma3ForConditionalGeneration, Gemma3Processor, PreTrainedTokenizerFast
from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "vision-decoders"))

from shared import POSITIONS, case_of, levels_of, open_picture, rounded, save_folder, sentence_piece, shake, size_of, write_json
from graphs import FLOAT, Form, decoder_graph, info
from vision_graphs import Encoder, embed_graph

MODEL = HERE / "model"
SIDE, PATCH, TOKENS = 64, 4, 64
HALVES = [0.5] * 3
BEGIN, END, SOFT = "<start_of_image>", "<end_of_image>", "<image_soft_token>"

# Texts, and names of pictures in brackets. The template trims texts, so that they have no space at their ends.
STATES = [
    ("text", ["Hello, my order number 4711 has not arrived."], "\n\nIs a refund asked for?"),
    ("one-picture", ["A screen:", ["64x64.png"]], "\n\nWhat does it show?"),
    ("picture-first", [["150x100.png"], "Price 12.50 Größe 5€ 🙂"], "\n\nWhat is the price?"),
    ("two-pictures", [["70x190.png"], "and", ["40x30.png"]], "\n\nWhich one is taller?"),
    ("pictures-alone", [["400x37.png"], ["64x64.png"]], "\n\nWhich one is wide?"),
    ("many-pictures", [["333x250.png"], "1", ["70x190.png"], "2", ["333x250.png"], "3", ["150x100.png"], "4", ["400x37.png"], "5"], "\n\nWhich one is wide?"),
]

# No system, turns in their order, texts trimmed, a token for each picture.
TEMPLATE = (
    "{{ bos_token }}{%- for m in messages -%}{%- if (m['role'] == 'user') != (loop.index0 % 2 == 0) -%}{{ raise_exception('roles must alternate') }}{%- endif -%}"
    "{%- set role = 'model' if m['role'] == 'assistant' else m['role'] -%}{{ '<start_of_turn>' + role + '\\n' }}"
    "{%- if m['content'] is string -%}{{ m['content'] | trim }}{%- else -%}{%- for item in m['content'] -%}"
    "{%- if item['type'] == 'image' -%}{{ '<start_of_image>' }}{%- elif item['type'] == 'text' -%}{{ item['text'] | trim }}{%- endif -%}"
    "{%- endfor -%}{%- endif -%}{{ '<end_of_turn>\\n' }}{%- endfor -%}{%- if add_generation_prompt -%}{{ '<start_of_turn>model\\n' }}{%- endif -%}"
)


def make_tokenizer():
    tokenizer = sentence_piece()
    tokenizer.add_special_tokens([BEGIN, END, SOFT])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<bos>", eos_token="<eos>", pad_token="<pad>", unk_token="<unk>", clean_up_tokenization_spaces=False,
        extra_special_tokens=dict(boi_token=BEGIN, eoi_token=END, image_token=SOFT),
    )


def make_model(tokenizer):
    torch.manual_seed(3)
    ids = {f"{field}_index": tokenizer.convert_tokens_to_ids(token) for field, token in dict(boi_token=BEGIN, eoi_token=END, image_token=SOFT).items()}
    config = Gemma3Config(
        mm_tokens_per_image=TOKENS, tie_word_embeddings=True, **ids,
        text_config=dict(
            vocab_size=len(tokenizer), hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
            max_position_embeddings=POSITIONS, sliding_window=16, layer_types=["sliding_attention", "full_attention"], query_pre_attn_scalar=24,
            bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, tie_word_embeddings=True,
        ),
        vision_config=dict(
            model_type="siglip_vision_model", hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=2, image_size=SIDE, patch_size=PATCH, vision_use_head=False
        ),
    )
    config._attn_implementation = "eager"
    return shake(Gemma3ForConditionalGeneration(config).eval())


def vision_graph(w, config, path):
    """SigLIP, then the mean of neighbouring patches, a norm and a product."""
    c = config.vision_config
    grid, kept = c.image_size // c.patch_size, round(config.mm_tokens_per_image**0.5)
    tower = next(name for name in w if name.endswith("embeddings.patch_embedding.weight")).removesuffix("embeddings.patch_embedding.weight")
    g = Encoder({name.removeprefix(tower): value for name, value in w.items()})
    sides = dict(kernel_shape=[c.patch_size] * 2, strides=[c.patch_size] * 2)
    x = g.op("Conv", ["pixel_values", *(g.const(g.w[f"embeddings.patch_embedding.{part}"]) for part in ("weight", "bias"))], **sides)
    x = g.op("Transpose", [g.op("Reshape", [x, g.const([0, c.hidden_size, grid * grid])])], perm=[0, 2, 1])
    x = g.op("Add", [x, g.const(g.w["embeddings.position_embedding.weight"])])
    for i in range(c.num_hidden_layers):
        layer = f"encoder.layers.{i}."
        h = g.norm(x, layer + "layer_norm1", c.layer_norm_eps)
        h = g.op("MultiHeadAttention", [g.linear(h, f"{layer}self_attn.{n}_proj") for n in "qkv"], domain="com.microsoft", num_heads=c.num_attention_heads)
        x = g.op("Add", [x, g.linear(h, layer + "self_attn.out_proj")])
        h = g.linear(g.norm(x, layer + "layer_norm2", c.layer_norm_eps), layer + "mlp.fc1")
        x = g.op("Add", [x, g.linear(g.op("Gelu", [h], approximate="tanh"), layer + "mlp.fc2")])
    x = g.norm(x, "post_layernorm", c.layer_norm_eps)
    x = g.op("Reshape", [g.op("Transpose", [x], perm=[0, 2, 1]), g.const([0, c.hidden_size, grid, grid])])
    x = g.op("AveragePool", [x], kernel_shape=[grid // kept] * 2, strides=[grid // kept] * 2)
    x = g.op("Transpose", [g.op("Reshape", [x, g.const([0, c.hidden_size, kept * kept])])], perm=[0, 2, 1])
    gain = g.const(w["model.multi_modal_projector.mm_soft_emb_norm.weight"] + 1)
    x = g.op("SimplifiedLayerNormalization", [x, gain], axis=-1, epsilon=c.layer_norm_eps)
    g.op("MatMul", [x, g.const(w["model.multi_modal_projector.mm_input_projection_weight"])], ["image_features"])
    g.save(
        [info("pixel_values", FLOAT, ["batch_size", 3, "height", "width"])],
        [info("image_features", FLOAT, ["batch_size", kept * kept, config.text_config.hidden_size])],
        path,
    )


def make_cases(model, tokenizer, processor):
    cases = []
    for name, state, question in STATES:
        # A question behind a text is part of it, as the engine writes it.
        parts = [*state[:-1], state[-1] + question] if isinstance(state[-1], str) else [*state, question]
        content = [{"type": "text", "text": part} if isinstance(part, str) else {"type": "image"} for part in parts]
        prompt = processor.apply_chat_template([{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True)
        pictures = [open_picture(part[0]) for part in state if not isinstance(part, str)]
        inputs = processor(text=[prompt], images=[pictures] if pictures else None, add_special_tokens=False, return_tensors="pt")
        ids = inputs["input_ids"][0].tolist()
        assert ids.count(model.config.image_token_index) == TOKENS * len(pictures), name
        tail = tokenizer(question + prompt.split(question.strip())[1], add_special_tokens=False)["input_ids"]
        cut = len(ids) - len(tail)
        assert ids[cut:] == tail, (name, "the question does not start at a token of its own")
        types = inputs.pop("token_type_ids")
        pixels = {key: value for key, value in inputs.items() if key == "pixel_values"}
        with torch.no_grad():
            both = model(**inputs, token_type_ids=types).logits[0, -1]
            whole = model(**inputs).logits[0, -1]
            kept = model(inputs["input_ids"][:, :cut], use_cache=True, **pixels)
            behind = model(inputs["input_ids"][:, cut:], past_key_values=kept.past_key_values).logits[0, -1]
        assert (whole - behind).abs().max() < 1e-4, (name, (whole - behind).abs().max())
        cases.append(case_of(name, state, question, prompt, ids, cut, logits=rounded(behind), bothWays=rounded(both)))
        print(f"{name}: {len(ids)} tokens; attention in both directions moves logits by {(both - whole).abs().max():.2g}")
    return cases


def check_graphs(model, cases, images):
    """The graphs against the model here already, so that a failing test points at TypeScript."""
    vision, embed, decoder = (onnxruntime.InferenceSession(MODEL / "onnx" / f"{name}.onnx") for name in ("vision_encoder", "embed_tokens", "decoder_model_merged"))
    worst = 0
    for case in cases:
        ids = np.array([case["ids"]])
        rows = embed.run(None, {"input_ids": ids})[0]
        pictures = [open_picture(part["picture"]) for part in case["state"] if not isinstance(part, str)]
        if pictures:
            pixels = images(pictures, return_tensors="np")["pixel_values"].astype("float32")
            rows[0, ids[0] == model.config.image_token_index] = vision.run(None, {"pixel_values": pixels})[0].reshape(-1, rows.shape[-1])
        feeds = dict(inputs_embeds=rows, attention_mask=np.ones(ids.shape, "int64"), num_logits_to_keep=np.array(1))
        for one in decoder.get_inputs():
            if one.name.startswith("past"):
                feeds[one.name] = np.zeros([1, one.shape[1], 0, one.shape[3]], "float32")
        worst = max(worst, np.abs(decoder.run(["logits"], feeds)[0][0, -1] - np.array(case["logits"])).max())
    return worst


def main():
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    settings = dict(size=dict(height=SIDE, width=SIDE), resample=2, image_mean=HALVES, image_std=HALVES)
    images = Gemma3ImageProcessorPil(**settings)
    processor = Gemma3Processor(images, tokenizer, image_seq_length=TOKENS, chat_template=TEMPLATE)
    cases = make_cases(model, tokenizer, processor)
    preprocessor = dict(
        do_convert_rgb=None, do_normalize=True, do_pan_and_scan=None, do_rescale=True, do_resize=True, image_processor_type="Gemma3ImageProcessor", image_seq_length=TOKENS,
        pan_and_scan_max_num_crops=None, pan_and_scan_min_crop_size=None, pan_and_scan_min_ratio_to_activate=None, processor_class="Gemma3Processor",
        rescale_factor=1 / 255, **settings,
    )
    ends = [tokenizer.convert_tokens_to_ids(token) for token in ("<eos>", "<end_of_turn>")]
    save_folder(
        MODEL, tokenizer, model, TEMPLATE, preprocessor, dict(bos_token_id=tokenizer.bos_token_id, eos_token_id=ends, pad_token_id=tokenizer.pad_token_id), type(model).__name__,
        bos_token="<bos>", eos_token="<eos>", pad_token="<pad>", unk_token="<unk>", boi_token=BEGIN, eoi_token=END, image_token=SOFT,
    )
    write_json(MODEL / "processor_config.json", dict(image_seq_length=TOKENS, processor_class="Gemma3Processor"))
    weights = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    vision_graph(weights, model.config, MODEL / "onnx" / "vision_encoder.onnx")
    text = {name.replace("model.language_model.", "model."): value for name, value in weights.items()}
    embed_graph(text["model.embed_tokens.weight"], MODEL / "onnx" / "embed_tokens.onnx", factor=model.config.text_config.hidden_size**0.5)
    rotary = model.model.language_model.rotary_emb
    frequencies = {kind: getattr(rotary, f"{kind}_inv_freq").numpy() for kind in ("full_attention", "sliding_attention")}
    form = Form("rotary gqa", keeps_rows=True, biased=True, embeds=True)
    decoder_graph(text, model.config.text_config, frequencies, POSITIONS, form, MODEL / "onnx" / "decoder_model_merged.onnx")
    squares = [dict(picture=name, levels=levels_of(images([open_picture(name)], return_tensors="np")["pixel_values"], 0.5, 0.5)) for name in ("40x30.png", "150x100.png", "400x37.png")]
    write_json(HERE / "goldens.json", dict(squares=squares, cases=cases), indent=None)
    print(f"graphs: max abs difference {check_graphs(model, cases, images):.2g} of {max(map(abs, cases[0]['logits'])):.2g}; {size_of(HERE)} KiB")


if __name__ == "__main__":
    main()
