"""shu7bh/Contract-NLI (dev and test of ContractNLI): excerpts of agreements on confidential information, and what they
say, rule out or leave open on 17 points (Koreeda and Manning, 2021; CC BY 4.0).

An excerpt is made of the sentences that decide a point or a few, with their neighbours now and then. That a point is
left open is known of the whole agreement.
"""

import collections
import json
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "shu7bh/Contract-NLI"
FILES = ("dataset/dev.json", "dataset/test.json")
LICENCE = "CC BY 4.0"
MOST_WORDS, MOST_EVIDENCE, MOST_QUOTE, FEWEST_QUOTE = 220, 150, 60, 8
TIMES = 7  # excerpts of an agreement, a point each, and more where there is room
SAID, RULED_OUT, OPEN = "Entailment", "Contradiction", "NotMentioned"
UNSURE = {("nda-16", RULED_OUT), ("nda-5", RULED_OUT), ("nda-3", RULED_OUT), ("nda-17", RULED_OUT)}
# Words that make one doubt that an excerpt leaves a point open, whatever was judged of the agreement.
TOUCHED = {
    "nda-4": re.compile(r"purpose|solely|only (?:to|in|for)", re.I),
    "nda-5": re.compile(r"employee|personnel|staff", re.I),
    "nda-8": re.compile(r"court|subpoena|by law|legal", re.I),
    "nda-12": re.compile(r"independent|develop", re.I),
    "nda-16": re.compile(r"return|destr|deliver", re.I),
    "nda-17": re.compile(r"\bcop(?:y|ies)\b|reproduc|duplicat", re.I),
    "nda-19": re.compile(r"surviv|perpetu|indefinite|years?\b", re.I),
}
# Words without which the sentences that were marked do not say a point plainly.
PLAIN = {
    "nda-3": re.compile(r"oral|verbal|spoken|word of mouth|discussion|conversation", re.I),
    "nda-19": re.compile(r"surviv|perpetu|indefinite|years?\b|(?:after|following) .*(?:terminat|expir)", re.I),
    "nda-20": re.compile(r"retain|keep|kept|archiv|back-?ups?|retention", re.I),
}
# Each point: what it is about, a question, claims that hold where it is said, claims that hold where it is not.
POINTS = {
    "nda-11": (
        "reverse engineering",
        "Is reverse engineering forbidden?",
        [
            "Reverse engineering is forbidden.",
            "The agreement bars the recipient from taking products apart to find out how they work.",
            "The receiving party must not disassemble or decompile what it gets.",
        ],
        ["The text puts no ban on reverse engineering.", "Nothing stops the recipient here from reverse engineering."],
    ),
    "nda-16": (
        "the return or destruction of the information",
        "Does the recipient have to give back or destroy information?",
        [
            "The recipient has to return or destroy information.",
            "Material has to be handed back or destroyed at some point.",
            "The agreement requires that documents be given back or destroyed.",
        ],
        [
            "No duty to return or destroy anything is laid down here.",
            "The excerpt does not ask anyone to hand material back or destroy it.",
        ],
    ),
    "nda-15": (
        "rights or licences in the information",
        "Is it said that the recipient gets no rights in the information?",
        [
            "The information stays the property of the one who discloses it, or no licence in it is granted.",
            "The agreement makes clear that the recipient gets no ownership of the information.",
            "It is stated that the disclosure gives the recipient no right in the information itself.",
        ],
        [
            "The text does not say who owns the information or whether a licence is granted.",
            "Ownership and licences are not touched on.",
        ],
    ),
    "nda-10": (
        "keeping the agreement or the talks themselves secret",
        "Must the existence of the agreement or of the talks be kept secret?",
        [
            "The agreement itself, or that the parties are talking, has to be kept secret.",
            "The terms of the agreement, or the fact of the discussions, may not be told to others.",
            "The terms or the existence of the deal are confidential, too.",
        ],
        [
            "Nothing here makes the agreement or the talks themselves secret.",
            "The text keeps neither the terms of the agreement nor the fact of the talks secret.",
        ],
    ),
    "nda-1": (
        "whether confidential information has to be marked",
        "Does information have to be marked or named as confidential to count?",
        [
            "Only what is identified as confidential is protected.",
            "Information has to be designated or marked as confidential to be covered.",
            "To count as confidential, information has to be labelled or declared so.",
        ],
        [
            "The text does not require information to be marked as confidential.",
            "Information need not be labelled to be protected, as far as the text says.",
        ],
    ),
    "nda-19": (
        "duties that go on after the agreement ends",
        "Do some duties go on after the agreement ends?",
        [
            "Some duties go on after the agreement has ended.",
            "The obligation of secrecy outlives the agreement.",
            "Parties stay bound in part once the agreement is over.",
        ],
        [
            "The text does not say that any duty goes on after the end of the agreement.",
            "Nothing here outlives the agreement.",
        ],
    ),
    "nda-12": (
        "developing similar information independently",
        "May the recipient develop similar information on its own?",
        [
            "What the recipient develops independently is not restricted.",
            "The recipient may come up with similar information on its own.",
            "There is an exception for independent development.",
        ],
        [
            "Independent development is not mentioned as an exception.",
            "The excerpt leaves out what the recipient works out by itself.",
        ],
    ),
    "nda-20": (
        "keeping some of the information after the rest was returned or destroyed",
        "May the recipient keep some of the information after the rest was returned or destroyed?",
        [
            "The recipient may keep some information even after returning or destroying the rest.",
            "Not everything has to be handed back or destroyed; some may be kept.",
            "Some copies may be retained by the receiving party.",
        ],
        [
            "The text gives the recipient no leave to keep any of the information in the end.",
            "The text does not say that the recipient may keep any of the information in the end.",
        ],
    ),
    "nda-3": (
        "information given by word of mouth",
        "Can information given by word of mouth be confidential?",
        [
            "What is told orally can be confidential, too.",
            "Spoken information is covered.",
            "The protected information need not be written down; it can be told.",
        ],
        [
            "Spoken information is not mentioned.",
            "The text does not say that things told orally are covered.",
        ],
    ),
    "nda-18": (
        "hiring or soliciting the other party's people",
        "Is it forbidden to solicit the other party's people?",
        [
            "A party must not try to win over the other's employees, customers or partners.",
            "The agreement forbids soliciting the other side's staff or contacts.",
            "There is a ban on poaching.",
        ],
        [
            "The text does not keep anyone from hiring or soliciting the other's people.",
            "No ban on solicitation is found here.",
        ],
    ),
    "nda-7": (
        "passing information on to outsiders such as advisers",
        "May information be shared with some third parties, such as advisers or affiliates?",
        [
            "Some third parties, such as advisers or affiliates, may be given information.",
            "The recipient may show information to certain outsiders.",
            "Information may be passed to advisers, consultants, agents or the like.",
        ],
        [
            "The text gives no leave to share information with outsiders such as advisers.",
            "The text does not say that outsiders may be given information.",
        ],
    ),
    "nda-17": (
        "making copies",
        "May the recipient make copies in some cases?",
        [
            "The recipient may make copies in some cases.",
            "Copying is allowed under certain conditions.",
            "The agreement leaves room for copies.",
        ],
        [
            "The text gives no leave to make copies.",
            "Nothing here allows the recipient to copy the information.",
        ],
    ),
    "nda-8": (
        "telling the other party when the law demands disclosure",
        "If the law or a court demands disclosure, must the other party be told?",
        [
            "If a court or the law demands disclosure, the other party has to be told.",
            "The recipient must give notice when it is legally compelled to disclose.",
            "A subpoena has to be announced to the party whose information it is.",
        ],
        [
            "The text does not require notice when a court demands the information.",
            "No notice to the other party is asked for if the law compels disclosure.",
        ],
    ),
    "nda-13": (
        "getting similar information from a third party",
        "May the recipient get similar information from a third party?",
        [
            "What the recipient lawfully gets from a third party is not restricted.",
            "The recipient may obtain similar information from somebody else.",
            "There is an exception for information that comes from a third party.",
        ],
        [
            "Information that comes from a third party is not mentioned as an exception.",
            "The text makes no exception for what others tell the recipient.",
        ],
    ),
    "nda-5": (
        "sharing information with the recipient's own employees",
        "May the recipient's own employees see the information?",
        [
            "The recipient may show information to its own employees or staff.",
            "Employees who need to know may be told.",
            "Within the recipient's company, some people may see the information.",
        ],
        [
            "The text gives no leave to show the information to employees.",
            "Nothing here lets the recipient's employees see the information.",
        ],
    ),
    "nda-4": (
        "what the information may be used for",
        "Is the use of the information limited to the stated purpose?",
        [
            "The information may only be used for the purpose of the agreement.",
            "The recipient must not use the information for its own other ends.",
            "Any use outside the stated purpose is forbidden.",
        ],
        [
            "The text does not limit what the information may be used for.",
            "Other uses than the agreed one are not ruled out in full.",
        ],
    ),
}
NOTHING = [
    ("The excerpt says nothing about {topic}.", True),
    ("There is nothing here on {topic}.", True),
    ("One has to look elsewhere for {topic}.", True),
    ("The text leaves this open: {topic}.", True),
    ("The excerpt deals with {topic}.", False),
    ("Does the text say something about {topic}?", False),
    ("This is dealt with: {topic}.", False),
    ("There is a rule here on {topic}.", False),
]
VERDICTS = [
    ["yes", "no", "it does not say"],
    ["Yes", "No", "Not mentioned"],
    ["yes", "no", "left open"],
    ["yes", "no", "not stated in the text"],
]
TOPICS = ["What is the excerpt about?", "Which point is dealt with?", "Classify the clause.", "Subject of the excerpt"]
COPY = ["Copy the part that deals with {}.", "Which passage is about {}?", "Find what is said on {}."]
SELECT = ["Which of these points does the excerpt deal with?", "Points that are dealt with", "What is regulated here?"]
CLAIMS = [
    (claim, name, holds)
    for name, (_, _, affirmed, denied) in POINTS.items()
    for holds, claims in ((True, affirmed), (False, denied))
    for claim in claims
]


def excerpt(spans, wanted, rnd):
    """The spans of these numbers as a text: a line where something was left out; now and then a neighbour stays."""
    words = sum(len(spans[n].split()) for n in wanted)
    for n in sorted(wanted):
        for near in (n - 1, n + 1):
            if 0 <= near < len(spans) and near not in wanted and rnd.random() < 0.4:
                words += len(spans[near].split())
                if words > MOST_WORDS:
                    return lines(spans, wanted)
                wanted = wanted | {near}
    return lines(spans, wanted)


def lines(spans, wanted):
    text, before = "", None
    for n in sorted(wanted):
        text += ("" if before is None else " " if n == before + 1 else "\n") + spans[n]
        before = n
    return text


def chosen(judged, spans, first, rnd):
    """Points of one excerpt: the first, and others whose sentences still fit."""
    taken, wanted = [first], set(judged[first]["spans"])
    for name in rnd.sample(list(judged), len(judged)):
        more = wanted | set(judged[name]["spans"])
        fits = sum(len(spans[n].split()) for n in more) <= MOST_EVIDENCE
        if fits and name != first and len(taken) < 3 and rnd.random() < 0.6:
            taken, wanted = [*taken, name], more
    return taken, wanted


def verdict(judged, taken, open_ones, rnd):
    """What the excerpt says to one point: yes, no or nothing."""
    drawn = rnd.random()
    no = [name for name in taken if judged[name]["choice"] == RULED_OUT]
    name = rnd.choice(no or (open_ones if drawn < 0.45 and open_ones else taken))
    place = 2 if name in open_ones else 1 if name in no else 0
    names = rnd.choice(VERDICTS)
    shown = rnd.sample(names, 3)
    criteria = shown if rnd.random() < 0.5 else dict.fromkeys(shown)
    return {"type": "choice", "instructions": POINTS[name][1], "criteria": criteria}, names[place]


def topic(taken, left_open, rnd):
    """Which point the excerpt deals with, or which ones, among some that the agreement leaves open."""
    others = rnd.sample(left_open, rnd.randint(2, min(4, len(left_open))))
    if len(taken) == 1:
        shown = rnd.sample([taken[0], *others], len(others) + 1)
        topics = [POINTS[name][0] for name in shown]
        return {"type": "choice", "instructions": rnd.choice(TOPICS), "criteria": topics}, POINTS[taken[0]][0]
    shown = rnd.sample([*taken, *others], len(taken) + len(others))
    options = [POINTS[name][0] for name in shown]
    answer = [POINTS[name][0] for name in shown if name in taken]
    return {"type": "select", "instructions": rnd.choice(SELECT), "options": options}, answer


def asked(judged, taken, left_open, spans, text, surplus, rnd):
    """Questions about an excerpt; `taken`: points that it decides, `left_open`: points that the agreement leaves."""
    truths = {name: judged[name]["choice"] == SAID for name in taken}
    open_ones = rnd.sample(left_open, min(len(left_open), 2))
    truths |= dict.fromkeys(open_ones, False)
    yield from one_of_kinds.claims(truths, CLAIMS, rnd.choice([1, 2, 2]), surplus, rnd)
    if left_open and rnd.random() < 0.4:
        nothing = rnd.random() < 0.5
        yield rows.claim(NOTHING, nothing, rnd, topic=POINTS[rnd.choice(left_open if nothing else taken)][0])
    if rnd.random() < 0.4:
        yield verdict(judged, taken, open_ones, rnd)
    if len(left_open) > 2 and rnd.random() < 0.3:
        yield topic(taken, left_open, rnd)
    if len(taken) > 1 or len(text.split()) > 100:
        for name in taken:
            place = judged[name]["spans"]
            if len(place) == 1 and FEWEST_QUOTE <= len(spans[place[0]].split()) <= MOST_QUOTE and rnd.random() < 0.4:
                ask = rnd.choice(COPY).format(POINTS[name][0])
                yield {"type": "extract", "instructions": ask}, spans[place[0]]
                break


def read(show, rnd):
    surplus, count = collections.Counter(), 0
    for path in FILES:
        for document in json.loads(show(path))["documents"]:
            spans = [rows.plain(document["text"][first:last]) for first, last in document["spans"]]
            points = document["annotation_sets"][0]["annotations"]
            left_open = [name for name in POINTS if points[name]["choice"] == OPEN]
            judged = {
                name: one
                for name, one in points.items()
                if name in POINTS
                and one["spans"]
                and (name, one["choice"]) not in UNSURE
                and sum(len(spans[n].split()) for n in one["spans"]) <= MOST_EVIDENCE
                and (name not in PLAIN or PLAIN[name].search(" ".join(spans[n] for n in one["spans"])))
            }
            for first in rnd.sample(list(judged), min(TIMES, len(judged))):
                taken, wanted = chosen(judged, spans, first, rnd)
                text = excerpt(spans, wanted, rnd)
                untouched = [name for name in left_open if name not in TOUCHED or not TOUCHED[name].search(text)]
                made = list(asked(judged, taken, untouched, spans, text, surplus, rnd))
                if made:
                    state = {rnd.choice(["agreement", "contract", "clause"]): text} if rnd.random() < 0.3 else text
                    yield rows.row(f"confidential-{count:05d}", "confidentiality agreements", LICENCE, state, made[:4])
                    count += 1
