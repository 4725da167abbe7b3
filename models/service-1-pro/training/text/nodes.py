"""ONNX graphs written node by node; weights keep the names of the state dict (".T" when turned for a product)."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSETS = [helper.make_opsetid("", 21)]
TYPES = {"float": TensorProto.FLOAT, "int": TensorProto.INT64, "bool": TensorProto.BOOL}


class Graph:
    """Nodes and the weights they use; `weights` is the state dict as arrays."""

    def __init__(self, name, weights):
        self.name, self.weights, self.nodes, self.kept, self.inputs, self.outputs = name, weights, [], {}, [], []

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

    def linear(self, x, name):
        return self.op("Add", self.op("MatMul", x, self.weight(f"{name}.weight.T")), self.weight(f"{name}.bias"))

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
