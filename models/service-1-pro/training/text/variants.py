"""Other questions about the same state, which training asks in place of some of a row's own or beside them. Each
function takes words and gives words; reader.py makes pieces of them. README.md has the table of how often.
"""

import re

import denials

# Tasks whose false claims are false, and not only left open by the text.
CLOSED = ("case-", "letter-", "record-", "dialogue-", "document-", "policy-", "table-")
# Of claims: a choice of two, a denial in natural words (where there is one) alone, and beside the claim. Sentences
# before a claim ("It is not true that …") and claims put together are read by the engine as what they are made of.
AS_CHOICE, DENIED, TWINS = 0.03, 0.06, 0.15
AS_CLAIM = 0.12  # of choices: one option, right or wrong, becomes a claim; of scales: a level or what is above it
BESIDE = 0.6  # of those claims: asked beside the question they are made of
MERGED = 0.06  # of choices and scales: two options become one
NONE_SHOWN, NONE_RIGHT, FEWEST_LEFT = 0.25, 0.5, 2  # of choices; of those; other options at least
STATEMENTS, MOST_STATEMENTS = 0.3, 4  # of states that a claim is true of and another false: which of some is true
DENIAL_SHOWN = 0.5  # of those: what denies the true one stands among them, where it has a denial

NONE_NAMED = re.compile(r"\b(none|no|not|other|out of scope|unknown|neither|nothing|undetermined|cannot|can't)\b", re.I)
NONES = [
    "none of these",
    "none of the above",
    "none",
    "no option fits",
    "none of them",
    "something else",
    "nothing fits",
    "other",
    "neither",
    "no match",
]
TWO = [("yes", "no"), ("true", "false"), ("it holds", "it does not hold"), ("agree", "disagree"), ("correct", "wrong")]
ANSWERED = ["{asked} {option}", "{asked} - {option}", "{asked} Answer: {option}", "{option} ({asked})"]
REACHED = [
    '{asked} "{option}" or more, of: {scale}',
    "{asked} At least: {option}. (Levels: {scale})",
    "{asked} {option}, or above it. Of {scale}",
]
WHICH = [
    "Which statement is true?",
    "Which of these is true?",
    "Which is right?",
    "Which one holds?",
    "What is the case?",
    "Which statement fits?",
    "What does it say?",
    "Pick the true statement.",
    "what holds",
]
EITHER = ["{} or {}", "either {} or {}", "one of the two: {}, {}", "{} / {}"]


def nothing_fits(options, truth, evidence, rnd):
    """Now and then an option that says that none of the others fits, which half of the time is so, because the right
    one was left out. `options` are (name, description); gives them, the right name and its evidence.
    """
    if len(options) <= FEWEST_LEFT or rnd.random() >= NONE_SHOWN:
        return options, truth, evidence
    if any(NONE_NAMED.search(name) for name, _ in options):
        return options, truth, evidence
    none = (rnd.choice(NONES), None)
    left_out = rnd.random() < NONE_RIGHT
    options = [option for option in options if not (left_out and option[0] == truth)] + [none]
    rnd.shuffle(options)
    # What decided for the option that was left out decides for nothing that is shown.
    return options, none[0] if left_out else truth, None if left_out else evidence


def merged(options, is_scale, words_of, rnd):
    """Now and then two options (of a scale: two neighbours) are one. Gives what is shown, and where each went."""
    same = list(range(len(options)))
    if len(options) <= FEWEST_LEFT or rnd.random() >= MERGED:
        return options, same
    if is_scale:
        a = rnd.randrange(len(options) - 1)
        b = a + 1
    else:
        a, b = sorted(rnd.sample(range(len(options)), 2))
    if any(NONE_NAMED.search(options[n][0]) for n in (a, b)):
        return options, same
    both = (rnd.choice(EITHER).format(words_of(options[a]), words_of(options[b])), None)
    places = [a if n == b else n - (n > b) for n in same]
    return [both if n == a else option for n, option in enumerate(options) if n != b], places


def as_choice(truth, rnd):
    """A claim as a choice of two: its options and which is right."""
    names = list(rnd.choice(TWO))
    right = names[0] if truth > 0.5 else names[1]
    rnd.shuffle(names)
    return names, names.index(right)


def denial(claim, task):
    """The claim's opposite in natural words, or None: where there is none, and where false means left open."""
    return denials.denied(claim) if task.startswith(CLOSED) else None


def as_claim(asked, options, target, rnd):
    """A choice as the claim that one of its options is the answer, true half of the time; a scale (its target are
    shares) as the claim that a level is reached. Gives the claim, its truth, and the options that it is about.
    """
    if isinstance(target, list):
        at = rnd.randrange(1, len(options))
        claim = rnd.choice(REACHED).format(asked=asked, option=options[at], scale=", ".join(options))
        return claim, sum(target[at:]), list(range(at, len(options)))
    named = [n for n, one in enumerate(options) if not NONE_NAMED.search(one)] or list(range(len(options)))
    holds = rnd.random() < 0.5
    at = rnd.choice([n for n in named if (n == target) == holds] or named)
    return rnd.choice(ANSWERED).format(asked=asked, option=options[at]), float(at == target), [at]


def which_statement(row, rnd):
    """Now and then claims about a state as the options of one choice, of which one is true; its denial may stand among
    them. Gives what is asked, the options, which is right and the name of the claim that it is; or None.
    """
    if rnd.random() >= STATEMENTS:
        return None
    claims = {True: [], False: []}
    for name, asked in row["questions"].items():
        truth, said = row["truth"].get(name), asked.get("instructions")
        if asked["type"] == "noul" and isinstance(said, str) and truth in (0, 1):
            claims[truth == 1].append((name, said))
    if not claims[True]:
        return None
    name, right = rnd.choice(claims[True])
    wrong = [said for _, said in claims[False]]
    denied = denial(right, row["task"]) if rnd.random() < DENIAL_SHOWN else None
    wrong = rnd.sample(wrong, min(len(wrong), rnd.randint(1, MOST_STATEMENTS - 1)))
    options = list(dict.fromkeys([right, *wrong, *([] if denied is None else [denied])]))
    if len(options) < 2:
        return None
    rnd.shuffle(options)
    return rnd.choice(WHICH), options, options.index(right), name
