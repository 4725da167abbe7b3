"""What converters of inference pairs share whose pairs mostly leave a claim open: fewer of those, so that claims are
about as often true as not.
"""

import collections

FALSE = 1.25  # pairs of which the second text does not follow, to one of which it does


def evened(triples, rnd):
    """(premise, hypothesis, label) with as many that contradict as follow at most, the open ones fill up."""
    by_label = collections.defaultdict(list)
    for one in triples:
        by_label[one[2]].append(one)
    kept, left = by_label["entails"], round(FALSE * len(by_label["entails"]))
    for label, most in (("contradicts", len(kept)), ("neutral", left)):
        taken = rnd.sample(by_label[label], min(len(by_label[label]), most, left))
        kept, left = kept + taken, left - len(taken)
    return kept
