"""anesta95/food_safety_recalls (collected by Anesta): notices of the United States that food is called back, of its
Food Safety and Inspection Service (Department of Agriculture) and its Food and Drug Administration. In English.

The repository has no licence file. The notices are works of the United States Government, which are in the public
domain (17 U.S.C. 105; the FDA says: "the contents of the FDA website are not copyrighted").

Rows are a notice (why, who, what, where), and a notice beside a package: is it one of those, and if not, why not.
"""

import collections
import datetime
import html
import json
import re
import string

from data.shared import evened, one_of_kinds, rows

REPOSITORY = "anesta95/food_safety_recalls"
LICENCE = "public domain (United States Government)"
PATHS = ["transformed_staged_data/usda_food_safety_recalls_staged.json", "clean_data/food_safety_recalls.json"]
TIMES, PACKAGES, MOST_WORDS = 3, 8, 75
SPANISH = re.compile(r"(?i)\b(?:retira|emite|alerta|debido|productos|posible)\b")
REASONS = {
    "allergen": r"undeclared|allerg",
    "germ": r"listeria|salmonella|e\. ?coli|botulin|staphyl|hepatitis|norovirus|stec\b",
    "matter": r"foreign (?:matter|material|object)|extraneous|metal (?:frag|piece)|plastic (?:frag|piece)|glass|rubber",
    "uninspected": r"without (?:the )?benefit of (?:federal |usda )?inspection|without inspection",
    "import": r"import|ineligible",
    "process": r"process\w* (?:deviation|flaw|defect)|under ?process|temperature abuse|undercook",
    "lead": r"\blead\b|cesium|radionuclide|heavy metal|elevated levels",
}
WHY = one_of_kinds.written(
    {
        "allergen": (
            [
                "An allergen is not on the label.",
                "People with an allergy are at risk.",
                "Is an ingredient missing on the label?",
                "The label keeps quiet about an allergen.",
            ],
            [
                "The reason is something else than an allergen.",
                "The label does not hide an allergen, as far as this tells.",
            ],
        ),
        "germ": (
            [
                "The food may carry germs.",
                "Bacteria are the reason.",
                "Is there a danger of an infection or food poisoning by germs?",
                "It is about a contamination with bacteria.",
            ],
            ["The reason is something else than bacteria.", "No germs are feared in this case."],
        ),
        "matter": (
            [
                "Pieces of something that nobody eats may be in the food.",
                "Foreign bodies are the reason.",
                "Could there be bits of some foreign material in it?",
                "It is about objects in the food.",
            ],
            ["The reason is something else than foreign bodies.", "No foreign material is feared in this case."],
        ),
        "uninspected": (
            [
                "The food was made without the inspection that is required.",
                "No inspector had looked at the production.",
                "Is a lack of inspection the reason?",
            ],
            ["The reason is something else than a lack of inspection.", "This is not about inspections."],
        ),
    }
)
NAMES = [
    {
        "allergen": "undeclared allergen",
        "germ": "bacteria",
        "matter": "foreign material",
        "uninspected": "produced without inspection",
        "import": "import rules not kept",
        "process": "processing fault",
        "lead": "metal or radiation",
    },
    {
        "allergen": "allergens",
        "germ": "pathogens",
        "matter": "foreign bodies",
        "uninspected": "no inspection",
        "import": "illegal import",
        "process": "fault in cooking or cooling",
        "lead": "toxic substance",
    },
]
DESCRIPTIONS = {
    "allergen": "an ingredient that people react to is not on the label",
    "germ": "germs like Listeria or Salmonella may be in it",
    "matter": "pieces of something else may be in it",
    "uninspected": "the required inspection did not take place",
    "import": "it should not have come into the country like this",
    "process": "it may not have been heated or kept as it should",
    "lead": "lead, caesium or the like was found",
}
ASKS = ["Why was it called back?", "The reason", "File the notice under a reason.", "What is wrong with the food?"]
WHO = ["Who recalls the food?", "Company", "The firm that recalls it", "Who called it back?"]
WHAT = ["What is recalled?", "Copy the name of what is recalled.", "Product", "Which food?"]
SHIPPED = [
    ("The food was shipped to {state}.", True),
    ("{state} is one of the states concerned.", True),
    ("Did it go to {state}?", True),
    ("Shops in {state} may have had it.", True),
    ("{state} is not among the states concerned.", False),
    ("The food did not go to {state}.", False),
    ("The list of states leaves out {state}.", False),
]
ALLERGENS = {
    "milk": r"milk",
    "eggs": r"\beggs?\b",
    "wheat": r"wheat|gluten",
    "soy": r"\bsoy",
    "peanuts": r"peanut",
    "nuts": r"almond|cashew|walnut|pecan|hazelnut|pistachio|tree ?nut",
    "fish": r"\bfish|anchov|tuna|salmon|cod\b|mackerel",
    "shellfish": r"shrimp|crab|lobster|shellfish|crustacean",
    "sesame": r"sesame|tahini",
    "sulfites": r"sul[fp]h?ite",
}
ALLERGIC = [
    ("{what} is not on the label, but in the food.", True),
    ("Somebody who must not eat {lower} is warned.", True),
    ("Is undeclared {lower} the matter?", True),
    ("The warning concerns people with an allergy to {lower}.", True),
    ("The notice is about something else than {lower}.", False),
    ("{what} is not what was left off the label.", False),
    ("Undeclared {lower} is not the reason.", False),
]
WHICH = ["Which allergen is in question?", "What was not on the label?", "The undeclared ingredient", "Allergen"]
COVERED = [
    ("The package is one of those called back.", True),
    ("The recall covers this package.", True),
    ("Does the customer have to throw this away?", True),
    ("The package has to be returned or thrown away.", True),
    ("This package is affected.", True),
    ("The package is not affected.", False),
    ("The recall does not cover this package.", False),
    ("The customer may keep this package.", False),
    ("Is this package none of those in question?", False),
]
DIFFERS = ["Why is the package affected or not?", "Compare the package with the notice.", "The result of the check"]
RESULTS = {
    None: ["product and date fit", "it is affected", "match"],
    "date": ["the date does not fit", "other date", "right product, another date"],
    "product": ["it is another product", "other product", "the product does not fit"],
}
PARTS = [("recall", "package"), ("notice", "product"), ("recall", "in_stock"), ("notice", "on_the_shelf")]
DATE = re.compile(r"\b(\d{1,2})([/-])(\d{1,2})\2(\d{4}|\d{2})\b")
QUOTED = re.compile(r"[“\"]([^“”\"]{8,90})[”\"]")
STATES = dict(
    one.split(":")
    for one in (
        "AL:Alabama,AZ:Arizona,AR:Arkansas,CA:California,CO:Colorado,CT:Connecticut,FL:Florida,GA:Georgia,ID:Idaho,"
        "IL:Illinois,IN:Indiana,IA:Iowa,KS:Kansas,KY:Kentucky,LA:Louisiana,ME:Maine,MD:Maryland,MA:Massachusetts,"
        "MI:Michigan,MN:Minnesota,MS:Mississippi,MO:Missouri,MT:Montana,NE:Nebraska,NV:Nevada,NJ:New Jersey,"
        "NM:New Mexico,NY:New York,OH:Ohio,NC:North Carolina,OK:Oklahoma,OR:Oregon,PA:Pennsylvania,SC:South Carolina,"
        "TN:Tennessee,TX:Texas,UT:Utah,VA:Virginia,WA:Washington,WI:Wisconsin"
    ).split(",")
)


def plain(text):
    return rows.plain(html.unescape(html.unescape(text or "")).lstrip("• \t"))


def notices(show):
    """Title, reason, products, states of each notice in English."""
    found = {}
    for path in PATHS:
        for one in json.loads(show(path)):
            title = plain(one["title"])
            if SPANISH.search(title) or len(title.split()) < 6:
                continue
            reason = plain(one["recall_reason"]) if one["agency"] == "FDA" and one["recall_reason"] else ""
            states = [] if "US" in one["impacted_states"] else one["impacted_states"]
            found[title] = {
                "title": title,
                "reason": reason,
                "product": plain(one["product_description"]),
                "states": states,
                "agency": one["agency"],
            }
    return list(found.values())


def reason(one):
    """The one reason that is told; None where it is none of these or several."""
    told = f"{one['title']} {one['reason']}"
    if re.search(r"(?i)import.*inspection", told):
        return None  # both at once
    found = [kind for kind, pattern in REASONS.items() if re.search(pattern, told, re.I)]
    return found[0] if len(found) == 1 else None


def allergens(one):
    """Allergens that are told to be undeclared."""
    told = re.search(r"(?i)undeclared(.*)", one["reason"] or one["title"])
    return [name for name, pattern in ALLERGENS.items() if told and re.search(pattern, told[0], re.I)]


def shown(one, rnd):
    """The notice as a record or a text; products only where they are short."""
    state = {"title": one["title"]}
    if one["reason"] and rnd.random() < 0.8:
        state["reason"] = one["reason"]
    if one["product"] and len(one["product"].split()) <= MOST_WORDS and one["product"][-1] in '.”")':
        state["product"] = one["product"]
    if one["states"] and len(one["states"]) < 25:
        state["states"] = one["states"]
    if rnd.random() < 0.5:
        return state
    words = {"states": ", ".join(state["states"])} if "states" in state else {}
    return rows.named(state | words, len(state) > 1) if len(state) > 1 else one["title"]


def parts(one, rnd):
    """Who recalls what, as the title has it."""
    found = re.fullmatch(
        r"(.{4,60}?),? (?:Voluntarily )?(?i:recalls) (.{6,90}?)(?: (?i:due to|because of|produced without) .*)?",
        one["title"],
    )
    if found is None or re.search(r"(?i)\bfirm$|\bissue|\bexpand|\bannounce|:|release", found[1]):
        return
    if rnd.random() < 0.5:
        yield {"type": "extract", "instructions": rnd.choice(WHO)}, found[1]
    if rnd.random() < 0.5 and found[2] in one["title"]:
        yield {"type": "extract", "instructions": rnd.choice(WHAT)}, found[2]


def asks(one, state, surplus, rnd):
    kind, told = reason(one), allergens(one)
    if kind:
        truths = {name: name == kind for name in ("allergen", "germ", "matter", "uninspected")}
        yield from one_of_kinds.claims(truths, WHY, rnd.choice([1, 1, 2]), surplus, rnd)
        if rnd.random() < 0.4:
            yield one_of_kinds.choice(kind, NAMES, ASKS, rnd, most=6, descriptions=DESCRIPTIONS)
    if told and kind == "allergen" and (one["reason"] or "Allergen" not in one["title"]):
        holds = rnd.random() < 0.5
        others = [name for name in ALLERGENS if name not in told]
        name = rnd.choice(told if holds else others)
        yield evened.claim(ALLERGIC, holds, surplus, rnd, what=name.capitalize(), lower=name)
        if len(told) == 1 and rnd.random() < 0.5:
            options = [*told, *rnd.sample(others, rnd.randint(2, 5))]
            rnd.shuffle(options)
            yield {"type": "choice", "instructions": rnd.choice(WHICH), "criteria": options}, told[0]
    yield from parts(one, rnd)
    listed = state.get("states") if isinstance(state, dict) else one["states"] if "States:" in state else None
    if listed and rnd.random() < 0.5:
        holds = rnd.random() < 0.5
        fitting = [name for code, name in STATES.items() if (code in listed) == holds and name not in one["title"]]
        if fitting:
            yield evened.claim(SHIPPED, holds, surplus, rnd, state=rnd.choice(fitting))


def packaged(one):
    """(name of the only product, dates on its label) where the notice has them in plain words."""
    names = [
        name.strip(" ,.;") for name in QUOTED.findall(one["product"]) if not re.search(r"\d", name) and " " in name
    ]
    dates = DATE.findall(one["product"])
    vague = re.search(
        r"(?i)through|between|ranging|\bor later|before|prior|\bto\b (?:and|\d)|all product|\d ?[–—]", one["product"]
    )
    long = len(one["product"].split()) > MOST_WORDS or one["product"][-1:] not in (".", "”", '"')
    return (names[0], dates) if len(names) == 1 and dates and not vague and not long else None


def other_date(dates, rnd):
    """A day near one of those on the label, written in the same way; None where it is on the label, too."""
    month, mark, day, year = rnd.choice(dates)
    try:
        when = datetime.date(int(year) % 100 + 2000, int(month), int(day))
    except ValueError:
        return None
    when += datetime.timedelta(days=rnd.choice([-30, -7, -2, -1, 1, 2, 7, 14, 31]))
    told = {(int(one[0]), int(one[2]), int(one[3]) % 100) for one in dates}
    if (when.month, when.day, when.year % 100) in told:
        return None
    width = 2 if len(month) == 2 and len(day) == 2 else 1
    shown_year = str(when.year) if len(year) == 4 else f"{when.year % 100:02}"
    return f"{when.month:0{width}}{mark}{when.day:0{width}}{mark}{shown_year}"


def package(one, names, surplus, rnd):
    """(state, questions): a notice beside a package."""
    name, dates = packaged(one)
    off = rnd.choice([None, None, "date", "date", "product"])
    month, mark, day, year = rnd.choice(dates)
    date = other_date(dates, rnd) if off == "date" else f"{month}{mark}{day}{mark}{year}"
    if off == "product":
        shared = set(re.findall(r"\w+", name.lower()))
        others = [other for other in names if not shared & set(re.findall(r"\w{4,}", other.lower()))]
        name = rnd.choice(others)
    if date is None:
        return None
    first, second = rnd.choice(PARTS)
    written = rnd.choice([str, string.capwords, str.lower])(name)
    item = {"name": written, "date": date} if rnd.random() < 0.6 else f"{written}, dated {date}"
    state = {first: {"title": one["title"], "product": one["product"]}, second: item}
    if rnd.random() < 0.4:
        said = item if isinstance(item, str) else f"{item['name']}, date on the label {item['date']}"
        state = (
            f"{first.capitalize()}: {one['title']}. {one['product']}\n{second.replace('_', ' ').capitalize()}: {said}"
        )
    made = [evened.claim(COVERED, off is None, surplus, rnd)]
    if rnd.random() < 0.5:
        n = rnd.randrange(3)
        options = rnd.sample([said[n] for said in RESULTS.values()], 3)
        made.append(({"type": "choice", "instructions": rnd.choice(DIFFERS), "criteria": options}, RESULTS[off][n]))
    return state, made


def read(show, rnd):
    every, surplus, made = notices(show), collections.Counter(), []
    boxed = [one for one in every if one["product"] and packaged(one)]
    names = sorted({packaged(one)[0] for one in boxed})
    for one in every * TIMES:
        state = shown(one, rnd)
        made.append(("recalls", state, list(asks(one, state, surplus, rnd))))
    for one in boxed * PACKAGES:
        found = package(one, names, surplus, rnd)
        made.append(("packages", *(found or ("", []))))
    for count, (source, state, asked) in enumerate(rnd.sample(made, len(made))):
        asked = [each for each in asked if each]
        if asked:
            yield rows.row(f"{source}-{count:05d}", "recalls of food", LICENCE, state, asked[:4])
