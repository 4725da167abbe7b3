"""How questions that people asked about a text are put: as a quote, a choice, a claim, or whether the text answers."""

import re

ABSENT, AS_CHOICE, AS_CLAIM = 0.12, 0.18, 0.3
FEWEST_ANSWERS, MOST_OPTIONS = 3, 5
ASKS = ["{}", "{}", "{}", "{} Answer with words of the text.", "Copy the answer: {}"]
TOLD = ["Does the text say: {}", "The text tells: {}", "It can be told from the text: {}", "The text answers this: {}"]
CLAIMS = ['The answer to "{}" is "{}".', "{} {}.", "Asked «{}», the text answers «{}»."]
STATED = 0.8  # of claims: as a plain statement, where one can be made
# Questions after the subject of a sentence: the answer takes the place of the words that ask.
ASKING = r"(?:who|what|which [a-z]+(?: [a-z]+)?|whose [a-z]+|how (?:many|much) [a-z]+)"
SUBJECT = re.compile(ASKING + r"\s+(?P<said>(?P<verb>[a-z]+)\s+(?P<rest>\S.*))", re.I)
# A question with one of these behind its first word asks for something else than its subject.
OTHERWISE = frozenset(
    "do does did else about kind kinds type types sort happened happens of in on at to for from with by".split()
)
TURNED = frozenset("is are was were has have had can could will would should may might must".split())
ASKED_ABOUT = re.compile(r"\b(?:called|like|named|about|of|in|on|at|to|for|from|with|by)$", re.I)
ENDINGS = "ed s en ew ade ook ent old ame ote oke ught ound elt eft ept on an it ut ave ell ose ove aw"
VERB = re.compile(rf"[a-z]+(?:{ENDINGS.replace(' ', '|')})", re.I)
OPENINGS = "the a an this that his her its their some any not being going one most more known called named"
THERE = re.compile(rf"(?:{OPENINGS.replace(' ', '|')})\b", re.I)
QUALITY = re.compile(r"[a-z]+(?:ed|en|able|ing|ful|ous|ive|al)\b")
DONE = re.compile(r"(?:been|be|to|not|a|an|the)\b|[a-z]+(?:ed|en)\b")
# What makes two answers look alike.
LOOKS = (re.compile(r"\d").search, re.compile(r"[A-Z]").match, re.compile(r"(?:\S+\s+){3}").search)


def stated(ask, answer):
    """The statement that an answer to a question makes, where it asks for its subject; else None. "Who was the mayor?",
    "Ann" makes "Ann was the mayor.".
    """
    found = SUBJECT.fullmatch(ask.strip().rstrip("?. "))
    if found is None or ASKED_ABOUT.search(found["said"]) or not asks_for_subject(found["verb"].lower(), found["rest"]):
        return None
    return f"{answer[0].upper()}{answer[1:]} {found['said']}."


def asks_for_subject(verb, rest):
    """Whether the verb behind the words that ask has them as its subject: "What is the river?" can be turned, "What is
    John reading?" and "Who has he met?" can't.
    """
    if verb in OTHERWISE or any(word in TURNED or word in ("do", "does", "did") for word in rest.lower().split()[:2]):
        return False
    if verb in ("is", "are", "was", "were"):
        return bool(THERE.match(rest) or QUALITY.match(rest))
    return bool(DONE.match(rest) if verb in TURNED else VERB.fullmatch(verb))


def alike(answer, other):
    """In how many ways two answers look alike: numbers and names are only taken for each other."""
    return sum(bool(has(answer)) == bool(has(other)) for has in LOOKS)


def question(ask, answer, others, rnd):
    """One question and its truth: a quote, a choice between what the sentence answers, or a claim. `answer` is None
    where the text does not say.
    """
    wrong = [one for one in dict.fromkeys(others) if answer and one not in answer and answer not in one]
    drawn = rnd.random()
    if answer and len(wrong) >= FEWEST_ANSWERS and drawn < AS_CHOICE:
        names = [answer, *rnd.sample(wrong, rnd.randint(2, min(len(wrong), MOST_OPTIONS)))]
        rnd.shuffle(names)
        return {"type": "choice", "instructions": ask, "criteria": dict.fromkeys(names)}, answer
    if answer and wrong and drawn < AS_CHOICE + AS_CLAIM:
        is_right = rnd.random() < 0.5
        said = answer if is_right else max(wrong, key=lambda one: alike(answer, one) + 0.5 * rnd.random())
        claim = (stated(ask, said) if rnd.random() < STATED else None) or rnd.choice(CLAIMS).format(ask, said)
        return {"type": "noul", "instructions": claim}, is_right
    return {"type": "extract", "instructions": rnd.choice(ASKS).format(ask)}, answer
