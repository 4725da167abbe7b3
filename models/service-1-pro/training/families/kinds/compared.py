"""compared/: two texts about the same points; what changed, which one says it, whether they agree."""
from .asking import Row, capital, few
from .slots import put, read_as

IN_ONE = ["{0}: {1}", "{0} says: {1}", "By “{0}”: {1}", "Going by “{0}”: {1}"]
WHICH = ["Which one says it: {}", "Which of the two supports this: {}", "Found where? {}", "Whose is this: {}"]
BOTH, NEITHER = ["both", "both of them"], ["neither", "neither of them"]
CHANGED = ["What differs between the two?", "Which points are not the same in both?", "Where do the two disagree?"]
AGREE = ["The two agree on every point.", "Nothing of substance differs.", "They say the same in other words."]
DIFFER = ["The two disagree somewhere.", "At least one point differs.", "They do not say the same."]
LONE = ["What does only one of the two mention?", "Which points stand in one of them only?",
        "What is missing in one of the two?"]
ON = ["Do the two agree on this: {}", "Compare the two on: {}", "{}: same or different?", "On {} the two are"]
HOW = [["the same", "different"], ["agree", "disagree"], ["same", "not the same"]]
MANY = ["How far apart are the two?", "How many points differ?", "On how many points do they disagree?"]
LEVELS = [["no point differs", "one point differs", "several points differ"], ["none", "one", "two or more"]]


def draw(f, rnd):
    """A point is the same (in other words), different, in one only, or in neither."""
    row, slots = Row(), f["slots"]
    # Slots that are no values of the two are the same in both.
    common = {}
    for name in slots:
        if name not in {v["slot"] for v in f.get("values", [])}:
            put("{" + name + "}", slots, rnd, common)
    used = (dict(common), dict(common))
    labels = list(rnd.choice(f["labels"]))
    texts, state, proof = ([], []), {}, {}
    rest = rnd.random()
    for a in f["aspects"]:
        how = rnd.choices(["same", "different", "first", "second", "none"], [3, 0 if rest < 0.2 else 5,
                          *([0, 0] if rest < 0.4 else [1, 1]), 2])[0]
        keys = list(a["states"])
        one = rnd.choice(keys)
        two = one if how == "same" else rnd.choice([k for k in keys if k != one])
        pair_of = [None if how in ("none", "second") else one, None if how in ("none", "first") else two]
        told = []
        for side, key in enumerate(pair_of):
            if key is not None:
                bank = [t for t in a["states"][key]["says"] if t not in told]
                told.append(rnd.choice(bank))
                proof[a["id"], side] = put(told[-1], slots, rnd, used[side])
                texts[side].append(proof[a["id"], side])
        state[a["id"]] = pair_of

    # Values: the same slot, with the same or with two values.
    values = {}
    for v in f.get("values", []):
        if rnd.random() < 0.75:
            same = rest < 0.2 or rnd.random() < 0.4
            put("{" + v["slot"] + "}", slots, rnd, used[0])
            for _ in range(20):
                used[1].pop(v["slot"], None)
                put("{" + v["slot"] + "}", slots, rnd, used[1])
                if read_as(used[1][v["slot"]], v["read"]) != read_as(used[0][v["slot"]], v["read"]):
                    break
            if same:
                used[1][v["slot"]] = used[0][v["slot"]]
            bank = rnd.sample(v["says"], 2)
            for side in (0, 1):
                proof[v["id"], side] = put(bank[side], slots, rnd, used[side])
                texts[side].append(proof[v["id"], side])
            values[v["id"]] = [read_as(used[side][v["slot"]], v["read"]) for side in (0, 1)]

    ask_aspects(row, f, labels, state, proof, rnd)
    ask_values(row, f, labels, values, proof, rnd)
    ask_whole(row, f, state, values, rnd)

    for side in (0, 1):
        if f.get("filler"):
            texts[side].extend(put(t, slots, rnd, used[side]) for t in rnd.sample(f["filler"], rnd.randint(0, 2)))
    if not f.get("ordered"):
        rnd.shuffle(texts[0])
        if rnd.random() < 0.7:
            rnd.shuffle(texts[1])
    whole = [put(" ".join(x for x in [rnd.choice(f["open"]), *texts[s]] if x), slots, rnd, used[s]) for s in (0, 1)]
    row.state = written(labels, whole, rnd)
    return row


def ask_aspects(row, f, labels, state, proof, rnd):
    for a in f["aspects"]:
        told = state[a["id"]]
        # A claim about one of the two.
        side = rnd.randrange(2)
        key = told[side] if rnd.random() < 0.55 else rnd.choice([k for k in a["states"] if k != told[side]])
        key = key or rnd.choice(list(a["states"]))
        claim = rnd.choice(a["states"][key]["claims"])
        if told[side] or rnd.random() < 0.25:
            say = rnd.choice(IN_ONE).format(labels[side], claim)
            row.claim(f"{a['id']}-in", say, told[side] == key, proof.get((a["id"], side)))
        # Which of the two says it.
        key = rnd.choice([k for k in told if k] or list(a["states"]))
        claim = rnd.choice(a["states"][key]["claims"])
        both, neither = rnd.choice(BOTH), rnd.choice(NEITHER)
        right = {(True, True): both, (True, False): labels[0], (False, True): labels[1], (False, False): neither}[
            told[0] == key, told[1] == key]
        if rnd.random() < 0.5:
            where = [proof[a["id"], s] for s in (0, 1) if told[s] == key]
            row.choice(f"{a['id']}-which", rnd.choice(WHICH).format(claim), [*labels, both, neither], right, rnd, None,
                       where[0] if len(where) == 1 else None)
        # Whether the point changed.
        if all(told):
            if a.get("changed"):
                row.claim(f"{a['id']}-changed", rnd.choice(a["changed"]), told[0] != told[1])
            if rnd.random() < 0.5:
                names = rnd.choice(HOW)
                row.choice(f"{a['id']}-how", rnd.choice(ON).format(a["label"]), names, names[told[0] != told[1]], rnd)


def ask_values(row, f, labels, values, proof, rnd):
    for v in f.get("values", []):
        side = rnd.randrange(2)
        ask = rnd.choice(["{0}: {1}", "In “{0}”: {1}"]).format(labels[side], rnd.choice(v["ask"]))
        if v["id"] not in values:
            if v["read"] == "extract":
                row.value(f"{v['id']}-in", ask, "extract", None)
            continue
        one, two = values[v["id"]]
        row.value(f"{v['id']}-in", ask, v["read"], (one, two)[side], proof[v["id"], side])
        if v.get("changed"):
            row.claim(f"{v['id']}-changed", rnd.choice(v["changed"]), one != two)
        for word, holds in (("up", lambda: two > one), ("down", lambda: two < one)):
            if v.get(word) and rnd.random() < (0.8 if one != two else 0.25):
                row.claim(f"{v['id']}-{word}", rnd.choice(v[word]), holds())


def ask_whole(row, f, state, values, rnd):
    differ = [a["label"] for a in f["aspects"] if all(state[a["id"]]) and len(set(state[a["id"]])) == 2]
    differ += [v["label"] for v in f.get("values", []) if v["id"] in values and len(set(values[v["id"]])) == 2]
    lone = [a["label"] for a in f["aspects"] if any(state[a["id"]]) and not all(state[a["id"]])]
    either = [a["label"] for a in f["aspects"] if all(state[a["id"]]) or not any(state[a["id"]])]
    either += [v["label"] for v in f.get("values", []) if v["id"] in values]
    if len(either) > 2:
        some = rnd.sample(either, min(len(either), rnd.randint(3, 6)))
        row.select("differ", rnd.choice(CHANGED), some, differ, rnd)
    if lone:
        points = [a["label"] for a in f["aspects"]]
        some = rnd.sample(points, min(len(points), rnd.randint(3, 6)))
        row.select("lone", rnd.choice(LONE), some, lone, rnd)
    else:
        # Asked only where no point stands in one of them alone: else "differs" could be read in two ways.
        row.claim("agree", rnd.choice(AGREE), not differ)
        row.claim("disagree", rnd.choice(DIFFER), bool(differ))
        row.score("many", rnd.choice(MANY), list(rnd.choice(LEVELS)), min(2, len(differ)))


def written(labels, whole, rnd):
    """The two as fields or as one text with headings."""
    form = rnd.randrange(5)
    if form == 0:
        return {labels[0]: whole[0], labels[1]: whole[1]}
    if form == 1:
        return [{"which": labels[s], "text": whole[s]} for s in (0, 1)]
    if form == 2:
        return "\n\n".join(f"== {labels[s]} ==\n{whole[s]}" for s in (0, 1))
    if form == 3:
        return "\n\n".join(f"{capital(labels[s])}:\n{whole[s]}" for s in (0, 1))
    return "\n\n".join(f"## {labels[s]}\n\n{whole[s]}" for s in (0, 1))


def pair(f, rnd):
    """One sentence, and claims of its own state and of another."""
    a = rnd.choice(f["aspects"])
    key = rnd.choice(list(a["states"]))
    row = Row()
    row.state = put(rnd.choice(a["states"][key]["says"]), f["slots"], rnd, {})
    for n, k in enumerate(a["states"]):
        row.claim(f"claim{n}", rnd.choice(a["states"][k]["claims"]), k == key)
    return row


def check(f):
    wrong = few(f, {"labels": 2, "open": 4, "aspects": 6})
    for a in f.get("aspects", []):
        if len(a["states"]) < 2:
            wrong.append(f"aspect {a['id']}: {len(a['states'])} states of 2")
        for name, x in a["states"].items():
            wrong += few(x, {"says": 5, "claims": 3}, f"aspect {a['id']} {name}: ")
    for v in f.get("values", []):
        wrong += few(v, {"says": 5, "ask": 3}, f"value {v['id']}: ")
    return wrong
