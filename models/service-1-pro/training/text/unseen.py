"""Requests made of public sets that nothing was trained on, to see what the model makes of other tasks and writers.

    python unseen.py OUT --mirror FOLDER [--each 150] [--seed 1]

--mirror holds the snapshots (OWNER+NAME/repo), as for prepare.py. Writes OUT/SET.jsonl, in the packs' format; then

    assay eval OUT/*.jsonl [--model FOLDER --calibration FILE]

says how many are right and what the probabilities are worth. Rows are for measuring: prepare.py never reads them.
"""

import argparse
import csv
import io
import json
import random

from prepare import git, snapshot, write

BANKING_OPTIONS = 10
LONGEST_WORDS = 300
STARS = ("very bad", "bad", "neither good nor bad", "good", "very good")
VERDICT = {"entailment": "it follows", "contradiction": "it cannot be true", "neutral": "neither"}
NEWS = ("world", "sports", "business", "science and technology")


def lines(show, path):
    return [line.strip() for line in show(path).splitlines()]


def table(show, path, **options):
    return csv.reader(io.StringIO(show(path)), **options)


def sick(show, rnd):
    """Whether one sentence follows from another; the claim by itself where it does or cannot."""
    for premise, said, label in list(table(show, "nli_datasets/sick/train.csv"))[1:]:
        questions = {
            "verdict": {"type": "choice", "instructions": f"Given the text: {said}", "criteria": list(VERDICT.values())}
        }
        truth = {"verdict": VERDICT[label]}
        if label != "neutral":
            questions["claim"], truth["claim"] = {"type": "noul", "instructions": f"{said}."}, label == "entailment"
        yield f"{premise}.", questions, truth


def qnli(show, rnd):
    """Whether a sentence answers a question."""
    for asked, said, label in list(table(show, "nli_datasets/qnli/dev.csv"))[1:]:
        claim = f"The text answers the question: {asked}"
        yield said, {"answers": {"type": "noul", "instructions": claim}}, {"answers": label == "entailment"}


def banking77(show, rnd):
    """The intent of a message to a bank, of ten."""
    texts, names = (lines(show, f"Datasets/BANKING77/test/{name}") for name in ("seq.in", "label"))
    names = [name.replace("_", " ") for name in names]
    every = sorted(set(names))
    for text, name in zip(texts, names, strict=True):
        options = [name, *rnd.sample([one for one in every if one != name], BANKING_OPTIONS - 1)]
        rnd.shuffle(options)
        yield (
            text,
            {"intent": {"type": "choice", "instructions": "What does the customer want?", "criteria": options}},
            {"intent": name},
        )


def ag_news(show, rnd):
    """The topic of a piece of news, of four."""
    for label, title, text in table(show, "data/ag_news_csv/test.csv"):
        asked = {"type": "choice", "instructions": "What is the news about?", "criteria": list(NEWS)}
        yield {"title": title, "text": text}, {"topic": asked}, {"topic": NEWS[int(label) - 1]}


def irony(show, rnd):
    """Whether a tweet is ironic."""
    for text, label in zip(
        *(lines(show, f"datasets/irony/test_{name}.txt") for name in ("text", "labels")), strict=True
    ):
        yield text, {"ironic": {"type": "noul", "instructions": "The tweet is ironic."}}, {"ironic": label == "1"}


def yes_or_no(show, rnd):
    """Questions of BoolQ and their contrast set about a passage."""
    for one in json.loads(show("BoolQ/boolq_perturbed.json"))["data"][1:]:
        asked = [
            (one["question"], one["answer"]),
            *((p["perturbed_q"], p["answer"]) for p in one["perturbed_questions"]),
        ]
        asked = [(ask, str(answer).upper()) for ask, answer in asked if str(answer).upper() in ("TRUE", "FALSE")][:6]
        questions = {f"q{n}": {"type": "noul", "instructions": f"{ask}?"} for n, (ask, _) in enumerate(asked)}
        yield one["paragraph"], questions, {f"q{n}": answer == "TRUE" for n, (_, answer) in enumerate(asked)}


def who_or_what(show, rnd):
    """Questions of Quoref (dev) about a paragraph, answered by a few of its words."""
    yield from quoted(json.loads(show("quoref/quoref_original_subset_20191206_merged.json")))


def squad(show, rnd):
    """Questions of SQuAD (dev, as far as XQuAD has it) about a paragraph, answered by a few of its words."""
    yield from quoted(json.loads(show("xquad.en.json")))


def stars(show, rnd):
    """How good a sentence of a film review finds the film, in five levels, and whether it does (SST, test)."""
    for line in lines(show, "data/stsa.fine.test"):
        label, text = line.split(" ", 1)
        asked = {"type": "score", "instructions": "How good does the writer find the film?", "criteria": list(STARS)}
        questions, truth = {"stars": asked}, {"stars": int(label)}
        if int(label) != len(STARS) // 2:
            questions["positive"] = {"type": "noul", "instructions": "The review is positive."}
            truth["positive"] = int(label) > len(STARS) // 2
        yield text, questions, truth


def subjective(show, rnd):
    """Whether a sentence about a film tells its story or says an opinion of it (Subj)."""
    for name, path in (("opinion", "data/raw/subj.subjective"), ("facts", "data/raw/subj.objective")):
        for text in lines(show, path):
            names = {"opinion": "an opinion of the writer", "facts": "what happens, without an opinion"}
            yield text, {"kind": {"type": "choice", "instructions": "What is it?", "criteria": names}}, {"kind": name}


def quoted(pages):
    """Paragraphs and questions in SQuAD's form, where a question has one answer."""
    for page in pages["data"]:
        for paragraph in page["paragraphs"]:
            single = [one for one in paragraph["qas"] if len(one["answers"]) == 1][:4]
            if len(paragraph["context"].split()) <= LONGEST_WORDS and single:
                questions = {
                    f"q{n}": {"type": "extract", "instructions": one["question"]} for n, one in enumerate(single)
                }
                yield (
                    paragraph["context"],
                    questions,
                    {f"q{n}": one["answers"][0]["text"] for n, one in enumerate(single)},
                )


SETS = {
    "sick": ("felipessalvatore/NLI_datasets", sick),
    "qnli": ("felipessalvatore/NLI_datasets", qnli),
    "banking77": ("jianguoz/Few-Shot-Intent-Detection", banking77),
    "ag-news": ("mhjabreel/CharCnn_Keras", ag_news),
    "irony": ("cardiffnlp/tweeteval", irony),
    "yes-or-no": ("allenai/contrast-sets", yes_or_no),
    "who-or-what": ("allenai/contrast-sets", who_or_what),
    "squad": ("deepmind/xquad", squad),
    "stars": ("harvardnlp/sent-conv-torch", stars),
    "subjective": ("harvardnlp/sent-conv-torch", subjective),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--mirror", required=True)
    parser.add_argument("--each", type=int, default=150, help="rows a set")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for name, (repository, made_of) in SETS.items():
        folder = snapshot(options.mirror, repository)
        if folder is None:
            print(f"{name}: no snapshot of {repository}; fetched first, it would be read")
            continue
        rnd = random.Random(f"{options.seed} {name}")
        found = list(made_of(lambda path, at=folder: git(at, path), rnd))
        rnd.shuffle(found)
        rows = [
            {"id": f"{name}-{n}", "source": name, "task": name, "state": state, "questions": questions, "truth": truth}
            for n, (state, questions, truth) in enumerate(found[: options.each])
        ]
        written = write(f"{options.out}/{name}.jsonl", rows)
        print(f"{name}: {written} rows of {len(found):,}, {sum(len(row['questions']) for row in rows)} questions")


if __name__ == "__main__":
    main()
