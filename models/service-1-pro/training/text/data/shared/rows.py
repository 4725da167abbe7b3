"""What converters share that ask several questions about one text: the row, parts that have names, a claim that holds
or does not, a choice between two verdicts, a text in one line.
"""


def row(name, task, licence, state, asked):
    """A row with questions q0, q1 and so on. `name`: source and number; `asked`: (question, truth) of each."""
    asked = list(asked)
    return {
        "id": name,
        "source": name.rsplit("-", 1)[0],
        "task": task,
        "licence": licence,
        "state": state,
        "questions": {f"q{n}": question for n, (question, _) in enumerate(asked)},
        "truth": {f"q{n}": truth for n, (_, truth) in enumerate(asked)},
    }


def named(parts, flat):
    """Parts (name -> text) as lines of one text where `flat`, else as the record they are."""
    return "\n".join(f"{name.capitalize()}: {said}" for name, said in parts.items()) if flat else parts


def claim(claims, holds, rnd, **words):
    """One of `claims` (a claim with {words}, whether it is true where `holds`) and its truth."""
    said, when = rnd.choice(claims)
    return {"type": "noul", "instructions": said.format(**words)}, holds == when


def either(choices, holds, rnd, **words):
    """One of `choices` (what is asked, with {words}, the option where `holds` and the other), either option first."""
    ask, options = rnd.choice(choices)
    shown = list(options if rnd.random() < 0.5 else options[::-1])
    question = {"type": "choice", "instructions": ask.format(**words), "criteria": shown}
    return question, options[0] if holds else options[1]


def plain(text):
    """In one line, with single spaces."""
    return " ".join(text.split())


def begun(text):
    """With a capital at the start."""
    return text[0].upper() + text[1:]


def ended(text):
    """In one line, with a capital and a full stop."""
    text = plain(text)
    return begun(text) + ("" if text[-1] in ".!?" else ".")
