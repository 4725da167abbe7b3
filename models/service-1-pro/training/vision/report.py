"""Dev figures of a checkpoint's averaged weights, as JSON.

python -m vision.report RUN/last.pt TILES_FOLDER TEXT_FOLDER NAME=LABELS.jsonl ...
"""

import json
import pathlib
import sys

import tokenizers
import torch

from export.vision import read_teacher
from vision.evaluate import evaluate
from vision.spelling import spelling_codes
from vision.views import read_pictures

if __name__ == "__main__":
    torch.set_num_threads(1)
    checkpoint, folder, text = (pathlib.Path(argument) for argument in sys.argv[1:4])
    tokenizer = tokenizers.Tokenizer.from_file(str(text / "tokenizer.json"))
    for pair in sys.argv[4:]:
        name, labels = pair.split("=", 1)
        pictures = read_pictures(folder, name, pathlib.Path(labels), tokenizer)
        figures = evaluate(read_teacher(checkpoint), pictures, spelling_codes(tokenizer))
        print(json.dumps({name: {figure: round(value, 3) for figure, value in figures.items()}}, indent=1))
