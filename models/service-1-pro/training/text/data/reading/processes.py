"""allenai/propara: paragraphs that people wrote about how something comes about, sentence by sentence, and where each
thing in it is after each of them, or whether it is there at all (Dalvi and others, 2018; Apache-2.0).
"""

import itertools
import json

from data.shared import rows
from data.shared.answers import begun

REPOSITORY = "allenai/propara"
FILES = [f"data/emnlp18/grids.v1.{part}.json" for part in ("train", "dev", "test")]
ROWS_EACH, QUESTIONS_EACH = 6, 3
NOT_THERE, UNKNOWN = "-", "?"
PLACED = [
    ("{When}, the place of the {thing} is this: {place}.", True),
    ("{When}, one finds the {thing} here: {place}.", True),
    ("Is this where the {thing} can be found {when}? {place}", True),
    ("Place of the {thing} {when}: {place}", True),
    ("{When}, the {thing} must be looked for elsewhere than here: {place}.", False),
    ("This is not the place of the {thing} {when}: {place}.", False),
    ("{When}, one does not find the {thing} here: {place}.", False),
]
WHERE = ["Where does one find the {thing} {when}?", "{When}: place of the {thing}", "The place of the {thing} {when}"]
LEFT = [
    ("In the end there is still {thing}.", True),
    ("The {thing} can still be found at the end of the process.", True),
    ("Is there {thing} at the end?", True),
    ("In the end, no {thing} is left.", False),
    ("The process uses up the {thing}, or turns it into something else.", False),
    ("By the end, there is no {thing} any more.", False),
]
THERE_FIRST = [
    ("There is {thing} before the process begins.", True),
    ("From the start there is {thing}.", True),
    ("Does one need {thing} to begin with?", True),
    ("The {thing} can only be found later on, not at the start.", False),
    ("At the start there is no {thing} yet.", False),
    ("The process makes {thing}.", False),
]
HAPPENS = {
    "made": ["coming into being", "being formed", "appearing for the first time"],
    "gone": ["being used up or turned into something else", "being lost or becoming something else"],
    "moved": ["getting to this place: {place}", "arriving here: {place}"],
}
IN_STEP = [
    ("{Step} tells of the {thing} {happens}.", True),
    ("Does this tell of the {thing} {happens}? {step}", True),
    ("It is by this step that we see the {thing} {happens}: {step}", True),
    ("{Step} does not tell of the {thing} {happens}.", False),
    ("It is another step than this that tells of the {thing} {happens}: {step}", False),
    ("It is not by this step that we see the {thing} {happens}: {step}", False),
]
WHICH_STEP = ["Which step tells of the {thing} {happens}?", "The step that tells of the {thing} {happens}"]
COPY = ["Copy the sentence that tells of the {thing} {happens}.", "Which sentence tells of the {thing} {happens}?"]
MAKES = ["What does the process bring about?", "What is there at the end, but not at the start?", "What is made?"]


def worded(claims, holds, rnd, **words):
    return rows.claim(claims, holds, rnd, **words, **{name.capitalize(): begun(said) for name, said in words.items()})


class Process:
    """One paragraph: its sentences, the states of its things by their names, the places that are named."""

    def __init__(self, one):
        self.steps = [step.strip() for step in one["sentence_texts"]]
        text = " ".join(self.steps).lower()
        self.things = {}
        for names, states in zip(one["participants"], one["states"], strict=True):
            name = next((each for each in names.lower().split(" ; ") if each in text), None)
            if name:
                self.things[name] = [at if at in (NOT_THERE, UNKNOWN) or at in text else UNKNOWN for at in states]
        self.places = sorted({at for states in self.things.values() for at in states} - {NOT_THERE, UNKNOWN})

    def events(self):
        """(thing, what happens to it, number of the step, place that it gets to)."""
        for thing, states in self.things.items():
            for n, (was, now) in enumerate(itertools.pairwise(states)):
                if NOT_THERE in (was, now) and was != now:
                    yield thing, "made" if was == NOT_THERE else "gone", n, now
                elif was != now and now != UNKNOWN:
                    yield thing, "moved", n, now

    def is_said(self, event):
        """Whether the step names the thing that comes about, or the place that it gets to."""
        thing, what, n, place = event
        return what == "gone" or (thing if what == "made" else place) in self.steps[n].lower()

    def when(self, n, numbered):
        """The time after the step n."""
        return f"after step {n + 1}" if numbered else f'after this: "{self.steps[n]}"'

    def step(self, n, numbered):
        return f"step {n + 1}" if numbered else f'"{self.steps[n]}"'


def placed(one, numbered, rnd):
    """Where a thing is after a step: a claim or a choice."""
    known = [
        (thing, n, at)
        for thing, states in one.things.items()
        for n, at in enumerate(states[1:])
        if at in one.places and len(set(states)) > 1
    ]
    if not known or len(one.places) < 2:
        return
    thing, n, at = rnd.choice(known)
    words = {"thing": thing, "when": one.when(n, numbered)}
    others = [place for place in one.places if place not in at and at not in place]
    # First the places where the thing is at another time.
    others.sort(key=lambda place: (place not in one.things[thing], rnd.random()))
    if len(others) >= 2 and rnd.random() < 0.5:
        shown = rnd.sample([at, *others[:3]], len(others[:3]) + 1)
        ask = rnd.choice(WHERE).format(**words, When=begun(words["when"]))
        yield {"type": "choice", "instructions": ask, "criteria": shown}, at
    elif others:
        holds = rnd.random() < 0.5
        yield worded(PLACED, holds, rnd, **words, place=at if holds else others[0])


def happened(one, numbered, rnd):
    """By which step something happens: a claim, a choice or a quote."""
    events = list(one.events())
    said = [event for event in events if one.is_said(event)]
    if not said:
        return
    thing, what, n, place = rnd.choice(said)
    happens = rnd.choice(HAPPENS[what]).format(place=place)
    same = {at for other, kind, at, where in events if (other, kind, where) == (thing, what, place)}
    sentences = {step: at for at, step in enumerate(one.steps) if at not in same and step != one.steps[n]}
    others = list(sentences.values())
    if not others:
        return
    words, drawn = {"thing": thing, "happens": happens}, rnd.random()
    if drawn < 0.25 and len(same) == 1:
        yield {"type": "extract", "instructions": rnd.choice(COPY).format(**words)}, one.steps[n]
    elif drawn < 0.5 and len(same) == 1 and len(others) > 1:
        shown = sorted([n, *rnd.sample(others, min(3, len(others)))])
        named = [f"step {at + 1}" if numbered else one.steps[at] for at in shown]
        asked = {"type": "choice", "instructions": rnd.choice(WHICH_STEP).format(**words), "criteria": named}
        yield asked, named[shown.index(n)]
    else:
        holds = rnd.random() < 0.5
        # Wrong steps name the thing as well, where there are any.
        others.sort(key=lambda at: (thing not in one.steps[at].lower(), rnd.random()))
        yield worded(IN_STEP, holds, rnd, **words, step=one.step(n if holds else others[0], numbered))


def ends(one, numbered, rnd):
    """Whether a thing is there at the end, or was from the start; or which things came about."""
    made = [thing for thing, states in one.things.items() if states[0] == NOT_THERE != states[-1]]
    if rnd.random() < 0.25 and made and len(made) < len(one.things):
        shown = rnd.sample(list(one.things), len(one.things))
        asked = {"type": "select", "instructions": rnd.choice(MAKES), "options": shown}
        yield asked, [thing for thing in shown if thing in made]
        return
    claims, at = rnd.choice([(LEFT, -1), (THERE_FIRST, 0)])
    there = [thing for thing, states in one.things.items() if states[at] != NOT_THERE]
    absent = [thing for thing in one.things if thing not in there]
    if there and absent:
        holds = rnd.random() < 0.5
        yield worded(claims, holds, rnd, thing=rnd.choice(there if holds else absent))


def shown(one, numbered, rnd):
    """The steps with their numbers or as one text."""
    if not numbered:
        return " ".join(one.steps)
    if rnd.random() < 0.6:
        return "\n".join(f"{n}. {step}" for n, step in enumerate(one.steps, 1))
    return {f"step {n}": step for n, step in enumerate(one.steps, 1)}


def read(show, rnd):
    count = 0
    for path in FILES:
        for line in show(path).splitlines():
            one = Process(json.loads(line))
            for _ in range(ROWS_EACH):
                numbered = rnd.random() < 0.6
                made = {}
                for ask in rnd.sample([placed, happened, ends, placed, happened], QUESTIONS_EACH):
                    made.update(
                        {question["instructions"]: (question, truth) for question, truth in ask(one, numbered, rnd)}
                    )
                if made:
                    name = f"processes-{count:05d}"
                    yield rows.row(name, "processes", "Apache-2.0", shown(one, numbered, rnd), made.values())
                    count += 1
