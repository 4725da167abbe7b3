"""Yifan-Gao/open_retrieval_conversational_machine_reading (OR-ShARC, dev and test): a rule of a public office,
a case, and a question that the rule answers, or can't answer before more is known (Saeidi and others, 2018; Gao and
others, 2021; CC BY-SA 3.0).
"""

import json
import re

from data.shared import rows

REPOSITORY = "Yifan-Gao/open_retrieval_conversational_machine_reading"
FILES = ("data/open_retrieval_sharc_dev.json", "data/open_retrieval_sharc_test.json")
LICENCE = "CC BY-SA 3.0"
AS_FIELD, AS_VERDICT, WHETHER_MORE = 0.25, 0.5, 0.35
NAMES = [("rule", "case", "question"), ("policy", "customer", "request"), ("regulation", "situation", "question")]
NAMES += [("text", "user", "query"), ("conditions", "applicant", "question")]
ANSWERED = [
    ("{ask}", True),
    ("{ask}", True),
    ("{ask}", True),
    ('Going by the rule, the answer to "{ask}" is yes.', True),
    ('The person can be told yes. They asked: "{ask}"', True),
    ("{ask} The rule says no.", False),
    ('The answer to "{ask}" is no.', False),
    ('Asked "{ask}", one has to say no.', False),
]
FIELD_ANSWERED = [
    ("The answer is yes.", True),
    ("The {ask} can be answered with yes.", True),
    ("The {rule} allows a yes here.", True),
    ("The answer is no.", False),
    ("The {ask} has to be answered with no.", False),
    ("Under the {rule}, this is a no.", False),
]
STILL_OPEN = [
    ("More has to be known before this can be answered.", True),
    ("Something that decides is still missing.", True),
    ("One has to ask back first.", True),
    ("What is known is enough for an answer.", False),
    ("The case can be decided now.", False),
    ("No further question is needed.", False),
]
VERDICTS = [["yes", "no", "more has to be known"], ["Yes", "No", "Unclear"], ["yes", "no", "ask back first"]]
NEXT = ["What has to be asked next?", "Which question is still open?", "What is not known yet, and decides?"]


def plain(text):
    """A rule without marks for headings, in a line or as a list."""
    return re.sub(r"\n\s*\n", "\n", re.sub(r"(?m)^#+\s*", "", text)).strip()


def replies(turns):
    """What was asked back, and whether it is so."""
    return [(each["follow_up_question"].strip(), each["follow_up_answer"][:1].upper() == "Y") for each in turns]


def stated(one):
    """The same of what the case itself tells."""
    return replies(one["evidence"] if one["scenario"] else [])


def put(one, rule, rnd):
    """The state, and what its parts are called."""
    names = rnd.choice(NAMES)
    said = [f"{ask} {'Yes' if yes else 'No'}." for ask, yes in replies(one["history"])]
    told = one["scenario"].strip()
    case = " ".join([f"{told}." if told and told[-1] not in ".!?" else told, *said]).strip()
    state = {names[0]: rule, names[1]: case} if case else {names[0]: rule}
    return state, names


def asks(one, state, names, rnd):
    ask, answer, words = one["question"].strip(), one["answer"].strip(), {"rule": names[0], "ask": names[2]}
    decided, in_field = answer in ("Yes", "No"), rnd.random() < AS_FIELD
    if in_field:
        state[names[2]] = ask
    if decided and rnd.random() >= AS_VERDICT:
        yield rows.claim(
            FIELD_ANSWERED if in_field else ANSWERED, answer == "Yes", rnd, **{"ask": ask} | (words if in_field else {})
        )
    else:
        verdicts = rnd.choice(VERDICTS)
        right = verdicts[["Yes", "No"].index(answer) if decided else 2]
        shown = rnd.sample(verdicts, 3)
        asked = "Answer the " + names[2] + "." if in_field else ask
        yield (
            {
                "type": "choice",
                "instructions": asked,
                "criteria": shown if rnd.random() < 0.5 else dict.fromkeys(shown),
            },
            right,
        )
    if in_field and rnd.random() < (WHETHER_MORE if decided else 0.9):
        yield rows.claim(STILL_OPEN, not decided, rnd)
    told = stated(one)
    for said, holds in rnd.sample(told, min(2, len(told))):
        yield {"type": "noul", "instructions": said}, holds
    others = list(dict.fromkeys(said for said, _ in [*replies(one["history"]), *told] if said != answer))
    if not decided and others and rnd.random() < 0.7:
        shown = rnd.sample([answer, *others[:3]], len(others[:3]) + 1)
        yield {"type": "choice", "instructions": rnd.choice(NEXT), "criteria": shown}, answer


def read(show, rnd):
    texts, count = json.loads(show("data/id2snippet.json")), 0
    for path in FILES:
        for line in show(path).splitlines():
            one = json.loads(line)
            state, names = put(one, plain(texts[one["gold_snippet_id"]]), rnd)
            made = list(asks(one, state, names, rnd))
            yield rows.row(
                f"rulings-{count:05d}", "rules and cases", LICENCE, rows.named(state, rnd.random() < 0.6), made
            )
            count += 1
