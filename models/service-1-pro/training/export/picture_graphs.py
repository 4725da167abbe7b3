"""What the branch reader of pictures reads beside that of texts, as nodes of its graph (export/graphs.py): what stands in the row and column of a word, and how it looks where an option stands."""

import numpy as np
from onnx import helper

from decision.model import ABOVE, ASIDE, COLUMN_REACH, NEAR_ABOVE, NEAR_ALONG, SCORED, SIDES, SPOT
from export.nodes import FLOAT


class Seeing:
    """Shapes: B questions of T tokens, R marks of a question, S tokens of the state, W words that were read in its pictures."""

    def __init__(self, m):
        self.m = m

    def words(self, cosines):
        """Of the words [W] that were read in pictures: their tokens; their spots; and how clearly [B,T,W] each of them is one of the
        question's (cosines [B,T,S]). Behind them comes one that is none, so that there always is one."""
        g = self.m.graph
        there = g.reshape(g.op("NonZero", [self.is_word()]), -1)
        at = g.op("Concat", [there, g.ints(0)], axis=0)
        spots = g.op("Concat", [g.op("Gather", ["spots", there]), g.constant(-np.ones((1, SPOT)))], axis=0)
        clear = g.op("Relu", [g.op("Sub", [g.op("Mul", [cosines, g.constant(2.0)]), g.constant(1.0)])])
        return at, spots, g.op("Gather", [g.op("Mul", [clear, self.is_word()]), at], axis=2)

    def is_word(self):
        """[S] 1 for the words."""
        g = self.m.graph
        _, picture = g.split("spots", [SPOT - 1, 1])
        return g.op("Cast", [g.op("GreaterOrEqual", [g.reshape(picture, -1), g.constant(0.0)])], to=FLOAT)

    def sides(self, spots):
        """Decision.sides, SIDES of [W,W], and Decision.lines [W,W]."""
        g, zero = self.m.graph, self.m.graph.constant(0.0)
        # The word that another stands to goes along the last axis, that other one along the axis before.
        x, y, height, left, right, picture = (
            (g.reshape(part, 1, -1), g.reshape(part, -1, 1)) for part in g.split(spots, [1] * SPOT)
        )
        size = g.op("Max", [*height, g.constant(1e-4)])

        def apart(pair):
            return g.op("Div", [g.op("Sub", [pair[1], pair[0]]), size])

        def when(condition, values):
            return g.op("Mul", [values, g.op("Cast", [condition], to=FLOAT)])

        def near(values, by, reach):
            return g.op("Mul", [values, g.op("Exp", [g.op("Mul", [g.op("Min", [by, zero]), g.constant(1 / reach)])])])

        same = g.op("And", [g.op("Equal", list(picture)), g.op("GreaterOrEqual", [picture[0], zero])])
        along, down = apart(x), apart(y)
        row = when(same, g.op("Relu", [g.op("Sub", [g.constant(1.0), g.op("Abs", [down])])]))
        middle = [g.op("Mul", [g.op("Add", [left[i], right[i]]), g.constant(0.5)]) for i in (0, 1)]
        least = g.op("Min", [g.op("Abs", [apart(pair)]) for pair in (left, right, middle)])
        column = when(same, g.op("Clip", [g.op("Sub", [g.constant(COLUMN_REACH), least]), zero, g.constant(1.0)]))
        before, after = when(g.op("Less", [along, zero]), row), when(g.op("Greater", [along, zero]), row)
        above, below = (
            when(g.op("Less", [down, g.constant(-ABOVE)]), column),
            when(g.op("Greater", [down, g.constant(ABOVE)]), column),
        )
        ends = g.op("Max", [g.op("Abs", [part]) for part in (apart(left), apart(right), down)])
        lines = when(g.op("Less", [ends, g.constant(1e-3)]), g.op("Cast", [same], to=FLOAT))
        return [before, after, above, below, near(before, along, NEAR_ALONG), near(above, down, NEAR_ABOVE)], lines

    def aside(self, named, sides):
        """Decision.aside [B,R,ASIDE,W] of named [B,R,W]."""
        g, one = self.m.graph, self.m.graph.constant(1.0)
        found = g.op("MatMul", [named, g.op("Concat", sides, axis=1)])
        found = g.op("Min", [g.reshape(found, 0, 0, SIDES, -1), one])
        before, _, above, *_ = g.split(found, [1] * SIDES, axis=2)
        both = g.op("Min", [g.op("Mul", [g.op("Mul", [before, above]), g.constant(4.0)]), one])
        return g.op("Concat", [found, both], axis=2)

    def aligned(self, is_own, own, asked, cosines, standing):
        """Decision.aligned [B,R,ALIGNED]: is_own [B,R,T] the option's words, own [B,R,T] and asked [B,1,T] weights of these and of the question's, standing [B,R,S]."""
        g, column, one = self.m.graph, self.m.graph.ints(2), self.m.graph.constant(1.0)
        at, spots, clear = self.words(cosines)
        sides, lines = self.sides(spots)
        own, asked = g.op("MatMul", [own, clear]), g.op("MatMul", [asked, clear])
        said = g.op("Min", [g.op("MatMul", [g.op("Cast", [is_own], to=FLOAT), clear]), one])
        aside = self.aside(asked, sides)
        # The token behind the words is the first of the state, where no word stands.
        there = g.op("Gather", [g.op("Mul", [standing, self.is_word()]), at], axis=2)
        sure = g.op("Div", [there, g.op("Max", [g.op("ReduceMax", [there, column], keepdims=1), g.constant(1e-6)])])
        best = g.op("ReduceMax", [g.op("Mul", [g.op("Unsqueeze", [sure, column]), aside]), g.ints(3)], keepdims=0)
        before, _, above, _, *near, _ = g.split(aside, [1] * ASIDE, axis=2)
        whole = g.op("Mul", [g.op("Unsqueeze", [own, column]), g.op("Concat", [before, above], axis=2)])
        total = g.op("Add", [g.op("ReduceSum", [own, column], keepdims=1), g.constant(0.1)])
        whole = g.op("Div", [g.op("ReduceSum", [whole, g.ints(3)], keepdims=0), total])
        line = g.op(
            "Div",
            [g.op("MatMul", [said, lines]), g.op("Max", [g.op("ReduceSum", [lines, g.ints(0)], keepdims=1), one])],
        )
        outside = g.op("Min", [g.op("MatMul", [asked, g.op("Mul", [sides[0], g.op("Sub", [one, lines])])]), one])
        both = g.op(
            "Min", [g.op("Mul", [g.op("Mul", [g.op("Unsqueeze", [outside, column]), above]), g.constant(4.0)]), one]
        )
        there = g.op("Concat", [both, g.op("Max", near)], axis=2)
        there = g.op("ReduceMax", [g.op("Mul", [g.op("Unsqueeze", [line, column]), there]), g.ints(3)], keepdims=0)
        return g.op("Concat", [best, whole, there], axis=2)

    def shown(self, h, aligned, standing, mean_of, compared):
        """Decision.shown [B,R]; mean_of: the mean over the options of a question; compared: Decision.compared, its three parts."""
        g, column = self.m.graph, self.m.graph.ints(2)
        looks = g.op("MatMul", [standing, "appearance"])
        wanted = g.linear(h, "look_mark", "look_mark.bias")
        seen = g.op("Mul", [g.op("Concat", compared(aligned, 0.0), axis=2), g.constant(4.0)])
        onehot = g.op("Gather", [g.constant(np.eye(SCORED)), "kinds"])
        parts = [
            h,
            g.op("Mul", [wanted, looks]),
            g.op("Mul", [wanted, g.op("Sub", [looks, mean_of(looks)])]),
            seen,
            onehot,
        ]
        mixed = g.op("Relu", [g.linear(g.op("Concat", parts, axis=2), "shown_mix", "shown_mix.bias")])
        gated = g.op(
            "ReduceSum", [g.op("Mul", [g.linear(h, "shown_gate", "shown_gate.bias"), seen]), column], keepdims=0
        )
        return g.op("Add", [g.op("Squeeze", [g.linear(mixed, "shown_out"), column]), gated])

    def gained(self, h, gate, asked, cosines):
        """What words gain for what stands around them [B,N,S]: h [B,N,D], asked [B,1,T] weights of the question's words."""
        g = self.m.graph
        at, spots, clear = self.words(cosines)
        aside = self.aside(g.op("MatMul", [asked, clear]), self.sides(spots)[0])
        gates = g.op("Mul", [g.linear(h, gate, f"{gate}.bias"), g.constant(8.0)])
        gained = g.op("MatMul", [gates, g.op("Squeeze", [aside, g.ints(1)])])
        everywhere = g.op(
            "Concat", [g.op("Shape", [h], start=0, end=2), g.op("Shape", ["spots"], start=0, end=1)], axis=0
        )
        nowhere = g.op("ConstantOfShape", [everywhere], value=helper.make_tensor("value", FLOAT, [1], [0.0]))
        return g.op(
            "ScatterElements", [nowhere, g.op("Expand", [at, g.op("Shape", [gained])]), gained], axis=2, reduction="add"
        )
