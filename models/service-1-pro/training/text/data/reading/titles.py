"""wbsg-uni-mannheim/ExtractGPT (its part of OA-Mine): titles of products as a shop lists them, with marks by people on
brand, colour, size, content and the like (Zhang and others, 2022; Brinkmann and others, 2023; both Apache 2.0).

Rows are titles: what is given, and as what; a search or an order beside a title: does it fit, and what differs.
Searches are made of marked values; one that does not fit has a value of another product, which the title has nowhere.
"""

import collections
import json
import re

from data.shared import evened, rows

REPOSITORY = "wbsg-uni-mannheim/ExtractGPT"
LICENCE = "Apache 2.0"
PATHS = [f"data/processed_datasets/oa-mine/{part}.jsonl" for part in ("train", "test")]
TIMES, MOST_WORDS = 3, 5
SORTS = {
    "Shoes": ("shoes", "worn on the feet"),
    "Vitamin": ("vitamins", "capsules, gummies and powders that are taken for health"),
    "Coffee": ("coffee", "beans, grounds and pods"),
    "Toothbrush": ("toothbrushes", "for the care of teeth"),
    "Breakfast Cereal": ("breakfast cereal", "flakes, oats and granola"),
    "Sunscreen": ("sunscreen", "protects the skin from the sun"),
    "Conditioner": ("hair conditioner", "makes hair soft after washing"),
    "Laundry Detergent": ("laundry detergent", "washes clothes"),
    "Safety Mask": ("face masks", "cover mouth and nose"),
    "Tea": ("tea", "leaves and bags for a hot drink"),
}
NAMES = {  # attribute -> how it is called
    "Brand": ["brand", "brand"],
    "Color": ["colour", "color"],
    "Gender": ["gender", "target group"],
    "Size": ["size", "shoe size"],
    "Net content": ["net content", "content"],
    "Volume": ["volume", "net content"],
    "Pack size": ["number of packs", "pack size"],
    "Flavor": ["flavour", "flavor"],
    "Dosage": ["dosage", "dose"],
    "Roast type": ["roast", "degree of roasting"],
    "Protection level": ["protection level", "sun protection factor"],
    "Firmness": ["firmness of the bristles", "firmness"],
    "Shoe type": ["type of shoe", "shoe type"],
    "Scent": ["scent", "scent"],
    "Layer": ["number of layers", "layers"],
}
NUMBERED = {"Size", "Net content", "Volume", "Pack size", "Dosage", "Protection level", "Layer"}
ONLY = {  # attribute -> sorts of products where marks on it can be relied on
    "Size": {"Shoes"},
    "Color": {"Shoes", "Toothbrush", "Safety Mask"},
    "Flavor": {"Vitamin", "Breakfast Cereal", "Tea"},
    "Net content": SORTS.keys() - {"Safety Mask"},
}
CORES = {  # attribute -> values that exclude each other
    "Gender": {"women": r"\bwom[ae]n|\bfemale|\blad(?:y|ies)|\bgirl", "men": r"\bmen|\bmale|\bboy"},
    "Roast type": {"light": r"\blight|blonde", "medium": r"\bmedium", "dark": r"\bdark"},
    "Firmness": {"soft": r"\bsoft", "medium": r"\bmedium", "firm": r"\bfirm|\bhard"},
}
COLOURS = {  # families whose names exclude each other
    "black": "black jet onyx",
    "white": "white ivory cream bone pearl",
    "grey": "grey gray charcoal silver graphite slate gunmetal pewter steel",
    "blue": "blue navy royal denim indigo turquoise teal aqua ocean",
    "brown": "brown tan chocolate cognac chestnut beige sand camel taupe mocha coffee walnut khaki natural",
    "red": "red burgundy wine crimson cherry oxblood maroon",
    "green": "green olive lime mint sage",
    "pink": "pink rose fuchsia magenta coral",
    "purple": "purple violet lavender plum",
    "yellow": "yellow gold mustard lemon",
}
VAGUE = re.compile(
    r"\b(?:assorted|colors?|multi\w*|various|vary|print\w*|free|clear|original|fresh|unscented|regular|colou?rful|gentle)\b",
    re.I,
)
LACKED = ["Color", "Flavor", "Scent", "Pack size", "Dosage", "Roast type"]
COPY = ["{name}", "Which {name}?", "Copy the {name}.", "The {name} as it is written", "{name} of the product"]
IS = [
    ("The {name} is {said}.", True),
    ("{name}: {said}", True),
    ("Is the {name} {said}?", True),
    ('The title gives "{said}" as the {name}.', True),
    ("The product has the {name} {said}.", True),
    ("The {name} is something else than {said}.", False),
    ("The {name} is not {said}.", False),
    ('"{said}" would be the wrong {name} for this product.', False),
    ("The title does not give {said} as the {name}.", False),
]
CHOOSE = ["What is the {name}?", "{name}", "Choose the {name}.", "Which {name} does the product have?"]
WHAT = ["What is sold?", "Category", "In which department does it belong?", "Sort of product", "File the product."]
FITS = [
    ("The product is what was searched for.", True),
    ("The result fits the search.", True),
    ("Is this what the customer looks for?", True),
    ("Everything that is asked for is met.", True),
    ("The shop should show this product.", True),
    ("Something that is asked for is not met.", False),
    ("The product is not quite what was searched for.", False),
    ("Is this another product than the one looked for?", False),
    ("One of the wishes is not fulfilled.", False),
]
FOR_SEARCH = [
    ('The product fits the search "{search}".', True),
    ('Somebody who searches for "{search}" finds the right thing here.', True),
    ('Is this a match for "{search}"?', True),
    ('"{search}" describes this product.', True),
    ("The title meets all of this: {search}", True),
    ('The product does not fit the search "{search}".', False),
    ('Somebody who searches for "{search}" wants something else.', False),
    ('"{search}" is not right for this product.', False),
    ("Something of this is not met: {search}", False),
]
DIFFERS = ["What differs?", "What is not as it was asked for?", "Where does the product not fit?", "What is wrong?"]
NOTHING = ["nothing", "it fits", "none of these"]
FOUND = ["Which product fits?", "The right result", "What should be shown?", "Which of these is meant?"]
PARTS = [
    ("search", "product"),
    ("query", "result"),
    ("wanted", "offered"),
    ("ordered", "delivered"),
    ("query", "title"),
]


def words(said):
    return set(re.findall(r"[a-z]+|\d+(?:\.\d+)?", said.lower()))


def core(name, said):
    """Of attributes with few values: which one it is; None where it is none or two of them."""
    found = [one for one, pattern in CORES[name].items() if re.search(pattern, said, re.I)]
    return found[0] if len(found) == 1 else None


def colours(said):
    return {one for one, names in COLOURS.items() if words(said) & set(names.split())}


def usable(sort, name, said):
    if name not in NAMES or sort not in ONLY.get(name, SORTS) or len(said.split()) > MOST_WORDS:
        return False
    if name == "Pack size" and not re.search(r"pack|count|\bct\b", said, re.I):
        return False
    if name in NUMBERED:
        return bool(re.search(r"\d", said) and re.search(r"[A-Za-z]", said))
    return not VAGUE.search(said) and not re.search(r"\d", said) and (name not in CORES or core(name, said) is not None)


def products(show):
    """(sort, title, attribute -> value as written, all marked attributes) of every product."""
    read = [json.loads(line) for path in PATHS for line in show(path).splitlines()]
    marked = []
    for one in {each["input"]: each for each in read}.values():
        values = {name: next(iter(said)).strip(" ,.") for name, said in one["target_scores"].items()}
        marked.append((one["category"], one["input"], values))
    seen = collections.Counter(
        (sort, name, said.lower()) for sort, _, all_of in marked for name, said in all_of.items()
    )
    for sort, title, all_of in marked:
        values = {}
        for name, said in all_of.items():
            often = seen[sort, name, said.lower()] > (2 if name == "Brand" else 1)
            certain = name in NUMBERED or often or (name == "Color" and colours(said))
            if usable(sort, name, said) and certain and title.count(said) == 1:
                values[name] = said
        yield sort, title, values, set(all_of)


def excluded(name, said, right, title):
    """Whether a value of another product is surely not one of this product."""
    if name in CORES:
        return core(name, said) != core(name, right) and core(name, title) in (core(name, right), None)
    if name == "Color":
        return bool(colours(said) and colours(right)) and not colours(said) & colours(title)
    if name in NUMBERED:
        alike = words(said) - set(re.findall(r"[\d.]+", said)) == words(right) - set(re.findall(r"[\d.]+", right))
        return alike and not set(re.findall(r"\d+", said)) & set(re.findall(r"\d+", title))
    return not words(said) & words(title) and not any(len(one) > 3 and one in title.lower() for one in words(said))


def wrong(sort, name, title, right, by_kind, rnd, count=1):
    found = [one for one in by_kind[sort, name] if excluded(name, one, right, title)]
    kept = {core(name, one) if name in CORES else one.lower(): one for one in found}
    return rnd.sample(list(kept.values()), min(len(kept), count))


def named(name, rnd):
    said = rnd.choice(NAMES[name])
    return said, rows.begun(said)


def on_values(sort, title, values, by_kind, surplus, rnd):
    """Questions on what the title gives."""
    for name in rnd.sample(list(values), min(len(values), 3)):
        said, (plain, capital), drawn = values[name], named(name, rnd), rnd.random()
        others = wrong(sort, name, title, said, by_kind, rnd, rnd.randint(2, 4))
        if drawn < 0.3:
            ask = rnd.choice(COPY)
            yield {"type": "extract", "instructions": ask.format(name=capital if ask.startswith("{") else plain)}, said
        elif drawn < 0.5 and len(others) > 1:
            options = rnd.sample([said, *others], len(others) + 1)
            ask = rnd.choice(CHOOSE)
            ask = ask.format(name=capital if ask.startswith("{") else plain)
            yield {"type": "choice", "instructions": ask, "criteria": options}, said
        elif others:
            holds = rnd.random() < 0.5
            claim = said if holds else others[0]
            yield evened.claim(IS, holds, surplus, rnd, name=plain, said=claim)


def lacking(sort, title, marked, by_kind, rnd):
    """A quote of an attribute that the title says nothing about; None where it may."""
    name = rnd.choice(LACKED)
    told = words(title) & set().union(*(words(one) for one in by_kind[sort, name]))
    if name in marked or sort not in ONLY.get(name, SORTS) or told or not by_kind[sort, name]:
        return None
    if name == "Pack size" and re.search(r"pack|count|\bct\b|box|x \d|pcs|pieces", title, re.I):
        return None
    return {"type": "extract", "instructions": rnd.choice(COPY[:3]).format(name=named(name, rnd)[0])}, None


def search_of(sort, title, wish, rnd):
    """What somebody would type who wants these values; the sort where the title has it."""
    said = dict(wish)
    order = ["Firmness", "Brand", "Color", "Gender", "Flavor", "Scent", "Roast type", "Dosage", "Protection level"]
    order += ["Shoe type", "sort", "Layer", "Size", "Net content", "Volume", "Pack size"]
    if "Shoe type" not in said and (sort == "Shoes" or sort.split()[-1].lower() in title.lower()):
        called = {"Shoes": "shoes", "Vitamin": "vitamins", "Safety Mask": "face mask"}.get(sort, sort)
        if not words(called) & set().union(*map(words, wish.values())):
            said["sort"] = called
    typed = [("size " if name == "Size" else "") + said[name] for name in order if name in said]
    return " ".join(typed).lower() if rnd.random() < 0.7 else " ".join(typed)


def wanted(sort, title, values, by_kind, rnd):
    """(attribute -> value of a wish, the attribute that this product does not meet or None)."""
    names = [name for name in values if name != "Layer"]
    names = rnd.sample(names, min(len(names), rnd.randint(2, 4)))
    wish = {name: values[name] for name in names}
    if rnd.random() < 0.5:
        return wish, None
    for name in rnd.sample(names, len(names)):
        other = wrong(sort, name, title, values[name], by_kind, rnd)
        if other:
            return wish | {name: other[0]}, name
    return wish, None


def fits(sort, title, values, by_kind, surplus, rnd):
    """(state, questions) of a wish beside a title."""
    wish, off = wanted(sort, title, values, by_kind, rnd)
    first, second = rnd.choice(PARTS)
    typed, as_record = search_of(sort, title, wish, rnd), rnd.random() < 0.4
    if rnd.random() < 0.3:
        return title, [evened.claim(FOR_SEARCH, off is None, surplus, rnd, search=typed)]
    if as_record:
        asked = {rnd.choice(NAMES[name]): said for name, said in wish.items()}
    made = [evened.claim(FITS, off is None, surplus, rnd)]
    if as_record and rnd.random() < 0.7:
        none = rnd.choice(NOTHING)
        options = rnd.sample([*asked, none], len(asked) + 1)
        right = next((called for called, said in asked.items() if off and said == wish[off]), none)
        made.append(({"type": "choice", "instructions": rnd.choice(DIFFERS), "criteria": options}, right))
    state = {first: asked if as_record else typed, second: title}
    return rows.named(state, not as_record and rnd.random() < 0.5), made


def found(sort, products_of, by_kind, rnd):
    """(state, questions): a search, and several products of a sort of which one fits."""
    title, values, _ = rnd.choice(products_of)
    names = rnd.sample(list(values), min(len(values), rnd.randint(2, 3)))
    others = []
    for other, its, _ in rnd.sample(products_of, min(len(products_of), 40)):
        off = [name for name in names if name in its and excluded(name, values[name], its[name], other)]
        shared = sum(its.get(name, "").lower() == values[name].lower() for name in names)
        if off:
            others.append((shared, other))
    others = [other for _, other in sorted(others, key=lambda one: -one[0])[: rnd.randint(2, 4)]]
    if len(names) < 2 or len(others) < 2:
        return None
    options = rnd.sample([title, *others], len(others) + 1)
    state = search_of(sort, title, {name: values[name] for name in names}, rnd)
    asked = {"type": "choice", "instructions": rnd.choice(FOUND), "criteria": options}, title
    return ({"search": state} if rnd.random() < 0.4 else state), [asked]


def described(sort, title, rnd):
    """What is sold."""
    shown = [sort, *rnd.sample([one for one in SORTS if one != sort], rnd.randint(3, 6))]
    rnd.shuffle(shown)
    criteria = dict(SORTS[one] for one in shown) if rnd.random() < 0.5 else [SORTS[one][0] for one in shown]
    return {"type": "choice", "instructions": rnd.choice(WHAT), "criteria": criteria}, SORTS[sort][0]


def read(show, rnd):
    every, surplus, made = list(products(show)), collections.Counter(), []
    by_kind, by_sort = collections.defaultdict(list), collections.defaultdict(list)
    for sort, title, values, marked in every:
        by_sort[sort].append((title, values, marked))
        for name, said in values.items():
            by_kind[sort, name].append(said)
    for sort, title, values, marked in every * TIMES:
        if len(values) > 1:
            asked = list(on_values(sort, title, values, by_kind, surplus, rnd))
            asked.append(lacking(sort, title, marked, by_kind, rnd) if rnd.random() < 0.4 else None)
            asked.append(described(sort, title, rnd) if rnd.random() < 0.15 else None)
            made.append(("titles", {"title": title} if rnd.random() < 0.25 else title, asked))
            made.append(("fits", *fits(sort, title, values, by_kind, surplus, rnd)))
    for sort, products_of in by_sort.items():
        for _ in range(120):
            made.append(("fits", *(found(sort, products_of, by_kind, rnd) or ("", []))))
    made = [(source, state, [one for one in asked if one]) for source, state, asked in made]
    for count, (source, state, asked) in enumerate(one for one in made if one[2]):
        yield rows.row(f"{source}-{count:05d}", "titles of products", LICENCE, state, asked[:4])
