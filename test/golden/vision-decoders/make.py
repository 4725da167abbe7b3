"""Random tiny models that see, in hub layout, one folder a family, and what transformers says about them.

    pip install -r requirements.txt && OMP_NUM_THREADS=1 python make.py [qwen qwen_videos lfm2]

Each module makes its folders (configuration, tokenizer, three ONNX graphs built from the state dict) and a file of goldens: patches, token ids,
positions, logits of the PyTorch model in float32, of the whole prompt and with kept keys, values and states. The weights are random: only the sums are
tested.
"""
import importlib
import sys

from shared import HERE, write_json

for module in sys.argv[1:] or ["qwen", "qwen_videos", "lfm2"]:
    write_json(HERE / f"{module}.json", importlib.import_module(module).make(), indent=None)
