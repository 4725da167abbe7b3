// A model file as a graph that can be edited: nodes, inputs and outputs by name, everything else (weights above all)
// byte for byte as it was.
import { GRAPH, MODEL } from '../onnx-fields.ts'
import { concat, lengthField, readFields, textField, textOf, varintField } from '../protobuf.ts'
import { makeNode, type Node, readNode, readValue, takenBy, type Value, writeNode, writeValue } from './nodes.ts'
import { type FLOAT, INT64, tensorDims, tensorName, tensorParts, tensorValues, type UINT8 } from './small-tensors.ts'

export interface Graph {
  nodes: Node[]
  inputs: Value[]
  outputs: Value[]
  /** Version of the operators of a domain; 0 where the model does not import it. */
  opset(domain: string): number
  importOpset(domain: string, version: number): void
  /** Sizes of a weight; null when there is none of that name. */
  weightDims(name: string): readonly number[] | null
  /** The values of a small weight of a type that `constant` takes; null when there is none of that name and type. */
  weightValues(name: string): readonly number[] | null
  /** Adds a small constant and returns its name; the same values share one constant. */
  constant(type: typeof FLOAT | typeof UINT8 | typeof INT64, dims: readonly number[], values: readonly number[]): string
  /** Drops nodes whose outputs are not needed, then those inputs for which `droppable` holds and that no node takes. */
  prune(droppable: (input: string) => boolean): void
  /**
   * The model with the changed graph, as bytes. Declared shapes of values between nodes are left out: they may have
   * changed.
   */
  write(): Uint8Array
}

/** The graph of a model; null when the bytes hold none. Throws RangeError when they are not protobuf. */
export function readGraph(bytes: Uint8Array): Graph | null {
  const model = readFields(bytes)
  const body = model.find(({ number }) => number === MODEL.graph)?.body
  if (!body) return null
  const fields = readFields(body)
  const bodies = (number: number): Uint8Array[] =>
    fields.flatMap((field) => (field.number === number && field.body !== null ? [field.body] : []))

  const opsets = new Map<string, number>()
  for (const { number, body: one } of model) {
    if (number !== MODEL.opsets || one === null) continue
    const parts = readFields(one)
    const domain = textOf(parts.find((part) => part.number === 1)?.body)
    opsets.set(domain === 'ai.onnx' ? '' : domain, parts.find((part) => part.number === 2)?.value ?? 0)
  }
  const weights = new Map(bodies(GRAPH.initializer).map((tensor) => [tensorName(tensor), tensor] as const))
  const added: { opsets: Uint8Array[]; tensors: Uint8Array[] } = { opsets: [], tensors: [] }
  const constants = new Map<string, string>()
  let nextConstant = 0
  // Parts that were not changed are written as they came.
  const originals = new Map<Node | Value, Uint8Array>()
  const kept = <T extends Node | Value>(value: T, raw: Uint8Array): T => {
    originals.set(value, raw)
    return value
  }
  const read = <T extends Node | Value>(number: number, parse: (one: Uint8Array) => T): T[] =>
    fields.flatMap((field) => (field.number === number && field.body !== null ? [kept(parse(field.body), field.raw)] : []))

  const graph: Graph = {
    nodes: read(GRAPH.node, readNode),
    inputs: read(GRAPH.input, readValue),
    outputs: read(GRAPH.output, readValue),
    opset: (domain) => opsets.get(domain) ?? 0,
    importOpset(domain, version) {
      if (opsets.has(domain)) return
      opsets.set(domain, version)
      added.opsets.push(...lengthField(MODEL.opsets, [textField(1, domain), varintField(2, version)]))
    },
    weightDims(name) {
      const tensor = weights.get(name)
      return tensor === undefined ? null : tensorDims(tensor)
    },
    weightValues(name) {
      const tensor = weights.get(name)
      return tensor === undefined ? null : tensorValues(tensor)
    },
    constant(type, dims, values) {
      const key = JSON.stringify([type, dims, values])
      const known = constants.get(key)
      if (known !== undefined) return known
      do nextConstant++
      while (weights.has(`assay/constant_${nextConstant}`))
      const name = `assay/constant_${nextConstant}`
      constants.set(key, name)
      added.tensors.push(concat(lengthField(GRAPH.initializer, tensorParts(name, type, dims, values))))
      return name
    },
    prune(droppable) {
      const needed = new Set(graph.outputs.map(({ name }) => name))
      const nodes: Node[] = []
      // Nodes are in the order they run; backwards, the consumers of a value come before its producer.
      for (const node of [...graph.nodes].reverse()) {
        if (!node.outputs.some((name) => needed.has(name))) continue
        nodes.push(node)
        for (const name of takenBy(node)) needed.add(name)
      }
      graph.nodes = nodes.reverse()
      graph.inputs = graph.inputs.filter(({ name }) => needed.has(name) || !droppable(name))
    },
    write() {
      const others = fields.filter(({ number }) => !([GRAPH.node, GRAPH.input, GRAPH.output, GRAPH.valueInfo] as number[]).includes(number))
      const parts = [
        ...graph.nodes.map((node) => originals.get(node) ?? writeNode(node)),
        ...others.map(({ raw }) => raw),
        ...added.tensors,
        ...graph.inputs.map((value) => originals.get(value) ?? writeValue(GRAPH.input, value)),
        ...graph.outputs.map((value) => originals.get(value) ?? writeValue(GRAPH.output, value)),
      ]
      return concat([
        ...model.flatMap((field) => (field.number === MODEL.graph ? lengthField(MODEL.graph, parts) : [field.raw])),
        ...added.opsets,
      ])
    },
  }
  return graph
}

/** The nodes that take each value. */
export function consumersOf(graph: Graph): Map<string, Node[]> {
  const consumers = new Map<string, Node[]>()
  for (const node of graph.nodes) {
    for (const name of new Set(takenBy(node))) {
      const known = consumers.get(name)
      if (known === undefined) consumers.set(name, [node])
      else known.push(node)
    }
  }
  return consumers
}

/** The node that makes each value. */
export const producersOf = (graph: Graph): Map<string, Node> =>
  new Map(graph.nodes.flatMap((node) => node.outputs.filter((name) => name !== '').map((name) => [name, node] as const)))

/** The largest value over the last axis, which is kept. How a node names the axis changed with opset 18. */
export function maxOverLast(graph: Graph, input: string, output: string): Node {
  return graph.opset('') >= 18
    ? makeNode('ReduceMax', [input, graph.constant(INT64, [1], [-1])], [output], { keepdims: 1 })
    : makeNode('ReduceMax', [input], [output], { axes: [-1], keepdims: 1 })
}
