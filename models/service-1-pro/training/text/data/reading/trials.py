"""jayded/evidence-inference: sentences of reports on clinical trials, in which doctors marked whether a treatment
raised a measure, lowered it, or made no significant difference, against another or none (Lehman and others, 2019;
DeYoung and others, 2020; MIT). What the authors flag as wrong, or where the numbers gainsay the label, is left out.
"""

import collections
import csv
import io
import re

from data.shared import pairs, rows

REPOSITORY = "jayded/evidence-inference"
FOLDER = "annotations"
LICENCE = "MIT (texts: open access part of PubMed Central)"
LABELS = {"significantly increase": "up", "significantly decrease": "down", "no significant difference": "same"}
FEWEST_WORDS, MOST_WORDS, MOST_NAME, SAME_KEPT, AS_RECORD = 9, 120, 12, 0.6, 0.45
PROBABILITY = re.compile(r"\bp(?:[- ]?values?)? ?[=<>≤≥⩽] ?(?:0|\.)[.·]?\d*", re.I)
SAYS_NONE = re.compile(r"\bno(?:t|n)?\b|similar|n't|comparable|equal|NS\b|insignifican|without|neither|fail", re.I)
# "Improved" alone does not tell whether a measure rose or fell.
IMPROVED = re.compile(r"improv|\bbetter\b|\bworse|\bbenefit|deteriorat|efficac", re.I)
UP_OR_DOWN = re.compile(
    r"\b(?:high|low|great|less|more\b|most\b|increas|decreas|reduc|larg|small|few|rais|rise|rose|fell|fall"
    r"|long|short|declin|elevat|diminish|faster|slower)",
    re.I,
)
OTHERS = {"up": ("down", "same"), "down": ("up", "same"), "same": ("up", "down")}
NAMED = {  # of the kind -> claims that name the treatments, and denials
    "up": (
        [
            "Compared with {other}, {one} significantly increased this: {what}.",
            "{What} was significantly higher with {one} than with {other}.",
            "A significantly larger value of this was found with {one} than with {other}: {what}.",
            "Did {one} raise this significantly, against {other}? {What}",
            "{What}: significantly more with {one} than with {other}",
        ],
        [
            "Compared with {other}, {one} did not significantly increase this: {what}.",
            "{What} was not significantly higher with {one} than with {other}.",
            "No significant rise of this was seen with {one} against {other}: {what}.",
        ],
    ),
    "down": (
        [
            "Compared with {other}, {one} significantly reduced this: {what}.",
            "{What} was significantly lower with {one} than with {other}.",
            "A significantly smaller value of this was found with {one} than with {other}: {what}.",
            "Did {one} lower this significantly, against {other}? {What}",
            "{What}: significantly less with {one} than with {other}",
        ],
        [
            "Compared with {other}, {one} did not significantly reduce this: {what}.",
            "{What} was not significantly lower with {one} than with {other}.",
            "No significant fall of this was seen with {one} against {other}: {what}.",
        ],
    ),
    "same": (
        [
            "{One} and {other} did not differ significantly in this: {what}.",
            "There was no significant difference in this between {one} and {other}: {what}.",
            "{What} was about the same with {one} as with {other}, as far as statistics tell.",
            "Was the difference between {one} and {other} too small to count as significant? {What}",
        ],
        [
            "{One} and {other} differed significantly in this: {what}.",
            "There was a significant difference in this between {one} and {other}: {what}.",
            "Is the difference between {one} and {other} in this significant? {What}",
            "It made a significant difference to this whether {one} or {other} was given: {what}.",
        ],
    ),
}
IN_RECORD = {
    "up": (
        [
            "The measure was significantly higher with the treatment.",
            "The treatment led to a significant increase.",
            "With the treatment the values were significantly larger than in the comparison.",
        ],
        [
            "The measure was not significantly higher with the treatment.",
            "The treatment led to no significant increase.",
        ],
    ),
    "down": (
        [
            "The measure was significantly lower with the treatment.",
            "The treatment led to a significant decrease.",
            "With the treatment the values were significantly smaller than in the comparison.",
        ],
        [
            "The measure was not significantly lower with the treatment.",
            "The treatment led to no significant decrease.",
        ],
    ),
    "same": (
        [
            "There is no significant difference between the two.",
            "The treatment and the comparison did about as well on this measure.",
            "The finding is not statistically significant.",
        ],
        [
            "The two differ significantly.",
            "The treatment made a significant difference, up or down.",
            "The finding is statistically significant.",
        ],
    ),
}
ASKS = [
    "How did {one} do against {other}? {What}",
    "Effect of {one} on {what}, against {other}",
    "{What}: what was found?",
]
RECORD_ASKS = ["What was found?", "Effect of the treatment on the measure", "Classify the result.", "Result"]
NAMES = [
    {"up": "significant increase", "down": "significant decrease", "same": "no significant difference"},
    {"up": "higher", "down": "lower", "same": "no significant difference"},
    {"up": "significantly more", "down": "significantly less", "same": "about the same"},
]
WHICH = ["Which of these did the treatment change significantly?", "Measures with a significant difference"]
FIELDS = [("finding", "treatment", "comparison", "measure"), ("result", "intervention", "control", "outcome")]
FIELDS += [("text", "treatment", "compared with", "measured")]


def significant(text):
    """Whether probabilities in a text are below .05: True, False, or None where there are none or of both kinds."""
    found = set()
    for one in PROBABILITY.findall(text):
        sign, number = re.search(r"[=<>≤≥⩽]", one)[0], re.search(r"(?:0|\.)[.·]?\d*$", one)[0].replace("·", ".")
        value = float(number if number.strip(".") else 1)
        found.add(value < 0.05 or (value == 0.05 and sign in "<≤⩽"))
    return found.pop() if len(found) == 1 else None


def fits(label, text):
    """Whether nothing in the text speaks against the label."""
    told = significant(text)
    if label == "same":
        return told is False or (told is None and bool(SAYS_NONE.search(text)))
    if IMPROVED.search(text) and not UP_OR_DOWN.search(text):
        return False
    return told is True or (told is None and not SAYS_NONE.search(text))


def is_about(measure, text):
    """Whether a text has a word of a measure, or its short form."""
    words = [word[:5] for word in re.findall(r"\w{3,}", measure.lower())]
    return any(re.search(rf"\b{word}", text.lower()) for word in words)


def name(text, words):
    """A treatment or a measure as it stands in a sentence, by the `words` that are written small; None where long."""
    text = rows.plain(text.replace("&nbsp;", " ")).strip(" .,;:")
    if not text or len(text.split()) > MOST_NAME or re.search("[;:]", text):
        return None
    first = re.match(r"\w*", text)[0].lower()
    return text[0].lower() + text[1:] if len(first) > 1 and first in words else text


def table(show, path):
    return list(csv.DictReader(io.StringIO(show(f"{FOLDER}/{path}.csv"))))


def found_in(show):
    """passage -> {(treatment, comparison, measure): label}, of labels that all who judged agree on."""
    flagged = set(re.findall(r"\d+", show(f"{FOLDER}/README.md").split("### Incorrect:")[1]))
    asked = {one["PromptID"]: one for one in table(show, "prompts_merged") if one["PromptID"] not in flagged}
    judged, words = collections.defaultdict(set), set()
    lines = [one for one in table(show, "v2_annotations") if one["PromptID"] in asked]
    for one in lines:
        judged[one["PromptID"]].add(one["Label"].rstrip("d"))
        words |= set(re.findall(r"(?<!\w)[a-z]+", one["Annotations"]))
    passages = collections.defaultdict(dict)
    for one in lines:
        text, prompt = rows.plain(one["Annotations"]), asked[one["PromptID"]]
        label = next((label for said, label in LABELS.items() if one["Label"].startswith(said)), None)
        names = [name(prompt[part], words) for part in ("Intervention", "Comparator", "Outcome")]
        sure = one["Valid Label"] == one["Valid Reasoning"] == "True" and len(judged[one["PromptID"]]) == 1
        sentence = text[:1].isupper() and text[-1:] in ".)" and "\n" not in one["Annotations"].strip()
        short = FEWEST_WORDS <= len(text.split()) <= MOST_WORDS
        if sure and label and all(names) and sentence and short and fits(label, text) and is_about(names[2], text):
            passages[text][tuple(names)] = label
    return passages


def claims(label, kinds, count, rnd, **words):
    """Claims that it was of one of the kinds, or denials, and their truths."""
    words |= {key.capitalize(): rows.begun(word) for key, word in words.items()}
    made = {}
    for _ in range(count):
        kind = label if rnd.random() < 0.5 else rnd.choice(OTHERS[label])
        affirmed, denied = kinds[kind]
        said, when = rnd.choice([(one, True) for one in affirmed] + [(one, False) for one in denied])
        made[said.format(**words)] = (kind == label) == when
    return [({"type": "noul", "instructions": said}, holds) for said, holds in made.items()]


def choice(label, asks, rnd, **words):
    names = rnd.choice(NAMES)
    words |= {key.capitalize(): rows.begun(word) for key, word in words.items()}
    asked = {"type": "choice", "instructions": rnd.choice(asks).format(**words)}
    return asked | {"criteria": pairs.shown(names.values(), rnd)}, names[label]


def read(show, rnd):
    count = 0
    for text, found in found_in(show).items():
        labels = list(found.items())
        if set(found.values()) == {"same"} and rnd.random() > SAME_KEPT:
            continue
        rnd.shuffle(labels)
        if len(labels) == 1 and rnd.random() < AS_RECORD:
            (parts, label), fields = labels[0], rnd.choice(FIELDS)
            state = rows.named(dict(zip(fields, (text, *parts), strict=True)), rnd.random() < 0.4)
            made = claims(label, IN_RECORD, rnd.choice([1, 2]), rnd)
            if rnd.random() < 0.4:
                made.append(choice(label, RECORD_ASKS, rnd))
        else:
            state, made = text, []
            for (one, other, what), label in labels[:2]:
                words = {"one": one, "other": other, "what": what}
                made += claims(label, NAMED, 1 if len(labels) > 1 else 2, rnd, **words)
                if rnd.random() < 0.3:
                    made.append(choice(label, ASKS, rnd, **words))
        yield rows.row(f"trials-{count:05d}", "findings of trials", LICENCE, state, made)
        count += 1
