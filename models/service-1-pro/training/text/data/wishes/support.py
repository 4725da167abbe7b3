"""bitext/customer-support-intent-detection-training-dataset: 27 things that customers of a shop ask for, said in many
ways, rude ones and misspelt ones among them; often the right one is not among the options.
"""

import csv
import io

REPOSITORY = "bitext/customer-support-intent-detection-training-dataset"
PATH = "data/train/Bitext_Sample_Customer_Service_Training_Dataset.csv"
WANTS = {
    "cancel_order": "cancel an order",
    "change_order": "change an order",
    "change_shipping_address": "change a delivery address",
    "check_cancellation_fee": "know what cancelling costs",
    "check_invoice": "see an invoice",
    "check_payment_methods": "know how one can pay",
    "check_refund_policy": "know when money is given back",
    "complaint": "make a complaint",
    "contact_customer_service": "reach customer service",
    "contact_human_agent": "talk to a person",
    "create_account": "open an account",
    "delete_account": "close an account",
    "delivery_options": "know the ways of delivery",
    "delivery_period": "know when a parcel arrives",
    "edit_account": "change the data of an account",
    "get_invoice": "get an invoice",
    "get_refund": "get money back",
    "newsletter_subscription": "subscribe to the newsletter or end it",
    "payment_issue": "report a problem with a payment",
    "place_order": "place an order",
    "recover_password": "get a new password",
    "registration_problems": "report a problem with signing up",
    "review": "leave a review",
    "set_up_shipping_address": "add a delivery address",
    "switch_account": "change to another account",
    "track_order": "know where an order is",
    "track_refund": "know how a refund stands",
}
NEAR = [  # so alike that only one of them is offered
    {"check_invoice", "get_invoice"},
    {"contact_customer_service", "contact_human_agent"},
    {"change_shipping_address", "set_up_shipping_address"},
    {"edit_account", "switch_account"},
    {"track_order", "delivery_period"},
    {"get_refund", "track_refund", "check_refund_policy"},
    {"cancel_order", "check_cancellation_fee"},
]
ASKS = ["What does the customer want?", "Route the message.", "What is the message about?", "Intent", "They want to"]
CLAIMS = ["The customer wants to {}.", "Somebody wants to {}.", "This is a request to {}."]
NONE = ["something else", "none of these", "other", "no match"]
MISSING, NAMED, AS_NAMES = 0.2, 0.25, 0.3
QUOTED = {"order_id": "The number of the order", "account_type": "The kind of account"}


def others(intent):
    """Intents that are surely not meant where this one is."""
    alike = set().union(*(group for group in NEAR if intent in group))
    return [one for one in WANTS if one != intent and one not in alike]


def row(count, line, rnd):
    intent, questions, truth = line["intent"], {}, {}
    far = rnd.sample(others(intent), rnd.randint(2, 8))
    missing = rnd.random() < MISSING
    none = rnd.choice(NONE) if missing or rnd.random() < NAMED else None
    said = (lambda one: one) if rnd.random() < AS_NAMES else WANTS.__getitem__
    options = [said(one) for one in far] + ([] if missing else [said(intent)])
    rnd.shuffle(options)
    options += [none] if none else []
    questions["wants"] = {"type": "choice", "instructions": rnd.choice(ASKS), "criteria": options}
    truth["wants"] = none if missing else said(intent)
    holds = rnd.random() < 0.5
    claim = rnd.choice(CLAIMS).format(WANTS[intent if holds else far[0]])
    questions["claim"], truth["claim"] = {"type": "noul", "instructions": claim}, holds
    kind = line["entity_type"]
    if kind in QUOTED and line["entity_value"]:
        questions["value"] = {"type": "extract", "instructions": QUOTED[kind]}
        truth["value"] = line["entity_value"]
    elif rnd.random() < 0.15:
        questions["value"] = {"type": "extract", "instructions": QUOTED["order_id"]}
        truth["value"] = None
    return {
        "id": f"support-{count:05d}",
        "source": "support",
        "task": "customer support",
        "licence": "CDLA-Sharing-1.0",
        "state": line["utterance"],
        "questions": questions,
        "truth": truth,
    }


def read(show, rnd):
    for count, line in enumerate(csv.DictReader(io.StringIO(show(PATH)))):
        yield row(count, line, rnd)
