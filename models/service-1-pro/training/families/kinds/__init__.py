"""One module a kind of family: `draw(family, rnd)` gives a row, `check(family)` what is missing, `pair` a short row."""
from . import (
    cases,
    claims,
    compared,
    dialogues,
    documents,
    graded,
    instructions,
    letters,
    policies,
    records,
    sorts,
    tables,
    unsaid,
)

KINDS = {
    "letter": letters, "record": records, "claims": claims, "sort": sorts, "dialogue": dialogues, "policy": policies,
    "document": documents, "table": tables, "compared": compared, "instructions": instructions, "unsaid": unsaid,
    "case": cases, "graded": graded,
}


def kind_of(f):
    """New kinds name themselves; the four old ones are known by their keys."""
    if "kind" in f:
        return f["kind"]
    return "claims" if "items" in f else "record" if "fields" in f else "sort" if "outside" in f else "letter"
