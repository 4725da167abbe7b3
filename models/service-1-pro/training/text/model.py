"""The text model: an encoder whose tokens see what a mask lets them, and heads that decide.

A sequence is made of blocks (passages of a state, a question, its options), and which block sees which is all that
tells the first look from the second (layout.py). Heads, for every kind of question:

- a *slot* is what gets a logit: a claim's [CLS], an option's closing [SEP], beside the mean of its block. Each slot
  looks for its evidence in the
  state (attention with "nothing there" as one place of it; trained on the sentence
  that decides, where it is known; begins with what is like the slot's text) and takes along what it finds;
- slots of one question see each other in one more layer, set-wise: their order changes nothing. Levels of a scale
  know how far they are from the nearer end and from each other, both the same when the
  scale is reversed, so the answer is mirrored;
- in the first look, the cosine of an option's own sentence vector with the passages' is an addend of the logit, with
  a scale and a shift for each kind;
- a quote is pointed at: its first and its last token, or "nothing there".
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

from config import KINDS

LOOKS = 2
HIDDEN = -1e4


class Layer(nn.Module):
    """A layer of BERT: attention, then two dense ones, each added and normalised."""

    def __init__(self, config):
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm_attention = nn.LayerNorm(width, eps=config.epsilon)
        self.widen, self.narrow = nn.Linear(width, config.inner), nn.Linear(config.inner, width)
        self.norm = nn.LayerNorm(width, eps=config.epsilon)

    def forward(self, x, bias):
        batch, length, width = x.shape
        query, key, value = (
            part(x).view(batch, length, self.heads, -1).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        # Written out: on a processor the library's fused attention takes five times as long backwards.
        shares = torch.matmul(query * (width // self.heads) ** -0.5, key.transpose(2, 3)).add_(bias).softmax(-1)
        seen = torch.matmul(shares.to(value.dtype), value).transpose(1, 2).reshape(batch, length, width)
        x = self.norm_attention(x + self.out(seen))
        return self.norm(x + self.narrow(F.gelu(self.widen(x))))


class Encoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.words, self.places, self.types = (nn.Embedding(n, config.width) for n in (config.pieces, config.places, 2))
        self.norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))

    def forward(self, tokens, places, types, mask):
        x = self.norm(self.words(tokens) + self.places(places) + self.types(types))
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.get_autocast_dtype(x.device.type))
        bias = torch.zeros(mask.shape, dtype=x.dtype, device=x.device).masked_fill_(~mask, HIDDEN)
        for layer in self.layers:
            x = layer(x, bias)
        return x


class Siblings(nn.Module):
    """Slots of one question see each other: normalised first, so that it can begin as nothing. Distance counts
    only where `apart` is not zero (levels of a scale). Slots of an `aloof` question see only themselves.
    """

    def __init__(self, config):
        super().__init__()
        width = config.width
        self.heads = config.sibling_heads
        self.norm_attention, self.norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mixed, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, config.sibling_inner), nn.Linear(config.sibling_inner, width)
        self.nearness = nn.Parameter(torch.zeros(self.heads))

    def forward(self, x, present, apart, aloof):
        asked, slots, width = x.shape
        others = ~torch.eye(slots, dtype=torch.bool, device=x.device)
        hidden = ~present[:, None, :] | (aloof[:, None, None] & others)
        query, key, value = (
            self.mixed(self.norm_attention(x)).view(asked, slots, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        )
        bias = torch.where(hidden[:, None], HIDDEN, 0.0) - apart[:, None] * self.nearness[:, None, None]
        shares = (torch.matmul(query * (width // self.heads) ** -0.5, key.transpose(2, 3)) + bias).softmax(-1)
        seen = torch.matmul(shares.to(value.dtype), value).transpose(1, 2).reshape(asked, slots, width)
        x = x + self.out(seen)
        return x + self.narrow(F.gelu(self.widen(self.norm(x))))


class Rows:
    """Questions beside the tokens of their sequence, which are not copied for each question: `row` [question] is its
    sequence; questions of one sequence stand side by side.
    """

    def __init__(self, row, sequences):
        count = torch.bincount(row, minlength=sequences)
        self.row, self.sequences, self.most = row, sequences, int(count.max())
        self.nth = torch.arange(len(row), device=row.device) - (count.cumsum(0) - count)[row]

    def laid(self, x):
        """[question][slot][...] as [sequence][question * slot][...], nothing where a sequence has fewer questions."""
        out = x.new_zeros(self.sequences, self.most, *x.shape[1:])
        return out.index_put((self.row, self.nth), x).flatten(1, 2)

    def back(self, x):
        return x.unflatten(1, (self.most, -1))[self.row, self.nth]

    def products(self, slots, tokens):
        """slots [question][slot][width], tokens [sequence][token][width]: each with each, [question][slot][token]."""
        return self.back(torch.matmul(self.laid(slots), tokens.transpose(1, 2)))

    def sums(self, shares, tokens):
        """shares [question][slot][token] of tokens [sequence][token][width]: [question][slot][width]."""
        return self.back(torch.matmul(self.laid(shares), tokens))


def keyed(key, query, tokens, rows):
    """Products of queries [question][slot][width] with the keys of tokens. The key's weights go to the queries, of
    which there are fewer than tokens.
    """
    query = query.float()
    turned = rows.products(torch.matmul(query, key.weight), tokens).float()
    return turned + torch.matmul(query, key.bias).float()[:, :, None]


class Evidence(nn.Module):
    """Where in the state a slot finds what decides it: weights over tokens and "nothing there", and what is found,
    brought home.
    """

    def __init__(self, config):
        super().__init__()
        width = config.width
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.nothing = nn.Linear(width, 1)
        self.scale = width**-0.5

    def forward(self, slots, tokens, state, like, rows):
        """like [question][slot][token]: how like each token is to the slot's text; slots [question][slot][width],
        tokens [sequence][token][width], state [question][token] bool; weights
        are logits [question][slot][1 + token].
        """
        fits = keyed(self.key, self.query(slots), tokens, rows) * self.scale + like
        logits = torch.cat([self.nothing(slots).float(), fits.masked_fill(~state[:, None], HIDDEN)], 2)
        shares = logits.softmax(-1)
        # What was found, as it stands there, whether or not it is enough.
        there = logits[:, :, 1:].softmax(-1)
        weighed = rows.sums(torch.cat([shares[:, :, 1:], there], 1).to(tokens.dtype), tokens)
        found, there = weighed.chunk(2, 1)
        found = F.linear(found, self.value.weight) + self.value.bias * (1 - shares[:, :, :1])
        return logits, self.out(found), there, shares[:, :, :1]


class Quotes(nn.Module):
    """First and last token of a quote, each against "nothing there"."""

    def __init__(self, config):
        super().__init__()
        width = config.width
        self.first, self.last, self.key_first, self.key_last = (nn.Linear(width, width) for _ in range(4))
        self.nothing = nn.Linear(width, 2)
        self.scale = width**-0.5

    def forward(self, mark, tokens, state, rows):
        """mark [question][width], tokens [sequence][token][width]; logits [question][2][1 + token]: first and last."""
        nothing = self.nothing(mark).float()
        out = []
        for n, (asks, keys) in enumerate(((self.first, self.key_first), (self.last, self.key_last))):
            fits = keyed(keys, asks(mark)[:, None], tokens, rows)[:, 0] * self.scale
            out.append(torch.cat([nothing[:, n : n + 1], fits.masked_fill(~state, HIDDEN)], 1))
        return torch.stack(out, 1)


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config.width
        self.config = config
        self.encoder = Encoder(config)
        self.evidence, self.siblings, self.quotes = Evidence(config), Siblings(config), Quotes(config)
        self.kind = nn.Embedding(LOOKS * len(KINDS), width)
        self.pool = nn.Linear(width, width)
        self.compare, self.sure = nn.Linear(2 * width, width), nn.Linear(2, width)
        self.rank = nn.Linear(2, width)
        self.likeness = nn.Linear(2, width)
        self.widen, self.decide = nn.Linear(width, width), nn.Linear(width, 1)
        #                                              noul choice score select extract
        self.likeness_scale = nn.Parameter(torch.tensor([0.0, 12.0, 2.0, 0.0, 0.0]))
        self.found_scale = nn.Parameter(torch.full((LOOKS,), 10.0))
        self.likeness_shift = nn.Parameter(torch.zeros(len(KINDS)))
        for part in (
            self.kind,
            self.pool,
            self.compare,
            self.sure,
            self.rank,
            self.likeness,
            self.decide,
            self.evidence.out,
        ):
            nn.init.zeros_(part.weight)
        for part in (self.pool, self.compare, self.sure, self.rank, self.likeness, self.decide, self.evidence.out):
            nn.init.zeros_(part.bias)

    def forward(self, batch):
        """Logits of slots [question][slot], of evidence [question][slot][1 + token] and of quotes [question][2][1
        + token], for one Batch (layout.py).
        """
        asked = batch.row.shape[0]
        x = self.encoder(batch.tokens, batch.places, batch.types, batch.mask)
        rows, state = Rows(batch.row, x.shape[0]), batch.state[batch.row]
        slots, means = x[batch.row[:, None], batch.slots], self.means(x, batch)
        own = means[batch.row[:, None], batch.block[batch.row[:, None], batch.slots]]
        told = self.told(own, means, batch)
        near = self.alike(told, x, batch.state, rows)
        evidence, found, there, nothing = self.evidence(slots, x, state, self.found_scale[batch.look] * near, rows)
        nearest = near.masked_fill(~state[:, None], -1.0).max(-1, keepdim=True).values
        z = slots + found + self.pool(own) + self.rank(batch.rank)
        z = z + self.compare(torch.cat([told * there, (told - there).abs()], -1))
        z = z + self.sure(torch.cat([nothing, nearest], -1).to(z.dtype))
        z = z + self.kind(batch.kind + len(KINDS) * batch.look)[:, None]
        # How likely an option of a choice is beside another does not depend on what else there is to choose from.
        aloof = batch.kind == KINDS.index("choice")
        addend = 0.0
        if batch.alone is not None:
            like = self.likenesses(means, batch, rows)
            mean = (like * batch.present).sum(1, keepdim=True) / batch.present.sum(1, keepdim=True)
            mean = torch.where(aloof[:, None], like, mean)
            z = z + self.likeness(torch.stack([like, like - mean], -1) * batch.compared[:, None, None])
            addend = (
                like * self.likeness_scale[batch.kind][:, None] + self.likeness_shift[batch.kind][:, None]
            ) * batch.compared[:, None]
        z = self.siblings(z, batch.present, batch.apart, aloof)
        logits = self.decide(F.gelu(self.widen(z)))[:, :, 0].float() + addend
        assert logits.shape[0] == asked
        return logits, evidence, self.quotes(slots[:, 0], x, state, rows)

    def means(self, x, batch):
        """The mean of each block's tokens, [sequence][block][width]: what the start was made to give for a text."""
        blocks = F.one_hot(batch.block, batch.blocks).to(x.dtype) * batch.real[:, :, None]
        count = blocks.sum(1)[:, :, None].clamp(min=1)
        return torch.matmul(blocks.transpose(1, 2), x) / count

    def told(self, own, means, batch):
        """What stands for each slot where it is sought in the state: its text alone where that was read, else its
        block.
        """
        if batch.alone is None:
            return own
        alone = means[batch.row[:, None], batch.alone]
        return torch.where(batch.compared[:, None, None] > 0.5, alone, own)

    def alike(self, told, tokens, state, rows):
        """The cosine of slots [question][slot][width] with tokens [sequence][token][width], both without the mean of
        the state, [question][slot][token]: of what a text is about, the start knows where it stands, and training
        from nothing would forget it first.
        """
        there = state[:, :, None].to(tokens.dtype)
        mean = (tokens * there).sum(1, keepdim=True) / there.sum(1, keepdim=True).clamp(min=1)
        told, tokens = (F.normalize(x.float(), dim=-1) for x in (told - mean[rows.row], tokens - mean))
        return rows.products(told, tokens).float()

    def likenesses(self, means, batch, rows):
        """The cosine of each slot's text alone with the nearest passage, [question][slot]."""
        vectors = F.normalize(means.float(), dim=-1)
        fits = rows.products(vectors[batch.row[:, None], batch.alone], vectors)
        return fits.masked_fill(~batch.passages[batch.row][:, None], -1.0).max(-1).values
