"""bitext/customer-support-intent-detection-training-dataset once more (support.py): how customers write: rudely,
politely, carelessly, in keywords, as a question (made by Bitext from marked variations; CDLA-Sharing 1.0).
"""

import collections
import csv
import io
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "bitext/customer-support-intent-detection-training-dataset"
PARTS = {"train": "Training", "dev": "Validation", "test": "Testing"}
PATH = "data/{0}/Bitext_Sample_Customer_Service_{1}_Dataset.csv"
PLAIN = 0.35  # of messages with no mark but of words and sentence parts that are taken
ASKING_KINDLY = re.compile(r"\b(?:could|would|please|I'd like|may I)\b", re.I)
SAID = one_of_kinds.written(
    {
        "rude": (
            [
                "The customer swears.",
                "The message is rude.",
                "The language is offensive.",
                "Does the customer use foul language?",
                "The customer has lost patience.",
            ],
            [
                "There are no swear words.",
                "The message is free of offensive language.",
                "The customer keeps a civil tongue.",
            ],
        ),
        "polite": (
            ["The message is polite.", "The customer asks politely.", "Is the tone courteous?", "The wording is kind."],
            ["The message is not polite.", "The customer makes no effort to be polite."],
        ),
        "careless": (
            [
                "The message is written informally.",
                "The style is colloquial.",
                "Is this casual language?",
                "The customer writes as in a chat with friends.",
                "The register is informal.",
            ],
            [
                "The message is written in standard English.",
                "The style is not colloquial.",
                "The customer writes carefully.",
            ],
        ),
        "misspelt": (
            [
                "The message holds spelling mistakes.",
                "Something is misspelt.",
                "Are there typing errors?",
                "The text has to be corrected.",
                "Words are run together or misspelt.",
            ],
            ["The spelling is correct.", "There is no typing error in the message.", "Nothing is misspelt."],
        ),
        "keywords": (
            ["These are keywords, no sentence.", "The message reads like a search.", "Is the sentence incomplete?"],
            ["The message is a full sentence.", "The customer writes in sentences."],
        ),
        "question": (
            ["The customer asks a question.", "The message is a question."],
            ["The message is not a question."],
        ),
    }
)
NAMES = [
    {"rude": "rude", "polite": "polite", "careless": "informal", "keywords": "keywords only", "plain": "neutral"},
    {
        "rude": "offensive",
        "polite": "courteous",
        "careless": "colloquial",
        "keywords": "telegraphic",
        "plain": "matter-of-fact",
    },
]
DESCRIPTIONS = {
    "rude": "with swear words or insults",
    "polite": "asks kindly: could, would, please",
    "careless": "small letters, dropped marks, u and ya, as in a chat",
    "keywords": "a few words as one types them into a search",
    "plain": "a correct sentence, neither kind nor rude",
}
ASKS = ["How is the message written?", "Tone of the message", "Which style is it?", "Register", "How does it sound?"]
EITHER = {
    "misspelt": [("Is the spelling right?", ("no", "yes")), ("Proofread.", ("has mistakes", "without mistakes"))],
    "rude": [("Foul language?", ("yes", "no")), ("Tone", ("abusive", "not abusive"))],
    "careless": [("Formal or informal?", ("informal", "formal")), ("Style", ("chat-like", "standard"))],
    "question": [("What is the message?", ("a question", "a statement or command"))],
}


def marks(tags, text):
    """What is known of how a message is written: kind -> 0 or 1, without what is not sure."""
    slang, noise, rude, short = ("Q" in tags), ("Z" in tags), ("W" in tags), ("K" in tags)
    kindly = bool(ASKING_KINDLY.search(text))
    known = {"rude": int(rude), "keywords": int(short), "question": int("I" in tags and not short)}
    if "  " not in text and (noise or not slang):
        known["misspelt"] = int(noise)
    if slang or not (noise or rude or short):
        known["careless"] = int(slang)
    if rude or short:
        known["polite"] = 0
    elif kindly and not slang:
        known["polite"] = 1
    if "C" in tags or "how" in text.lower():
        known.pop("question")
    return known


def style(known, tags):
    """The one kind of writing that stands out; None where there are two or none."""
    standing = [kind for kind in ("rude", "polite", "careless", "keywords") if known.get(kind)]
    if "Z" in tags or len(standing) > 1:
        return None
    return standing[0] if standing else "plain" if known.get("careless") == 0 and "polite" not in known else None


def read(show, rnd):
    surplus, count = collections.Counter(), 0
    pages = [show(PATH.format(*part)) for part in PARTS.items()]
    for one in (one for page in pages for one in csv.DictReader(io.StringIO(page))):
        text, tags = one["utterance"].strip(), one["tags"]
        if not set(tags) & set("WPZK") and rnd.random() > PLAIN:
            continue
        known = marks(tags, text)
        kind = style(known, tags)
        made = list(one_of_kinds.claims(known, SAID, rnd.choice([1, 2, 2]), surplus, rnd))
        if kind and rnd.random() < 0.5:
            made.append(one_of_kinds.choice(kind, NAMES, ASKS, rnd, (), 5, DESCRIPTIONS))
        elif rnd.random() < 0.4 or not made:
            sure = [kind for kind in EITHER if kind in known]
            wanted = rnd.choice(sure)
            made.append(rows.either(EITHER[wanted], bool(known[wanted]), rnd))
        state = {"message": text} if rnd.random() < 0.15 else text
        yield rows.row(f"manner-{count:05d}", "manner of writing", "CDLA-Sharing 1.0", state, made)
        count += 1
