"""Row and column relations of the words that were read in pictures, from their layouts. Nothing here is learned.

Shapes: B rows, R readout tokens, W words; layouts [B,W,LAYOUT] have -1 as number of the picture where there is no word.
"""

import torch

from decision.constants import ABOVE, COLUMN_REACH, NEAR_ABOVE, NEAR_ALONG


def relations(layouts):
    """How much one word (last axis) stands in each relation to another (axis before): [B,RELATIONS,W,W], 0 to 1.

    The relations: to the left or to the right in its row, above or below in its column, near to the left, near above.
    """
    x, y, height, left, right, picture = ((part[:, :, None], part[:, None]) for part in layouts.unbind(-1))
    size = torch.maximum(*height).clamp(min=1e-4)
    same = ((picture[0] == picture[1]) & (picture[0] >= 0)).to(size.dtype)
    along, down = (x[1] - x[0]) / size, (y[1] - y[0]) / size
    row = (1 - down.abs()).clamp(min=0) * same
    middle = [(left[i] + right[i]) / 2 for i in (0, 1)]
    ends = torch.minimum((left[1] - left[0]).abs(), (right[1] - right[0]).abs())
    apart = torch.minimum(ends, (middle[1] - middle[0]).abs()) / size
    column = (COLUMN_REACH - apart).clamp(0, 1) * same
    before, behind = row * (along < 0), row * (along > 0)
    above, below = column * (down < -ABOVE), column * (down > ABOVE)
    near = before * (along.clamp(max=0) / NEAR_ALONG).exp(), above * (down.clamp(max=0) / NEAR_ABOVE).exp()
    return torch.stack((before, behind, above, below, *near), 1)


def same_line(layouts):
    """[B,W,W]: 1 for words of one line, 0 for others."""
    apart = (layouts[:, :, None] - layouts[:, None]).abs() / layouts[:, :, None, 2:3].clamp(min=1e-4)
    return ((apart[..., [1, 3, 4, 5]] < 1e-3).all(-1) & (layouts[:, :, None, 5] >= 0)).to(layouts.dtype)


def related(named, pairs):
    """[B,R,RELATED,W]: how much of what is named stands in each relation to each word, 1 at most; the last is how much
    stands to its left and above it at once.

    named [B,R,W]: how much each word is one that is named; pairs: see `relations`."""
    found = torch.einsum("brt,bkst->brks", named, pairs).clamp(max=1)
    return torch.cat((found, (4 * found[:, :, :1] * found[:, :, 2:3]).clamp(max=1)), 2)


def option_relations(positions, own, asked, is_own, pairs, lines):
    """[B,R,OPTION_RELATIONS]: which of the question's words stand in the row and column of an option.

    Three groups of numbers: at the best position of the option; for all of its words; and how much of a line the option
    says where the question names the row and the column of that line, or something near it.

    positions [B,R,W]: where the option's name stands (Decision.name_positions); own, asked [B,R,W]: how much each word
    is one of the option's and of the question's; is_own [B,R,W]: whether it is one of the option's; pairs: see
    `relations`; lines: see `same_line`."""
    around = related(asked, pairs)
    sure = positions / positions.amax(-1, keepdim=True).clamp(min=1e-6)
    best = (sure[:, :, None] * around).amax(-1)
    whole = (own[:, :, None] * around[:, :, [0, 2]]).sum(-1) / (own.sum(-1)[..., None] + 0.1)
    line = (is_own @ lines) / lines.sum(1).clamp(min=1)[:, None]
    before = (asked @ (pairs[:, 0] * (1 - lines)).transpose(1, 2)).clamp(max=1)
    crossing = (4 * before * around[:, :, 2]).clamp(max=1)
    there = torch.stack((crossing, torch.maximum(around[:, :, 4], around[:, :, 5])), 2)
    return torch.cat((best, whole, (line[:, :, None] * there).amax(-1)), -1)
