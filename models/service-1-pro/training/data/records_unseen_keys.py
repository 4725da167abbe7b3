"""Records with keys that records.py does not have, to measure with: python -m data.records_unseen_keys OUT [rows]

Never trained on. Each row asks to quote and to write down values by their keys (and one that is not there), whether a
value is so, and which of some it is.
"""

import json
import random
import sys

from data.records import of

FIRST = ("Amelia", "Dmitri", "Fatima", "Hugo", "Keiko", "Luca", "Marta", "Noah", "Priya", "Stefan")
LAST = ("Adler", "Brandt", "Castillo", "Duarte", "Eriksen", "Farouk", "Gupta", "Hoffman", "Ivanova", "Jensen")


def person(rng):
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


# A key, how a question says it, a value.
FIELDS = (
    ("species", "species", of("red fox", "barn owl", "grey seal", "brown bear", "pine marten")),
    ("habitat", "habitat", of("wetland", "old forest", "rocky coast", "high meadow")),
    ("patient", "name of the patient", person),
    ("doctor", "doctor", person),
    ("referee", "referee", person),
    ("artist", "artist", person),
    ("teacher", "teacher", person),
    ("diagnosis", "diagnosis", of("migraine", "sprained ankle", "asthma", "flu")),
    ("dosage", "dosage", lambda rng: f"{50 * rng.randint(1, 9)} mg"),
    ("home_team", "home team", of("Rovers", "Lakers", "Falcons", "Dynamo")),
    ("away_team", "away team", of("Tigers", "Comets", "Sharks", "Wolves")),
    ("stadium", "stadium", of("Eden Park", "Olympia Arena", "Westfield Dome")),
    ("genre", "genre", of("jazz", "techno", "folk", "opera")),
    ("album", "album", of("Night Rain", "Glass Towers", "Paper Moon", "Slow Rivers")),
    ("recipe", "name of the recipe", of("lentil stew", "apple tart", "fish pie")),
    ("cookTime", "cooking time", lambda rng: f"{rng.randint(5, 90)} min"),
    ("license_plate", "license plate", lambda rng: f"{rng.choice('ABCD')}{rng.choice('XYZ')} {rng.randint(100, 9999)}"),
    ("mileage", "mileage", lambda rng: rng.randint(1000, 200000)),
    ("engine", "engine", of("diesel", "electric", "hybrid", "petrol")),
    ("hostname", "hostname", lambda rng: f"srv-{rng.randint(10, 99)}.example.net"),
    ("port", "port", lambda rng: rng.randint(80, 9999)),
    ("version", "version", lambda rng: f"{rng.randint(0, 9)}.{rng.randint(0, 20)}.{rng.randint(0, 9)}"),
    ("error_code", "error code", lambda rng: f"E{rng.randint(100, 999)}"),
    ("branch", "branch", of("main", "release", "hotfix-2", "develop")),
    ("temperature", "temperature", lambda rng: f"{rng.randint(-10, 40)} °C"),
    ("humidity", "humidity", lambda rng: f"{rng.randint(10, 99)} %"),
    ("wind_direction", "wind direction", of("north", "south-west", "east")),
    ("isbn", "ISBN", lambda rng: f"978-{rng.randint(10**9, 10**10 - 1)}"),
    ("publisher", "publisher", of("Marlow House", "Kestrel Press", "Tidewater Books")),
    ("shelf", "shelf", lambda rng: f"{rng.choice('ABC')}{rng.randint(1, 40)}"),
    ("grade", "grade", of("A", "B+", "C-")),
    ("subject", "subject", of("algebra", "geography", "chemistry", "art")),
    ("arrivalTime", "arrival time", lambda rng: f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}"),
    ("gate", "gate", lambda rng: f"{rng.choice('ABC')}{rng.randint(1, 60)}"),
    ("seat", "seat", lambda rng: f"{rng.randint(1, 40)}{rng.choice('ABCDEF')}"),
    ("terminal", "terminal", lambda rng: str(rng.randint(1, 5))),
    ("iban", "IBAN", lambda rng: f"DE{rng.randint(10**8, 10**9 - 1)}"),
    ("balance", "balance", lambda rng: f"{rng.randint(1, 9999)}.{rng.randint(10, 99)}"),
    ("reason", "reason", of("late arrival", "wrong size", "no longer needed", "damaged box")),
    ("courier", "courier", of("Swift Wheels", "Kestrel Post", "Harbour Express")),
)
ASKS = ("The {}", "What is the {}?", "Quote the {}.", "Extract the {}", "{}")


def row(rng, index):
    count = rng.randint(3, 8)
    *fields, (_, away, _) = rng.sample(FIELDS, count + 1)
    record = {key: make(rng) for key, _, make in fields}

    def ask(said, **question):
        return {**question, "instructions": rng.choice(ASKS).format(said)}

    questions, truth = {"away": ask(away, type="extract")}, {"away": None}
    for number, (key, said, make) in enumerate(rng.sample(fields, 3)):
        value, other = (
            str(record[key]),
            next((made for made in (str(make(rng)) for _ in range(50)) if made != str(record[key])), "none"),
        )
        questions[f"quote_{number}"], truth[f"quote_{number}"] = ask(said, type="extract"), value
        questions[f"write_{number}"], truth[f"write_{number}"] = ask(said, type="fill", kind="text"), value
        is_so = rng.random() < 0.5
        questions[f"claim_{number}"], truth[f"claim_{number}"] = (
            {"type": "noul", "instructions": f"The {said} is {value if is_so else other}."},
            is_so,
        )
        options = sorted({value, other, *(str(make(rng)) for _ in range(3))})
        questions[f"pick_{number}"], truth[f"pick_{number}"] = (
            ask(said, type="choice", criteria=dict.fromkeys(options)),
            value,
        )
    kind = rng.random()
    state = (
        record
        if kind < 0.6
        else {"record": record}
        if kind < 0.8
        else "\n".join(f"{key.replace('_', ' ')}: {value}" for key, value in record.items())
    )
    return {
        "id": f"strange-records-{index:04d}",
        "source": "lines" if isinstance(state, str) else "JSON",
        "task": "strange records",
        "licence": "Apache-2.0",
        "state": state,
        "questions": questions,
        "truth": truth,
    }


def main(out, count=260):
    rng = random.Random(77)
    with open(out, "w") as file:
        file.writelines(json.dumps(row(rng, index)) + "\n" for index in range(int(count)))


if __name__ == "__main__":
    main(*sys.argv[1:3])
