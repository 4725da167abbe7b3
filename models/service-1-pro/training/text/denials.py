"""A claim's denial in natural words: "The order has been paid." and "The order has not been paid."

Only where the one is false whenever the other is true: a claim with two verbs that could be denied, with a word like
"all" or "because" before or behind its verb, or with "must", "may" or "should" has no denial here.
"""

import re

HELPERS = "is are was were has have had can could will would does do did".split()
SHORT = {"'s": "is", "'re": "are", "’s": "is", "’re": "are"}
# Verbs that are hardly ever nouns where they stand behind a subject.
VERBS = frozenset(
    """accept admit agree allow appear apply approve argue arrive ask avoid become begin believe belong blame break
    bring buy cancel carry choose close come complain confirm consider contain contradict cost cover create deal decide
    deliver demand deny depend describe differ disagree doubt eat end enjoy exceed exist expect explain express fail
    fall feel find fit follow forbid get give go grow happen have help hold include insist involve join keep know lack
    last lead learn leave let lie like live look lose make match mean meet mention miss move need occur offer own pay
    praise prefer promise propose provide prove quote reach read receive recommend refer refuse reject remain
    remember repeat reply require return reveal run save say see seem sell send serve settle show sit sleep sound speak
    stand stay stop suffer suggest support suspect take tell thank think threaten throw try turn understand use wait
    walk want warn watch wear win wish work worry write""".split()
)
# Behind these a denial would say something else than the opposite, or say it of another verb.
UNSURE = re.compile(
    r"\b(all|every|everybody|anything|anybody|anyone|everyone|everything|each|both|some|any|either|neither|nor|or|and|"
    r"most|few|many|always|often|never|no|none|nobody|nothing|without|only|just|yet|still|already|too|also|even|"
    r"because|since|so|but|if|when|while|unless|although|who|whose|which|that|what|whether|must|may|might|should|"
    r"at least|probably|mostly)\b",
    re.I,
)
PRONOUNS = [("Somebody", "Nobody"), ("Someone", "No one"), ("Something", "Nothing"), ("There is a", "There is no")]
COMPARED = re.compile(r"(more|fewer|less|one|two|three|\d+)\b", re.I)  # as a subject, what is denied is not its verb
PARTICIPLE = re.compile(
    r"(\w+ed|been|begun|broken|bought|built|caught|chosen|come|cut|done|eaten|fallen|felt|forgotten|found|given|gone|"
    r"got|grown|heard|held|kept|known|left|lost|made|met|paid|put|read|risen|run|said|seen|sent|set|shown|sold|spent|"
    r"stood|taken|taught|told|thought|thrown|understood|won|worn|written)\b",
    re.I,
)
DENIED_HELPER = re.compile(r"\b(" + "|".join(HELPERS) + r")(?: not|n't|n’t)\b|\b(cannot|can't|won't)\b", re.I)


def base(word):
    """The verb of a third person ("asks", "goes", "tries"), or None."""
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        if word.endswith(ending) and word[: -len(ending)] + instead in VERBS:
            return word[: -len(ending)] + instead
    return None


def third(verb):
    if verb == "have":
        return "has"
    if verb.endswith("y") and verb[-2] not in "aeo":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s")


def affirmed(claim):
    """A claim with one "not" behind a helping verb, without it, or None."""
    found = list(DENIED_HELPER.finditer(claim))
    if len(found) != 1 or UNSURE.search(claim):
        return None
    before, behind = claim[: found[0].start()], claim[found[0].end() :]
    helper = found[0].group(1) or {"cannot": "can", "can't": "can", "won't": "will"}[found[0].group(2).lower()]
    if helper.lower() not in ("does", "do", "did"):
        return f"{before}{helper}{behind}"
    verb = re.match(r" ([a-z]+)", behind)
    if helper != "does" or verb is None or verb.group(1) not in VERBS:
        return None
    return f"{before}{third(verb.group(1))}{behind[verb.end() :]}"


def denied(claim):
    """The opposite of a claim in natural words, or None."""
    for one, other in PRONOUNS:
        for begin, instead in ((one, other), (other, one)):
            if re.match(rf"{begin}\b", claim) and not UNSURE.search(claim[len(begin) :]):
                return instead + claim[len(begin) :]
    if DENIED_HELPER.search(claim):
        return affirmed(claim)
    if UNSURE.search(claim) or COMPARED.match(claim):
        return None
    words = claim.split(" ")
    for at, word in enumerate(words):
        lower = word.lower().strip(",;:")
        helper = next((full for short, full in SHORT.items() if lower in (f"it{short}", f"they{short}")), None)
        if helper is not None:
            return " ".join([*words[:at], word[: re.search("['’]", word).start()], helper, "not", *words[at + 1 :]])
        if at == 0 or at > 5 or word != lower:
            continue
        behind = words[at + 1] if at + 1 < len(words) else ""
        if lower in ("has", "have", "had") and not PARTICIPLE.match(behind):
            does = {"has": "does", "have": "do", "had": "did"}[lower]
            return " ".join([*words[:at], does, "not have", *words[at + 1 :]])
        if lower in HELPERS:
            denial = " ".join([*words[: at + 1], "not", *words[at + 1 :]])
            return None if lower in ("does", "do", "did") else denial.replace(" can not ", " cannot ")
        verb = base(lower)
        if verb is not None and behind.lower() not in HELPERS:
            return " ".join([*words[:at], "does not", verb, *words[at + 1 :]])
    return None
