"""unsaid/: what a text leaves out, only touches on, or does not answer; a text alone, or an inquiry and its reply."""
from .asking import Row, few
from .slots import put, read_as

MISSING = ["Which of these are missing?", "What does the text leave out?", "Which points are not told?",
           "Tick what you would have to ask about."]
GIVEN = ["Which of these are told?", "What does the text give?", "Which points are settled?"]
OPEN = ["Which questions stay unanswered?", "What did the reply leave open?", "Which points must be asked again?"]
HOW = ["{}: is it there?", "Does the text settle this: {}", "Is it told: {}"]
HOW_NAMES = [["told", "not told"], ["stated", "not stated"], ["given", "left open"], ["answered", "no answer"]]
ALL = ["Every question is answered.", "The reply answers everything that was asked.", "Nothing was left unanswered."]
SOME_OPEN = [
    "At least one question was left open.", "Not everything was answered.", "Part of the inquiry went unanswered.",
]
MANY = ["How complete is the reply?", "How much of the inquiry is answered?"]
MANY_LEVELS = [["nothing answered", "partly answered", "fully answered"], ["none", "some", "all"]]
COUNT = ["How many of the questions stay open?", "Number of unanswered questions"]


def draw(f, rnd):
    row, used, slots = Row(), {}, f["slots"]
    inquiry = bool(f.get("inquiry")) and rnd.random() < 0.45
    details = f["details"]
    asked = rnd.sample(details, rnd.randint(2, min(5, len(details)))) if inquiry else []
    if inquiry:
        full = rnd.random()
    said, state, proof = [], {}, {}
    for d in details:
        if inquiry and d in asked and full < 0.3:
            how = "said"
        elif inquiry and d not in asked:
            how = rnd.choice(["said", "none", "none"])
        else:
            how = rnd.choice(["said", "said", "near", "none"] if d.get("near") else ["said", "none"])
        state[d["id"]] = how
        if how != "none":
            proof[d["id"]] = put(rnd.choice(d["says" if how == "said" else "near"]), slots, rnd, used)
            said.append(proof[d["id"]])
    for d in details:
        ask_detail(row, d, state[d["id"]], proof.get(d["id"]), used, rnd)

    labels = {d["label"]: state[d["id"]] == "said" for d in details}
    some = rnd.sample(list(labels), min(len(labels), rnd.randint(3, 6)))
    if rnd.random() < 0.6:
        row.select("missing", rnd.choice(MISSING), some, [x for x in some if not labels[x]], rnd)
    else:
        row.select("given", rnd.choice(GIVEN), some, [x for x in some if labels[x]], rnd)

    if inquiry:
        left = [d["label"] for d in asked if state[d["id"]] != "said"]
        row.claim("all", rnd.choice(ALL), not left)
        row.claim("some", rnd.choice(SOME_OPEN), bool(left))
        row.select("open", rnd.choice(OPEN), [d["label"] for d in asked], left, rnd)
        level = 2 if not left else 0 if len(left) == len(asked) else 1
        row.score("many", rnd.choice(MANY), list(rnd.choice(MANY_LEVELS)), level)
        row.value("count", rnd.choice(COUNT), "int", len(left))
        # The inquiry is asked about in words of its own.
        for d in details:
            if d.get("asked") and rnd.random() < 0.4:
                row.claim(f"{d['id']}-asked", rnd.choice(d["asked"]), d in asked)

    said += [put(t, slots, rnd, used) for t in rnd.sample(f["filler"], rnd.randint(1, min(4, len(f["filler"]))))]
    rnd.shuffle(said)
    gap = rnd.choice([" ", " ", "\n"])
    text = put("\n".join(x for x in [rnd.choice(f["open"]), gap.join(said), rnd.choice(f["close"])] if x), slots, rnd,
               used)
    if not inquiry:
        row.state = text if rnd.random() < 0.8 else {rnd.choice(["text", "body", "message"]): text}
        return row
    questions = [rnd.choice(d["question"]) for d in asked]
    first = put(" ".join([rnd.choice(f["inquiry"]["open"]), *questions, rnd.choice(f["inquiry"]["close"])]).strip(),
                slots, rnd, used)
    row.state = rnd.choice([
        {"inquiry": first, "reply": text},
        {"question": first, "reply": text},
        f"{first}\n\n---- Reply ----\n\n{text}",
        [{"role": "user", "content": first}, {"role": "assistant", "content": text}],
    ])
    return row


def ask_detail(row, d, how, proof, used, rnd):
    """Whether it is told (both ways), and its value, which may be missing. What only touches on it is no evidence."""
    told = how == "said"
    proof = proof if told else None
    if rnd.random() < 0.6:
        row.claim(f"{d['id']}-told", rnd.choice(d["told"]), told, proof)
    if rnd.random() < 0.6:
        row.claim(f"{d['id']}-untold", rnd.choice(d["untold"]), not told, proof)
    if rnd.random() < 0.3:
        names = rnd.choice(HOW_NAMES)
        ask = rnd.choice(HOW).format(d["label"])
        row.choice(f"{d['id']}-how", ask, names, names[0 if told else 1], rnd, None, proof)
    if d.get("slot") and (told or d["slot"] not in used):
        truth = read_as(used[d["slot"]], d["read"]) if told else None
        row.value(d["id"], rnd.choice(d["ask"]), d["read"], truth, proof)


def pair(f, rnd):
    """One sentence: does it tell a detail, only touch on it, or tell another?"""
    d = rnd.choice(f["details"])
    other = rnd.choice([x for x in f["details"] if x is not d])
    side = rnd.choice(["said", "said", "near" if d.get("near") else "other", "other"])
    row = Row()
    bank = {"said": d["says"], "near": d.get("near"), "other": other["says"]}[side]
    row.state = put(rnd.choice(bank), f["slots"], rnd, {})
    row.claim("told", rnd.choice(d["told"]), side == "said")
    row.claim("untold", rnd.choice(d["untold"]), side != "said")
    return row


def check(f):
    wrong = few(f, {"open": 5, "close": 5, "filler": 8, "details": 7})
    for d in f.get("details", []):
        wrong += few(d, {"says": 6, "told": 3, "untold": 3}, f"detail {d.get('id')}: ")
        if "near" in d:
            wrong += few(d, {"near": 3}, f"detail {d['id']}: ")
        if f.get("inquiry"):
            wrong += few(d, {"question": 4}, f"detail {d['id']}: ")
        if d.get("slot"):
            wrong += few(d, {"ask": 3}, f"detail {d['id']}: ")
            bad = [t for t in d["says"] if "{" + d["slot"] + "}" not in t]
            wrong += [f"detail {d['id']}: no value in: {t}" for t in bad]
    return wrong
