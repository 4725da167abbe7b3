"""claims/: short texts and what follows from them, contradicts them, or stays open."""
from .asking import Row, few, shown

VERDICTS = [
    ("{} Given the text, this", ["follows", "contradicts it", "cannot be told"]),
    ("{} Given the text, this is", ["true", "false", "not known"]),
    ("Is it so, by the text: {}", ["yes", "no", "it does not say"]),
    ("Claim: {}", ["supported", "refuted", "not enough information"]),
    ("What does the text say about this: {}", ["it says so", "it says the opposite", "nothing either way"]),
]
ALIKE = ["How alike are the two in meaning?", "How close is the second to the first?"]
LEVELS = ["about different things", "about the same thing, saying something else", "saying the same"]
SAME = ["The two texts say the same.", "One is a paraphrase of the other.", "Both mean the same thing."]


def draw(f, rnd):
    item = rnd.choice(f["items"])
    row = Row()
    pool = [(s, kind) for kind in ("follows", "contradicts", "open") for s in item[kind]]
    rnd.shuffle(pool)
    for n, (say, kind) in enumerate(pool[: rnd.randint(2, 5)]):
        if kind != "open" or rnd.random() < 0.5:
            # An open claim is not false as such: it is asked with the text named.
            framed = [f"It follows that: {say}", f"According to the text: {say}"]
            row.claim(f"claim{n}", rnd.choice(framed if kind == "open" else [say, say, *framed]), kind == "follows")
        ask, names = rnd.choice(VERDICTS)
        right = names[["follows", "contradicts", "open"].index(kind)]
        question = {"type": "choice", "instructions": ask.format(say), "criteria": shown(names, rnd, {})}
        row.add(f"verdict{n}", question, right)
    other = rnd.choice(f["items"])
    kinds = [(x, 2) for x in item["same"]] + [(x, 1) for x in item["related"]] + [(other["text"], 0)]
    say, level = rnd.choice(kinds)
    row.state = item["text"]
    if other is not item and rnd.random() < 0.4:
        # Two texts: how alike they are.
        row = Row()
        row.state = {"first": item["text"], "second": say}
        row.score("alike", rnd.choice(ALIKE), list(LEVELS), level)
        row.claim("same", rnd.choice(SAME), level == 2)
    return row


def pair(f, rnd):
    """A text and plain claims about it, as people write conditions, most of them bare."""
    item = rnd.choice(f["items"])
    row = Row()
    row.state = rnd.choice([item["text"], item["text"], *item["same"]])
    pool = [(s, kind) for kind in ("follows", "contradicts") for s in item[kind]]
    for n, (say, kind) in enumerate(rnd.sample(pool, min(len(pool), rnd.randint(3, 6)))):
        row.claim(f"claim{n}", say, kind == "follows")
    if rnd.random() < 0.3:
        row.claim("open", f"According to the text: {rnd.choice(item['open'])}", False)
    return row


def check(f):
    return few(f, {"items": 40})
