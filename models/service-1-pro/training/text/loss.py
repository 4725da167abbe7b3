"""What a step learns from: the loss of each question by its kind, of its evidence and of its quote."""

import torch
import torch.nn.functional as F

from reader import POINTED

EVIDENCE_SHARE = 0.5
TWIN_SHARE = 0.1
PART_SHARE = 0.1
ORDER_SHARE = 0.5


def places_loss(logits, wanted):
    """Minus the log of the share that falls on any of the wanted places."""
    return -(torch.logsumexp(logits[wanted], 0) - torch.logsumexp(logits, 0))


def decided(question, logits):
    """The loss of one question's slots; logits [slot]."""
    if question.kind == "noul":
        return F.binary_cross_entropy_with_logits(logits[0], logits.new_tensor(question.target))
    if question.kind == "select":
        return F.binary_cross_entropy_with_logits(logits, logits.new_tensor(question.target))
    if question.kind == "choice":
        return -logits.log_softmax(0)[question.target]
    target = logits.new_tensor(question.target)
    # A level beside the right one is less wrong than one far away: cumulated shares are compared, too.
    order = (logits.softmax(0).cumsum(0) - target.cumsum(0)).square().sum()
    return -(logits.log_softmax(0) * target).sum() + ORDER_SHARE * order


def odds(logits, of):
    """Log-odds of some options together; logits [slot]."""
    others = [n for n in range(len(logits)) if n not in of]
    return torch.logsumexp(logits[of], 0) - torch.logsumexp(logits[others], 0)


def losses(batch, logits, evidence, quotes):
    """One loss a question, [question], and what of it was deciding (without evidence)."""
    out, plain = [], []
    numbers = {id(question): q for q, question in enumerate(batch.asked)}
    counts = batch.present.sum(1).tolist()
    for q, question in enumerate(batch.asked):
        at = batch.at[q]
        if question.choices is not None:
            # The first says that nothing is there.
            ends = [(0, 0), *((1 + at[a], 1 + at[b]) for (a, b), _ in question.choices)]
            fits = torch.stack([quotes[q, 0, a] + quotes[q, 1, b] for a, b in ends])
            right = [n for n, (place, _) in enumerate(question.choices, 1) if place in question.target]
            one = places_loss(fits, right or [0])
            out.append(one)
        elif question.kind in POINTED:
            # In the first look nothing in the state knows the question: quotes are pointed at in the second.
            # Where every one is asked for, each is to have as much of the shares.
            each = question.answers or [question.target]
            ends = [[[1 + at[place[n]] for place in places] or [0] for n in (0, 1)] for places in each]
            one = sum(places_loss(quotes[q, n], both[n]) for both in ends for n in (0, 1)) / (2 * len(ends))
            out.append(one)
        else:
            one = decided(question, logits[q, : counts[q]])
            out.append(one)
            if id(question.denies) in numbers:
                # A claim and its denial are as sure as each other, whichever of them is right.
                both = logits[q, 0] + logits[numbers[id(question.denies)], 0]
                out[-1] = out[-1] + TWIN_SHARE * both.square().clamp(max=16.0)
            if id(question.made_of) in numbers:
                # A claim about options is as sure as they are together.
                whole = numbers[id(question.made_of)]
                of = odds(logits[whole, : counts[whole]], question.of)
                out[-1] = out[-1] + PART_SHARE * (logits[q, 0] - of).square().clamp(max=16.0)
            if question.evidence is not None:
                wanted = [1 + at[n] for a, b in question.evidence for n in range(a, b + 1)] or [0]
                slot = (
                    question.target
                    if question.kind == "choice"
                    else max(range(counts[q]), key=lambda n: question.target[n])
                    if question.kind == "score"
                    else 0
                )
                out[-1] = out[-1] + EVIDENCE_SHARE * places_loss(evidence[q, slot], wanted)
        plain.append(one.detach())
    return torch.stack(out), torch.stack(plain)
