"""infotabs/infotabs: claims about info boxes, which become JSON records (or their lines) as a program would send
them.
"""

import csv
import io
import json

from data.shared import pairs

REPOSITORY = "infotabs/infotabs"
LABELS = {"E": "entails", "C": "contradicts", "N": "neutral"}
MOST_CHARACTERS = 1100


def flat(table):
    return {key: value[0] if len(value) == 1 else value for key, value in table.items()}


def read(show, rnd):
    count = 0
    claims = {}
    for line in csv.DictReader(
        io.StringIO(show("data/maindata/infotabs_train.tsv")), delimiter="\t", quoting=csv.QUOTE_NONE
    ):
        if line["label"] in LABELS:
            claims.setdefault(line["table_id"], []).append((line["hypothesis"], LABELS[line["label"]]))
    for table, said in claims.items():
        state = flat(json.loads(show(f"data/tables/json/{table}.json")))
        if len(json.dumps(state)) > MOST_CHARACTERS:
            continue
        rnd.shuffle(said)
        for at in range(0, len(said), pairs.MOST_CLAIMS):
            questions, truth = pairs.about(said[at : at + pairs.MOST_CLAIMS], True, rnd)
            yield {
                "id": f"infotabs-{count:06d}",
                "source": "infotabs",
                "task": "claims about tables",
                "licence": "Apache-2.0",
                "state": state,
                "questions": questions,
                "truth": truth,
            }
            count += 1
