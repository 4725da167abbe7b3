"""yasumasaonoe/creak (train and dev): claims about well-known things, each with the reason that its writer gave for its
being true or false (Onoe and others, 2021): the reason is the text. Taken where it says something of the claim's
words, which false claims and true ones do alike.
"""

import json
import re

from data.shared import rows

REPOSITORY = "yasumasaonoe/creak"
FILES = ("data/creak/train.json", "data/creak/dev.json")
NEGATION = re.compile(r"\b(?:not|no|never|none|nothing)\b|n't", re.I)
NEGATED_KEPT, TRUE_KEPT = 0.25, 0.62  # of false claims whose reason has a negation (true ones hardly do), of true ones
LEAST = 0.33  # of a claim's words, besides what it is about, that the reason has, too
MEANT = re.compile(r"\b(?:true|false|fact\w*|correct|incorrect|statement|claim|sentence|research|this is)\b", re.I)
SMALL = set(
    "the a an of in to and is are was were be been for on with as by at it its that this from or who which he she they "
    "his her their has have had not no can do does did".split()
)
CLAIMS = [
    ("{}", True),
    ("{}", True),
    ("{}", True),
    ("Is it so: {}", True),
    ("This is true: {}", True),
    ("The text supports this: {}", True),
    ("This is false: {}", False),
    ("This is wrong: {}", False),
    ("The text refutes this: {}", False),
    ("It is not so: {}", False),
    ("The text speaks against this: {}", False),
]
BESIDE = [
    ("The {reason} supports the {claim}.", True),
    ("The {claim} is true, going by the {reason}.", True),
    ("The {claim} agrees with the {reason}.", True),
    ("The {reason} refutes the {claim}.", False),
    ("The {claim} is false, going by the {reason}.", False),
    ("The {claim} does not agree with the {reason}.", False),
]
VERDICTS = [
    ("Check the {claim} against the {reason}.", ("true", "false")),
    ("Is the {claim} right?", ("yes", "no")),
    ("What does the {reason} say of the {claim}?", ("it supports it", "it refutes it")),
]
SAID = [("claim", "reason"), ("statement", "source"), ("answer", "explanation"), ("post", "note"), ("claim", "text")]


def words(text):
    return {word.rstrip("s") for word in re.findall(r"\w+", text.lower()) if word not in SMALL}


def decides(one):
    said = words(one["sentence"]) - words(one["entity"])
    shared = len(said & words(one["explanation"])) / max(1, len(said))
    return shared >= LEAST and len(one["explanation"].split()) > 4 and not MEANT.search(one["explanation"])


def read(show, rnd):
    items = [json.loads(line) for path in FILES for line in show(path).splitlines()]
    negated = [bool(NEGATION.search(one["explanation"])) for one in items]
    kept = [
        one
        for one, has in zip(items, negated, strict=True)
        if decides(one) and (rnd.random() < (TRUE_KEPT if one["label"] == "true" else NEGATED_KEPT if has else 1))
    ]
    for count, one in enumerate(kept):
        claim, reason, holds = rows.ended(one["sentence"]), rows.ended(one["explanation"]), one["label"] == "true"
        if rnd.random() < 0.7:
            state, made = reason, [rows.claim([(said.format(claim), when) for said, when in CLAIMS], holds, rnd)]
        else:
            names = dict(zip(("claim", "reason"), rnd.choice(SAID), strict=True))
            parts = [(names["claim"], claim), (names["reason"], reason)]
            rnd.shuffle(parts)
            state, made = rows.named(dict(parts), rnd.random() < 0.5), [rows.claim(BESIDE, holds, rnd, **names)]
            if rnd.random() < 0.4:
                made.append(rows.either(VERDICTS, holds, rnd, **names))
        yield rows.row(f"reasons-{count:05d}", "claims and reasons", "MIT", state, made)
