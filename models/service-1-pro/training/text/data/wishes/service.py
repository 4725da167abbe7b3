"""awslabs/multi-domain-goal-oriented-dialogues-dataset (MultiDoGO): what customers of six services wrote, turn by turn;
what they want, and the values they give, as quotes.
"""

import collections
import csv
import io

from data.shared import rows

REPOSITORY = "awslabs/multi-domain-goal-oriented-dialogues-dataset"
PATH = "data/paper_splits/splits_annotated_at_turn_level/{}/train.tsv"
MOST_TALKS, MOST_QUOTES = 1500, 3
OTHER_SLOTS = 0.3  # of quotes: of a value that is not there
WANTS = {
    "airline": {
        "changeseatassignment": "change a seat",
        "getboardingpass": "get a boarding pass",
        "getseatinfo": "know which seat they have",
        "bookflight": "book a flight",
    },
    "fastfood": {
        "orderpizzaintent": "order a pizza",
        "orderdrinkintent": "order a drink",
        "ordersaladintent": "order a salad",
        "orderburgerintent": "order a burger",
        "orderdessertintent": "order a dessert",
        "ordersideintent": "order a side dish",
        "orderbreakfastintent": "order breakfast",
    },
    "finance": {
        "reportlostcard": "report a lost card",
        "updateaddress": "give a new address",
        "checkbalance": "know their balance",
        "transfermoney": "move money to another account",
        "disputecharge": "dispute a charge",
        "replacecard": "get a new card",
        "closeaccount": "close an account",
        "getroutingnumber": "know a routing number",
        "orderchecks": "order checks",
    },
    "insurance": {
        "getproofofinsurance": "get a proof of insurance",
        "checkclaimstatus": "know how a claim stands",
        "reportbrokenphone": "report a broken phone",
    },
    "media": {
        "startserviceintent": "start a new service",
        "getinformationintent": "get information about an offer",
        "viewbillsintent": "see a bill",
    },
    "software": {
        "reportbrokensoftware": "report software that does not work",
        "softwareupdate": "get an update of software",
        "expensereport": "get expenses back",
        "startorder": "order something",
        "checkserverstatus": "know whether a server is up",
        "changeorder": "change an order",
    },
}
SLOTS = {
    "name": "The customer's name",
    "booking_confirmation_number": "The booking number",
    "phone_number": "The phone number",
    "phonenumber": "The phone number",
    "start_date": "The day of departure",
    "arrival_city": "Where the customer flies to",
    "departure_city": "Where the flight starts",
    "new_seat_number": "The seat that is wanted",
    "address": "The address",
    "card_number": "The number of the card",
    "account_number": "The number of the account",
    "charge_date": "The day of the charge",
    "charge_amount": "The amount of the charge",
    "transferamount": "How much is to be moved",
    "car_model": "The model of the car",
    "car_brand": "The make of the car",
    "car_year": "The year of the car",
    "claimid": "The number of the claim",
    "policyid": "The number of the policy",
    "current_city": "The customer's city",
    "current_zipcode": "The postal code",
    "service_type": "The service that is asked for",
    "company_name": "The customer's company",
    "software_name": "The name of the software",
    "cost": "What it cost",
    "item_name": "What is ordered",
    "expense_type": "What the expense was for",
}
ASKS = ["What does the customer want?", "Why does the customer write?", "The customer wants to", "Reason of contact"]
ALL = ["What does the customer want?", "Everything that the customer asks for", "Which of these are asked for?"]
CLAIMS = ["The customer wants to {}.", "The customer asks to {}.", "Somebody wants to {}."]
NONE = ["something else", "none of these", "other"]


def talks(lines):
    """Conversations: lists of turns (utterance, slot of each word, intents)."""
    found = collections.defaultdict(list)
    for line in csv.DictReader(io.StringIO(lines), delimiter="\t", quoting=csv.QUOTE_NONE):
        said, slots, intent = (line[name] or "" for name in ("utterance", "slot-labels", "intent"))
        if said.strip():
            found[line["conversationId"]].append((said.split(), slots.split(), intent.split("<div>")))
    return list(found.values())


def quotes(turns):
    """Slot -> what was said for it, each once."""
    found = collections.defaultdict(dict)
    for words, slots, _ in turns:
        if len(words) != len(slots):
            continue
        at = 0
        while at < len(words):
            end = at
            while end < len(words) and slots[end] == slots[at]:
                end += 1
            found[slots[at]][" ".join(words[at:end])] = None
            at = end
    return {slot: list(said) for slot, said in found.items() if slot in SLOTS}


def wants(turns, every, rnd):
    """Questions about what is wanted, and their truth."""
    wanted = list(dict.fromkeys(every[one] for _, _, intents in turns for one in intents if one in every))
    others = [one for one in every.values() if one not in wanted]
    for one in wanted[:1] + rnd.sample(others, min(len(others), 1)):
        yield {"type": "noul", "instructions": rnd.choice(CLAIMS).format(one)}, one in wanted
    if len(wanted) < 2:
        options = rnd.sample(others, min(len(others), rnd.randint(1, 5))) + wanted
        none = rnd.choice(NONE) if not wanted or rnd.random() < 0.25 else None
        rnd.shuffle(options)
        options += [none] if none else []
        if len(options) > 1:
            asked = {"type": "choice", "instructions": rnd.choice(ASKS), "criteria": options}
            yield asked, wanted[0] if wanted else none
    elif len(every) > 1:
        yield {"type": "select", "instructions": rnd.choice(ALL), "options": list(every.values())}, wanted


def values(given, slots, rnd):
    """Quotes of what the customer gives, and of what they do not."""
    for slot in rnd.sample(sorted(given), min(len(given), MOST_QUOTES)):
        if len(given[slot]) == 1:
            yield {"type": "extract", "instructions": SLOTS[slot]}, given[slot][0]
    absent = [slot for slot in slots if slot not in given]
    if absent and rnd.random() < OTHER_SLOTS:
        yield {"type": "extract", "instructions": SLOTS[rnd.choice(absent)]}, None


def read(show, rnd):
    count = 0
    for domain, every in WANTS.items():
        found = [(turns, quotes(turns)) for turns in talks(show(PATH.format(domain)))]
        slots = sorted({slot for _, given in found for slot in given})
        for turns, given in rnd.sample(found, min(len(found), MOST_TALKS)):
            made = [*wants(turns, every, rnd), *values(given, slots, rnd)]
            told = [" ".join(words) for words, _, _ in turns]
            state = "\n".join(f"Customer: {one}" for one in told) if rnd.random() < 0.5 else "\n".join(told)
            yield rows.row(f"service-{count:05d}", "customer service", "CDLA-Permissive-1.0", state, made)
            count += 1
