"""What the branch reader for pictures reads in addition, as nodes of its graph: relations of words, and appearance.

The same as decision/layout.py and Decision.picture_logits.
"""

import numpy as np
from onnx import helper

from decision.constants import ABOVE, COLUMN_REACH, LAYOUT, NEAR_ABOVE, NEAR_ALONG, RELATED, RELATIONS, SCORED
from export.nodes import FLOAT
from export.tensor_names import LAYOUTS


class PictureGraph:
    """Shapes: B questions of T tokens, R readout tokens, S tokens of the state, W words that were read in pictures."""

    def __init__(self, m):
        self.m = m

    def words(self, cosines):
        """The words [W] that were read in pictures: their tokens, their layouts [W,LAYOUT], and [B,T,W] how clearly
        each is one of the question's words (cosines [B,T,S]). The last is no word, so that W is never 0."""
        g = self.m.graph
        there = g.reshape(g.op("NonZero", [self.is_word()]), -1)
        at = g.op("Concat", [there, g.ints(0)], axis=0)
        layouts = g.op("Concat", [g.op("Gather", [LAYOUTS, there]), g.constant(-np.ones((1, LAYOUT)))], axis=0)
        clear = g.op("Relu", [g.op("Sub", [g.op("Mul", [cosines, g.constant(2.0)]), g.constant(1.0)])])
        return at, layouts, g.op("Gather", [g.op("Mul", [clear, self.is_word()]), at], axis=2)

    def is_word(self):
        """[S] 1 for the words."""
        g = self.m.graph
        _, picture = g.split(LAYOUTS, [LAYOUT - 1, 1])
        return g.op("Cast", [g.op("GreaterOrEqual", [g.reshape(picture, -1), g.constant(0.0)])], to=FLOAT)

    def relations(self, layouts):
        """`relations` of layout.py, RELATIONS of [W,W], and its `same_line` [W,W]."""
        g, zero = self.m.graph, self.m.graph.constant(0.0)
        # Each pair: the word itself along the last axis, the word that it stands to along the axis before.
        x, y, height, left, right, picture = (
            (g.reshape(part, 1, -1), g.reshape(part, -1, 1)) for part in g.split(layouts, [1] * LAYOUT)
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

    def related(self, named, relations):
        """`related` of layout.py [B,R,RELATED,W], for named [B,R,W]."""
        g, one = self.m.graph, self.m.graph.constant(1.0)
        found = g.op("MatMul", [named, g.op("Concat", relations, axis=1)])
        found = g.op("Min", [g.reshape(found, 0, 0, RELATIONS, -1), one])
        before, _, above, *_ = g.split(found, [1] * RELATIONS, axis=2)
        both = g.op("Min", [g.op("Mul", [g.op("Mul", [before, above]), g.constant(4.0)]), one])
        return g.op("Concat", [found, both], axis=2)

    def option_relations(self, is_own, own, asked, cosines, positions):
        """`option_relations` of layout.py [B,R,OPTION_RELATIONS].

        is_own [B,R,T]: the option's words; own [B,R,T], asked [B,1,T]: weights of these and of the question's words;
        positions [B,R,S]: Decision.name_positions."""
        g, column, one = self.m.graph, self.m.graph.ints(2), self.m.graph.constant(1.0)
        at, layouts, clear = self.words(cosines)
        relations, lines = self.relations(layouts)
        own, asked = g.op("MatMul", [own, clear]), g.op("MatMul", [asked, clear])
        said = g.op("Min", [g.op("MatMul", [g.op("Cast", [is_own], to=FLOAT), clear]), one])
        related = self.related(asked, relations)
        # The last of the words is token 0 of the state, which is no word.
        there = g.op("Gather", [g.op("Mul", [positions, self.is_word()]), at], axis=2)
        sure = g.op("Div", [there, g.op("Max", [g.op("ReduceMax", [there, column], keepdims=1), g.constant(1e-6)])])
        best = g.op("ReduceMax", [g.op("Mul", [g.op("Unsqueeze", [sure, column]), related]), g.ints(3)], keepdims=0)
        before, _, above, _, *near, _ = g.split(related, [1] * RELATED, axis=2)
        whole = g.op("Mul", [g.op("Unsqueeze", [own, column]), g.op("Concat", [before, above], axis=2)])
        total = g.op("Add", [g.op("ReduceSum", [own, column], keepdims=1), g.constant(0.1)])
        whole = g.op("Div", [g.op("ReduceSum", [whole, g.ints(3)], keepdims=0), total])
        line = g.op(
            "Div",
            [g.op("MatMul", [said, lines]), g.op("Max", [g.op("ReduceSum", [lines, g.ints(0)], keepdims=1), one])],
        )
        outside = g.op("Min", [g.op("MatMul", [asked, g.op("Mul", [relations[0], g.op("Sub", [one, lines])])]), one])
        both = g.op(
            "Min", [g.op("Mul", [g.op("Mul", [g.op("Unsqueeze", [outside, column]), above]), g.constant(4.0)]), one]
        )
        there = g.op("Concat", [both, g.op("Max", near)], axis=2)
        there = g.op("ReduceMax", [g.op("Mul", [g.op("Unsqueeze", [line, column]), there]), g.ints(3)], keepdims=0)
        return g.op("Concat", [best, whole, there], axis=2)

    def logits(self, h, relations, positions, mean_of, compared):
        """Decision.picture_logits [B,R].

        mean_of: the mean over the options of a question; compared: the three parts of Decision.compared."""
        g, column = self.m.graph, self.m.graph.ints(2)
        appearance = g.op("MatMul", [positions, "appearance"])
        wanted = g.linear(h, "appearance_readout", "appearance_readout.bias")
        features = g.op("Mul", [g.op("Concat", compared(relations, 0.0), axis=2), g.constant(4.0)])
        onehot = g.op("Gather", [g.constant(np.eye(SCORED)), "kinds"])
        parts = [
            h,
            g.op("Mul", [wanted, appearance]),
            g.op("Mul", [wanted, g.op("Sub", [appearance, mean_of(appearance)])]),
            features,
            onehot,
        ]
        mixed = g.op("Relu", [g.linear(g.op("Concat", parts, axis=2), "picture_mix", "picture_mix.bias")])
        gated = g.op(
            "ReduceSum", [g.op("Mul", [g.linear(h, "picture_gate", "picture_gate.bias"), features]), column], keepdims=0
        )
        return g.op("Add", [g.op("Squeeze", [g.linear(mixed, "picture_out"), column]), gated])

    def gained(self, h, gate, asked, cosines):
        """[B,N,S]: what is added to words for their row and column relations.

        h [B,N,D]; asked [B,1,T]: weights of the question's words."""
        g = self.m.graph
        at, layouts, clear = self.words(cosines)
        related = self.related(g.op("MatMul", [asked, clear]), self.relations(layouts)[0])
        gates = g.op("Mul", [g.linear(h, gate, f"{gate}.bias"), g.constant(8.0)])
        gained = g.op("MatMul", [gates, g.op("Squeeze", [related, g.ints(1)])])
        everywhere = g.op(
            "Concat", [g.op("Shape", [h], start=0, end=2), g.op("Shape", [LAYOUTS], start=0, end=1)], axis=0
        )
        nowhere = g.op("ConstantOfShape", [everywhere], value=helper.make_tensor("value", FLOAT, [1], [0.0]))
        return g.op(
            "ScatterElements", [nowhere, g.op("Expand", [at, g.op("Shape", [gained])]), gained], axis=2, reduction="add"
        )
