"""Written values are chosen, not spelled: what a text holds of a kind, each with its place and what it is worth.

`candidates(text, kind)` for int, number and date gives (begin, end, value); a value is a number or YYYY-MM-DD. A
question
for a value is trained and answered as a quote that has to be one of them, so every answer is a valid value.
"""

import datetime
import re

KINDS = ("int", "number", "date")
UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
)
SMALL = {name: n for n, name in enumerate([*UNITS.split(" "), "eighteen", "nineteen"])}
TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
MONTHS = ["january", "february", "march", "april", "may", "june"]
MONTHS += ["july", "august", "september", "october", "november", "december"]
MONTH = {name: n for n, name in enumerate(MONTHS, 1)} | {name[:3]: n for n, name in enumerate(MONTHS, 1)} | {"sept": 9}
GROUPED = r"\d{1,3}(?:[.,'’ \u2009\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?!\d)"
DIGITS = re.compile(rf"(?:(?<![\w-])[-−])?(?:(?<![\w.,]){GROUPED}|\d+(?:[.,]\d+)?)")
NAMED = "|".join(sorted(MONTH, key=len, reverse=True))
WORDS = re.compile(
    rf"\b(?:(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join(SMALL)}))?|{'|'.join(SMALL)}|a dozen|a hundred)\b", re.I
)
DATES = [
    (re.compile(r"(?<![\d-])(\d{4})-(\d{1,2})-(\d{1,2})(?![\d-])"), (0, 1, 2)),
    (re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\.? (?:of )?({NAMED})\.?,? (\d{{4}})\b", re.I), (2, 1, 0)),
    (re.compile(rf"\b({NAMED})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b", re.I), (2, 0, 1)),
    (re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b"), (2, 1, 0)),
    (re.compile(r"\b(\d{4})/(\d{1,2})/(\d{1,2})\b"), (0, 1, 2)),
    # With the day in front, with the month in front, and where both are the same; others may be either.
    (re.compile(r"(?<![\d/])(1[3-9]|2\d|3[01])/(\d{1,2})/(\d{4})(?![\d/])"), (2, 1, 0)),
    (re.compile(r"(?<![\d/])(\d{1,2})/(1[3-9]|2\d|3[01])/(\d{4})(?![\d/])"), (2, 0, 1)),
    (re.compile(r"(?<![\d/])(?P<both>\d{1,2})/((?P=both))/(\d{4})(?![\d/])"), (2, 1, 0)),
]


def number(said):
    """What digits are worth: of two kinds of marks the last is the decimal one; of one kind, three digits behind
    it are thousands.
    """
    said = re.sub(r"['’ \u2009\u00a0\u202f]", "", said.replace("−", "-"))
    marks = [c for c in said if c in ".,"]
    if len(set(marks)) == 2:
        last = max(said.rfind("."), said.rfind(","))
        said = re.sub(r"[.,]", "", said[:last]) + "." + said[last + 1 :]
    elif marks:
        behind = len(said) - 1 - said.rfind(marks[0])
        thousands = len(marks) > 1 or (behind == 3 and marks[0] == "," and not said.lstrip("-").startswith("0"))
        said = said.replace(marks[0], "" if thousands else ".")
    return float(said)


def word(said):
    parts = re.split(r"[- ]", said.lower())
    if parts[0] == "a":
        return {"dozen": 12, "hundred": 100}[parts[1]]
    return sum(TENS.get(part, SMALL.get(part, 0)) for part in parts)


def dates(text):
    out = []
    for form, order in DATES:
        for found in form.finditer(text):
            year, month, day = (found.group(1 + at) for at in order)
            month = MONTH[month.lower()] if month.lower() in MONTH else int(month)
            try:
                out.append((found.start(), found.end(), datetime.date(int(year), month, int(day)).isoformat()))
            except ValueError:
                continue
    return out


def candidates(text, kind):
    if kind == "date":
        return dates(text)
    if kind not in KINDS:
        return []
    out = [(found.start(), found.end(), number(found.group())) for found in DIGITS.finditer(text)]
    out += [(found.start(), found.end(), float(word(found.group()))) for found in WORDS.finditer(text)]
    return [one for one in out if kind == "number" or one[2] == int(one[2])]


def same(a, b):
    """Whether two values are one: dates as they stand, numbers to a hair."""
    if isinstance(a, str) or isinstance(b, str):
        return str(a) == str(b)
    return abs(float(a) - float(b)) <= 1e-6 * max(1.0, abs(float(b)))
