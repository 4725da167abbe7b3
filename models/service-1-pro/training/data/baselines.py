"""Baselines without a model: python -m data.baselines DATA OUT.json [--text-limit 200] [--picture-limit 80]

Scores the rows and questions of bench/quality/quality.ts (the first rows of every dev file), by source and type:

- `chance`: all answers are equally likely. `right` is its expectation; the interval is that of one guesser.
- `majority`: what was true in the training rows of the same source and type, whatever the state says: how often a claim
  held, which level; for a choice or select how often an option was true when it was listed, smoothed towards the rate
  of all. Uniform where the source has no training rows.
- `tfidf` and `crossed`: bag-of-words baselines (bag_of_words.py), one model a type over all its sources.
- `not_there` for extract: there is none. `most_frequent` for fill: the most frequent value in training for the same
  question id, else for the source and kind.

Questions about pictures are answered without the picture. At most 40,000 triples of state, question and option are
trained on in each type, drawn with weight sqrt(questions) by source as decision/train.py does; rows whose words are in
a dev set are left out. A tenth of the rows chooses C and one temperature.

`right` and `log_loss` (nats) follow src/questions/shared/grade.ts. `interval` is 95 % of a bootstrap over rows, absent
where all or none are right. `trained_on` counts training questions of the source. Where it is 0, `majority` is chance,
and what needs training is missing; sums over sources then take the chance answer (fills count as wrong), so that n is
that of quality.ts. mawps is in no sum, as there.
"""

import argparse
import collections
import glob
import hashlib
import json
import math
import os
import platform
import random
import resource

import numpy as np
import sklearn

from data.bag_of_words import BagOfWords, log_loss, triples
from data.leaks import lines, picture_paths, said
from data.tokenizer import leaves, normalise

DECISIONS = ("noul", "choice", "score", "select")
MOST_TRIPLES = 40_000
KEPT = 8_000  # questions of one source and type kept while reading
RESAMPLES = 1000
SMOOTHING = 2.0  # imagined showings of an option
IN_NO_SUM = {"mawps"}

Question = collections.namedtuple("Question", "source row type kind id state parts text options names target")
# target: of each option (of a noul: of the claim) how true it is; a level between two is shared


# --- rows to questions


def type_of(question):
    return " ".join(
        [
            question["type"],
            *([question["kind"]] if "kind" in question else []),
            *(["many"] if question.get("many") else []),
        ]
    )


def text_of(state):
    """The words of a state, without picture parts: paths name what is in them (images/cifar-10/bird-4295.jpg)."""
    if picture_paths(state):
        state = [part for part in state if part.get("type") != "image"]
    return normalise(" ".join(leaves(state)))


def parts_of(state):
    """The two parts of a state that has two, as premise and hypothesis; else nothing."""
    if isinstance(state, dict):
        parts = [value for value in state.values() if isinstance(value, str)]
    else:
        parts = state.split("\n") if isinstance(state, str) else []
    return tuple(normalise(part) for part in parts) if len(parts) == 2 else None


def options_of(question):
    """Names and texts of what is decided among; None when it cannot be said here."""
    criteria = question.get("criteria")
    if question["type"] == "noul":
        return [], []
    if question["type"] == "score" and isinstance(criteria, list):
        labels = [
            (level, None) if isinstance(level, str) else (level["label"], level.get("description"))
            for level in criteria
        ]
    elif isinstance(criteria, dict):
        labels = list(criteria.items())
    else:
        return None
    return [name for name, _ in labels], [
        normalise(f"{name} {description}" if description else name) for name, description in labels
    ]


def target_of(kind, truth, names):
    if kind == "noul":
        return np.array([float(truth)])
    if kind == "score":
        low = min(math.floor(truth), len(names) - 1)
        share = truth - low
        return np.array([1 - share if i == low else share if i == low + 1 else 0.0 for i in range(len(names))])
    return np.array([float(name in truth if kind == "select" else name == truth) for name in names])


def decision(row, at, name):
    """A question of a row that has a distribution, or None."""
    question = row["questions"][name]
    found = options_of(question)
    if found is None:
        return None
    names, options = found
    target = target_of(question["type"], row["truth"][name], names)
    text = normalise(question["instructions"])
    return Question(
        row["source"], at, question["type"], type_of(question), name, row["state"], None, text, options, names, target
    )


def with_words(question):
    """The state of a question as text; late, since most training rows are never drawn."""
    return question._replace(state=text_of(question.state), parts=parts_of(question.state))


# --- training rows to priors and a sample


class Training:
    """One pass over the training rows of the sources of dev: counts for the priors, and questions to draw from."""

    def __init__(self, data, sources, dev_words, rng):
        self.count = collections.Counter()  # (source, type)
        self.held = collections.defaultdict(lambda: [0.0, 0.0])  # (source, type, levels or option) -> true, shown
        self.levels = {}  # (source, number of levels) -> how much each was true
        self.fills = collections.defaultdict(collections.Counter)
        self.kept = collections.defaultdict(list)
        at = 0
        for path in sorted(glob.glob(f"{data}/train/*/*.jsonl.gz")):
            if os.path.basename(path)[: -len(".jsonl.gz")] not in sources:
                continue
            for row in lines(path):
                at += 1
                for name, question in row["questions"].items():
                    if name in row["truth"]:
                        self.take(row, at, name, question, rng)
        self.left_out = collections.Counter()  # of the questions kept, those whose words are in dev
        for (_, source), questions in self.kept.items():
            rng.shuffle(questions)
            clean = [question for question in questions if said(question.state) not in dev_words]
            self.left_out[source] += len(questions) - len(clean)
            questions[:] = clean

    def take(self, row, at, name, question, rng):
        source, kind = row["source"], question["type"]
        self.count[source, kind] += 1
        if kind == "fill":
            value = json.dumps(row["truth"][name])
            self.fills[source, name, type_of(question)][value] += 1
            self.fills[source, None, type_of(question)][value] += 1
        if kind not in DECISIONS:
            return
        taken = decision(row, at, name)
        if taken is None:
            return
        if kind == "noul":
            self.add((source, kind, None), taken.target[0])
        elif kind == "score":
            self.levels.setdefault((source, len(taken.names)), np.zeros(len(taken.names)))
            self.levels[source, len(taken.names)] += taken.target
        else:
            for option, true in zip(taken.names, taken.target):
                self.add((source, kind, option), true)
                self.add((source, kind, None), true)
        kept = self.kept[kind, source]
        if len(kept) < KEPT:
            kept.append(taken)
        else:
            place = rng.randrange(self.count[source, kind])
            if place < KEPT:
                kept[place] = taken

    def add(self, key, true):
        self.held[key][0] += true
        self.held[key][1] += 1

    def prior(self, question):
        """Probabilities in the order of `target`; None without training rows."""
        source, kind = question.source, question.type
        if self.count[source, kind] == 0:
            return None
        if kind == "score":
            levels = self.levels.get((source, len(question.names)), np.zeros(len(question.names))) + 1
            return levels / levels.sum()
        true, shown = self.held[source, kind, None]
        if kind == "noul":
            return np.array([(true + 1) / (shown + 2)])
        rate = true / shown
        rates = [self.held.get((source, kind, option), (0, 0)) for option in question.names]
        rates = np.array([(true + SMOOTHING * rate) / (shown + SMOOTHING) for true, shown in rates])
        return rates / rates.sum() if kind == "choice" else rates

    def most_frequent(self, source, name, kind):
        """None without training rows of that kind."""
        for key in ((source, name, kind), (source, None, kind)):
            if self.fills[key]:
                return json.loads(self.fills[key].most_common(1)[0][0])
        return None

    def sample(self, kind, rng):
        """Questions of at most MOST_TRIPLES triples, by source with weight sqrt(questions)."""
        kept = {source: questions for (one, source), questions in sorted(self.kept.items()) if one == kind}
        weights = {source: math.sqrt(self.count[source, kind]) for source in kept}
        drawn = []
        # A source with fewer questions than its share leaves the rest to the others, so the scarcest come first.
        left = MOST_TRIPLES
        for source in sorted(kept, key=lambda one: sum(triples(question) for question in kept[one]) / weights[one]):
            share, taken = left * weights[source] / sum(weights.values()), 0
            del weights[source]
            for question in kept[source]:
                if taken + triples(question) > share:
                    break
                taken += triples(question)
                drawn.append(with_words(question))
            left -= taken
        rng.shuffle(drawn)
        return drawn


# --- grading, as src/questions/shared/grade.ts


def right(question, p):
    """What is expected when a tie is broken by chance."""
    if question.type in ("noul", "select"):
        return float(np.mean(np.where(p == 0.5, 0.5, (p > 0.5) == (question.target > 0.5))))
    # Half a level counts as the one above, as Math.round does it.
    truth = (
        math.floor(float(question.target @ np.arange(len(p))) + 0.5)
        if question.type == "score"
        else int(question.target.argmax())
    )
    best = np.flatnonzero(p == p.max())
    return float(truth in best) / len(best)


def uniform(question):
    count = len(question.names)
    return np.full(max(1, count), 1 / count if question.type in ("choice", "score") else 0.5)


def same(truth, given):
    """As isSame of grade.ts, for single values."""
    wanted, given_text = str(truth).strip().lower(), str(given).strip().lower()
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        try:
            return float(wanted) == given
        except ValueError:
            return False
    return wanted == given_text


def interval(rows, values):
    """95 % of a bootstrap over rows, of the mean over questions."""
    places, sums, counts = {}, [], []
    for row, value in zip(rows, values):
        if row not in places:
            places[row] = len(sums)
            sums.append(0.0)
            counts.append(0)
        sums[places[row]] += value
        counts[places[row]] += 1
    drawn = np.random.default_rng(1).multinomial(len(sums), np.full(len(sums), 1 / len(sums)), RESAMPLES)
    means = (drawn @ np.array(sums)) / (drawn @ np.array(counts))
    return [round(float(np.quantile(means, q)), 4) for q in (0.025, 0.975)]


def guesser_interval(questions):
    """Of the share one guesser gets right: the spread of the guessing, not of the questions."""
    means = [right(question, uniform(question)) for question in questions]
    spread = [
        p * (1 - p) / (len(question.names) if question.type == "select" else 1) for p, question in zip(means, questions)
    ]
    mean, margin = float(np.mean(means)), 1.96 * math.sqrt(sum(spread)) / len(questions)
    return [round(max(0.0, mean - margin), 4), round(min(1.0, mean + margin), 4)]


def entry(rows, rights, losses=None):
    loss = None if losses is None else round(float(np.mean(losses)), 4)
    return {
        "n": len(rights),
        "right": round(float(np.mean(rights)), 4),
        "interval": interval(rows, rights),
        "log_loss": loss,
    }


def ranks(values):
    """From 1, ties sharing their mean."""
    values = np.asarray(values)
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]


def spearman(a, b):
    """None when one of them does not change."""
    a, b = ranks(a), ranks(b)
    return None if a.std() == 0 or b.std() == 0 else round(float(np.corrcoef(a, b)[0, 1]), 4)


def graded(questions, answers):
    rights = [right(question, p) for question, p in zip(questions, answers)]
    result = entry(
        [question.row for question in questions],
        rights,
        [log_loss(question, p) for question, p in zip(questions, answers)],
    )
    if questions[0].type == "score" and len({len(question.names) for question in questions}) == 1:
        levels = np.arange(len(questions[0].names))
        result["spearman"] = spearman(
            [round(float(p @ levels), 9) for p in answers], [float(question.target @ levels) for question in questions]
        )
    return result


# --- all together


def read_dev(data, limits):
    """Decisions, and reads as (source, row, question id, type, truth, accepted)."""
    decisions, reads, files, is_picture = [], [], {}, {}
    for path in sorted(glob.glob(f"{data}/dev/*/dev.jsonl.gz")):
        rows = list(lines(path))
        has_pictures = bool(picture_paths(rows[0]["state"]))
        rows = rows[: limits[has_pictures]]
        with open(path, "rb") as file:
            files[os.path.basename(os.path.dirname(path))] = {
                "rows": len(rows),
                "sha256": hashlib.sha256(file.read()).hexdigest(),
            }
        for row in rows:
            is_picture[row["source"]] = has_pictures
            for name, truth in row["truth"].items():
                question = row["questions"][name]
                if question["type"] in DECISIONS:
                    decisions.append(with_words(decision(row, row["id"], name)))
                elif question["type"] in ("fill", "extract"):
                    reads.append((row["source"], row["id"], name, question, truth, row.get("accept", {}).get(name, [])))
    return decisions, reads, files, is_picture


def dev_words(data):
    """The words of every dev row, calibration halves included."""
    return {said(row["state"]) for path in glob.glob(f"{data}/dev/*/*.jsonl.gz") for row in lines(path)} - {None}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data")
    parser.add_argument("out")
    parser.add_argument("--text-limit", type=int, default=200)
    parser.add_argument("--picture-limit", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    decisions, reads, files, is_picture = read_dev(
        options.data, {False: options.text_limit, True: options.picture_limit}
    )
    training = Training(options.data, set(is_picture), dev_words(options.data), rng)
    print(f"read in {seconds():.0f} s; questions left out: {+training.left_out}")

    # (source, type) -> baseline -> answers, in the order of the questions of that source and type
    groups = collections.defaultdict(list)
    for question in decisions:
        groups[question.source, question.type].append(question)
    answers, notes = collections.defaultdict(dict), {}
    for key, questions in groups.items():
        answers[key]["chance"] = [uniform(question) for question in questions]
        priors = [training.prior(question) for question in questions]
        answers[key]["majority"] = answers[key]["chance"] if priors[0] is None else priors
    for kind in DECISIONS:
        sample = training.sample(kind, rng)
        keys = [key for key in groups if key[1] == kind and training.count[key] > 0]
        questions = [question for key in keys for question in groups[key]]
        for name, is_crossed in (("tfidf", False), ("crossed", True)):
            model = BagOfWords(is_crossed).fit(sample, random.Random(options.seed))
            found = iter(model.answer(questions))
            for key in keys:
                answers[key][name] = [next(found) for _ in groups[key]]
            notes[f"{kind} {name}"] = model.note
            print(kind, name, model.note, f"{seconds():.0f} s")

    tasks = collections.defaultdict(dict)
    sums = collections.defaultdict(lambda: ([], collections.defaultdict(list)))
    for (source, kind), questions in sorted(groups.items()):
        tasks[source][kind] = {"trained_on": training.count[source, kind]}
        for name, found in answers[source, kind].items():
            tasks[source][kind][name] = graded(questions, found)
        tasks[source][kind]["chance"]["interval"] = guesser_interval(questions)
        if source not in IN_NO_SUM:
            together, by_name = sums["(all pictures)" if is_picture[source] else "(all text)", kind]
            together.extend(questions)
            for name in ("chance", "majority", "tfidf", "crossed"):
                by_name[name].extend(answers[source, kind].get(name, answers[source, kind]["chance"]))
    for (whose, kind), (questions, by_name) in sums.items():
        tasks[whose][kind] = {name: graded(questions, found) for name, found in by_name.items()}
        tasks[whose][kind]["chance"]["interval"] = guesser_interval(questions)

    guessed = collections.defaultdict(list)
    for source, row, name, question, truth, accept in reads:
        kind = type_of(question)
        if question["type"] == "extract":
            baseline, value = "not_there", float(truth is None or truth == [])
        else:
            given = training.most_frequent(source, name, kind)
            baseline, value = (
                "most_frequent",
                float(given is not None and any(same(one, given) for one in (truth, *accept))),
            )
        wholes = [] if source in IN_NO_SUM else ["(all pictures)" if is_picture[source] else "(all text)"]
        if question["type"] == "extract" or training.count[source, "fill"] > 0:
            wholes.append(source)
        for whose in wholes:
            guessed[whose, kind, baseline].append((row, value))
    for (whose, kind, baseline), values in guessed.items():
        tasks[whose].setdefault(kind, {})[baseline] = entry(*zip(*values))

    made = {
        "by": "models/service-1-pro/training/data/baselines.py",
        "seed": options.seed,
        "limits": {"text": options.text_limit, "pictures": options.picture_limit},
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "scikit-learn": sklearn.__version__},
        "cpu_seconds": round(seconds()),
        "left_out": dict(+training.left_out),
        "models": notes,
        "files": files,
    }
    with open(options.out, "w") as file:
        json.dump({"made": made, "tasks": dict(sorted(tasks.items()))}, file, indent=1)
        file.write("\n")
    print_table(tasks)


def seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def print_table(tasks):
    print(
        "| task, type | questions | trained on | chance | majority | tfidf | crossed | other |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    for whose, kinds in sorted(tasks.items()):
        for kind, found in sorted(kinds.items()):
            cells = []
            for name in ("chance", "majority", "tfidf", "crossed", "not_there", "most_frequent"):
                one = found.get(name)
                said_so = (
                    ""
                    if one is None
                    else f"{one['right']:.3f}" + ("" if one["log_loss"] is None else f" / {one['log_loss']:.3f}")
                )
                said_so += "" if one is None or one.get("spearman") is None else f" (ρ {one['spearman']:.2f})"
                cells.append(said_so)
            n = next(one["n"] for one in found.values() if isinstance(one, dict))
            print(
                f"| {whose} {kind} | {n} | {found.get('trained_on', '')} "
                f"| {' | '.join(cells[:4])} | {''.join(cells[4:])} |"
            )


if __name__ == "__main__":
    main()
