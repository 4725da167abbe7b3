"""A claim with {words} that is true or false as a record has it: the template is chosen such that each one is about as
often true as false, however seldom the record has it one way.
"""

MOST_SURPLUS = 4


def claim(claims, holds, surplus, rnd, **words):
    """One of `claims` (a claim with {words}, whether it is true where `holds`) and its truth; None where all that are
    left were as true too often. `surplus`: a Counter that the caller keeps.
    """
    fitting = [(said, holds == when) for said, when in claims]
    said, truth = min(fitting, key=lambda one: surplus[one[0]] * (1 if one[1] else -1) + 3 * rnd.random())
    sign = 1 if truth else -1
    if surplus[said] * sign >= MOST_SURPLUS:
        return None
    surplus[said] += sign
    return {"type": "noul", "instructions": said.format(**words)}, truth
