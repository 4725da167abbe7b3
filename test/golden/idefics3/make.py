"""A random tiny Idefics3 in hub layout, and what transformers says about it: tiles, token ids, logits.

    pip install -r requirements.txt && OMP_NUM_THREADS=1 python make.py

Writes `model/` (configuration, tokenizer, three ONNX graphs built from the state dict), `pictures/`, `tiles/` and `goldens.json`.
Tiles are those of the Pillow image processor; logits are those of the PyTorch model in float32. The weights are random: only the sums are tested.
"""
import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from PIL import Image, ImageDraw
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import Idefics3Config, Idefics3ForConditionalGeneration, Idefics3Processor, PreTrainedTokenizerFast
from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil

from graphs import decoder_graph, embed_graph, four_bits, half_cache_decoder, vision_graph

HERE = Path(__file__).parent
MODEL = HERE / "model"
TILE, PATCH, SCALE = 64, 8, 4
TOKENS_PER_TILE = (TILE // PATCH) ** 2 // SCALE**2
LONGEST = 192
MAX_POSITIONS = 1024

CORPUS = """Statement: the customer asks for a refund. Is the statement true? Answer with one word, Yes or No.
Question: what is the tone of the message? Answer with the letter of the one best option. Yes. No. Yes No
A. calm B. angry C. happy D. sad E. formal F. polite G. rude H. short I. long J. open K. closed L. late M. early N. new O. old
P. paid Q. queued R. refused S. sent T. taken U. used V. void W. won X. crossed Y. young Z. zero
: A : B : C : D : E : F : G : H : I : J : K : L : M : N : O : P : Q : R : S : T : U : V : W : X : Y : Z : Yes : No
User: Assistant: Hello, my order number 4711 has not arrived. Please send the money back to me, or send a new one today.
The picture shows a screen with a button, a table of prices and a total of 12.50 in the lower right corner.
Copy the answer word for word from the text above. If it is not there, answer: none. Give a number. Give a date.
""".splitlines()

TEMPLATE = (
    "<|im_start|>{% for message in messages %}{{message['role'] | capitalize}}"
    "{% if message['content'][0]['type'] == 'image' %}{{':'}}{% else %}{{': '}}{% endif %}"
    "{% for line in message['content'] %}{% if line['type'] == 'text' %}{{line['text']}}"
    "{% elif line['type'] == 'image' %}{{ '<image>' }}{% endif %}{% endfor %}<end_of_utterance>\n"
    "{% endfor %}{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"
)


def write_json(path, value, indent=2):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=indent, ensure_ascii=False) + "\n", encoding="utf-8")


def make_tokenizer():
    """Byte-level BPE as in SmolLM2: single digits, no prefix space, nothing put in front."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    base = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=512, special_tokens=base, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    images = ["<global-img>"] + [f"<row_{r}_col_{c}>" for r in range(1, 7) for c in range(1, 7)]
    tokenizer.add_special_tokens([*images, "<fake_token_around_image>", "<image>", "<end_of_utterance>"])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<|im_start|>",
        eos_token="<end_of_utterance>",
        pad_token="<|im_end|>",
        unk_token="<|endoftext|>",
        clean_up_tokenization_spaces=False,
    )


def make_model(tokenizer):
    torch.manual_seed(7)
    config = Idefics3Config(
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=SCALE,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=False,
        vision_config=dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, image_size=TILE, patch_size=PATCH),
        text_config=dict(
            model_type="llama", hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
            head_dim=16, vocab_size=len(tokenizer), max_position_embeddings=MAX_POSITIONS, rms_norm_eps=1e-5, rope_theta=10000.0,
            bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
            tie_word_embeddings=False,
        ),
    )
    config._attn_implementation = "eager"
    model = Idefics3ForConditionalGeneration(config).eval()
    # Weights large enough that a wrong position, mask or picture moves the logits.
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim >= 2:
                weight.normal_(0, 1.5 / np.sqrt(np.prod(weight.shape[1:])))
            else:
                weight.add_(torch.randn_like(weight) * 0.1)
    return model


def picture(width, height, seed):
    """Flat boxes and lines over a gradient: small as PNG, with edges that show how it was resized."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    pixels = np.stack([x * 255 // width, y * 255 // height, (x + y) * 255 // (width + height)], -1)
    image = Image.fromarray(pixels.astype("uint8"))
    draw = ImageDraw.Draw(image)
    for _ in range(14):
        left, top = int(random.integers(width)), int(random.integers(height))
        colour = tuple(int(v) for v in random.integers(0, 256, 3))
        draw.rectangle([left, top, left + width // 6, top + height // 7], fill=colour)
        draw.line([left, 0, width - left, height], fill=colour)
    return image


def make_tiles():
    rows = []
    sizes = [(150, 100), (70, 190), (64, 64), (40, 30), (400, 37), (333, 250)]
    for width, height in sizes:
        for longest, split in [(LONGEST, True), (LONGEST, False), (TILE, True)]:
            name = f"{width}x{height}"
            image = picture(width, height, width + height)
            image.save(HERE / "pictures" / f"{name}.png", optimize=True)
            processor = Idefics3ImageProcessorPil(
                size={"longest_edge": longest}, max_image_size={"longest_edge": TILE}, image_mean=[0.5] * 3, image_std=[0.5] * 3,
                do_image_splitting=split,
            )
            out = processor([image], return_row_col_info=True)
            values = np.asarray(out["pixel_values"], dtype=np.float64)[0]  # [tile][channel][y][x]
            levels = np.rint((values / 2 + 0.5) * 255).astype("uint8")
            strip = levels.transpose(0, 2, 3, 1).reshape(-1, TILE, 3)
            file = f"{name}-{longest}-{'split' if split else 'whole'}.png"
            Image.fromarray(strip).save(HERE / "tiles" / file, optimize=True)
            rows.append(dict(picture=f"{name}.png", longestEdge=longest, split=split, rows=out["rows"][0][0], cols=out["cols"][0][0], tiles=file))
    return rows


def make_cases(model, processor):
    """Each case is a user turn of a state (text and pictures), then a question: its token ids, and the logits behind its last token."""
    texts = [
        ("text", ["Hello, my order number 4711 has not arrived."], "\n\nIs a refund asked for?"),
        ("one-picture", ["A screen: ", ("64x64.png", False)], "\nWhat does it show?"),
        ("picture-first", [("64x64.png", False), "Price 12.50"], "\n\nWhat is the price?"),
        ("split-picture", ["Look: ", ("150x100.png", True), "\nEnd."], "\n\nWhat is in the corner?"),
        ("two-pictures", [("70x190.png", True), "\nand ", ("40x30.png", True)], "\nWhich one is taller?"),
        ("unicode", ["Größe 5€ 🙂 東京  \tdone"], "\nWhat?"),
    ]
    cases = []
    for name, state, question in texts:
        parts = [{"type": "text", "text": s} if isinstance(s, str) else {"type": "image"} for s in state]
        files = [s for s in state if not isinstance(s, str)]
        messages = [{"role": "user", "content": [*parts, {"type": "text", "text": question}]}]
        prompt = processor.apply_chat_template(messages, add_generation_prompt=True)
        split = files[0][1] if files else True
        images = [Image.open(HERE / "pictures" / file) for file, _ in files] or None
        extra = {} if images is None else {"images": [images], "do_image_splitting": split}
        inputs = processor(text=[prompt], return_tensors="pt", **extra)
        inputs.pop("mm_token_type_ids", None)
        ids = inputs["input_ids"][0].tolist()
        with torch.no_grad():
            whole = model(**inputs).logits[0]
            # The same with kept keys and values: the state first, then the question behind it.
            tail = processor.tokenizer(question + "<end_of_utterance>\nAssistant:", add_special_tokens=False)["input_ids"]
            cut = len(ids) - len(tail)
            assert ids[cut:] == tail, (name, "the question does not start at a token of its own")
            first = {k: (v[:, :cut] if k in ("input_ids", "attention_mask") else v) for k, v in inputs.items()}
            kept = model(**first, use_cache=True)
            behind = model(input_ids=inputs["input_ids"][:, cut:], attention_mask=inputs["attention_mask"], past_key_values=kept.past_key_values)
        cases.append(
            dict(
                name=name,
                state=[s if isinstance(s, str) else {"picture": s[0]} for s in state],
                split=split,
                question=question,
                prompt=prompt,
                ids=ids,
                stateTokens=cut,
                logits=[round(float(v), 6) for v in whole[-1]],
                stateLogits=[round(float(v), 6) for v in kept.logits[0, -1]],
                keptLogits=[round(float(v), 6) for v in behind.logits[0, -1]],
            )
        )
    return cases


def check_graphs(model, cases, processor):
    """The graphs against the model here already, so that a failing test points at TypeScript."""
    import onnxruntime as ort

    sessions = {n: ort.InferenceSession(MODEL / "onnx" / f"{n}.onnx") for n in ("embed_tokens", "vision_encoder", "decoder_model_merged")}
    case = cases[0]
    embeds = sessions["embed_tokens"].run(None, {"input_ids": np.array([case["ids"]])})[0]
    n = len(case["ids"])
    feeds = dict(inputs_embeds=embeds, attention_mask=np.ones((1, n), "int64"), position_ids=np.arange(n)[None], num_logits_to_keep=np.array(1))
    for layer in range(2):
        for part in ("key", "value"):
            feeds[f"past_key_values.{layer}.{part}"] = np.zeros((1, 2, 0, 16), "float32")
    logits = sessions["decoder_model_merged"].run(["logits"], feeds)[0][0, -1]
    print("decoder: max abs difference", np.abs(logits - np.array(case["logits"])).max(), "of", np.abs(logits).max())
    pixels = torch.randn(1, 3, 3, TILE, TILE)
    mask = torch.ones(1, 3, TILE, TILE, dtype=torch.bool)
    with torch.no_grad():
        wanted = model.model.get_image_features(pixels, mask).pooler_output
    wanted = torch.cat(wanted) if isinstance(wanted, (list, tuple)) else wanted
    got = sessions["vision_encoder"].run(None, {"pixel_values": pixels.numpy(), "pixel_attention_mask": mask.numpy()})[0]
    print("vision: max abs difference", np.abs(got - wanted.numpy().reshape(got.shape)).max(), "of", np.abs(got).max())


def make_variants(weights, config, graph):
    """The decoder as other exports have it, all without num_logits_to_keep: int8, 4 bits with the weights in a file beside, float16 keys and values."""
    plain = graph.with_name("plain.onnx")
    decoder_graph(weights, config, MAX_POSITIONS, plain, keeps_all=True)
    quantize_dynamic(plain, graph.with_name("decoder_model_merged_int8.onnx"), weight_type=QuantType.QUInt8, extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})

    file = "decoder_model_merged_q4.onnx"
    (graph.parent / f"{file}_data").unlink(missing_ok=True)
    onnx.save(four_bits(onnx.load(plain)), graph.with_name(file), save_as_external_data=True, location=f"{file}_data", size_threshold=256)
    plain.unlink()

    half_cache_decoder(graph.with_name("decoder_model_merged_fp16.onnx"), weights, config, MAX_POSITIONS)


def main():
    for folder in ("pictures", "tiles", "model/onnx"):
        (HERE / folder).mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    image_processor = Idefics3ImageProcessorPil(
        size={"longest_edge": LONGEST}, max_image_size={"longest_edge": TILE}, image_mean=[0.5] * 3, image_std=[0.5] * 3
    )
    processor = Idefics3Processor(image_processor, tokenizer, image_seq_len=TOKENS_PER_TILE, chat_template=TEMPLATE)
    tiles = make_tiles()
    cases = make_cases(model, processor)

    tokenizer.backend_tokenizer.save(str(MODEL / "tokenizer.json"))
    config = json.loads(model.config.to_json_string())
    config["architectures"] = ["Idefics3ForConditionalGeneration"]
    write_json(MODEL / "config.json", config)
    write_json(MODEL / "generation_config.json", dict(bos_token_id=1, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id))
    write_json(
        MODEL / "preprocessor_config.json",
        dict(
            image_processor_type="Idefics3ImageProcessor", processor_class="Idefics3Processor", do_convert_rgb=True, do_image_splitting=True,
            do_normalize=True, do_pad=True, do_rescale=True, do_resize=True, image_mean=[0.5] * 3, image_std=[0.5] * 3,
            max_image_size=dict(longest_edge=TILE), resample=1, rescale_factor=1 / 255, size=dict(longest_edge=LONGEST),
        ),
    )
    write_json(MODEL / "processor_config.json", dict(image_seq_len=TOKENS_PER_TILE, processor_class="Idefics3Processor"))
    write_json(
        MODEL / "tokenizer_config.json",
        dict(
            bos_token="<|im_start|>", eos_token="<end_of_utterance>", pad_token="<|im_end|>", unk_token="<|endoftext|>",
            clean_up_tokenization_spaces=False, model_max_length=MAX_POSITIONS, processor_class="Idefics3Processor",
            tokenizer_class="GPT2Tokenizer", chat_template=TEMPLATE,
        ),
    )
    weights = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    vision_graph(weights, model.config, MODEL / "onnx" / "vision_encoder.onnx")
    embed_graph(weights, MODEL / "onnx" / "embed_tokens.onnx")
    graph = MODEL / "onnx" / "decoder_model_merged.onnx"
    decoder_graph(weights, model.config, MAX_POSITIONS, graph)
    make_variants(weights, model.config, graph)
    check_graphs(model, cases, processor)
    write_json(HERE / "goldens.json", dict(tileSize=TILE, tiles=tiles, cases=cases), indent=None)


if __name__ == "__main__":
    main()
