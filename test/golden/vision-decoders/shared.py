"""What the families share: tokenizers and graphs of `../text-decoders`, pictures of `../idefics3`, random weights, and files."""
import base64
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).parent
TEXT = HERE.parent / "text-decoders"
PICTURES = HERE.parent / "idefics3" / "pictures"
POSITIONS = 1024

sys.path.insert(0, str(TEXT))
spec = importlib.util.spec_from_file_location("text_decoders", TEXT / "make.py")
text_decoders = importlib.util.module_from_spec(spec)
spec.loader.exec_module(text_decoders)

write_json, byte_level, sentence_piece = text_decoders.write_json, text_decoders.byte_level, text_decoders.sentence_piece
QWEN_SPLIT, LLAMA_SPLIT = text_decoders.QWEN_SPLIT, text_decoders.LLAMA_SPLIT
QWEN35_SPLIT, QWEN35, composed = text_decoders.QWEN35_SPLIT, text_decoders.QWEN35, text_decoders.composed

# Texts, and names of pictures in brackets.
STATES = [
    ("text", ["Hello, my order number 4711 has not arrived."], "\n\nIs a refund asked for?"),
    ("one-picture", ["A screen: ", ["64x64.png"]], "\n\nWhat does it show?"),
    ("picture-first", [["150x100.png"], "Price 12.50"], "\n\nWhat is the price?"),
    ("two-pictures", [["70x190.png"], "\nand ", ["40x30.png"]], "\n\nWhich one is taller?"),
    ("many-pictures", [["333x250.png"], "1", ["70x190.png"], "2", ["333x250.png"], "3", ["150x100.png"], "4", ["400x37.png"], "5"], "\n\nWhich one is wide?"),
]


def open_picture(name):
    return Image.open(PICTURES / name).convert("RGB")


def shake(model, seed=7):
    """Weights large enough that a wrong position, mask or picture moves the logits."""
    import torch

    torch.manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith("A_log"):
                text_decoders.remember(weight)
            elif weight.ndim >= 2:
                weight.normal_(0, 1.5 / np.sqrt(np.prod(weight.shape[1:])))
            else:
                weight.add_(torch.randn_like(weight) * 0.1)
    return model


def levels_of(values, mean, std):
    """Floats of an image processor as the bytes they came from, in base64. The last axis but one of `mean` is the channel's."""
    levels = np.rint((np.asarray(values, dtype=np.float64) * std + mean) * 255)
    return base64.b64encode(levels.astype("uint8").tobytes()).decode()


def rounded(values, digits=5):
    return [round(float(value), digits) for value in values]


def case_of(name, state, question, prompt, ids, cut, **more):
    pieces = [part if isinstance(part, str) else {"picture": part[0]} for part in state]
    return dict(name=name, state=pieces, question=question, prompt=prompt, ids=ids, stateTokens=cut, **more)


def cut_of(name, tokenizer, prompt, question, ids):
    """Where the state ends: the question begins at a token of its own."""
    tail = tokenizer(question + prompt.split(question)[1], add_special_tokens=False)["input_ids"]
    cut = len(ids) - len(tail)
    assert ids[cut:] == tail, (name, "the question does not start at a token of its own")
    return cut


def save_folder(folder, tokenizer, model, template, preprocessor, generation, architecture, **tokenizer_settings):
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    config = json.loads(model.config.to_json_string())
    config["architectures"] = [architecture]
    write_json(folder / "config.json", config)
    write_json(folder / "generation_config.json", generation)
    write_json(folder / "preprocessor_config.json", preprocessor)
    write_json(folder / "tokenizer_config.json", dict(clean_up_tokenization_spaces=False, model_max_length=POSITIONS, tokenizer_class="PreTrainedTokenizerFast") | tokenizer_settings)
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")


def size_of(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) // 1024
