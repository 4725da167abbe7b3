"""YiweiJiang2015/CookDial: 260 talks in which one person, as an assistant, took another through a recipe step by step;
people noted which step the cook has done and what each message asks for (Jiang and others, 2022; MIT). Rows show steps
and the end of a talk (what is done, what is next), or a message (what the cook wants).
"""

import collections
import json
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "YiweiJiang2015/CookDial"
LICENCE = "MIT"
BEFORE, BEHIND, MOST_WORDS, MOST_STEP, TIMES = 2, 3, 210, 45, 2
GIVEN = re.compile(r"(?:\w+\(\);\s*)*inform_instruction\((inst-\d+)\);")
NEXT = ["Which step comes next?", "What should the assistant say next?", "The step to be given now", "Next step"]
LAST = ["Which step did the cook do last?", "Which step was just finished?", "The step that the cook reports as done"]
DONE = [
    ("By now this is done: {step}", True),
    ("The cook has done this already: {step}", True),
    ("{step} This step is behind the cook.", True),
    ("Can this be ticked off? {step}", True),
    ("This is still to be done: {step}", False),
    ("The cook has not come to this yet: {step}", False),
    ("{step} This step lies ahead.", False),
    ("Does the cook still have to do this? {step}", False),
]
SPEAKERS = [("Cook", "Assistant"), ("User", "Bot"), ("customer", "agent"), ("A", "B")]
PARTS = [("recipe", "talk"), ("steps", "conversation"), ("instructions", "chat")]
LABELS = {
    "req_instruction": "next",
    "req_start": "next",
    "req_repeat": "repeat",
    "req_amount": "amount",
    "req_ingredient": "ingredients",
    "req_ingredient_list": "ingredients",
    "req_duration": "duration",
    "req_temperature": "heat",
    "req_substitute": "instead",
    "req_parallel_action": "meanwhile",
    "req_is_recipe_finished": "all",
    "req_is_recipe_ongoing": "all",
    "req_ingredient_list_ends": "all",
    "req_title": "dish",
    "thank": "thanks",
}
ENDING = re.compile(
    r"\b(?:all|it for|(?:is|was) that it|that's it|over|else|another (?:step|ingredient)|anything|more|left|last|"
    r"finish\w*|complete\w*)\b",
    re.I,
)
HINTS = {  # words by which a message may be of a kind, also where nobody noted it
    "next": r"next|now|then|first|start|continue|step|how do|what (?:do|else)|should|shall|already|time to|further|"
    r"more|make|instruct",
    "repeat": r"repeat|again|understand|understood|remind|sorry|pardon|what was|read|mean|confus|clear",
    "amount": r"how (?:much|many|big|large)|size|amount|cups?\b|spoons?\b|all\b|more|quantit|enough|small|big",
    "ingredients": r"ingredient|next|need|what (?:else|kind|type)|which|more|have|prepare|add|use|and then",
    "duration": r"how long|minutes?|mins?\b|hours?|time|when|until|ready|long|seconds|know|eat\b",
    "heat": r"temperature|degree|celsius|fahrenheit|hot|warm|heat|\bC\b|\bF\b|high|low",
    "instead": r"instead|substitut|replace|alternative|don't have|other|just use|can i use|could i|only|have no|too",
    "meanwhile": r"mean(?:time|while)|while|during|wait|else",
    "all": r"all\b|finish|done|over\b|is that it|that's it|ready|eat\b|last|else|serve|complete|more|end|now\b|is it\b",
    "dish": r"today|recipe|cook|make|prepare|bake|dish|dinner|tonight|suggest|have",
    "thanks": r"thank|thx|grazie|merci|great|appreciate|nice",
}
SAID = one_of_kinds.said_of(
    {
        "next": {"what": "for the next step"},
        "repeat": {"what": "to have something said again"},
        "amount": {"what": "for an amount or a size"},
        "ingredients": {"what": "for ingredients"},
        "duration": {"what": "how long something takes or when it is ready"},
        "heat": {"what": "for a temperature"},
        "instead": {"what": "whether something else can be used"},
        "meanwhile": {"what": "what can be done while waiting"},
        "all": {"what": "whether that was all"},
        "dish": {"what": "what is to be cooked"},
    },
    ["The last message asks {what}.", "The cook asks {what}.", "Does the cook ask {what}?"],
    [
        "The last message does not ask {what}.",
        "The cook does not ask {what} here.",
        "Does the last message do something else than ask {what}?",
    ],
)
SAID += one_of_kinds.written(
    {
        "thanks": (
            ["The cook says thanks.", "The last message is polite enough to say thank you.", "Is there a thank-you?"],
            ["The last message holds no thanks.", "The cook does not say thank you."],
        )
    }
)
NAMES = [
    {
        "next": "next step",
        "repeat": "say it again",
        "amount": "amount",
        "ingredients": "ingredients",
        "duration": "time until ready",
        "heat": "temperature",
        "instead": "replacement",
        "meanwhile": "use of waiting time",
        "all": "is that all",
        "dish": "choice of dish",
    },
    {
        "next": "what to do next",
        "repeat": "to hear something once more",
        "amount": "how much or how big",
        "ingredients": "what is needed",
        "duration": "how long, or when it is ready",
        "heat": "how hot",
        "instead": "whether another thing will do",
        "meanwhile": "what to do while waiting",
        "all": "whether it is finished",
        "dish": "what to cook",
    },
]
ASKS = [
    "What does the cook ask?",
    "What does the cook want to know?",
    "Intent of the last message",
    "Route the message.",
]
NEAR = {"next": {"ingredients", "all", "dish"}, "ingredients": {"next", "amount"}, "all": {"next", "meanwhile"}}
KEPT_NEXT = 0.35  # most messages ask for the next step


def dialogs(show):
    """(steps, messages) of each talk."""
    recipes = {name[:3]: name for name in show("data/recipe").splitlines()[2:] if name.endswith(".json")}
    for file in show("data/dialog").splitlines()[2:]:
        content = json.loads(show(f"data/recipe/{recipes[file[:3]]}"))["content"]
        steps = {
            one["id"]: rows.plain(re.sub(r"^\d+\)", "", one["text"])) for one in content if one["type"] == "instruction"
        }
        yield steps, json.loads(show(f"data/dialog/{file}"))["messages"]


def lines(messages, names):
    return [f"{names[bool(one['bot'])]}: {rows.plain(one['utterance'])}" for one in messages]


def noted(message):
    """What a message of the cook asks for, and the notes on it."""
    notes = json.loads(message["annotations"])
    return {name.strip() for name in notes["intent"].split(";") if name.strip()}, notes


def reached(steps, messages):
    """(number of a message, number of the step just done) where a whole step was given and the cook asks to go on."""
    order = list(steps)
    for n in range(1, len(messages)):
        given = GIVEN.fullmatch(messages[n - 1]["annotations"].strip()) if messages[n - 1]["bot"] else None
        if not given or messages[n]["bot"] or given[1] not in order:
            continue
        intents, notes = noted(messages[n])
        at = order.index(given[1])
        asks_on = {"confirm", "req_instruction"} <= intents and not intents & {"req_repeat", "negate", "other"}
        tracked = [notes["tracker_completed_step"], notes["tracker_requested_step"]]
        if asks_on and tracked == order[at : at + 2]:
            yield n, at


def followed(steps, messages, rnd):
    """(state, questions) on how far the cook is."""
    said = list(steps.values())
    for n, at in reached(steps, messages):
        first = max(0, at - rnd.randint(0, BEFORE))
        shown = said[first : at + 1 + rnd.randint(2, BEHIND)]
        first_line = n + 1 - rnd.choice([2, 2, 4, 4, 6])
        talk = lines(messages[max(0, first_line) : n + 1], rnd.choice(SPEAKERS))
        if max(len(one.split()) for one in shown) > MOST_STEP or len(" ".join(shown + talk).split()) > MOST_WORDS:
            continue
        if len(shown) < 3 or len(set(shown)) < len(shown):
            continue
        made, behind = [], shown[: at + 1 - first]
        holds = rnd.random() < 0.5
        made.append(rows.claim(DONE, holds, rnd, step=rnd.choice(behind if holds else shown[len(behind) :])))
        asks, right = (NEXT, said[at + 1]) if rnd.random() < 0.65 else (LAST, said[at])
        options = rnd.sample(shown, len(shown))
        made.append(({"type": "choice", "instructions": rnd.choice(asks), "criteria": options}, right))
        rnd.shuffle(made)
        names = rnd.choice(PARTS)
        if rnd.random() < 0.5:
            yield {names[0]: shown, names[1]: talk if rnd.random() < 0.5 else "\n".join(talk)}, made
        else:
            yield f"{names[0].capitalize()}:\n" + "\n".join(shown) + "\n\n" + "\n".join(talk), made


def wanted(messages, surplus, rnd):
    """(state, questions) on what a message asks for."""
    for n, one in enumerate(messages):
        if one["bot"]:
            continue
        text, intents = rows.plain(one["utterance"]), noted(one)[0]
        if not ENDING.search(text):  # "Can I eat it?" may be meant as "Is that all?", or not
            intents = {name for name in intents if LABELS.get(name) != "all"}
        truths = {kind: False for kind, hint in HINTS.items() if not re.search(hint, text, re.I)}
        truths |= {LABELS[name]: True for name in intents if name in LABELS}
        asked = [LABELS[name] for name in intents if name in LABELS and name != "thank"]
        if asked == ["next"] and rnd.random() > KEPT_NEXT:
            continue
        made = list(one_of_kinds.claims(truths, SAID, rnd.choice([1, 2]), surplus, rnd))
        others = [
            kind for kind in NAMES[0] if truths.get(kind) is False and kind not in NEAR.get((asked or [""])[0], ())
        ]
        if len(asked) == 1 and len(others) > 1 and "other" not in intents and rnd.random() < 0.7:
            names = [{kind: each[kind] for kind in [*asked, *others]} for each in NAMES]
            made.append(one_of_kinds.choice(asked[0], names, ASKS, rnd, most=7))
        rnd.shuffle(made)
        if made:
            talk = lines(messages[max(0, n - rnd.choice([1, 1, 1, 3])) : n + 1], rnd.choice(SPEAKERS))
            yield "\n".join(talk) if rnd.random() < 0.75 else talk, made


def read(show, rnd):
    surplus, every = collections.Counter(), list(dialogs(show))
    made = [one for _ in range(TIMES) for steps, messages in every for one in followed(steps, messages, rnd)]
    for count, (state, asked) in enumerate(made):
        yield rows.row(f"cooking-{count:05d}", "steps of a recipe", LICENCE, state, asked)
    made = [one for _, messages in every for one in wanted(messages, surplus, rnd)]
    for count, (state, asked) in enumerate(made):
        yield rows.row(f"kitchen-{count:05d}", "what a cook wants", LICENCE, state, asked)
