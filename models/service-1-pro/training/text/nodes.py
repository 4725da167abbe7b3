"""ONNX graphs written node by node; weights keep the names of the state dict (".T" when turned for a product).

In eight bits, what enters a product is rounded row by row, each with a scale of its own, so a row's result does not
depend on what else is in the pass; weights have a scale for each output and 63 steps either way, so that sums of two
products fit into 16 bits on processors that add them there.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import rounding

OPSETS = [helper.make_opsetid("", 21)]
ZERO, WEIGHT_STEPS = 128, 63
LEAST_EIGHT = 16  # tables and weights with fewer rows or columns stay as they are
TYPES = {"float": TensorProto.FLOAT, "int": TensorProto.INT64, "bool": TensorProto.BOOL}


class Graph:
    """Nodes and the weights they use; `weights` is the state dict as arrays. With `eight` they are rounded to eight
    bits; where it is what enters the layers (rounding.py), so that what is known to enter changes least.
    """

    def __init__(self, name, weights, eight=False, whole=True):
        self.name, self.weights, self.nodes, self.kept, self.inputs, self.outputs = name, weights, [], {}, [], []
        self.eight, self.whole, self.rounded = eight, whole, {}

    def input(self, name, kind, *shape):
        self.inputs.append(helper.make_tensor_value_info(name, TYPES[kind], shape))
        return name

    def output(self, name, value, *shape):
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, TYPES["float"], shape))

    def keep(self, name, value):
        if name not in self.kept:
            self.kept[name] = numpy_helper.from_array(np.asarray(value, order="C"), name)
        return name

    def constant(self, value, dtype=np.float32):
        value = np.asarray(value, dtype)
        return self.keep(f"={value.dtype}{value.shape}{value.tobytes().hex()[:64]}", value)

    def weight(self, name):
        return self.keep(name, self.weights[name[:-2]].T if name.endswith(".T") else self.weights[name])

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [f"{kind}_{len(self.nodes)}_{n}" for n in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def linear(self, x, name, least=None, even=None, whole=True):
        """x times the weight [out][in], turned, and the bias. In eight bits: `least` is the smallest number of x where
        that is known (all 255 steps are above it then), `even` [in] what its columns are divided by before they are
        rounded, so that none is so large that the others have no steps left; without `whole`, here or of the graph,
        only the weight is rounded.
        """
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        if not self.eight or min(weight.shape) < LEAST_EIGHT:
            return self.op("Add", self.op("MatMul", x, self.weight(f"{name}.weight.T")), self.weight(f"{name}.bias"))
        whole = whole and self.whole
        most = WEIGHT_STEPS if whole else 127
        weight = weight if even is None else weight * even
        steps = np.abs(weight).max(1, keepdims=True).clip(1e-12) / most
        rounded, bias = self.steps(name, weight, steps, most, even, bias)
        kept = self.keep(f"{name}.weight.T/8", rounded.astype(np.int8).T)
        wide, steps = steps, self.keep(f"{name}.weight/steps", steps[:, 0].astype(np.float32))
        if not whole:
            weight = self.op("Mul", self.op("Cast", kept, to=TensorProto.FLOAT), steps)
            return self.op("Add", self.op("MatMul", x, weight), self.keep(f"{name}.bias", bias))
        columns, scale = self.rows(x if even is None else self.evened(x, even, name), least)
        zero = ZERO if least is None else 0
        summed = self.op("MatMulInteger", columns, kept, self.constant(zero, np.uint8))
        product = self.op("Mul", self.op("Mul", self.op("Cast", summed, to=TensorProto.FLOAT), scale), steps)
        if least is not None:
            bias = bias + least * (rounded * wide).sum(1)
        return self.op("Add", product, self.keep(f"{name}.bias/{least}", bias.astype(np.float32)))

    def steps(self, name, weight, steps, most, even, bias):
        """Whole steps of a weight, and the bias that leaves the mean of what the product gives as it was."""
        if not isinstance(self.eight, rounding.Inputs) or name not in self.eight:
            return rounding.nearest(weight, steps, most), bias
        mean, covariance = self.eight.mean(name), self.eight.covariance(name)
        if even is not None:
            mean, covariance = mean / even, covariance / np.outer(even, even)
        rounded = rounding.passed_on(weight, steps, most, covariance)
        return rounded, (bias + (weight - rounded * steps) @ mean).astype(np.float32)

    def evened(self, x, even, name):
        if (x, id(even)) not in self.rounded:
            self.rounded[x, id(even)] = self.op("Mul", x, self.keep(f"{name}/evened", 1 / even))
        return self.rounded[x, id(even)]

    def rows(self, x, least):
        """x in whole numbers, and the scale of each row; once for all products of x. Around 128, or from `least` on."""
        if x not in self.rounded:
            axis = self.constant([-1], np.int64)
            if least is None:
                largest, room = self.op("ReduceMax", self.op("Abs", x), axis, keepdims=1), 127.0
            else:
                x_above = self.op("Sub", x, self.constant(least))
                largest, room = self.op("ReduceMax", x_above, axis, keepdims=1), 255.0
            scale = self.op("Div", self.op("Max", largest, self.constant(1e-12)), self.constant(room))
            steps = self.op("Round", self.op("Div", x if least is None else x_above, scale))
            steps = self.op("Add", steps, self.constant(float(ZERO))) if least is None else steps
            self.rounded[x] = self.op("Cast", steps, to=TensorProto.UINT8), scale
        return self.rounded[x]

    def look_up(self, name, at):
        """Rows of a table; in eight bits each has a scale of its own."""
        table = self.weights[name]
        if not self.eight or len(table) < LEAST_EIGHT:
            return self.op("Gather", self.weight(name), at)
        steps = np.abs(table).max(1, keepdims=True).clip(1e-12) / 127
        kept = self.keep(f"{name}/8", np.round(table / steps).astype(np.int8))
        found = self.op("Cast", self.op("Gather", kept, at), to=TensorProto.FLOAT)
        return self.op("Mul", found, self.op("Gather", self.keep(f"{name}/steps", steps.astype(np.float32)), at))

    def norm(self, x, name, epsilon):
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)

    def reshape(self, x, *shape):
        return self.op("Reshape", x, self.constant(shape, np.int64))

    def turn(self, x, *order):
        return self.op("Transpose", x, perm=list(order))

    def take(self, x, at, axis=0):
        return self.op("Gather", x, self.constant(at, np.int64), axis=axis)

    def times(self, x, value):
        return self.op("Mul", x, self.constant(value))

    def save(self, path):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, list(self.kept.values()))
        onnx.save(helper.make_model(graph, opset_imports=OPSETS, ir_version=10), path)
