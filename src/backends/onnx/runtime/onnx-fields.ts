// Field numbers of the messages of a model file (onnx/onnx.proto), those that are read or written here.

export const MODEL = { graph: 7, opsets: 8 } as const
export const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12, valueInfo: 13 } as const
export const NODE = { input: 1, output: 2, name: 3, opType: 4, attribute: 5, domain: 7 } as const
export const ATTRIBUTE = { name: 1, float: 2, int: 3, tensor: 5, graph: 6, ints: 8, tensors: 10, graphs: 11, type: 20 } as const
export const TENSOR = {
  dims: 1,
  type: 2,
  floats: 4,
  ints: 5,
  strings: 6,
  longs: 7,
  name: 8,
  raw: 9,
  doubles: 10,
  uints: 11,
  external: 13,
} as const
