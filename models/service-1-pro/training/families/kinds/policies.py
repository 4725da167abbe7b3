"""policies/: a text of rules and a case; what applies, is it allowed, who must approve."""
import re

from .asking import Row, capital, few, stands_in
from .records import ask_choice, ask_scale, ask_select
from .slots import draw as value_of
from .slots import look

HE = re.compile(r"\b(he|him|his|himself)\b", re.I)
SHE = re.compile(r"\b(she|her|hers|herself)\b", re.I)
HEADS = [("policy", "case"), ("rules", "request"), ("policy", "request"), ("guidelines", "situation")]


def draw(f, rnd):
    row, seen, proof = Row(), {}, {}

    # Whoever the case is about is a he or a she all through.
    other = rnd.choice([HE, SHE])

    def pick(bank):
        return rnd.choice([t for t in bank if not other.search(t)] or bank)

    # Numbers of the rules, and which variant of each rule this policy has.
    for name, spec in f.get("params", {}).items():
        seen[name] = value_of(spec, rnd)
    rules = []
    for rule in f["rules"]:
        if "variants" in rule:
            seen[rule["id"]] = rnd.choice(list(rule["variants"]))
            bank = rule["variants"][seen[rule["id"]]]
        else:
            bank = rule["say"]
        text = filled(rnd.choice(bank), seen) if bank else ""
        if text:
            rules.append(text)
            proof[rule["id"]] = text

    # The case: values in sentences, and states of things in words.
    story = []
    for name, fact in f["case"].items():
        if "of" in fact:
            of = fact["of"]
            seen[name] = look(of[1:], seen) if isinstance(of, str) and of.startswith("=") else value_of(of, rnd)
            bank = fact["says"]
        else:
            keys = list(fact["is"])
            seen[name] = rnd.choices(keys, [fact.get("weights", {}).get(k, 1) for k in keys])[0]
            bank = fact["is"][seen[name]]
        told = bank and look(fact.get("if", "True"), seen)
        text = filled(pick(bank), seen) if told else ""
        if text:
            story.append(text)
            proof[name] = text
    for name, expression in f.get("let", {}).items():
        seen[name] = look(expression, seen)
    filler = [t for t in f["filler"] if not other.search(t)]
    story += rnd.sample(filler, min(len(filler), rnd.randint(0, 3)))
    if not f.get("ordered"):
        rnd.shuffle(story)
    if not f.get("in_order"):
        rnd.shuffle(rules)

    for i, c in enumerate(f["claims"]):
        row.claim(f"claim{i}", filled(rnd.choice(c["say"]), seen), look(c["when"], seen), proof.get(c.get("by")))
    for i, c in enumerate(f.get("choices", [])):
        ask_choice(row, f"choice{i}", c, seen, rnd)
    for i, s in enumerate(f.get("scales", [])):
        ask_scale(row, f"scale{i}", s, seen, rnd)
    for i, s in enumerate(f.get("selects", [])):
        ask_select(row, f"select{i}", s, seen, rnd)

    row.state = written(f, rules, filled(pick(f["lead"]), seen), story, rnd)
    for i, v in enumerate(f.get("values", [])):
        value = look(v["of"], seen)
        if v["read"] == "extract" and value is not None and not stands_in(str(value), row.state):
            continue
        truth = None if value is None else str(value) if v["read"] in ("extract", "text") else value
        row.value(f"value{i}", rnd.choice(v["ask"]), v["read"], truth, proof.get(v.get("by")) if truth else None)
    return row


def filled(text, seen):
    return re.sub(r"\{(\w+)\}", lambda m: str(seen[m.group(1)]), text)


def written(f, rules, lead, story, rnd):
    """Rules and case as one text, two fields, or messages."""
    title = rnd.choice(f["title"])
    mark = rnd.choice(["- ", "", "n"])
    lines = [(f"{i + 1}. " if mark == "n" else mark) + r for i, r in enumerate(rules)]
    policy = " ".join(rules) if rnd.random() < 0.3 else "\n".join(lines)
    case = " ".join(x for x in [lead, *story] if x)
    a, b = rnd.choice([tuple(h) for h in f.get("heads", HEADS)])
    form = rnd.randrange(6)
    if form == 0:
        return {a: policy, b: case}
    if form == 1:
        return {"title": title, a: rules, b: case}
    if form == 2:
        return [{"role": "system", "content": f"{title}\n{policy}"}, {"role": "user", "content": case}]
    b = capital(b.replace("_", " "))
    if form == 3:
        return f"{case}\n\n{title}\n{policy}"
    if form == 4:
        return f"# {title}\n\n{policy}\n\n## {b}\n\n{case}"
    return f"{title}\n{policy}\n\n{b}: {case}"


def check(f):
    wrong = few(f, {"title": 3, "rules": 4, "case": 4, "lead": 4, "filler": 8, "claims": 8, "choices": 1})
    for r in f.get("rules", []):
        for name, bank in (r.get("variants") or {"": r.get("say", [])}).items():
            if bank and len(bank) < 3:
                wrong.append(f"rule {r['id']} {name}: {len(bank)} of 3")
    for name, fact in f.get("case", {}).items():
        for key, bank in (fact.get("is") or {"": fact.get("says", [])}).items():
            if bank and len(bank) < 5:
                wrong.append(f"case {name} {key}: {len(bank)} of 5")
    for c in f.get("claims", []):
        wrong += few(c, {"say": 4}, f"claim {c['when']}: ")
    return wrong
