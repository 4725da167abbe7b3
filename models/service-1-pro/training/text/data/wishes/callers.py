"""PolyAI-LDN/task-specific-datasets (NLU++ alone; its other sets are kept for measuring): what people say who call a
bank or a hotel, with all that is in it at once, and the values that they name (Casanueva and others, 2022; CC BY 4.0).
"""

import collections
import json
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "PolyAI-LDN/task-specific-datasets"
FILES = {kind: [f"nlupp/data/{kind}/fold{n}.json" for n in range(20)] for kind in ("banking", "hotels")}
LICENCE = "CC BY 4.0"
MOST_WORDS, MOST_QUESTIONS = 60, 4
# What it is about: how it is called, and words with which nobody can be sure that it is not meant.
TOPICS = {
    "banking": {
        "card": ("a bank card", "card|visa|master|plastic"),
        "account": ("an account", "account|saving|isa|current|top|money|pay|paid|trans|depos|withdr|balance|card|fund"),
        "savings": ("a savings account", "saving|isa|account"),
        "current": ("a current account", "current|account"),
        "business": ("a business account", "business|company|firm|account"),
        "contactless": ("contactless payment", "contactless|tap|pay"),
        "international": (
            "something abroad or in another currency",
            r"abroad|inter|over|foreign|countr|currenc|euro|dollar|pound|[$€£]|travel|trip|eu\b|world|\b(?:in|to) ",
        ),
        "transfer_payment_deposit": (
            "a payment or a transfer",
            r"pay|paid|trans|sen[dt]|spen[dt]|depos|top|mov|money|fund|purch|charg|buy|bought|cash|[$€£]|pound|euro|dollar"
            "|debit|order|withdr|cheque|amount|shop|cost|income|expens|it|that|this",
        ),
        "appointment": ("an appointment", "appoint|meet|see|slot|visit|sched|book|branch|come|time"),
        "balance": ("the balance of an account", "balance|how much|left|sum|broke|money|have|total|account"),
        "cheque": ("a cheque", "che(?:que|ck)"),
        "direct_debit": ("a direct debit", "debit|regular|monthly"),
        "standing_order": ("a standing order", "standing|order|regular|monthly"),
        "fees_interests": ("fees or interest", "fee|interest|rate|charg|cost|free|price|pay|much|expens"),
        "loan": ("a loan", "loan|borrow|mortgage|credit|lend"),
        "mortgage": ("a mortgage", "mortgage|loan|house|home"),
        "overdraft": ("an overdraft", "overd|limit|minus"),
        "withdrawal": ("taking out cash", "withdr|cash|atm|tak|money|out"),
        "pin": ("a PIN", "pin|code|number|password"),
        "limits": ("a limit", "limit|max|most|up to|how|than|latest|extend|increas"),
        "refund": ("getting money back", "refund|back|reimb|return|revers|revert|claim"),
    },
    "hotels": {
        "check_in": ("checking in", "check|arriv|com|in"),
        "check_out": ("checking out", "check|leav|out|depart|until|stay"),
        "restaurant": ("the restaurant", "restaur|table|dinner|lunch|breakf|food|eat|meal|menu|reserv|book|people"),
        "swimming_pool": ("the swimming pool", "pool|swim"),
        "parking": ("parking", "park|car|garage|vehicle|drive"),
        "pets": ("an animal", "pet|dog|cat|animal|bird|bring|puppy|com|with|my"),
        "wifi": ("the wireless internet", "wi-?fi|internet|wireless|connect|network|online"),
        "gym": ("the gym", "gym|fit|train|work|exerc|sport"),
        "spa": ("the spa", "spa|massag|treat|saun|icur|sess|facial|beaut|hair|nail|book|appoint|relax"),
        "room_service": ("room service", "room|food|order|eat|serv|bring|send|deliver"),
        "housekeeping": ("the cleaning of rooms", "clean|mess|dirty|house|towel|room|sheet"),
        "accesibility": ("access for people with a disability", "acces|wheel|disab|mobil|lift|stairs|adapt"),
        "booking": (
            "a booking",
            r"book|reserv|room|table|night|stay|guest|adult|kid|child|people|person|\d|it|us|me|i\b",
        ),
        "refund": ("getting money back", "refund|back|reimb|return|revers|claim|cancel"),
    },
}
TOPIC_SAID = {
    kind: one_of_kinds.said_of(
        {name: {"it": words, "It": rows.begun(words)} for name, (words, _) in topics.items()},
        ["The message has to do with {it}.", "{It} comes up in the message.", "Is the message about {it}?"],
        ["The message is not about {it}.", "{It} plays no part here.", "Nothing is said about {it}."],
    )
    for kind, topics in TOPICS.items()
}
# What is done: words without which it is not sure, and words with which it is not sure that it is not done.
ACTS = {
    "affirm": (
        r"\byes|yeah|yep|indeed|correct|right|sure|exact|course|absolut",
        "y|ok|ri|co|su|in|ex|fi|go|gr|pl|tr|aw|pe|wi|th|le|do|a|ni",
    ),
    "deny": (r"\bno\b|\bnot\b|nope|nah|n't", r"\bno|n'?t\b|never|wrong|with|nah|instead|but"),
    "dont_know": (r"", "know|idea|rem|forg|sure|clue|guess|recall|think|n't|may|wh|how"),
    "thank": (r"", "thank|cheers|apprec|great|help"),
    "greet": (r"", "hello|hi|hey|good|greet|morning|evening"),
    "end_call": (
        r"bye|see you|that's all|ciao|adios|good one|nothing",
        "bye|see|all|later|cheers|done|day|go|stop|end|noth|have",
    ),
    "handoff": (r"", "person|human|agent|some|talk|speak|manag|operat|staff|real|rece|advis|desk|clean|work"),
    "repeat": (r"", "repeat|again|say|pardon|sorry|what|hear|said"),
    "lost_stolen": (
        r"lost|lose|stol|steal|find|missing|gone|theft",
        "lost|lose|stol|steal|find|miss|gone|left|theft|where|took",
    ),
    "cancel_close_leave_freeze": (
        r"",
        "cancel|clos|freez|stop|block|drop|rem|delet|rev|leav|end|cut|not|without|lost|out|n't|rid|quit|back|call",
    ),
    "change": (
        r"chang(?!ed|ing back)|amend|updat|modif|increas|decreas|resched|delay|alter|edit|rais|upgrad|move|extend",
        r"chang|amend|up|mod|creas|sched|mov|delay|alter|edit|rais|low|ext|add|more|corr|wrong|inst|cancel|make|put|set|one"
        "|want|less|later|earl|actual",
    ),
    "wrong_notworking_notshowing": (
        r"",
        r"n't|n?t\b|no|never|still|wrong|prob|issue|fail|declin|rej|pend|brok|miss|err|dirt|late|lost|block|why|where|mess|back"
        "|ill|unab|yet|wait|only|revert|fix|help|bad|supposed",
    ),
    "when": (r"when|time", "when|time|long|until|date|day|how|soon|late|expect|still|yet|wait"),
    "why": (r"why|reason|explain|explan|how come", "why|how|wh|expl|reason|wrong"),
    "how_long": (r"", "long|time|when|durat|wait|take|until"),
    "how_much": (
        r"how (?:much|many)|price|cost|balance|rate\b",
        "how|wh|spen[dt]|balance|cost|price|rate|limit|expens|show|amount|tell|total|free|fee|pay|charg|more|less|bill|sum",
    ),
}
ACT_SAID = one_of_kinds.written(
    {
        "affirm": (
            ["The caller says yes to something.", "The caller agrees or confirms."],
            ["The caller does not confirm anything.", "There is no yes in this.", "The caller agrees to nothing here."],
        ),
        "deny": (
            ["The caller says no to something.", "Something is denied or turned down.", "The caller contradicts."],
            ["The caller denies nothing.", "There is no refusal in this."],
        ),
        "dont_know": (
            ["The caller does not know or remember something.", "The caller is unsure about a fact."],
            ["The caller does not claim to have forgotten anything.", "No lack of knowledge is admitted."],
        ),
        "thank": (
            ["The caller says thanks.", "Gratitude is expressed.", "Is there a word of thanks?"],
            ["The caller does not thank anybody.", "No thanks are given."],
        ),
        "greet": (
            ["The message contains a greeting.", "The caller says hello."],
            [
                "There is no greeting in the message.",
                "The caller gets to the point without a hello.",
                "Nobody is greeted.",
            ],
        ),
        "end_call": (
            ["The caller says goodbye.", "The caller wants to end the conversation."],
            ["The caller does not take leave.", "The call is not over yet.", "There is no goodbye in this."],
        ),
        "handoff": (
            [
                "The caller wants to talk to somebody else.",
                "The call should be passed on to a person.",
                "Escalate to a human.",
            ],
            ["The caller does not ask for another person to talk to.", "No handover to a colleague is asked for."],
        ),
        "repeat": (
            ["The caller asks to hear something again.", "Something has to be repeated for the caller."],
            [
                "The caller does not ask for a repetition.",
                "Nothing has to be said again.",
                "No repetition is asked for.",
            ],
        ),
        "lost_stolen": (
            [
                "Something has been lost or stolen.",
                "The caller misses something that is theirs.",
                "A loss or theft is reported.",
            ],
            ["No loss or theft is mentioned.", "Nothing has gone missing."],
        ),
        "cancel_close_leave_freeze": (
            [
                "The caller speaks of cancelling, closing or blocking something.",
                "Something has been ended, or is to be.",
            ],
            [
                "Nothing is said about cancelling or closing.",
                "No cancellation is involved.",
                "Nothing is ended or blocked.",
            ],
        ),
        "change": (
            ["The caller wants something to be different from what it is now.", "It is about changing something."],
            [
                "No change to anything is asked for.",
                "The caller does not want to alter anything.",
                "Nothing has to be updated.",
            ],
        ),
        "wrong_notworking_notshowing": (
            ["The caller reports a problem.", "Something is not as it should be.", "Something does not work."],
            ["The caller has no trouble to report.", "No problem is mentioned.", "Nothing is said to be wrong."],
        ),
        "when": (
            ["The caller wants to know when something happens.", "A date or a time of day is asked for."],
            [
                "The caller does not ask when something happens.",
                "No date or time is asked for.",
                "The caller asks for no deadline.",
            ],
        ),
        "why": (
            ["The caller asks for a reason.", "An explanation is wanted.", "The caller wants to know why."],
            ["The caller does not ask for reasons.", "No explanation is asked for."],
        ),
        "how_long": (
            ["The caller wants to know how long something takes.", "A duration is asked for."],
            [
                "The caller does not ask how long something takes.",
                "No duration is asked for.",
                "The caller asks nothing about waiting times.",
            ],
        ),
        "how_much": (
            ["An amount or a price is asked for.", "The caller wants to know how much or how many."],
            [
                "The caller does not ask about an amount.",
                "No price or sum is asked for.",
                "The caller asks for no figure.",
            ],
        ),
    }
)
SEVERAL = [
    "What does the message touch on?",
    "Which of these come up?",
    "Topics of the message",
    "Mark all that it is about.",
]
ONE = ["What is the message about?", "Route the call.", "Topic", "Which of these fits the message?"]
QUOTES = {
    "date": ["The date", "Which day is named?", "Copy the day that is mentioned."],
    "date_from": ["The day on which it begins", "From when?", "First day of the period"],
    "date_to": ["The day on which it ends", "Until when?", "Last day of the period"],
    "date_period": ["The period of time", "Which period is meant?", "For how long, or which span of time?"],
    "time": ["The time of day", "At what time?", "Copy the time that is named."],
    "amount_of_money": ["The amount of money", "How much money?", "Which sum is mentioned?"],
    "person_name": ["The name of the person", "Which person is named?", "Copy the name of the person."],
    "company_name": ["The shop or company", "Which company is named?", "With what business?"],
}
LACKS = {
    "date": r"\d|day|morrow|week|month|night|morning|evening|noon|year|now|today|end|"
    + "|".join("jan feb mar apr may jun jul aug sep oct nov dec".split()),
    "time": r"\d|morning|evening|noon|night|now|"
    + "|".join("one two three four five six seven eight nine ten".split()),
    "amount_of_money": r"\d|[$€£]|pound|euro|dollar|hundred|thousand",
}
COUNTS = {
    "adults": ["How many adults?", "Number of grown-ups", "The number of adults"],
    "kids": ["How many children?", "Number of kids", "The number of children"],
    "people": ["For how many people?", "Number of people", "The size of the group"],
}
MORE_THAN = [
    ("There are more than {n} {who}.", 1),
    ("At least {m} {who} are mentioned.", 1),
    ("More {who} than {n} are expected.", 1),
    ("There are {n} {who} at most.", -1),
    ("Fewer than {m} {who} are mentioned.", -1),
]


def truths_of(text, intents, kind):
    """What is surely so and surely not of topics, and of acts."""
    topics, acts = {}, {}
    for name, (_, near) in TOPICS[kind].items():
        if name in intents:
            topics[name] = True
        elif not re.search(near, text, re.I):
            topics[name] = False
    for name, (shows, near) in ACTS.items():
        if name in intents and re.search(shows, text, re.I):
            acts[name] = True
        elif name not in intents and not re.search(rf"\b(?:{near})|n't", text, re.I):
            acts[name] = False
    return topics, acts


def values(text, slots, rnd):
    """Questions about what is named: quotes, numbers, and what is not there."""
    dates = [name for name in slots if name.startswith("date")]
    for name, one in slots.items():
        said = one["text"]
        if name in QUOTES and text.count(said) == 1 and len(said) > 1 and (name != "date" or len(dates) == 1):
            yield {"type": "extract", "instructions": rnd.choice(QUOTES[name])}, said
        elif name in COUNTS and isinstance(one.get("value"), int) and one["value"]:
            count = one["value"]
            if rnd.random() < 0.6:
                yield {"type": "fill", "kind": "int", "instructions": rnd.choice(COUNTS[name])}, count
            else:
                claim, sign = rnd.choice(MORE_THAN)
                n = count - 1 if count > 1 and rnd.random() < 0.6 else count + rnd.choice([0, 0, 1])
                who = {"kids": "children"}.get(name, name)
                yield {"type": "noul", "instructions": claim.format(n=n, m=n + 1, who=who)}, (count > n) == (sign > 0)
    for name, near in LACKS.items():
        if name not in slots and rnd.random() < 0.06 and not re.search(near, text, re.I):
            yield {"type": "extract", "instructions": rnd.choice(QUOTES[name])}, None


def topic_choice(kind, topics, rnd):
    """Which topics of several, or the only one of some."""
    names = {name: words for name, (words, _) in TOPICS[kind].items()}
    right, wrong = ([one for one, so in topics.items() if so is which] for which in (True, False))
    wrong = rnd.sample(wrong, min(len(wrong), rnd.randint(2, 4)))
    if not right or len(wrong) < 2:
        return None
    if len(right) == 1 and rnd.random() < 0.6:
        shown = rnd.sample([*right, *wrong], len(wrong) + 1)
        asked = {"type": "choice", "instructions": rnd.choice(ONE), "criteria": [names[one] for one in shown]}
        return asked, names[right[0]]
    shown = rnd.sample([*right, *wrong], len(right) + len(wrong))
    asked = {"type": "select", "instructions": rnd.choice(SEVERAL), "options": [names[one] for one in shown]}
    return asked, [names[one] for one in shown if one in right]


def claims(truths, said, what, count, surplus, rnd):
    """Claims, as many about what is so as about what is not; `surplus[what]`: how many more."""
    for _ in range(count):
        so = rnd.random() < 0.5 or surplus[what] < 0
        fitting = [name for name, is_so in truths.items() if is_so is so]
        if fitting:
            name = rnd.choice(fitting)
            made = list(one_of_kinds.claims({name: so}, said, 1, surplus, rnd))
            truths = {one: is_so for one, is_so in truths.items() if one != name}
            surplus[what] += len(made) * (1 if so else -1)
            yield from made


def row(name, kind, one, surplus, rnd):
    text = rows.plain(one["text"])
    topics, acts = truths_of(text, one.get("intents") or [], kind)
    made = list(values(text, one.get("slots") or {}, rnd))[:2]
    if rnd.random() < 0.5:
        made.append(topic_choice(kind, topics, rnd))
    made += claims(acts, ACT_SAID, "acts", rnd.choice([1, 2, 2]), surplus, rnd)
    made += claims(topics, TOPIC_SAID[kind], kind, rnd.choice([1, 1, 2]), surplus, rnd)
    made = [one for one in made if one][:MOST_QUESTIONS]
    rnd.shuffle(made)
    return rows.row(name, "calls", LICENCE, {"caller": text} if rnd.random() < 0.15 else text, made)


def read(show, rnd):
    surplus, count = collections.Counter(), 0
    for kind, paths in FILES.items():
        for path in paths:
            for one in json.loads(show(path)):
                made = row(f"callers-{count:05d}", kind, one, surplus, rnd)
                if made["questions"] and len(one["text"].split()) <= MOST_WORDS:
                    yield made
                    count += 1
