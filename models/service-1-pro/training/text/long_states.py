"""What a long text costs: paragraphs of XQuAD alone, and the same questions about each of them inside a text of some
16,000 pieces, which other paragraphs make.

    python long_states.py OUT --mirror SNAPSHOTS [--each 60] [--words 10400]

Writes OUT/alone.jsonl and OUT/long.jsonl, the same questions in the same order: a quote, a choice of up to four answers
of the same page, and a claim that one of two answers is right. `assay eval` answers both.
"""

import argparse
import json
import os
import random

from data.shared import answers
from prepare import git, snapshot, write

REPOSITORY, PATH = "deepmind/xquad", "xquad.en.json"
FEWEST_WORDS, LONGEST_WORDS = 60, 220


def paragraphs(pages):
    """(text, [(question, answer)], answers of the other paragraphs of the page)."""
    for page in pages["data"]:
        every = [
            (one["context"], [(q["question"], q["answers"][0]["text"]) for q in one["qas"]])
            for one in page["paragraphs"]
        ]
        for text, asked in every:
            others = [answer for other, pairs in every if other != text for _, answer in pairs if answer not in text]
            if FEWEST_WORDS <= len(text.split()) <= LONGEST_WORDS and len(asked) > 1 and len(set(others)) > 2:
                yield text, asked, sorted(set(others))


def questions(asked, others, rnd):
    """Questions by name and their truths: three of a paragraph's own, each put in another way."""
    (ask, answer), (chosen, right), (claimed, true) = (rnd.choice(asked) for _ in range(3))
    names = [right, *rnd.sample(others, 3)]
    rnd.shuffle(names)
    claim, holds = answers.claim(claimed, true, others, rnd)
    made = {
        "quote": {"type": "extract", "instructions": ask},
        "which": {"type": "choice", "instructions": chosen, "criteria": names},
        "claim": claim,
    }
    return made, {"quote": answer, "which": right, "claim": holds}


def among(text, every, words, rnd):
    """The text with others before and behind it, as many as make so many words."""
    others = [other for other in every if other != text]
    rnd.shuffle(others)
    taken, count = [], len(text.split())
    for other in others:
        if count >= words:
            break
        taken.append(other)
        count += len(other.split())
    taken.insert(rnd.randrange(len(taken) + 1), text)
    return "\n\n".join(taken)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--mirror", required=True)
    parser.add_argument("--each", type=int, default=60, help="paragraphs")
    parser.add_argument("--words", type=int, default=10_400, help="words of a long text")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = snapshot(options.mirror, REPOSITORY)
    if folder is None:
        raise SystemExit(f"no snapshot of {REPOSITORY}; fetch it first")
    pages = json.loads(git(folder, PATH))
    every = [one["context"] for page in pages["data"] for one in page["paragraphs"]]
    found = list(paragraphs(pages))
    rnd = random.Random(options.seed)
    alone, long = [], []
    for n, (text, asked, others) in enumerate(rnd.sample(found, min(options.each, len(found)))):
        made, truth = questions(asked, others, rnd)
        row = {"id": f"paragraph-{n}", "source": "xquad", "task": "paragraph", "questions": made, "truth": truth}
        alone.append({**row, "state": text})
        long.append({**row, "state": among(text, every, options.words, rnd)})
    for name, rows in (("alone", alone), ("long", long)):
        write(os.path.join(options.out, f"{name}.jsonl"), rows)
    words = sum(len(row["state"].split()) for row in long) // len(long)
    print(f"{len(alone)} paragraphs; a long text has {words:,} words")


if __name__ == "__main__":
    main()
