"""A random tiny Gemma 4 that sees, in hub layout, and what transformers says of it: sizes, patches, prompts, logits.

    pip install -r ../vision-decoders/requirements.txt && OMP_NUM_THREADS=1 python make.py

Writes `model/` (configuration, tokenizer, three ONNX graphs built from the state dict) and `goldens.json`. Logits are those of the PyTorch model in
float32, of the whole prompt and with kept keys and values. The weights are random: only the sums are tested.
"""
import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from transformers import Gemma4Config, Gemma4ForConditionalGeneration, Gemma4Processor, PreTrainedTokenizerFast
from transformers.models.gemma4.image_processing_pil_gemma4 import Gemma4ImageProcessorPil, get_aspect_ratio_preserving_size

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "vision-decoders"))
sys.path.insert(0, str(HERE.parent / "gemma3n"))

from shared import POSITIONS, levels_of, open_picture, save_folder, sentence_piece, shake, size_of, write_json
from graphs import FLOAT, INT64, info
from vision_graphs import LEAST, Encoder
from layered_graphs import embed_graph, gemma4_decoder_graph

spec = importlib.util.spec_from_file_location("gemma3n", HERE.parent / "gemma3n" / "make.py")
gemma3n = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gemma3n)

MODEL = HERE / "model"
# The fewest that the image processor takes.
TOKENS, PATCH, POOL = 70, 2, 3
# Of weights with which float32 is near float64.
SEED = 17
TURN, END_OF_TURN = "<|turn>", "<turn|>"
NAMES = dict(boi="<|image>", image="<|image|>", eoi="<image|>", boa="<|audio>", audio="<|audio|>", eoa="<audio|>")
SIZES = [[480, 640], [612, 408], [224, 224], [1080, 1920], [1920, 1080], [7, 2000], [2000, 9], [50, 51], [49, 49], [1, 1]]

# Turns in their order, a token for each picture, nothing around it. The published template trims texts, which the engine does not.
TEMPLATE = (
    "{{- bos_token -}}{%- for m in messages -%}{{- '<|turn>' + ('model' if m['role'] == 'assistant' else m['role']) + '\\n' -}}"
    "{%- if m['content'] is string -%}{{- m['content'] | trim -}}{%- else -%}{%- for item in m['content'] -%}"
    "{%- if item['type'] == 'text' -%}{{- item['text'] | trim -}}{%- elif item['type'] == 'image' -%}{{- '<|image|>' -}}{%- endif -%}"
    "{%- endfor -%}{%- endif -%}{{- '<turn|>\\n' -}}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|turn>model\\n' -}}{%- endif -%}"
)

STATES = [
    ("text", ["Hello, my order number 4711 has not arrived."], "\n\nIs a refund asked for?"),
    ("one-picture", ["A screen: ", ["64x64.png"]], "\n\nWhat does it show?"),
    ("picture-first", [["150x100.png"], "Price 12.50 Größe 5€ 🙂"], "\n\nWhat is the price?"),
    ("two-pictures", [["70x190.png"], "\nand ", ["40x30.png"]], "\n\nWhich one is taller?"),
    ("many-pictures", [["333x250.png"], "1", ["70x190.png"], "2", ["333x250.png"], "3", ["150x100.png"], "4", ["400x37.png"], "5"], "\n\nWhich one is wide?"),
]


class Processor:
    """What Gemma4Processor does with texts and pictures; that class itself needs a processor of videos."""

    def __init__(self, images, tokenizer):
        self.images, self.tokenizer = images, tokenizer
        self.names = SimpleNamespace(boi_token=NAMES["boi"], image_token=NAMES["image"], eoi_token=NAMES["eoi"])

    def apply_chat_template(self, messages, **more):
        return self.tokenizer.apply_chat_template(messages, chat_template=TEMPLATE.replace(" | trim", ""), **more)

    def __call__(self, text, images, **more):
        seen = dict(self.images(images[0], return_tensors="pt")) if images else {}
        first, *rest = text[0].split(NAMES["image"])
        written = [Gemma4Processor.replace_image_token(self.names, seen, i) + part for i, part in enumerate(rest)]
        return dict(self.tokenizer(["".join([first, *written])], **more)) | seen


def make_tokenizer():
    tokenizer = sentence_piece()
    tokenizer.add_special_tokens([TURN, END_OF_TURN, *NAMES.values()])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<bos>", eos_token="<eos>", pad_token="<pad>", unk_token="<unk>", clean_up_tokenization_spaces=False,
        extra_special_tokens={f"{name}_token": token for name, token in NAMES.items()},
    )


def make_model(tokenizer):
    torch.manual_seed(3)
    ids = {name: tokenizer.convert_tokens_to_ids(token) for name, token in NAMES.items()}
    config = Gemma4Config(
        boi_token_id=ids["boi"], eoi_token_id=ids["eoi"], image_token_id=ids["image"], boa_token_id=ids["boa"], eoa_token_index=ids["eoa"], audio_token_id=ids["audio"],
        video_token_id=len(tokenizer) - 1, tie_word_embeddings=True, audio_config=None,
        text_config=dict(
            vocab_size=len(tokenizer), vocab_size_per_layer_input=len(tokenizer), hidden_size=8, hidden_size_per_layer_input=4, intermediate_size=12, num_hidden_layers=4,
            num_attention_heads=2, num_key_value_heads=1, head_dim=8, global_head_dim=16, max_position_embeddings=POSITIONS, sliding_window=16,
            layer_types=["sliding_attention", "full_attention"] * 2, num_kv_shared_layers=2, use_double_wide_mlp=True, final_logit_softcapping=30.0,
            bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, tie_word_embeddings=True,
        ),
        vision_config=dict(
            hidden_size=8, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=2, head_dim=4, patch_size=PATCH, pooling_kernel_size=POOL,
            position_embedding_size=TOKENS * POOL,
        ),
    )
    config._attn_implementation = "eager"
    model = shake(Gemma4ForConditionalGeneration(config).eval(), SEED)
    with torch.no_grad():
        for i, layer in enumerate(model.model.language_model.layers):
            layer.layer_scalar.fill_(0.8 + 0.1 * i)
    return model


def vision_graph(w, config, path):
    """Patches and where they stand, for one picture a pass: padding is masked, and cut off behind the pooling."""
    c = config.vision_config
    g = Encoder({name.removeprefix("vision_tower."): value for name, value in w.items()})
    heads, dim, eps = c.num_attention_heads, c.head_dim, c.rms_norm_eps
    of = lambda kind, a, b, **more: g.op(kind, [a, b], **more)
    scalar = lambda value: g.const(np.float32(value))
    plain = lambda x, width: g.op("SimplifiedLayerNormalization", [x, g.const(np.ones(width, dtype=np.float32))], axis=-1, epsilon=eps)
    half = lambda x, at: g.op("Slice", [x, g.const([at * dim // 4]), g.const([(at + 1) * dim // 4]), g.const([-1])])

    where = g.op("Max", ["pixel_position_ids", g.const(0)])
    col, row = (g.op("Squeeze", [of("Gather", where, g.const(axis), axis=2), g.const([2])]) for axis in (0, 1))
    valid = g.op("Squeeze", [of("Gather", of("GreaterOrEqual", "pixel_position_ids", g.const(0)), g.const(0), axis=2), g.const([2])])
    ones = g.op("Cast", [valid], to=FLOAT)
    mask = g.op("Unsqueeze", [of("Mul", of("Sub", scalar(1), ones), scalar(LEAST)), g.const([1, 2])])
    tables = g.w["patch_embedder.position_embedding_table"]
    places = of("Add", of("Gather", g.const(tables[0]), col), of("Gather", g.const(tables[1]), row))
    places = of("Mul", places, g.op("Unsqueeze", [ones, g.const([2])]))
    x = of("Mul", of("Sub", "pixel_values", scalar(0.5)), scalar(2))
    x = of("Add", g.linear(x, "patch_embedder.input_proj"), places)
    inverse = 1 / c.rope_parameters["rope_theta"] ** (np.arange(0, dim // 2, 2) / (dim // 2))
    # Padding stands at -1 here, whatever becomes of it.
    real = [g.op("Squeeze", [of("Gather", "pixel_position_ids", g.const(axis), axis=2), g.const([2])]) for axis in (0, 1)]
    angles = [of("Mul", g.op("Unsqueeze", [g.op("Cast", [place], to=FLOAT), g.const([2, 3])]), g.const(inverse.astype(np.float32))) for place in real]
    turns = [(g.op("Cos", [one]), g.op("Sin", [one])) for one in angles]

    def rotate(x):
        """Columns turn the first half of a head, rows the other; [batch, patch, head, dim]."""
        parts = []
        for axis, (cos, sin) in enumerate(turns):
            a, b = half(x, 2 * axis), half(x, 2 * axis + 1)
            parts += [of("Sub", of("Mul", a, cos), of("Mul", b, sin)), of("Add", of("Mul", b, cos), of("Mul", a, sin))]
        return g.op("Concat", parts, axis=-1)

    apart = lambda x: g.op("Reshape", [x, g.const([0, 0, heads, dim])])
    for i in range(c.num_hidden_layers):
        layer = f"encoder.layers.{i}."
        here = layer + "self_attn."
        h = g.norm(x, layer + "input_layernorm", eps)
        q, k = (rotate(g.norm(apart(g.linear(h, f"{here}{n}_proj.linear")), f"{here}{n}_norm", eps)) for n in "qk")
        v = plain(apart(g.linear(h, here + "v_proj.linear")), dim)
        q, k, v = (g.op("Transpose", [one], perm=perm) for one, perm in ((q, [0, 2, 1, 3]), (k, [0, 2, 3, 1]), (v, [0, 2, 1, 3])))
        h = of("MatMul", g.op("Softmax", [of("Add", of("MatMul", q, k), mask)], axis=-1), v)
        h = g.op("Reshape", [g.op("Transpose", [h], perm=[0, 2, 1, 3]), g.const([0, 0, heads * dim])])
        x = of("Add", x, g.norm(g.linear(h, here + "o_proj.linear"), layer + "post_attention_layernorm", eps))
        h = g.norm(x, layer + "pre_feedforward_layernorm", eps)
        gate = g.op("Gelu", [g.linear(h, layer + "mlp.gate_proj.linear")], approximate="tanh")
        h = g.linear(of("Mul", gate, g.linear(h, layer + "mlp.up_proj.linear")), layer + "mlp.down_proj.linear")
        x = of("Add", x, g.norm(h, layer + "post_feedforward_layernorm", eps))

    # The mean of each block of patches, by where they stand; patches of the padding count nothing.
    pool, number = g.const(c.pooling_kernel_size), lambda value: g.const(np.int64(value))
    across = of("Div", of("Add", g.op("ReduceMax", [col], keepdims=0), number(1)), pool)
    block = of("Add", of("Div", col, pool), of("Mul", across, of("Div", row, pool)))
    count = of("Div", g.op("ReduceSum", [g.op("Cast", [valid], to=INT64)], keepdims=0), number(c.pooling_kernel_size**2))
    blocks = g.op("Range", [number(0), count, number(1)])
    weight = g.op("Cast", [of("Equal", g.op("Unsqueeze", [blocks, g.const([1])]), block)], to=FLOAT)
    weight = of("Mul", of("Mul", weight, ones), scalar(c.hidden_size**0.5 / c.pooling_kernel_size**2))
    x = of("MatMul", weight, g.op("Squeeze", [x, g.const([0])]))
    g.op("MatMul", [plain(x, c.hidden_size), g.const(w["embed_vision.embedding_projection.weight"].T)], ["image_features"])
    shape = ["num_images", "max_patches"]
    g.save(
        [info("pixel_values", FLOAT, [*shape, 3 * c.patch_size**2]), info("pixel_position_ids", INT64, [*shape, 2])],
        [info("image_features", FLOAT, ["num_tokens", config.text_config.hidden_size])],
        path,
    )


def main():
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    settings = dict(max_soft_tokens=TOKENS, patch_size=PATCH, pooling_kernel_size=POOL)
    images = Gemma4ImageProcessorPil(**settings)
    cases = gemma3n.make_cases(model, tokenizer, Processor(images, tokenizer), STATES, ["pixel_values", "image_position_ids"])
    tokens = {f"{name}_token": token for name, token in NAMES.items()}
    ends = [tokenizer.convert_tokens_to_ids(token) for token in ("<eos>", END_OF_TURN)]
    save_folder(
        MODEL, tokenizer, model, TEMPLATE, {}, dict(bos_token_id=tokenizer.bos_token_id, eos_token_id=ends, pad_token_id=tokenizer.pad_token_id), type(model).__name__,
        bos_token="<bos>", eos_token="<eos>", pad_token="<pad>", unk_token="<unk>", **tokens,
    )
    (MODEL / "preprocessor_config.json").unlink()
    image_processor = dict(
        do_convert_rgb=True, do_normalize=False, do_rescale=True, do_resize=True, image_mean=[0.0] * 3, image_std=[1.0] * 3, image_processor_type="Gemma4ImageProcessor",
        image_seq_length=TOKENS, resample=3, rescale_factor=1 / 255, **settings,
    )
    write_json(MODEL / "processor_config.json", dict(audio_seq_length=750, image_processor=image_processor, image_seq_length=TOKENS, processor_class="Gemma4Processor"))
    weights = {name.removeprefix("model."): value.detach().numpy() for name, value in model.state_dict().items()}
    c = model.config
    vision_graph(weights, c, MODEL / "onnx" / "vision_encoder.onnx")
    text = {name.removeprefix("language_model."): value for name, value in weights.items()}
    embed_graph(text, c.text_config, [], MODEL / "onnx" / "embed_tokens.onnx", unread=[c.image_token_id, c.audio_token_id])
    rotary = model.model.language_model.rotary_emb
    frequencies = {kind: getattr(rotary, f"{kind}_inv_freq").numpy() for kind in ("full_attention", "sliding_attention")}
    gemma4_decoder_graph(text, c.text_config, frequencies, MODEL / "onnx" / "decoder_model_merged.onnx")

    seen = lambda picture: images([picture], return_tensors="np")
    patches = [dict(picture=name, levels=levels_of(seen(open_picture(name))["pixel_values"], 0, 1)) for name in ("400x37.png",)]
    budget = lambda size: get_aspect_ratio_preserving_size(*size, 16, 280 * POOL**2, POOL)
    sizes = [dict(height=height, width=width, size=budget((height, width))) for height, width in SIZES]

    def features_of(vision, picture):
        inputs = seen(picture)
        return vision.run(None, dict(pixel_values=inputs["pixel_values"].astype("float32"), pixel_position_ids=inputs["image_position_ids"]))[0]

    write_json(HERE / "goldens.json", dict(patches=patches, sizes=sizes, cases=cases), indent=None)
    worst = gemma3n.check_graphs(MODEL, cases, c.image_token_id, features_of)
    print(f"graphs: max abs difference {worst:.2g} of {max(map(abs, cases[0]['logits'])):.2g}; {size_of(HERE)} KiB")


if __name__ == "__main__":
    main()
