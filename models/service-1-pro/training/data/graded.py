"""Rows that ask how good something is found, on scales of three to seven levels: python -m data.graded DATA OUT [rows]

The packs of reviews and posts in DATA/train/text say only positive, negative or neutral. A positive text stands between
the best level and the next, a negative one between the worst and the next: how strongly it is meant, nobody said.
"""

import gzip
import json
import random
import sys

PACKS = {
    "customer-reviews": ("the product", "the reviewer", "the review"),
    "multi-domain-reviews": ("what is reviewed", "the reviewer", "the review"),
    "amazon-polarity": ("the product", "the customer", "the review"),
    "tweeteval-sentiment": ("what it is about", "the author", "the post"),
}
LONGEST_WORDS = 90
NEAR_THE_END = 0.18  # of the scale, from either end
ASKS = [
    "How positive is {text}?",
    "How does {who} like {what}?",
    "Sentiment of {text}",
    "Rating that fits {text}",
    "How satisfied is {who}?",
    "Overall tone of {text}",
    "What does {who} think of {what}?",
    "Rate {text} from negative to positive.",
    "How favourable is {text}?",
    "How many stars would {who} give?",
    "sentiment, from worst to best",
    "How well does {what} come off?",
]
SCALES = [
    ["terrible", "poor", "okay", "good", "excellent"],
    ["very negative", "negative", "neutral", "positive", "very positive"],
    ["hates it", "dislikes it", "is indifferent", "likes it", "loves it"],
    ["1 star", "2 stars", "3 stars", "4 stars", "5 stars"],
    ["awful", "bad", "mediocre", "good", "great"],
    ["not at all", "hardly", "somewhat", "mostly", "fully"],
    ["clearly negative", "rather negative", "mixed or neutral", "rather positive", "clearly positive"],
    ["bad", "average", "good"],
    ["unhappy", "neither", "happy"],
    ["negative", "mixed", "positive"],
    ["very bad", "bad", "good", "very good"],
    ["strongly against", "against", "undecided", "in favour", "strongly in favour"],
    ["worst", "bad", "below average", "average", "above average", "good", "best"],
    ["0: scathing", "1: critical", "2: balanced", "3: approving", "4: enthusiastic"],
    ["angry", "disappointed", "unmoved", "pleased", "delighted"],
]


def told(row):
    """Where the text stands between negative (0) and positive (1); None where the row does not say."""
    truth = row["truth"]
    if "sentiment" in truth and row["questions"]["sentiment"]["type"] == "score":
        return truth["sentiment"] / 2
    if "positive" in truth:
        return float(truth["positive"])
    return 1.0 - float(truth["negative"]) if "negative" in truth else None


def graded(data, pack):
    """(state, where it stands) of a pack's short texts."""
    with gzip.open(f"{data}/train/text/{pack}.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            place = told(row)
            if place is not None and len(json.dumps(row["state"]).split()) <= LONGEST_WORDS:
                yield row["state"], place


def main(data, out, count=9000):
    rng = random.Random(5)
    texts = {pack: list(graded(data, pack)) for pack in PACKS}
    with open(out, "w") as file:
        for index in range(int(count)):
            pack = rng.choice(list(PACKS)[:2] * 2 + list(PACKS)[2:])
            state, place = rng.choice(texts[pack])
            levels = rng.choice(SCALES)
            what, who, text = PACKS[pack]
            place = NEAR_THE_END + place * (1 - 2 * NEAR_THE_END)
            row = {
                "id": f"graded-{index:06d}",
                "source": "graded",
                "task": "how good it is found",
                "licence": "as the pack it is made of",
                "state": state,
                "questions": {
                    "level": {
                        "type": "score",
                        "instructions": rng.choice(ASKS).format(what=what, who=who, text=text),
                        "criteria": levels,
                    }
                },
                "truth": {"level": round(place * (len(levels) - 1), 3)},
            }
            file.write(json.dumps(row) + "\n")
    print(f"{count} rows from {sum(map(len, texts.values()))} reviews and posts")


if __name__ == "__main__":
    main(*sys.argv[1:4])
