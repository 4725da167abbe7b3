"""The decision model: a state encoder, and option branches behind it with features that compare option and state.

Shapes: B rows, T tokens of a packed row (the state first, then the branches of its questions), S tokens of the state,
R readout tokens of a row, W words that were read in pictures, D width.

- Attention: the state sees itself only, so it can be cached. A question sees the state and itself, an option sees the
  state, the question and itself; readout tokens of one question see each other.
- The last layer runs on the readout tokens (and answer tokens) only. Pointers look at the state before that layer.
- Beside the transformer, five similarities of option and state (`similarities`) go to the decision head: as they are,
  less their mean over the options, and less the best other option. This lets "none of these" win when nothing matches.
  Four more features say how far the parts of the state repeat each other (`pair_features`, `overlap_terms`).
- Pictures add layout and appearance: the row and column relations of words (layout.py), and how the place of an option
  looks (`picture_logits`).
"""

from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import nn

from decision.constants import (
    AFTER,
    APPEARANCE,
    AROUND,
    ATTRIBUTES,
    CODE_WIDTH,
    GEOMETRY,
    NAME,
    OPTION_RELATIONS,
    OVERLAP_WITHIN,
    PAIRS,
    READOUT,
    RELATED,
    ROWS,
    SCORED,
    SIMILARITIES,
    SPELLED,
    VOCABULARY,
)
from decision.layers import Layer, Norm, linear, normalise
from decision.saved_names import rename_when_loading, rename_when_saving

# Added to logits of what takes no part: nothing of it is left, and float16 can hold it.
MASKED = -1e4

# Learned parameters that texts never pass through, and those that only quotes, boxes and written answers pass through.
PICTURE_PARTS = (
    "vision_attributes.",
    "vision_rest.",
    "vision_appearance",
    "geometry.",
    "appearance_",
    "picture_",
    "relation_",
)
READ_PARTS = ("seek", "point_", "nothing", "write", "copy_", "relation_")


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


class Decision(nn.Module):
    def __init__(self, config=None):
        super().__init__()
        self.register_state_dict_post_hook(rename_when_saving)
        self.register_load_state_dict_pre_hook(rename_when_loading)
        self.config = config = config or Config()
        d = config.width
        self.embedding = nn.Embedding(ROWS, d)
        self.case = nn.Embedding(3, d)
        nn.init.normal_(self.case.weight, std=0.1)
        self.input_gain = nn.Parameter(torch.ones(d))
        # Added to a word that has its like in another segment of the state, and where there is another segment.
        self.pair = nn.Parameter(torch.randn(2, d) * 0.3)
        self.rank = nn.Parameter(torch.randn(2, d) * 0.3)
        # How a cell's features spell word pieces, and the code of each piece; the last code is a blank. Both come from
        # the vision tower (reading.npz) and are not trained here.
        self.register_buffer("vision_spell", torch.randn(config.vision_width, CODE_WIDTH) * config.vision_width**-0.5)
        self.register_buffer("vision_codes", F.normalize(torch.randn(VOCABULARY + 1, CODE_WIDTH), dim=-1))
        self.register_buffer("vision_sharpness", torch.tensor(20.0))
        self.vision_attributes = nn.Sequential(
            linear(config.vision_width, ATTRIBUTES, bias=True), nn.Sigmoid(), linear(ATTRIBUTES, d)
        )
        self.vision_rest = linear(config.vision_width, d)
        # How much a word that was read takes of the features of the cell it stands in.
        self.vision_appearance = nn.Parameter(torch.zeros(d))
        self.geometry = nn.Sequential(linear(GEOMETRY, 64, 1.5, bias=True), nn.ReLU(), linear(64, d, 0.7))
        self.layers = nn.ModuleList(Layer(config, i == 0) for i in range(config.layers))
        self.final, self.memory = Norm(d), Norm(d)

        # Similarities: weights of pooling, and bilinear forms.
        self.pool_option, self.pool_state = nn.Parameter(torch.zeros(d)), nn.Parameter(torch.zeros(d))
        self.pool_pair = nn.Parameter(torch.zeros(d))
        self.left, self.right = nn.Parameter(torch.eye(d)), nn.Parameter(torch.eye(d))
        self.ask = nn.Parameter(torch.eye(d) * 0.5)
        self.left2, self.right2 = nn.Parameter(torch.eye(d)), nn.Parameter(torch.eye(d))
        # Proximity of an option's words to what the question names. More is said behind a name than before it, so the
        # kernel starts larger there. The sharpness says how much only the best position of the option counts.
        apart = torch.arange(-AROUND, AROUND + 1)
        behind = (apart < 0).float()
        self.proximity_kernel = nn.Parameter(((-apart.abs() / 4).exp() * behind.mul(-0.85).add(1))[None, None])
        self.proximity_sharpness = nn.Parameter(torch.tensor(12.0))
        # Lexical overlap: what is said near an option's name that comes up elsewhere in the state. The length of a
        # name, how much only its best position counts, how near things must stand, and which words count.
        apart = torch.arange(-OVERLAP_WITHIN, OVERLAP_WITHIN + 1)
        before = (apart > 0).float()
        self.overlap_name = nn.Parameter(torch.ones(1, 1, 2 * NAME + 1))
        self.overlap_sharpness = nn.Parameter(torch.tensor(12.0))
        self.overlap_kernel = nn.Parameter(((-apart.abs() / 12).exp() * before.mul(-0.95).add(1))[None, None])
        self.overlap_content = nn.Parameter(torch.zeros(d))

        # The decision head.
        self.direct = nn.Parameter(torch.tensor([[3.0, 2.0, 1.0, 0.0, 0.0]] * SCORED))
        features = SIMILARITIES * 3 + PAIRS + SCORED
        self.mix = linear(d + features, config.head_width, 0.7, bias=True)
        self.out = linear(config.head_width, 1, 0.7)
        self.flat = linear(d, 1, 0.3)
        self.gate = linear(d, SIMILARITIES * 3 + PAIRS, 0.0)
        self.offset = nn.Parameter(torch.zeros(SCORED))
        # What pictures add to it: the appearance where an option stands, and its row and column relations.
        self.appearance_state = linear(config.vision_width, APPEARANCE, 1.0)
        self.appearance_readout = linear(d, APPEARANCE, 0.7, bias=True)
        self.picture_mix = linear(d + 2 * APPEARANCE + OPTION_RELATIONS * 3 + SCORED, config.head_width, 0.7, bias=True)
        self.picture_out = linear(config.head_width, 1, 0.0)
        self.picture_gate = linear(d, OPTION_RELATIONS * 3, 0.0, bias=True)

        # Pointers. `point_end` takes the first token of a span, to find its last one.
        p = 128
        self.point_state, self.point_readout = linear(d, p), linear(d, p)
        self.point_add, self.point_ask = linear(d, p), linear(d, p)
        self.point_out = linear(p, 2, 1.0)
        self.point_end = linear(d, p)
        self.nothing = linear(d + 1, 1, 0.5, bias=True)
        # What a question names: which of its words count, how much more those count that the state has, and whether
        # naming is how this question points.
        self.seek, self.seek_there = nn.Parameter(torch.zeros(d)), nn.Parameter(torch.tensor(4.0))
        self.seek_gate = linear(d, 1, 0.0, bias=True)
        # What stands behind what is named, as a value behind its key: a convolution, the nearest token last.
        reach = 0.6 ** torch.arange(AFTER, dtype=torch.float32).flip(0)
        self.seek_after, self.seek_after_gate = nn.Parameter(reach[None, None]), linear(d, 1, 0.0, bias=True)
        # What stands in row and column of what is named; the second gate is for the token that is copied first.
        self.relation_gate = linear(d, RELATED, 0.0, bias=True)
        self.relation_copy_gate = linear(d, RELATED, 0.0, bias=True)

        # Writing: from the vocabulary, or copied from the state.
        self.write = linear(d, d)
        self.copy_readout, self.copy_state = linear(d, d), linear(d, d)
        self.copy_next = nn.Parameter(torch.tensor(2.0))
        self.copy_after_gate = linear(d, 1, 0.0, bias=True)
        self.write_bias = nn.Parameter(torch.tensor(0.0))

    # --- inputs -------------------------------------------------------------------------------------------------------

    def read_cells_with(self, reading):
        """Starts from what the vision tower learned (an .npz of export/vision.py): its spelling, and its tags, each
        with the vectors of the words that name it."""
        for name in ("spell", "codes", "sharpness"):
            getattr(self, f"vision_{name}").copy_(torch.from_numpy(reading[name]))
        first, last = self.vision_attributes[0], self.vision_attributes[2]
        count = len(reading["tags"])
        with torch.no_grad():
            first.weight[:count] = torch.from_numpy(reading["tags"])
            first.bias[:count] = torch.from_numpy(reading["tag_bias"])
            for i, ids in enumerate(reading["tag_words"]):
                last.weight[:, i] = normalise(self.embedding(torch.from_numpy(ids[ids >= 0]))).mean(0)

    def spelled(self, features):
        """The word pieces that cells [.., vision_width] seem to show: ids [.., SPELLED], VOCABULARY for a blank, and
        their shares, which sum to 1."""
        said = F.normalize(features @ self.vision_spell, dim=-1)
        scores, ids = (self.vision_sharpness * said @ self.vision_codes.T).topk(SPELLED, -1)
        return ids, scores.softmax(-1)

    def cell_vectors(self, features, ids, shares):
        """Vectors [.., D] of cells: the words spelled in them, and their attributes (ticked, an error, a circle)."""
        pieces = normalise(self.embedding(ids.clamp(max=VOCABULARY - 1)))
        written = ((shares * (ids < VOCABULARY))[..., None, :] @ pieces)[..., 0, :]
        return normalise(written + self.vision_attributes(features))

    def words(self, ids, cells=None, is_image=None):
        """Static vectors [.., D] of tokens, of length about sqrt(D). cells: the arguments of `cell_vectors` for the
        tokens of `is_image`."""
        e = normalise(self.embedding(ids))
        if cells is not None:
            e = e.masked_scatter(is_image[..., None], self.cell_vectors(*cells).to(e.dtype))
        return e

    def inputs(
        self, e, cases, like, like_any, ranks, cells=None, geometry=None, is_image=None, is_placed=None, cell_index=None
    ):
        """What goes into the first layer [.., D].

        geometry: where the tokens of `is_placed` (cells, and words that were read) lie in their picture; cell_index:
        for each of these words the cell it stands in."""
        x = e * self.input_gain + self.case(cases) + like[..., None] * self.pair[0] + like_any[..., None] * self.pair[1]
        ranked = (ranks >= 0).to(e.dtype)[..., None]
        x = x + ranked * (ranks[..., None] * self.rank[0] + (1 - ranks[..., None]) * self.rank[1])
        if cells is not None:
            rest = normalise(self.vision_rest(cells[0]))
            of_words = rest[cell_index] * self.vision_appearance
            placed = self.geometry(geometry)
            for values, where in ((rest, is_image), (of_words, is_placed & ~is_image), (placed, is_placed)):
                x = x + torch.zeros_like(x).masked_scatter(where[..., None], values.to(x.dtype))
        return normalise(x)

    def angles(self, positions):
        """Cosines and sines of the rotary half of a head, for positions [B,T]."""
        r = self.layers[0].rotary
        inverse = 10000.0 ** (-torch.arange(0, r, 2, dtype=torch.float32) / r)
        angle = positions[..., None, None].float() * inverse
        return angle.cos(), angle.sin()

    def likeness(self, similarity, segments):
        """For each token its best similarity [0,1] to a token of another segment, and whether there is another segment.

        similarity [B,T,T] cosines; segments [B,T], -1 for tokens that take no part."""
        other = segments[:, :, None] != segments[:, None, :]
        other = other & (segments[:, :, None] >= 0) & (segments[:, None, :] >= 0)
        best = similarity.masked_fill(~other, 0).amax(-1).clamp(min=0)
        return best, other.any(-1).to(similarity.dtype)

    def pair_features(self, e, like, segments):
        """[B,2]: how much of all segments, and of the last one, is found in another; 0 where nothing is compared."""
        weights = e @ self.pool_pair
        compared = segments >= 0
        last = compared & (segments == segments.amax(-1, keepdim=True))
        means = [(torch.softmax(weights.masked_fill(~m, MASKED), -1) * like * m).sum(-1) for m in (compared, last)]
        return torch.stack(means, -1)

    def overlap_terms(self, e, across, groups):
        """The terms [B,T,2] of `overlap`: how much each token counts, and that times how much of it is found in another
        group. Also [B,2]: the largest overlap of one position, in the first group and in the others.

        across [B,T]: the best cosine of each token to one of another group, squared here; groups [B,T], -1 for none."""
        counts = groups >= 0
        logits = (e @ self.overlap_content).masked_fill(~counts, MASKED)
        weight = (logits - logits.amax(-1, keepdim=True)).exp() * counts
        terms = torch.stack((weight, weight * across.square()), -1)
        kernel = self.overlap_kernel.clamp(min=0).flip(-1)
        channels = terms.transpose(1, 2).reshape(-1, 1, terms.shape[1])
        around = F.conv1d(channels, kernel, padding=OVERLAP_WITHIN).reshape(len(e), 2, -1)
        share = around[:, 1] / around[:, 0].clamp(min=1e-6)
        return terms, torch.stack([(share * part).amax(-1) for part in (groups == 0, groups > 0)], -1)

    # --- features of options ------------------------------------------------------------------------------------------

    def pool_words(self, e, own):
        """Weights [B,R,T] of a learned mean of word vectors e [B,T,D] over the tokens of own [B,R,T] bool."""
        return torch.softmax((e @ self.pool_option)[:, None].masked_fill(~own, MASKED), -1)

    def proximity(self, weights, asked_weights, alike, squared, state_mask):
        """[B,R]: how near to the question's words the option's words stand in the state; 0 where nothing is asked.

        weights, asked_weights [B,R,T] of the option's and the question's words; alike [B,T,S] cosines of these tokens
        to those of the state, 0 at least; squared: their squares."""
        named = asked_weights @ squared
        B, R, S = named.shape
        kernel = self.proximity_kernel.to(named.dtype)
        near = F.conv1d(named.reshape(B * R, 1, S), kernel, padding=AROUND).reshape(B, R, S)
        logits = (self.proximity_sharpness * (weights @ alike)).masked_fill(~state_mask[:, None], MASKED)
        return (torch.softmax(logits, -1) * near).sum(-1)

    def name_positions(self, weights, squared, state_mask):
        """[B,R,S]: where an option's name stands in the state, as shares that sum to 1.

        weights [B,R,T] of the option's words; squared [B,T,S] as for `proximity`."""
        B, R, _ = weights.shape
        named = (weights @ squared).reshape(B * R, 1, -1)
        named = F.conv1d(named, self.overlap_name.to(named.dtype), padding=NAME).reshape(B, R, -1)
        return torch.softmax((self.overlap_sharpness * named).float().masked_fill(~state_mask[:, None], MASKED), -1)

    def overlap(self, positions, terms):
        """[B,R]: how much of what is said near an option's name (as in a description) comes up in another group of the
        state (as in a request).

        positions [B,R,S] of `name_positions`; terms [B,S,2] of `overlap_terms`."""
        B, R, _ = positions.shape
        kernel = self.overlap_kernel.clamp(min=0).to(positions.dtype)
        near = F.conv1d(positions.reshape(B * R, 1, -1), kernel, padding=OVERLAP_WITHIN).reshape(B, R, -1)
        weight, found = (near @ terms.to(near.dtype)).unbind(-1)
        return found / weight.clamp(min=1e-6)

    def similarities(self, e_own, weights, asked, e_state, state_mask, best, proximity, overlap):
        """[B,R,5]: the pooled option times the pooled state; the mean best match of the option's words; the option
        times the state as the question attends to it; proximity; overlap.

        e_own [B,T,D] vectors that the weights [B,R,T] pool; asked [B,R,D] mean word of the question; e_state [B,S,D];
        best [B,T] best cosine of each own token; proximity, overlap [B,R]."""
        d = int(e_own.shape[-1])
        option = weights @ e_own
        state = torch.softmax((e_state @ self.pool_state).masked_fill(~state_mask, MASKED), -1)[:, None] @ e_state
        pooled = (normalise(state @ self.left) * normalise(option @ self.right)).sum(-1) / d
        matched = (weights @ best[..., None])[..., 0]
        scores = ((asked @ self.ask) @ e_state.transpose(-1, -2) / d**0.5).masked_fill(~state_mask[:, None], MASKED)
        attended = torch.softmax(scores, -1) @ e_state
        attended = (normalise(attended @ self.left2) * normalise(option @ self.right2)).sum(-1) / d
        return torch.stack((pooled, matched, attended, proximity, overlap), -1)

    # --- readouts -----------------------------------------------------------------------------------------------------

    def compared(self, features, together, count, least):
        """[B,R,3F]: features [B,R,F], those less their mean over the question's options, and less the best of the other
        options (0 where there are none). `least`: a lower bound of the features."""
        mean = (together.to(features.dtype) @ features) / count[..., None]
        index = torch.arange(features.shape[1])
        others = (together & (index[:, None] != index[None]))[..., None]
        best = features[:, None].masked_fill(~others, least).amax(2)
        return torch.cat((features, features - mean, features - torch.where(others.any(2), best, features)), -1)

    def picture_logits(self, h, appearance, relations, kind, together, count):
        """What pictures add to the logits [B,R]: appearance [B,R,APPEARANCE] where an option stands, relations
        [B,R,OPTION_RELATIONS]; the rest as for `decide`."""
        mean = (together.to(appearance.dtype) @ appearance) / count[..., None]
        wanted = self.appearance_readout(h)
        features = 4 * self.compared(relations, together, count, 0.0)
        onehot = F.one_hot(kind, SCORED).to(appearance.dtype)
        mixed = torch.cat((h, wanted * appearance, wanted * (appearance - mean), features, onehot), -1)
        mixed = self.picture_mix(mixed)
        return self.picture_out(F.relu(mixed))[..., 0] + (self.picture_gate(h) * features).sum(-1)

    def decide(self, h, features, pairs, kind, together, count):
        """Logits [B,R] of the readout tokens.

        h [B,R,D]; features [B,R,5]; pairs [B,4]; kind [B,R] in 0..3; together [B,R,R]: readout tokens of one question;
        count [B,R] of those."""
        onehot = F.one_hot(kind, SCORED).to(features.dtype)
        compared = self.compared(features, together, count, -1.0)
        compared = 4 * torch.cat((compared, pairs[:, None].expand(-1, h.shape[1], -1)), -1)
        mixed = torch.cat((h, compared, onehot), -1)
        logit = (
            self.out(F.relu(self.mix(mixed)))[..., 0] + self.flat(h)[..., 0] + (features * self.direct[kind]).sum(-1)
        )
        # What a similarity means depends on the option: it counts against "none of these" and "unrelated".
        logit = logit + (self.gate(h) * compared).sum(-1)
        return logit + self.offset[kind]

    def wanted(self, e, asked, best):
        """[B,R,T]: which of a question's words name what it looks for, as shares.

        e [B,T,D]; asked [B,R,T]: the question's words; best [B,T]: their best cosine to the state."""
        logits = (e @ self.seek + self.seek_there * best)[:, None].masked_fill(~asked, MASKED)
        return torch.softmax(logits.float(), -1)

    def behind(self, found):
        """How much of what a question names stands just before each token: found [B,R,S] -> [B,R,S]."""
        B, R, S = found.shape
        kernel = self.seek_after.to(found.dtype)
        return F.conv1d(found.reshape(B * R, 1, S), kernel, padding=AFTER)[..., :S].reshape(B, R, S)

    def point(self, h, memory, found):
        """Start and end logits [B,R,S] over the state. h [B,R,D] readout tokens, memory [B,S,D], found [B,R,S]."""
        product = self.point_state(memory)[:, None] * self.point_readout(h)[:, :, None]
        z = product + self.point_add(memory)[:, None] + self.point_ask(h)[:, :, None]
        start, end = self.point_out(F.relu(z)).unbind(-1)
        return start + 8 * self.seek_gate(h) * found + 8 * self.seek_after_gate(h) * self.behind(found), end

    def ends_given(self, memory_at_start, memory):
        """What a start adds to the end logits [.., S]: the span's last token should fit its first one."""
        scores = self.point_end(memory_at_start)[..., None, :] @ self.point_state(memory).transpose(-1, -2)
        return scores[..., 0, :] * 128**-0.5

    def absent(self, h, start):
        """Logit [B,R] of "nothing there"; start [B,R,S] masked with MASKED."""
        return self.nothing(torch.cat((h, start.amax(-1, keepdim=True) * 0.3), -1))[..., 0]

    def next_token(self, h, token, memory, previous_ids, state_mask, found):
        """Logits over the vocabulary [N,ROWS] and over copying each state token [N,S]; one softmax spans both.

        h [N,D]; token [N]: the token just written, READOUT at first; memory [N,S,D]; previous_ids [N,S]: the state
        token before each; found [N,S]."""
        vocabulary = self.write(h) @ normalise(self.embedding.weight).T * 0.25 + self.write_bias
        copy = (self.copy_state(memory) @ self.copy_readout(h)[..., None])[..., 0] * int(h.shape[-1]) ** -0.5
        copy = copy + self.copy_next * (previous_ids == token[:, None]).to(copy.dtype)
        is_first = (token == READOUT)[:, None]
        copy = copy + 8 * self.copy_after_gate(h) * is_first * self.behind(found[:, None])[:, 0]
        return vocabulary, copy.masked_fill(~state_mask, MASKED)
