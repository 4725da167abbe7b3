"""From (premise, hypothesis, label) to requests: what every converter of inference pairs shares.

Labels: `entails`, `contradicts`, `neutral` (may or may not be), `not` (does not follow, more is not known). Most claims
are asked bare, as users ask them: what words around a claim cost in learning was measured (README.md). A bare claim
that the text says nothing about counts as hardly true (NEUTRAL); behind words that ask what follows it is not. A set
that knows `not` is two-way: nothing in it is asked that only what is entailed could be asked, which would tell.
"""

import collections

from data.shared.rows import named

FOLLOWS = [
    "It follows that: {}",
    "According to the text: {}",
    "From the text one can conclude: {}",
    "The text says so: {}",
    "The text supports this claim: {}",
    "Given the text, this is true: {}",
]
ASKED_BARE, NEUTRAL = 0.7, 0.1
BARE = ["{}", "{}", "{}", "{}", "Is it so: {}", "True or not: {}"]
VERDICTS = [
    ("Claim: {}", ["supported", "refuted", "not enough information"]),
    ("{} Given the text, this is", ["true", "false", "not known"]),
    ("{} Given the text, this", ["follows", "contradicts it", "cannot be told"]),
    ("Is it so, by the text: {}", ["yes", "no", "it does not say"]),
    ("What does the text say about this: {}", ["it says so", "it says the opposite", "nothing either way"]),
]
RELATION = [
    ("How does the second text relate to the first?", ["entailment", "contradiction", "neutral"]),
    ("Judge the {second} against the {first}.", ["follows from it", "contradicts it", "neither"]),
    ("Is the {second} true, given the {first}?", ["definitely true", "definitely false", "cannot be said"]),
    ("What is the {second} to the {first}?", ["a consequence", "a contradiction", "neither of the two"]),
]
SIDES = [
    ("premise", "hypothesis"),
    ("text", "claim"),
    ("first", "second"),
    ("sentence", "statement"),
    ("source", "summary"),
    ("A", "B"),
]
SECOND_FOLLOWS = [
    "The {second} follows from the {first}.",
    "If the {first} is true, so is the {second}.",
    "The {first} supports the {second}.",
    "The {first} implies the {second}.",
]
CLASH = [
    "The two contradict each other.",
    "The {second} cannot be true if the {first} is.",
    "The {first} and the {second} exclude each other.",
]
ORDER = {"entails": 0, "contradicts": 1, "neutral": 2}
MOST_CLAIMS = 5
LABELS = {"entailment": "entails", "contradiction": "contradicts", "neutral": "neutral"}  # as most sets name them
FALSE = 1.25  # of evened pairs: those of which the second text does not follow, to one of which it does


def shown(names, rnd):
    names = list(names)
    rnd.shuffle(names)
    return names if rnd.random() < 0.4 else dict.fromkeys(names)


def about(hypotheses, three_way, rnd):
    """Questions about one premise: claims, and bare ones and verdicts where three labels are known."""
    questions, truth = {}, {}
    for n, (said, label) in enumerate(hypotheses):
        if three_way and rnd.random() < 0.3:
            ask, names = rnd.choice(VERDICTS)
            questions[f"verdict{n}"] = {
                "type": "choice",
                "instructions": ask.format(said),
                "criteria": shown(names, rnd),
            }
            truth[f"verdict{n}"] = names[ORDER[label]]
        else:
            bare = three_way and rnd.random() < ASKED_BARE
            questions[f"claim{n}"] = {
                "type": "noul",
                "instructions": rnd.choice(BARE if bare else FOLLOWS).format(said),
            }
            truth[f"claim{n}"] = NEUTRAL if bare and label == "neutral" else label == "entails"
    return questions, truth


def together(premise, said, label, three_way, rnd):
    """Both texts as the state, and questions about how they stand to each other."""
    first, second = rnd.choice(SIDES)
    state = named({first: premise, second: said}, rnd.random() < 0.3)
    questions = {
        "follows": {"type": "noul", "instructions": rnd.choice(SECOND_FOLLOWS).format(first=first, second=second)}
    }
    truth = {"follows": label == "entails"}
    if three_way:
        ask, names = rnd.choice(RELATION)
        questions["relation"] = {
            "type": "choice",
            "instructions": ask.format(first=first, second=second),
            "criteria": shown(names, rnd),
        }
        truth["relation"] = names[ORDER[label]]
        questions["clash"] = {"type": "noul", "instructions": rnd.choice(CLASH).format(first=first, second=second)}
        truth["clash"] = label == "contradicts"
    return state, questions, truth


def evened(triples, rnd):
    """Of sets that mostly leave a claim open: (premise, hypothesis, label) with as many that contradict as follow at
    most, the open ones fill up, so that claims are about as often true as not.
    """
    by_label = collections.defaultdict(list)
    for one in triples:
        by_label[one[2]].append(one)
    kept, left = by_label["entails"], round(FALSE * len(by_label["entails"]))
    for label, most in (("contradicts", len(kept)), ("neutral", left)):
        taken = rnd.sample(by_label[label], min(len(by_label[label]), most, left))
        kept, left = kept + taken, left - len(taken)
    return kept


def rows(pairs, source, licence, rnd):
    """Rows of one source; hypotheses on one premise share a row."""
    by_premise, labels = collections.defaultdict(list), set()
    for premise, said, label in pairs:
        labels.add(label)
        premise, said = " ".join(premise.split()), " ".join(said.split())
        if premise and said:
            by_premise[premise].append((said, label))
    count, three_way = 0, labels <= ORDER.keys()
    for premise, hypotheses in by_premise.items():
        rnd.shuffle(hypotheses)
        alone = [one for one in hypotheses if rnd.random() < 0.8]
        made = [
            (premise, *about(alone[at : at + MOST_CLAIMS], three_way, rnd)) for at in range(0, len(alone), MOST_CLAIMS)
        ]
        made += [together(premise, *one, three_way, rnd) for one in hypotheses if one not in alone]
        for state, questions, truth in made:
            yield {
                "id": f"{source}-{count:06d}",
                "source": source,
                "task": "inference",
                "licence": licence,
                "state": state,
                "questions": questions,
                "truth": truth,
            }
            count += 1
