"""For training: the sentences or entries that answer a question for a quote or a value are taken out of the state, so
that nothing is there. Without such rows every value that is asked for stands in the text, and any number will do.
"""

import re

import states
import values

TAKEN_OUT = 0.12  # of rows that ask for a quote or a value
SHORTEST_LEFT = 0.3  # of the text
BETWEEN = re.compile(r"((?<=[.!?])[ \t]+|\n+)")
FIELD = {"text": "text", "json": "value"}


def sayer(kind, truth):
    """Whether a text says the answer."""
    if kind in values.KINDS:
        return lambda text: any(values.same(value, truth) for _, _, value in values.candidates(text, kind))
    said = str(truth).lower()
    return lambda text: said in text.lower()


def sentences_without(text, says):
    """What is left of a text without the sentences that say it; None where nothing is."""
    parts = BETWEEN.split(text)
    kept = [n for n in range(0, len(parts), 2) if not says(parts[n])]
    left = "".join("".join(parts[n : n + 2]) for n in kept)
    return left if left.strip() else None


def without(value, says):
    """A JSON value without what says it; None where nothing is left."""
    if isinstance(value, str):
        return sentences_without(value, says) if says(value) else value
    if isinstance(value, dict):
        left = {key: without(one, says) for key, one in value.items()}
        # A turn of a conversation is who said it and what.
        if states.turn(value) is not None and None in left.values():
            return None
        kept = {key: one for key, one in left.items() if one is not None or value[key] is None}
        return kept or None
    if isinstance(value, list):
        return [one for one in (without(one, says) for one in value) if one is not None] or None
    return None if states.is_plain(value) and says(states.plain(value)) else value


def state_without(state, says):
    """A state without what says it; None where too little is left, or where it is said nevertheless."""
    if states.has_parts(state):
        parts = [{**part, FIELD[part["type"]]: without(part.get(FIELD[part["type"]]), says)} for part in state]
        left = [part for part in parts if part[FIELD[part["type"]]] is not None]
    else:
        left = without(state, says)
    if not left:
        return None
    text = states.text_of(left)
    return left if len(text) >= SHORTEST_LEFT * len(states.text_of(state)) and not says(text) else None


def is_pointed(asked, truth):
    """Whether a question for a quote or a value has one answer, in words or numbers."""
    is_read = asked["type"] in ("extract", "fill") and asked.get("kind") != "coordinates"
    return is_read and isinstance(truth, (str, int, float))


def drawn(row, rnd):
    """Now and then a row without what answers one of its questions; of the others, those for quotes and values whose
    answers still stand there are kept.
    """
    pointed = [name for name, asked in row["questions"].items() if is_pointed(asked, row["truth"].get(name))]
    if not pointed or row["task"] == "arithmetic" or rnd.random() >= TAKEN_OUT or states.text_of(row["state"]) is None:
        return row
    says = {name: sayer(row["questions"][name].get("kind"), row["truth"][name]) for name in pointed}
    gone = rnd.choice(pointed)
    state = state_without(row["state"], says[gone])
    if state is None:
        return row
    text = states.text_of(state)
    kept = [name for name in pointed if name == gone or says[name](text)]
    return {
        **row,
        "state": state,
        "questions": {name: row["questions"][name] for name in kept},
        "truth": {name: None if name == gone else row["truth"][name] for name in kept},
    }


def rows(given):
    """For calibrating: of each row that asks for a written value, the row without what says it, asked for it alone;
    whatever is written is wrong.
    """
    for row in given:
        for name, asked in row["questions"].items():
            truth = row["truth"].get(name)
            if asked["type"] != "fill" or asked.get("kind") not in values.KINDS or not is_pointed(asked, truth):
                continue
            if states.text_of(row["state"]) is None:
                continue
            state = state_without(row["state"], sayer(asked["kind"], truth))
            if state is not None:
                yield {**row, "state": state, "questions": {name: asked}, "truth": {name: False}}
                break
