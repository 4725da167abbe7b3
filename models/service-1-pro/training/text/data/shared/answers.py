"""How a question is put of which a right answer and wrong ones are known, none of them words of the text: a choice, a
claim that one of them is right, or a reply to be graded.
"""

from data.judging import grounded
from data.shared import pairs, rows
from data.shared.asked import stated

AS_CLAIM, STATED = 0.5, 0.6
MOST_WRONG = 3
CLAIMS = [
    ("{ask} {said}.", True),
    ("{ask} Answer: {said}", True),
    ('The answer to "{ask}" is: {said}', True),
    ('Asked "{ask}", the right reply is "{said}".', True),
    ("Question: {ask} Answer: {said}. The answer is right.", True),
    ("Is this right? {ask} {said}.", True),
    ("{ask} Answer: {said}. This is wrong.", False),
    ('"{said}" is not the answer to: {ask}', False),
    ('Asked "{ask}", it would be wrong to reply "{said}".', False),
    ("Is the answer wrong? {ask} {said}.", False),
]


def begun(said):
    """With a capital, and without the full stop behind it."""
    said = said.strip().rstrip(".")
    return said[:1].upper() + said[1:]


def claim(ask, right, wrong, rnd, state_of=stated):
    """A claim that one of the answers is the right one; a plain statement where `state_of` makes one."""
    holds = rnd.random() < 0.5
    said = begun(right if holds else rnd.choice(wrong))
    plain = state_of(ask, said) if rnd.random() < STATED else None
    if plain:
        return {"type": "noul", "instructions": plain}, holds
    return rows.claim(CLAIMS, holds, rnd, ask=ask, said=said)


def question(ask, right, wrong, rnd, state_of=stated):
    """A choice or a claim, and its truth."""
    if rnd.random() < AS_CLAIM:
        return claim(ask, right, wrong, rnd, state_of)
    names = [right, *rnd.sample(wrong, min(len(wrong), rnd.randint(2, MOST_WRONG)))]
    return {"type": "choice", "instructions": ask, "criteria": pairs.shown(names, rnd)}, right


def graded(text, ask, right, wrong, rnd):
    """(state, questions with truths): a text, a question, and somebody's answer to it."""
    holds = rnd.random() < 0.5
    said = begun(right if holds else rnd.choice(wrong)) + "."
    state, made = grounded.answered(text, ask, said, holds, rnd)
    return rows.named(state, rnd.random() < 0.5), made
