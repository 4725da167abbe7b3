"""A bag-of-words baseline (for baselines.py): logistic regression on triples of state, question and option.

- Plain: TF-IDF of words and pairs of words, a block for each of the three, and the cosines state-option and
  state-question. Within one choice, state and question are the same for all options, so their blocks cancel: what is
  left is the prior of the option and its likeness to the state.
- Crossed: the plain features, and what cancels there: each word of the state together with the option (for a noul, with
  the words of the claim), and bins of the cosines with option and question. For a state of two parts (premise and
  hypothesis) the cosine of the parts is one of these.

A noul is one triple without an option. The options of a choice and the levels of a score share a softmax; those of a
select stand alone. A choice is trained on its true option and two others.
"""

import hashlib
import math

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

FALSE_OPTIONS = 2  # of a choice, in training
SELECT_OPTIONS = 4
STRENGTHS = (1.0, 8.0)  # C
TEMPERATURES = np.exp(np.linspace(-1.2, 1.2, 25))
COLUMNS = 1 << 20  # of the crossed features
BINS = 10


def triples(question):
    most = {"noul": 1, "choice": 1 + FALSE_OPTIONS, "score": 99, "select": SELECT_OPTIONS}[question.type]
    return min(most, max(1, len(question.names)))


class Words:
    """TF-IDF of texts over words and pairs of words that occur twice, and which columns are single words."""

    def __init__(self, questions):
        texts = sorted({text for question in questions for text in (question.state, question.text, *question.options)})
        self.vectorizer = TfidfVectorizer(
            ngram_range=(1, 2), token_pattern=r"(?u)\b\w+\b", min_df=2, sublinear_tf=True, dtype=np.float32
        )
        self.vectorizer.fit(texts)
        self.is_word = np.array([" " not in name for name in self.vectorizer.get_feature_names_out()])

    def table(self, questions):
        """Rows of TF-IDF and the row of each text."""
        texts = sorted({text for q in questions for text in (q.state, q.text, *q.options, *(q.parts or ()))} | {""})
        return self.vectorizer.transform(texts), {text: at for at, text in enumerate(texts)}


def hashed(*parts):
    return int.from_bytes(hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest(), "little") >> 1


def features(words, questions, chosen, is_crossed):
    """One row a triple; `chosen`: the options of each question that are wanted."""
    table, at = words.table(questions)
    states, texts, options, firsts, seconds, focuses = [], [], [], [], [], []
    for question, wanted in zip(questions, chosen):
        parts = question.parts or ("", "")
        for option in wanted:
            states.append(at[question.state])
            texts.append(at[question.text])
            options.append(at[question.options[option] if question.options else ""])
            firsts.append(at[parts[0]])
            seconds.append(at[parts[1]])
            focuses.append((question, option))
    states = np.array(states)

    def cosine(a, b):
        return np.asarray(table[a].multiply(table[b]).sum(1)).ravel()

    cosines = np.stack([cosine(states, options), cosine(states, texts)], 1)
    blocks = [table[states], table[texts], table[options], sparse.csr_matrix(cosines)]
    if is_crossed:
        # Of single words: two sentences that mean the same seldom share a pair.
        single = normalize(table[:, np.flatnonzero(words.is_word)])
        parts = np.asarray(single[firsts].multiply(single[seconds]).sum(1))
        blocks += [
            sparse.csr_matrix(parts),
            crossings(single, at, states, np.concatenate([cosines, parts], 1), focuses),
        ]
    return sparse.hstack(blocks, format="csr", dtype=np.float32)


def crossings(single, at, states, cosines, focuses):
    """Hashed features: words of the state with what is asked about, and bins of cosines. `single`: rows of words."""

    def of_row(row):
        return slice(single.indptr[row], single.indptr[row + 1])

    bins = np.minimum((cosines * BINS).astype(int), BINS - 1)
    known, asked = {}, {}

    def focus(question, option):
        """What words of the state are crossed with: the option and the rank of a level, or the words of a claim."""
        if question.type == "noul":
            return single.indices[of_row(at[question.text])].astype(np.int64) * 2 + 1
        keys = [question.options[option]]
        if question.type == "score":
            keys.append(f"level {option} of {len(question.names)}")
        return np.array([hashed(key) % (1 << 40) for key in keys], dtype=np.int64)

    indices, values, ends = [], [], [0]
    for triple, (question, option) in enumerate(focuses):
        key = question.text if question.type == "noul" else (question.options[option], option, len(question.names))
        if key not in known:
            known[key] = focus(question, option)
        with_what = known[key]
        if question.text not in asked:
            asked[question.text] = hashed("question", question.text) % (1 << 40)
        place = of_row(states[triple])
        tokens, bin_tokens = (
            single.indices[place].astype(np.int64),
            -1 - (np.arange(cosines.shape[1]) * BINS + bins[triple]),
        )
        for left, right_side, weights in (
            (tokens, with_what, single.data[place] / math.sqrt(max(1, len(with_what)))),
            (
                bin_tokens,
                np.append(with_what, asked[question.text]),
                np.full(len(bin_tokens), 1 / math.sqrt(len(with_what) + 1)),
            ),
        ):
            indices.append(
                ((left[:, None] * 1_000_003 + right_side[None, :] * 7_919) % 2_147_483_647 % COLUMNS).ravel()
            )
            values.append(np.repeat(weights, len(right_side)))
        ends.append(ends[-1] + len(indices[-2]) + len(indices[-1]))
    shape = (len(focuses), COLUMNS)
    return sparse.csr_matrix((np.concatenate(values), np.concatenate(indices), np.array(ends)), shape=shape)


class BagOfWords:
    """One model of one type. `fit` learns, `logits` is pure."""

    def __init__(self, is_crossed):
        self.is_crossed = is_crossed

    def fit(self, questions, rng):
        rows = sorted({question.row for question in questions})
        held = set(rng.sample(rows, len(rows) // 10))
        learning = [question for question in questions if question.row not in held]
        judging = [question for question in questions if question.row in held]
        self.words = Words(learning)
        chosen = [some_options(question, rng) for question in learning]
        matrix = features(self.words, learning, chosen, self.is_crossed)
        target = np.concatenate([question.target[wanted] for question, wanted in zip(learning, chosen)])
        # A target that lies between is a true and a false example, each with its share.
        between = np.flatnonzero((target > 0) & (target < 1))
        matrix = sparse.vstack([matrix, matrix[between]], format="csr")
        labels = np.concatenate([target > 0, np.zeros(len(between), bool)])
        weights = np.concatenate([np.where((target > 0) & (target < 1), target, 1.0), 1 - target[between]])
        best = math.inf
        for strength in STRENGTHS:
            model = LogisticRegression(C=strength, solver="liblinear", tol=1e-2, max_iter=100).fit(
                matrix, labels, sample_weight=weights
            )
            judged = self.logits(judging, model)
            for temperature in TEMPERATURES:
                loss = np.mean([log_loss(q, probabilities(q, z / temperature)) for q, z in zip(judging, judged)])
                if loss < best:
                    best, self.model, self.temperature, self.strength = loss, model, temperature, strength
        self.note = {
            "questions": len(learning),
            "triples": len(target),
            "C": self.strength,
            "temperature": round(float(self.temperature), 3),
            "held_out_log_loss": round(float(best), 4),
            "held_out_questions": len(judging),
        }
        return self

    def logits(self, questions, model):
        chosen = [range(max(1, len(question.names))) for question in questions]
        flat = model.decision_function(features(self.words, questions, chosen, self.is_crossed))
        ends = np.cumsum([len(wanted) for wanted in chosen])
        return np.split(flat, ends[:-1])

    def answer(self, questions):
        return [
            probabilities(question, z / self.temperature)
            for question, z in zip(questions, self.logits(questions, self.model))
        ]


def some_options(question, rng):
    count = max(1, len(question.names))
    if question.type == "choice":
        true = int(question.target.argmax())
        return [true, *rng.sample([i for i in range(count) if i != true], min(FALSE_OPTIONS, count - 1))]
    return rng.sample(range(count), min(SELECT_OPTIONS, count)) if question.type == "select" else list(range(count))


def probabilities(question, logits):
    if question.type in ("noul", "select"):
        return 1 / (1 + np.exp(-logits))
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()


def log_loss(question, p):
    p, y = np.clip(p, 1e-12, 1 - 1e-12), question.target
    if question.type in ("noul", "select"):
        return float(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))
    return float(-np.sum(y * np.log(p)))
