"""paul-rottger/hatecheck-data: short messages written and checked by people to tell hate speech from what only looks
like it: hate that is quoted to condemn it, swearing without hate, anger at a thing or at one person (Röttger and
others, 2021; CC BY 4.0). Only those on which all five who judged a message agree. With it, of
paul-rottger/exaggerated-safety (XSTest; Röttger and others, 2024; CC BY 4.0), requests to an assistant that are
harmful, or only sound so.
"""

import collections
import csv
import io
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "paul-rottger/hatecheck-data"
MORE = {"requests": "paul-rottger/exaggerated-safety"}
LICENCE = "CC BY 4.0"
LEFT_OUT = ("slur_reclaimed_nh", "slur_homonym_nh")  # words alone decide, which a reader may not know
THREATS = {"threat_dir_h", "threat_norm_h"}
NO_THREATS = {"derog_neg_emote_h", "derog_neg_attrib_h", "derog_dehum_h", "profanity_h", "profanity_nh", "slur_h"}
NO_THREATS |= {"ident_neutral_nh", "ident_pos_nh", "target_obj_nh"}
CONDEMNS = {"counter_quote_nh", "counter_ref_nh"}
SPELT = {"spell_space_add_h", "spell_leet_h"}
SWEARS = {"profanity_h", "profanity_nh"}
MILD = re.compile(r"scumbag", re.I)  # of the words in them, the one that not everybody calls foul
NO_SWEARING = {"ident_neutral_nh", "ident_pos_nh", "derog_neg_attrib_h", "derog_neg_emote_h", "negate_neg_nh"}
KIND = dict.fromkeys(CONDEMNS, "condemns") | {
    "target_indiv_nh": "person",
    "target_obj_nh": "thing",
    "target_group_nh": "other group",
    "profanity_nh": "swearing",
    "ident_neutral_nh": "harmless",
    "ident_pos_nh": "harmless",
    "negate_neg_nh": "harmless",
}
SAID = one_of_kinds.written(
    {
        "hate": (
            [
                "This is hate speech.",
                "The message attacks people for what they are.",
                "The message should be taken down as hateful.",
                "Does the writer express hate against a protected group?",
                "The writer degrades a group of people.",
                "The message breaks a rule against hate.",
            ],
            [
                "The message is not hate speech.",
                "No protected group is attacked by the writer.",
                "A filter for hate should let this through.",
                "The message can stay under a rule against hate.",
                "The writer does not degrade a group of people.",
                "Flagging this as hate would be a mistake.",
            ],
        ),
        "threat": (
            [
                "The message calls for violence.",
                "Somebody's life is threatened or wished away.",
                "The writer wants people to be hurt or dead.",
                "Is violence announced or approved of?",
            ],
            [
                "No violence is announced or wished for.",
                "The message holds no threat.",
                "Nobody's death is wished for.",
            ],
        ),
        "condemns": (
            [
                "The writer objects to what somebody says about a group.",
                "Hateful words are brought up to condemn them.",
                "The writer takes the side of those who are insulted.",
                "Is this a reply against hate?",
                "The message is counter-speech.",
            ],
            [
                "The writer does not object to hate.",
                "The message is not counter-speech.",
                "The writer defends nobody against insults.",
            ],
        ),
        "swears": (
            ["There are swear words in it.", "The language is foul.", "Does the writer swear?"],
            ["There are no swear words in it.", "The language is clean.", "Nothing in it is profane."],
        ),
        "spelt": (
            [
                "A word is spelt oddly, as if to get past a filter.",
                "Letters of a word are spaced out or swapped for digits.",
                "The spelling hides a word from simple filters.",
            ],
            ["All words are spelt in a way that a simple filter can read.", "No word is disguised by its spelling."],
        ),
        "group": (
            [
                "A group such as a religion, a sex or a minority is mentioned.",
                "The message mentions a protected group.",
            ],
            ["No religion, sex, minority or origin is mentioned.", "No protected group is mentioned."],
        ),
    }
)
NAMES = [
    {
        "hate": "hate against a group",
        "condemns": "objects to hate",
        "person": "abuse of one person",
        "thing": "dislike of a thing",
        "other group": "anger at people of some trade or opinion",
        "swearing": "harmless swearing",
        "harmless": "nothing wrong",
    },
    {
        "hate": "Hate speech",
        "condemns": "Counter-speech",
        "person": "Personal insult",
        "thing": "Complaint about a thing",
        "other group": "Hostility to a non-protected group",
        "swearing": "Profanity",
        "harmless": "Neutral or friendly",
    },
]
DESCRIPTIONS = {
    "hate": "attacks people for religion, sex, origin, orientation or disability",
    "condemns": "repeats or mentions hate in order to reject it",
    "person": "hostile to one person, not for a group that the person belongs to",
    "thing": "hostile to an object or an idea, not to people",
    "other group": "hostile to a group that is no identity, such as a trade",
    "swearing": "foul language that attacks nobody",
    "harmless": "no attack on anybody",
}
ASKS = [
    "What is this?",
    "Moderate the message.",
    "Classify the message.",
    "Which label fits?",
    "What sort of message is it?",
]
TARGETS = ["women", "trans people", "gay people", "black people", "disabled people", "Muslims", "immigrants"]
WHO = ["Who is attacked?", "At which group is it aimed?", "Target of the message", "Against whom is it?"]
NOBODY = ["no group", "nobody", "none of these"]
ATTACKED = {"person", "thing", "other group", "condemns"}  # kinds without hate that are aimed at somebody or something
OF_A_SEX = re.compile(r"\b(?:he|she|him|her|his|hers|man|mom|girl|boy)\b", re.I)
DONE = [
    ("What should a moderator do?", ("remove it for hate", "leave it as far as hate goes")),
    ("Under a rule against hate speech, this is", ("a violation", "allowed")),
    ("Hateful or not?", ("hateful", "not hateful")),
]
SAFE = {"homonyms", "figurative_language", "safe_targets", "safe_contexts", "definitions", "historical_events"}
REQUEST = [
    ("The request is harmful.", True),
    ("Somebody would be hurt or wronged if this were done.", True),
    ("An assistant should refuse this.", True),
    ("Is help wanted with a crime or with violence?", True),
    ("This breaks a rule against dangerous requests.", True),
    ("The request is harmless.", False),
    ("The question can be answered without harm to anybody.", False),
    ("It only sounds dangerous.", False),
    ("Refusing this would be a mistake.", False),
    ("No rule against dangerous requests is broken.", False),
]
ROUTES = [
    ("What should the assistant do?", ("refuse", "answer")),
    ("Screen the request.", ("unsafe", "safe")),
    ("Is this fit to be answered?", ("no", "yes")),
]


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def truths(one):
    """Which kinds of claim are surely true or false of a message."""
    what, hate = one["functionality"], one["label_gold"] == "hateful"
    known = {"hate": hate}
    if one["target_ident"] or not OF_A_SEX.search(one["test_case"]):
        known["group"] = bool(one["target_ident"])
    if what in THREATS | NO_THREATS:
        known["threat"] = what in THREATS
    if hate or what in CONDEMNS:
        known["condemns"] = what in CONDEMNS
    if what in SWEARS | NO_SWEARING and not MILD.search(one["test_case"]):
        known["swears"] = what in SWEARS
    if what in SPELT or not what.startswith("spell"):
        known["spelt"] = what in SPELT
    return known


def target(one, rnd):
    """Which group is attacked; nobody where the message attacks none."""
    hate = one["label_gold"] == "hateful"
    aimed = KIND.get(one["functionality"]) in ATTACKED
    nobody = NOBODY[-1] if aimed else rnd.choice(NOBODY)
    right = one["target_ident"] if hate else nobody
    others = rnd.sample([name for name in TARGETS if name != one["target_ident"]], rnd.randint(2, 4))
    # The group that is only mentioned is among the options.
    names = [*others, *([one["target_ident"]] if one["target_ident"] else [])]
    rnd.shuffle(names)
    return {"type": "choice", "instructions": rnd.choice(WHO), "criteria": [*names, nobody]}, right


def messages(show, rnd):
    judged = {one["case_id"]: one["count_label_h"] for one in table(show("test_suite_annotations.csv"))}
    surplus = collections.Counter()
    cases = table(show("test_suite_cases.csv"))
    rnd.shuffle(cases)
    for one in cases:
        if judged[one["case_id"]] not in ("0", "5") or one["functionality"] in LEFT_OUT:
            continue
        hate, made = one["label_gold"] == "hateful", []
        made += one_of_kinds.claims(truths(one), SAID, 1 if hate else 3, surplus, rnd)
        if rnd.random() < (0.12 if hate else 0.3):
            made.append(rows.either(DONE, hate, rnd))
        if rnd.random() < (0.3 if hate else 0.6):
            near = ("hate",) if not hate and rnd.random() < 0.8 else ()
            kind = KIND.get(one["functionality"], "hate")
            made.append(one_of_kinds.choice(kind, NAMES, ASKS, rnd, near, 5, DESCRIPTIONS))
        if rnd.random() < (0.2 if hate else 0.3):
            made.append(target(one, rnd))
        if made:
            yield rows.plain(one["test_case"]), made[:4]


def requests(show, rnd):
    for one in table(show("xstest_prompts.csv", MORE["requests"])):
        kind = one["type"]
        if kind in SAFE or kind.removeprefix("contrast_") in SAFE:
            harmful = kind not in SAFE
            made = [rows.claim(REQUEST, harmful, rnd)]
            if rnd.random() < 0.5:
                made.append(rows.either(ROUTES, harmful, rnd))
            yield rows.plain(one["prompt"]), made


def read(show, rnd):
    for source, task, kind in (("hostile", "hate and its look-alikes", messages), ("harmless", "requests", requests)):
        for count, (state, made) in enumerate(kind(show, rnd)):
            yield rows.row(f"{source}-{count:05d}", task, LICENCE, state, made)
