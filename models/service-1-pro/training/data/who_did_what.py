"""Rows about who did what, or that the text does not say: python -m data.who_did_what OUT [rows]

Two or three people are introduced, then something is said of each, of one, or of nobody. Questions ask who it was, in
other words than the text where there are any; half of what is asked is not said. Made from who_did_what.json alone:
`facts` are what is said of one person, what is said of the other, and questions that the first and the second answer;
`sayings` take a word of their list, and are asked for in the words of the text. The source of the rows is `people`.
"""

import json
import os
import random
import sys

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "who_did_what.json")) as lists:
    LISTS = json.load(lists)
UNKNOWN = (
    "not enough information",
    "cannot be told from the text",
    "Unknown",
    "Can't answer",
    "Not answerable",
    "Undetermined",
    "Cannot be determined",
    "it does not say",
    "nobody knows",
    "The text does not say",
    "not stated",
    "Not known",
)
ASK = (
    "{}",
    "{}",
    "According to the passage: {}",
    "Answer with what the text says: {}",
    "{} Answer from the text alone.",
)
SETTLES = (
    'Can "{}" be answered from the text?',
    'The passage settles the question "{}"',
    "The text says enough to answer: {}",
    "Is it said in the text? {}",
)
JOINTS = (
    " {a} {x}, while {b} {y}.",
    " {a} {x}. {b} {y}.",
    " {a} {x}, but {b} {y}.",
    " It turned out that {a} {x} and {b} {y}.",
    " I was told that {b} {y}, whereas {a} {x}.",
    " Later I heard that {a} {x}; {b} {y}.",
)
ALONE = (" {a} {x}.", " I heard that {a} {x}.", " It turned out that {a} {x}.", " As far as I know, {a} {x}.")


def cast(rng):
    """(as introduced, as spoken of, as an option) of two people."""
    kind = rng.random()
    if kind < 0.25:
        return [(name, name, name) for name in rng.sample(LISTS["names"], 2)]
    if kind < 0.5:
        found = rng.sample(LISTS["people"], 2)
    elif kind < 0.7:
        person = rng.choice(LISTS["people"])
        found = [f"{mark} {person}" for mark in rng.sample(LISTS["marks"], 2)]
    elif kind < 0.85:
        person = rng.choice(("man", "woman", "person", rng.choice(LISTS["people"])))
        found = [f"{person} {behind}" for behind in rng.sample(LISTS["behind"], 2)]
    else:
        found = [
            f"{mark} {person}" for mark, person in zip(rng.sample(LISTS["marks"], 2), rng.sample(LISTS["people"], 2))
        ]
    return [(f"{'an' if words[0] in 'aeiou' else 'a'} {words}", f"the {words}", f"The {words}") for words in found]


def sentence(text):
    return text[0].upper() + text[1:]


def story(rng):
    """Text, options, and [(question, the option that answers it or None)]."""
    people = cast(rng)
    if rng.random() < 0.5:
        people.reverse()
    (first, a, name_a), (second, b, name_b) = people
    text = sentence(rng.choice(LISTS["scenes"]).format(both=f"{first} and {second}"))
    asked = []
    for topic in rng.sample(range(2), rng.choice((1, 1, 2))):
        said = rng.random()
        if topic == 0:
            x, y, of_x, of_y = rng.choice(LISTS["facts"])
            asked_x, asked_y = rng.choice(of_x), rng.choice(of_y)
        else:
            form, question, words = rng.choice(LISTS["sayings"])
            word_x, word_y, word_z = rng.sample(words, 3)
            x, y, asked_x, asked_y = (
                form.format(word_x),
                form.format(word_y),
                question.format(word_x),
                question.format(word_y),
            )
            if said >= 0.45 and rng.random() < 0.3:
                asked.append((question.format(word_z), None))
        who = rng.choice((((a, name_a), (b, name_b)), ((b, name_b), (a, name_a))))
        if said < 0.45:
            asked += [(asked_x, None), (asked_y, None)]
            continue
        if said < 0.6:
            text += " " + sentence(rng.choice(ALONE).format(a=who[0][0], x=x).strip())
            asked.append((asked_x, who[0][1]))
            continue
        parts = rng.choice(JOINTS).format(a=who[0][0], x=x, b=who[1][0], y=y).strip()
        text += " " + ". ".join(sentence(part) for part in parts.split(". "))
        asked += [(asked_x, who[0][1]), (asked_y, who[1][1])]
    return text, [name_a, name_b], asked


def row(rng, index):
    text, names, asked = story(rng)
    questions, truth = {}, {}
    for number, (question, answer) in enumerate(rng.sample(asked, min(len(asked), 3))):
        unknown = rng.choice(UNKNOWN)
        options = [*names, unknown]
        rng.shuffle(options)
        questions[f"who_{number}"] = {
            "type": "choice",
            "instructions": rng.choice(ASK).format(question),
            "criteria": dict.fromkeys(options),
        }
        truth[f"who_{number}"] = answer or unknown
        if rng.random() < 0.4:
            questions[f"said_{number}"] = {"type": "noul", "instructions": rng.choice(SETTLES).format(question)}
            truth[f"said_{number}"] = answer is not None
    state = rng.choice((text, text, {"report": text}, {"text": text}, {"note": text}))
    return {
        "id": f"people-{index:06d}",
        "source": "people",
        "task": "who did what",
        "licence": "Apache-2.0",
        "state": state,
        "questions": questions,
        "truth": truth,
    }


def main(out, count=20000):
    rng = random.Random(11)
    with open(out, "w") as file:
        file.writelines(json.dumps(row(rng, index)) + "\n" for index in range(int(count)))


if __name__ == "__main__":
    main(*sys.argv[1:3])
