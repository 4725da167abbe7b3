"""dialogues/: several speakers; who said, asked, refused, agreed to what. As lines of text or as JSON messages."""
import re

from .asking import Row, capital, few, left_out, options_of
from .slots import FIRST, put, read_as

OUTCOMES = {
    "yes": ["granted", "agreed to", "accepted"],
    "no": ["refused", "turned down", "rejected"],
    "open": ["left open", "no clear answer", "put off"],
    "unasked": ["never asked for", "did not come up", "nobody asked"],
}
DID = ["What does {who} do here?", "Which of these did {who} do?", "Tick what {who} does.", "{who}: which apply?"]
FIRST_WORD = ["Who writes first?", "Who starts?", "Who speaks first?"]
LAST_WORD = ["Who has the last word?", "Who writes last?", "Who speaks last?"]
TURNS = ["How many messages does {who} write?", "Number of messages by {who}", "Count the turns of {who}."]
NOBODY = ["nobody", "none of them", "no one"]


def draw(f, rnd):
    row, used, slots = Row(), {}, f["slots"]
    roles = list(f["speakers"])

    # How speakers are shown: by role, or by a name with the role told at the top.
    named = rnd.random() < 0.5
    people = rnd.sample(FIRST, len(roles))
    show = {r: people[i] if named else rnd.choice(f["speakers"][r]["names"]) for i, r in enumerate(roles)}

    def who(role, text):
        """A text with {who} or {Who} in place of the speaker."""
        called = show[role] if named and rnd.random() < 0.6 else rnd.choice(f["speakers"][role]["the"])
        return text.replace("{who}", called).replace("{Who}", capital(called))

    skip = left_out(f.get("clashes", []), rnd)
    blocks, done, said = [], {r: [] for r in roles}, {}

    def say(role, bank):
        """A sentence of a bank, filled, as a turn of a role."""
        text = put(rnd.choice(bank), slots, rnd, used)
        return role, text

    # Acts: somebody of `by` does it, or says that it isn't so, or nobody does.
    for act in f["acts"]:
        if act["id"] in skip:
            continue
        r = rnd.random()
        by = rnd.choice(act["by"])
        if r < 0.4:
            turn = say(by, act["says"])
        elif r < 0.55 and act.get("not"):
            turn = say(by, act["not"])
        else:
            turn = None
        if turn:
            blocks.append([turn])
        doer, proof = (by, turn[1]) if r < 0.4 else (None, turn[1] if turn else None)
        said[act["id"]] = doer
        if doer:
            done[doer].append(act["label"])
        asked = doer if doer and rnd.random() < 0.75 else rnd.choice(act["by"])
        if doer or turn or rnd.random() < 0.5:
            # A sentence of another speaker does not decide what this one did.
            about_it = proof if asked == by else None
            row.claim(act["id"], who(asked, rnd.choice(act["claims"])), asked == doer, about_it)
        if act.get("who") and len(roles) > 1 and (doer or rnd.random() < 0.4):
            names = [show[r] for r in roles] + [rnd.choice(NOBODY)]
            right = show[doer] if doer else names[-1]
            row.choice(f"who-{act['id']}", rnd.choice(act["who"]), names, right, rnd, None, proof if doer else None)

    # Exchanges: asked by one, answered by another in the very next turn.
    for x in f.get("exchanges", []):
        if x["id"] in skip:
            continue
        came = rnd.choice(["yes", "yes", "no", "no", "open", "unasked"])
        proof = None
        if came != "unasked":
            question = say(x["from"], x["asks"])
            answer = say(x["to"], x["dodge" if came == "open" else came])
            blocks.append([question, answer])
            proof = answer[1]
        for part, truth in (("asked", came != "unasked"), ("yes", came == "yes"), ("no", came == "no")):
            if x["claims"].get(part) and rnd.random() < 0.6:
                # Where nothing was settled, only what somebody does can be denied.
                settled = part == "asked" or came in ("yes", "no")
                bank = x["claims"][part] if settled else [c for c in x["claims"][part] if re.search(r"\{[wW]ho\}", c)]
                if not bank:
                    continue
                text = rnd.choice(bank)
                text = who(x["from"] if part == "asked" else x["to"], text)
                row.claim(f"{x['id']}-{part}", text, truth, proof if part != "asked" or not proof else question[1])
        names = {k: rnd.choice(x.get("names", {}).get(k, OUTCOMES[k])) for k in OUTCOMES}
        row.choice(x["id"], rnd.choice(x["ask"]), list(names.values()), names[came], rnd, None, proof)

    # One of several options, a level of a scale, said by a certain speaker.
    for c in f.get("choices", []):
        if c["id"] in skip:
            continue
        keys = list(c["options"])
        pick = rnd.choice(keys + ([None] if c.get("none") else []))
        proof = None
        if pick is not None:
            turn = say(c["by"], c["options"][pick]["says"])
            blocks.append([turn])
            proof = turn[1]
        name = options_of(c["options"], rnd)
        keep = rnd.sample(keys, rnd.randint(min(3, len(keys)), len(keys)))
        keep = list(dict.fromkeys(keep + ([pick] if pick else [])))
        none = rnd.choice(c["none"]) if c.get("none") and (pick is None or rnd.random() < 0.4) else None
        about = {name[k]: c["options"][k].get("about") for k in keep}
        names = [name[k] for k in keep] + ([none] if none else [])
        row.choice(c["id"], who(c["by"], rnd.choice(c["ask"])), names, name.get(pick, none), rnd, about, proof)
    for s in f.get("scales", []):
        if s["id"] in skip or rnd.random() < 0.2:
            continue
        level = rnd.randrange(len(s["levels"]))
        turn = say(s["by"], s["levels"][level]["says"])
        blocks.append([turn])
        levels = [rnd.choice(x["names"]) for x in s["levels"]]
        row.score(s["id"], who(s["by"], rnd.choice(s["ask"])), levels, level, turn[1])

    # Values somebody gives, or nobody.
    for v in f.get("values", []):
        by = rnd.choice(v["by"])
        turn = say(by, v["says"]) if rnd.random() < 0.65 else None
        if turn:
            blocks.append([turn])
        elif v["slot"] in used:
            continue
        truth = read_as(used[v["slot"]], v["read"]) if turn else None
        row.value(v["id"], rnd.choice(v["ask"]), v["read"], truth, turn and turn[1])
        if v.get("who") and len(v["by"]) > 1 and turn:
            names = [show[r] for r in roles]
            row.choice(f"who-{v['id']}", rnd.choice(v["who"]), names, show[by], rnd, None, turn[1])

    for role in roles:
        bank = f["filler"].get(role, []) + f["filler"].get("any", [])
        for text in rnd.sample(bank, min(len(bank), rnd.randint(0, 2))):
            blocks.append([(role, put(text, slots, rnd, used))])
    rnd.shuffle(blocks)
    turns = [t for b in greeting(f["open"], rnd) + blocks + greeting(f["close"], rnd) for t in b]
    turns = [(r, put(t, slots, rnd, used)) for r, t in turns]

    # Neighbouring turns of one speaker become one, as people write.
    merged = []
    for role, text in turns:
        if merged and merged[-1][0] == role and rnd.random() < 0.7:
            so_far = merged[-1][1]
            merged[-1] = (role, f"{so_far}{' ' if so_far[-1] in '.!?)' else ' / '}{text}")
        else:
            merged.append((role, text))

    if len(merged) > 1:
        all_names = [show[r] for r in roles]
        if rnd.random() < 0.25:
            row.choice("first", rnd.choice(FIRST_WORD), all_names, show[merged[0][0]], rnd)
        if rnd.random() < 0.25:
            row.choice("last", rnd.choice(LAST_WORD), all_names, show[merged[-1][0]], rnd)
        if rnd.random() < 0.12:
            role = rnd.choice(roles)
            row.value("turns", who(role, rnd.choice(TURNS)), "int", sum(r == role for r, _ in merged))
    role = rnd.choice(roles)
    labels = [a["label"] for a in f["acts"] if a["id"] in said and role in a["by"]]
    if len(labels) > 2 and rnd.random() < 0.7:
        some = rnd.sample(labels, min(len(labels), rnd.randint(3, 6)))
        row.select("did", who(role, rnd.choice(DID)), some, done[role], rnd)

    row.state = written(merged, show, roles if named else [], rnd)
    return row


def greeting(bank, rnd):
    """An opening or closing: role and text, one or more turns."""
    return [[tuple(turn) for turn in rnd.choice(bank)]]


def written(turns, show, told, rnd):
    """The dialogue as text lines or as messages; `told` are the roles that a header gives the names of."""
    lines = [(show[r], t) for r, t in turns]
    people = ", ".join(f"{show[r]} ({r})" for r in told)
    form = rnd.randrange(8)
    minute = rnd.randint(480, 1000)
    if form < 2:
        return "\n".join(([people, ""] if told else []) + [f"{n}: {t}" for n, t in lines])
    if form == 2:
        head = [f"Present: {people}", ""] if told else []
        return "\n".join(head + [f"[{(minute + i) // 60:02d}:{(minute + i) % 60:02d}] {n}: {t}"
                                 for i, (n, t) in enumerate(lines)])
    if form == 3:
        return "\n".join(([f"# {people}"] if told else []) + [f"<{n.lower()}> {t}" for n, t in lines])
    if form == 4:
        return "\n\n".join(([f"Between {people}"] if told else []) + [f"**{n}** {t}" for n, t in lines])
    key, text = rnd.choice([("role", "content"), ("from", "text"), ("speaker", "says"), ("author", "message")])
    messages = [{key: n, text: t} for n, t in lines]
    if told:
        return {"participants": {show[r]: r for r in told}, "messages": messages}
    return messages if form < 7 else {"messages": messages}


def pair(f, rnd):
    """One utterance and claims about what its speaker does."""
    act = rnd.choice(f["acts"])
    other = rnd.choice([a for a in f["acts"] if a is not act])
    by = rnd.choice(act["by"])
    side = rnd.choice(["yes", "yes", "no" if act.get("not") else "yes", "other"])
    bank = {"yes": act["says"], "no": act.get("not"), "other": other["says"]}[side]
    if side == "other":
        by = rnd.choice(other["by"])
    row = Row()
    name = rnd.choice(f["speakers"][by]["names"])
    row.state = f"{name}: {put(rnd.choice(bank), f['slots'], rnd, {})}"
    the = rnd.choice(f["speakers"][by]["the"])
    for n, say in enumerate(rnd.sample(act["claims"], min(2, len(act["claims"])))):
        row.claim(f"claim{n}", say.replace("{who}", the).replace("{Who}", capital(the)), side == "yes")
    return row


def check(f):
    wrong = few(f, {"speakers": 2, "acts": 6, "open": 4, "close": 4, "filler": 2})
    for a in f.get("acts", []):
        wrong += few(a, {"says": 8, "claims": 4}, f"act {a.get('id')}: ")
        wrong += [f"act {a['id']}: by {r}, who is no speaker" for r in a["by"] if r not in f["speakers"]]
        if len(a["by"]) > 1:
            wrong += [f"act {a['id']}: no who: {c}" for c in a["claims"] if not re.search(r"\{[wW]ho\}", c)]
    for x in f.get("exchanges", []):
        wrong += few(x, {"asks": 6, "yes": 6, "no": 6, "dodge": 4, "ask": 3}, f"exchange {x.get('id')}: ")
    for c in f.get("choices", []):
        for name, o in c["options"].items():
            wrong += few(o, {"says": 6}, f"choice {c['id']} {name}: ")
    return wrong
