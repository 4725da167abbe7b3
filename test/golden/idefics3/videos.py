"""Videos as SmolVLM2 reads them, on the weights of `make.py`: what transformers says of prompts, tiles and logits. Writes `videos.json`.

    pip install -r requirements.txt && OMP_NUM_THREADS=1 python videos.py

SmolVLM2 is Idefics3 with another processor, so `model/` with `model_type` smolvlm and `video_sampling` is its folder.
"""
import base64

import numpy as np
import torch
from num2words import num2words
from PIL import Image
from transformers import SmolVLMConfig, SmolVLMForConditionalGeneration, SmolVLMProcessor
from transformers.models.smolvlm.image_processing_pil_smolvlm import SmolVLMImageProcessorPil
from transformers.models.smolvlm.processing_smolvlm import DEFAULT_CHAT_TEMPLATE
from transformers.models.smolvlm.video_processing_smolvlm import SmolVLMVideoProcessor, get_resize_output_image_size

from make import HERE, LONGEST, TILE, TOKENS_PER_TILE, make_model, make_tokenizer, write_json

HALF = dict(image_mean=[0.5] * 3, image_std=[0.5] * 3)
LONGEST_OF_FRAMES = 96


def video(count, step_ms, size=(88, 64), step=(21, 13)):
    """`count` windows of a picture that move by a step."""
    places = [[i * step[0], i * step[1]] for i in range(count)]
    return dict(picture="333x250.png", size=list(size), places=places, timesMs=[i * step_ms for i in range(count)])


# Texts and videos.
STATES = [
    ("video", ["A clip: ", video(4, 1000)], "What moves?"),
    ("video-first", [video(2, 61_500, size=(40, 60)), "\nEnd."], "\n\nWhat moves?"),
    ("two-videos", ["One:\n", video(3, 2500, size=(60, 44)), "Two:\n", video(11, 1_100_000, size=(30, 30), step=(9, 9))], "Which one is longer?"),
]


def frames_of(one):
    whole, (width, height) = Image.open(HERE / "pictures" / one["picture"]).convert("RGB"), one["size"]
    return [whole.crop((left, top, left + width, top + height)) for left, top in one["places"]]


def squared(frame):
    """With Pillow, whose levels are those of `make.py`."""
    height, width = get_resize_output_image_size(torch.empty(3, frame.height, frame.width), LONGEST_OF_FRAMES)
    return frame.resize((width, height), Image.Resampling.LANCZOS).resize((TILE, TILE), Image.Resampling.LANCZOS)


def stacked(images):
    return torch.from_numpy(np.stack([np.asarray(image) for image in images])).permute(0, 3, 1, 2)


def make_cases(model, processor):
    cases = []
    for name, state, question in STATES:
        content = [{"type": "text", "text": part} if isinstance(part, str) else {"type": "video"} for part in state]
        messages = [{"role": "user", "content": [*content, {"type": "text", "text": question}]}]
        prompt = processor.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, chat_template=DEFAULT_CHAT_TEMPLATE)
        seen = [part for part in state if isinstance(part, dict)]
        # Each by itself: with several, the processor pads all to as many frames as the longest has, and writes that number for each.
        # A thousand frames a second, so that indices are times. Where no duration is given, the length is the time of the last frame.
        read, text = [], prompt
        for one in seen:
            metadata = [dict(total_num_frames=len(one["timesMs"]), fps=1000.0, frames_indices=one["timesMs"])]
            frames = stacked([squared(frame) for frame in frames_of(one)])
            out = processor.video_processor(videos=[frames], video_metadata=metadata, do_resize=False, do_sample_frames=False, return_metadata=True, return_tensors="pt")
            read.append(out["pixel_values"][0])
            text = text.replace("<video>", processor.replace_video_token(out, 0), 1)
        tensor, pixels = processor.tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"], torch.cat(read)[None]
        ids = tensor[0].tolist()
        tail = processor.tokenizer(question + "<end_of_utterance>\nAssistant:", add_special_tokens=False)["input_ids"]
        cut = len(ids) - len(tail)
        assert ids[cut:] == tail, (name, "the question does not start at a token of its own")
        with torch.no_grad():
            whole = model(input_ids=tensor, pixel_values=pixels).logits[0, -1]
            kept = model(input_ids=tensor[:, :cut], pixel_values=pixels, use_cache=True)
            behind = model(input_ids=tensor[:, cut:], past_key_values=kept.past_key_values).logits[0, -1]
        assert (whole - behind).abs().max() < 1e-4, (name, (whole - behind).abs().max())
        pieces = [part if isinstance(part, str) else {"video": part} for part in state]
        cases.append(dict(name=name, state=pieces, question=question, prompt=prompt, ids=ids, stateTokens=cut, logits=[round(float(v), 4) for v in behind]))
        print(name, len(ids), "tokens")
    return cases


def make_tile(processor, one):
    """Of the video processor as it is, which resizes with torchvision."""
    values = processor(videos=[stacked(frames_of(one))], return_tensors="pt")["pixel_values"][0].double().numpy()
    levels = np.rint((values / 2 + 0.5) * 255).astype("uint8").transpose(0, 2, 3, 1)
    return dict(video=one, levels=base64.b64encode(levels.tobytes()).decode())


def main():
    tokenizer = make_tokenizer()
    idefics3 = make_model(tokenizer)
    config = idefics3.config.to_dict() | dict(model_type="smolvlm")
    config["vision_config"]["model_type"] = "smolvlm_vision"
    config = SmolVLMConfig(**{key: value for key, value in config.items() if key not in ("model_type", "architectures", "transformers_version")})
    config._attn_implementation = "eager"
    model = SmolVLMForConditionalGeneration(config).eval()
    print(model.load_state_dict(idefics3.state_dict()))
    images = SmolVLMImageProcessorPil(size={"longest_edge": LONGEST}, max_image_size={"longest_edge": TILE}, **HALF)
    frames = SmolVLMVideoProcessor(size={"longest_edge": LONGEST_OF_FRAMES}, max_image_size={"longest_edge": TILE}, **HALF)
    processor = SmolVLMProcessor(images, tokenizer, frames, image_seq_len=TOKENS_PER_TILE, chat_template=DEFAULT_CHAT_TEMPLATE)
    words = [[value, num2words(value)] for value in [*range(1, 22), 29, 30, 64, 99, 100, 101, 110, 128, 200, 345, 999]]
    cases = make_cases(model, processor)
    tile = make_tile(frames, video(1, 0))
    write_json(HERE / "videos.json", dict(longestEdge=LONGEST_OF_FRAMES, words=words, tile=tile, cases=cases), indent=None)


if __name__ == "__main__":
    main()
