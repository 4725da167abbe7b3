"""BIU-NLP/Breaking_NLI: captions in which one word was changed: a synonym, an opposite, another number, colour, country
or room (Glockner and others, 2018). Made by replacing words, judged by people. Most contradict, so that many are
left out.
"""

import io
import json
import zipfile

from data.shared import pairs

REPOSITORY = "BIU-NLP/Breaking_NLI"
MOST = 1150  # pairs that contradict


def read(show, rnd):
    with zipfile.ZipFile(io.BytesIO(show("breaking_nli_dataset.zip", text=False))) as archive:
        lines = archive.read("data/dataset.jsonl").decode().splitlines()
    items = [json.loads(line) for line in lines]
    rnd.shuffle(items)
    triples, left = [], MOST
    for one in items:
        label = pairs.LABELS[one["gold_label"]]
        left -= label == "contradicts"
        if label != "contradicts" or left >= 0:
            triples.append((one["sentence1"], one["sentence2"], label))
    yield from pairs.rows(triples, "one-word", "CC BY-SA 4.0 (premises: SNLI)", rnd)
