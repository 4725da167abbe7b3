"""Claims that seem to compare a number or a day, from the rows of families held out: few do, so many rows are drawn for
them. What the engine makes of them is calibrated and measured by itself (ship.py); training has nothing of it.
"""

import re

COMPARES = re.compile(
    r"\b(?:than|before|after|by|over|under|above|below|at least|at most|exceeds?|exactly)\b.* "
    r"(?:\d|one|two|three|four|five|a )|[<>]"
)


def rows(found):
    """The rows with those claims alone."""
    for row in found:
        asked = {
            name: question
            for name, question in row["questions"].items()
            if question["type"] == "noul" and COMPARES.search(str(question.get("instructions", name)))
        }
        if asked:
            yield {**row, "questions": asked, "truth": {name: row["truth"][name] for name in asked}}
