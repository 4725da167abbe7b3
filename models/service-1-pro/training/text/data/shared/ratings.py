"""How a text feels about what it is about, from a rating between -1 and 1: questions that every converter of rated
texts asks.
"""

from data.shared import rows

CLEAR, NEUTRAL = 0.2, 0.08  # a side is taken from here on; none is taken below
FULL = 0.75  # what counts as the end of a scale
SIDED = 0.6  # the rating of a text of which only the side is known
POSITIVE = [
    "The {text} is positive.",
    "The sentiment is positive.",
    "The writer is pleased.",
    "The writer speaks well of it.",
    "This is praise.",
    "The tone is favourable.",
    "Is the {text} positive?",
    "Does the writer like it?",
]
NEGATIVE = [
    "The {text} is negative.",
    "The sentiment is negative.",
    "The writer is displeased.",
    "The writer finds fault with something.",
    "This is criticism.",
    "The tone is unfavourable.",
    "Is the {text} negative?",
    "Is the writer unhappy with it?",
]
NEITHER = ["The {text} is neutral.", "The {text} takes no side.", "No feeling shows in the {text}."]
OF_REVIEWS = [
    ("The customer is satisfied.", 1),
    ("The writer would recommend it.", 1),
    ("The customer is disappointed.", -1),
    ("The writer regrets it.", -1),
]
ABOUT_NEITHER = 0.12  # of claims
ASKS = [
    "What is the sentiment?",
    "Sentiment of the {text}",
    "How does the writer feel about it?",
    "Is the {text} positive or negative?",
    "Which tone does the {text} have?",
    "Classify the {text}.",
]
SIDES = [
    ("negative", "neutral", "positive"),
    ("bad", "neither good nor bad", "good"),
    ("unfavourable", "balanced", "favourable"),
    ("displeased", "indifferent", "pleased"),
    ("criticism", "a plain statement", "praise"),
]
RATES = [
    "How positive is the {text}?",
    "Rate the sentiment of the {text}.",
    "How good does the writer find it?",
    "Sentiment, from the worst to the best",
    "How does this {text} sound?",
]
SCALES = [
    ["very negative", "negative", "neutral", "positive", "very positive"],
    ["very bad", "bad", "neither good nor bad", "good", "very good"],
    ["terrible", "poor", "average", "good", "excellent"],
    ["negative", "neutral", "positive"],
    ["furious", "unhappy", "indifferent", "content", "delighted"],
    ["1 star", "2 stars", "3 stars", "4 stars", "5 stars"],
    ["dreadful", "bad", "rather bad", "neutral", "rather good", "good", "wonderful"],
]
NAMED = 0.5  # of choices, whose options come without descriptions as a list


def so(value, wanted):
    """How true it is that a text of this rating is on a side (1, -1) or on none (0)."""
    if wanted == 0:
        return 1.0 - so(value, 1) - so(value, -1)
    return min(max((value * wanted - NEUTRAL) / (CLEAR - NEUTRAL), 0.0), 1.0)


def claims(value, text, count, rnd):
    """A few claims and how true they are."""
    sides = [(claim, 1) for claim in POSITIVE] + [(claim, -1) for claim in NEGATIVE]
    sides += OF_REVIEWS if "review" in text else []
    neither = [(claim, 0) for claim in NEITHER]
    for claim, wanted in [rnd.choice(neither if rnd.random() < ABOUT_NEITHER else sides) for _ in range(count)]:
        yield {"type": "noul", "instructions": claim.format(text=text)}, round(so(value, wanted), 3)


def choice(value, text, rnd):
    """Which side; None where it is between a side and none."""
    sure = [n for n, wanted in enumerate((-1, 0, 1)) if so(value, wanted) > 0.99]
    if not sure:
        return None
    names = list(rnd.choice(SIDES))
    right = names[sure[0]]
    if sure[0] != 1 and rnd.random() < 0.3:
        names.pop(1)
    rnd.shuffle(names)
    criteria = names if rnd.random() < NAMED else dict.fromkeys(names)
    return {"type": "choice", "instructions": rnd.choice(ASKS).format(text=text), "criteria": criteria}, right


def scale(value, text, rnd):
    """The place on a scale, between two levels where it is."""
    levels = rnd.choice(SCALES)
    place = (min(max(value / FULL, -1.0), 1.0) + 1) / 2 * (len(levels) - 1)
    asked = {"type": "score", "instructions": rnd.choice(RATES).format(text=text), "criteria": list(levels)}
    return asked, round(place, 2)


def row(name, licence, state, value, text, rnd, graded=True):
    """A rated text with two or three questions; `name`: source and number, `text`: what to call it."""
    made = list(claims(value, text, rnd.choice([1, 2]), rnd))
    if rnd.random() < 0.6:
        made.append(choice(value, text, rnd))
    if graded and rnd.random() < 0.7:
        made.append(scale(value, text, rnd))
    return rows.row(name, "sentiment", licence, state, [one for one in made if one is not None])


def sided(name, licence, state, good, text, rnd):
    """The same of a text that is good or bad, nobody said how much."""
    return row(name, licence, state, SIDED if good else -SIDED, text, rnd, graded=False)
