"""One forward pass over a batch (decision/batches.py): the logits of every read-out, and the training loss."""

from typing import NamedTuple

import torch
import torch.nn.functional as F

from decision.model import MARK, normalise

LONGEST_SPAN = 24
# Added to the logits of what a token does not see: no weight is left, and float16 knows it.
UNSEEN = -1e4


class Memory(NamedTuple):
    """What pointers and copies look at: the tokens before the last layer, and how like each is to what a question names."""

    states: torch.Tensor  # [B,T,D]
    found: torch.Tensor  # [B,R,T]
    aside: torch.Tensor | None  # [B,R,ASIDE,W] of the words that were read in pictures, at
    words: torch.Tensor | None  # [B,W] of all tokens


def forward(model, batch):
    """Hidden rows [B,R,D], Memory, and of a packed batch similarities [B,R,5], pair features [B,4] and what `Decision.shown` takes, None without pictures."""
    ids, state, at = batch["ids"], batch["state"], batch["rows"]
    B, T = ids.shape
    e = model.words(ids, batch["cells"], batch["is_image"])
    d = e.shape[-1]
    similarity = (e @ e.transpose(1, 2)).float() / d
    like, any_like = model.likeness(similarity, batch["segments"])
    echo, most_echo = model.echoes(e.float(), model.likeness(similarity, batch["groups"])[0], batch["groups"])
    x = model.inputs(
        e,
        batch["cases"],
        like,
        any_like,
        batch["ranks"],
        batch["cells"],
        batch["geometry"],
        batch["is_image"],
        batch["is_placed"],
        batch["looks"],
    )
    cos, sin = model.angles(batch["positions"])
    bias = torch.zeros(B, T, T).masked_fill_(~batch["seen"], UNSEEN)[:, None]
    for layer in model.layers[:-1]:
        h = layer.norm1(x)
        x = layer.attend(x, h, cos, sin, *layer.keys_values(h, cos, sin), bias)
    memory = model.memory(x)
    layer = model.layers[-1]
    h = layer.norm1(x)
    k, v = layer.keys_values(h, cos, sin)
    pick = at[..., None].expand(-1, -1, d)
    turn = at[..., None, None].expand(-1, -1, 1, cos.shape[-1])
    rows_bias = bias.gather(2, at[:, None, :, None].expand(-1, -1, -1, T))
    hidden = layer.attend(
        x.gather(1, pick), h.gather(1, pick), cos.gather(1, turn), sin.gather(1, turn), k, v, rows_bias
    )
    hidden = model.final(hidden)
    best = similarity.masked_fill(~state[:, None], -1).amax(-1)
    wanted = model.wanted(e.float(), batch["asked"], best)
    found = wanted @ similarity.clamp(min=0)
    asked = batch["asked"].float()
    asked = (asked / asked.sum(-1, keepdim=True).clamp(min=1)) @ e.float()
    weights, asked_weights = (
        model.pool_words(e, batch["own"]),
        model.pool_words(e, batch["asked"]) * batch["asked"].any(-1, keepdim=True),
    )
    alike = similarity.masked_fill(~state[:, None], 0).clamp(min=0)
    squared = alike.square()
    places = model.standing(weights, squared, state)
    similarities = model.similarities(
        e,
        weights,
        asked,
        e,
        state,
        best,
        model.beside(weights, asked_weights, alike, squared, state),
        model.told(places, echo),
    )
    pairs = torch.cat((model.pair_features(e, like, batch["segments"]), most_echo), -1)
    if batch["cells"] is None:
        return hidden, Memory(memory, found, None, None), (similarities, pairs, None)
    # What stands where on a picture.
    looks = places @ model.look_state(normalise(batch["cells"][0]))[batch["token_looks"]].float().masked_fill(
        ~batch["is_placed"][..., None], 0
    )
    words, sides = batch["words"], model.sides(batch["spots"])
    is_word = batch["spots"][:, None, :, -1] >= 0
    clear = (2 * similarity.gather(2, words[:, None].expand(-1, T, -1)) - 1).clamp(min=0) * is_word
    own, named = weights @ clear, asked_weights @ clear
    said = (batch["own"].to(clear.dtype) @ clear).clamp(max=1)
    aligned = model.aligned(
        places.gather(2, words[:, None].expand(-1, at.shape[1], -1)) * is_word,
        own,
        named,
        said,
        sides,
        model.lines(batch["spots"]),
    )
    return (
        hidden,
        Memory(memory, found, model.aside(wanted @ clear, sides), words),
        (similarities, pairs, (looks, aligned)),
    )


def scored_logits(model, batch, hidden, similarities):
    """[questions, options] logits, a mask of the same shape, targets, kinds [questions]."""
    B, R = batch["rows"].shape
    kind = torch.zeros(B, R, dtype=torch.long)
    scored = batch["scored"]
    width = max((len(s[2]) for s in scored), default=1)
    index = torch.zeros(len(scored), width, dtype=torch.long)
    mask = torch.zeros(len(scored), width, dtype=torch.bool)
    truth = torch.zeros(len(scored), width)
    is_mark = torch.zeros(B, R, dtype=torch.bool)
    for i, (b, k, rows, target) in enumerate(scored):
        kind[b, rows] = k
        is_mark[b, rows] = True
        index[i, : len(rows)] = torch.tensor(rows) + b * R
        mask[i, : len(rows)] = True
        truth[i, : len(rows)] = torch.tensor(target)
    question = batch["row_question"]
    together = (question[:, :, None] == question[:, None]) & is_mark[:, :, None] & is_mark[:, None]
    *features, shown = similarities
    marks = kind, together, together.sum(-1).clamp(min=1).float()
    logits = model.decide(hidden, *features, *marks)
    if shown is not None:
        logits = logits + model.shown(hidden, *shown, *marks)
    return logits.float().reshape(-1)[index], mask, truth, torch.tensor([s[1] for s in scored])


def scored_loss(logits, mask, truth, kinds):
    """[questions] log-loss: softmax for exclusive and ordinal, mean of sigmoids for binary and independent."""
    soft = -(truth * F.log_softmax(logits.masked_fill(~mask, -1e9), -1).masked_fill(~mask, 0)).sum(-1)
    binary = F.binary_cross_entropy_with_logits(logits, truth, reduction="none")
    binary = (binary * mask).sum(-1) / mask.sum(-1)
    return torch.where((kinds == 1) | (kinds == 2), soft, binary)


def pointer_terms(model, batch, hidden, memory, reads):
    """Start [N,S], end [N,S], absent [N] logits of reads given as (b, row, ...)."""
    b = torch.tensor([r[0] for r in reads])
    rows = torch.tensor([r[1] for r in reads])
    h = hidden[b, rows]
    length = int(batch["state"].sum(1).max())
    states, mask = memory.states[b, :length], batch["state"][b, :length]
    start, end = model.point(h[:, None], states, memory.found[b, rows, None, :length])
    if memory.aside is not None:
        start = start + by_words(model.aside_gate(h), memory, b, rows, length)[:, None]
    start = start[:, 0].float().masked_fill(~mask, -1e4)
    return start, end[:, 0].float().masked_fill(~mask, -1e4), model.absent(h, start).float(), states


def by_words(gates, memory, b, rows, length):
    """[N,length] what the words of pictures gain for what stands around them; gates [N,ASIDE]."""
    gained = 8 * (gates[:, :, None] * memory.aside[b, rows]).sum(1).float()
    return torch.zeros(len(b), length).scatter_add(1, memory.words[b], gained)


def span_loss(model, batch, hidden, memory):
    """[N]: marginal log-loss of the right starts (or of nothing), and of the ends given a right start."""
    reads = batch["pointers"]
    start, end, absent, states = pointer_terms(model, batch, hidden, memory, reads)
    losses = []
    for i, (_, _, many, spans) in enumerate(reads):
        starts = torch.zeros_like(start[i])
        for first, _ in spans:
            starts[first] = 1
        if many:
            loss = F.binary_cross_entropy_with_logits(start[i], starts, reduction="sum") / (1 + starts.sum())
        else:
            every = torch.cat((absent[i][None], start[i]))
            right = torch.cat((torch.tensor([0.0 if spans else 1.0]), starts)) > 0
            loss = torch.logsumexp(every, 0) - torch.logsumexp(every[right], 0)
        for first, last in spans[:3]:
            window = slice(first, min(first + LONGEST_SPAN, len(end[i])))
            logits = end[i][window] + model.ends_given(states[i, first], states[i, window]).float()
            if last - first < LONGEST_SPAN:
                loss = loss + (torch.logsumexp(logits, 0) - logits[last - first]) / min(3, len(spans))
        losses.append(loss)
    return torch.stack(losses)


def box_loss(model, batch, hidden, memory):
    """[N]: log-loss of the cells and words that hold the element (or of nothing). Truth: a list of lists of state tokens."""
    reads = batch["boxes"]
    start, _, absent, _ = pointer_terms(model, batch, hidden, memory, reads)
    losses = []
    placed = batch["is_placed"]
    for i, (b, _, many, cells) in enumerate(reads):
        logits = start[i].masked_fill(~placed[b, : start.shape[1]], -1e4)
        right = torch.zeros_like(logits)
        for group in cells:
            right[group] = 1
        if many:
            weight = placed[b, : start.shape[1]].float()
            loss = F.binary_cross_entropy_with_logits(logits, right, weight=weight, reduction="sum") / (4 + right.sum())
        else:
            every = torch.cat((absent[i][None], logits))
            hit = torch.cat((torch.tensor([0.0 if cells else 1.0]), right)) > 0
            loss = torch.logsumexp(every, 0) - torch.logsumexp(every[hit], 0)
        losses.append(loss)
    return torch.stack(losses)


def next_terms(model, batch, hidden, memory, b, rows, tokens):
    """Logits of what is written behind `tokens` [N], the last of each text so far (MARK at first): [N,ROWS] by the vocabulary, [N,S] by copying the state."""
    length = int(batch["state"].sum(1).max())
    ids = batch["ids"][b, :length]
    previous = torch.cat((torch.full_like(ids[:, :1], -1), ids[:, :-1]), 1)
    h = hidden[b, rows]
    vocabulary, copy = model.next_token(
        h, tokens, memory.states[b, :length], previous, batch["state"][b, :length], memory.found[b, rows, :length]
    )
    if memory.aside is not None:
        copy = copy + by_words(model.aside_copy_gate(h), memory, b, rows, length) * (tokens == MARK)[:, None]
    return vocabulary.float(), copy.float()


def write_loss(model, batch, hidden, memory):
    """[N]: mean log-loss of the answer tokens, each written from the vocabulary or copied from the state."""
    writes = batch["writes"]
    b, rows, tokens, wanted = (
        torch.tensor(part)
        for part in zip(
            *(
                (b, row, token, wanted)
                for b, rows, inputs, answer in writes
                for row, token, wanted in zip(rows, inputs, answer)
            )
        )
    )
    vocabulary, copy = next_terms(model, batch, hidden, memory, b, rows, tokens)
    norm = torch.logsumexp(torch.cat((vocabulary, copy), -1), -1)
    ids = batch["ids"][b, : copy.shape[1]]
    hits = torch.cat((vocabulary.gather(1, wanted[:, None]), copy.masked_fill(ids != wanted[:, None], -1e9)), -1)
    nll = norm - torch.logsumexp(hits, -1)
    lengths = [len(w[3]) for w in writes]
    return torch.stack([part.mean() for part in nll.split(lengths)])


def total_loss(model, batch):
    """Scalar loss and a dict of its parts, each with the number of questions."""
    hidden, memory, similarities = forward(model, batch)
    parts = {}
    if batch["scored"]:
        parts["scored"] = scored_loss(*scored_logits(model, batch, hidden, similarities))
    if batch["pointers"]:
        parts["spans"] = span_loss(model, batch, hidden, memory) * 0.5
    if batch["boxes"]:
        parts["boxes"] = box_loss(model, batch, hidden, memory) * 0.5
    if batch["writes"]:
        parts["writes"] = write_loss(model, batch, hidden, memory) * 0.7
    count = sum(len(p) for p in parts.values())
    loss = sum(p.sum() for p in parts.values()) / count
    return loss, {name: (float(p.detach().sum()), len(p)) for name, p in parts.items()}
