"""One forward pass over a batch (batches.py): the logits of every readout, and the training loss.

Shapes: B rows, T tokens, R readout tokens of a row, S tokens of the state, W words read in pictures, D width, N reads.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F

from decision import layout
from decision.constants import READOUT
from decision.layers import normalise
from decision.model import MASKED

# Longest quote, in tokens.
LONGEST_SPAN = 24


class Memory(NamedTuple):
    """What pointers and copies attend to: the tokens before the last layer, and how like each is to what a question
    names."""

    states: torch.Tensor  # [B,T,D]
    found: torch.Tensor  # [B,R,T]
    related: torch.Tensor | None  # [B,R,RELATED,W] of the words that were read in pictures
    words: torch.Tensor | None  # [B,W] the tokens of these words


def forward(model, batch):
    """Runs a packed batch: hidden readout tokens [B,R,D]; Memory; and a triple of similarities [B,R,5], pair features
    [B,4] and the picture arguments of `Decision.picture_logits`, None without pictures."""
    ids, state, at = batch["ids"], batch["state"], batch["rows"]
    B, T = ids.shape
    e = model.words(ids, batch["cells"], batch["is_image"])
    d = e.shape[-1]
    similarity = (e @ e.transpose(1, 2)).float() / d
    like, any_like = model.likeness(similarity, batch["segments"])
    across, _ = model.likeness(similarity, batch["groups"])
    terms, most_overlap = model.overlap_terms(e.float(), across, batch["groups"])
    placed = [batch[name] for name in ("cells", "geometry", "is_image", "is_placed", "cell_index")]
    x = model.inputs(e, batch["cases"], like, any_like, batch["ranks"], *placed)
    cos, sin = model.angles(batch["positions"])
    bias = torch.zeros(B, T, T).masked_fill_(~batch["seen"], MASKED)[:, None]
    for layer in model.layers[:-1]:
        h = layer.norm1(x)
        x = layer.attend(x, h, cos, sin, *layer.keys_values(h, cos, sin), bias)
    memory = model.memory(x)
    # The last layer has the readout tokens as its only queries.
    layer = model.layers[-1]
    h = layer.norm1(x)
    k, v = layer.keys_values(h, cos, sin)
    pick = at[..., None].expand(-1, -1, d)
    turn = at[..., None, None].expand(-1, -1, 1, cos.shape[-1])
    rows_bias = bias.gather(2, at[:, None, :, None].expand(-1, -1, -1, T))
    queries = x.gather(1, pick), h.gather(1, pick), cos.gather(1, turn), sin.gather(1, turn)
    hidden = model.final(layer.attend(*queries, k, v, rows_bias))
    # What the question names, and where the state has it.
    best = similarity.masked_fill(~state[:, None], -1).amax(-1)
    wanted = model.wanted(e.float(), batch["asked"], best)
    found = wanted @ similarity.clamp(min=0)
    asked = batch["asked"].float()
    asked = (asked / asked.sum(-1, keepdim=True).clamp(min=1)) @ e.float()
    # Features that compare option and state.
    weights = model.pool_words(e, batch["own"])
    asked_weights = model.pool_words(e, batch["asked"]) * batch["asked"].any(-1, keepdim=True)
    alike = similarity.masked_fill(~state[:, None], 0).clamp(min=0)
    squared = alike.square()
    positions = model.name_positions(weights, squared, state)
    proximity = model.proximity(weights, asked_weights, alike, squared, state)
    overlap = model.overlap(positions, terms)
    similarities = model.similarities(e, weights, asked, e, state, best, proximity, overlap)
    pairs = torch.cat((model.pair_features(e, like, batch["segments"]), most_overlap), -1)
    if batch["cells"] is None:
        return hidden, Memory(memory, found, None, None), (similarities, pairs, None)
    # Appearance where an option stands, and row and column relations of the words that were read.
    appearance = model.appearance_state(normalise(batch["cells"][0]))[batch["token_cells"]].float()
    appearance = positions @ appearance.masked_fill(~batch["is_placed"][..., None], 0)
    words, layouts = batch["words"], batch["layouts"]
    pairwise, lines = layout.relations(layouts), layout.same_line(layouts)
    is_word = layouts[:, None, :, -1] >= 0
    clear = (2 * similarity.gather(2, words[:, None].expand(-1, T, -1)) - 1).clamp(min=0) * is_word
    is_own = (batch["own"].to(clear.dtype) @ clear).clamp(max=1)
    at_words = positions.gather(2, words[:, None].expand(-1, at.shape[1], -1)) * is_word
    relations = layout.option_relations(at_words, weights @ clear, asked_weights @ clear, is_own, pairwise, lines)
    related = layout.related(wanted @ clear, pairwise)
    return hidden, Memory(memory, found, related, words), (similarities, pairs, (appearance, relations))


def scored_logits(model, batch, hidden, similarities):
    """[questions, options] logits, a mask of the same shape, targets, kinds [questions]."""
    B, R = batch["rows"].shape
    kind = torch.zeros(B, R, dtype=torch.long)
    scored = batch["scored"]
    width = max((len(s[2]) for s in scored), default=1)
    index = torch.zeros(len(scored), width, dtype=torch.long)
    mask = torch.zeros(len(scored), width, dtype=torch.bool)
    truth = torch.zeros(len(scored), width)
    is_readout = torch.zeros(B, R, dtype=torch.bool)
    for i, (b, k, rows, target) in enumerate(scored):
        kind[b, rows] = k
        is_readout[b, rows] = True
        index[i, : len(rows)] = torch.tensor(rows) + b * R
        mask[i, : len(rows)] = True
        truth[i, : len(rows)] = torch.tensor(target)
    question = batch["row_question"]
    together = (question[:, :, None] == question[:, None]) & is_readout[:, :, None] & is_readout[:, None]
    *features, pictures = similarities
    options = kind, together, together.sum(-1).clamp(min=1).float()
    logits = model.decide(hidden, *features, *options)
    if pictures is not None:
        logits = logits + model.picture_logits(hidden, *pictures, *options)
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
    if memory.related is not None:
        start = start + by_words(model.relation_gate(h), memory, b, rows, length)[:, None]
    start = start[:, 0].float().masked_fill(~mask, MASKED)
    return start, end[:, 0].float().masked_fill(~mask, MASKED), model.absent(h, start).float(), states


def by_words(gates, memory, b, rows, length):
    """[N,length]: what is added to words of pictures for their row and column relations; gates [N,RELATED]."""
    gained = 8 * (gates[:, :, None] * memory.related[b, rows]).sum(1).float()
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
    """[N]: log-loss of the cells and words that hold the element (or of nothing).

    The truth is a list of lists of state tokens."""
    reads = batch["boxes"]
    start, _, absent, _ = pointer_terms(model, batch, hidden, memory, reads)
    losses = []
    placed = batch["is_placed"]
    for i, (b, _, many, cells) in enumerate(reads):
        logits = start[i].masked_fill(~placed[b, : start.shape[1]], MASKED)
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
    """Logits of the next token of each text: [N,ROWS] by the vocabulary, [N,S] by copying the state.

    tokens [N]: the last token of each text so far, READOUT at first."""
    length = int(batch["state"].sum(1).max())
    ids = batch["ids"][b, :length]
    previous = torch.cat((torch.full_like(ids[:, :1], -1), ids[:, :-1]), 1)
    h = hidden[b, rows]
    vocabulary, copy = model.next_token(
        h, tokens, memory.states[b, :length], previous, batch["state"][b, :length], memory.found[b, rows, :length]
    )
    if memory.related is not None:
        copy = copy + by_words(model.relation_copy_gate(h), memory, b, rows, length) * (tokens == READOUT)[:, None]
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
