"""nlp-unibo/Multilingual-Unfair-Clause-Detection (the English half): paragraphs of the terms of service of 50 online
services, in which lawyers marked what may be unfair to consumers and what is not (Galassi, Lagioia, Jablonowska and
Lippi, 2024; CC BY 4.0).

A paragraph is asked what it does and what it does not; the marks tell apart, too, whether an account can be closed for
any reason or for named ones, and whether a consumer may sue at home.
"""

import collections
import re

from data.reading.shifts import sentences
from data.shared import one_of_kinds, rows

REPOSITORY = "nlp-unibo/Multilingual-Unfair-Clause-Detection"
FOLDER = "corpus/original_xml/en"
LICENCE = "CC BY 4.0"
FEWEST_WORDS, MOST_WORDS, MOST_SHARE, UNMARKED, TIMES = 9, 200, 0.8, 500, 2
FEWEST_QUOTE, MOST_QUOTE = 6, 70
TAG = re.compile(r"</?([a-z]+)([123])>")
# Marks that make a kind; `home`: a consumer may sue at home or is under the own law, `accepts`: liability is accepted.
KINDS_OF = {"ch2": "change", "ch3": "change", "ter2": "end", "ter3": "end", "cr2": "remove", "cr3": "remove"}
KINDS_OF |= {"ltd2": "limit", "ltd3": "limit", "use2": "use", "j3": "court", "law2": "law", "a2": "arbitration"}
KINDS_OF |= {"a3": "arbitration", "j1": "home", "ltd1": "accepts", "law1": "home", "a1": "free"}
ASIDE = {"accepts", "home", "free"}
# Words without which a mark is not believed; where they stand, a paragraph without the mark is asked less often.
SHOWS = {
    "change": r"chang|modif|amend|updat|revis|alter|add\b|remov|replac|supplement|adjust|discontinu|var(?:y|ied)",
    "end": r"terminat|suspend|clos|cancel|disabl|discontinu|end\b|block|restrict|limit|deactivat"
    r"|stop|refus|withdraw|delete",
    "remove": r"remov|delet|reject|refus|take down|block|edit|monitor|screen|disable",
    "limit": r"liab|damage|loss|responsib|warrant|risk|as is|guarante|refund|remed",
    "use": r"\b(?:us(?:e|ing)|access|continu|download|register|visit|click|creat|plac|order|book|install)",
    "court": r"court|jurisdiction|venue",
    "law": r"\blaws?\b",
    "arbitration": r"arbitrat",
}
# Ends at will and in named cases; words that keep a liability rather than limit it.
AT_WILL = re.compile(r"any time|any reason|no reason|discretion|without (?:cause|reason)", re.I)
OPEN_LIST = re.compile(r"without limitation|not limited to|for example", re.I)
IN_CASE = re.compile(r"\bif\b|breach|violat|where|when", re.I)
UNLIMITED = re.compile(r"nothing (?:in|above|here)|not (?:exclude|limit|affect|allow|apply)", re.I)
SAID = one_of_kinds.written(
    {
        "change": (
            [
                "The provider can change the terms, prices or the service on its own.",
                "The company reserves the right to alter what was agreed.",
                "Changes can be made by one side alone.",
                "The user has to reckon with changes that the provider decides.",
            ],
            [
                "No right to change anything is reserved.",
                "The paragraph gives the provider no leave to alter terms or service.",
            ],
        ),
        "end": (
            [
                "The provider may suspend or end the account or the service.",
                "A user can be shut out by the company.",
                "The company reserves the right to stop serving somebody.",
                "Access may be taken away by the provider.",
            ],
            [
                "Nothing is said about suspending or ending accounts or the service.",
                "The provider reserves no right to shut anyone out.",
            ],
        ),
        "any": (
            [
                "No reason is needed to end the account or the service.",
                "The provider can end it at will.",
                "Accounts or services may be stopped whenever the company likes.",
            ],
            [
                "As far as the text says, ending the account or service takes a reason.",
                "A reason such as a breach or a misuse is named for ending it, no end at will.",
            ],
        ),
        "remove": (
            [
                "The provider may take down what users post.",
                "Users' content can be deleted or refused.",
                "What a user uploads may be removed by the company.",
                "The company reserves the right to delete content.",
            ],
            [
                "Taking down content is not dealt with.",
                "The paragraph does not let the provider delete what users post.",
            ],
        ),
        "limit": (
            [
                "The provider limits or excludes what it answers for.",
                "The company does not want to be responsible for some losses or faults.",
                "Liability or warranty is restricted.",
                "A user who suffers a loss may get nothing, or little, from the provider.",
            ],
            ["The provider does not limit what it answers for.", "Liability and warranties are not restricted here."],
        ),
        "use": (
            [
                "Whoever uses the service counts as having agreed.",
                "The terms bind a user by the mere use of the service.",
                "Going on with the service means consent.",
                "No signature is needed: use is taken as acceptance.",
            ],
            [
                "Use of the service is not taken as consent.",
                "The paragraph does not say that using the service means agreeing.",
            ],
        ),
        "court": (
            [
                "Disputes have to go to courts of a place that the provider chose.",
                "The user cannot simply sue at home.",
                "The courts of one place alone are responsible.",
            ],
            [
                "No one court or place of courts is prescribed.",
                "The paragraph does not tie lawsuits to a place the provider chose.",
            ],
        ),
        "law": (
            [
                "The law of a certain state or country is chosen.",
                "It is laid down whose law governs.",
                "One place's law applies to the agreement.",
            ],
            ["No choice of law is made.", "It is not said whose law governs."],
        ),
        "arbitration": (
            [
                "Disputes have to be settled by arbitration.",
                "An arbitrator takes the place of a court.",
                "The user has to arbitrate.",
            ],
            ["Nobody is sent to arbitration.", "Arbitration is not imposed on the user."],
        ),
    }
)
NAMES = [
    {
        "change": "changes by the provider alone",
        "end": "suspension or termination",
        "remove": "removal of content",
        "limit": "limitation of liability",
        "use": "consent by using",
        "court": "place of jurisdiction",
        "law": "choice of law",
        "arbitration": "arbitration",
    },
    {
        "change": "Unilateral change",
        "end": "Termination",
        "remove": "Content removal",
        "limit": "Liability",
        "use": "Contract by using",
        "court": "Jurisdiction",
        "law": "Governing law",
        "arbitration": "Arbitration",
    },
]
DESCRIPTIONS = {
    "change": "terms, prices or the service can be altered by the provider",
    "end": "the provider can suspend or close an account, or stop the service",
    "remove": "what users post can be deleted or refused",
    "limit": "what the provider answers for is limited or excluded",
    "use": "using the service counts as agreeing to the terms",
    "court": "disputes belong before the courts of a chosen place",
    "law": "the law of a chosen place applies",
    "arbitration": "disputes go to an arbitrator",
}
NONE = ["none of these", "something else", "other"]
ASKS = ["What is the paragraph about?", "Which kind of clause is it?", "Classify the clause.", "Type of clause"]
SELECT = ["Which clauses does the paragraph hold?", "What does the paragraph do?", "Kinds of clauses that are there"]
COPY = {
    "change": [
        "Copy the sentence that lets the provider change something.",
        "Where does the provider reserve changes?",
    ],
    "end": ["Copy the sentence on suspending or ending.", "Which sentence lets the provider shut a user out?"],
    "remove": ["Copy the sentence on taking content down.", "Which sentence lets the provider delete content?"],
    "limit": ["Copy the sentence that limits liability.", "Which sentence says what the provider will not answer for?"],
    "use": ["Copy the sentence that takes use as consent.", "Which sentence says that using means agreeing?"],
    "court": ["Copy the sentence on the courts.", "Which sentence says where one has to sue?"],
    "law": ["Copy the sentence on the law that applies.", "Which sentence says whose law governs?"],
    "arbitration": ["Copy the sentence on arbitration.", "Which sentence sends disputes to an arbitrator?"],
}


def parsed(paragraph):
    """(text, [(mark, its words)]) of a paragraph with marks in it, which may stand in one another."""
    text, opened, marked, end = "", {}, [], 0
    for found in TAG.finditer(paragraph):
        text += paragraph[end : found.start()]
        mark, end = found[1] + found[2], found.end()
        if found[0][1] == "/":
            if mark in opened:
                marked.append((mark, rows.plain(text[opened.pop(mark) :])))
        else:
            opened[mark] = len(text)
    return rows.plain(text + paragraph[end:]), marked


def judged(text, marked):
    """kind -> whether the paragraph is of it, where that is sure."""
    found = collections.defaultdict(list)
    for mark, words in marked:
        if mark in KINDS_OF:
            found[KINDS_OF[mark]].append(words)
    truths = {}
    for kind, shows in SHOWS.items():
        if kind in found:
            if any(re.search(shows, words, re.I) for words in found[kind]):
                truths[kind] = True
        elif not (ASIDE & found.keys()) and not re.search(shows, text, re.I):
            truths[kind] = False
    if UNLIMITED.search(text):
        truths.pop("limit", None)
    ends = {mark for mark, _ in marked if mark in ("ter2", "ter3")}
    whole = " ".join(words for mark, words in marked if mark in ends)
    if ends == {"ter3"} and AT_WILL.search(whole):
        truths["any"] = True
    elif (
        ends == {"ter2"}
        and IN_CASE.search(whole)
        and not (AT_WILL.search(whole) or OPEN_LIST.search(text) or "notice" in text)
    ):
        truths["any"] = False
    if "home" in found:
        truths.pop("court", None)
        truths.pop("law", None)
    return truths


def classified(kind, away, rnd):
    """Which kind the paragraph is of, at times with an option for none."""
    names = [{one: called[one] for one in [kind, *away]} for called in NAMES]
    said = {called[one]: DESCRIPTIONS[one] for called in names for one in called}
    question, right = one_of_kinds.choice(kind, names, ASKS, rnd, (), 6)
    options = list(question["criteria"])
    if rnd.random() < 0.3:
        none = rnd.choice(NONE)
        if rnd.random() < 1 / len(options):
            options.remove(right)
            right = none
        question["criteria"] = [*options, none]
    elif rnd.random() < 0.3:
        question["criteria"] = {one: said[one] for one in options}
    return question, right


def selected(kinds, away, rnd):
    """Which of some kinds are there."""
    names, shown = rnd.choice(NAMES), rnd.sample(kinds, min(3, len(kinds))) + rnd.sample(away, min(3, len(away)))
    shown = rnd.sample(shown, len(shown))
    asks = {"type": "select", "instructions": rnd.choice(SELECT), "options": [names[kind] for kind in shown]}
    return asks, [names[kind] for kind in shown if kind in kinds]


def quoted(text, marked, kinds, rnd):
    """The words that make one of the kinds, where they are a part of the paragraph; at most one question."""
    for kind in rnd.sample(kinds, len(kinds)):
        quotes = [words for mark, words in marked if KINDS_OF.get(mark) == kind]
        whole = len(quotes) == 1 and quotes[0] in text and len(quotes[0]) < MOST_SHARE * len(text)
        if whole and FEWEST_QUOTE <= len(quotes[0].split()) <= MOST_QUOTE and rnd.random() < 0.6:
            yield {"type": "extract", "instructions": rnd.choice(COPY[kind])}, quotes[0]
            break


def asked(text, marked, truths, surplus, rnd):
    """Questions about a paragraph."""
    yield from one_of_kinds.claims(truths, SAID, rnd.choice([1, 2, 2]), surplus, rnd)
    kinds = [kind for kind in DESCRIPTIONS if truths.get(kind)]
    away = [kind for kind in DESCRIPTIONS if truths.get(kind) is False]
    sure = len(kinds) == len({KINDS_OF.get(mark) for mark, _ in marked} & DESCRIPTIONS.keys())
    if len(kinds) == 1 and sure and len(away) > 2 and rnd.random() < 0.6:
        yield classified(kinds[0], away, rnd)
    elif len(kinds) > 1 and away and rnd.random() < 0.7:
        yield selected(kinds, away, rnd)
    if len(sentences(text)) > 1:
        yield from quoted(text, marked, kinds, rnd)


def paragraphs(show):
    """(text, marks) of all paragraphs that are long enough, each once."""
    seen = set()
    for file in show(FOLDER).splitlines()[2:]:
        for line in show(f"{FOLDER}/{file}").splitlines()[1:]:
            text, marked = parsed(line)
            if FEWEST_WORDS <= len(text.split()) <= MOST_WORDS and text not in seen and text[-1] in ".!?;)":
                seen.add(text)
                yield text, marked


def read(show, rnd):
    surplus, count, found = collections.Counter(), 0, list(paragraphs(show))
    plain = [one for one in found if not one[1]]
    wanted = [one for one in found if one[1]] * TIMES + rnd.sample(plain, min(len(plain), UNMARKED))
    for text, marked in wanted:
        made = list(asked(text, marked, judged(text, marked), surplus, rnd))
        if made:
            state = {rnd.choice(["clause", "terms", "paragraph"]): text} if rnd.random() < 0.25 else text
            yield rows.row(f"onesided-{count:05d}", "terms of service", LICENCE, state, made)
            count += 1
