"""maastrichtlawtech/law3027-advanced-legal-analytics (CUAD): clauses of 510 contracts between companies, marked by
lawyers with what they settle, and with whose law applies, how long a contract goes on and when it can be ended
(Hendrycks and others, The Atticus Project, 2021; CC BY 4.0).

A row is a clause, or two or three of one contract as numbered sections. What the whole contract lacks, they lack, too.
"""

import ast
import collections
import csv
import io
import re

from data.shared import one_of_kinds, rows

REPOSITORY = "maastrichtlawtech/law3027-advanced-legal-analytics"
PATH = "data/CUAD_v1/master_clauses.csv"
LICENCE = "CC BY 4.0"
TIMES = 10  # rows of a contract
FEWEST_WORDS, MOST_WORDS, MOST_TOGETHER, MOST_QUOTE = 8, 110, 220, 70
# Column: name, what it is, words that such a clause holds, claims, denials.
KINDS = {
    "Governing Law": (
        "governing law",
        "which state's or country's law applies",
        r"\blaws?\b",
        [
            "The contract says which law applies.",
            "It is settled whose law governs.",
            "There is a choice-of-law clause.",
        ],
        ["It is left open whose law applies.", "Nothing is said about the governing law."],
    ),
    "Audit Rights": (
        "audit",
        "a party may inspect books, records or premises",
        r"audit|inspect|examin|books|records|access to",
        [
            "A party may inspect the other's books, records or premises.",
            "An audit is provided for.",
            "Records or facilities may be checked by the other side.",
        ],
        ["No right to audit or inspect is given.", "Nobody is allowed to look into the other's books or premises."],
    ),
    "Insurance": (
        "insurance",
        "a party has to be insured",
        r"insur",
        [
            "A party has to take out insurance.",
            "Insurance cover is required.",
            "The contract lays down how somebody has to be insured.",
        ],
        ["No insurance is asked for.", "Nobody has to be insured under this text."],
    ),
    "Anti-Assignment": (
        "assignment",
        "passing the contract on to others is restricted",
        r"assign|transfer|delegat|sublicens|sell",
        [
            "A party cannot freely hand the contract or its rights on to somebody else.",
            "Assignment is restricted.",
            "Consent or notice is needed, or it is void, if the contract is passed on.",
        ],
        ["Nothing here restricts assigning the contract.", "The text puts no limit on passing the contract to others."],
    ),
    "Renewal Term": (
        "renewal",
        "how the contract goes on after its first term",
        r"renew|exten|continu|additional|successive",
        [
            "The contract can be renewed or extended.",
            "It is settled how the contract goes on after its first term.",
            "There is a provision on renewal.",
        ],
        ["Renewal of the contract is not dealt with.", "Nothing is said on how the contract might be extended."],
    ),
    "Termination For Convenience": (
        "ending without cause",
        "a party may end the contract without a reason",
        r"terminat|cancel|withdraw|end",
        [
            "A party may end the contract without giving a reason.",
            "The contract can be terminated without the other's fault.",
            "There is a way out of the contract that needs no breach.",
        ],
        [
            "Ending the contract without cause is not provided for.",
            "The text lets nobody simply walk out of the contract.",
        ],
    ),
    "Cap On Liability": (
        "limit of liability",
        "what a party has to pay for is limited",
        r"liab|damages|loss|remed|claim",
        [
            "Liability is limited.",
            "Some damages are excluded, or there is a ceiling on them.",
            "A party does not have to answer for every loss it causes.",
        ],
        ["Liability is not limited here.", "The text puts no cap on what a party has to pay for."],
    ),
    "License Grant": (
        "licence",
        "a party is given leave to use something",
        r"licen[sc]|right to (?:use|reproduce|display|sell|market|distribute)|grant",
        [
            "A licence is granted.",
            "A party gets the right to use what belongs to the other.",
            "The text gives somebody leave to use a name, a technology or a work.",
        ],
        ["No licence is granted in this text.", "Nobody is given the right to use something of the other's."],
    ),
    "Ip Ownership Assignment": (
        "ownership of what is created",
        "inventions or works go to the other party",
        r"own|title|assign|work[s]? (?:made )?for hire|property|vest",
        [
            "What one party creates will belong to the other.",
            "Intellectual property passes from one party to the other.",
            "Rights in inventions or works are made over.",
        ],
        ["No intellectual property is made over.", "The text does not hand rights in inventions or works to anyone."],
    ),
    "Non-Compete": (
        "ban on competing",
        "a party must stay out of a market or business",
        r"compet|not .*(?:engage|sell|market|solicit|own|operate|offer|enter|carry|develop|manufactur|participat)",
        [
            "A party must not compete with the other.",
            "Somebody has to stay out of a business or a market.",
            "There is a non-compete obligation.",
        ],
        ["Nobody is kept from competing.", "The text holds no ban on competition."],
    ),
    "No-Solicit Of Employees": (
        "hiring the other's staff",
        "the other's employees must not be hired or lured away",
        r"solicit|hire|employ|entice|induce",
        [
            "The other's employees must not be lured away.",
            "Hiring the other party's staff is restricted.",
            "There is a ban on poaching workers.",
        ],
        ["Nobody is kept from hiring the other's staff.", "Poaching employees is not dealt with."],
    ),
    "Non-Disparagement": (
        "speaking ill",
        "a party must not harm the other's good name",
        r"dispar|reputation|derogat|goodwill|denigrat|detriment|image|ridicul|disrepute",
        [
            "A party must not speak ill of the other or harm its name.",
            "Remarks or acts that damage the other's reputation are ruled out.",
            "There is a duty not to disparage.",
        ],
        ["Nobody has to refrain from speaking ill of the other.", "Disparagement is not dealt with."],
    ),
    "Warranty Duration": (
        "warranty period",
        "how long goods or work are warranted",
        r"warrant",
        [
            "It is said how long a warranty lasts.",
            "Defects are covered for a certain time.",
            "There is a warranty period.",
        ],
        ["No period of warranty is laid down.", "The text does not say how long anything is warranted."],
    ),
    "Minimum Commitment": (
        "minimum order or payment",
        "a party has to buy, sell or pay at least so much",
        r"(?=.*(?:minimum|at least|not less than|guarante|no (?:less|fewer) than|commit))"
        r".*(?:purchas|order|pay|buy|sell|sales|sold|quantit|volume|royalt|fees?\b|\$|amount|spend)",
        [
            "A party has to buy, sell or pay a minimum.",
            "A least quantity or amount is promised.",
            "There is a minimum commitment.",
        ],
        ["No minimum quantity or amount is promised.", "Nobody commits to buying or paying a least amount."],
    ),
    "Revenue/Profit Sharing": (
        "share of revenue",
        "a party is paid a share of revenue or profit",
        r"royalt|percent|%|revenue|profit|commission|share",
        [
            "A party is paid a share of revenue or profit.",
            "Royalties, commissions or a cut of sales are due.",
            "What is paid depends on what is earned or sold.",
        ],
        ["Revenue or profit is not shared.", "Nobody is paid a cut of sales or profits under this text."],
    ),
    "Change Of Control": (
        "change of control",
        "what happens if a party is sold or merges",
        r"control|merg|acqui|sale|sold|consolidat|successor|stock|shares|assets",
        [
            "It is settled what happens if a party is sold or merges.",
            "A takeover of a party has consequences under the contract.",
            "There is a clause on a change of control.",
        ],
        ["A sale or merger of a party is not dealt with.", "Nothing is said about a change of control."],
    ),
    "Rofr/Rofo/Rofn": (
        "right of first refusal",
        "a party has to be asked or offered first",
        r"first|offer|negotiat|refusal|option|match",
        [
            "A party gets the first chance to buy, license or negotiate.",
            "There is a right of first refusal, offer or negotiation.",
            "Something has to be offered to the other party before it goes to somebody else.",
        ],
        ["Nobody is given a right of first refusal or offer.", "No party has to be asked first."],
    ),
    "Post-Termination Services": (
        "after the end",
        "what has to be done, or may go on, once the contract is over",
        r"terminat|expir|after|following|upon",
        [
            "It is settled what a party has to do, or may still do, after the contract ends.",
            "Some things go on or have to be wound up once the contract is over.",
            "There are duties or rights for the time after termination.",
        ],
        ["The time after the contract's end is not dealt with.", "No duties after termination are laid down."],
    ),
    "Source Code Escrow": (
        "source code in escrow",
        "source code is left with a third party",
        r"escrow",
        [
            "Source code is put into escrow.",
            "A third party keeps source code for the other side.",
            "The text deals with an escrow of software.",
        ],
        ["Escrow of source code is not dealt with.", "No source code is left with a third party."],
    ),
    "Covenant Not To Sue": (
        "not contesting rights",
        "a party must not challenge the other's rights or sue",
        r"contest|challeng|sue\b|attack|claim|disput|releas|waive|covenant|oppos",
        [
            "A party must not challenge the other's rights or must not sue.",
            "Somebody gives up contesting ownership or bringing claims.",
            "There is a promise not to sue or to dispute rights.",
        ],
        [
            "Nobody promises not to sue or to contest rights.",
            "The text does not keep a party from challenging the other's rights.",
        ],
    ),
    "Liquidated Damages": (
        "agreed damages",
        "a fixed sum is due for a breach or an early end",
        r"damages|penalt|fee|sum|amount|pay|refund|credit",
        [
            "A fixed sum is due if a party breaks the contract or ends it early.",
            "Damages are agreed in advance.",
            "There is a set payment for a breach or termination.",
        ],
        ["No fixed sum is set for a breach.", "Damages are not agreed in advance here."],
    ),
    "Third Party Beneficiary": (
        "rights of outsiders",
        "somebody who is no party gets rights",
        r"beneficiar|third part",
        [
            "Somebody who is not a party can rely on the contract.",
            "A third party gets rights under the contract.",
            "There is a third-party beneficiary.",
        ],
        [
            "No outsider gets rights under this text.",
            "Nobody but the parties benefits from the contract, as far as the text says.",
        ],
    ),
}
NEAR = [  # so alike, or so often in one clause, that one is not offered where the other is meant
    {"Renewal Term", "Termination For Convenience", "Post-Termination Services"},
    {"License Grant", "Ip Ownership Assignment", "Revenue/Profit Sharing"},
    {"Anti-Assignment", "Change Of Control", "Rofr/Rofo/Rofn"},
    {"Cap On Liability", "Liquidated Damages", "Warranty Duration", "Covenant Not To Sue"},
    {"Non-Compete", "No-Solicit Of Employees", "Post-Termination Services"},
    {"Minimum Commitment", "Revenue/Profit Sharing", "Liquidated Damages"},
    {"Covenant Not To Sue", "Ip Ownership Assignment", "Non-Disparagement"},
]
SAID = one_of_kinds.written({kind: (affirmed, denied) for kind, (_, _, _, affirmed, denied) in KINDS.items()})
NAMES = [
    {kind: one[0] for kind, one in KINDS.items()},
    {kind: one[0].capitalize() for kind, one in KINDS.items()},
    {kind: one[1] for kind, one in KINDS.items()},
]
DESCRIPTIONS = {kind: one[1] for kind, one in KINDS.items()}
ASKS = ["What kind of clause is this?", "What does the clause settle?", "Classify the clause.", "Heading of the clause"]
SELECT = [
    "Which of these are dealt with?",
    "Which clauses are there?",
    "Topics of the sections",
    "What is settled here?",
]
SECTION = [
    "Which section deals with {}?",
    "Where is {} settled?",
    "Number of the section on {}",
    "Find the section: {}",
]
COPY = ["Copy the section on {}.", "Quote the clause that settles {}.", "Which text deals with {}?"]
WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 10: "ten", 12: "twelve", 15: "fifteen"}
WORDS |= {20: "twenty", 30: "thirty", 45: "forty-five", 60: "sixty", 90: "ninety", 120: "one hundred twenty"}
WORDS |= {180: "one hundred eighty"}
PERIOD = re.compile(r"(?:suc\w+ )?(\d+) (day|month|year)s?", re.I)
PLACES = ["New York", "California", "Delaware", "Texas", "Florida", "Pennsylvania", "Nevada", "Illinois", "England"]
PLACES += ["Colorado", "Ohio", "Israel", "Virginia", "Georgia", "Massachusetts", "Ontario", "Japan", "Hong Kong"]
# Of a value: its question, claims with {said} that hold or not, what else it might be.
LAW = (
    ["Whose law applies?", "Governing law", "Which state or country's law governs?", "Jurisdiction whose law applies"],
    [
        ("The law of {said} applies.", True),
        ("The contract is governed by the law of {said}.", True),
        ("Governing law: {said}", True),
        ("A law other than that of {said} governs the contract.", False),
        ("The contract is not under the law of {said}.", False),
    ],
)
NOTICE = (
    [
        "How long before the end does one have to say that the contract shall not go on?",
        "Notice needed to prevent renewal",
        "Notice period for not renewing",
    ],
    [
        ("Notice that the contract shall not be renewed is due at least {said} ahead.", True),
        ("{said} of notice are needed to prevent or decide on renewal.", True),
        ("The notice period around renewal is {said}.", True),
        ("The notice period around renewal is other than {said}.", False),
        ("The notice to be given about renewal is not one of {said}.", False),
    ],
)
LENGTH = (
    ["For how long is the contract renewed each time?", "Length of a renewal", "How long is a renewal term?"],
    [
        ("A renewal lasts {said}.", True),
        ("The contract is renewed for {said} at a time.", True),
        ("Length of a renewal term: {said}", True),
        ("A renewal lasts longer or shorter than {said}.", False),
        ("The contract is renewed for another period than {said}.", False),
    ],
)
PERIODS = ["30 days", "60 days", "90 days", "120 days", "180 days", "3 months", "6 months", "12 months", "1 year"]
PERIODS += ["2 years", "3 years", "5 years", "10 years"]
DAYS = {"day": 1, "month": 30, "year": 360}  # near enough to tell that a year is twelve months


def clauses(contract):
    """text -> kinds, of what was marked in a contract."""
    found = collections.defaultdict(set)
    for kind in KINDS:
        for said in ast.literal_eval(contract[kind]) if contract[kind] else []:
            text = rows.plain(said)
            whole = (
                "<omitted>" not in text and "&" not in text and re.match(r'[A-Z0-9("“]', text) and text[-1] in '.")”'
            )
            if whole and FEWEST_WORDS <= len(text.split()) <= MOST_WORDS:
                found[text].add(kind)
    return found


def shows(kind, text):
    return re.search(KINDS[kind][2], text, re.I | re.S) is not None


def judged(contract, taken):
    """kind -> whether it is in one of the clauses, where that is sure."""
    truths = {}
    for kind in KINDS:
        marked = [text for text, kinds in taken.items() if kind in kinds]
        if marked:
            if any(shows(kind, text) for text in marked):
                truths[kind] = True
        elif contract[kind] in ("", "[]") or not any(shows(kind, text) for text in taken):
            truths[kind] = False
    return truths


def others(truths, kinds):
    """Kinds that the text surely lacks and that are not near to one of these."""
    alike = set().union(*(group for group in NEAR if group & set(kinds)))
    return [kind for kind, holds in truths.items() if not holds and kind not in alike]


def written(period):
    """A pattern of how a period like "60 days" is written."""
    number, unit = int(period[1]), period[2].lower()
    spelt = WORDS.get(number, str(number))
    many = rf"(?:{spelt}\s*\(\s*{number}\s*\)|{spelt}|{number})".replace("-", "[- ]")
    return re.compile(rf"(?<![\w-]){many}[\s-]+(?:calendar |business |consecutive )?{unit}s?\b", re.I)


def days(period):
    """How long a period like "3 months" is."""
    number, unit = period.split()
    return int(number) * DAYS[unit.rstrip("s")]


def valued(texts, found, said, wrong, how, rnd):
    """Questions about a value: its quote, a choice or a claim. `found`: how the text writes it."""
    asks, claims = how
    wrong = [
        one for one in wrong if one.lower() != said.lower() and not re.search(rf"\b{re.escape(one)}\b", texts, re.I)
    ]
    if rnd.random() < 0.4:
        yield {"type": "extract", "instructions": rnd.choice(asks)}, found
    elif rnd.random() < 0.5:
        names = [said, *rnd.sample(wrong, rnd.randint(2, 5))]
        rnd.shuffle(names)
        criteria = names if rnd.random() < 0.5 else dict.fromkeys(names)
        yield {"type": "choice", "instructions": rnd.choice(asks), "criteria": criteria}, said
    else:
        holds = rnd.random() < 0.5
        right = rnd.random() < 0.5
        claim = rnd.choice([one for one, when in claims if when == (holds == right)])
        yield {"type": "noul", "instructions": claim.format(said=said if right else rnd.choice(wrong))}, holds


def values(contract, taken, rnd):
    """Of the clauses on law, notice and renewal: what was noted of them."""
    texts = " ".join(taken)
    place = contract["Governing Law-Answer"].strip()
    if "Governing Law" in set().union(*taken.values()) and re.fullmatch(r"[A-Z][\w ']+", place):
        found = re.findall(rf"\b{re.escape(place)}\b", texts, re.I)
        if len(found) == 1 and place not in ("United States",):
            yield from valued(texts, found[0], place, PLACES, LAW, rnd)
    answers = {
        "Notice Period To Terminate Renewal": (contract["Notice Period To Terminate Renewal- Answer"], NOTICE),
        "Renewal Term": (contract["Renewal Term-Answer"], LENGTH),
    }
    for kind, (answer, how) in answers.items():
        period = PERIOD.fullmatch(answer.strip())
        marked = [rows.plain(one) for one in ast.literal_eval(contract[kind])] if contract[kind] else []
        if period and any(text in taken and shows("Renewal Term", text) for text in marked):
            found = [one[0] for one in written(period).finditer(texts)]
            said = f"{period[1]} {period[2].lower()}" + ("" if period[1] == "1" else "s")
            if len(found) == 1:
                wrong = [one for one in PERIODS if days(one) != days(said)]
                yield from valued(texts, found[0], said, wrong, how, rnd)


def drawn(found, rnd):
    """A clause of some kind, at times with another one or two, in the order of a contract."""
    kind = rnd.choice(sorted(set().union(*found.values())))
    texts = [rnd.choice([text for text, kinds in found.items() if kind in kinds])]
    for text in rnd.sample(list(found), min(len(found), rnd.choice([0, 0, 2, 4]))):
        alike = any(text in one or one in text for one in texts)
        if not alike and len(texts) < 3 and sum(len(one.split()) for one in [*texts, text]) <= MOST_TOGETHER:
            texts.append(text)
    rnd.shuffle(texts)
    return {text: found[text] for text in texts}


def classified(kind, away, rnd):
    """Which kind a single clause is of."""
    offered = [{one: names[one] for one in [kind, *away]} for names in NAMES]
    described = {offered[0][one]: DESCRIPTIONS[one] for one in offered[0]}
    question, right = one_of_kinds.choice(kind, offered, ASKS, rnd, (), 7)
    if rnd.random() < 0.3 and all(one in described for one in question["criteria"]):
        question["criteria"] = {one: described[one] for one in question["criteria"]}
    return question, right


def selected(kinds, away, names, rnd):
    """Which of some kinds are there."""
    shown = rnd.sample(kinds, min(len(kinds), 3)) + rnd.sample(away, min(len(away), rnd.randint(2, 4)))
    rnd.shuffle(shown)
    asks = {"type": "select", "instructions": rnd.choice(SELECT), "options": [names[kind] for kind in shown]}
    return asks, [names[kind] for kind in shown if kind in kinds]


def located(taken, kinds, rnd):
    """In which of several sections a kind is that is in no other, as a quote or by its number; at most one question."""
    for place, (text, marked) in rnd.sample(list(enumerate(taken.items())), len(taken)):
        alone = [
            kind
            for kind in kinds
            if kind in marked and not any(shows(kind, one) or kind in taken[one] for one in taken if one != text)
        ]
        if len(taken) > 1 and alone and rnd.random() < 0.4:
            what = NAMES[0][rnd.choice(alone)]
            if len(text.split()) <= MOST_QUOTE and rnd.random() < 0.5:
                yield {"type": "extract", "instructions": rnd.choice(COPY).format(what)}, text
            else:
                sections = [f"section {n + 1}" for n in range(len(taken))]
                asks = {"type": "choice", "instructions": rnd.choice(SECTION).format(what), "criteria": sections}
                yield asks, sections[place]
            break


def about(contract, taken, surplus, rnd):
    """Questions about a few clauses of a contract."""
    truths, names = judged(contract, taken), rnd.choice(NAMES)
    made = list(values(contract, taken, rnd))
    made += one_of_kinds.claims(truths, SAID, rnd.choice([1, 2, 2]), surplus, rnd)
    kinds = [kind for kind, holds in truths.items() if holds]
    away = others(truths, kinds)
    if len(taken) == 1 and len(kinds) == 1 and len(away) > 5 and rnd.random() < 0.7:
        made.append(classified(kinds[0], away, rnd))
    if len(taken) > 1 and kinds and rnd.random() < 0.5:
        made.append(selected(kinds, away, names, rnd))
    made += located(taken, kinds, rnd)
    return made[:4]


def put(texts, rnd):
    if len(texts) == 1:
        return {rnd.choice(["clause", "contract"]): texts[0]} if rnd.random() < 0.25 else texts[0]
    if rnd.random() < 0.3:
        return {f"section {n}": text for n, text in enumerate(texts, 1)}
    return "\n".join(f"Section {n}. {text}" for n, text in enumerate(texts, 1))


def read(show, rnd):
    surplus, count, seen = collections.Counter(), 0, set()
    for contract in csv.DictReader(io.StringIO(show(PATH))):
        found = clauses(contract)
        for _ in range(min(TIMES, len(found))):
            taken = drawn(found, rnd)
            made = about(contract, taken, surplus, rnd) if frozenset(taken) not in seen else []
            seen.add(frozenset(taken))
            if made:
                yield rows.row(f"contracts-{count:05d}", "contracts", LICENCE, put(list(taken), rnd), made)
                count += 1
