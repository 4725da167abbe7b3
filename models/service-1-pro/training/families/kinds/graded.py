"""graded/: short texts that are graded once (how urgent, how angry, how complete) or labelled once (what is asked for,
who has to act, what went wrong), and many ways to ask for a grade or a label.

A file is text, not JSON: FORMAT.md shows one. `read` gives a family: {"family", "kind": "graded", "register",
"grades": {name: [question, ...]}, "texts": [{"state", "grades": {name: grade}}, ...]}.
"""
import os
import re

from .asking import Row, as_json, wordings

TYPES = {"?": "noul", "%": "score", "@": "choice"}
UNGRADED = "-"
AS_CHOICE = 0.25  # of scales: asked as a choice, in any order
KEPT = 0.85  # of the other options of a choice
FEWEST = {"texts": 40, "grades": 5, "scales and choices": 4, "claims": 5}
MOST_OF_ONE = 0.6  # of the texts: with the same grade


def read(path):
    """A file of graded texts. ValueError says the line that can't be understood."""
    family = {
        "family": os.path.splitext(os.path.basename(path))[0],
        "kind": "graded",
        "register": "",
        "grades": {},
        "texts": [],
    }
    questions, text = None, None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            mark, _, rest = line.strip().partition(" ")
            if text is not None and mark == "~~~":
                family["texts"].append({"state": "\n".join(text).strip("\n"), "grades": graded(rest, family, number)})
                text = None
            elif text is not None:
                text.append(line)
            elif mark == "===":
                text = []
            elif mark == "register:":
                family["register"] = rest
            elif mark == "*":
                questions = family["grades"].setdefault(rest.partition(":")[0].strip(), [])
            elif mark in TYPES and questions is not None:
                questions.append(question(mark, rest, number))
            elif mark == "-" and questions and "levels" in questions[-1]:
                questions[-1]["levels"].append(level(questions[-1]["type"], rest, number))
            elif mark:
                raise ValueError(f"line {number}: not understood: {line[:60]}")
    if text is not None:
        raise ValueError("the last text has no line of grades (\"~~~ \")")
    return family


def asked(rest, sign, number):
    """"One // another = 0 1", or " | " for the sign: what stands before the last sign, and the grades behind it."""
    said, found, grades = rest.rpartition(sign)
    if not found or not re.fullmatch(r"\d+( \d+)*", grades.strip()):
        raise ValueError(f"line {number}: \"{sign}\" and grades are wanted at the end: {rest[-40:]}")
    return said, set(map(int, grades.split()))


def level(kind, rest, number):
    """A level of a scale, or an option of a choice, which may say what it means behind its last name."""
    said, grades = asked(rest, " = ", number)
    names, about = wordings(said), None
    if kind == "choice":
        names[-1], _, about = names[-1].partition(": ")
    return {"names": names, "grades": grades, "about": about or None}


def question(mark, rest, number):
    if mark != "?":
        return {"type": TYPES[mark], "ask": wordings(rest), "levels": [], "line": number}
    rest, no = asked(rest, " | ", number)
    said, yes = asked(rest, " = ", number)
    return {"type": "noul", "ask": wordings(said), "yes": yes, "no": no, "line": number}


def graded(rest, family, number):
    """"anger 3, urgency 0": the grades of a text; what is left out, or has a dash, is not asked."""
    out = {}
    for one in filter(None, map(str.strip, rest.split(","))):
        name, _, grade = one.rpartition(" ")
        if name not in family["grades"] or not (grade == UNGRADED or grade.isdigit()):
            raise ValueError(f"line {number}: a name and a grade are wanted, not {one}")
        if grade != UNGRADED:
            out[name] = int(grade)
    return out


def draw(f, rnd):
    row, text = Row(), rnd.choice(f["texts"])
    row.state = as_json(text["state"])
    for name, grade in text["grades"].items():
        scales = [q for q in f["grades"][name] if q["type"] != "noul"]
        claims = [q for q in f["grades"][name] if q["type"] == "noul" and grade in q["yes"] | q["no"]]
        for n, one in enumerate(rnd.sample(scales, min(len(scales), 2 if rnd.random() < 0.3 else 1))):
            right = next((at for at, level in enumerate(one["levels"]) if grade in level["grades"]), None)
            if right is not None:
                (scale if one["type"] == "score" else choice)(row, f"{name}-{n}", one, right, rnd)
        for n, one in enumerate(rnd.sample(claims, min(len(claims), rnd.choice([0, 1, 1, 2])))):
            row.claim(f"{name}-claim{n}", rnd.choice(one["ask"]), grade in one["yes"])
    return row


def scale(row, key, one, right, rnd):
    ask, names = rnd.choice(one["ask"]), [rnd.choice(level["names"]) for level in one["levels"]]
    if len(names) > 2 and rnd.random() < AS_CHOICE and not any(name.isdigit() for name in names):
        row.choice(key, ask, names, names[right], rnd)
    else:
        row.score(key, ask, names, right)


def choice(row, key, one, right, rnd):
    """Some options are left out where there are many; described ones may be shown by another name, as others are."""
    kept = [n for n in range(len(one["levels"])) if n == right or len(one["levels"]) <= 3 or rnd.random() < KEPT]
    names = {n: rnd.choice(one["levels"][n]["names"]) for n in kept}
    about = {names[n]: one["levels"][n]["about"] for n in kept}
    row.choice(key, rnd.choice(one["ask"]), list(names.values()), names[right], rnd, about)


def check(f):
    wrong = [f"{len(f['texts'])} texts, {FEWEST['texts']} wanted"] if len(f["texts"]) < FEWEST["texts"] else []
    if len(f["grades"]) < FEWEST["grades"]:
        wrong.append(f"{len(f['grades'])} things are graded, {FEWEST['grades']} wanted")
    for name, questions in f["grades"].items():
        given = [text["grades"][name] for text in f["texts"] if name in text["grades"]]
        wrong += [f"{name}: {said}" for said in ungraded(questions, given)]
        for one in questions:
            wrong += [f"line {one['line']}: {said}" for said in (unlevelled(one) if "levels" in one else unsure(one, given))]
    states = [text["state"] for text in f["texts"]]
    return wrong + [f"twice: {state[:60]}" for state in dict.fromkeys(states) if states.count(state) > 1]


def ungraded(questions, given):
    """What is wrong with the questions for a grade, and with how often it was given."""
    claims = sum(one["type"] == "noul" for one in questions)
    counts = {"scales and choices": len(questions) - claims, "claims": claims}
    wrong = [f"{counts[key]} {key}, {FEWEST[key]} wanted" for key in counts if counts[key] < FEWEST[key]]
    if len(given) < FEWEST["texts"] // 2:
        wrong.append(f"graded in {len(given)} texts, {FEWEST['texts'] // 2} wanted")
    often = max(set(given), key=given.count, default=None)
    if given and given.count(often) > MOST_OF_ONE * len(given):
        wrong.append(f"{given.count(often)} of {len(given)} texts have grade {often}")
    return wrong


def unlevelled(one):
    levels = one["levels"]
    grades = [grade for level in levels for grade in level["grades"]]
    lowest = [min(level["grades"]) for level in levels]
    wrong = ["fewer than two levels or options"] if len(levels) < 2 else []
    if len(set(grades)) < len(grades):
        wrong.append("a grade stands at two of them")
    if one["type"] == "score" and lowest not in (sorted(lowest), sorted(lowest, reverse=True)):
        wrong.append("levels are not in order")
    names = [name.lower() for level in levels for name in level["names"]]
    return wrong + [f"twice: {name}" for name in dict.fromkeys(names) if names.count(name) > 1]


def unsure(one, given):
    yes, no = (sum(grade in one[side] for grade in given) for side in ("yes", "no"))
    wrong = ["grades with yes and with no at once"] if one["yes"] & one["no"] else []
    return wrong + ([f"yes in {yes} and no in {no} texts"] if min(yes, no) < 3 else [])
