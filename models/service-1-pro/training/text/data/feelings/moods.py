"""emotion-analysis-project/SemEval2025-Task11 (BRIGHTER, English): sentences of posts in which several readers rated
anger, fear, joy, sadness and surprise from 0 to 3 (Muhammad and others, 2025; CC BY 4.0). What readers found faint is
seldom asked about.
"""

import collections
import csv
import io

from data.shared import one_of_kinds, rows

REPOSITORY = "emotion-analysis-project/SemEval2025-Task11"
PATH, PARTS = "task-dataset/semeval-2025-task11-dataset/track_b/{}/eng.csv", ("train", "dev", "test")
TRUE, FAINT = {0: 0, 1: 0.7, 2: 1, 3: 1}, 0.3  # by what readers rated; the share of 1s that are asked about
WORDS = {
    "anger": [("angry", "anger"), ("annoyed", "irritation"), ("mad at somebody or something", "rage")],
    "fear": [("afraid", "fear"), ("worried", "worry"), ("anxious or scared", "anxiety")],
    "joy": [("happy", "joy"), ("glad", "happiness"), ("pleased or delighted", "delight")],
    "sadness": [("sad", "sadness"), ("unhappy", "sorrow"), ("hurt or grieving", "grief")],
    "surprise": [("surprised", "surprise"), ("astonished", "amazement"), ("caught unawares", "astonishment")],
}
AFFIRMED = [
    "The writer is {how}.",
    "The writer feels {what}.",
    "The text expresses {what}.",
    "Is the writer {how}?",
    "There is {what} in these words.",
    "It sounds as if the writer were {how}.",
    "A reader would notice {what} here.",
]
DENIED = [
    "The writer is not {how}.",
    "The text shows no sign of {what}.",
    "There is no {what} in it.",
    "Nothing suggests that the writer is {how}.",
]
PLAIN = {
    "neutral": (
        ["The text is neutral.", "No emotion shows.", "It is said without any feeling.", "Is the tone matter-of-fact?"],
        ["The text is emotional.", "Some feeling shows in the text.", "The writer is moved by something."],
    )
}
NAMES = [
    {one: one for one in (*WORDS, "neutral")},
    {one: words[0][0] for one, words in WORDS.items()} | {"neutral": "none of these"},
    {one: words[1][0] for one, words in WORDS.items()} | {"neutral": "calm"},
    {one: words[0][1].capitalize() for one, words in WORDS.items()} | {"neutral": "No emotion"},
    {one: words[1][1] for one, words in WORDS.items()} | {"neutral": "nothing of the kind"},
]
DESCRIPTIONS = {
    "anger": "something makes them cross, furious or bitter",
    "fear": "something frightens or worries them",
    "joy": "they are pleased, amused, proud or relieved",
    "sadness": "a loss, a disappointment or pain weighs on them",
    "surprise": "something comes unexpected or is hard to believe",
    "neutral": "no emotion shows",
}
ASKS = [
    "Which emotion does the text express?",
    "How does the writer feel?",
    "What is the main emotion?",
    "Emotion of the writer",
    "Name the feeling behind these words.",
    "Classify the emotion.",
]
SEVERAL = ["Which emotions does the text express?", "Emotions that a reader finds here", "What does the writer feel?"]
RATES = ["How strong is the {what}?", "How {how} is the writer?", "Rate the {what} in the text.", "Level of {what}"]
SCALES = [
    ["none", "low", "moderate", "high"],
    ["not at all", "a little", "clearly", "very much"],
    ["no {what}", "slight {what}", "{what}", "strong {what}"],
]


def claims():
    """Every claim about an emotion, and about none."""
    made = one_of_kinds.written(PLAIN)
    for one, words in WORDS.items():
        for how, what in words:
            made += one_of_kinds.said_of({one: {"how": how, "what": what}}, AFFIRMED, DENIED)
    return made


def choice(rated, rnd):
    """The emotion that stands out, or none; None where that is not clear."""
    highest = max(rated.values())
    felt = [one for one, level in rated.items() if level == highest] if highest else ["neutral"]
    if len(felt) > 1 or highest == 1:
        return None
    shown = [one for one in NAMES[0] if rated.get(one, 0) == 0 and (one != "neutral" or not highest)] + felt
    if highest and rnd.random() < 0.5:
        shown.append("neutral")
    names = [{one: scheme[one] for one in dict.fromkeys(shown)} for scheme in NAMES]
    return one_of_kinds.choice(felt[0], names, ASKS, rnd, (), 6, DESCRIPTIONS)


def scale(rated, rnd):
    """How strong an emotion is, mostly one that is there."""
    one = max(rated, key=lambda one: (rated[one] + 1.5) * rnd.random())
    how, what = rnd.choice(WORDS[one][:2])
    levels = [level.format(what=what) for level in rnd.choice(SCALES)]
    ask = rnd.choice(RATES).format(how=how, what=what)
    return {"type": "score", "instructions": ask, "criteria": levels}, rated[one]


def several(rated, rnd):
    names = rnd.choice([scheme for scheme in NAMES if scheme["neutral"] != "none of these"])
    shown = [one for one in rated if rated[one] != 1]
    rnd.shuffle(shown)
    asked = {"type": "select", "instructions": rnd.choice(SEVERAL), "options": [names[one] for one in shown]}
    return asked, [names[one] for one in shown if rated[one]]


def read(show, rnd):
    surplus, said = collections.Counter(), claims()
    found = [one for part in PARTS for one in csv.DictReader(io.StringIO(show(PATH.format(part))))]
    for count, one in enumerate(found):
        text, rated = " ".join(one["text"].split()), {name: int(one[name]) for name in WORDS}
        truths = {name: TRUE[level] for name, level in rated.items() if level != 1 or rnd.random() < FAINT}
        if max(rated.values()) != 1:
            truths["neutral"] = int(not any(rated.values()))
        made = list(one_of_kinds.claims(truths, said, rnd.choice([1, 2, 2, 3]), surplus, rnd))
        drawn = choice(rated, rnd) if rnd.random() < 0.85 else None
        made += [drawn] if drawn else []
        made += [scale(rated, rnd)] if rnd.random() < 0.35 else []
        made += [several(rated, rnd)] if sum(level != 1 for level in rated.values()) > 2 and rnd.random() < 0.25 else []
        if made and "& #" not in text:
            yield rows.row(f"moods-{count:05d}", "emotions", "CC BY 4.0", text, made[:5])
