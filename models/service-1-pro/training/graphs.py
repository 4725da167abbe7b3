"""The two halves of the model as the engine runs them: StateEncoder once a state, BranchReader once a question. No batch dimension.

Lengths: S state tokens, N image cells (at least one row, unused without images), T branch tokens, R marks, W read rows, L layers, H heads, hd head width.
"""
import torch
from torch import nn

from model import VOCABULARY, normalise


class StateEncoder(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, cases, segments, positions, cells, image_features, image_places):
        """ids, cases, segments, positions, cells [S] int64 (cells: row of the image features, -1 for text); image_features [N,192]; image_places [N,6].

        words, memory [S,D]; keys, values [L,H,S,hd]; pairs [2]; end_queries, end_keys [S,128]."""
        model = self.model
        is_image = (cells >= 0)[None]
        row = cells.clamp(min=0)
        features, places = image_features[row][None], image_places[row][None]
        e = model.words(ids[None], features, is_image)
        similarity = e @ e.transpose(1, 2) / int(e.shape[-1])
        like, any_like = model.likeness(similarity, segments[None])
        unranked = torch.full_like(like, -1.0)
        x = model.inputs(e, cases[None], like, any_like, unranked, features, places, is_image)
        cos, sin = model.angles(positions[None])
        keys, values = [], []
        for layer in model.layers[:-1]:
            h = layer.norm1(x)
            k, v = layer.keys_values(h, cos, sin)
            keys.append(k)
            values.append(v)
            x = layer.attend(x, h, cos, sin, k, v, torch.zeros(1))
        k, v = model.layers[-1].keys_values(model.layers[-1].norm1(x), cos, sin)
        memory = model.memory(x)
        pairs = model.pair_features(e, like, segments[None])
        return (e[0], memory[0], torch.cat((*keys, k)), torch.cat((*values, v)), pairs[0], model.point_end(memory)[0], model.point_state(memory)[0])


class BranchReader(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, cases, positions, owners, orders, ranks, marks, kinds, reads, read_tokens,
                state_ids, state_seen, words, memory, keys, values, pairs):
        """A question: ids … orders [T] int64, ranks [T] float; marks [R] and kinds [R] int64; reads [W], read_tokens [W] int64 (the token at each read row).
        The state: state_ids [S] int64, state_seen [S] float (1, or 0 for tokens this question must not see), and what StateEncoder made of it.

        logits [R]; start, end [W,S]; absent [W]; vocabulary [W,8192]; copy [W,S]. State tokens that are not seen get -1e4."""
        model = self.model
        S = state_ids.shape[0]
        e = model.words(ids[None])
        zero = torch.zeros_like(ranks)[None]
        x = model.inputs(e, cases[None], zero, zero, ranks[None])
        cos, sin = model.angles(positions[None])
        is_mark = (torch.arange(ids.shape[0])[:, None] == marks[None]).any(1)
        inside = ((owners[None] == 0) | (owners[:, None] == owners[None])) & (orders[None] <= orders[:, None])
        local = inside | (is_mark[:, None] & is_mark[None])
        seen = torch.cat((state_seen[None].expand(ids.shape[0], -1) > 0.5, local), 1)
        bias = torch.where(seen, 0.0, -1e9)[None, None]
        for index, layer in enumerate(model.layers[:-1]):
            h = layer.norm1(x)
            k, v = layer.keys_values(h, cos, sin)
            k, v = torch.cat((keys[index][None], k), 2), torch.cat((values[index][None], v), 2)
            x = layer.attend(x, h, cos, sin, k, v, bias)
        layer = model.layers[-1]
        h = layer.norm1(x)
        k, v = layer.keys_values(h, cos, sin)
        k, v = torch.cat((keys[-1][None], k), 2), torch.cat((values[-1][None], v), 2)
        rows = torch.cat((marks, reads))
        hidden = model.final(layer.attend(x[:, rows], h[:, rows], cos[:, rows], sin[:, rows], k, v, bias[:, :, rows]))
        return self.read_out(e, hidden, marks, kinds, reads, read_tokens, ids, owners, state_ids, state_seen, words, memory, pairs)

    def read_out(self, e, hidden, marks, kinds, reads, read_tokens, ids, owners, state_ids, state_seen, words, memory, pairs):
        model = self.model
        count = marks.shape[0]
        mask = (state_seen > 0.5)[None]
        best = (e @ words.T[None] / int(e.shape[-1])).masked_fill(~mask[:, None], -1).amax(-1)
        text = ids < VOCABULARY
        own = (text[None] & (owners[None] == owners[marks][:, None]))[None]
        asked = (text & (owners == 0)).float()
        asked = (asked / asked.sum().clamp(min=1))[None, None] @ e
        similarities = model.similarities(e, model.pool_words(e, own), asked.expand(-1, count, -1), words[None], mask, best)
        together = torch.ones(1, count, count, dtype=torch.bool)
        logits = model.decide(hidden[:, :count], similarities, pairs[None], kinds[None], together, torch.full((1, count), count).float())
        h = hidden[:, count:]
        start, end = model.point(h, memory[None])
        start, end = start[0].masked_fill(~mask, -1e4), end[0].masked_fill(~mask, -1e4)
        previous = torch.cat((torch.full_like(state_ids[:1], -1), state_ids[:-1]))
        width = reads.shape[0]
        vocabulary, copy = model.next_token(h[0], read_tokens, memory[None].expand(width, -1, -1), previous[None].expand(width, -1), mask.expand(width, -1))
        return logits[0], start, end, model.absent(h, start[None])[0], vocabulary, copy


STATE_INPUTS = ['ids', 'cases', 'segments', 'positions', 'cells', 'image_features', 'image_places']
STATE_OUTPUTS = ['words', 'memory', 'keys', 'values', 'pairs', 'end_queries', 'end_keys']
BRANCH_INPUTS = ['ids', 'cases', 'positions', 'owners', 'orders', 'ranks', 'marks', 'kinds', 'reads', 'read_tokens',
                 'state_ids', 'state_seen', 'words', 'memory', 'keys', 'values', 'pairs']
BRANCH_OUTPUTS = ['logits', 'start', 'end', 'absent', 'vocabulary', 'copy']
