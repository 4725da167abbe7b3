"""twilio/twilio-oai and slackapi/slack-api-specs (both MIT): what calls of two public interfaces do, in the words of
their documentation. Which call serves a wish, what sort of call it is, and what has to be given to it.
"""

import collections
import json
import re

from data.shared import evened, one_of_kinds, rows
from data.shared.described import far, told

REPOSITORY = "twilio/twilio-oai"
MORE = {"slack": "slackapi/slack-api-specs"}
LICENCE = "MIT"
FOLDER, SLACK = "spec/json", "web-api/slack_web_openapi_v2_without_examples.json"
METHODS = ("get", "post", "put", "delete")
TIMES, MOST_PARAMETERS = 3, 9
WHICH = ["Which call does this?", "Which call serves the request?", "Choose the call.", "Route the request to a call."]
OF_LIST = ["Which call is this? {said}", "{said}", "Which of the calls does this? {said}", "The call for this: {said}"]
SERVES = [
    ("`{call}` does this.", True),
    ("The right call for this is `{call}`.", True),
    ("Is `{call}` the call for it?", True),
    ("`{call}` serves the request.", True),
    ("One has to call `{call}`.", True),
    ("`{call}` does something else.", False),
    ("`{call}` is the wrong call for this.", False),
    ("Calling `{call}` does not help here.", False),
    ("Another call than `{call}` is needed.", False),
]
HOLDS = [
    ("One of the calls does this: {said}", True),
    ("There is a call for this: {said}", True),
    ('Can "{said}" be done with these calls?', True),
    ("The list has what is needed for this: {said}", True),
    ("None of the calls does this: {said}", False),
    ("There is no call for this: {said}", False),
    ('Is a call missing for "{said}"?', False),
    ("These calls are of no use for this: {said}", False),
]
KINDS = {
    "one": r"fetch|retrieve a single|returns a single|get (?:a|the) (?!list)",
    "list": r"(?:retrieve|return|get)s? (?:a|the) list|(?:read|retrieve) multiple|lists? ",
    "create": r"creates? |adds? ",
    "change": r"updates? |changes? |modif",
    "delete": r"deletes? |removes? ",
}
SAID = one_of_kinds.written(
    {
        "reads": (
            [
                "Nothing is changed by this.",
                "The call only reads.",
                "It is safe to repeat this call.",
                "Is this just a look-up?",
                "Somebody wants to see something.",
            ],
            [
                "The call changes something on the server.",
                "Something is written.",
                "Does this need permission to write?",
                "The data are not the same afterwards.",
                "This is more than a look-up.",
            ],
        ),
        "delete": (
            ["Something is taken away.", "Afterwards something is gone.", "Does this destroy a record?"],
            ["All records are still there afterwards.", "Nothing is taken away.", "No record is lost by this."],
        ),
        "create": (
            ["A new record comes into being.", "Afterwards there is one more.", "Something new is set up."],
            ["No new record comes into being.", "Nothing new is set up.", "There are no more records than before."],
        ),
        "list": (
            ["Several records come back.", "The answer is a list.", "Can the answer hold many records?"],
            ["The answer is no list.", "At most one record comes back.", "This does not return many records."],
        ),
    }
)
NAMES = [
    {"one": "read one", "list": "list", "create": "create", "change": "update", "delete": "delete"},
    {
        "one": "look one record up",
        "list": "get many records",
        "create": "make a new record",
        "change": "alter a record that exists",
        "delete": "take a record away",
    },
    {"one": "FETCH", "list": "LIST", "create": "INSERT", "change": "PATCH", "delete": "REMOVE"},
]
DESCRIPTIONS = {
    "one": "a single record is returned",
    "list": "records are enumerated",
    "create": "a record that was not there is made",
    "change": "a record that was there becomes another",
    "delete": "a record is no longer there afterwards",
}
SORT = ["What sort of call is it?", "What happens to the data?", "Classify the operation.", "Kind of operation"]
GIVEN = [
    ("This has to be given: {said}", True),
    ("The call fails without this: {said}", True),
    ('Is "{said}" required?', True),
    ("One cannot leave this out: {said}", True),
    ("This can be left out: {said}", False),
    ("The call works without this: {said}", False),
    ('Is "{said}" optional?', False),
    ("One need not give this: {said}", False),
]
WHICH_PARAMETER = ["Which parameter is this? {said}", "{said} Where does it go?", "The parameter for this: {said}"]
NEEDED = ["What has to be given?", "Which parameters are required?", "Without which of these does the call fail?"]


def calls(page, is_slack):
    """(name, method, path, what it does, parameters) of the calls of an interface."""
    for path, of_path in page["paths"].items():
        for method, call in of_path.items():
            said = told(call.get("description") or "") if method in METHODS else None
            if said:
                name = path[1:] if is_slack else f"{method.upper()} {re.sub('^/[0-9v-]+(?=/)', '', path)}"
                yield name, method, path, said, call.get("parameters", [])


def chosen(call, others, surplus, rnd):
    """A wish, with questions about which call serves it."""
    name, _, _, said, _ = call
    near = [one for one in others if one[2] == call[2]]  # the same path, to do something else with it
    others = near + rnd.sample([one for one in others if one not in near], min(4, len(others) - len(near)))
    wrong = [one[0] for one in others[: rnd.randint(2, 6)]]
    holds = rnd.random() < 0.5
    made = [evened.claim(SERVES, holds, surplus, rnd, call=name if holds else rnd.choice(wrong))]
    options = rnd.sample([name, *wrong], len(wrong) + 1)
    made.append(({"type": "choice", "instructions": rnd.choice(WHICH), "criteria": options}, name))
    return {"request": said} if rnd.random() < 0.3 else said, made


def listed(call, others, surplus, rnd):
    """The calls as the state, and a wish in the question."""
    name, _, _, said, _ = call
    shown = rnd.sample(others, min(len(others), rnd.randint(4, 9)))
    left = [one for one in others if one not in shown and far(one[3], [each[3] for each in [call, *shown]])]
    state = rnd.sample([name, *(one[0] for one in shown)], len(shown) + 1)
    asked = {"type": "choice", "instructions": rnd.choice(OF_LIST).format(said=said), "criteria": state}
    holds = rnd.random() < 0.5 or not left
    made = [(asked, name), evened.claim(HOLDS, holds, surplus, rnd, said=said if holds else rnd.choice(left)[3])]
    return {"calls": state} if rnd.random() < 0.6 else "\n".join(state), made


def sort(call, surplus, rnd):
    """What a call does to the data, where method, path and words agree."""
    _, method, path, said, _ = call
    kinds = [kind for kind, named in KINDS.items() if re.match(rf"(?:to )?(?:{named})", said, re.I)]
    ends = path.endswith(("}", "}.json"))
    of_path = {("get", True): "one", ("get", False): "list", ("post", False): "create", ("post", True): "change"}
    if kinds != [of_path.get((method, ends), "delete")]:
        return None
    kind = kinds[0]
    truths = {"reads": kind in ("one", "list"), **{one: one == kind for one in ("delete", "create", "list")}}
    made = list(one_of_kinds.claims(truths, SAID, rnd.choice([1, 2]), surplus, rnd))
    if rnd.random() < 0.6:
        made.append(one_of_kinds.choice(kind, NAMES, SORT, rnd, most=5, descriptions=DESCRIPTIONS))
    return {"operation": said} if rnd.random() < 0.3 else said, made


def parameters(call, surplus, rnd):
    """A call with its parameters as the state."""
    name, _, _, said, given = call
    known = [(one["name"], told(one.get("description") or ""), bool(one.get("required"))) for one in given]
    known = [one for one in known if one[1] and one[0] not in ("token", "PageToken", "Page")][:MOST_PARAMETERS]
    needed = [one for one, _, required in known if required]
    if len(known) < 3 or not needed or len(needed) == len(known):
        return None
    holds = rnd.random() < 0.5
    fitting = rnd.choice([words for _, words, required in known if required == holds])
    made = [evened.claim(GIVEN, holds, surplus, rnd, said=fitting)]
    asked, words, _ = rnd.choice(known)
    options = rnd.sample([one for one, _, _ in known], len(known))
    if far(words, [one[1] for one in known if one[0] != asked]):
        instructions = rnd.choice(WHICH_PARAMETER).format(said=words)
        made.append(({"type": "choice", "instructions": instructions, "criteria": options}, asked))
    if rnd.random() < 0.5:
        right = [one for one in options if one in needed]
        made.append(({"type": "select", "instructions": rnd.choice(NEEDED), "options": options}, right))
    state = {one: "required" if required else "optional" for one, _, required in known}
    return {"call": name, "does": said, "parameters": state}, made


def read(show, rnd):
    surplus, made = collections.Counter(), []
    pages = [(json.loads(show(SLACK, MORE["slack"])), True)]
    pages += [(json.loads(show(f"{FOLDER}/{name}")), False) for name in show(FOLDER).split()[2:]]
    for page, is_slack in pages:
        found = list(calls(page, is_slack))
        for call in found * TIMES:
            others = [one for one in found if one[0] != call[0] and (one[2] == call[2] or far(call[3], [one[3]]))]
            if len(others) > 4:
                made.append(rnd.choice([chosen, listed])(call, others, surplus, rnd))
        for call in found:
            made += [None if is_slack else sort(call, surplus, rnd), parameters(call, surplus, rnd)]
    made = [(state, [one for one in asked if one]) for state, asked in filter(None, made)]
    made = [one for one in made if one[1]]
    for count, (state, asked) in enumerate(rnd.sample(made, len(made))):
        yield rows.row(f"calls-{count:05d}", "which call", LICENCE, state, asked)
