"""letters/: a text somebody wrote, from facts, choices, scales, values and filler."""
import collections
import re

from .asking import Row, few, left_out, options_of, shown
from .slots import iso, number, put

MENTIONS = [
    "Which of these hold?", "What applies here?", "Which of these are true of the text?", "Tick all that apply.",
    "Which of these does it say?",
]


def draw(f, rnd):
    """A row. Sentences are filled in at the end, so that a slot has one value in the whole text."""
    used, slots, says, questions, truth, evidence = {}, f["slots"], [], {}, {}, {}
    # Of parts that could contradict each other, one is left out of this text altogether.
    out = left_out(f.get("clashes", []), rnd)

    # What the facts say, or that nothing is said.
    stated = {}
    for fact in f["facts"]:
        if fact["id"] in out:
            continue
        r = rnd.random()
        stated[fact["id"]] = True if r < 0.3 else False if r < 0.45 else None
        if stated[fact["id"]] is not None:
            says.append(rnd.choice(fact["yes" if stated[fact["id"]] else "no"]))
            evidence[fact["id"]] = says[-1]

    for c in f["choices"]:
        if c["id"] not in out:
            ask_choice(c, rnd, says, questions, truth, evidence)

    for s in f["scales"]:
        if s["id"] not in out and rnd.random() < 0.8:
            level = rnd.randrange(len(s["levels"]))
            says.append(rnd.choice(s["levels"][level]["says"]))
            evidence[s["id"]] = says[-1]
            questions[s["id"]] = {
                "type": "score",
                "instructions": rnd.choice(s["ask"]),
                "criteria": [rnd.choice(x["names"]) for x in s["levels"]],
            }
            truth[s["id"]] = level

    # Values: what is asked for may be missing.
    for v in f["values"]:
        if v["id"] in out:
            continue
        present = rnd.random() < 0.6
        if present:
            says.append(rnd.choice(v["says"]))
            evidence[v["id"]] = says[-1]
        elif any("{" + v["slot"] + "}" in x for x in says) or v["read"] != "extract":
            continue
        ask = rnd.choice(v["ask"])
        if v["read"] == "extract":
            questions[v["id"]] = {"type": "extract", "instructions": ask}
            truth[v["id"]] = ("slot", v["slot"]) if present else None
        else:
            questions[v["id"]] = {"type": "fill", "kind": v["read"], "instructions": ask}
            truth[v["id"]] = (v["read"], v["slot"])

    for fact in f["facts"]:
        if fact["id"] in out:
            continue
        value = stated[fact["id"]]
        if value is None and fact.get("absent", "false") == "unknown":
            continue
        if value is None and rnd.random() < 0.6:
            continue
        questions[fact["id"]] = {"type": "noul", "instructions": rnd.choice(fact["claims"])}
        truth[fact["id"]] = bool(value)

    labels = {
        x["label"]: stated[x["id"]]
        for x in f["facts"]
        if x["id"] in stated and (x.get("absent", "false") == "false" or stated[x["id"]] is not None)
    }
    if len(labels) >= 3 and rnd.random() < 0.5:
        keep = rnd.sample(list(labels), min(len(labels), rnd.randint(3, 6)))
        questions["mentions"] = {
            "type": "select", "instructions": rnd.choice(MENTIONS), "criteria": shown(keep, rnd, {})
        }
        truth["mentions"] = [k for k in keep if labels[k]]

    says += rnd.sample(f["filler"], rnd.randint(0, min(4, len(f["filler"]))))
    rnd.shuffle(says)
    lead, tail = rnd.choice(f["open"]), rnd.choice(f["close"])
    gap = rnd.choice([" ", " ", "\n", "\n\n"])
    parts = [lead, gap.join(says), tail]
    text = put(rnd.choice(["\n", "\n\n", " "]).join(x for x in parts if x), slots, rnd, used)
    settle(questions, truth, used)

    row = Row()
    row.state, row.questions, row.truth = text, questions, truth
    row.evidence = {k: put(v, slots, rnd, used) for k, v in evidence.items() if k in questions}
    return row


def ask_choice(c, rnd, says, questions, truth, evidence):
    """One option is said, or none; the right one may be left out where a way out says that none of these fits."""
    keys = list(c["options"])
    pick = rnd.choice(keys + ([None] if c.get("none") else []) + [None])
    if pick is not None:
        says.append(rnd.choice(c["options"][pick]["says"]))
        evidence[c["id"]] = says[-1]
    named = options_of(c["options"], rnd)
    keep = rnd.sample(keys, rnd.randint(min(3, len(keys)), len(keys)))
    none = rnd.choice(c["none"]) if c.get("none") and rnd.random() < 0.5 else None
    if pick is None and not none:
        return
    if pick is not None and pick not in keep:
        is_way_out = bool(none) and re.search(r"none of|other|else", none.lower())
        if not is_way_out or rnd.random() < 0.7:
            keep.append(pick)
    right = named[pick] if pick in keep else none
    names = [named[k] for k in dict.fromkeys(keep)] + ([none] if none else [])
    if len(set(names)) != len(names):
        return
    about = {named[k]: c["options"][k].get("about") for k in keep}
    questions[c["id"]] = {
        "type": "choice", "instructions": rnd.choice(c["ask"]), "criteria": shown(names, rnd, about)
    }
    truth[c["id"]] = right


def settle(questions, truth, used):
    """Truths that were slots become their values; those whose slot is nowhere go."""
    for key in list(truth):
        if isinstance(truth[key], tuple):
            read, slot = truth[key]
            got = used.get(slot)
            if got is None:
                del truth[key], questions[key]
                continue
            truth[key] = (
                got if read in ("slot", "text")
                else iso(got) if read == "date"
                else int(number(got)) if read == "int"
                else number(got)
            )


def pair(f, rnd):
    """One sentence and claims about it: its own fact's, true or false; another fact's, false or not asked."""
    fact = rnd.choice(f["facts"])
    side = rnd.choice(["yes", "yes", "no", "other", "filler"])
    other = rnd.choice([x for x in f["facts"] if x is not fact])
    says = {"yes": fact["yes"], "no": fact["no"], "other": other["yes"], "filler": f["filler"]}[side]
    row = Row()
    row.state = put(rnd.choice(says), f["slots"], rnd, {})
    for n, claim in enumerate(rnd.sample(fact["claims"], 2)):
        if side in ("yes", "no") or fact.get("absent", "false") == "false":
            row.claim(f"claim{n}", claim, side == "yes")
    verdict = {"yes": 0, "no": 1}.get(side, 2)
    names = rnd.choice([["supported", "refuted", "not enough information"], ["true", "false", "not known"]])
    row.add(
        "verdict",
        {
            "type": "choice",
            "instructions": f"Claim: {rnd.choice(fact['claims'])}",
            "criteria": shown(names, rnd, {}),
        },
        names[verdict],
    )
    return row


def check(f):
    wrong = few(f, {"open": 6, "close": 6, "filler": 15, "facts": 8, "choices": 2, "scales": 1, "values": 3})
    for x in f.get("facts", []):
        wrong += few(x, {"claims": 6, "yes": 10, "no": 4}, f"fact {x.get('id')}: ")
    for c in f.get("choices", []):
        for name, o in c["options"].items():
            wrong += few(o, {"says": 8}, f"choice {c['id']} {name}: ")
    parts = ("facts", "choices", "scales", "values")
    ids = collections.Counter(x.get("id") for part in parts for x in f.get(part, []))
    return wrong + [f"two parts have the id {name}" for name, n in ids.items() if n > 1]
