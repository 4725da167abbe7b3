"""ONNX graphs written node by node: few nodes, no traces of shapes.

Weights keep the names of the state dict, with ".T" behind them when they are transposed.
"""

import hashlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from decision.saved_names import saved_name

OPSETS = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
MICROSOFT = "com.microsoft"
INT64, FLOAT = TensorProto.INT64, TensorProto.FLOAT
TRANSPOSED = ".T"
# Names of constants that are not weights begin with this; decision/restore.py skips them.
CONSTANT = "="


class Graph:
    def __init__(self, name, weights):
        """weights: name -> array, the state dict of the model."""
        self.name, self.weights = name, weights
        self.nodes, self.initializers, self.count = [], {}, 0

    def keep(self, name, value):
        if name not in self.initializers:
            self.initializers[name] = numpy_helper.from_array(np.asarray(value, order="C"), name)
        return name

    def constant(self, value, dtype=np.float32):
        value = np.asarray(value, dtype)
        digest = hashlib.sha256(value.tobytes()).hexdigest()[:12]
        return self.keep(f"{CONSTANT}{value.dtype}{list(value.shape)}{digest}", value)

    def ints(self, *values):
        return self.constant(values, np.int64)

    def weight(self, name):
        """The tensor of a weight, named by its attribute (saved_names.py); ".T" behind the name transposes it."""
        saved = saved_name(name)
        if saved.endswith(TRANSPOSED):
            return self.keep(saved, self.weights[saved[: -len(TRANSPOSED)]].T)
        return self.keep(saved, self.weights[saved])

    def op(self, kind, inputs, outputs=1, domain="", **attributes):
        self.count += 1
        names = [f"{kind}_{self.count}_{i}" for i in range(outputs)] if isinstance(outputs, int) else outputs
        self.nodes.append(
            helper.make_node(kind, inputs, names, name=f"{kind}_{self.count}", domain=domain, **attributes)
        )
        return names[0] if len(names) == 1 else names

    def linear(self, x, name, bias=None):
        y = self.op("MatMul", [x, self.weight(f"{name}.weight{TRANSPOSED}")])
        return y if bias is None else self.op("Add", [y, self.weight(bias)])

    def product(self, a, b, alpha=1.0, turned=False):
        """alpha a b, or alpha a b' when turned."""
        return self.op("FusedMatMul", [a, b], domain=MICROSOFT, alpha=float(alpha), transB=int(turned))

    def norm(self, x, gain=None, width=None):
        """Layer norm without bias: with a gain, or of a width without one."""
        scale = self.weight(gain) if gain is not None else self.constant(np.ones(width))
        return self.op("LayerNormalization", [x, scale], axis=-1, epsilon=1e-5)

    def add_norm(self, x, y, gain):
        """The norm of x + y, and x + y. Two nodes: SkipLayerNormalization does both, eight times slower."""
        total = self.op("Add", [x, y])
        return self.norm(total, gain), total

    def reshape(self, x, *shape):
        return self.op("Reshape", [x, self.ints(*shape)])

    def transpose(self, x, *order):
        return self.op("Transpose", [x], perm=list(order))

    def split(self, x, sizes, axis=-1):
        return self.op("Split", [x, self.ints(*sizes)], len(sizes), axis=axis)

    def when(self, condition, make, otherwise, outputs):
        """`outputs`: the results of `make()` if the condition holds, else the constants `otherwise`.

        So what is not asked for costs nothing."""
        kept, self.nodes = self.nodes, []
        made = make()
        yes = helper.make_graph(
            [*self.nodes, *(helper.make_node("Identity", [m], [f"{o}_yes"]) for m, o in zip(made, outputs))],
            f"{outputs[0]}_yes",
            [],
            [info(f"{o}_yes", FLOAT, None) for o in outputs],
        )
        empty = [
            helper.make_node("Constant", [], [f"{o}_no"], value=numpy_helper.from_array(np.asarray(v, np.float32)))
            for v, o in zip(otherwise, outputs)
        ]
        no = helper.make_graph(empty, f"{outputs[0]}_no", [], [info(f"{o}_no", FLOAT, None) for o in outputs])
        self.nodes = kept
        return self.op("If", [condition], list(outputs), then_branch=yes, else_branch=no)

    def save(self, inputs, outputs, path):
        graph = helper.make_graph(self.nodes, self.name, inputs, outputs, list(self.initializers.values()))
        onnx.save(helper.make_model(graph, opset_imports=OPSETS, ir_version=10, producer_name="assay"), path)


def info(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)
