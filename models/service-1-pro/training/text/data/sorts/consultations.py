"""abachaa/MTS-Dialog (all parts): short talks between a doctor and a patient, written from notes of real visits by
people with medical training, and the part of the record that each became (Ben Abacha and others, 2023; CC BY 4.0).

Asked is what the patient said yes or no to and what was never asked, which part of the record a talk belongs in, and
which note sums it up.
"""

import collections
import csv
import io
import re

from data.shared import rows
from data.shared.stems import stems

REPOSITORY = "abachaa/MTS-Dialog"
LICENCE = "CC BY 4.0"
FILES = ("TrainingSet", "ValidationSet", "TestSet-1-MEDIQA-Chat-2023", "TestSet-2-MEDIQA-Sum-2023")
MOST_WORDS, MOST_ASKED, FEWEST_NOTE, MOST_NOTE = 210, 16, 6, 45
ALIKE = 0.35  # from here on two notes may both fit
OWN, OTHER = 0.15, 0.3  # of the words of a note: those that are at least in its talk, at most in that of another
COMMON = frozenset("patient the and with for has had was not any she her his him this".split())
TURN = re.compile(r"\s*\b(Doctor|Patient|Guest_[a-z]+(?:_\d)?):\s*")
OPENING = re.compile(
    r"^(?:okay|ok|good|great|perfect|alright|all right|right|and|so|um|uh|hm|hmm|well|now|yes|no|oh|wow|i see|"
    r"thank you|thanks|sir|ma'am|sure|absolutely|how about|what about|any chance)[,.! ]+(?=\w)",
    re.I,
)
YES = re.compile(r"(?:yes|yeah|yep)\b(?!.*\b(?:but|no|not|used to|never|guess|n't|mean)\b)", re.I)
NO = re.compile(
    r"(?:no|nope|nah)\b(?!.*\b(?:but|yes|yeah|except|just|only|unless|sometimes|used to|mean|sure)\b)", re.I
)
FORMS = {"do you": "Does the patient", "are you": "Is the patient", "have you": "Has the patient"}
FORMS |= {"did you": "Did the patient", "were you": "Was the patient", "can you": "Can the patient"}
ASKING = re.compile(rf"({'|'.join(FORMS)}) ([^?,;]+)\?", re.I)
ANY = re.compile(r"(?:do you have |have you had |are there )?any ([^?,;]+)\?", re.I)
UNCLEAR = re.compile(
    r"\b(?:it|this|that|these|those|there|else|other|others|here|know|mind|remember|tell|think|like|or|and|mean|"
    r"feeling|doing|ready|sure|still|them|they|he|she|his|her|we|me|i|us|anything|something|bring|questions?|more|one|"
    r"have to)\b",
    re.I,
)
OPEN = re.compile(r"(?:what|when|how|where|which|who|why)\b(?! about| are you\b| is it going)", re.I)
SHORT = re.compile(r"(?:[^\s.!?]+ ){1,13}\S+")  # a reply of one sentence
SAID = [  # {what} is something that the patient has or had
    ("The patient reports {what}.", True),
    ("The patient mentions {what}.", True),
    ("There is {what} on the patient's side, by what was said.", True),
    ("Should {what} be noted as present?", True),
    ("The patient says yes to {what}.", True),
    ("The patient denies {what}.", False),
    ("The patient has no {what}.", False),
    ("It can be noted: no {what}.", False),
    ("Is {what} ruled out by the answer?", False),
    ("Asked about {what}, the patient says no.", False),
]
DENIED = [  # {what} was said no to, or never asked
    ("The patient denies {what}.", True),
    ("Asked about {what}, the patient says no.", True),
    ("{what}: ruled out by what the patient says.", True),
    ("Does the patient say no to {what}?", True),
    ("By the talk, {what} can be noted as absent.", True),
    ("Nobody asks about {what}.", False),
    ("{what}: not covered by the talk.", False),
    ("Does it stay open whether the patient has {what}?", False),
    ("It cannot be told from the talk whether the patient has {what}.", False),
    ("The doctor still has to ask about {what}.", False),
]
ANSWERED = [  # {ask} is a question in the third person
    ("{ask}?", True),
    ("{ask}?", True),
    ("{ask}? The patient says yes.", True),
    ('The answer to "{ask}?" is yes.', True),
    ("{ask}? The patient says no.", False),
    ('The answer to "{ask}?" is no.', False),
    ("{ask}? By the talk, this is not the case.", False),
]
COPY = ['The patient\'s answer to "{}"', "{} Copy the reply.", 'What is said in reply to "{}"', "{} (the words used)"]
PARTS = {
    "GENHX": "complaint",
    "CC": "complaint",
    "FAM/SOCHX": "family",
    "PASTMEDICALHX": "past",
    "PASTSURGICAL": "surgery",
    "ALLERGY": "allergy",
    "MEDICATIONS": "medicines",
}
TOPICS = {  # a part and words without which a talk is surely not about it
    "family": r"famil|mother|father|mom|dad|parent|brother|sister|smok|drink|alcohol|drug|tobacco|married|wife|husband|"
    r"liv|work|job|child|son|kids|daughter|grand",
    "past": r"condition|history|diagnos|disease|medical|problem|diabet|pressure|illness|past|health",
    "surgery": r"surg|operat|procedure|remov|replace|section|transplant|ectomy|bypass",
    "allergy": r"allerg|react|rash|hives",
    "medicines": r"medic|pill|drug|dose|tak|prescri|insulin|tablet|milligram|m g|treat|cream|vitamin",
}
TROUBLE = re.compile(r"pain|ache|hurt|symptom|swell|fever|cough|nausea|rash|bleed|dizz|weak|brings|going on|numb", re.I)
ABOUT = {
    "complaint": ("what brings the patient in", "the present complaint", "History of present illness"),
    "family": ("family and habits", "family and social history", "Family and social history"),
    "past": ("illnesses the patient has had", "earlier illnesses", "Past medical history"),
    "surgery": ("earlier operations", "operations", "Past surgical history"),
    "allergy": ("allergies", "allergies", "Allergies"),
    "medicines": ("medicines the patient takes", "medicines", "Medications"),
}
DESCRIPTIONS = {
    "complaint": "what is wrong today and since when",
    "family": "illnesses of relatives, home, work, smoking and drinking",
    "past": "illnesses and conditions that were known before",
    "surgery": "what was operated on or removed",
    "allergy": "what the patient reacts to",
    "medicines": "what is taken, and how much of it",
}
IS_ABOUT = [
    ("The talk is about {topic}.", True),
    ("The doctor asks about {topic}.", True),
    ("Something is said about {topic}.", True),
    ("The record on {topic} can be filled in from this.", True),
    ("The talk has nothing to do with {topic}.", False),
    ("Nobody speaks of {topic}.", False),
    ("The talk leaves {topic} out.", False),
    ("For {topic}, one has to look elsewhere.", False),
]
WHERE = ["Where in the record does this belong?", "What is the talk mainly about?", "File the talk.", "Section"]
FITS = [
    ("The {note} sums up the {talk}.", True),
    ("The {note} is about this patient.", True),
    ("The {note} was made from the {talk}.", True),
    ("The {note} and the {talk} belong together.", True),
    ("The {note} belongs to somebody else's visit.", False),
    ("The {note} does not fit the {talk}.", False),
    ("The {note} got into the wrong record.", False),
    ("The {talk} was with another patient than the {note}.", False),
]
NOTES = ["Which note was made from the talk?", "The note that sums it up", "Which of these goes into the record?"]
PAIRS = [("talk", "note"), ("conversation", "summary"), ("visit", "entry")]


def turns(text):
    """[(who, what is said)]"""
    parts = TURN.split(text.strip())
    return [(who, rows.plain(said)) for who, said in zip(parts[1::2], parts[2::2], strict=True) if said.strip()]


def written(talk):
    names = {"Doctor": "Doctor", "Patient": "Patient", "Guest_clinician": "Colleague"}
    return "\n".join(f"{names.get(who, 'Relative')}: {said}" for who, said in talk)


def plain_question(said):
    """The last sentence of what a doctor says, without words like "okay" before it; None where two things are asked."""
    if said.count("?") != 1 or not said.endswith("?"):
        return None
    ask = re.split(r"(?<=[.!]) ", said)[-1]
    while OPENING.match(ask):
        ask = OPENING.sub("", ask, count=1)
    return rows.begun(ask) if ask else None


def third(text):
    return re.sub(r"\byou\b", "the patient", re.sub(r"\byour\b", "their", text))


def answered(ask, reply):
    """(whether it is a yes, claims on it, their words) of a plain yes or no; else None."""
    holds = True if YES.match(reply) else False if NO.match(reply) else None
    found = ANY.fullmatch(ask)
    if holds is None or len(ask.split()) > MOST_ASKED:
        return None
    # "Any nausea or vomiting?": a no rules out both, a yes neither.
    what = found and found[1].strip()
    if what and not UNCLEAR.search(re.sub(r"\bor\b", "", what) if not holds else what) and "you" not in what.lower():
        return holds, SAID, {"what": what}
    found = ASKING.fullmatch(ask)
    if found and not UNCLEAR.search(found[2]):
        return holds, ANSWERED, {"ask": f"{FORMS[found[1].lower()]} {third(found[2])}"}
    return None


def window(talk, at):
    """(first, last) turn around one, so that not too many words are shown."""
    first, last = at, at + 2
    count = sum(len(said.split()) for _, said in talk[first:last])
    for _ in talk:
        for step in (-1, 1):
            n = first - 1 if step < 0 else last
            if 0 <= n < len(talk) and count + len(talk[n][1].split()) + 1 <= MOST_WORDS:
                count += len(talk[n][1].split()) + 1
                first, last = (n, last) if step < 0 else (first, n + 1)
    return first, last


def told(talk):
    """(state, questions) about what was answered, for stretches of a talk."""
    at = 0
    while at < len(talk) - 1:
        first, last = window(talk, at)
        claims, quotes = [], []
        for (who, said), (other, reply) in zip(
            talk[max(first, at) : last], talk[max(first, at) + 1 : last], strict=False
        ):
            ask = plain_question(said) if who == "Doctor" and other == "Patient" else None
            made = answered(ask, reply) if ask else None
            if made:
                claims.append(made)
            elif ask and OPEN.match(ask) and not UNCLEAR.search(ask) and SHORT.fullmatch(reply):
                quotes.append((ask, reply))
        if claims or quotes:
            yield written(talk[first:last]), claims, quotes
        at = max(last - 1, at + 1)


def kept(found, rnd):
    """(number, claim) with as many of a yes as of a no, in the same words."""
    for said in (SAID, ANSWERED):
        each = [
            (n, holds, words)
            for n, (_, claims, _) in enumerate(found)
            for holds, claim, words in claims
            if claim is said
        ]
        yes, no = ([one for one in each if one[1] is holds] for holds in (True, False))
        count = min(len(yes), len(no))
        for n, holds, words in [*rnd.sample(yes, count), *rnd.sample(no, count)]:
            yield n, rows.claim(said, holds, rnd, **words)


def denied(found, rnd):
    """(number, claim) on what was said no to, and as many on what is not named here and was in another talk."""
    every = []
    for n, (_, claims, _) in enumerate(found):
        every += [(n, words["what"]) for yes, said, words in claims if said is SAID and not yes]
    for n, what in every:
        holds = rnd.random() < 0.5
        other = rnd.choice(every)[1]
        named = any(word in found[n][0].lower() for word in re.findall(r"\w{4,}", other.lower()))
        if holds or not named:
            said, truth = rows.claim(DENIED, holds, rnd, what=what if holds else other)
            yield n, (said | {"instructions": rows.begun(said["instructions"])}, truth)


def answers(talks, rnd):
    found = [one for talk, _, _ in talks for one in told(talk)]
    made = [[] for _ in found]
    for n, claim in [*kept(found, rnd), *denied(found, rnd)]:
        made[n].append(claim)
    for (state, _, quotes), claims in zip(found, made, strict=True):
        asked = [
            ({"type": "extract", "instructions": rnd.choice(COPY).format(ask)}, reply)
            for ask, reply in rnd.sample(quotes, min(len(quotes), 1 if claims else 2))
        ]
        asked += rnd.sample(claims, min(len(claims), 3))
        if asked:
            yield state, asked


def absent(text):
    return [part for part, words in TOPICS.items() if not re.search(words, text, re.I)]


def filed(talks, rnd):
    """Which part of the record a talk belongs in."""
    surplus = collections.Counter()  # how much more often a part was spoken of than not
    for talk, part, _ in talks:
        text = written(talk)
        others = absent(text)
        surely = TROUBLE.search(text) if part == "complaint" else part not in others
        if part not in ABOUT or not others or not surely or len(text.split()) > MOST_WORDS:
            continue
        column = rnd.randrange(3)
        made = []
        if part != "complaint":
            said = [(part, 1), *((one, -1) for one in others)]
            one, sign = min(said, key=lambda said: surplus[said[0]] * said[1] + rnd.random())
            surplus[one] += sign
            made.append(rows.claim(IS_ABOUT, sign > 0, rnd, topic=ABOUT[one][column // 2]))
        if len(others) > 1 and rnd.random() < 0.7:
            shown = [part, *rnd.sample(others, rnd.randint(2, len(others)))]
            rnd.shuffle(shown)
            names = {one: ABOUT[one][column] for one in shown}
            described = rnd.random() < 0.4
            criteria = {name: DESCRIPTIONS[one] for one, name in names.items()} if described else list(names.values())
            made.append(({"type": "choice", "instructions": rnd.choice(WHERE), "criteria": criteria}, names[part]))
        if made:
            yield text, made


def alike(one, other):
    """The share of the words of the shorter of two notes that are in both."""
    words = [set(re.findall(r"[a-z0-9]+", text.lower())) for text in (one, other)]
    return len(words[0] & words[1]) / max(1, min(map(len, words)))


def shared(note, text):
    """The share of the words of a note that are in a talk, too."""
    words = stems(note, COMMON)
    return len(words & stems(text)) / max(1, len(words))


def noted(talks, rnd):
    """Which note a talk became, beside notes of the same part of other patients' records."""
    notes = {}
    for _, part, note in talks:
        if FEWEST_NOTE <= len(note.split()) <= MOST_NOTE:
            notes.setdefault(part, []).append(note)
    for talk, part, note in talks:
        text = written(talk)
        fits = note in notes.get(part, ()) and shared(note, text) >= OWN
        if not fits or len(text.split()) + len(note.split()) > MOST_WORDS:
            continue
        others = [one for one in notes[part] if alike(one, note) < ALIKE and shared(one, text) < OTHER]
        if len(others) < 5:
            continue
        if rnd.random() < 0.5:
            first, second = rnd.choice(PAIRS)
            holds = rnd.random() < 0.5
            state = rows.named({first: text, second: note if holds else rnd.choice(others)}, rnd.random() < 0.3)
            yield state, [rows.claim(FITS, holds, rnd, talk=first, note=second)]
        else:
            options = [note, *rnd.sample(others, rnd.randint(2, 3))]
            rnd.shuffle(options)
            yield text, [({"type": "choice", "instructions": rnd.choice(NOTES), "criteria": options}, note)]


def read(show, rnd):
    talks = []
    for name in FILES:
        for one in csv.DictReader(io.StringIO(show(f"Main-Dataset/MTS-Dialog-{name}.csv"))):
            part = PARTS.get(one["section_header"], one["section_header"])
            talks.append((turns(one["dialogue"]), part, rows.plain(one["section_text"])))
    for source, kind in (("consultations", answers), ("filed", filed), ("noted", noted)):
        for count, (state, made) in enumerate(kind(talks, rnd)):
            yield rows.row(f"{source}-{count:05d}", "doctor and patient", LICENCE, state, made)
