"""sahitya0000/Relation-Classification, a copy of SemEval-2010 task 8 (all parts; Hendrickx and others, 2010; CC BY
3.0): sentences of the web in which people marked two things and how one is to the other: cause and effect, part and
whole, who made what, what is in what, what comes from where. Rows ask for the relation, and which of the two is which.
"""

import collections
import io
import re
import zipfile

from data.shared import rows

REPOSITORY = "sahitya0000/Relation-Classification"
LICENCE = "CC BY 3.0"
ARCHIVE, FOLDER = "corpus/SemEval2010_task8_all_data.zip", "SemEval2010_task8_all_data/SemEval2010_task8_"
FILES = ("training/TRAIN_FILE.TXT", "testing_keys/TEST_FILE_FULL.TXT")
FEWEST_WORDS, MOST_WORDS = 8, 70
SENTENCE = re.compile(r'\d+\t"(.*)"\n([A-Za-z]+-[A-Za-z]+)\((e[12]),e[12]\)\n')
MARKED = re.compile(r"<(e[12])>(.*?)</e[12]>")
# What the first thing of a relation is to the second. [one|several]: by the number of the thing before, else behind.
SAID = {
    "Cause-Effect": [
        "{one} led to {two}",
        "{one} caused {two}",
        "{two} came about through {one}",
        "{one} brought about {two}",
    ],
    "Component-Whole": [
        "{one} [is|are] a part of {two}",
        "{one} [belongs|belong] to {two} as a part",
        "{two} [has|have] {one} as a part",
    ],
    "Member-Collection": [
        "{one} [is|are] among those that make up {two}",
        "{two} [is|are] a group to which {one} [belongs|belong]",
        "{one} [is|are] counted among {two}",
    ],
    "Entity-Destination": [
        "{one} [is|are] brought or sent to {two}",
        "{one} [goes|go] to {two}",
        "{two} [is|are] where {one} [ends|end] up",
        "{one} [moves|move], or [is|are] put, into {two}",
    ],
    "Entity-Origin": [
        "{one} [comes|come] from {two}",
        "{two} [is|are] where {one} [comes|come] from",
        "{one} had {two} as a source or a place to start from",
    ],
    "Message-Topic": [
        "{one} [is|are] about {two}",
        "{one} [deals|deal] with {two}",
        "{two} [is|are] the topic of {one}",
    ],
    "Product-Producer": [
        "{one} [was|were] made by {two}",
        "{two} made {one}",
        "{one} [is|are] the work of {two}",
    ],
    "Content-Container": [
        "{one} [is|are] kept in {two}",
        "{two} [holds|hold] {one}",
        "{one} [is|are] inside {two}",
    ],
    "Instrument-Agency": [
        "{two} [uses|use] {one}",
        "{one} [is|are] used by {two}",
        "{one} [is|are] a tool or a means of {two}",
    ],
}
COPY = {
    "Cause-Effect": ("What caused {two}?", "What did {one} cause?"),
    "Component-Whole": ("Which part of {two} is named?", "What [is|are] {one} a part of?"),
    "Member-Collection": ("Who or what makes up {two}?", "Which group [does|do] {one} belong to?"),
    "Entity-Destination": ("What goes to {two}?", "Where [does|do] {one} end up?"),
    "Entity-Origin": ("What comes from {two}?", "Where [does|do] {one} come from?"),
    "Message-Topic": ("What is about {two}?", "What [is|are] {one} about?"),
    "Product-Producer": ("What was made by {two}?", "Who or what made {one}?"),
    "Content-Container": ("What is in {two}?", "What [is|are] {one} kept in?"),
    "Instrument-Agency": ("What [does|do] {two} use?", "Who or what uses {one}?"),
}
IN_A_WORD = ["{} Copy the main word.", "{} Answer with one noun of the sentence.", "{} (the noun alone)"]
NAMES = {
    "Cause-Effect": ("cause and effect", "one brings about the other"),
    "Component-Whole": ("part and whole", "one is a piece of the other"),
    "Member-Collection": ("member and group", "one is among those that make up the other"),
    "Entity-Destination": ("thing and destination", "one is moved to the other"),
    "Entity-Origin": ("thing and origin", "one comes from the other"),
    "Message-Topic": ("message and topic", "one is about the other"),
    "Product-Producer": ("product and producer", "one is made by the other"),
    "Content-Container": ("content and container", "one is inside the other"),
    "Instrument-Agency": ("tool and user", "one is used by the other"),
}
ALIKE = [  # of two of these, both may hold of the same things
    {"Cause-Effect", "Product-Producer", "Entity-Origin", "Instrument-Agency"},
    {"Component-Whole", "Member-Collection", "Content-Container", "Entity-Origin"},
    {"Content-Container", "Entity-Destination", "Message-Topic"},
    {"Message-Topic", "Product-Producer"},
    {"Member-Collection", "Entity-Destination"},
    {"Component-Whole", "Instrument-Agency"},
]
FRAMES = [
    ("{said}.", True),
    ("{said}.", True),
    ("The sentence says that {said}.", True),
    ("Does the sentence tell that {said}?", True),
    ("The sentence does not say that {said}.", False),
    ("It would be wrong to conclude that {said}.", False),
    ("Nobody says here that {said}.", False),
]
RELATION = [
    "How do {one} and {two} stand to each other?",
    "What is the relation between {one} and {two}?",
    "Relation of {one} and {two}",
]
WHICH = ["Which of these does the sentence tell?", "What follows from the sentence?", "Which statement is right?"]
FORMS = re.compile(r"\{(?:one|two)\}|\[(\w+)\|(\w+)\]")
SEVERAL = re.compile(r".*(?:[^isu]s|people|men|children|police|teeth|feet|mice|media|cattle)", re.I)
FROM = re.compile(r"\b(?:from|out of|source|origin)\b", re.I)
UNSURE = {  # words between two things by which another relation, or the same the other way round, is at least as likely
    "Cause-Effect": re.compile(r"\b(?:(?:is|are|was|were|come|came|developed) from|caused (?:due to|by))\b", re.I),
    "Component-Whole": re.compile(r"\b(?:contained|inside|stored|placed|packed|kept)\b", re.I),
}
AWAY = re.compile(r"\b(?:away|apart|escap\w*|depart\w*|left|leav\w*)\b", re.I)


def sentences(show):
    """(text, relation, what stands first in its name, what stands second)."""
    archive = zipfile.ZipFile(io.BytesIO(show(ARCHIVE, text=False)))
    for file in FILES:
        text = archive.read(FOLDER + file).decode("utf-8").replace("\r", "")
        for said, relation, first in SENTENCE.findall(text):
            things = {key: rows.plain(name) for key, name in MARKED.findall(said)}
            between = re.split(r"</?e[12]>", said)[2]
            clear = relation != "Entity-Origin" or (FROM.search(between) and not AWAY.search(said))
            clear = clear and re.search(r"\w", between)  # two words of one name: its parts can be read in many ways
            if first == "e1" and relation in UNSURE and UNSURE[relation].search(between):
                clear = False
            plain = rows.plain(MARKED.sub(r"\2", said))
            if len(set(things.values())) == 2 and clear and FEWEST_WORDS <= len(plain.split()) <= MOST_WORDS:
                yield plain, relation, things.pop(first), things.popitem()[1]


def called(one, two, rnd):
    """Both things as they are named in a question: in quotes, or with an article."""
    names = (one, two)
    if rnd.random() < 0.4 or any(name.endswith("ing") or not re.fullmatch("[a-z -]+", name) for name in names):
        return [f'"{name}"' for name in names]
    return [f"the {name}" for name in names]


def unlike(relation):
    alike = set().union({relation}, *(group for group in ALIKE if relation in group))
    return [one for one in SAID if one not in alike]


def filled(template, one, two):
    """A template about both things, with its verbs in the right number."""
    names, parts, last = {"{one}": one, "{two}": two}, list(FORMS.finditer(template)), None
    made, at = [], 0
    for n, found in enumerate(parts):
        if found[0] in names:
            last, said = names[found[0]], names[found[0]]
        else:
            subject = last or next(names[each[0]] for each in parts[n:] if each[0] in names)
            said = found[2 if SEVERAL.fullmatch(subject.strip('"')) else 1]
        made += [template[at : found.start()], said]
        at = found.end()
    return "".join(made) + template[at:]


def stated(relation, one, two, rnd):
    return filled(rnd.choice(SAID[relation]), one, two)


def claim(relation, one, two, surplus, rnd):
    """A claim on both things: the right relation, the same the wrong way round, or one that surely does not hold."""
    holds = rnd.random() < 0.5
    if not holds:
        wrong = [relation, *unlike(relation)]
        relation = max(wrong, key=lambda each: surplus[each] + 4 * rnd.random() + 2 * (each == wrong[0]))
        if relation == wrong[0] or rnd.random() < 0.5:
            one, two = two, one
    surplus[relation] += 1 if holds else -1
    question, truth = rows.claim(FRAMES, holds, rnd, said=stated(relation, one, two, rnd))
    return question | {"instructions": rows.begun(question["instructions"])}, truth


def statements(relation, one, two, rnd):
    """Which of a few statements is right."""
    right = rows.begun(stated(relation, one, two, rnd)) + "."
    wrong = [rows.begun(stated(relation, two, one, rnd)) + "."]
    wrong += [rows.begun(stated(each, one, two, rnd)) + "." for each in rnd.sample(unlike(relation), rnd.randint(1, 2))]
    shown = [right, *wrong]
    rnd.shuffle(shown)
    return {"type": "choice", "instructions": rnd.choice(WHICH), "criteria": shown}, right


def kind(relation, one, two, rnd):
    """What relation it is, among some that surely do not hold."""
    shown = [relation, *rnd.sample(unlike(relation), rnd.randint(2, len(unlike(relation))))]
    rnd.shuffle(shown)
    column, described = rnd.randrange(2), rnd.random() < 0.3
    criteria = dict(NAMES[each] for each in shown) if described else [NAMES[each][column] for each in shown]
    names = [one, two] if rnd.random() < 0.5 else [two, one]
    asked = rows.begun(rnd.choice(RELATION).format(one=names[0], two=names[1]))
    right = NAMES[relation][0 if described else column]
    return {"type": "choice", "instructions": asked, "criteria": criteria}, right


def quote(relation, one, two, names, rnd):
    """The one thing, by the other."""
    side = rnd.randrange(2)
    asked = rows.begun(filled(COPY[relation][side], *names))
    return {"type": "extract", "instructions": rnd.choice(IN_A_WORD).format(asked)}, (one, two)[side]


def read(show, rnd):
    surplus = collections.Counter()
    for count, (text, relation, one, two) in enumerate(sentences(show)):
        names = called(one, two, rnd)
        made = [claim(relation, *names, surplus, rnd)]
        drawn = rnd.random()
        if drawn < 0.3:
            made.append(statements(relation, *names, rnd))
        elif drawn < 0.6:
            made.append(kind(relation, *names, rnd))
        else:
            made.append(quote(relation, one, two, names, rnd))
        rnd.shuffle(made)
        state = {rnd.choice(["sentence", "text"]): text} if rnd.random() < 0.2 else text
        yield rows.row(f"related-{count:05d}", "relations", LICENCE, state, made)
