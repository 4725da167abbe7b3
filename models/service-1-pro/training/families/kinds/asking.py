"""What all kinds share: a row that collects questions and truths, names of options, checks of banks."""
import json
import re


class Row:
    """A state, its questions, their truths, and the sentence of the state that decides a question where one does."""

    def __init__(self):
        self.state, self.questions, self.truth, self.evidence = None, {}, {}, {}

    def add(self, key, question, truth, evidence=None):
        self.questions[key], self.truth[key] = question, truth
        if evidence:
            self.evidence[key] = evidence

    def claim(self, key, say, truth, evidence=None):
        self.add(key, {"type": "noul", "instructions": say}, bool(truth), evidence)

    def choice(self, key, ask, names, right, rnd, about=None, evidence=None):
        """A choice among different names; left out where two are the same or the right one is not among them."""
        if len({n.lower() for n in names}) == len(names) > 1 and right in names:
            self.add(
                key,
                {"type": "choice", "instructions": ask, "criteria": shown(names, rnd, about or {})},
                right,
                evidence,
            )

    def select(self, key, ask, names, right, rnd):
        if len({n.lower() for n in names}) == len(names) > 1:
            self.add(
                key,
                {"type": "select", "instructions": ask, "criteria": shown(names, rnd, {})},
                [n for n in names if n in right],
            )

    def score(self, key, ask, levels, level, evidence=None):
        if len(set(levels)) == len(levels):
            self.add(key, {"type": "score", "instructions": ask, "criteria": levels}, level, evidence)

    def value(self, key, ask, read, truth, evidence=None):
        """An extract (null where nothing stands there) or a fill, which has no null."""
        if read == "extract":
            self.add(key, {"type": "extract", "instructions": ask}, truth, evidence)
        elif truth is not None:
            self.add(key, {"type": "fill", "kind": read, "instructions": ask}, truth, evidence)

    def quotes(self, key, ask, truth, evidence=None):
        """Every one of what is asked for."""
        self.add(key, {"type": "extract", "instructions": ask, "many": True}, truth, evidence)

    def keep(self, keys):
        """Only these questions, in this order."""
        self.questions = {k: self.questions[k] for k in keys}
        self.truth = {k: self.truth[k] for k in keys}
        self.evidence = {k: self.evidence[k] for k in keys if k in self.evidence}


def shown(options, rnd, about):
    """Criteria in random order, sometimes with descriptions; names that look like integers come as an array."""
    names = list(options)
    rnd.shuffle(names)
    if any(re.fullmatch(r"-?\d+", n) for n in names) or rnd.random() < 0.4:
        return names
    return {n: (about.get(n) if rnd.random() < 0.7 else None) for n in names}


def options_of(spec, rnd):
    """Of options with several names: one name each, all different."""
    taken, out = set(), {}
    for key, value in spec.items():
        names = value.get("names") if isinstance(value, dict) else None
        for name in rnd.sample(names or [key], len(names or [key])) + [key]:
            if name.lower() not in taken:
                taken.add(name.lower())
                out[key] = name
                break
        else:
            raise ValueError(f"names of {key} are taken")
    return out


def left_out(pairs, rnd):
    """Of parts that could contradict each other (pairs of ids), those that this text goes without."""
    ids = list(dict.fromkeys(i for pair in pairs for i in pair))
    rnd.shuffle(ids)
    kept = set()
    for i in ids:
        if not any(i in pair and kept.intersection(pair) for pair in pairs):
            kept.add(i)
    return set(ids) - kept


def texts_in(state):
    """All texts of a state, as a reader of it sees them."""
    if isinstance(state, dict):
        return [t for k, v in state.items() for t in [str(k), *texts_in(v)]]
    if isinstance(state, list):
        return [t for v in state for t in texts_in(v)]
    return [str(state)]


def stands_in(text, state):
    return any(text in t for t in texts_in(state)) or text in json.dumps(state, ensure_ascii=False)


def wordings(said):
    """"One // the same in other words", as a list."""
    return [one.strip() for one in said.split(" // ")]


def as_json(text):
    """A state that begins as JSON, and is JSON, as a value."""
    if text[:1] in "{[":
        try:
            return json.loads(text)
        except ValueError:
            pass
    return text


def capital(text):
    return text[:1].upper() + text[1:]


def few(part, least, where=""):
    """Which banks of a part are too small, as texts."""
    return [f"{where}{k}: {len(part.get(k, []))} of {n}" for k, n in least.items() if len(part.get(k, [])) < n]


def banks(node, path=""):
    """Every list of texts in a family, with where it stands."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from banks(value, f"{path}.{key}" if path else key)
    elif isinstance(node, list):
        if node and all(isinstance(x, str) for x in node):
            yield path, node
        else:
            for n, value in enumerate(node):
                yield from banks(value, f"{path}[{value.get('id', n) if isinstance(value, dict) else n}]")


def doubled(family):
    """Sentences that stand twice in one bank, as texts; values of a slot may, to be drawn more often."""
    return [
        f"{path}: twice: {text}"
        for path, bank in banks(family)
        if not path.endswith(".of")
        for text in sorted({t for t in bank if bank.count(t) > 1 and t})
    ]
