"""tables/: rows and columns as CSV, markdown, aligned text or JSON; claims over rows."""
import csv
import io
import re

from .asking import Row, few, stands_in
from .slots import Fields, draw as value_of
from .slots import in_words, look


def draw(f, rnd):
    row = Row()
    rows, shown = some_rows(f, rnd)
    lines = written(row, f, rows, shown, rnd)

    for i, c in enumerate(f["claims"]):
        # Drawn so that half of the claims are true, where that can be had.
        want = rnd.random() < 0.5
        seen = None
        for _ in range(12):
            trial = with_picks(c, rows, rnd)
            if trial is not None:
                seen = trial
                if bool(look(c["when"], seen)) == want:
                    break
        if seen is not None:
            row.claim(f"claim{i}", worded(rnd.choice(c["say"]), seen), look(c["when"], seen), proof(c, seen, lines))
    for i, c in enumerate(f["choices"]):
        seen = with_picks(c, rows, rnd)
        if seen is not None:
            ask_choice(row, f"choice{i}", c, seen, lines, rnd)
    for i, c in enumerate(f.get("selects", [])):
        seen = with_picks(c, rows, rnd)
        if seen is not None:
            among = [str(x) for x in dict.fromkeys(look(c["among"], seen))]
            right = [str(x) for x in look(c["are"], seen)]
            row.select(f"select{i}", worded(rnd.choice(c["ask"]), seen), among, right, rnd)
    for i, s in enumerate(f.get("scales", [])):
        seen = with_picks(s, rows, rnd)
        if seen is not None:
            level = next(n for n, x in enumerate(s["levels"]) if look(x["when"], seen))
            names = [rnd.choice(x["names"]) for x in s["levels"]]
            row.score(f"scale{i}", worded(rnd.choice(s["ask"]), seen), names, level, proof(s, seen, lines))
    for i, v in enumerate(f["values"]):
        seen = with_picks(v, rows, rnd)
        if seen is None:
            continue
        value = look(v["of"], seen)
        if v["read"] == "extract" and value is not None and not stands_in(str(value), row.state):
            continue
        truth = None if value is None else str(value) if v["read"] in ("extract", "text") else value
        if isinstance(truth, float):
            truth = round(truth, 2)
        row.value(f"value{i}", worded(rnd.choice(v["ask"]), seen), v["read"], truth, proof(v, seen, lines))
    return row


def some_rows(f, rnd):
    """Rows as expressions see them, and as the table shows them (a meaning is shown by one of its wordings)."""
    rows, shown, taken = [], [], {k: set() for k, c in f["columns"].items() if c.get("unique")}
    least, most = f.get("rows", [4, 10])
    for _ in range(rnd.randint(least, most)):
        fields, cells = Fields(), Fields()
        for name, column in f["columns"].items():
            of = column["of"]
            for _ in range(40):
                if isinstance(of, str) and of.startswith("="):
                    value = look(of[1:], fields)
                elif isinstance(of, dict) and "means" in of:
                    value = rnd.choice(list(of["means"]))
                else:
                    value = value_of(of, rnd)
                if value not in taken.get(name, ()):
                    break
            else:
                return (rows, shown)
            taken.get(name, set()).add(value)
            fields[name] = value
            cells[name] = rnd.choice(of["means"][value]) if isinstance(of, dict) and "means" in of else value
        rows.append(fields)
        shown.append(cells)
    return rows, shown


def with_picks(part, rows, rnd):
    """What a question's expressions see: all rows, rows picked (all different), numbers drawn; None if it can't be."""
    seen = {"rows": rows}
    free = rnd.sample(rows, len(rows))
    for name, spec in part.get("with", {}).items():
        if spec == "row":
            if not free:
                return None
            seen[name] = free.pop()
        elif isinstance(spec, str) and spec.startswith("="):
            seen[name] = look(spec[1:], seen)
        elif isinstance(spec, str) and spec.startswith("any "):
            some = look(spec[4:], seen)
            if not some:
                return None
            seen[name] = rnd.choice(some)
        else:
            seen[name] = value_of(spec, rnd)
    return seen if look(part.get("if", "True"), seen) else None


def worded(text, seen):
    return re.sub(r"\{([\w.]+)\}", lambda m: in_words(look(m.group(1), seen)), text)


def proof(part, seen, lines):
    """The line of the picked row that decides, where the table is written in lines."""
    picked = seen.get(part.get("by"))
    return next((line for row, line in lines if row is picked), None) if picked is not None else None


def ask_choice(row, key, c, seen, lines, rnd):
    ask = worded(rnd.choice(c["ask"]), seen)
    if "options" in c:
        spec = {k: (v if isinstance(v, dict) else {"when": v}) for k, v in c["options"].items()}
        right = next((k for k, v in spec.items() if look(v["when"], seen)), None)
        name = {k: rnd.choice(v.get("names", [k])) for k, v in spec.items()}
        about = {name[k]: v.get("about") for k, v in spec.items()}
        if right is not None:
            row.choice(key, ask, list(name.values()), name[right], rnd, about, proof(c, seen, lines))
        return
    right = look(c["is"], seen)
    among = [str(x) for x in dict.fromkeys(look(c["among"], seen))]
    if right is not None:
        row.choice(key, ask, among, str(right), rnd, None, proof(c, seen, lines))
    elif c.get("none"):
        none = rnd.choice(c["none"])
        row.choice(key, ask, [*among, none], none, rnd)


def written(row, f, rows, shown, rnd):
    """Sets the state; gives (row, line) for each row where the table is written in lines."""
    head = {k: rnd.choice(c["heads"]) for k, c in f["columns"].items() if not k.startswith("_")}
    first, *rest = head
    if rnd.random() < 0.4:
        rnd.shuffle(rest)
    keys, title, form = [first, *rest], rnd.choice(f["title"]), rnd.randrange(9)
    cells = [[in_words(r[k]) for k in keys] for r in shown]
    heads = [head[k] for k in keys]
    if form == 0:
        row.state = [{head[k]: r[k] for k in keys} for r in shown]
        return []
    if form == 1:
        row.state = {"title": title, "rows": [{head[k]: r[k] for k in keys} for r in shown]}
        return []
    if form == 2:
        row.state = {"columns": heads, "rows": [[r[k] for k in keys] for r in shown]}
        return []
    if form in (3, 4, 5):
        mark = {3: ",", 4: ";", 5: "\t"}[form]
        lines = [csv_line(c, mark) for c in cells]
        text = [csv_line(heads, mark), *lines]
    elif form == 6:
        lines = ["| " + " | ".join(c) + " |" for c in cells]
        text = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *lines]
    elif form == 7:
        wide = [max(len(c[i]) for c in [heads, *cells]) for i in range(len(heads))]
        lines = ["  ".join(x.ljust(w) for x, w in zip(c, wide)).rstrip() for c in cells]
        text = ["  ".join(x.ljust(w) for x, w in zip(heads, wide)).rstrip(), *lines]
    else:
        lines = ["; ".join(f"{h}: {x}" for h, x in zip(heads, c)) for c in cells]
        text = lines
    row.state = "\n".join(([title, ""] if rnd.random() < 0.5 else []) + text)
    return list(zip(rows, lines))


def csv_line(cells, mark):
    out = io.StringIO()
    csv.writer(out, delimiter=mark, lineterminator="").writerow(cells)
    return out.getvalue()


def check(f):
    wrong = few(f, {"title": 3, "columns": 4, "claims": 8, "choices": 2, "selects": 1, "values": 3})
    for c in f.get("claims", []):
        wrong += few(c, {"say": 4}, f"claim {c['when']}: ")
    for name, column in f.get("columns", {}).items():
        wrong += few(column, {"heads": 1 if name.startswith("_") else 2}, f"column {name}: ")
        if isinstance(column["of"], dict) and "means" in column["of"]:
            for key, bank in column["of"]["means"].items():
                if len(bank) < 5:
                    wrong.append(f"column {name} {key}: {len(bank)} of 5")
    return wrong
