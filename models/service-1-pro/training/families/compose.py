#!/usr/bin/env python3
"""Draws rows (request and truth) from written families: see FORMAT.md. Standard library only.

    python compose.py check FILES                what is wrong with the files; exit 1 if anything is
    python compose.py rows OUT N [SEED] FILES    N rows a family, JSON lines
    python compose.py pairs OUT N [SEED] FILES   the same with one sentence a row, where a kind has that
    python compose.py long OUT N [SEED] FILES    N rows in all: three to thirty texts in one state, asked about one
    python compose.py look N [SEED] FILES        N rows a family, to be read by a person
"""
import collections
import json
import os
import random
import re
import sys

from kinds import KINDS, kind_of
from kinds.asking import doubled, stands_in, texts_in


def rows_of(f, n, seed, short=False):
    """N rows of a family as they are written to a file; the same seed gives the same rows."""
    kind = kind_of(f)
    rnd = random.Random(f"{seed} {f['family']}")
    for i in range(n):
        row = (KINDS[kind].pair if short else KINDS[kind].draw)(f, rnd)
        if kind != "sort":
            keys = list(row.questions)
            rnd.shuffle(keys)
            row.keep(keys[: rnd.randint(3, 8)])
        if row.questions:
            name = f"sort-{f['family']}" if kind == "sort" else f["family"]
            yield {
                "id": f"written-{name}-{seed}-{i}",
                "source": "written",
                "task": f"{kind}-{f['family']}",
                "licence": "CC0-1.0",
                "state": row.state,
                "questions": row.questions,
                "truth": row.truth,
                **({"evidence": row.evidence} if row.evidence or (kind == "letter" and not short) else {}),
            }


def long_rows(families, n, seed):
    """Rows whose state holds texts of several families. A question names the document that it is about."""
    rnd = random.Random(f"{seed} long")
    for i in range(n):
        parts = []
        for f in rnd.sample(families, min(len(families), rnd.choice([3, 5, 8, 12, 20, 30]))):
            for _ in range(20):
                row = KINDS[kind_of(f)].draw(f, rnd)
                if isinstance(row.state, str) and row.questions:
                    parts.append((f, row))
                    break
        if len(parts) < 3:
            continue
        titles = [f"Document {k + 1} ({f['register']})" for k, (f, _) in enumerate(parts)]
        state = "\n\n".join(f"=== {title} ===\n\n{row.state}" for title, (_, row) in zip(titles, parts))
        at = rnd.randrange(len(parts))
        f, row = parts[at]
        keys = rnd.sample(list(row.questions), min(len(row.questions), rnd.randint(3, 8)))
        row.keep(keys)
        for q in row.questions.values():
            q["instructions"] = rnd.choice(["Document {}: {}", "In document {}: {}"]).format(at + 1, q["instructions"])
        yield {
            "id": f"written-long-{seed}-{i}",
            "source": "written",
            "task": f"long-{f['family']}",
            "licence": "CC0-1.0",
            "state": state,
            "questions": row.questions,
            "truth": row.truth,
            "evidence": row.evidence,
        }


def read(path):
    if path.endswith(".txt"):
        return KINDS["graded" if os.path.basename(os.path.dirname(os.path.abspath(path))) == "graded" else "case"].read(path)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def check(path):
    """What is wrong with a file, as texts: banks too small, drawing that fails, truths that can't be."""
    try:
        f = read(path)
    except ValueError as e:
        return [f"{path}: {e}"]
    kind = kind_of(f)
    wrong = KINDS[kind].check(f)
    # Whole texts: braces in them are no slots, and few of their claims go either way often.
    has_slots = kind not in ("case", "graded")
    if has_slots and kind not in ("letter", "record", "claims", "sort"):
        wrong += doubled(f)
    rnd, seen, claims = random.Random(0), collections.Counter(), collections.defaultdict(collections.Counter)
    try:
        for _ in range(60 if "kind" not in f else 200):
            row = KINDS[kind].draw(f, rnd)
            for key, q in row.questions.items():
                truth = row.truth[key]
                seen[q["type"], str(truth) if q["type"] == "noul" else ""] += 1
                if q["type"] == "noul":
                    claims[key][bool(truth)] += 1
                if q["type"] == "choice" and truth not in q["criteria"]:
                    wrong.append(f"{key}: {truth} is no option")
                quotes = [] if truth is None or q["type"] != "extract" else truth if q.get("many") else [truth]
                missing = [one for one in quotes if not stands_in(str(one), row.state)]
                wrong += [f"{key}: {one} does not stand in the state" for one in missing]
                left = re.findall(r"\{[a-z_]+\}", " ".join(texts_in(row.state)))
                wrong += [f"a slot is left in the state: {x}" for x in left if has_slots]
                if "kind" in f and len(q["instructions"]) < 3:
                    wrong.append(f"{key}: a text where a list of texts is wanted: {q['instructions']}")
                if has_slots and "{" in q["instructions"]:
                    wrong.append(f"{key}: a slot is left in the question: {q['instructions']}")
                if "kind" in f and key in row.evidence and not stands_in(row.evidence[key], row.state):
                    wrong.append(f"{key}: its evidence does not stand in the state: {row.evidence[key]}")
    except Exception as e:  # noqa: BLE001 - said to the writer
        wrong.append(f"drawing: {type(e).__name__} {e}")
    if kind not in ("claims", "sort") and seen["noul", "True"] * 6 < seen["noul", "False"]:
        wrong.append(f"few claims are true: {dict(seen)}")
    if has_slots and "kind" in f:
        for key, n in claims.items():
            if sum(n.values()) > 30 and min(n[True], n[False]) < 0.025 * sum(n.values()):
                wrong.append(f"{key} is nearly always {n[True] > n[False]}")
    return [f"{path}: {w}" for w in dict.fromkeys(wrong)]


def look(rows):
    """Rows as a reader wants them: the state, then each question with its truth."""
    for row in rows:
        state = row["state"]
        print("=" * 100, row["task"], state if isinstance(state, str) else json.dumps(state, ensure_ascii=False),
              sep="\n")
        for key, q in row["questions"].items():
            criteria = q.get("criteria")
            options = f" {list(criteria)}" if criteria else f" ({q['kind']})" if "kind" in q else ""
            proof = row.get("evidence", {}).get(key)
            because = f" « {proof}" if proof else ""
            print(f"  [{q['type']}] {q['instructions']}{options} -> {row['truth'][key]}{because}")


def main():
    do, *rest = sys.argv[1:] or ["help"]
    if do not in ("check", "rows", "pairs", "long", "look"):
        sys.exit(__doc__)
    if do == "check":
        wrong = [w for p in rest for w in check(p)]
        print("\n".join(wrong) or "ok")
        sys.exit(bool(wrong))
    out = None if do == "look" else rest.pop(0)
    n = int(rest.pop(0))
    seed = int(rest.pop(0)) if rest and rest[0].isdigit() else 1
    families = [read(p) for p in rest]
    if do == "pairs":
        families = [f for f in families if hasattr(KINDS[kind_of(f)], "pair")]
    if do == "look":
        look(row for f in families for row in rows_of(f, n, seed))
        return
    if do == "long":
        rows = long_rows(families, n, seed)
    else:
        rows = (row for f in families for row in rows_of(f, n, seed, do == "pairs"))
    with open(out, "w", encoding="utf-8") as to:
        for row in rows:
            to.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
