"""rudinger/defeasible-nli (dev and test): a situation, what is likely then, and a piece of news that makes it more or
less likely (Rudinger and others, 2020): captions of SNLI and everyday events of ATOMIC. Names stand for "PersonX".
"""

import collections
import json
import re

from data.shared import rows

REPOSITORY = "rudinger/defeasible-nli"
PARTS = {"snli": "MIT (captions: CC BY-SA 4.0)", "atomic": "MIT (events: CC BY 4.0)"}
SPOKEN = {"xNeed", "xIntent", "xWant", "xAttr", "xReact"}  # whose hypotheses are sentences
WISHES = {"xNeed", "xWant"}
NAMES = "Alex Sam Robin Kim Noor Jude Ariel Yuki Sasha Remy Jo Ren Kai Dana Toni Amari Lou Nikita Shay Quinn".split()
MEASURED = (  # captions that SICK has, too
    "A snowboarder is grinding down a long concrete rail.",
    "A man in a tie-dyed shirt and jeans is sitting on a bench with a dog and a guitar on his lap",
)
UNFIT = re.compile(r"\b(?:sex\w*|balls|porn\w*|dick|rape\w*|naked|slut\w*|whore\w*)\b", re.I)
SAID = [  # the names of what was known and of what is new, and what the new is called
    ("situation", "update", "update"),
    ("text", "news", "news"),
    ("first", "later", "later text"),
    ("known so far", "new", "new information"),
    ("context", "message", "message"),
]
MORE_LIKELY = [
    ("The {new} makes this more likely: {claim}", True),
    ("With the {new}, this is more likely than before: {claim}", True),
    ("The {new} speaks for this: {claim}", True),
    ("The {new} is evidence for this: {claim}", True),
    ("The {new} makes this less likely: {claim}", False),
    ("With the {new}, this is more doubtful than before: {claim}", False),
    ("The {new} speaks against this: {claim}", False),
    ("The {new} is evidence against this: {claim}", False),
]
OF_CLAIM = [
    ("The {new} supports the claim.", True),
    ("The claim has become more likely.", True),
    ("The {new} strengthens the claim.", True),
    ("The {new} weakens the claim.", False),
    ("The {new} casts doubt on the claim.", False),
    ("The claim has become less likely.", False),
]
EITHER = [
    ("What does the {new} do to this: {claim}", ("strengthens it", "weakens it")),
    ("{claim} With the {new}, this is", ("more likely", "less likely")),
    ("Does the {new} speak for or against this: {claim}", ("for", "against")),
    ("How does the {new} bear on this: {claim}", ("it supports it", "it undermines it")),
]
WHICH = [
    ("Which of these would make it more likely that this is so: {}", True),
    ("Which speaks for this: {}", True),
    ("What would support this: {}", True),
    ("Which of these would make it less likely that this is so: {}", False),
    ("Which speaks against this: {}", False),
    ("What would cast doubt on this: {}", False),
]


def told(text, names, wish=False):
    """A text with names and a full stop; `wish`: a verb behind "wants" has its "to"."""
    text = re.sub(r"\bPerson ?([XYZ])\b", lambda one: names["XYZ".index(one[1].upper())], text, flags=re.I)
    text = re.sub(r"(?<!-)\bX\b(?!-)", names[0], " ".join(text.split()))
    text = (
        re.sub(r"\b(needed|wants) (?!(?:to|a|an|the|more|some|their|his|her)\b)(?=[a-z])", r"\1 to ", text)
        if wish
        else text
    )
    return rows.ended(text)


def state(first, new, claim, names, rnd):
    parts = {names[0]: first, names[1]: new}
    return rows.named(parts | {"claim": claim} if claim else parts, rnd.random() < 0.5)


def asked(premise, said, update, stronger, rnd):
    """(state, questions with truths) about one update."""
    names = rnd.choice(SAID)
    if rnd.random() < 0.3:
        return state(premise, update, said, names, rnd), [rows.claim(OF_CLAIM, stronger, rnd, new=names[2])]
    made = [rows.claim(MORE_LIKELY, stronger, rnd, new=names[2], claim=said)]
    if rnd.random() < 0.4:
        made.append(rows.either(EITHER, stronger, rnd, new=names[2], claim=said))
    return state(premise, update, None, names, rnd), made


def compared(premise, said, for_it, against, rnd):
    """The same about two updates, of which one speaks for what is said."""
    ask, wanted = rnd.choice(WHICH)
    options = [for_it, against]
    rnd.shuffle(options)
    question = {"type": "choice", "instructions": ask.format(said), "criteria": options}
    return premise, [(question, for_it if wanted else against)]


def read(show, rnd):
    count = 0
    for part, licence in PARTS.items():
        found, wishes = collections.defaultdict(lambda: {"strengthener": [], "weakener": []}), set()
        for split in ("dev", "test"):
            for line in show(f"data/defeasible-nli/defeasible-{part}/{split}.jsonl").splitlines():
                one = json.loads(line)
                words = f"{one['Premise']} {one['Hypothesis']} {one['Update']}"
                kind = one.get("AtomicRelationType")
                if kind in WISHES:
                    wishes.add(one["Hypothesis"])
                fits = (kind is None or kind in SPOKEN) and not UNFIT.search(words)
                fits = fits and not one["Premise"].startswith(MEASURED)
                if fits and len(one["Update"].split()) > 2:
                    found[one["Premise"], one["Hypothesis"]][one["UpdateType"]].append(one["Update"])
        for (premise, said), updates in found.items():
            names = rnd.sample(NAMES, 3)
            premise, said = told(premise, names), told(said, names, said in wishes)
            for_it, against = ([told(one, names) for one in updates[kind]] for kind in ("strengthener", "weakener"))
            made = []
            if for_it and against and rnd.random() < 0.3:
                made.append(compared(premise, said, for_it.pop(), against.pop(), rnd))
            made += [asked(premise, said, one, True, rnd) for one in for_it]
            made += [asked(premise, said, one, False, rnd) for one in against]
            for text, questions in made:
                yield rows.row(f"updates-{count:05d}", "what news does to a claim", licence, text, questions)
                count += 1
