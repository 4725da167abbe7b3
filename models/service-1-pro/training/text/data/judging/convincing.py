"""UKPLab/acl2016-convincing-arguments: arguments of two debate sites, in pairs of which several people said which one
is more convincing (UKPConvArg1, Habernal and Gurevych, 2016; CC BY 4.0; the arguments CC BY 3.0 or public domain).
And on which side of its debate an argument stands.
"""

import collections
import html
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "UKPLab/acl2016-convincing-arguments"
FOLDER, MOST_PAIRS, MOST_WORDS = "data/UKPConvArg1Strict-CSV", 3500, 130
# How the file of a debate begins: its subject, and its two sides, each with the end of its file and two names.
DEBATES = {
    "ban-plastic-water-bottles": (
        "banning plastic water bottles",
        {
            "yes": ("Plastic water bottles should be banned.", "for the ban"),
            "no": ("Plastic water bottles should stay allowed.", "against the ban"),
        },
    ),
    "christianity-or-atheism": (
        "Christianity and atheism",
        {
            "-_atheism": ("Atheism is right.", "for atheism"),
            "-_christianity": ("Christianity is right.", "for Christianity"),
        },
    ),
    "evolution-vs-creation": (
        "evolution and creation",
        {"_evolution": ("Life evolved.", "for evolution"), "_creation": ("Life was created by God.", "for creation")},
    ),
    "firefox-vs-internet-explorer": (
        "web browsers",
        {
            "_it-has": ("Firefox is the better browser.", "for Firefox"),
            "_there-s": ("Internet Explorer is the better browser.", "for Internet Explorer"),
        },
    ),
    "gay-marriage-right-or-wrong": (
        "gay marriage",
        {
            "right": ("Gay marriage should be allowed.", "for gay marriage"),
            "is-wrong": ("Gay marriage should not be allowed.", "against gay marriage"),
        },
    ),
    "human-growth-and-development": (
        "spanking children",
        {
            "_yes": ("Parents may spank their children.", "for spanking"),
            "_no": ("Parents should not spank their children.", "against spanking"),
        },
    ),
    "if-your-spouse-committed": (
        "reporting a husband or wife who has murdered",
        {
            "_yes": ("One should report a spouse who has murdered.", "for reporting"),
            "_no": ("One should not report one's spouse.", "against reporting"),
        },
    ),
    "india-has-the-potential": (
        "India's part in the world",
        {
            "_yes": ("India can lead the world.", "for India as a leader"),
            "_no": ("India can't lead the world.", "against India as a leader"),
        },
    ),
    "is-it-better-to-have-a-lousy": (
        "bad fathers",
        {
            "_fatherless": ("No father is better than a bad one.", "for no father"),
            "_lousy": ("A bad father is better than none.", "for a bad father"),
        },
    ),
    "is-the-school-uniform": (
        "school uniforms",
        {
            "_good": ("School uniforms are a good idea.", "for uniforms"),
            "_bad": ("School uniforms are a bad idea.", "against uniforms"),
        },
    ),
    "personal-pursuit": (
        "personal aims and the common good",
        {
            "-_personal": ("One's own aims come first.", "for personal aims"),
            "-_advancing": ("The common good comes first.", "for the common good"),
        },
    ),
    "pro-choice-vs-pro-life": (
        "abortion",
        {
            "_pro-choice": ("A woman may choose to have an abortion.", "pro-choice"),
            "_pro-life": ("Abortion is wrong.", "pro-life"),
        },
    ),
    "should-physical-education": (
        "physical education",
        {
            "_yes": ("Physical education should be mandatory.", "for mandatory sports"),
            "_no": ("Physical education should be voluntary.", "against mandatory sports"),
        },
    ),
    "tv-is-better-than-books": (
        "television and books",
        {
            "_tv": ("Television is better than books.", "for television"),
            "_books": ("Books are better than television.", "for books"),
        },
    ),
    "william-farquhar": (
        "who founded Singapore",
        {"_yes": ("Farquhar founded Singapore.", "for Farquhar"), "_no": ("Raffles founded Singapore.", "for Raffles")},
    ),
}
PAIRS = [("A", "B"), ("first", "second"), ("argument 1", "argument 2"), ("X", "Y"), ("left", "right")]
BETTER = [
    "The more convincing argument is {0}.",
    "{0} argues better than {1}.",
    "More people would be persuaded by {0} than by {1}.",
    "Of the two arguments {0} is the stronger one.",
    "Does {0} make the better case?",
    "{0} has the better reasons.",
]
WORSE = [
    "{0} is less convincing than {1}.",
    "{0} is the weaker argument of the two.",
    "Is {0} the worse argument?",
]
WHICH = [
    "Which argument is more convincing?",
    "Which is the better argument?",
    "Who argues better?",
    "Pick the stronger.",
]
STANDS = [
    "The writer would agree: {0}",
    "The argument supports this: {0}",
    "The writer thinks so: {0}",
    "{0} That is what the argument is for.",
]
OPPOSES = ["The writer would not agree: {0}", "The argument speaks against this: {0}", "The writer denies this: {0}"]
SIDES = ["On which side is the writer?", "What is the stance of the argument?", "Which side does the argument take?"]
SUBJECTS = ["What is the argument about?", "Subject of the debate", "To which debate does the argument belong?"]


def debate(path):
    """The debate of a file and the side that its arguments take."""
    for begin, (_, sides) in DEBATES.items():
        if path.startswith(begin):
            return begin, next(end for end in sides if end in path[len(begin) :])
    return None


def plain(text):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def standing(text, begin, side, surplus, rnd):
    """Questions about what one argument stands for."""
    subject, sides = DEBATES[begin]
    truths = {end: int(end == side) for end in sides}
    said = [(ask.format(sides[end][0]), end, True) for end in sides for ask in STANDS]
    said += [(ask.format(sides[end][0]), end, False) for end in sides for ask in OPPOSES]
    made = list(one_of_kinds.claims(truths, said, rnd.choice([1, 2]), surplus, rnd))
    names = [{end: words[n] for end, words in sides.items()} for n in (0, 1)]
    if rnd.random() < 0.6:
        made.append(one_of_kinds.choice(side, names, SIDES, rnd, (), 2))
    if rnd.random() < 0.4:
        subjects = [{one: words[0] for one, words in DEBATES.items()}]
        made.append(one_of_kinds.choice(begin, subjects, SUBJECTS, rnd, (), 7))
    state = {"debate": subject, "argument": text} if rnd.random() < 0.3 else text
    return state, made


def compared(names, holds, surplus, rnd):
    """A claim about which of two arguments is more convincing, and often a choice."""
    spoken = [f"the {name}" if name in ("first", "second") else f'"{name}"' for name in names]
    said = []
    for n, when in ((0, True), (1, True), (0, False), (1, False)):
        for claim in BETTER if when else WORSE:
            claim = claim.format(spoken[n], spoken[1 - n])
            said.append((rows.begun(claim), n, when))
    made = list(one_of_kinds.claims({0: int(holds), 1: int(not holds)}, said, 1, surplus, rnd))
    if rnd.random() < 0.5 or not made:
        options = list(names if rnd.random() < 0.5 else names[::-1])
        asked = {"type": "choice", "instructions": rnd.choice(WHICH), "criteria": options}
        made.append((asked, names[0] if holds else names[1]))
    return made


def arguments(show):
    """[(debate, side, argument, another, whether the first is more convincing)], and argument -> (debate, side)."""
    pairs, single = [], {}
    for path in show(FOLDER).splitlines()[2:]:
        known = debate(path)
        for line in show(f"{FOLDER}/{path}").splitlines()[1:] if known else []:
            _, better, first, second = line.split("\t")
            first, second = plain(first), plain(second)
            if len(first.split()) + len(second.split()) <= MOST_WORDS:
                pairs.append((*known, first, second, better == "a1"))
            single |= {one: known for one in (first, second) if 6 <= len(one.split()) <= MOST_WORDS}
    return pairs, single


def read(show, rnd):
    surplus, licence = collections.Counter(), "CC BY 4.0"
    pairs, single = arguments(show)
    rnd.shuffle(pairs)
    for count, (begin, side, first, second, holds) in enumerate(pairs[:MOST_PAIRS]):
        names = rnd.choice(PAIRS)
        state = dict(zip(names, (first, second), strict=True))
        if rnd.random() < 0.5:
            state = {"claim": DEBATES[begin][1][side][0], **state}
        state = rows.named(state, rnd.random() < 0.4)
        made = compared(names, holds, surplus, rnd)
        yield rows.row(f"convincing-{count:05d}", "arguments", licence, state, made)
    for count, (text, (begin, side)) in enumerate(single.items()):
        state, made = standing(text, begin, side, surplus, rnd)
        yield rows.row(f"sides-{count:05d}", "arguments", licence, state, made)
