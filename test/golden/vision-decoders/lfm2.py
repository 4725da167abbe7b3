"""LFM2-VL: a random tiny model, and what transformers says of it: tiles and thumbnails, prompts, logits behind kept keys, values and states.

Logits are of pictures that Pillow resized, as the engine does. The reference resizes with torchvision, which may move a pixel by a level: `patches` are its own.
"""
import numpy as np
import onnxruntime
import torch
from PIL import Image
from transformers import Lfm2VlConfig, Lfm2VlForConditionalGeneration, Lfm2VlProcessor, PreTrainedTokenizerFast
from transformers.image_processing_backends import TorchvisionBackend
from transformers.models.lfm2_vl.image_processing_lfm2_vl import Lfm2VlImageProcessor

from shared import HERE, LLAMA_SPLIT, POSITIONS, STATES, byte_level, case_of, cut_of, levels_of, open_picture, rounded, save_folder, shake, size_of
from graphs import Form, decoder_graph
from vision_graphs import embed_graph, lfm2_vision_graph
import vision_templates

PATCH, FACTOR, TILE = 4, 2, 32
RULE = dict(
    downsample_factor=FACTOR, do_image_splitting=True, min_tiles=2, max_tiles=6, use_thumbnail=True, min_image_tokens=4, max_image_tokens=16, encoder_patch_size=PATCH,
    tile_size=TILE, max_pixels_tolerance=2.0,
)
HALF = [0.5, 0.5, 0.5]
CONTROLS = [
    "<|pad|>", "<|startoftext|>", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<image>", "<|image_start|>", "<|image_end|>", "<|img_thumbnail|>",
    *(f"<|img_row_{row}_col_{col}|>" for row in range(1, 7) for col in range(1, 7)),
]


def pillow_resize(self, image, size, resample=None, **_):
    """In place of torchvision's, on [batch, channel, y, x] of 8 bits."""
    rows = [Image.fromarray(one.permute(1, 2, 0).numpy()).resize((size.width, size.height), Image.Resampling.BILINEAR) for one in image]
    return torch.stack([torch.from_numpy(np.array(one)).permute(2, 0, 1) for one in rows])


def make_tokenizer():
    tokenizer = byte_level(LLAMA_SPLIT, CONTROLS)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<|startoftext|>", eos_token="<|im_end|>", pad_token="<|pad|>", clean_up_tokenization_spaces=False)


def make_model(tokenizer):
    text = dict(
        model_type="lfm2", vocab_size=len(tokenizer), hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=POSITIONS,
        layer_types=["conv", "full_attention", "conv"], block_auto_adjust_ff_dim=False, conv_L_cache=3, bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id, tie_word_embeddings=True,
    )
    vision = dict(model_type="siglip2_vision_model", hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=2, num_patches=36, patch_size=PATCH, vision_use_head=False)
    config = Lfm2VlConfig(
        text_config=text, vision_config=vision, image_token_id=tokenizer.convert_tokens_to_ids("<image>"), projector_hidden_size=40, downsample_factor=FACTOR, tie_word_embeddings=True,
    )
    config._attn_implementation = "eager"
    torch.manual_seed(3)
    return shake(Lfm2VlForConditionalGeneration(config).eval())


def make_cases(model, tokenizer, processor):
    cases = []
    for name, state, question in STATES:
        for split in [True, False] if name == "two-pictures" else [True]:
            content = [{"type": "text", "text": part} if isinstance(part, str) else {"type": "image"} for part in state]
            messages = [{"role": "user", "content": [*content, {"type": "text", "text": question}]}]
            prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, chat_template=vision_templates.LFM2)
            pictures = [open_picture(part[0]) for part in state if not isinstance(part, str)]
            inputs = processor(text=[prompt], images=[pictures], return_tensors="pt", do_image_splitting=split) if pictures else tokenizer([prompt], add_special_tokens=False, return_tensors="pt")
            inputs = {key: value for key, value in inputs.items() if key not in ("token_type_ids", "mm_token_type_ids")}
            ids = inputs["input_ids"][0].tolist()
            cut = cut_of(name, tokenizer, prompt, question, ids)
            with torch.no_grad():
                whole = model(**inputs).logits[0, -1]
                first = {key: value[:, :cut] if key in ("input_ids", "attention_mask") else value for key, value in inputs.items()}
                kept = model(**first, use_cache=True)
                behind = model(input_ids=inputs["input_ids"][:, cut:], past_key_values=kept.past_key_values).logits[0, -1]
            assert (whole - behind).abs().max() < 1e-4, (name, (whole - behind).abs().max())
            case = case_of(name if split else f"{name}-whole", state, question, prompt, ids, cut, split=split, logits=rounded(behind))
            cases.append((case, inputs))
    return cases


def check_graphs(folder, model, cases):
    """The graphs against the model here already, one tile a pass, so that a failing test points at TypeScript."""
    open_graph = lambda name: onnxruntime.InferenceSession(folder / "onnx" / f"{name}.onnx")
    vision, embed, decoder = (open_graph(name) for name in ("vision_encoder", "embed_tokens", "decoder_model_merged"))
    worst = 0
    for case, inputs in cases:
        ids = np.array([case["ids"]])
        rows = embed.run(None, {"input_ids": ids})[0]
        if "pixel_values" in inputs:
            parts = {key: inputs[key].numpy() for key in ("pixel_values", "pixel_attention_mask", "spatial_shapes")}
            found = [vision.run(None, {key: value[i : i + 1].astype("float32" if key == "pixel_values" else "int64") for key, value in parts.items()})[0] for i in range(len(parts["spatial_shapes"]))]
            rows[0, ids[0] == model.config.image_token_id] = np.concatenate(found)
        feeds = dict(inputs_embeds=rows, attention_mask=np.ones(ids.shape, "int64"))
        for one in decoder.get_inputs():
            if one.name.startswith("past"):
                feeds[one.name] = np.zeros([1 if i == 0 else size if isinstance(size, int) else 0 for i, size in enumerate(one.shape)], "float32")
        logits = decoder.run(["logits"], feeds)[0][0, -1]
        worst = max(worst, np.abs(logits - np.array(case["logits"])).max())
    return worst


def make_patches(name):
    """Tiles row-major, the thumbnail last, each without its padding."""
    out = Lfm2VlImageProcessor(**RULE)([open_picture(name)], return_tensors="np", return_row_col_info=True)
    sizes = out["spatial_shapes"].tolist()
    values = np.concatenate([rows[: down * across] for rows, (down, across) in zip(out["pixel_values"], sizes)])
    return dict(picture=name, rows=int(out["image_rows"][0]), cols=int(out["image_cols"][0]), sizes=sizes, levels=levels_of(values, 0.5, 0.5))


def make_layouts():
    """Tiles and the size of the whole picture, with the real numbers of the family."""
    processor = Lfm2VlImageProcessor()
    names = ("downsample_factor", "min_tiles", "max_tiles", "use_thumbnail", "min_image_tokens", "max_image_tokens", "encoder_patch_size", "tile_size", "max_pixels_tolerance")
    rule = {name: getattr(processor, name) for name in names}
    sizes = [(1920, 1080), (1080, 1920), (512, 512), (1024, 512), (724, 724), (725, 725), (3000, 300), (10, 10), (48, 80), (2000, 2000), (1280, 800), (1170, 2532), (5000, 900)]
    rows = []
    for width, height in sizes:
        large = processor._is_image_too_large(height, width, **{name: rule[name] for name in ("max_image_tokens", "encoder_patch_size", "downsample_factor", "max_pixels_tolerance")})
        cols, down = processor._get_grid_layout(height, width, rule["min_tiles"], rule["max_tiles"], rule["tile_size"])[:2] if large else (1, 1)
        whole = processor.smart_resize(height, width, *(rule[name] for name in ("downsample_factor", "min_image_tokens", "max_image_tokens", "encoder_patch_size")))
        rows.append([int(value) for value in (width, height, down, cols, *whole)])
    return dict(rule=rule, rows=rows)


def make():
    folder = HERE / "lfm2-vl"
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    layouts, patches = make_layouts(), [make_patches(name) for name in ("40x30.png", "150x100.png", "70x190.png")]
    TorchvisionBackend.resize = pillow_resize
    processor = Lfm2VlProcessor(Lfm2VlImageProcessor(**RULE), tokenizer, chat_template=vision_templates.LFM2)
    cases = make_cases(model, tokenizer, processor)
    preprocessor = dict(
        image_processor_type="Lfm2VlImageProcessor", do_convert_rgb=True, do_normalize=True, do_pad=True, do_rescale=True, do_resize=True, image_mean=HALF, image_std=HALF,
        resample=2, rescale_factor=1 / 255, return_row_col_info=True, **RULE,
    )
    save_folder(
        folder, tokenizer, model, vision_templates.LFM2, preprocessor, dict(bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id),
        type(model).__name__, bos_token="<|startoftext|>", eos_token="<|im_end|>", pad_token="<|pad|>",
    )
    weights = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    lfm2_vision_graph(weights, model.config, folder / "onnx" / "vision_encoder.onnx")
    text = {name.replace("model.language_model.", "model."): value for name, value in weights.items()}
    embed_graph(text["model.embed_tokens.weight"], folder / "onnx" / "embed_tokens.onnx")
    inverse = model.model.language_model.rotary_emb.inv_freq.numpy()
    decoder_graph(text, model.config.text_config, {"full_attention": inverse}, POSITIONS, Form("rotary gqa", embeds=True), folder / "onnx" / "decoder_model_merged.onnx")
    print(f"lfm2-vl: max abs difference {check_graphs(folder, model, cases):.2g} of {max(map(abs, cases[0][0]['logits'])):.2g}; {size_of(folder)} KiB")
    return dict(layouts=layouts, patches=patches, cases=[case for case, _ in cases])
