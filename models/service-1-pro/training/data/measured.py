"""Rows about numbers: python -m data.measured OUT [rows]

A record, lines or a few sentences that hold several numbers with their units. What is asked is one of them, in the
words in which the engine asks for the number that a statement compares ("The flat has how many rooms?", see
src/questions/logic/compared-numbers.ts) and as people ask ("Rent", "How much is the rent?"); or one that is not there,
though others are. The statements that compare it are asked as well. Made from the lists below.
"""

import json
import random
import sys

# Things, what is measured of them: key in a record, its name, what a statement about it says before the number, the
# unit behind it, the least and most, and sentences that tell it.
THINGS = {
    "flat": [
        (
            "rent_eur",
            "rent",
            "The rent is",
            "euros",
            (350, 2400),
            "The rent is {} euros a month. | {} euros rent, cold.",
        ),
        ("rooms", "number of rooms", "The flat has", "rooms", (1, 7), "It has {} rooms. | {} rooms, newly painted."),
        (
            "area_m2",
            "area",
            "The flat is",
            "square metres",
            (18, 190),
            "The flat measures {} square metres. | {} square metres in all.",
        ),
        ("floor", "floor", "The floor is", "", (1, 14), "It lies on floor {}. | Floor {}, with a lift."),
        (
            "deposit_eur",
            "deposit",
            "The deposit is",
            "euros",
            (500, 6000),
            "A deposit of {} euros is asked for. | Deposit: {} euros.",
        ),
    ],
    "parcel": [
        (
            "weight_kg",
            "weight",
            "The parcel weighs",
            "kilograms",
            (1, 40),
            "It weighs {} kilograms. | The scales say {} kilograms.",
        ),
        (
            "days_on_way",
            "days on the way",
            "The parcel has been on its way for",
            "days",
            (1, 30),
            "It has been on its way for {} days. | Sent {} days ago.",
        ),
        (
            "value_usd",
            "value",
            "The parcel is worth",
            "dollars",
            (5, 900),
            "The goods are worth {} dollars. | Declared value: {} dollars.",
        ),
        (
            "attempts",
            "delivery attempts",
            "The carrier has tried",
            "times",
            (1, 5),
            "The carrier has tried {} times. | {} attempts to hand it over.",
        ),
        (
            "fee_usd",
            "fee",
            "The fee is",
            "dollars",
            (1, 45),
            "A fee of {} dollars is due. | The fee comes to {} dollars.",
        ),
    ],
    "customer": [
        ("age", "age", "The customer is", "years old", (18, 90), "She is {} years old. | Age {}."),
        (
            "orders",
            "orders so far",
            "The customer has placed",
            "orders",
            (1, 80),
            "There have been {} orders so far. | {} orders in her history.",
        ),
        (
            "calls",
            "calls",
            "The customer has called",
            "times",
            (1, 12),
            "She has called us {} times. | We had {} calls from her.",
        ),
        (
            "balance_eur",
            "balance",
            "The balance is",
            "euros",
            (1, 5000),
            "The balance of the account is {} euros. | {} euros are left on the account.",
        ),
        (
            "member_years",
            "years as a member",
            "The customer has been a member for",
            "years",
            (1, 25),
            "A member for {} years. | She joined {} years ago.",
        ),
    ],
    "service": [
        (
            "latency_ms",
            "latency",
            "The latency is",
            "milliseconds",
            (5, 3000),
            "Latency is at {} milliseconds. | Answers take {} milliseconds.",
        ),
        (
            "error_rate_pct",
            "error rate",
            "The error rate is",
            "percent",
            (1, 60),
            "The error rate stands at {} percent. | {} percent of the calls fail.",
        ),
        (
            "uptime_h",
            "uptime",
            "The uptime is",
            "hours",
            (1, 4000),
            "Up for {} hours. | The last restart was {} hours ago.",
        ),
        (
            "cpu_pct",
            "CPU load",
            "The CPU load is",
            "percent",
            (1, 99),
            "CPU load is {} percent. | The processor is {} percent busy.",
        ),
        (
            "restarts",
            "restarts",
            "The service has restarted",
            "times",
            (1, 30),
            "It restarted {} times. | {} restarts since midnight.",
        ),
        ("memory_mb", "memory", "The service uses", "MB", (40, 16000), "It uses {} MB of memory. | Memory: {} MB."),
    ],
    "trip": [
        (
            "price_gbp",
            "price",
            "The trip costs",
            "pounds",
            (20, 3000),
            "The trip costs {} pounds a head. | Price: {} pounds.",
        ),
        ("nights", "nights", "The trip takes", "nights", (1, 21), "We stay {} nights. | {} nights with breakfast."),
        (
            "people",
            "number of people",
            "The trip is for",
            "people",
            (1, 40),
            "We are {} people. | A group of {} people.",
        ),
        (
            "distance_km",
            "distance",
            "The distance is",
            "kilometres",
            (3, 4000),
            "It is {} kilometres away. | The way there is {} kilometres.",
        ),
        (
            "delay_min",
            "delay",
            "The delay is",
            "minutes",
            (2, 400),
            "The bus was {} minutes late. | A delay of {} minutes.",
        ),
    ],
    "invoice": [
        ("total_eur", "total", "The total is", "euros", (10, 9000), "The total is {} euros. | {} euros in total."),
        (
            "tax_pct",
            "tax rate",
            "The tax rate is",
            "percent",
            (1, 25),
            "Tax is charged at {} percent. | Including {} percent tax.",
        ),
        (
            "due_days",
            "days to pay",
            "It is payable in",
            "days",
            (3, 90),
            "Payable within {} days. | Please pay within {} days.",
        ),
        (
            "items",
            "number of items",
            "The invoice has",
            "items",
            (1, 60),
            "It lists {} items. | {} items were delivered.",
        ),
        (
            "discount_pct",
            "discount",
            "The discount is",
            "percent",
            (1, 40),
            "A discount of {} percent is granted. | {} percent off for early payment.",
        ),
    ],
    "applicant": [
        (
            "years_experience",
            "years of experience",
            "The applicant has",
            "years of experience",
            (1, 35),
            "She brings {} years of experience. | {} years in the job.",
        ),
        (
            "salary_eur",
            "salary wanted",
            "The salary wanted is",
            "euros",
            (24000, 140000),
            "She asks for {} euros a year. | Salary expectation: {} euros.",
        ),
        (
            "notice_months",
            "notice period",
            "The notice period is",
            "months",
            (1, 6),
            "Her notice period is {} months. | Free in {} months.",
        ),
        (
            "languages",
            "languages",
            "The applicant speaks",
            "languages",
            (1, 6),
            "She speaks {} languages. | {} languages, two of them fluently.",
        ),
        (
            "score",
            "test score",
            "The test score is",
            "points",
            (10, 100),
            "She scored {} points in the test. | Test: {} points.",
        ),
    ],
    "patient": [
        (
            "temperature_c",
            "temperature",
            "The temperature is",
            "degrees",
            (35, 42),
            "Temperature {} degrees. | The thermometer showed {} degrees.",
        ),
        (
            "pulse",
            "pulse",
            "The pulse is",
            "beats a minute",
            (45, 170),
            "Pulse {} beats a minute. | {} beats a minute at rest.",
        ),
        (
            "pain_days",
            "days of pain",
            "The pain has lasted",
            "days",
            (1, 60),
            "In pain for {} days. | It began {} days ago.",
        ),
        ("dose_mg", "dose", "The dose is", "mg", (5, 1000), "She takes {} mg in the morning. | Dose: {} mg."),
        ("visits", "visits", "The patient has come", "times", (1, 15), "She has come {} times. | {} visits this year."),
    ],
}
ASKS = ["{name}", "What is the {name}?", "{name}, as a number", "Give the {name}."]
MORE, LESS = ("more than", "over", "above", "at least"), ("less than", "under", "below", "at most")
ECHO, COMPARED = 0.6, 0.35  # of numbers: asked as the engine asks; compared as well
ABSENT = 0.2  # of rows: one number is asked that isn't there


def echo(said, unit, rng):
    """As the engine asks for the number of a statement with its unit, or without one."""
    if unit and rng.random() < 0.75:
        return f"{said} how many {unit}?"
    return f"{said} what?" if said.endswith((" is", " costs", " weighs")) else f"{said} is what?"


def wanted(name, said, unit, rng):
    """A question for a number."""
    asked = echo(said, unit, rng) if rng.random() < ECHO else rng.choice(ASKS).format(name=name)
    return {"type": "extract", "kind": "number", "instructions": asked[0].upper() + asked[1:]}


def number(span, rng):
    """A number of a range as it may be written, and its value."""
    value = rng.randint(*span)
    if span[1] > 100 and rng.random() < 0.3:
        cents = rng.randint(1, 99)
        return f"{value}.{cents:02}", value + cents / 100
    return (f"{value:,}" if value >= 1000 and rng.random() < 0.5 else str(value)), value


def compared(said, unit, value, rng):
    """A statement that compares the value, and whether it holds."""
    limit = max(1, round(value * rng.choice([0.3, 0.6, 0.8, 1.25, 1.6, 3])))
    is_more = rng.random() < 0.5
    word = rng.choice(MORE if is_more else LESS)
    holds = value > limit if is_more else value < limit
    if word in ("at least", "at most"):
        holds = holds or value == limit
    return f"{said} {word} {limit}{' ' + unit if unit else ''}.", holds


def told(thing, fields, numbers, rng):
    """A state that tells the numbers: a record, lines, or sentences."""
    how = rng.random()
    if how < 0.3:
        plain = {key: float(said.replace(",", "")) for (key, *_), (said, _) in zip(fields, numbers, strict=True)}
        record = {key: int(value) if value.is_integer() else value for key, value in plain.items()}
        return (
            {thing: record, "id": f"{rng.choice('ABKQX')}-{rng.randint(100, 9999)}"} if rng.random() < 0.5 else record
        )
    pairs = list(zip(fields, numbers, strict=True))
    if how < 0.45:
        return "\n".join(f"{name.capitalize()}: {said} {unit}".strip() for (_, name, _, unit, *_), (said, _) in pairs)
    lines = [rng.choice(sentences.split(" | ")).format(said) for (*_, sentences), (said, _) in pairs]
    return " ".join(lines)


def row(index, rng):
    thing = rng.choice(list(THINGS))
    fields = rng.sample(THINGS[thing], len(THINGS[thing]))
    shown, away = fields[:-1], fields[-1]
    if rng.random() < 0.5 and len(shown) > 2:
        shown = shown[: rng.randint(2, len(shown))]
    numbers = [number(span, rng) for *_, span, _ in shown]
    state = told(thing, shown, numbers, rng)
    whole = json.dumps(state) if not isinstance(state, str) else state
    questions, truth = {}, {}

    def ask(question, answer):
        questions[f"q{len(questions)}"], truth[f"q{len(truth)}"] = question, answer

    for (_, name, said, unit, *_), (written, value) in list(zip(shown, numbers, strict=True))[:3]:
        place = written if isinstance(state, str) else json.dumps(int(value) if value == int(value) else value)
        if whole.count(place) != 1:
            continue
        ask(wanted(name, said, unit, rng), place)
        if rng.random() < COMPARED:
            claim, holds = compared(said, unit, value, rng)
            ask({"type": "noul", "instructions": claim}, holds)
    if rng.random() < ABSENT:
        _, name, said, unit, *_ = away
        ask(wanted(name, said, unit, rng), None)
    return {
        "id": f"measured-{index:06d}",
        "source": "measured",
        "task": "measured",
        "licence": "Apache-2.0",
        "state": state,
        "questions": questions,
        "truth": truth,
    }


def main(out, count=9000):
    rng = random.Random(61)
    with open(out, "w", encoding="utf-8") as file:
        for index in range(int(count)):
            made = row(index, rng)
            if made["questions"]:
                file.write(json.dumps(made) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
