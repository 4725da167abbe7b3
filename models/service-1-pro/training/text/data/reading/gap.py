"""google-research-datasets/gap-coreference: who a pronoun means, of two names or neither."""

import csv
import io

REPOSITORY = "google-research-datasets/gap-coreference"
FILES = ("gap-development.tsv", "gap-test.tsv", "gap-validation.tsv")
ASKS = [
    'Who does "{pronoun}" in "{near}" refer to?',
    'Whom is "{near}" about, where it says "{pronoun}"?',
    'In "{near}", who is "{pronoun}"?',
]
CLAIMS = ['In "{near}", "{pronoun}" is {name}.', '"{pronoun}" in "{near}" refers to {name}.']
NEITHER = ["neither", "someone else", "none of these", "another person"]
WORDS_NEAR = 5


def near(text, at, pronoun):
    """The pronoun with the words around it."""
    before, after = text[:at].split(" "), text[at + len(pronoun) :].split(" ")
    return (" ".join(before[-WORDS_NEAR:]) + pronoun + " ".join(after[:WORDS_NEAR])).strip(" ,;.\"'`*")


def read(show, rnd):
    count = 0
    for path in FILES:
        for line in csv.DictReader(io.StringIO(show(path)), delimiter="\t", quoting=csv.QUOTE_NONE):
            text, pronoun, names = line["Text"], line["Pronoun"], (line["A"], line["B"])
            is_it = [line[f"{one}-coref"].upper() == "TRUE" for one in "AB"]
            said = {"pronoun": pronoun, "near": near(text, int(line["Pronoun-offset"]), pronoun)}
            neither = rnd.choice(NEITHER)
            options = [*names, neither]
            rnd.shuffle(options)
            which = rnd.randrange(2)
            if names[0] == names[1] or neither in names:
                continue
            yield {
                "id": f"gap-{count:06d}",
                "source": "gap",
                "task": "who is meant",
                "licence": "Apache-2.0",
                "state": text,
                "questions": {
                    "who": {
                        "type": "choice",
                        "instructions": rnd.choice(ASKS).format(**said),
                        "criteria": dict.fromkeys(options),
                    },
                    "is": {"type": "noul", "instructions": rnd.choice(CLAIMS).format(name=names[which], **said)},
                },
                "truth": {
                    "who": names[0] if is_it[0] else names[1] if is_it[1] else neither,
                    "is": is_it[which],
                },
            }
            count += 1
