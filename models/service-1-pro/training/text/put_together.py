"""Statements put together from the claims of rows, to measure what ships: nothing is trained on them, since the engine
answers them from these claims.
"""

import random

DENIED = [
    "It is not the case that {0}",
    "This is false: {0}",
    "Is the following untrue? {0}",
    'The statement "{0}" is false.',
]
BOTH = ["Both of these are true: {0} {1}", '"{0}" and "{1}"', "Do both of the following hold? (1) {0} (2) {1}"]
EITHER = ["At least one of these is true: {0} {1}", 'Either "{0}" or "{1}", or both.']
NEITHER = ["None of the following is true: {0} {1}", "Neither of these holds: (1) {0} (2) {1}"]
TWO_OF_THREE = ["At least two of these three are true: {0} {1} {2}"]
KINDS = {
    "not": (DENIED, 1, lambda held: held == 0),
    "both": (BOTH, 2, lambda held: held == 2),
    "either": (EITHER, 2, lambda held: held >= 1),
    "neither": (NEITHER, 2, lambda held: held == 0),
    "two of three": (TWO_OF_THREE, 3, lambda held: held >= 2),
}


def claims_of(row):
    """[(claim, whether it holds)] of the plain sentences among the claims of a row."""
    asked = ((one, row["truth"].get(name)) for name, one in row["questions"].items() if one["type"] == "noul")
    said = ((one.get("instructions"), truth) for one, truth in asked if truth in (0, 1))
    return [(one, bool(truth)) for one, truth in said if isinstance(one, str) and one.endswith(".") and '"' not in one]


def rows(about, seed):
    """Rows with one statement of each kind, about the states of those rows that have three claims or more."""
    rnd = random.Random(seed)
    for n, row in enumerate(about):
        claims = claims_of(row)
        if len(claims) < 3:
            continue
        questions, truth = {}, {}
        for name, (wordings, count, holds) in KINDS.items():
            taken = rnd.sample(claims, count)
            said = rnd.choice(wordings).format(*(claim for claim, _ in taken))
            questions[name] = {"type": "noul", "instructions": said}
            truth[name] = holds(sum(is_true for _, is_true in taken))
        yield {**row, "id": f"put-together-{n}", "questions": questions, "truth": truth, "evidence": {}}
