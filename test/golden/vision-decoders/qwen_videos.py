"""Videos as the Qwen models of `qwen.py` read them: what transformers says of sizes, patches, prompts, positions and logits.

Prompts and positions are those of transformers 4.57, with which the makers published the models. 5.23 differs in two places, where this writes the older
form: it keeps the tokens that the chat template writes around a video around those of its steps, too (Qwen3-VL, Qwen3.5), and it lets the text behind a
video begin where its longer side ends, even where its time goes on (Qwen2-VL, Qwen2.5-VL). Logits are those of 5.23 for these tokens and positions.
"""
import itertools

import numpy as np
import torch
from PIL import Image
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
from transformers.models.qwen2_vl.video_processing_qwen2_vl import Qwen2VLVideoProcessor
from transformers.models.qwen2_vl.video_processing_qwen2_vl import smart_resize as resize_each
from transformers.models.qwen3_vl.processing_qwen3_vl import Qwen3VLProcessor
from transformers.models.qwen3_vl.video_processing_qwen3_vl import Qwen3VLVideoProcessor
from transformers.models.qwen3_vl.video_processing_qwen3_vl import smart_resize as resize_all
from transformers.video_utils import VideoMetadata

import templates
import vision_templates
from qwen import FACTOR, FRAMES, HALF, MEAN, MERGE, PATCH, PIXELS, STD, make_model, make_tokenizer
from shared import case_of, cut_of, levels_of, open_picture, rounded

VIDEO = "<|vision_start|><|video_pad|><|vision_end|>"
# Bounds of the area of frames: other ones than those of pictures.
PIXELS_OF_FRAMES = dict(shortest_edge=12 * FACTOR**2, longest_edge=40 * FACTOR**2)
PIXELS_OF_ALL = dict(shortest_edge=24 * FACTOR**2, longest_edge=150 * FACTOR**2)


def video(count, fps, picture="333x250.png", size=(88, 64), step=(21, 13)):
    """`count` windows of a picture that move by a step, `fps` of them a second."""
    places = [[i * step[0], i * step[1]] for i in range(count)]
    return dict(picture=picture, size=list(size), places=places, timesMs=[1000 * i / fps for i in range(count)], fps=fps)


def windows(one):
    """What a test needs to make the frames itself."""
    return {key: one[key] for key in ("picture", "size", "places", "timesMs")}


def frames_of(one):
    whole, (width, height) = open_picture(one["picture"]), one["size"]
    return [whole.crop((left, top, left + width, top + height)) for left, top in one["places"]]


# Texts, videos, and names of pictures in brackets.
STATES = [
    ("video", ["A clip: ", video(4, 2)], "\n\nWhat moves?"),
    ("odd-frames", [video(5, 1, size=(40, 60)), "\nEnd."], "\n\nWhat moves?"),
    ("slow", [video(12, 0.25, size=(32, 24), step=(18, 7)), "\nEnd."], "\n\nWhat is last?"),
    ("video-and-picture", ["One ", video(3, 4, size=(60, 44)), " and ", ["64x64.png"], "."], "\n\nAre they alike?"),
    ("two-videos", [video(2, 1.5, size=(48, 32)), "then\n", video(4, 3, picture="150x100.png", size=(24, 56), step=(30, 9))], "\n\nWhich one is longer?"),
]


# Qwen2-VL reads videos as Qwen2.5-VL does, but for their time, and Qwen3.5 as Qwen3-VL does.
CASES = {"qwen2-vl": ("video", "slow"), "qwen3.5": ("video", "video-and-picture")}


def processor_of(kind):
    mean, std = (HALF, HALF) if kind in ("qwen3-vl", "qwen3.5") else (MEAN, STD)
    form = dict(patch_size=PATCH, merge_size=MERGE, temporal_patch_size=FRAMES, image_mean=mean, image_std=std, do_sample_frames=False)
    if kind in ("qwen3-vl", "qwen3.5"):
        return Qwen3VLVideoProcessor(size=PIXELS_OF_ALL, **form)
    return Qwen2VLVideoProcessor(size=PIXELS_OF_FRAMES, **form)


def image_processor_of(kind):
    mean, std = (HALF, HALF) if kind in ("qwen3-vl", "qwen3.5") else (MEAN, STD)
    return Qwen2VLImageProcessorPil(**PIXELS, patch_size=PATCH, merge_size=MERGE, temporal_patch_size=FRAMES, image_mean=mean, image_std=std)


def patches_of(processor, frames, resized):
    """With `resized`, frames are resized with Pillow first, which leaves the processor nothing to resize: then the levels of both implementations are equal."""
    stack = lambda images: torch.from_numpy(np.stack([np.asarray(image) for image in images])).permute(0, 3, 1, 2)
    out = processor(videos=[stack(frames)], return_tensors="pt")
    if not resized:
        return out
    _, rows, cols = out["video_grid_thw"][0].tolist()
    again = processor(videos=[stack([image.resize((cols * PATCH, rows * PATCH), Image.Resampling.BICUBIC) for image in frames])], return_tensors="pt")
    assert again["video_grid_thw"].tolist() == out["video_grid_thw"].tolist()
    return again


def timestamps(one):
    """By the reference's own function, from the indices of frames."""
    return Qwen3VLProcessor._calculate_timestamps(None, list(range(len(one["places"]))), one["fps"], FRAMES)


def written(kind, one, grid):
    steps, rows, cols = grid
    tokens = rows * cols // MERGE**2
    if kind in ("qwen2-vl", "qwen2.5-vl"):
        return "<|vision_start|>" + "<|video_pad|>" * (steps * tokens) + "<|vision_end|>"
    return "".join(f"<{time:.1f} seconds><|vision_start|>{'<|video_pad|>' * tokens}<|vision_end|>" for time in timestamps(one))


def positions_of(model, types, grids, seconds):
    """As 4.57: what comes behind an image or a video stands behind all of its positions. `grids`: of images and videos by type."""
    start, parts = 0, []
    grids = {kind: iter(of) for kind, of in grids.items()}
    for kind, group in itertools.groupby(types):
        count = len(list(group))
        if kind == 0:
            parts.append(torch.arange(count).expand(3, -1) + start)
        else:
            interval = model.config.vision_config.tokens_per_second * next(seconds) if kind == 2 and seconds is not None else 1
            parts.append(model.model.get_vision_position_ids(start, next(grids[kind]), 1, MERGE, interval))
        start = int(parts[-1].max()) + 1
    return torch.cat(parts, dim=1)[:, None]


def make_cases(kind):
    tokenizer = make_tokenizer(kind)
    model = make_model(kind, tokenizer)
    is_3 = kind in ("qwen3-vl", "qwen3.5")
    template = templates.QWEN35 if kind == "qwen3.5" else vision_templates.QWEN3 if is_3 else vision_templates.QWEN
    videos, images = processor_of(kind), image_processor_of(kind)
    cases = []
    for name, state, question in STATES:
        if name not in CASES.get(kind, (name,)):
            continue
        content = [
            {"type": "text", "text": part} if isinstance(part, str) else {"type": "image"} if isinstance(part, list)
            # The templates of these tests know no videos for Qwen3-VL and Qwen3.5. The published ones write what the others write.
            else {"type": "text", "text": VIDEO} if is_3 else {"type": "video"}
            for part in state
        ]
        messages = [{"role": "user", "content": [*content, {"type": "text", "text": question}]}]
        prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, chat_template=template, enable_thinking=False)
        seen = [part for part in state if isinstance(part, dict)]
        read = [patches_of(videos, frames_of(one), True) for one in seen]
        pictures = [open_picture(part[0]) for part in state if isinstance(part, list)]
        inputs = dict(pixel_values_videos=torch.cat([one["pixel_values_videos"] for one in read]), video_grid_thw=torch.cat([one["video_grid_thw"] for one in read]))
        inputs |= images(pictures, return_tensors="pt") if pictures else {}
        text = prompt
        for grid in inputs.get("image_grid_thw", []):
            text = text.replace("<|image_pad|>", "<|row|>" * int(grid.prod() // MERGE**2), 1)
        text = text.replace("<|row|>", "<|image_pad|>")
        for one, grid in zip(seen, inputs["video_grid_thw"].tolist()):
            text = text.replace(VIDEO, written(kind, one, grid).replace("<|video_pad|>", "<|row|>"), 1)
        ids = tokenizer(text.replace("<|row|>", "<|video_pad|>"), add_special_tokens=False)["input_ids"]
        cut = cut_of(name, tokenizer, prompt, question, ids)
        tensor = torch.tensor([ids])
        types = (tensor == model.config.image_token_id).int() + 2 * (tensor == model.config.video_token_id).int()
        # What the processors of Qwen2.5-VL give, of frames that are evenly spread.
        rates = [VideoMetadata(total_num_frames=len(one["places"]), fps=one["fps"], frames_indices=list(range(len(one["places"])))).sampled_fps for one in seen]
        seconds = [FRAMES / rate for rate in rates]
        steps = inputs["video_grid_thw"]
        if is_3:
            steps = torch.repeat_interleave(steps, steps[:, 0], dim=0)
            steps[:, 0] = 1
        own = positions_of(model, types[0].tolist(), {1: inputs.get("image_grid_thw", []), 2: steps}, iter(seconds) if kind == "qwen2.5-vl" else None)
        rope = dict(image_grid_thw=inputs.get("image_grid_thw"), video_grid_thw=inputs["video_grid_thw"])
        rope |= dict(second_per_grid_ts=torch.tensor(seconds)) if kind == "qwen2.5-vl" else {}
        theirs = model.model.get_rope_index(tensor, mm_token_type_ids=types, **rope)[0]
        # Both agree where no video lasts longer than it is wide and high.
        lasts = bool((own != theirs).any())
        assert not lasts or kind in ("qwen2-vl", "qwen2.5-vl") and name in ("slow", "odd-frames"), (kind, name)
        with torch.no_grad():
            whole = model(tensor, mm_token_type_ids=types, position_ids=own, **inputs).logits[0, -1]
            kept = model(tensor[:, :cut], mm_token_type_ids=types[:, :cut], position_ids=own[:, :, :cut], use_cache=True, **inputs)
            behind = model(tensor[:, cut:], position_ids=own[:, :, cut:], past_key_values=kept.past_key_values).logits[0, -1]
        assert (whole - behind).abs().max() < 1e-4, (name, (whole - behind).abs().max())
        pieces = [part if isinstance(part, str) else {"picture": part[0]} if isinstance(part, list) else {"video": windows(part)} for part in state]
        case = case_of(name, [], question, prompt, ids, cut, positions=own[:, 0].tolist(), logits=rounded(behind, 4))
        cases.append(case | dict(state=pieces, grids=inputs["video_grid_thw"].tolist()))
        print(f"{kind} {name}: grids {cases[-1]['grids']}, positions {'as 4.57' if lasts else 'as 4.57 and 5.23'}")
    print(kind, f"logits up to {max(abs(value) for case in cases for value in case['logits']):.2g}")
    return cases


def make_patches(kind, one):
    """Of the processor as it is, which resizes with torchvision."""
    processor = processor_of(kind)
    out = patches_of(processor, frames_of(one), False)
    per_value = lambda numbers: np.repeat(np.array(numbers), FRAMES * PATCH**2)
    levels = levels_of(out["pixel_values_videos"], per_value(processor.image_mean), per_value(processor.image_std))
    return dict(family=kind, video=windows(one), grid=out["video_grid_thw"][0].tolist(), levels=levels)


def make_sizes():
    """Frames, their sides as sent and as read, with the real numbers of the families: bounds for each frame, and for all together."""
    sides = [(1920, 1080), (1080, 1920), (640, 360), (42, 70), (20, 300), (3000, 100)]
    each = [[width, height, *reversed(resize_each(height, width, 28, 128 * 28 * 28, 768 * 28 * 28))] for width, height in sides]
    together = [
        [count, width, height, *reversed(resize_all(count, height, width, 2, 32, 4096, 25165824))]
        for count in (2, 3, 5, 7, 8, 64) for width, height in sides
    ]
    return dict(each=each, all=together)


def make():
    return dict(
        framesPixels=PIXELS_OF_FRAMES, allPixels=PIXELS_OF_ALL, sizes=make_sizes(),
        seconds=[[ms, f"{ms / 1000:.1f}"] for ms in (0, 50, 250, 350, 450, 750, 1250, 1666.6666666666667, 2750, 59950, 60050, 3725250)],
        patches=[make_patches(kind, video(3, 2, size=(45, 34))) for kind in ("qwen2-vl", "qwen3-vl")],
        families={kind: make_cases(kind) for kind in ("qwen2-vl", "qwen2.5-vl", "qwen3.5", "qwen3-vl")},
    )
