"""records/: a JSON record, or a document made of its fields; claims are expressions over them."""
import json
import re

from .asking import Row, few, options_of, shown
from .slots import in_words, iso, look, make


def draw(f, rnd):
    fields = make(f["fields"], rnd)
    row = Row()
    for i, c in enumerate(f["claims"]):
        row.claim(f"claim{i}", rnd.choice(c["say"]), look(c["when"], fields))
    for i, c in enumerate(f["choices"]):
        ask_choice(row, f"choice{i}", c, fields, rnd)
    for i, s in enumerate(f.get("scales", [])):
        ask_scale(row, f"scale{i}", s, fields, rnd)
    for i, s in enumerate(f.get("selects", [])):
        ask_select(row, f"select{i}", s, fields, rnd)

    # Fields whose name begins with _ are there for expressions only.
    plain = {k: v for k, v in json.loads(json.dumps(fields)).items() if not k.startswith("_")}
    if f.get("templates") and rnd.random() < 0.7:
        template = rnd.choice(f["templates"])
        row.state = re.sub(r"\{([\w.]+)\}", lambda m: in_words(look(m.group(1), fields)), template)
        flat = row.state
    else:
        row.state = plain
        flat = json.dumps(plain, ensure_ascii=False)

    for i, v in enumerate(f["values"]):
        value = look(v["of"], fields)
        if v["read"] == "extract":
            if value is not None and str(value) not in flat:
                continue
            row.value(f"value{i}", rnd.choice(v["ask"]), "extract", None if value is None else str(value))
        elif value is not None:
            row.value(f"value{i}", rnd.choice(v["ask"]), v["read"], iso(value) if v["read"] == "date" else value)
    return row


def ask_choice(row, key, c, fields, rnd):
    """The first option whose expression is true is the answer; without one nothing is asked."""
    spec = {k: (v if isinstance(v, dict) else {"when": v}) for k, v in c["options"].items()}
    right = next((k for k, v in spec.items() if look(v["when"], fields)), None)
    if right is None:
        return
    named = options_of(spec, rnd)
    if len(set(named.values())) != len(named):
        return
    question = {
        "type": "choice",
        "instructions": rnd.choice(c["ask"]),
        "criteria": shown(list(named.values()), rnd, {named[k]: v.get("about") for k, v in spec.items()}),
    }
    row.add(key, question, named[right])


def ask_scale(row, key, s, fields, rnd):
    level = next((n for n, x in enumerate(s["levels"]) if look(x["when"], fields)), None)
    if level is not None:
        ask = rnd.choice(s["ask"])
        row.add(
            key,
            {"type": "score", "instructions": ask, "criteria": [rnd.choice(x["names"]) for x in s["levels"]]},
            level,
        )


def ask_select(row, key, s, fields, rnd):
    ask = rnd.choice(s["ask"])
    question = {"type": "select", "instructions": ask, "criteria": shown(list(s["options"]), rnd, {})}
    row.add(key, question, [k for k, when in s["options"].items() if look(when, fields)])


def check(f):
    return few(f, {"claims": 8, "choices": 2, "selects": 1, "values": 5})
