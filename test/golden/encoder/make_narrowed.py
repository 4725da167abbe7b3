"""What is left of a state where a question calls rows of its tables or lists by name, as training reads it:

    python make_narrowed.py ../../../models/service-1-pro/training/text .

Writes narrowed.json, which test/backends/onnx/families/encoder reads. Needs Python alone.
"""

import json
import sys

TRAINING, OUT = sys.argv[1:3]
sys.path.insert(0, TRAINING)

import narrowing  # noqa: E402
import states  # noqa: E402

MARKDOWN = (
    "Flights today\n\n| no. | to | gate | remark |\n|---|---|---:|---|\n| LH 12 | Oslo | 14 | **boarding** |\n"
    "| BA 7 | Rome | 3 | `late` |\n| AF 99 | Lyon | - | cancelled |\n\nGates close early."
)
CSV = (
    'id,what,who,due\nA-1,"seats, two",Anna,2026-05-01\nA-2,lamp,Bo,2026-05-02\n'
    'A-3,"the ""old"" door",Cem,2026-05-09\nA-4,,Dee,soon'
)
POPULATION = "town      1990   2020\nEstal     8,100  5,900\nBrenk     4,200  4,200\nOlmund    2,700  6,300"
BOARD = "12:05  Oslo    gate 14  boarding\n12:20  Lisbon  gate 3   on time\n12:40  Tunis   gate 9   delayed to 13:55"
CREW = "            every (months)  last done\nlift        6               2025-04-02\nheating     12              2023-10-01"
PAIRS = "- name: Fjord; seats: 8; floor: ground\n- name: Tundra; seats: 20; floor: 2\nBook by noon."
TAB = "queue\topen\toldest\nbilling\t4\t2h\nreturns\t0\t-\nabuse\t17\t3d"
SEMICOLON = "job;state;took\nbuild;ok;3\nlint;failed;1\ndeploy;skipped;0"
PROSE = "Hi Anna, thanks for the note, I will call.\nBo said so, too, and left.\nCem, Dee, Eve came."
ORDERS = {
    "customer": "K-7",
    "orders": [
        {"id": 4711, "item": "lamp", "total": 20.0, "paid": True},
        {"id": 4712, "item": "chair", "total": 75.5, "paid": False},
        {"id": 4713, "item": "desk", "total": 20, "paid": False},
    ],
    "policy": "Orders over 50 need a signature.",
}
TICKETS = {
    "openTickets": [
        {"id": 1, "subject": "Door stuck", "state": "closed"},
        {"id": 2, "subject": "No light", "state": "open"},
        {"id": 3, "subject": "Cold room", "state": "open"},
    ]
}
SHELVES = "shelf_no,holds,jars\n1,flour,4\n2,jam,12\n3,rice,7"
HOSTS = {"web-1": {"cpu": 97, "up": True}, "web-2": {"cpu": 3, "up": True}, "db-1": {"cpu": 40, "up": False}}
MONTHS = {"sheet": "Boats", "april": {"in": 7, "out": 9}, "mayDay": {"in": 8, "out": 1}, "note": "June is to come"}
ORDER = {"customer": {"id": 1, "vip": True}, "order": {"total": 90, "limit": 50, "items": 2}}
SAID = [
    {"id": 101, "user": "Ada", "text": "My money back, please."},
    {"id": 102, "user": "Bo", "text": "It is on its way."},
    {"id": 103, "user": "Cem", "text": "Not yet."},
]
CHAT = [{"from": "Ada", "text": "Where is it?"}, {"from": "Bo", "text": "On its way."}, {"from": "Cem", "text": "ok"}]
PARTS = [{"type": "text", "text": "See below."}, {"type": "json", "value": ORDERS}, {"type": "text", "text": TAB}]

ASKED = [
    (MARKDOWN, "The flight to Rome is late.", None),
    (MARKDOWN, "Which gate does LH 12 leave from?", None),
    (MARKDOWN, "BA 7 and AF 99 leave from one gate.", None),
    (MARKDOWN, "Rome's flight is the only late one.", None),
    (MARKDOWN, "Some flight is late.", None),
    (MARKDOWN, "Which flights are late?", ["LH 12", "BA 7", "AF 99"]),
    (MARKDOWN, "Which flights are late?", ["LH 12", "BA 7", "none"]),
    (CSV, "done(A-3)", None),
    (CSV, "Is A-1 Anna's?", None),
    (CSV, "What is due on 2026-05-02?", None),
    (CSV, "A-4 is without a name.", None),
    (CSV.replace("\n", "\r\n"), "Is A-1 Anna's?", None),
    (POPULATION, "Brenk has not grown since 1990.", None),
    (POPULATION, "Olmund had fewer people than Brenk in 1990.", None),
    (BOARD, "New time for Tunis", None),
    (BOARD, "Which one leaves at 12:20?", None),
    (CREW, "The heating was seen to in 2023.", None),
    (PAIRS, "How many seats has Tundra?", None),
    (TAB, "The abuse queue is long.", None),
    (SEMICOLON, "Did lint fail?", None),
    (PROSE, "Anna said so.", None),
    (ORDERS, "Order 4712 needs a signature.", None),
    (ORDERS, "Has the chair been paid for?", None),
    (ORDERS, "20 was paid.", None),
    (ORDERS, "Which orders are open?", ["4711", "4713"]),
    (TICKETS, "Ticket 2 is open.", None),
    (TICKETS, "Are tickets 1 and 3 closed?", None),
    (TICKETS, "Is ticket #3 urgent?", None),
    (TICKETS, "Which tickets are open?", ["ticket 1", "Ticket 2", "ticket 3"]),
    (TICKETS, "2 tickets are open.", None),
    (SHELVES, "Shelf no. 2 holds jam.", None),
    (HOSTS, "web-1 is overloaded.", None),
    (HOSTS, "Every host but db-1 is up.", None),
    (BOARD, "Tunis is later.", None),
    (BOARD, "Tunis leaves later than at noon.", None),
    ({"before": {"price": 9, "seats": 2}, "after": {"price": 12, "seats": 2}}, "It costs 12 after the change.", None),
    (SAID, "Ada wants her money back.", None),
    (SAID, "Message 102 is polite.", None),
    (MONTHS, "April cost money.", None),
    (MONTHS, "On May Day more came in than went out.", None),
    (ORDER, "The order is above the limit.", None),
    (CHAT, "Bo answers.", None),
    (PARTS, "Order 4713 is a matter of billing.", None),
    ({"teams": [{"name": "Ops", "lead": {"n": 1}}, {"name": "Web", "lead": None}]}, "Ops has a lead.", None),
]


def texts_of(state, question, options):
    """One text, or one for each option; None where the whole state is read."""
    named = narrowing.Named(state)
    shown = named.of(question)
    each = [shown] if shown is not None else named.of_each(options) if options is not None else None
    return each and [states.text_of(named.narrowed(one)) for one in each]


if __name__ == "__main__":
    lines = (
        json.dumps(
            {"state": state, "question": question, "options": options, "texts": texts_of(state, question, options)}
        )
        for state, question, options in ASKED
    )
    with open(f"{OUT}/narrowed.json", "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")
