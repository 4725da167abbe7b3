"""microsoft/task_oriented_dialogue_as_dataflow_synthesis (SMCalFlow 2.0, valid): what people wrote to an assistant that
keeps a calendar, the program that people wrote for each message, and the reply (Semantic Machines and others, 2020;
CC BY-SA 4.0). Rows are messages, alone or at the end of a talk: what is wanted, and details of it; and talks up to a
reply: what came of it.
"""

import collections
import io
import json
import re
import zipfile

from data.shared import one_of_kinds, rows

REPOSITORY = "microsoft/task_oriented_dialogue_as_dataflow_synthesis"
PATH = "datasets/SMCalFlow-2.0/valid.dataflow_dialogues.jsonl.zip"
LICENCE = "CC BY-SA 4.0"
MOST_WORDS, MOST = 120, {"asked": 6500, "replies": 3000}
SPEAKERS = [("User", "Assistant"), ("user", "bot"), ("Me", "Calendar"), ("U", "A"), ("Customer", "Agent")]
# What a program begins with.
KINDS = {
    "create": r"\(Yield \(CreateCommitEventWrapper",
    "change": r"\(Yield \(UpdateCommitEventWrapper",
    "delete": r"\(Yield \(DeleteCommitEventWrapper",
    "look": r"\(Yield \((?:FindEventWrapperWithDefaults|Event\.(?:start|end|location|duration)|FindNumNextEvent|> \("
    r"size \(QueryEventResponse|AttendeesWith)",
    "confirm": r"\(Yield \(Execute \(\^\(Dynamic\) ConfirmAndReturnAction\)\)\)$",
    "reject": r"\(DoNotConfirm\)$",
    "weather": r"\(Yield \((?:WeatherQueryApi|WeatherAggregate|WillRain|WillSnow|WeatherForEvent)",
    "place": r"\(Yield \(Place",
    "person": r"\(Yield \((?:Person|FindManager|FindReports)",
    "respond": r"\(Yield \(EventAttendance",
    "wait": r"\(UserPauseResponse\)$",
    "remind": r"\(FenceReminder\)$",
}
ALONE = {"create", "delete", "look", "weather", "place", "person", "respond", "remind"}  # clear without a talk
KEPT = {"confirm": 0.5}
UNSURE = {
    "confirm": ("create", "change", "delete"),
    "reject": ("create", "delete", "change"),
    "delete": ("reject",),
    "change": ("create",),
    "create": ("change", "remind"),
    "remind": ("create",),
    "respond": ("confirm", "reject", "change"),
    "weather": ("look",),
    "person": ("look",),
}
SAID = one_of_kinds.written(
    {
        "create": (
            ["The user wants a new event in the calendar.", "Something is to be scheduled.", "A new entry is wanted."],
            ["No new event is asked for.", "The user does not want to add anything to the calendar."],
        ),
        "change": (
            [
                "An event that exists already is to be changed.",
                "The user wants something about an event to be different.",
            ],
            ["No event is to be changed.", "The user does not ask to alter an entry.", "No entry has to be edited."],
        ),
        "delete": (
            [
                "An event is to be taken off the calendar.",
                "The user wants an entry to be deleted.",
                "Is this a cancellation?",
            ],
            ["Nothing is to be removed.", "The user does not want to cancel an event."],
        ),
        "look": (
            ["The user wants to know something about their own events.", "This is a question about the calendar."],
            [
                "The user does not ask what is in the calendar.",
                "The calendar need not be searched for an answer.",
                "No look at the schedule is asked for.",
            ],
        ),
        "confirm": (
            ["The user agrees to what the assistant suggests.", "This is a yes.", "The assistant may go ahead."],
            ["The user does not give a go-ahead.", "The last message is no consent."],
        ),
        "reject": (
            [
                "The user turns down what the assistant suggests.",
                "The assistant should leave things as they are.",
                "This is a no.",
            ],
            ["The user does not turn anything down.", "The last message is no refusal."],
        ),
        "weather": (
            [
                "The user wants to know about the weather.",
                "A forecast is asked for.",
                "Does the user ask about the weather?",
            ],
            ["The weather is not what the user asks about.", "No forecast is wanted."],
        ),
        "place": (
            ["The user asks about a restaurant or another place.", "Information on a place is wanted."],
            [
                "The user does not ask what some place offers.",
                "This is no question about a restaurant or shop.",
                "No facts about a place are asked for.",
            ],
        ),
        "person": (
            ["The user asks about a person.", "Contact details or the boss of somebody are asked for."],
            [
                "The user does not ask who somebody is or how to reach them.",
                "No contact details are asked for.",
                "This is no question about a colleague.",
            ],
        ),
        "respond": (
            ["The user answers an invitation.", "An invitation is to be accepted or declined."],
            [
                "The user does not reply to an invitation.",
                "No invitation is accepted or declined.",
                "No organizer has to be answered.",
            ],
        ),
        "wait": (
            ["The user asks the assistant to wait.", "The user needs a moment."],
            ["The user does not ask for time.", "The assistant need not wait.", "No pause is asked for."],
        ),
        "remind": (
            ["The user wants to be reminded of something.", "A reminder or an alarm is asked for."],
            ["No reminder is asked for.", "The user does not want an alarm.", "The user does not ask to be reminded."],
        ),
    }
)
NAMES = [
    {
        "create": "add an event",
        "change": "change an event",
        "delete": "delete an event",
        "look": "look up the schedule",
        "confirm": "agree",
        "reject": "refuse",
        "weather": "get the weather",
        "place": "find out about a place",
        "person": "find out about a person",
        "respond": "answer an invitation",
        "wait": "pause",
        "remind": "set a reminder",
    },
    {
        "create": "create_event",
        "change": "update_event",
        "delete": "delete_event",
        "look": "find_event",
        "confirm": "affirm",
        "reject": "deny",
        "weather": "weather_query",
        "place": "place_info",
        "person": "contact_info",
        "respond": "rsvp",
        "wait": "wait",
        "remind": "set_alarm",
    },
]
DESCRIPTIONS = {
    "create": "something new is put in the calendar",
    "change": "time, place, guests or name of an entry become different",
    "delete": "an entry is taken out",
    "look": "the user asks what, when or where something is planned",
    "confirm": "the user says yes to what was suggested",
    "reject": "the user says no to what was suggested",
    "weather": "temperature, rain, snow and the like",
    "place": "what a restaurant, shop or the like offers",
    "person": "phone number, office, boss or team of somebody",
    "respond": "accept or decline what others invited the user to",
    "wait": "the user needs a moment",
    "remind": "the assistant should call something to mind",
}
ASKS = [
    "What does the user want?",
    "Intent of the last message",
    "Which action fits the last message?",
    "The user wants to",
]
DETAILS = {
    "subject": ["Subject of the event", "What is the event called?", "The name of the entry"],
    "place": ["Where does it take place?", "Place of the event", "The location, if one is given"],
    "guest": ["Who is to be there?", "The guest", "Name of the person who is invited"],
}
IS = {
    "subject": [
        ("The event is about this: {said}", True),
        ("{said} is to go in the calendar.", True),
        ("The entry can be called {said}.", True),
        ("The event is something else than {said}.", False),
        ("{said} would be the wrong name for the entry.", False),
        ("Nobody asks for {said} here.", False),
    ],
    "place": [
        ("The place of the event is {said}.", True),
        ("It takes place here: {said}", True),
        ("Is {said} the location?", True),
        ("The event is not at {said}.", False),
        ("{said} is not where it takes place.", False),
        ("Another place than {said} is meant, or none.", False),
    ],
    "guest": [
        ("{said} is invited.", True),
        ("{said} is to be there.", True),
        ("Is {said} one of the guests?", True),
        ("{said} is not mentioned as a guest.", False),
        ("The event is without {said}.", False),
        ("Nobody asks to invite {said}.", False),
    ],
}
PARTS = {
    "subject": r'\(Event\.subject_\? \(\?= "([^"]+)"\)\)',
    "place": r'\(Event\.location_\? \(\?= \(LocationKeyphrase\.apply "([^"]+)"\)\)\)',
    "guest": r'\(PersonName\.apply "([^"]+)"\)',
}
PLACED = re.compile(r"\b(?:at|in|from|to)\s+(?!\d|noon|midnight|night)|@", re.I)
# Words with which a new event may as well be a change or a question.
OTHERWISE = re.compile(
    r"\b(?:also|add .*? to (?!my cal|the cal|my sch|the sch))\b|\bremind|\b(?:do|if) i (?:have|am)\b"
    r"|^(?:what|when|where|who|is|am|did|does)\b",
    re.I,
)
# Words with which a message asks for a new event without a talk before it.
BIDS = re.compile(r"\b(?:create|add|set|schedule|make|book|put|plan|need|want|please|calendar|mark|block)\b", re.I)
SUGGESTED = re.compile(
    r"Is (?:this|that) (?:good|what|the|ok)|How(?:'s| is) this|look right|How about|one of these|times when"
)
REPLIES = {
    "entered": r"I've put that on your calendar",
    "changed": r"I've changed ",
    "deleted": r"I've deleted ",
    "asks": r"(?:Is this (?:good|what you|the )|How(?:'s| is) this|Does this look right|How about now)",
    "offers": r"(?:Does one of these work|Here are some times)",
    "nothing": r"(?:No, )?I didn't find any (?:matching )?events",
    "cannot": r"(?:Sorry,? I can(?:'t| only)|I can only (?:do one|look up))",
}
CAME = one_of_kinds.written(
    {
        "entered": (
            ["An event has been put in the calendar.", "The new entry is in the calendar now."],
            [
                "The last reply does not say that anything was added.",
                "No new entry is reported.",
                "Nothing was added with the last message.",
            ],
        ),
        "done": (
            [
                "The calendar has been altered as the user asked.",
                "What the user asked for is done.",
                "It has been carried out.",
            ],
            [
                "Nothing has been altered with the last message.",
                "The last message does not report that anything was done.",
            ],
        ),
        "asks": (
            ["The assistant waits for the user to confirm.", "The user has to say whether the suggestion is right."],
            [
                "The user is not asked whether one suggestion is right.",
                "No confirmation is asked for.",
                "Nothing waits for the user's yes.",
            ],
        ),
        "offers": (
            ["The user can choose between several possibilities.", "The assistant offers more than one time."],
            [
                "No choice of times is offered.",
                "The user need not choose between times.",
                "The assistant does not offer alternatives.",
            ],
        ),
        "nothing": (
            ["No event fits what the user asked for.", "The search in the calendar was without result."],
            [
                "The assistant does not report an empty search.",
                "The reply does not say that an event is missing.",
                "There is no fruitless search here.",
            ],
        ),
        "cannot": (
            ["The assistant cannot do what was asked.", "The request is beyond what the assistant can do."],
            [
                "The assistant does not say that it cannot help.",
                "The assistant does not reject the request.",
                "The reply points to no limit of the assistant.",
            ],
        ),
    }
)
CAME_NAMES = [
    {
        "entered": "event added",
        "changed": "event changed",
        "deleted": "event deleted",
        "asks": "confirmation needed",
        "offers": "choice between times",
        "nothing": "nothing found",
        "cannot": "not supported",
    }
]
CAME_DESCRIPTIONS = {
    "entered": "a new entry is in the calendar",
    "changed": "an entry has been altered",
    "deleted": "an entry has been taken out",
    "asks": "the assistant asks whether its suggestion is right",
    "offers": "the user has to pick one of several",
    "nothing": "the calendar has no such event",
    "cannot": "the assistant has no way to do this",
}
CAME_ASKS = [
    "What came of the request?",
    "Status after the last reply",
    "Result of the last message",
    "How did it end?",
]


def text_of(turn, who):
    return rows.plain(turn[f"{who}_utterance"]["original_text"].replace("__BREAK", " "))


def talk_of(turns, rnd):
    """The lines of a talk, as many of the last ones as are short enough together, and the marks of both."""
    names, lines = rnd.choice(SPEAKERS), []
    for turn in turns:
        lines += [f"{names[0]}: {text_of(turn, 'user')}", f"{names[1]}: {text_of(turn, 'agent')}"]
    return lines


def short(lines):
    while len(lines) > 1 and sum(len(line.split()) for line in lines) > MOST_WORDS:
        lines = lines[1:]
    return "\n".join(lines)


def kind_of(turn):
    program, said = rows.plain(turn["lispress"]), text_of(turn, "user")
    kind = next((name for name, like in KINDS.items() if re.match(like, program)), None)
    if kind == "create" and OTHERWISE.search(said):
        return None, program
    return kind, program


def details(kind, program, said, pools, rnd):
    """Questions about name, place and guests of a new event."""
    for part, like in PARTS.items():
        values = list(dict.fromkeys(re.findall(like, program)))
        if part == "guest" and re.search("FindManager|FindReports|FindTeam", program):
            continue
        right = values[0] if len(values) == 1 and said.lower().count(values[0].lower()) == 1 else None
        absent = not values and part == "place" and not PLACED.search(said)
        if right and len(right) > 1 and rnd.random() < 0.75:
            at = said.lower().index(right.lower())
            quote = said[at : at + len(right)]
            if rnd.random() < 0.5:
                yield {"type": "extract", "instructions": rnd.choice(DETAILS[part])}, quote
            else:
                other = rnd.choice(pools[part])
                holds = rnd.random() < 0.5 or other.lower() in said.lower()
                shown = quote if holds else other
                yield rows.claim(IS[part], holds, rnd, said=shown if part == "place" else rows.begun(shown))
        elif absent and rnd.random() < 0.25:
            yield {"type": "extract", "instructions": rnd.choice(DETAILS[part])}, None


def asked(turns, n, pools, surplus, rnd):
    """The nth message of a talk: what is wanted; None where that is not clear."""
    kind, program = kind_of(turns[n])
    said = text_of(turns[n], "user")
    if kind is None or turns[n]["skip"] or rnd.random() > KEPT.get(kind, 1) or (kind not in ALONE and n == 0):
        return None
    if kind in ("confirm", "reject") and not SUGGESTED.search(text_of(turns[n - 1], "agent")):
        return None
    made = []
    if kind == "create" and rnd.random() < 0.9:
        made = list(details(kind, program, said, pools, rnd))[:2]
    truths = {one: one == kind for one in KINDS if one not in UNSURE.get(kind, ())}
    made += one_of_kinds.claims(truths, SAID, rnd.choice([1, 2]) if len(made) < 2 else 1, surplus, rnd)
    if not made or rnd.random() < 0.45:
        names = [{k: v for k, v in one.items() if k not in UNSURE.get(kind, ())} for one in NAMES]
        made.append(one_of_kinds.choice(kind, names, ASKS, rnd, (), 7, DESCRIPTIONS))
    rnd.shuffle(made)
    if kind == "create" and not BIDS.search(said):
        return None
    if kind in ALONE and (n == 0 or rnd.random() < 0.5) and len(said.split()) > 2:
        return {"message": said} if rnd.random() < 0.2 else said, made
    if n == 0:
        return None
    return short(talk_of(turns[max(0, n - rnd.randint(1, 4)) : n + 1], rnd)[:-1]), made


def reply(turns, n, surplus, rnd):
    """A talk up to the nth reply, and what came of it."""
    said = turns[n]["agent_utterance"]["original_text"]
    kind = next((name for name, like in REPLIES.items() if re.match(like, said)), None)
    if kind is None or "__BREAK" in said or rnd.random() > {"entered": 0.4, "asks": 0.4, "offers": 0.6}.get(kind, 1):
        return None
    truths = {one: one == kind for one in ("entered", "asks", "offers", "nothing", "cannot")}
    if kind != "nothing":  # a search without result may have been all that was asked for
        truths["done"] = kind in ("entered", "changed", "deleted")
    made = list(one_of_kinds.claims(truths, CAME, rnd.choice([1, 2]), surplus, rnd))
    if not made or rnd.random() < 0.5:
        made.append(one_of_kinds.choice(kind, CAME_NAMES, CAME_ASKS, rnd, (), 6, CAME_DESCRIPTIONS))
    return short(talk_of(turns[max(0, n - rnd.randint(0, 3)) : n + 1], rnd)), made


def read(show, rnd):
    with zipfile.ZipFile(io.BytesIO(show(PATH, text=False))) as archive:
        lines = archive.read("valid.dataflow_dialogues.jsonl").decode().splitlines()
    talks = [json.loads(line)["turns"] for line in lines]
    programs = " ".join(rows.plain(turn["lispress"]) for turns in talks for turn in turns)
    pools = {part: sorted(set(re.findall(like, programs))) for part, like in PARTS.items()}
    surplus, made = collections.Counter(), collections.defaultdict(list)
    for turns in talks:
        for n in range(len(turns)):
            made["asked"].append(asked(turns, n, pools, surplus, rnd))
            made["replies"].append(reply(turns, n, surplus, rnd))
    for source, some in made.items():
        some = [one for one in some if one]
        rnd.shuffle(some)
        for count, (state, questions) in enumerate(some[: MOST[source]]):
            yield rows.row(f"appointments-{source}-{count:05d}", "appointments", LICENCE, state, questions)
