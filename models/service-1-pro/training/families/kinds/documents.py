"""documents/: contracts, handbooks, reports, minutes of ten and more sections; one of them holds the answer."""
from .asking import Row, few
from .slots import put, read_as

WHERE = ["Which section tells {}?", "Where does it say {}?", "Section that settles {}", "In which part is it said {}?"]
SAYS = [
    "Which of these does the document say?", "Which of these are true of the document?",
    "Tick what holds by this text.", "Which apply?",
]
FRAMES = ["The document says: {}", "By the document: {}", "It is written here: {}", "Stated in the text: {}"]
NOT_SAID = ["not stated", "the document does not say", "not covered"]


def draw(f, rnd):
    row, used, slots = Row(), {}, f["slots"]
    chosen = rnd.sample(f["sections"], rnd.randint(min(10, len(f["sections"])), len(f["sections"])))
    chosen.sort(key=f["sections"].index)
    sections, picked, where, claims = [], {}, [], []
    for s in f["sections"]:
        here = s in chosen
        says = []
        for p in s["parts"]:
            stated = here and rnd.random() < 0.75
            if "slot" in p:
                if stated:
                    says.append(put(rnd.choice(p["says"]), slots, rnd, used))
                    truth = read_as(used[p["slot"]], p["read"])
                    row.value(p["id"], rnd.choice(p["ask"]), p["read"], truth, says[-1])
                elif p["read"] == "extract" and rnd.random() < 0.5:
                    row.value(p["id"], rnd.choice(p["ask"]), "extract", None)
            else:
                state = rnd.choice(list(p["states"])) if stated else None
                picked[p["id"]] = state
                if state:
                    says.append(put(rnd.choice(p["states"][state]["says"]), slots, rnd, used))
                ask_part(row, p, state, says[-1] if state else None, claims, rnd)
            if stated and p.get("where"):
                where.append((rnd.choice(p["where"]), s, says[-1]))
        if here:
            bank = [put(t, slots, rnd, used) for t in s["filler"]]
            # What the parts say keeps its order: one sentence may lean on the one before it.
            for text in rnd.sample(bank, min(len(bank), rnd.randint(1 if says else 2, 4))):
                says.insert(rnd.randint(0, len(says)), text)
            sections.append((rnd.choice(s["heads"]), says, s))

    heads = {s["id"]: h for h, _, s in sections}
    if len(set(heads.values())) == len(heads):
        for n, (topic, s, proof) in enumerate(rnd.sample(where, min(2, len(where)))):
            few_heads = rnd.sample([h for k, h in heads.items() if k != s["id"]], rnd.randint(3, len(heads) - 1))
            row.choice(
                f"where{n}", rnd.choice(WHERE).format(topic), [*few_heads, heads[s["id"]]], heads[s["id"]], rnd,
                None, proof,
            )
    if len(claims) > 3 and rnd.random() < 0.5:
        some = rnd.sample(claims, min(len(claims), rnd.randint(3, 5)))
        row.select("says", rnd.choice(SAYS), [c for c, _ in some], [c for c, t in some if t], rnd)
    row.state = written(f, put(rnd.choice(f["title"]), slots, rnd, used),
                        put(rnd.choice(f["intro"]), slots, rnd, used), sections, rnd)
    return row


def ask_part(row, p, state, proof, claims, rnd):
    """Claims, a choice and a scale about a part whose state is said, or None where nothing is."""
    for n, c in enumerate(p["claims"]):
        if state or (p.get("absent", "false") == "false" and rnd.random() < 0.25):
            say = rnd.choice(c["say"])
            # What isn't said is false only of what the document says, so the question names the document.
            framed = rnd.choice(FRAMES).format(say) if state is None or rnd.random() < 0.2 else say
            row.claim(f"{p['id']}{n}", framed, state in c["is"], proof)
            if state or p.get("absent", "false") == "false":
                claims.append((say, state in c["is"]))
    if p.get("ask") and (state or rnd.random() < 0.3):
        name = {k: rnd.choice(x["names"]) for k, x in p["states"].items()}
        out = rnd.choice(NOT_SAID)
        names = list(name.values()) + ([out] if state is None or rnd.random() < 0.4 else [])
        row.choice(f"{p['id']}-which", rnd.choice(p["ask"]), names, name.get(state, out), rnd, None, proof)
    if p.get("scale") and state:
        levels = [rnd.choice(p["states"][k]["names"]) for k in p["scale"]["levels"]]
        row.score(f"{p['id']}-level", rnd.choice(p["scale"]["ask"]), levels, p["scale"]["levels"].index(state), proof)


def written(f, title, intro, sections, rnd):
    """As a text with headings, or as JSON sections."""
    gap = rnd.choice([" ", " ", "\n"])
    parts = [(h, gap.join(says)) for h, says, _ in sections]
    form = rnd.randrange(6)
    if form == 0:
        return {"title": title, "sections": [{"heading": h, "text": t} for h, t in parts]}
    if form == 1:
        return {"title": title, "intro": intro, **{h: t for h, t in parts}}
    if form == 2:
        return "\n\n".join([f"# {title}", intro, *(f"## {h}\n{t}" for h, t in parts)])
    if form == 3:
        return "\n\n".join([title.upper(), *(f"§ {i + 1} {h}\n{t}" for i, (h, t) in enumerate(parts))])
    return "\n\n".join([title, intro, *(f"{i + 1}. {h}\n{t}" for i, (h, t) in enumerate(parts))])


def pair(f, rnd):
    """One sentence of a part, and claims about it."""
    parts = [p for s in f["sections"] for p in s["parts"] if "states" in p]
    p = rnd.choice(parts)
    state = rnd.choice(list(p["states"]))
    row = Row()
    row.state = put(rnd.choice(p["states"][state]["says"]), f["slots"], rnd, {})
    for n, c in enumerate(p["claims"]):
        row.claim(f"claim{n}", rnd.choice(c["say"]), state in c["is"])
    return row


def check(f):
    wrong = few(f, {"title": 3, "intro": 3, "sections": 12})
    for s in f.get("sections", []):
        wrong += few(s, {"heads": 2, "filler": 4, "parts": 1}, f"section {s.get('id')}: ")
        for p in s["parts"]:
            if "slot" in p:
                wrong += few(p, {"says": 4, "ask": 3}, f"part {p['id']}: ")
                continue
            for name, x in p["states"].items():
                wrong += few(x, {"says": 4}, f"part {p['id']} {name}: ")
            for c in p["claims"]:
                wrong += few(c, {"say": 3}, f"part {p['id']}: claim ")
                wrong += [f"part {p['id']}: no state {k}" for k in c["is"] if k not in p["states"]]
    return wrong
