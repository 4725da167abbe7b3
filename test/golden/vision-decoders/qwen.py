"""Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5: random tiny models, and what transformers says of them: sizes, patches, prompts, positions, logits."""
import random

import numpy as np
import onnxruntime
import torch
from transformers import PreTrainedTokenizerFast, Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration, Qwen2VLConfig, Qwen2VLForConditionalGeneration
from transformers import Qwen3_5Config, Qwen3_5ForConditionalGeneration, Qwen3VLConfig, Qwen3VLForConditionalGeneration
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil, smart_resize

from shared import HERE, POSITIONS, QWEN35, QWEN35_SPLIT, QWEN_SPLIT, STATES, byte_level, case_of, composed, cut_of, levels_of, open_picture, rounded, save_folder, shake, size_of
from graphs import Form, decoder_graph
from vision_graphs import embed_graph, qwen_vision_graph
import templates
import vision_templates

PATCH, MERGE, FRAMES = 4, 2, 2
FACTOR = PATCH * MERGE
PIXELS = dict(min_pixels=16 * FACTOR**2, max_pixels=90 * FACTOR**2)
MEAN, STD = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
CONTROLS = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>", "<|box_end|>",
    "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>",
]
SECTIONS = [2, 3, 3]
HALF = [0.5, 0.5, 0.5]
# Four layers, so that what is added behind the third reaches other tokens. Small, since each level has a merger of its own.
QWEN3 = dict(hidden_size=24, intermediate_size=32, num_hidden_layers=4, head_dim=16)
QWEN3_ROPE = dict(rope_type="default", rope_theta=10000.0, mrope_section=[3, 3, 2], mrope_interleaved=True)
QWEN3_VISION = dict(depth=4, hidden_size=8, intermediate_size=16, out_hidden_size=24, num_position_embeddings=36, deepstack_visual_indexes=[0, 1, 2])
# Marks stand behind their letters: some have a character for both, those of the second word have none.
MARKS = ("marks", ["Cafe\u0301, \u0928\u092e\u0938\u094d\u0924\u0947: 4 \u20ac"], "\n\nWhat is the price?")


def make_tokenizer(kind):
    if kind == "qwen3.5":
        tokenizer = composed(byte_level(QWEN35_SPLIT, CONTROLS, ["<think>", "</think>"]))
    elif kind == "qwen3-vl":
        tokenizer = composed(byte_level(QWEN_SPLIT, CONTROLS, ["<think>", "</think>"]))
    else:
        tokenizer = byte_level(QWEN_SPLIT, CONTROLS)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>", clean_up_tokenization_spaces=False)


def make_model(kind, tokenizer):
    ids = {name: tokenizer.convert_tokens_to_ids(f"<|{token}|>") for name, token in dict(
        image_token_id="image_pad", video_token_id="video_pad", vision_start_token_id="vision_start", vision_end_token_id="vision_end").items()}
    text = dict(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=POSITIONS,
        bos_token_id=None, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, tie_word_embeddings=True,
        rope_parameters=dict(rope_type="default", rope_theta=10000.0, mrope_section=SECTIONS),
    )
    patches = dict(patch_size=PATCH, spatial_merge_size=MERGE, temporal_patch_size=FRAMES, in_channels=3, num_heads=2)
    torch.manual_seed(3)
    if kind == "qwen2-vl":
        vision = dict(depth=2, embed_dim=32, hidden_size=32, mlp_ratio=2, **patches)
        config = Qwen2VLConfig(text_config=text, vision_config=vision, tie_word_embeddings=True, **ids)
        make = Qwen2VLForConditionalGeneration
    elif kind == "qwen3.5":
        vision = dict(depth=2, hidden_size=32, intermediate_size=48, out_hidden_size=32, num_position_embeddings=36, **patches)
        config = Qwen3_5Config(text_config=text | QWEN35, vision_config=vision, tie_word_embeddings=True, **ids)
        make = Qwen3_5ForConditionalGeneration
    elif kind == "qwen3-vl":
        config = Qwen3VLConfig(
            text_config=text | QWEN3 | dict(rope_parameters=QWEN3_ROPE), vision_config=patches | QWEN3_VISION | dict(num_heads=1), tie_word_embeddings=True, **ids,
        )
        make = Qwen3VLForConditionalGeneration
    else:
        vision = dict(depth=3, hidden_size=32, intermediate_size=48, out_hidden_size=32, window_size=2 * FACTOR, fullatt_block_indexes=[1], **patches)
        config = Qwen2_5_VLConfig(text_config=text, vision_config=vision, tie_word_embeddings=True, **ids)
        make = Qwen2_5_VLForConditionalGeneration
    config._attn_implementation = "eager"
    return shake(make(config).eval())


def make_cases(model, tokenizer, processor, template, states):
    image_token = "<|image_pad|>"
    cases = []
    for name, state, question in states:
        content = [{"type": "text", "text": part} if isinstance(part, str) else {"type": "image"} for part in state]
        messages = [{"role": "user", "content": [*content, {"type": "text", "text": question}]}]
        prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, chat_template=template, enable_thinking=False)
        pictures = [open_picture(part[0]) for part in state if not isinstance(part, str)]
        images = processor(pictures, return_tensors="pt") if pictures else {}
        written = prompt
        for grid in images.get("image_grid_thw", []):
            written = written.replace(image_token, "<|placeholder|>" * int(grid.prod() // MERGE**2), 1)
        written = written.replace("<|placeholder|>", image_token)
        ids = tokenizer(written, add_special_tokens=False)["input_ids"]
        cut = cut_of(name, tokenizer, prompt, question, ids)
        tensor = torch.tensor([ids])
        types = (tensor == model.config.image_token_id).int()
        with torch.no_grad():
            positions = model.model.get_rope_index(tensor, mm_token_type_ids=types, image_grid_thw=images.get("image_grid_thw"))[0]
            whole = model(tensor, mm_token_type_ids=types, **images).logits[0, -1]
            kept = model(tensor[:, :cut], mm_token_type_ids=types[:, :cut], position_ids=positions[:, :, :cut], use_cache=True, **images)
            behind = model(tensor[:, cut:], position_ids=positions[:, :, cut:], past_key_values=kept.past_key_values).logits[0, -1]
        assert (whole - behind).abs().max() < 1e-4, (name, (whole - behind).abs().max())
        cases.append(case_of(name, state, question, prompt, ids, cut, positions=positions[:, 0].tolist(), logits=rounded(behind)))
    return cases


def check_graphs(folder, model, cases, processor, grid_name):
    """The graphs against the model here already, so that a failing test points at TypeScript."""
    open_graph = lambda name: onnxruntime.InferenceSession(folder / "onnx" / f"{name}.onnx")
    vision, embed, decoder = (open_graph(name) for name in ("vision_encoder", "embed_tokens", "decoder_model_merged"))
    worst = 0
    for case in cases:
        ids = np.array([case["ids"]])
        rows = embed.run(None, {"input_ids": ids})[0]
        given = [one.name for one in vision.get_outputs()]
        found = []
        for part in case["state"]:
            if isinstance(part, str):
                continue
            image = processor([open_picture(part["picture"])], return_tensors="np")
            found.append(vision.run(given, {"pixel_values": image["pixel_values"].astype("float32"), grid_name: image["image_grid_thw"]}))
        levels = [np.zeros_like(rows) for _ in given[1:]]
        for at, into in enumerate([rows, *levels] if found else []):
            into[0, ids[0] == model.config.image_token_id] = np.concatenate([one[at] for one in found])
        feeds = dict(inputs_embeds=rows, attention_mask=np.ones(ids.shape, "int64"), position_ids=np.array(case["positions"])[:, None])
        feeds |= {f"deepstack_scattered_{i}": level for i, level in enumerate(levels)}
        names = {one.name: one for one in decoder.get_inputs()}
        for name, one in names.items():
            if name.startswith("past"):
                feeds[name] = np.zeros([1 if i == 0 else size if isinstance(size, int) else 0 for i, size in enumerate(one.shape)], "float32")
        if "num_logits_to_keep" in names:
            feeds["num_logits_to_keep"] = np.array(1)
        logits = decoder.run(["logits"], feeds)[0][0, -1]
        worst = max(worst, np.abs(logits - np.array(case["logits"])).max())
    return worst


def make_family(kind):
    folder = HERE / kind
    is_35, is_3 = kind == "qwen3.5", kind in ("qwen3-vl", "qwen3.5")
    tokenizer = make_tokenizer(kind)
    model = make_model(kind, tokenizer)
    mean, std = (HALF, HALF) if is_3 else (MEAN, STD)
    template = templates.QWEN35 if is_35 else vision_templates.QWEN3 if is_3 else vision_templates.QWEN
    processor = Qwen2VLImageProcessorPil(**PIXELS, patch_size=PATCH, merge_size=MERGE, temporal_patch_size=FRAMES, image_mean=mean, image_std=std)
    cases = make_cases(model, tokenizer, processor, template, [*STATES, MARKS] if is_3 else STATES)
    # Newer folders say the area by the edges, as `size`.
    area = PIXELS if kind == "qwen2-vl" else dict(size=dict(shortest_edge=PIXELS["min_pixels"], longest_edge=PIXELS["max_pixels"]))
    preprocessor = dict(
        image_processor_type="Qwen2VLImageProcessor", do_convert_rgb=True, do_normalize=True, do_rescale=True, do_resize=True, image_mean=mean, image_std=std,
        merge_size=MERGE, patch_size=PATCH, temporal_patch_size=FRAMES, resample=3, rescale_factor=1 / 255, **area,
    )
    if is_3:
        # Those of the folders as published leave out what all do.
        named = ("image_processor_type", "image_mean", "image_std", "merge_size", "patch_size", "temporal_patch_size", "size")
        preprocessor = {name: preprocessor[name] for name in named} | dict(image_processor_type="Qwen2VLImageProcessorFast", processor_class="Qwen3VLProcessor")
    ends = [tokenizer.convert_tokens_to_ids(token) for token in ("<|im_end|>", "<|endoftext|>")]
    save_folder(
        folder, tokenizer, model, template, preprocessor, dict(eos_token_id=ends, pad_token_id=tokenizer.pad_token_id), type(model).__name__,
        bos_token=None, eos_token="<|im_end|>", pad_token="<|endoftext|>",
    )
    weights = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    grid_name = "grid_thw" if kind == "qwen2-vl" else "image_grid_thw"
    qwen_vision_graph(weights, model.config, grid_name, folder / "onnx" / "vision_encoder.onnx")
    text = {name.replace("model.language_model.", "model."): value for name, value in weights.items()}
    embed_graph(text["model.embed_tokens.weight"], folder / "onnx" / "embed_tokens.onnx")
    inverse = model.model.language_model.rotary_emb.inv_freq.numpy()
    # Exports of 2024 write attention in plain products.
    if is_35:
        form = Form(keeps_rows=True, biased=True, embeds=True, axes=tuple(QWEN35["rope_parameters"]["mrope_section"]), interleaved=True, fused=True)
    elif is_3:
        levels = tuple(f"deepstack_scattered_{i}" for i in range(len(QWEN3_VISION["deepstack_visual_indexes"])))
        form = Form(keeps_rows=True, biased=True, embeds=True, axes=tuple(QWEN3_ROPE["mrope_section"]), interleaved=True, deepstack=levels)
    else:
        form = Form("plain" if kind == "qwen2-vl" else "gqa", embeds=True, axes=tuple(SECTIONS))
    decoder_graph(text, model.config.text_config, {"full_attention": inverse}, POSITIONS, form, folder / "onnx" / "decoder_model_merged.onnx")
    print(f"{kind}: max abs difference {check_graphs(folder, model, cases, processor, grid_name):.2g} of {max(map(abs, cases[0]['logits'])):.2g}; {size_of(folder)} KiB")
    return cases


def make_sizes():
    """Sides as sent and as read, with the real numbers of the families."""
    draw = random.Random(5)
    sizes = [(1920, 1080), (1080, 1920), (14, 14), (42, 70), (28, 5000), (1, 1), (98, 98), (700, 703), (12000, 9000)]
    sizes += [(draw.randint(1, 200), draw.randint(1, 200)) for _ in range(20)] + [(draw.randint(1, 4000), draw.randint(100, 4000)) for _ in range(20)]
    rows = []
    for factor, least, most in [(28, 3136, 12845056), (28, 3136, 1003520), (32, 65536, 1000000)]:
        for width, height in sizes:
            if max(width, height) / min(width, height) <= 200:
                down, across = smart_resize(height, width, factor, least, most)
                rows.append([factor, least, most, width, height, across, down])
    return rows


def make_patches(name):
    processor = Qwen2VLImageProcessorPil(**PIXELS, patch_size=PATCH, merge_size=MERGE, temporal_patch_size=FRAMES, image_mean=MEAN, image_std=STD)
    out = processor([open_picture(name)], return_tensors="np")
    per_value = lambda numbers: np.repeat(np.array(numbers), FRAMES * PATCH**2)
    return dict(picture=name, grid=out["image_grid_thw"][0].tolist(), levels=levels_of(out["pixel_values"], per_value(MEAN), per_value(STD)))


def make():
    return dict(
        sizes=make_sizes(),
        patches=[make_patches(name) for name in ("40x30.png", "150x100.png", "70x190.png")],
        families={kind: make_family(kind) for kind in ("qwen2-vl", "qwen2.5-vl", "qwen3.5", "qwen3-vl")},
    )
