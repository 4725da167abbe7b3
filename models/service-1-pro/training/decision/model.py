"""The decision model: a state encoder, and option branches behind it with a multiplicative path between option and state.

Shapes: B rows, T tokens of a packed row (state first, then the branches of its questions), R read-out marks of a row, D width.
- Attention: the state sees itself only (so it can be cached), a question sees state and itself, an option sees state, question and itself,
  marks of one question see each other. Half of every head is rotary (Su et al. 2021), half has no position, so that words can match anywhere.
- The last layer runs on the marks (and answer tokens) only. Pointers look at the state as it stands before that layer.
- Beside the transformer, five similarities of option and state (see `similarities`) go to the decision head as they are, centred over the
  options, and against the best other option: this is what lets "none of these" win when nothing else matches. Four more say how far the parts of
  the state repeat each other (see `pair_features` and `echoes`).
- Pictures add where things stand: how it looks where an option does, and what of the question stands in its row and column (see `sides`, `aligned` and `shown`).
"""

from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY, ROWS = 8128, 8192
STATE, QUESTION, OPTION, MARK, IMAGE, IMAGE_START, IMAGE_END, END = range(8128, 8136)
FIRST_KIND = 8136  # the control id that tells a question's kind
KINDS = (
    "binary",
    "exclusive",
    "ordinal",
    "independent",
    "span",
    "spans",
    "box",
    "boxes",
    "text",
    "int",
    "number",
    "date",
    "list",
)
SCORED = 4  # the first four kinds are read from marks
SIMILARITIES, PAIRS = 5, 4
LOOKS = 32  # numbers of how something looks
SPOT = 6  # x, y, height of a word, left and right end of its line, all in heights of the picture; the number of the picture
SIDES = 6  # ways in which words can stand to each other (see `sides`)
ASIDE = SIDES + 1  # with the two of a table at once: in the row of this and in the column of that
ALIGNED = ASIDE + 4
# In heights of a word: how far ends or middles of two lines of a column may be apart, from when on a word is above or below, what is near to the side and what is near above.
COLUMN_REACH, ABOVE, NEAR_ALONG, NEAR_ABOVE = 1.5, 0.6, 10, 3
PICTURE_PARTS = (
    "vision_tell.",
    "vision_rest.",
    "vision_look",
    "place.",
    "look_",
    "shown_",
    "aside_",
)  # learned parameters that texts never pass through
READ_PARTS = (
    "seek",
    "point_",
    "nothing",
    "write",
    "copy_",
    "aside_",
)  # those that only quotes, boxes and written answers pass through
SPELLED = 8  # pieces a cell may say at once
CODE_WIDTH, TOLD = 192, 64  # of the spelling code of a piece; things a cell can tell beside its words
AFTER, AROUND, TOLD_WITHIN, NAME = (
    6,
    16,
    32,
    4,
)  # how many tokens behind a name its value may begin; how far from a name something still is beside it, or tells of it; half a long name
GEOMETRY = 6  # centre x, centre y, width, height of a cell in the image; 1 for the global view; aspect of the image


@dataclass
class Config:
    width: int = 192
    layers: int = 4
    heads: int = 4
    inner: int = 768
    head_width: int = 96
    vision_width: int = 256

    def dict(self):
        return asdict(self)


def normalise(x):
    return F.layer_norm(x, (int(x.shape[-1]),))


class Norm(nn.Module):
    """Layer norm with a gain and no bias."""

    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return normalise(x) * self.gain


def linear(inputs, outputs, scale=0.7, bias=False):
    layer = nn.Linear(inputs, outputs, bias=bias)
    nn.init.normal_(layer.weight, std=scale * inputs**-0.5)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


class Layer(nn.Module):
    def __init__(self, config, first):
        super().__init__()
        d, self.heads = config.width, config.heads
        self.hd = d // config.heads
        self.rotary = self.hd // 2
        self.norm1, self.norm2 = Norm(d), Norm(d)
        self.q, self.k, self.v = linear(d, d), linear(d, d), linear(d, d)
        self.o, self.up, self.down = linear(d, d, 0.25), linear(d, config.inner), linear(config.inner, d, 0.25)
        if first:  # the position-free half of each head starts as a comparison of words
            with torch.no_grad():
                q, k = (w.weight.view(self.heads, self.hd, d) for w in (self.q, self.k))
                k[:, self.rotary :] = q[:, self.rotary :].mul_(1.6)

    def rope(self, x, cos, sin):
        r = self.rotary
        a, b, rest = x[..., : r // 2], x[..., r // 2 : r], x[..., r:]
        return torch.cat((a * cos - b * sin, a * sin + b * cos, rest), -1)

    def keys_values(self, h, cos, sin):
        B, T = h.shape[:2]
        k = self.rope(self.k(h).view(B, T, self.heads, self.hd), cos, sin)
        return k.transpose(1, 2), self.v(h).view(B, T, self.heads, self.hd).transpose(1, 2)

    def attend(self, x, h, cos, sin, k, v, bias):
        """x [B,N,D] the residual stream of the queries, h its norm, bias [B,1,N,T] additive."""
        B, N, D = x.shape[0], x.shape[1], int(x.shape[2])
        q = self.rope(self.q(h).view(B, N, self.heads, self.hd), cos, sin).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(
            q, k, v, attn_mask=bias
        )  # never holds all weights at once, which on a CPU is twice as fast
        x = x + self.o(mixed.transpose(1, 2).reshape(B, N, D))
        return x + self.down(F.relu(self.up(self.norm2(x))).square())


class Decision(nn.Module):
    def __init__(self, config=None):
        super().__init__()
        self.config = config = config or Config()
        d = config.width
        self.embedding = nn.Embedding(ROWS, d)
        self.case = nn.Embedding(3, d)
        nn.init.normal_(self.case.weight, std=0.1)
        self.input_gain = nn.Parameter(torch.ones(d))
        self.pair = nn.Parameter(
            torch.randn(2, d) * 0.3
        )  # a word has its like elsewhere in the state; there is an elsewhere
        self.rank = nn.Parameter(torch.randn(2, d) * 0.3)
        # What a cell spells, and the pieces spelled so; both come from the vision tower (reading.npz) and stay. The last code is a blank.
        self.register_buffer("vision_spell", torch.randn(config.vision_width, CODE_WIDTH) * config.vision_width**-0.5)
        self.register_buffer("vision_codes", F.normalize(torch.randn(VOCABULARY + 1, CODE_WIDTH), dim=-1))
        self.register_buffer("vision_sharpness", torch.tensor(20.0))
        self.vision_tell = nn.Sequential(linear(config.vision_width, TOLD, bias=True), nn.Sigmoid(), linear(TOLD, d))
        self.vision_rest = linear(config.vision_width, d)
        self.vision_look = nn.Parameter(
            torch.zeros(d)
        )  # how much a word that was read takes of the look of the cell it stands in
        self.place = nn.Sequential(linear(GEOMETRY, 64, 1.5, bias=True), nn.ReLU(), linear(64, d, 0.7))
        self.layers = nn.ModuleList(Layer(config, i == 0) for i in range(config.layers))
        self.final, self.memory = Norm(d), Norm(d)
        # similarities
        self.pool_option, self.pool_state = nn.Parameter(torch.zeros(d)), nn.Parameter(torch.zeros(d))
        self.pool_pair = nn.Parameter(torch.zeros(d))
        self.left, self.right = nn.Parameter(torch.eye(d)), nn.Parameter(torch.eye(d))
        self.ask, self.left2, self.right2 = (
            nn.Parameter(torch.eye(d) * 0.5),
            nn.Parameter(torch.eye(d)),
            nn.Parameter(torch.eye(d)),
        )
        # how near an option's words stand to what the question names: a convolution, and how much only their best place counts
        apart = torch.arange(-AROUND, AROUND + 1)
        self.beside_kernel = nn.Parameter(
            ((-apart.abs() / 4).exp() * (apart < 0).float().mul(-0.85).add(1))[None, None]
        )  # more is said behind a name than before it
        self.beside_sharpness = nn.Parameter(torch.tensor(12.0))
        # how much of what is said where an option's name stands comes up elsewhere: the length of a name, how much only its best place counts, how far from
        # it things are still said of it, which words count
        apart = torch.arange(-TOLD_WITHIN, TOLD_WITHIN + 1)
        self.told_name = nn.Parameter(torch.ones(1, 1, 2 * NAME + 1))
        self.told_sharpness = nn.Parameter(torch.tensor(12.0))
        self.told_kernel = nn.Parameter(((-apart.abs() / 12).exp() * (apart > 0).float().mul(-0.95).add(1))[None, None])
        self.told_content = nn.Parameter(torch.zeros(d))
        # decision head
        self.direct = nn.Parameter(torch.tensor([[3.0, 2.0, 1.0, 0.0, 0.0]] * SCORED))
        features = SIMILARITIES * 3 + PAIRS + SCORED
        self.mix = linear(d + features, config.head_width, 0.7, bias=True)
        self.out = linear(config.head_width, 1, 0.7)
        self.flat = linear(d, 1, 0.3)
        self.gate = linear(d, SIMILARITIES * 3 + PAIRS, 0.0)
        self.offset = nn.Parameter(torch.zeros(SCORED))
        # what pictures add to it: how it looks where an option stands, and what stands in its row and column
        self.look_state, self.look_mark = linear(config.vision_width, LOOKS, 1.0), linear(d, LOOKS, 0.7, bias=True)
        self.shown_mix = linear(d + 2 * LOOKS + ALIGNED * 3 + SCORED, config.head_width, 0.7, bias=True)
        self.shown_out, self.shown_gate = linear(config.head_width, 1, 0.0), linear(d, ALIGNED * 3, 0.0, bias=True)
        # pointers
        p = 128
        self.point_state, self.point_mark, self.point_add, self.point_ask = (
            linear(d, p),
            linear(d, p),
            linear(d, p),
            linear(d, p),
        )
        self.point_out = linear(p, 2, 1.0)
        self.point_end = linear(d, p)  # the first token of a span, for finding its end
        self.nothing = linear(d + 1, 1, 0.5, bias=True)
        # what is looked for by name: which of a question's words count, how much more so when the state has them, and when it is the way to point
        self.seek, self.seek_there, self.seek_gate = (
            nn.Parameter(torch.zeros(d)),
            nn.Parameter(torch.tensor(4.0)),
            linear(d, 1, 0.0, bias=True),
        )
        # and what stands behind what is named, as a value behind its key; a convolution, the nearest token last
        self.seek_after, self.seek_after_gate = (
            nn.Parameter(0.6 ** torch.arange(AFTER, dtype=torch.float32).flip(0)[None, None]),
            linear(d, 1, 0.0, bias=True),
        )
        # or what stands in its row and column on a picture; the second for what is copied first
        self.aside_gate, self.aside_copy_gate = linear(d, ASIDE, 0.0, bias=True), linear(d, ASIDE, 0.0, bias=True)
        # writing
        self.write = linear(d, d)
        self.copy_mark, self.copy_state = linear(d, d), linear(d, d)
        self.copy_next = nn.Parameter(torch.tensor(2.0))
        self.copy_after_gate = linear(d, 1, 0.0, bias=True)
        self.write_bias = nn.Parameter(torch.tensor(0.0))

    # --- inputs -------------------------------------------------------------------------------------------------------------------

    def read_cells_with(self, reading):
        """Begins with what the vision tower was taught: its spelling, and its tags told as the words that name them (an .npz of export/vision.py)."""
        for name in ("spell", "codes", "sharpness"):
            getattr(self, f"vision_{name}").copy_(torch.from_numpy(reading[name]))
        first, last = self.vision_tell[0], self.vision_tell[2]
        count = len(reading["tags"])
        with torch.no_grad():
            first.weight[:count], first.bias[:count] = (
                torch.from_numpy(reading["tags"]),
                torch.from_numpy(reading["tag_bias"]),
            )
            for i, ids in enumerate(reading["tag_words"]):
                last.weight[:, i] = normalise(self.embedding(torch.from_numpy(ids[ids >= 0]))).mean(0)

    def spelled(self, features):
        """The pieces that cells [.., vision_width] seem to show: ids [.., SPELLED] (VOCABULARY for a blank) and their shares, which sum to 1."""
        said = F.normalize(features @ self.vision_spell, dim=-1)
        scores, ids = (self.vision_sharpness * said @ self.vision_codes.T).topk(SPELLED, -1)
        return ids, scores.softmax(-1)

    def seen(self, features, ids, shares):
        """[.., D] what a cell says: the words spelled in it, and what else the features tell (ticked, an error, a circle)."""
        pieces = normalise(self.embedding(ids.clamp(max=VOCABULARY - 1)))
        written = ((shares * (ids < VOCABULARY))[..., None, :] @ pieces)[..., 0, :]
        return normalise(written + self.vision_tell(features))

    def words(self, ids, cells=None, is_image=None):
        """Static vectors [.., D] of length about sqrt(D): what a token says, whatever stands around it. cells: those of `is_image`, as `seen` takes them."""
        e = normalise(self.embedding(ids))
        if cells is not None:
            e = e.masked_scatter(is_image[..., None], self.seen(*cells).to(e.dtype))
        return e

    def inputs(
        self, e, cases, like, like_any, ranks, cells=None, geometry=None, is_image=None, is_placed=None, looks=None
    ):
        """What goes into the first layer [.., D]. geometry: where the tokens of `is_placed` lie in their picture, cells and words that were read there;
        looks: for each of these words the cell it stands in."""
        x = e * self.input_gain + self.case(cases) + like[..., None] * self.pair[0] + like_any[..., None] * self.pair[1]
        ranked = (ranks >= 0).to(e.dtype)[..., None]
        x = x + ranked * (ranks[..., None] * self.rank[0] + (1 - ranks[..., None]) * self.rank[1])
        if cells is not None:
            rest = normalise(self.vision_rest(cells[0]))
            for told, where in (
                (rest, is_image),
                (rest[looks] * self.vision_look, is_placed & ~is_image),
                (self.place(geometry), is_placed),
            ):
                x = x + torch.zeros_like(x).masked_scatter(where[..., None], told.to(x.dtype))
        return normalise(x)

    def angles(self, positions):
        r = self.layers[0].rotary
        inverse = 10000.0 ** (-torch.arange(0, r, 2, dtype=torch.float32) / r)
        angle = positions[..., None, None].float() * inverse
        return angle.cos(), angle.sin()

    def likeness(self, similarity, segments):
        """For each token the best similarity [0,1] to a token of another segment of the state, and whether there is another segment.

        similarity [B,T,T] cosines; segments [B,T], -1 for what takes no part."""
        other = (
            (segments[:, :, None] != segments[:, None, :]) & (segments[:, :, None] >= 0) & (segments[:, None, :] >= 0)
        )
        best = similarity.masked_fill(~other, 0).amax(-1).clamp(min=0)
        return best, other.any(-1).to(similarity.dtype)

    def pair_features(self, e, like, segments):
        """[B,2]: how much of all compared segments, and of the last one, is found in another; 0 where nothing is compared."""
        weights = e @ self.pool_pair
        compared = segments >= 0
        last = compared & (segments == segments.amax(-1, keepdim=True))
        means = [(torch.softmax(weights.masked_fill(~m, -1e4), -1) * like * m).sum(-1) for m in (compared, last)]
        return torch.stack(means, -1)

    def echoes(self, e, across, groups):
        """What `told` reads of each token, [B,T,2]: how much it counts, and that times how much of it comes up in another group (across [B,T], the best cosine, squared); and [B,2] the
        most that does of one place, in the first group and in the others."""
        counts = groups >= 0
        logits = (e @ self.told_content).masked_fill(~counts, -1e4)
        weight = (logits - logits.amax(-1, keepdim=True)).exp() * counts
        echo = torch.stack((weight, weight * across.square()), -1)
        around = F.conv1d(
            echo.transpose(1, 2).reshape(-1, 1, echo.shape[1]),
            self.told_kernel.clamp(min=0).flip(-1),
            padding=TOLD_WITHIN,
        ).reshape(len(e), 2, -1)
        share = around[:, 1] / around[:, 0].clamp(min=1e-6)
        return echo, torch.stack([(share * part).amax(-1) for part in (groups == 0, groups > 0)], -1)

    # --- read-outs ----------------------------------------------------------------------------------------------------------------

    def pool_words(self, e, own):
        """Learned weighted mean of the word vectors: e [B,T,D], own [B,R,T] bool -> weights [B,R,T]."""
        return torch.softmax((e @ self.pool_option)[:, None].masked_fill(~own, -1e4), -1)

    def beside(self, weights, asked_weights, alike, squared, state_mask):
        """[B,R] how near to the words of the question those of an option stand in the state, likest words first; 0 where nothing is asked.

        weights, asked_weights [B,R,T] of the option's and the question's words; alike [B,T,S] cosines of own tokens to the state's, 0 at least; their squares."""
        named = asked_weights @ squared
        B, R, S = named.shape
        near = F.conv1d(named.reshape(B * R, 1, S), self.beside_kernel.to(named.dtype), padding=AROUND).reshape(B, R, S)
        places = torch.softmax((self.beside_sharpness * (weights @ alike)).masked_fill(~state_mask[:, None], -1e4), -1)
        return (places * near).sum(-1)

    def standing(self, weights, squared, state_mask):
        """[B,R,S] where an option's name stands in the state, as shares.

        weights [B,R,T] of the option's words; squared [B,T,S] as for `beside`."""
        B, R, _ = weights.shape
        named = weights @ squared
        named = F.conv1d(named.reshape(B * R, 1, -1), self.told_name.to(named.dtype), padding=NAME).reshape(B, R, -1)
        return torch.softmax((self.told_sharpness * named).float().masked_fill(~state_mask[:, None], -1e4), -1)

    def told(self, places, echo):
        """[B,R] how much of what is said where an option's name stands, as in a description, comes up in another group of the state, as in a request.

        places [B,R,S] of `standing`; echo [B,S,2] of `echoes`."""
        B, R, _ = places.shape
        near = F.conv1d(
            places.reshape(B * R, 1, -1), self.told_kernel.clamp(min=0).to(places.dtype), padding=TOLD_WITHIN
        ).reshape(B, R, -1)
        weight, echoed = (near @ echo.to(near.dtype)).unbind(-1)
        return echoed / weight.clamp(min=1e-6)

    def similarities(self, e_own, weights, asked, e_state, state_mask, best, beside, told):
        """[B,R,5]: pooled option x pooled state; mean best match of the option's words; option x the state as the question looks at it; whether the
        option stands beside what the question names; how much of what is said beside the option's name comes up elsewhere.

        e_own [B,T,D] vectors the weights [B,R,T] pool; asked [B,R,D] mean word of the question; e_state [B,S,D]; best [B,T] of each own token; beside, told [B,R]."""
        d = int(e_own.shape[-1])
        option = weights @ e_own
        state = torch.softmax((e_state @ self.pool_state).masked_fill(~state_mask, -1e4), -1)[:, None] @ e_state
        pooled = (normalise(state @ self.left) * normalise(option @ self.right)).sum(-1) / d
        matched = (weights @ best[..., None])[..., 0]
        look = (
            torch.softmax(
                ((asked @ self.ask) @ e_state.transpose(-1, -2) / d**0.5).masked_fill(~state_mask[:, None], -1e4), -1
            )
            @ e_state
        )
        looked = (normalise(look @ self.left2) * normalise(option @ self.right2)).sum(-1) / d
        return torch.stack((pooled, matched, looked, beside, told), -1)

    def sides(self, spots):
        """[B,SIDES,W,W] how much a word (the last W) stands so to another (the W before): in its row to the left or to the right, in its column above or below, near to
        the left, near above; 0 to 1. spots [B,W,SPOT], with -1 for the number of the picture where there is no word."""
        x, y, height, left, right, picture = ((part[:, :, None], part[:, None]) for part in spots.unbind(-1))
        size = torch.maximum(*height).clamp(min=1e-4)
        same = ((picture[0] == picture[1]) & (picture[0] >= 0)).to(size.dtype)
        along, down = (x[1] - x[0]) / size, (y[1] - y[0]) / size
        row = (1 - down.abs()).clamp(min=0) * same
        middle = [(left[i] + right[i]) / 2 for i in (0, 1)]
        apart = (
            torch.minimum(
                torch.minimum((left[1] - left[0]).abs(), (right[1] - right[0]).abs()), (middle[1] - middle[0]).abs()
            )
            / size
        )
        column = (COLUMN_REACH - apart).clamp(0, 1) * same
        before, behind = row * (along < 0), row * (along > 0)
        above, below = column * (down < -ABOVE), column * (down > ABOVE)
        near = before * (along.clamp(max=0) / NEAR_ALONG).exp(), above * (down.clamp(max=0) / NEAR_ABOVE).exp()
        return torch.stack((before, behind, above, below, *near), 1)

    def aside(self, named, sides):
        """[B,R,ASIDE,W] how much of what is named (named [B,R,W]) stands so to each word, 1 at most, and how much to its left and above it at once."""
        found = torch.einsum("brt,bkst->brks", named, sides).clamp(max=1)
        return torch.cat((found, (4 * found[:, :, :1] * found[:, :, 2:3]).clamp(max=1)), 2)

    def lines(self, spots):
        """[B,W,W] 1 for words of one line, 0 for others; spots as for `sides`."""
        apart = (spots[:, :, None] - spots[:, None]).abs() / spots[:, :, None, 2:3].clamp(min=1e-4)
        return ((apart[..., [1, 3, 4, 5]] < 1e-3).all(-1) & (spots[:, :, None, 5] >= 0)).to(spots.dtype)

    def aligned(self, places, own, asked, said, sides, lines):
        """[B,R,ALIGNED] what of the question's words stands in the row and column of an option: at the best of its places, and for its words on the whole; and how much of a line is
        said by the option where the question names the row and the column of it, or what is near.

        places [B,R,W] of `standing`; own, asked [B,R,W] how much of the option's and the question's words each word is; said [B,R,W] whether it is one of the option's."""
        aside = self.aside(asked, sides)
        sure = places / places.amax(-1, keepdim=True).clamp(min=1e-6)
        best = (sure[:, :, None] * aside).amax(-1)
        whole = (own[:, :, None] * aside[:, :, [0, 2]]).sum(-1) / (own.sum(-1)[..., None] + 0.1)
        line = (said @ lines) / lines.sum(1).clamp(min=1)[:, None]
        before = (asked @ (sides[:, 0] * (1 - lines)).transpose(1, 2)).clamp(max=1)
        there = torch.stack(
            ((4 * before * aside[:, :, 2]).clamp(max=1), torch.maximum(aside[:, :, 4], aside[:, :, 5])), 2
        )
        return torch.cat((best, whole, (line[:, :, None] * there).amax(-1)), -1)

    def compared(self, features, together, count, least):
        """[B,R,3F] features [B,R,F], those less their mean over the options of the question, and less the best among the other options, or 0 where there are none. `least`: no feature is less."""
        mean = (together.to(features.dtype) @ features) / count[..., None]
        index = torch.arange(features.shape[1])
        others = (together & (index[:, None] != index[None]))[..., None]
        best = features[:, None].masked_fill(~others, least).amax(2)
        return torch.cat((features, features - mean, features - torch.where(others.any(2), best, features)), -1)

    def shown(self, h, looks, aligned, kind, together, count):
        """What pictures add to the logits [B,R]: looks [B,R,LOOKS] where an option stands, aligned [B,R,ALIGNED]."""
        mean = (together.to(looks.dtype) @ looks) / count[..., None]
        wanted = self.look_mark(h)
        seen = 4 * self.compared(aligned, together, count, 0.0)
        onehot = F.one_hot(kind, SCORED).to(looks.dtype)
        mixed = self.shown_mix(torch.cat((h, wanted * looks, wanted * (looks - mean), seen, onehot), -1))
        return self.shown_out(F.relu(mixed))[..., 0] + (self.shown_gate(h) * seen).sum(-1)

    def decide(self, h, features, pairs, kind, together, count):
        """Logits [B,R] of the marks. h [B,R,D]; features [B,R,5]; pairs [B,4]; kind [B,R] in 0..3; together [B,R,R] marks of one question; count of those."""
        onehot = F.one_hot(kind, SCORED).to(features.dtype)
        seen = 4 * torch.cat(
            (self.compared(features, together, count, -1.0), pairs[:, None].expand(-1, h.shape[1], -1)), -1
        )
        mixed = torch.cat((h, seen, onehot), -1)
        logit = (
            self.out(F.relu(self.mix(mixed)))[..., 0] + self.flat(h)[..., 0] + (features * self.direct[kind]).sum(-1)
        )
        # What a similarity means depends on the option: for "none of these", for "unrelated", it counts against.
        logit = logit + (self.gate(h) * seen).sum(-1)
        return logit + self.offset[kind]

    def wanted(self, e, asked, best):
        """[B,R,T] which of a question's words count when it names what it looks for, as shares. e [B,T,D], asked [B,R,T] its words, best [B,T] their best cosine to the state."""
        return torch.softmax((e @ self.seek + self.seek_there * best)[:, None].masked_fill(~asked, -1e4).float(), -1)

    def behind(self, found):
        """How much of what a question names stands just before each token: found [B,R,S] -> [B,R,S]."""
        B, R, S = found.shape
        return F.conv1d(found.reshape(B * R, 1, S), self.seek_after.to(found.dtype), padding=AFTER)[..., :S].reshape(
            B, R, S
        )

    def point(self, h, memory, found):
        """Start and end logits [B,R,S] over the state. h [B,R,D] marks of reads, memory [B,S,D], found [B,R,S]."""
        z = (
            self.point_state(memory)[:, None] * self.point_mark(h)[:, :, None]
            + self.point_add(memory)[:, None]
            + self.point_ask(h)[:, :, None]
        )
        start, end = self.point_out(F.relu(z)).unbind(-1)
        return start + 8 * self.seek_gate(h) * found + 8 * self.seek_after_gate(h) * self.behind(found), end

    def ends_given(self, memory_at_start, memory):
        """What a start adds to the end logits [.., S]: the span's last token should fit its first one."""
        return (self.point_end(memory_at_start)[..., None, :] @ self.point_state(memory).transpose(-1, -2))[
            ..., 0, :
        ] * 128**-0.5

    def absent(self, h, start):
        """Logit [B,R] of 'nothing there'; start [B,R,S] masked with -1e4."""
        return self.nothing(torch.cat((h, start.amax(-1, keepdim=True) * 0.3), -1))[..., 0]

    def next_token(self, h, token, memory, previous_ids, state_mask, found):
        """Logits over the vocabulary [N,ROWS] and over copying each state token [N,S], one softmax over both.

        h [N,D], token [N] the token just written (MARK at first), memory [N,S,D], previous_ids [N,S] the state token before each, found [N,S]."""
        vocabulary = self.write(h) @ normalise(self.embedding.weight).T * 0.25 + self.write_bias
        copy = (self.copy_state(memory) @ self.copy_mark(h)[..., None])[..., 0] * int(h.shape[-1]) ** -0.5
        copy = copy + self.copy_next * (previous_ids == token[:, None]).to(copy.dtype)
        copy = copy + 8 * self.copy_after_gate(h) * (token == MARK)[:, None] * self.behind(found[:, None])[:, 0]
        return vocabulary, copy.masked_fill(~state_mask, -1e4)
