"""swarnaHub/ExplaGraphs: whether an argument is for or against a belief."""

from data.shared.rows import named

REPOSITORY = "swarnaHub/ExplaGraphs"
SIDES = [("belief", "argument"), ("opinion", "reason"), ("proposal", "comment"), ("A", "B")]
ASKS = [
    ("What is the {second} to the {first}?", ("support", "counter")),
    ("Stance of the {second} towards the {first}", ("for", "against")),
    ("Does the {second} speak for or against the {first}?", ("it speaks for it", "it speaks against it")),
    ("Which side is the {second} on?", ("agrees", "disagrees")),
]
CLAIMS = {
    "The {second} supports the {first}.": "support",
    "Whoever says the {second} agrees with the {first}.": "support",
    "The {second} speaks against the {first}.": "counter",
    "The {second} is an objection to the {first}.": "counter",
}


def asked(first, second, label, rnd):
    """A choice and two claims about one pair, and their truth."""
    ask, names = rnd.choice(ASKS)
    questions = {"stance": {"type": "choice", "instructions": ask.format(first=first, second=second)}}
    questions["stance"]["criteria"] = list(names if rnd.random() < 0.5 else names[::-1])
    truth = {"stance": names[label != "support"]}
    for n, (claim, when) in enumerate(rnd.sample(sorted(CLAIMS.items()), 2)):
        questions[f"claim{n}"] = {"type": "noul", "instructions": claim.format(first=first, second=second)}
        truth[f"claim{n}"] = label == when
    return questions, truth


def row(name, licence, belief, argument, label, rnd):
    """One pair as text or as a record, and what is asked about it; `name`: source and number."""
    first, second = rnd.choice(SIDES)
    questions, truth = asked(first, second, label, rnd)
    return {
        "id": name,
        "source": name.rsplit("-", 1)[0],
        "task": "stance",
        "licence": licence,
        "state": named({first: belief, second: argument}, rnd.random() < 0.4),
        "questions": questions,
        "truth": truth,
    }


def read(show, rnd):
    count = 0
    for path in ("data/train.tsv", "data/dev.tsv"):
        for line in show(path).splitlines():
            belief, argument, label = line.split("\t")[:3]
            yield row(f"explagraphs-{count:06d}", "MIT", belief, argument, label, rnd)
            count += 1
