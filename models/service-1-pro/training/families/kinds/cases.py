"""cases/: whole texts as people write them, with places where the text can go another way, and what follows from each.

A file is text, not JSON: FORMAT.md shows one. `read` gives a family: {"family", "kind": "case", "cases": [...]}.
"""
import itertools
import os
import random
import re

from .asking import Row, as_json, wordings

PLACE = re.compile(r"\[\[(\w+): (.*?)\]\]", re.DOTALL)
TYPES = {"?": "noul", "@": "choice", "%": "score", "+": "select", ">": "extract", ">>": "extract", "#": "fill"}
READS = ("int", "number", "date", "text")
UNASKED = "-"
NOTHING = "nothing"
SENTENCE = re.compile(r"[^\n]+?(?:[.!?]+[\"')\]]*(?=\s)|(?=\n)|$)")
FEWEST = {"questions": 7, "places": 3, "words": 25}


def read(path):
    """A file of cases. ValueError says the line that can't be understood."""
    family = {"family": os.path.splitext(os.path.basename(path))[0], "kind": "case", "cases": []}
    case, asking = None, False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            if line.startswith("=== ") and (case is None or asking):
                case, asking = {"name": line[4:].strip(), "state": "", "questions": []}, False
                family["cases"].append(case)
            elif case is None:
                if line.strip():
                    raise ValueError(f"line {number}: a file begins with \"=== name of the first case\"")
            elif not asking:
                if line.strip() == "~~~":
                    asking, case["state"] = True, case["state"].strip("\n")
                else:
                    case["state"] += line + "\n"
            elif line.strip():
                read_line(case["questions"], line.strip(), number)
    for case in family["cases"]:
        case["places"] = places(case)
        for question in case["questions"]:
            settle(case, question)
    return family


def read_line(questions, line, number):
    mark, _, rest = line.partition(" ")
    if mark in TYPES:
        question = {"type": TYPES[mark], "line": number, "options": {}, "answer": None}
        if mark == ">>":
            question["many"] = True
        if mark == "#":
            question["kind"], _, rest = rest.partition(" ")
        question["ask"] = wordings(rest)
        questions.append(question)
    elif mark == "-" and questions:
        names, _, about = rest.partition(": ")
        names = wordings(names)
        questions[-1]["options"][names[0]] = {"names": names, "about": about.strip() or None}
    elif mark in ("=", "=~") and questions:
        questions[-1].update(answer=rest.strip(), leans=mark == "=~")
    else:
        raise ValueError(f"line {number}: begins with none of ? @ % + > >> # - = =~ or \"=== \": {line[:60]}")


def places(case):
    """Name of a place -> how many ways it can go."""
    found = {}
    for name, ways in PLACE.findall(case["state"]):
        count = len(ways.split(" | "))
        if found.setdefault(name, count) != count:
            raise ValueError(f"{case['name']}: place {name} has {found[name]} ways and {count}")
    return found


def settle(case, question):
    """The answer as a table: names of places it depends on, and an answer for each of their ways, last place fastest."""
    where = f"{case['name']}, line {question['line']}"
    if not question["answer"]:
        raise ValueError(f"{where}: no answer (a line that begins with \"= \")")
    names, cells = [], [question["answer"]]
    head, _, rest = question["answer"].partition(": ")
    if rest and all(name in case["places"] for name in head.split(" + ")):
        names, cells = head.split(" + "), rest.split(" | ")
    wanted = 1
    for name in names:
        wanted *= case["places"][name]
    if len(cells) != wanted:
        raise ValueError(f"{where}: {len(cells)} answers, {wanted} wanted")
    question["by"], question["cells"] = names, [answer(question, cell.strip(), where) for cell in cells]


def answer(question, cell, where):
    """What a cell means: UNASKED, or the truth with options by their first names."""
    kind, options = question["type"], list(question["options"])
    if cell == UNASKED:
        return cell
    if kind == "noul":
        if cell not in ("yes", "no"):
            raise ValueError(f"{where}: yes or no is wanted, not {cell}")
        return cell == "yes"
    if kind in ("choice", "score"):
        if cell not in options:
            raise ValueError(f"{where}: {cell} is no option of {options}")
        return cell
    if kind == "select":
        picked = [] if cell == NOTHING else [one.strip() for one in cell.split(", ")]
        if not set(picked) <= set(options):
            raise ValueError(f"{where}: {picked} are not all options of {options}")
        return picked
    if kind == "extract" and question.get("many"):
        return [] if cell == NOTHING else [one.strip() for one in cell.split("; ")]
    if kind == "extract":
        return None if cell == NOTHING else cell
    if question["kind"] not in READS:
        raise ValueError(f"{where}: kinds are {READS}, not {question['kind']}")
    return int(cell) if question["kind"] == "int" else float(cell) if question["kind"] == "number" else cell


def written(case, ways):
    """The state with its places filled, and where each place stands (start, end), once a time it occurs."""
    parts, at, length, spans = [], 0, 0, {}
    for match in PLACE.finditer(case["state"]):
        before = case["state"][at : match.start()]
        way = match.group(2).split(" | ")[ways[match.group(1)]].strip()
        length += len(before)
        spans.setdefault(match.group(1), []).append((length, length + len(way)))
        parts += [before, way]
        length, at = length + len(way), match.end()
    return "".join([*parts, case["state"][at:]]), spans


def truth_of(case, question, ways):
    index = 0
    for name in question["by"]:
        index = index * case["places"][name] + ways[name]
    return question["cells"][index]


def sentence_at(text, span):
    """The sentence or line that holds a span wholly, None where none does."""
    for match in SENTENCE.finditer(text):
        if match.start() <= span[0] and span[1] <= match.end():
            return match.group().strip()
    return None


def ways_of(case, rnd):
    return {name: rnd.randrange(count) for name, count in case["places"].items()}


def draw(f, rnd):
    row, case = Row(), rnd.choice(f["cases"])
    ways = ways_of(case, rnd)
    text, spans = written(case, ways)
    row.state = as_json(text)
    for n, question in enumerate(case["questions"]):
        truth = truth_of(case, question, ways)
        if truth == UNASKED:
            continue
        evidence = None
        if len(question["by"]) == 1 and len(spans[question["by"][0]]) == 1 and isinstance(row.state, str):
            start, end = spans[question["by"][0]][0]
            evidence = sentence_at(text, (start, end)) if end > start else None
        add(row, f"q{n}", question, truth, evidence, rnd)
    return row


def pair(f, rnd):
    """The sentence or line of one place by itself, and what hangs on that place alone and leans on no other line
    (`=~`). Nothing is asked where the case is JSON, or no sentence holds the place wholly.
    """
    row, case = Row(), rnd.choice(f["cases"])
    ways = ways_of(case, rnd)
    text, spans = written(case, ways)
    place = rnd.choice(list(case["places"]))
    sentence = sentence_at(text, spans[place][0])
    if sentence is None or len(spans[place]) > 1 or not isinstance(as_json(text), str):
        return row
    row.state = sentence
    for n, question in enumerate(case["questions"]):
        truth = truth_of(case, question, ways)
        is_told = truth not in (UNASKED, None, []) and stands(question, truth, sentence)
        if question["by"] == [place] and is_told and not question["leans"]:
            add(row, f"q{n}", question, truth, None, rnd)
    return row


def stands(question, truth, text):
    """Whether a text holds what is read; of other questions, always."""
    if question["type"] not in ("extract", "fill"):
        return True
    return all(str(one) in text for one in (truth if isinstance(truth, list) else [truth]))


def add(row, key, question, truth, evidence, rnd):
    kind, ask, options = question["type"], rnd.choice(question["ask"]), question["options"]
    named = {first: rnd.choice(option["names"]) for first, option in options.items()}
    about = {named[first]: option["about"] for first, option in options.items()}
    if kind == "noul":
        row.claim(key, ask, truth, evidence)
    elif kind == "choice":
        kept = [first for first in options if first == truth or len(options) <= 3 or rnd.random() < 0.85]
        row.choice(key, ask, [named[first] for first in kept], named[truth], rnd, about, evidence)
    elif kind == "score":
        row.score(key, ask, list(named.values()), list(options).index(truth), evidence)
    elif kind == "select":
        row.select(key, ask, list(named.values()), [named[first] for first in truth], rnd)
    elif question.get("many"):
        row.quotes(key, ask, truth, evidence)
    else:
        row.value(key, ask, "extract" if kind == "extract" else question["kind"], truth, evidence)


def check(f):
    wrong, claims = [], []
    for case in f["cases"]:
        say = f"{case['name']}: "
        counts = {
            "questions": len(case["questions"]),
            "places": len(case["places"]),
            "words": len(case["state"].split()),
        }
        wrong += [f"{say}{counts[k]} {k}, {n} wanted" for k, n in FEWEST.items() if counts[k] < n]
        used = {name for question in case["questions"] for name in question["by"]}
        wrong += [f"{say}no answer depends on {name}" for name in case["places"] if name not in used]
        free = sum(1 for question in case["questions"] if not question["by"])
        if free * 3 > len(case["questions"]):
            wrong.append(f"{say}{free} of {len(case['questions'])} answers depend on no place; a third at most")
        for question in case["questions"]:
            asked = [cell for cell in question["cells"] if cell != UNASKED]
            if question["type"] == "noul" and asked:
                claims.append(sum(asked) / len(asked))
            if question["type"] in ("choice", "score", "select") and len(question["options"]) < 2:
                wrong.append(f"{say}line {question['line']}: fewer than two options")
        wrong += misquoted(case)
        if case["state"][:1] in "{[" and not case["state"].startswith("[[") and isinstance(
            as_json(written(case, dict.fromkeys(case["places"], 0))[0]), str
        ):
            wrong.append(f"{say}begins like JSON and is none")
    if claims and not 0.35 <= sum(claims) / len(claims) <= 0.65:
        wrong.append(f"{sum(claims) / len(claims):.0%} of the claims are true; 35 to 65 % wanted")
    return wrong


def misquoted(case):
    """Quotes that don't stand in the state, for every way of each place (and some mixtures)."""
    rnd, names = random.Random(0), list(case["places"])
    mixtures = [dict.fromkeys(names, 0)]
    mixtures += [{**mixtures[0], name: way} for name in names for way in range(case["places"][name])]
    mixtures += [ways_of(case, rnd) for _ in range(20)]
    wrong = []
    for ways, question in itertools.product(mixtures, case["questions"]):
        truth = truth_of(case, question, ways)
        if question["type"] == "extract" and truth not in (None, UNASKED):
            state = written(case, ways)[0]
            for one in truth if isinstance(truth, list) else [truth]:
                if one not in state:
                    wrong.append(f"{case['name']}, line {question['line']}: \"{one}\" does not stand in the state")
    return list(dict.fromkeys(wrong))
