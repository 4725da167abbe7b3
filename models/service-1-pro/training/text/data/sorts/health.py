"""abachaa/MedQuAD: answers of American health institutes to questions about illnesses, each of a kind: symptoms,
causes, treatment and so on (Ben Abacha and Demner-Fushman, 2019; CC BY 4.0). A row is the beginning of an answer.
"""

import collections
import html
import re

from data.reading.shifts import sentences
from data.shared import one_of_kinds, rows

REPOSITORY = "abachaa/MedQuAD"
FOLDERS = {
    "1_CancerGov_QA": 200,
    "3_GHR_QA": 250,
    "5_NIDDK_QA": 200,
    "6_NINDS_QA": 300,
    "7_SeniorHealth_QA": 100,
    "8_NHLBI_QA_XML": 100,
    "9_CDC_QA": 100,
}  # and how many of their files
MOST_EACH, FEWEST_WORDS, MOST_WORDS = 420, 12, 110
ANSWER = re.compile(r'qtype="([^"]*)">.*?</Question>\s*<Answer>(.*?)</Answer>', re.S)
HEADING = re.compile(r"^(?:Key Points|Overview|Summary ?:)\s*", re.I)
WORDS = {
    "information": ("what the illness is", "the nature of an illness"),
    "symptoms": ("symptoms", "signs of an illness"),
    "causes": ("causes", "what an illness comes from"),
    "treatment": ("treatment", "how an illness is treated"),
    "exams and tests": ("diagnosis", "tests that tell an illness"),
    "prevention": ("prevention", "how to keep from getting ill"),
    "susceptibility": ("who is at risk", "what makes people likely to get ill"),
    "outlook": ("prognosis", "how an illness will go on"),
    "inheritance": ("inheritance", "how an illness is passed on in families"),
    "frequency": ("frequency", "how many people have an illness"),
    "research": ("research", "studies that are under way"),
    "considerations": ("diet", "what patients should eat"),
    "stages": ("stages", "how far an illness has come"),
}
UNSURE = {
    "information": {"symptoms", "causes", "frequency"},
    "causes": {"susceptibility", "inheritance", "information"},
    "susceptibility": {"causes", "frequency"},
    "inheritance": {"causes", "susceptibility"},
    "outlook": {"treatment"},
    "stages": {"exams and tests", "treatment"},
    "considerations": {"prevention", "treatment"},
    "exams and tests": {"symptoms"},
    "research": {"treatment", "causes"},
}
AFFIRMED = [
    "The text is about {what}.",
    "The passage deals with {what}.",
    "Is this about {what}?",
    "Somebody who asks about {what} is answered here.",
    "The subject is {what}.",
    "It explains {what}.",
]
DENIED = ["The text is not about {what}.", "The passage doesn't deal with {what}.", "The subject isn't {what}."]
NAMES = [
    {one: words[0] for one, words in WORDS.items()},
    {one: words[1] for one, words in WORDS.items()},
    {one: one.capitalize() for one in WORDS} | {"considerations": "Nutrition", "susceptibility": "Risk groups"},
]
DESCRIPTIONS = {one: words[1] for one, words in WORDS.items()}
ASKS = [
    "What is the passage about?",
    "Under which heading does the text belong?",
    "Which question does it answer?",
    "Topic of the text",
    "What does a patient learn here?",
    "Sort the passage.",
]


def cuts(answer, rnd):
    """The beginning of an answer, a few sentences long."""
    answer = HEADING.sub("", html.unescape(answer).strip())
    text = " ".join(answer.split())
    spans = sentences(text)
    last = spans[min(len(spans), rnd.choice([1, 2, 2, 3])) - 1][1]
    said = text[:last].strip()
    words = len(said.split())
    if FEWEST_WORDS <= words <= MOST_WORDS and said.count(" - ") < 4:
        return said
    return None


def read(show, rnd):
    surplus, by_kind = collections.Counter(), collections.defaultdict(dict)
    said = [
        one
        for kind, words in WORDS.items()
        for what in words
        for one in one_of_kinds.said_of({kind: {"what": what}}, AFFIRMED, DENIED)
    ]
    for folder, most in FOLDERS.items():
        files = show(folder).splitlines()[2:]
        rnd.shuffle(files)
        for name in files[:most]:
            for kind, answer in ANSWER.findall(show(f"{folder}/{name}")):
                text = cuts(answer, rnd) if kind in WORDS else None
                if text:
                    by_kind[kind][text] = None
    found = []
    for kind, texts in by_kind.items():
        texts = list(texts)
        rnd.shuffle(texts)
        found += [(kind, text) for text in texts[:MOST_EACH]]
    rnd.shuffle(found)
    for count, (kind, text) in enumerate(found):
        truths = {one: int(one == kind) for one in WORDS if one not in UNSURE.get(kind, ())}
        made = list(one_of_kinds.claims(truths, said, rnd.choice([1, 2, 2]), surplus, rnd))
        if rnd.random() < 0.75 or not made:
            names = [{one: scheme[one] for one in truths} for scheme in NAMES]
            made.append(one_of_kinds.choice(kind, names, ASKS, rnd, (), 7))
        state = {"text": text} if rnd.random() < 0.15 else text
        yield rows.row(f"health-{count:05d}", "medical subject", "CC BY 4.0", state, made)
