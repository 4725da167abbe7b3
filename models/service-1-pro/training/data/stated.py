"""Rows of one to three plain sentences: python -m data.stated OUT [rows]

What is so and what is not, in the words of the question: "The order has not been paid." So begins whoever tries an
engine, and a model that knows how texts mostly go takes the order as paid. Also what changed from one thing to
another, who beat whom, from where to where, and who is left out. Made from the lists below.
"""

import json
import random
import re
import sys

# Things, and what may be so of them: "+" before what is done to them, "/" before what they are when it is not so.
THINGS = [
    (
        "the order | the parcel | order 4471 | your shipment | the package | the replacement | the second box",
        "+shipped | +delivered | +packed | +cancelled | +returned | +received | +insured | damaged/undamaged | late",
    ),
    (
        "the invoice | the bill | the rent | the deposit | invoice 2026-118 | the last instalment | the fine | the fee",
        "+paid/unpaid | +sent | +approved | +refunded | +booked | +overdue | +disputed/undisputed | +checked/unchecked",
    ),
    (
        "the server | the pump | the lift | the printer | the heating | the camera | the alarm | the router | the fan",
        "running | on/off | broken | +repaired | +replaced | online/offline | ready | hot | loud | +locked/unlocked",
    ),
    (
        "the door | the gate | the window | the shop | the pool | the office | the bridge | the front entrance",
        "open/closed | +locked/unlocked | +guarded/unguarded | +painted | +lit/unlit | crowded | safe/unsafe",
    ),
    (
        "the contract | the form | the report | the application | the visa | the permit | the offer | the lease",
        "+signed/unsigned | valid/invalid | complete/incomplete | +approved | +rejected | +accepted | +read/unread | "
        "+translated | legal/illegal",
    ),
    (
        "the deployment | the test | the build | the backup | the upload | the migration | the nightly job | the scan",
        "successful/unsuccessful | +scheduled | +logged | +announced | slow | +observed/unobserved",
    ),
    (
        "the ticket | the incident | the bug | issue 212 | the complaint | the request | the alert | the case",
        "open/closed | +solved/unsolved | +assigned/unassigned | +reported | +acknowledged | urgent",
    ),
    (
        "the room | the table | the seat | the hall | the flat | room 12 | the parking space | the meeting room",
        "free/taken | +booked | +cleaned | available/unavailable | +heated/unheated | clean/dirty",
    ),
    (
        "Mrs Ortega | Anna | the patient | the tenant | my brother | the driver | Tomasz | Dr. Hale",
        "at home | ill | +insured/uninsured | +vaccinated/unvaccinated | married/unmarried | awake/asleep | +invited | "
        "happy/unhappy | +informed | satisfied/dissatisfied | present/absent | employed/unemployed | able to walk",
    ),
    (
        "the file | the account | the password | the photo | the comment | the user's profile | the backup copy",
        "+deleted | +changed/unchanged | active/inactive | +encrypted/unencrypted | public/private | +shared",
    ),
    (
        "the meeting | the flight | the match | the concert | the appointment | the lesson | the 9:40 train",
        "+cancelled | +confirmed/unconfirmed | +moved | delayed | free of charge | +over | +booked out",
    ),
]
NOT_DONE = {"late", "+overdue", "+over", "+booked out"}  # of these nothing is said by "has been"
SO = [
    "{S} is {p}.",
    "{S} is {p}.",
    "{S} is now {p}.",
    "Yes, {s} is {p}.",
    "{S} is {p} again.",
    "As of today {s} is {p}.",
]
NOT_SO = [
    "{S} is not {p}.",
    "{S} isn't {p}.",
    "{S} is not {p}.",
    "{S} is no longer {p}.",
    "{S} isn't {p} any more.",
    "{S} is not {p} yet.",
    "No, {s} isn't {p}.",
    "It is not true that {s} is {p}.",
]
INSTEAD = ["{S} is {o}.", "{S} is now {o}.", "{S} is still {o}."]
DONE = [
    "{S} has been {p}.",
    "{S} has already been {p}.",
    "{S} was {p} yesterday.",
    "{S} is {p}.",
    "We have {p} {s}.",
    "They've {p} {s}.",
    "Somebody has {p} {s}.",
]
NOT_DONE_YET = [
    "{S} has not been {p}.",
    "{S} hasn't been {p}.",
    "{S} has not been {p} yet.",
    "{S} still hasn't been {p}.",
    "{S} was never {p}.",
    "{S} is not {p}.",
    "{S} has yet to be {p}.",
    "{S} still has to be {p}.",
    "Nobody has {p} {s}.",
    "No one has {p} {s} yet.",
    "We have not {p} {s}.",
    "{S} should have been {p}, but was not.",
]
ASK_SO = ["{S} is {p}.", "{S} is {p}.", "Is {s} {p}?", "{p}", "is_{k}", "It is true that {s} is {p}."]
ASK_NOT_SO = ["{S} is not {p}.", "{S} isn't {p}.", "not {p}", "{S} is anything but {p}.", "not_{k}"]
ASK_DONE = ["{S} has been {p}.", "{S} has been {p}.", "{S} is {p}.", "Has {s} been {p}?", "Was {s} {p}?", "{p}", "{k}"]
ASK_NOT_DONE = ["{S} has not been {p}.", "{S} hasn't been {p}.", "{S} is not {p}.", "Nobody has {p} {s}.", "not {p}"]

WHO = "Anna | Mr Okoro | the customer | the tenant | Lena | the driver | our neighbour | Pavel | the student | Dr. Hale"
# What somebody does: the verb, its past, its participle, what goes with it.
DEEDS = [
    [part.strip() for part in deed.split(",")]
    for deed in """reply, replied, replied, | pay, paid, paid, the fee | sign, signed, signed, the contract
    arrive, arrived, arrived, | pass, passed, passed, the exam | accept, accepted, accepted, the offer
    attend, attended, attended, the meeting | send, sent, sent, the form | read, read, read, the terms
    agree, agreed, agreed, to the change | apologise, apologised, apologised, | leave, left, left, the company
    lock, locked, locked, the door | take, took, taken, the medicine | receive, received, received, the parcel
    win, won, won, the match | find, found, found, the keys | vote, voted, voted,
    finish, finished, finished, the report
    register, registered, registered, for the course | renew, renewed, renewed, the licence
    cancel, cancelled, cancelled, the appointment | eat, ate, eaten, breakfast | return, returned, returned, the book
    confirm, confirmed, confirmed, the booking | answer, answered, answered, the phone | call, called, called,
    complain, complained, complained, | order, ordered, ordered, dessert | see, saw, seen, the doctor
    buy, bought, bought, the tickets | sleep, slept, slept, | break, broke, broken, the vase""".replace(
        "\n", " | "
    ).split(" | ")
]
DID = ["{S} has {n}{r}.", "{S} {t}{r}.", "{S} has already {n}{r}.", "{S} did {v}{r}.", "Yesterday {s} {t}{r}."]
DID_NOT = [
    "{S} has not {n}{r}.",
    "{S} hasn't {n}{r}.",
    "{S} did not {v}{r}.",
    "{S} didn't {v}{r}.",
    "{S} never {t}{r}.",
    "{S} has not {n}{r} yet.",
    "{S} has yet to {v}{r}.",
    "{S} still hasn't {n}{r}.",
    "{S} wanted to {v}{r}, but didn't.",
]
ASK_DID = ["{S} has {n}{r}.", "{S} {t}{r}.", "Did {s} {v}{r}?", "Has {s} {n}{r}?", "It is true that {s} {t}{r}."]
ASK_DID_NOT = ["{S} has not {n}{r}.", "{S} did not {v}{r}.", "{S} didn't {v}{r}.", "{S} hasn't {n}{r}."]

BEFORE = "Hello, | Quick update: | Hi team, | For your information: | Note: | Good morning. | PS:".split(" | ")
BEHIND = "Thanks for your patience. | More tomorrow. | Best wishes, M. | Let me know. | See you on Friday.".split(" | ")
SAYS_NOTHING = ["not said", "unknown", "it does not say", "unclear"]

DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
PLACES = "Berlin Paris Oslo Lyon Madrid Leeds Porto Vienna Dublin Turin Gdansk Malmo".split()
TEAMS = "Spain Italy Norway Japan Ghana Chile Rovers United Anna Marko Ines Yusuf".split()
EVENTS = "the meeting | the delivery | the match | the exam | the inspection | the call | the party".split(" | ")
MOVED = [
    "{S} was moved from {a} to {b}.",
    "{S} has been postponed from {a} to {b}.",
    "{S} is on {b} now, not on {a}.",
    "{S} takes place on {b} instead of {a}.",
    "{S} was to be on {a}, but now it is on {b}.",
    "Instead of {a}, {s} will be on {b}.",
    "{S} is no longer on {a} but on {b}.",
]
BEAT = [
    "{a} beat {b} 2-1.",
    "{b} lost to {a}.",
    "{a} won against {b}.",
    "{b} was beaten by {a} in the final.",
    "{a} defeated {b} after extra time.",
    "{b} could not win against {a}, who took the match 3-0.",
]
WENT = [
    "Flight {n} from {a} to {b} departs at 9:40.",
    "The train to {b} leaves {a} at noon.",
    "We drove from {a} to {b} yesterday.",
    "{a} to {b}, one way, two adults.",
    "She left {a} and arrived in {b} in the evening.",
    "The parcel goes to {b}; it was posted in {a}.",
]
LEFT_OUT = [
    "Everyone but {a} has {n}{r}.",
    "All of them have {n}{r} except {a}.",
    "{a} is the only one who has not {n}{r}.",
    "{b} and {c} have {n}{r}, {a} has not.",
]


def listed(text):
    return [part.strip() for part in text.split("|")]


def capital(text):
    return text[0].upper() + text[1:]


class Fact:
    """Something that is so or not so, and how it is said and asked."""

    def __init__(self, is_so, so, not_so, ask, ask_not, words, labels):
        self.is_so, self.words, self.labels = is_so, words, labels
        self.said = so if is_so else not_so
        self.asked = {True: ask, False: ask_not}

    def fill(self, form):
        return form.format(**self.words)

    def claim(self, affirms, is_alone, rng):
        """A claim that it is so or that it is not, and whether it holds; with its subject unless there is one alone."""
        forms = [form for form in self.asked[affirms] if is_alone or re.search(r"\{[sS]\}", form)]
        return self.fill(rng.choice(forms)), affirms == self.is_so


def state_of(subject, word, is_so):
    """That a thing is so, or that something was done to it."""
    done, (name, _, other) = word.startswith("+"), word.lstrip("+").partition("/")
    passive = done and word not in NOT_DONE
    words = {"s": subject, "S": capital(subject), "p": name, "k": name.replace(" ", "_"), "o": other}
    instead = INSTEAD if other else []
    if passive:
        return Fact(is_so, DONE, NOT_DONE_YET + instead, ASK_DONE, ASK_NOT_DONE, words, (name, other or f"not {name}"))
    ask_not = [*ASK_NOT_SO, "{S} is {o}."] if other else ASK_NOT_SO
    return Fact(is_so, SO, NOT_SO + instead, ASK_SO, ask_not, words, (name, other or f"not {name}"))


def deed_of(subject, deed, is_so):
    verb, past, participle, rest = deed
    words = {
        "s": subject,
        "S": capital(subject),
        "v": verb,
        "t": past,
        "n": participle,
        "r": f" {rest}" if rest else "",
    }
    return Fact(is_so, DID, DID_NOT, ASK_DID, ASK_DID_NOT, words, None)


def facts(rng):
    """One to three facts; two things that one is so of and the other is not, every third time."""
    if rng.random() < 0.3:
        deeds, names = rng.sample(DEEDS, 3), rng.sample(listed(WHO), 3)
        return [deed_of(name, one, rng.random() < 0.5) for name, one in zip(names, deeds, strict=True)][
            : rng.randint(1, 3)
        ]
    things, words = map(listed, rng.choice(THINGS))
    if rng.random() < 0.35:
        one, other = rng.sample(things, 2)
        word, is_so = rng.choice(words), rng.random() < 0.5
        return [state_of(one, word, is_so), state_of(other, word, not is_so)]
    subject = rng.choice(things)
    return [state_of(subject, word, rng.random() < 0.5) for word in rng.sample(words, rng.choice((1, 1, 2, 2, 3)))]


def text_of(every, rng):
    """The facts as sentences, two of them sometimes as one."""
    said = [fact.fill(rng.choice(fact.said)) for fact in every]
    if len(said) == 2 and rng.random() < 0.4:
        same = every[0].is_so == every[1].is_so
        names = every[1].words["S"].split()[0] in ("Anna", "Mr", "Mrs", "Dr.", "Lena", "Pavel", "Tomasz")
        second = said[1] if names or said[1].startswith(("It is", "No,", "Yes,")) else said[1][0].lower() + said[1][1:]
        said = [f"{said[0][:-1]}{' and' if same else ', but'} {second}"]
    if rng.random() < 0.25:
        said.insert(0, rng.choice(BEFORE))
    if rng.random() < 0.25:
        said.append(rng.choice(BEHIND))
    text = " ".join(said)
    return text.lower().rstrip(".") if rng.random() < 0.08 else text


def asked_of(every, rng):
    """(question, its words, answer) of facts."""
    is_alone = len({fact.words["s"] for fact in every}) == 1
    for fact in every:
        for affirms in rng.sample((True, False), 2 if len(every) < 3 else 1):
            yield {"type": "noul"}, *fact.claim(affirms, is_alone, rng)
        if rng.random() < 0.45:
            options = list(fact.labels or ("yes", "no"))
            asked = fact.fill(next(form for form in fact.asked[True] if form.endswith("?")))
            if rng.random() < 0.4 or not fact.labels:
                options = ["yes", "no"]
            answer = options[0 if fact.is_so else 1]
            if rng.random() < 0.3:
                options.append(rng.choice(SAYS_NOTHING))
            rng.shuffle(options)
            yield {"type": "choice", "criteria": options}, asked, answer
    if len(every) == 2 and every[0].words.get("p") == every[1].words.get("p") and every[0].labels:
        names, affirms = [fact.words["s"] for fact in every], rng.random() < 0.6
        right = next(fact.words["s"] for fact in every if fact.is_so == affirms)
        ask = f"Which is {'' if affirms else 'not '}{every[0].words['p']}?"
        yield {"type": "choice", "criteria": rng.sample(names, 2)}, ask, right


def moved(rng):
    a, b, c = rng.sample(DAYS, 3)
    event = rng.choice(EVENTS)
    text = rng.choice(MOVED).format(a=a, b=b, s=event, S=capital(event))
    return text, [
        ({"type": "noul"}, f"{capital(event)} is on {b}.", True),
        ({"type": "noul"}, f"{capital(event)} is on {rng.choice((a, c))}.", False),
        ({"type": "choice", "criteria": rng.sample((a, b, c), 3)}, f"When is {event}?", b),
        ({"type": "choice", "criteria": rng.sample((a, b), 2)}, f"When was {event} planned before?", a),
        ({"type": "extract"}, f"Day of {event}", b),
    ]


def beat(rng):
    a, b = rng.sample(TEAMS, 2)
    one = rng.choice((a, b))
    return rng.choice(BEAT).format(a=a, b=b), [
        ({"type": "noul"}, f"{a} won.", True),
        ({"type": "noul"}, f"{b} won.", False),
        ({"type": "noul"}, f"{one} lost.", one == b),
        ({"type": "choice", "criteria": rng.sample((a, b), 2)}, "Who won?", a),
        ({"type": "choice", "criteria": rng.sample((a, b), 2)}, "Who lost?", b),
        ({"type": "extract"}, "Winner", a),
    ]


def went(rng):
    a, b, c = rng.sample(PLACES, 3)
    return rng.choice(WENT).format(a=a, b=b, n=f"LH{rng.randint(100, 999)}"), [
        ({"type": "extract"}, rng.choice(("From where?", "Place of departure", "origin", "Where does it start?")), a),
        ({"type": "extract"}, rng.choice(("Where to?", "Destination", "To which city?", "Where does it end?")), b),
        ({"type": "noul"}, rng.choice((f"The destination is {b}.", f"It starts in {a}.")), True),
        ({"type": "noul"}, rng.choice((f"The destination is {a}.", f"It starts in {b}.", f"It goes to {c}.")), False),
        ({"type": "choice", "criteria": rng.sample((a, b, c), 3)}, "Where does it go?", b),
    ]


def left_out(rng):
    a, b, c = rng.sample(listed("Anna | Lena | Pavel | Ines | Marko | Yusuf | Ruth | Tom"), 3)
    verb, _, participle, rest = rng.choice(DEEDS)
    tail = f" {rest}" if rest else ""
    form = rng.choice(LEFT_OUT)
    return form.format(a=a, b=b, c=c, n=participle, r=tail), [
        ({"type": "noul"}, f"{a} has {participle}{tail}.", False),
        ({"type": "noul"}, f"{a} has not {participle}{tail}.", True),
        ({"type": "noul"}, f"{b if '{b}' in form else 'Nobody'} has {participle}{tail}.", "{b}" in form),
        ({"type": "choice", "criteria": rng.sample((a, b, c), 3)}, f"Who has not {participle}{tail}?", a),
        ({"type": "extract"}, f"Who did not {verb}{tail}?", a),
    ]


def row(index, rng):
    if rng.random() < 0.7:
        every = facts(rng)
        state, asked = text_of(every, rng), list(asked_of(every, rng))
        done = [fact for fact in every if "p" in fact.words]
        if len(done) == len(every) and len({fact.words["s"] for fact in done}) == 1 and rng.random() < 0.2:
            state = {fact.words["k"]: fact.is_so for fact in done}
            if rng.random() < 0.6:
                state = {done[0].words["s"].removeprefix("the "): state}
    else:
        state, asked = rng.choice((moved, beat, went, left_out))(rng)
        asked = rng.sample(asked, rng.randint(3, len(asked)))
    questions, truth = {}, {}
    for number, (question, ask, answer) in enumerate(asked):
        questions[f"q{number}"] = {**question, "instructions": ask}
        truth[f"q{number}"] = answer
    return {
        "id": f"stated-{index:06d}",
        "source": "stated",
        "task": "stated",
        "licence": "Apache-2.0",
        "state": state,
        "questions": questions,
        "truth": truth,
    }


def main(out, count=9000):
    rng = random.Random(83)
    with open(out, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row(index, rng)) + "\n" for index in range(int(count)))


if __name__ == "__main__":
    main(*sys.argv[1:3])
