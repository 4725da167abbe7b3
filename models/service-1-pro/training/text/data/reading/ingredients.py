"""taisti/TASTEset: lists of what goes into 700 dishes, as cooks wrote them, with marks on amounts, units, foods and how
they should be (Wróblewska and others, 2022; MIT). Foods that are needed or not, how much of them, which of two is more.
"""

import csv
import fractions
import io
import json
import re
import unicodedata

from data.shared import pairs, rows

REPOSITORY = "taisti/TASTEset"
PATH, LICENCE = "data/TASTEset.csv", "MIT"
ROWS_EACH, QUESTIONS_EACH, FEWEST, MOST = 6, 3, 4, 16
STATED = {"PROCESS", "PHYSICAL_QUALITY", "COLOR", "TASTE"}
STATE = re.compile(
    r"(?:[a-z]+ly )?[a-z]+ed|(?:freshly )?ground|fresh|frozen|large|medium|small|whole|cold|hot|warm|ripe|black|white"
    r"|red|green|yellow|brown|dry|mild|sharp|boneless|skinless"
)
NOT_A_FOOD = re.compile(r"\b(?:with|and|or|for|to)\b|[\d,]")
PLAIN_NUMBER = re.compile(r"(?:(\d+) ?)?(\d+)/(\d+)|(\d+(?:\.\d+)?)")
UNITS = {"lb": "pound", "lbs": "pound", "oz": "ounce", "g": "gram", "ml": "milliliter"}
MEASURES = {"cup", "teaspoon", "tablespoon", "ounce", "pound", "gram", "milliliter", "quart", "pint"}
NEEDED = [
    ("The recipe takes {food}.", True),
    ("One needs {food} for this.", True),
    ("Should {food} go into it?", True),
    ("The list has {food} on it.", True),
    ("Somebody who makes this has to get {food}.", True),
    ("The recipe does without {food}.", False),
    ("The list asks for no {food}.", False),
    ("The list does not mention {food}.", False),
]
KIND = [
    ("The list asks for {state} {food}.", True),
    ("The list says that the {food} should be {state}.", True),
    ("Does the list say {state} {food}?", True),
    ("{State} is what the list says of the {food}.", True),
    ("The list does not say that the {food} should be {state}.", False),
    ("Nothing tells that one needs {state} {food}.", False),
    ('The word "{state}" is not about the {food}.', False),
]
MORE_OF = [
    ("The recipe takes more {one} than {other}.", True),
    ("There is more {one} than {other} in it, going by the amounts.", True),
    ("Is the amount of {one} larger than that of {other}?", True),
    ("The recipe takes less {one} than {other}.", False),
    ("There is less {one} than {other} in it, going by the amounts.", False),
    ("Is the amount of {one} smaller than that of {other}?", False),
]
ENOUGH = [
    ("Somebody who has {have} of {food} has enough of it.", True),
    ("{have} of {food} would be enough.", True),
    ("The recipe takes no more than {have} of {food}.", True),
    ("{have} of {food} would not be enough.", False),
    ("Somebody with {have} of {food} has to get more of it.", False),
    ("The recipe takes more than {have} of {food}.", False),
]
LEFT_OUT = [
    ("The list says that one may leave out the {food}.", True),
    ("May one make this without the {food}, by the list?", True),
    ("The list marks the {food} as optional.", True),
    ("The list treats the {food} as a fixed part of the recipe.", False),
    ("The list does not allow to leave out the {food}.", False),
    ("Nothing marks the {food} as optional.", False),
]
HOW_MUCH = ["What amount of {food}?", "Amount of {food}", "{food}: copy the amount", "Copy how much {food} it takes."]
WHICH_STATE = ["Which of these should be {state}?", "Of which does the list say {state}?", "{state}"]
WHICH_MOST = ["Which of these does the recipe take most of?", "The largest amount", "Of which is there the most?"]
HAVE = ["Which of these go into it?", "Tick what is on the list.", "What has to be bought of these?"]


def number(text):
    """The value of "1 1/2", "½" or "3"; None for a range or words."""
    text = " ".join(
        unicodedata.normalize("NFKC", text.replace("⁄", "/").replace("½", " 1/2")).replace("⁄", "/").split()
    )
    found = PLAIN_NUMBER.fullmatch(text)
    if not found:
        return None
    whole, above, below, plain = found.groups()
    return fractions.Fraction(plain) if plain else int(whole or 0) + fractions.Fraction(int(above), int(below))


class Item:
    """A line with one food: its amount as it is written, what number of which unit that is, and what it should be."""

    def __init__(self, line, marks):
        of = {kind: [one for one in marks if one["type"] == kind] for kind in ("FOOD", "QUANTITY", "UNIT", "PART")}
        self.line, self.food = line, of["FOOD"][0]["entity"].lower() if len(of["FOOD"]) == 1 else None
        if of["PART"] or (self.food and (NOT_A_FOOD.search(self.food) or len(self.food) < 3)):
            self.food = None
        self.states = {one["entity"].lower() for one in marks if one["type"] in STATED}
        self.optional = "optional" in line
        self.amount, self.value, self.unit = None, None, None
        self.is_plain = len(of["QUANTITY"]) <= 1 and len(of["UNIT"]) <= 1 and not re.search(r"\bor\b|\(", line)
        if self.is_plain and of["QUANTITY"]:
            first, last = of["QUANTITY"][0], (of["UNIT"] or of["QUANTITY"])[0]
            if re.fullmatch(r"\W*", line[first["end"] : last["start"]]):
                self.amount = line[first["start"] : last["end"]].strip()
            if of["UNIT"] and self.amount:
                unit = of["UNIT"][0]["entity"].lower()
                self.value, self.unit = number(first["entity"]), UNITS.get(unit, unit.rstrip("s"))


def items(text, marks):
    """Lines with their marks; places are those in the line."""
    begin, found = 0, []
    for line in text.splitlines(keepends=True):
        inside = [one for one in marks if begin <= one["start"] < begin + len(line)]
        moved = [one | {"start": one["start"] - begin, "end": one["end"] - begin} for one in inside]
        if line.strip():
            found.append(Item(line.rstrip(), moved))
        begin += len(line)
    return found


def lone(found):
    """Items whose food no other line speaks of."""
    named = [one for one in found if one.food]
    lines = [(one, one.line.lower()) for one in found]
    return [one for one in named if not any(one.food.rstrip("s") in line for other, line in lines if other is not one)]


def needed(found, foods, rnd):
    """Whether a food is on the list, or which of some are."""
    text = " ".join(one.line for one in found).lower()
    here = [one.food for one in lone(found)]
    away = list(dict.fromkeys(rnd.sample(foods, 40)))
    away = [food for food in away if not any(word in text for word in re.findall(r"\w{3,}", food))]
    if len(here) < 2 or len(away) < 3:
        return None
    if rnd.random() < 0.25:
        right = rnd.sample(here, rnd.randint(1, min(3, len(here))))
        shown = rnd.sample([*right, *away[:3]], len(right) + 3)
        asked = {"type": "select", "instructions": rnd.choice(HAVE), "options": shown}
        return asked, [food for food in shown if food in right]
    holds = rnd.random() < 0.5
    return rows.claim(NEEDED, holds, rnd, food=rnd.choice(here) if holds else away[0])


def stated(found, foods, rnd):
    """Whether a food should be chopped, fresh, brown; or which of them."""
    single = lone(found)
    told = [(one, state) for one in single for state in sorted(one.states) if STATE.fullmatch(state)]
    if not told or len(single) < 3:
        return None
    one, state = rnd.choice(told)
    others = [other for other in single if state not in other.line.lower()]
    if not others:
        return None
    if rnd.random() < 0.25 and len(others) > 1 and sum(state in each.line.lower() for each in found) == 1:
        shown = [one.food, *(other.food for other in rnd.sample(others, min(3, len(others))))]
        ask = rnd.choice(WHICH_STATE).format(state=state)
        return {"type": "choice", "instructions": ask, "criteria": pairs.shown(shown, rnd)}, one.food
    holds = rnd.random() < 0.5
    food = one.food if holds else rnd.choice(others).food
    return rows.claim(KIND, holds, rnd, food=food, state=state, State=state.capitalize())


def amount(found, foods, rnd):
    """How much of a food, copied; of some the list does not tell."""
    single = [one for one in lone(found) if one.is_plain]
    told = [one for one in single if one.amount]
    untold = [one for one in single if not one.amount and not re.search(r"\d|taste|few|some", one.line)]
    if not told:
        return None
    one = rnd.choice(untold if untold and rnd.random() < 0.2 else told)
    return {"type": "extract", "instructions": rnd.choice(HOW_MUCH).format(food=one.food)}, one.amount


def compared(found, foods, rnd):
    """Which of two foods there is more of, or of several most, measured in the same unit."""
    single = [one for one in lone(found) if one.value]
    rnd.shuffle(single)
    for one in single:
        others = [other for other in single if other.unit == one.unit and other.value != one.value]
        if len(others) > 1 and rnd.random() < 0.3:
            shown = [one, *others[:3]]
            most = max(shown, key=lambda each: each.value)
            if sum(each.value == most.value for each in shown) == 1:
                ask, names = rnd.choice(WHICH_MOST), [each.food for each in shown]
                return {"type": "choice", "instructions": ask, "criteria": pairs.shown(names, rnd)}, most.food
        if others:
            one, other = rnd.sample([one, rnd.choice(others)], 2)
            return rows.claim(MORE_OF, one.value > other.value, rnd, one=one.food, other=other.food)
    return None


def enough(found, foods, rnd):
    """Whether somebody who has so much of a food has enough."""
    single = [one for one in lone(found) if one.value and one.unit in MEASURES]
    if not single:
        return None
    one, holds = rnd.choice(single), rnd.random() < 0.5
    have = one.value * rnd.choice([1, 1, 2, fractions.Fraction(3, 2)] if holds else [fractions.Fraction(1, 2)] * 2)
    whole, part = divmod(have, 1)
    said = " ".join(filter(None, [str(whole) if whole else "", str(part) if part else ""]))
    unit = one.unit if have <= 1 else f"{one.unit}s"
    return rows.claim(ENOUGH, holds, rnd, have=f"{said} {unit}", food=one.food)


def left_out(found, foods, rnd):
    """Whether a food is optional."""
    single = [one for one in lone(found) if not re.search(r"\bor\b", one.line)]
    by = {holds: [one.food for one in single if one.optional == holds] for holds in (True, False)}
    if not by[True] or not by[False]:
        return None
    holds = rnd.random() < 0.5
    return rows.claim(LEFT_OUT, holds, rnd, food=rnd.choice(by[holds]))


def shown(found, rnd):
    lines = [one.line for one in found]
    drawn = rnd.random()
    if drawn < 0.5:
        return "\n".join(lines)
    if drawn < 0.65:
        return "\n".join(f"- {line}" for line in lines)
    return {rnd.choice(["ingredients", "ingredients", "shopping_list"]): lines} if drawn < 0.85 else lines


def read(show, rnd):
    lists = [
        items(one["ingredients"], json.loads(one["ingredients_entities"]))
        for one in csv.DictReader(io.StringIO(show(PATH)))
    ]
    foods = [one.food for found in lists for one in found if one.food]
    kinds, count = [needed, stated, amount, compared, enough, left_out], 0
    for found in lists:
        if not FEWEST <= len(found) <= MOST:
            continue
        for _ in range(ROWS_EACH):
            made = [kind(found, foods, rnd) for kind in rnd.sample(kinds, len(kinds))]
            made = {one[0]["instructions"]: one for one in made if one is not None}
            if made:
                state = shown(found, rnd)
                asked = list(made.values())[:QUESTIONS_EACH]
                yield rows.row(f"ingredients-{count:05d}", "lists of ingredients", LICENCE, state, asked)
                count += 1
