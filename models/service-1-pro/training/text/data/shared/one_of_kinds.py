"""What converters share whose texts are of one kind among several, or of a few: claims and denials that each hold about
as often as not, and choices between kinds, with descriptions and without.
"""

DESCRIBED, NAMED = 0.35, 0.35  # of choices: options with descriptions, as a list; else without descriptions
MOST_SURPLUS = 5  # how much more often a claim may hold than not, or the other way about


def said_of(kinds, affirmed, denied):
    """Templates with {words} of each kind as [(claim, kind, whether it is true of the kind)]."""
    made = []
    for kind, words in kinds.items():
        made += [(one.format(**words), kind, True) for one in affirmed]
        made += [(one.format(**words), kind, False) for one in denied]
    return made


def written(claims):
    """kind -> ([claims], [denials]) as the same."""
    made = []
    for kind, (affirmed, denied) in claims.items():
        made += [(one, kind, True) for one in affirmed] + [(one, kind, False) for one in denied]
    return made


def claims(truths, said, count, surplus, rnd):
    """A few claims of `said` and their truths, by `truths` (kind -> truth, or how true). `surplus`: a Counter that the
    caller keeps, how much more often each claim held than not; it is evened out.
    """
    taken = set()
    for _ in range(count):
        holds = rnd.random() < 0.5
        fitting = [
            (claim, kind, when)
            for claim, kind, when in said
            if kind in truths and kind not in taken and ((truths[kind] > 0.5) == when) == holds
        ]
        if not fitting:
            continue
        sign = 1 if holds else -1
        claim, kind, when = min(fitting, key=lambda one: surplus[one[0]] * sign + 2 * rnd.random())
        if surplus[claim] * sign >= MOST_SURPLUS:
            continue
        truth = truths[kind] if when else 1 - truths[kind]
        surplus[claim] += 2 * truth - 1
        taken.add(kind)
        yield {"type": "noul", "instructions": claim}, bool(truth) if truth in (0, 1) else round(truth, 3)


def choice(kind, names, asks, rnd, near=(), most=6, descriptions=None):
    """Which kind. `names`: one of several sets of names (kind -> name), `near`: kinds to be shown with this one,
    `descriptions`: kind -> a few words.
    """
    names = rnd.choice(names)
    others = [one for one in names if one != kind and one not in near]
    rnd.shuffle(others)
    others = [one for one in near if one in names and one != kind] + others
    shown = [kind, *others[: rnd.randint(2, max(2, most - 1))]]
    rnd.shuffle(shown)
    drawn = rnd.random()
    if descriptions and drawn < DESCRIBED:
        criteria = {names[one]: descriptions[one] for one in shown}
    elif drawn < DESCRIBED + NAMED:
        criteria = [names[one] for one in shown]
    else:
        criteria = dict.fromkeys(names[one] for one in shown)
    return {"type": "choice", "instructions": rnd.choice(asks), "criteria": criteria}, names[kind]
