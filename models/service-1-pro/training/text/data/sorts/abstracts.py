"""pubmedqa/pubmedqa (the part that people labelled): abstracts of medical papers whose titles ask a question (Jin and
others, 2019; MIT). Which part of a paper a few sentences are of; and what a conclusion answers, where the labels of
those who saw it and of those who did not agree.
"""

import collections
import json
import re

from data.reading.shifts import sentences
from data.shared import one_of_kinds, pairs, rows

REPOSITORY = "pubmedqa/pubmedqa"
PATH, LICENCE = "data/ori_pqal.json", "MIT"
MOST_SENTENCES, MOST_WORDS, FEWEST_WORDS = 3, 90, 12
HEADS = {
    "aim": ("OBJECTIVE", "PURPOSE", "AIM", "AIMS", "OBJECTIVES", "STUDY OBJECTIVE", "BACKGROUND", "INTRODUCTION"),
    "methods": ("METHODS", "METHOD", "MATERIALS AND METHODS", "PATIENTS AND METHODS", "STUDY DESIGN", "DESIGN"),
    "results": ("RESULTS", "RESULT", "FINDINGS"),
}
SAID = one_of_kinds.written(
    {
        "aim": (
            [
                "This tells why the study was done.",
                "The passage introduces a question that is to be looked into.",
                "The passage comes before the study itself: what is known, and what it is for.",
                "Is this from the introduction?",
                "The text gives the background or the aim of the study.",
            ],
            [
                "The passage is not about why the study was done.",
                "This is not an introduction.",
                "The text gives neither background nor aim.",
            ],
        ),
        "methods": (
            [
                "This tells how the study was done.",
                "The passage describes who was studied and what was measured.",
                "Is this about the method?",
                "The text tells what was done with the patients or the data, not what came of it.",
                "The passage is from the methods section.",
            ],
            [
                "The passage does not describe how the study was carried out.",
                "This is not from the methods section.",
                "The text is about something else than the method.",
            ],
        ),
        "results": (
            [
                "This tells what was measured, in numbers.",
                "The passage reports findings in detail.",
                "Is this from the results section?",
                "The text gives outcomes, with figures.",
                "Numbers that came out of the study are reported.",
            ],
            [
                "The passage reports no figures that came out of the study.",
                "This is not from the results section.",
                "The text is something else than a report of findings in numbers.",
            ],
        ),
        "conclusion": (
            [
                "This tells what the authors make of their findings.",
                "The passage sums up what the study shows.",
                "Is this a conclusion?",
                "The text draws a lesson from the study as a whole.",
                "The passage closes a paper.",
            ],
            [
                "The passage draws no conclusion.",
                "This is not the part where a paper sums up.",
                "The authors do not yet say here what their findings mean.",
            ],
        ),
    }
)
NAMES = [
    {"aim": "background or aim", "methods": "methods", "results": "results", "conclusion": "conclusion"},
    {"aim": "why", "methods": "how", "results": "what was found", "conclusion": "what it means"},
    {"aim": "introduction", "methods": "method", "results": "findings in numbers", "conclusion": "summing up"},
]
DESCRIPTIONS = {
    "aim": "what is known, and what the study is to find out",
    "methods": "who was studied, what was done and measured",
    "results": "what was found, with figures",
    "conclusion": "what the authors make of it",
}
ASKS = ["Which part of the paper is this from?", "Section", "What does the passage tell?", "Sort the passage."]
ANSWERED = [
    ("{ask}", True),
    ("{ask}", True),
    ("{ask}", True),
    ('The authors answer this with yes: "{ask}"', True),
    ('Asked "{ask}", the authors would say yes.', True),
    ('The authors answer this with no: "{ask}"', False),
    ('Asked "{ask}", the authors would say no.', False),
    ("{ask} The conclusion is no.", False),
]
VERDICT = [
    ("{ask}", ("yes", "no")),
    ("{ask} The conclusion says", ("yes", "no")),
    ("What do the authors answer? {ask}", ("yes", "no")),
]
HALF = re.compile(r"\b(?:vs|et al|resp|approx|ca)\.\s*$")  # no end of a sentence
# A sentence of a conclusion that tells what was looked into.
LOOKED_INTO = re.compile(
    r"(?:(?:this|our|the)(?: [\w-]+){0,3} |(?:here,? )?we )(?:was |were |has |have )?"
    r"(?:(?:evaluat|examin|investigat|assess|stud[iy]|explor|analy[sz]|aim|design|describ)(?:ed|es)|sought)\b",
    re.I,
)
# Without these a conclusion may as well be a finding.
INTERPRETS = re.compile(
    r"\b(?:suggest|conclu|may|might|should|could|can|recommend|indicat|support|appear|seem|need|further|future|useful"
    r"|valuable|safe|effective|import|evidence|therefore|thus|help|clinic|must|potential)",
    re.I,
)
# A title that can be answered with yes or no.
WHETHER = re.compile(
    r"(?:.*[:.?–-] )?(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must|may)\b", re.I
)
WHICH = ["Which question does this answer?", "What was the question of the study?", "The title of the paper"]


def part(text, rnd):
    """A few sentences of a section."""
    spans = []
    for first, last in sentences(text):
        if spans and HALF.search(text[: spans[-1][1]]):
            first = spans.pop()[0]
        spans.append((first, last))
    first = rnd.randrange(max(1, len(spans) - MOST_SENTENCES + 1))
    last = min(len(spans), first + rnd.randint(1, MOST_SENTENCES))
    return rows.plain(text[spans[first][0] : spans[last - 1][1]])


def is_clear(kind, text):
    """Whether figures stand where results are told, none in a conclusion, and no head of another section."""
    if re.search(r"\.[A-Z]{3}|[A-Z]{3}[:/]", text):
        return False
    if kind == "conclusion" and LOOKED_INTO.match(text):
        return False
    if kind == "results":
        return len(re.findall(r"\d", text)) > 3
    return kind != "conclusion" or not re.search(r"\d[\d.]*%|\bp ?[<=>]|\d\.\d", text, re.I)


def sections(papers):
    """(kind, text) of what is surely of one kind."""
    for one in papers:
        for head, text in zip(one["LABELS"], one["CONTEXTS"], strict=True):
            kind = next((kind for kind, heads in HEADS.items() if head in heads), None)
            if kind:
                yield kind, text
        yield "conclusion", one["LONG_ANSWER"]


def sorted_out(papers, rnd):
    surplus = collections.Counter()
    for kind, text in sections(papers):
        shown = part(text, rnd)
        if FEWEST_WORDS <= len(shown.split()) <= MOST_WORDS and is_clear(kind, shown):
            unsure = "results" if kind == "conclusion" and not INTERPRETS.search(shown) else None
            truths = {one: one == kind for one in NAMES[0] if one != unsure}
            made = list(one_of_kinds.claims(truths, SAID, rnd.choice([1, 2, 2]), surplus, rnd))
            if rnd.random() < 0.5:
                names = [{one: name for one, name in some.items() if one != unsure} for some in NAMES]
                made.append(one_of_kinds.choice(kind, names, ASKS, rnd, descriptions=DESCRIPTIONS))
            if made:
                yield shown, made


def concluded(papers, rnd):
    """Conclusions and the questions that they answer: as many with yes as with no."""
    sure = {
        answer: [
            one
            for one in papers
            if one["final_decision"] == one["reasoning_required_pred"] == one["reasoning_free_pred"] == answer
            and WHETHER.match(rows.plain(one["QUESTION"]))
        ]
        for answer in ("yes", "no")
    }
    fewest = min(len(found) for found in sure.values())
    for answer, found in sure.items():
        for one in rnd.sample(found, fewest):
            ask, holds = rows.plain(one["QUESTION"]), answer == "yes"
            asked = rows.either if rnd.random() < 0.3 else rows.claim
            made = [asked(VERDICT if asked is rows.either else ANSWERED, holds, rnd, ask=ask)]
            if rnd.random() < 0.4:
                names = [rows.plain(other["QUESTION"]) for other in rnd.sample(papers, 3) if other is not one]
                shown = pairs.shown([ask, *names], rnd)
                made.insert(0, ({"type": "choice", "instructions": rnd.choice(WHICH), "criteria": shown}, ask))
            text = rows.plain(one["LONG_ANSWER"])
            yield {"conclusion": text} if rnd.random() < 0.3 else text, made


def read(show, rnd):
    papers = list(json.loads(show(PATH)).values())
    kinds = {
        "abstracts": ("parts of papers", sorted_out(papers, rnd)),
        "concluded": ("what a conclusion answers", concluded(papers, rnd)),
    }
    for source, (task, made) in kinds.items():
        for count, (state, asked) in enumerate(made):
            yield rows.row(f"{source}-{count:05d}", task, LICENCE, state, asked)
