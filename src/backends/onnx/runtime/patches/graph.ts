// A model file as a graph that can be edited: nodes, inputs and outputs by name, everything else (weights above all)
// byte for byte as it was. Field numbers: onnx/onnx.proto.
import { concat, type Field, floatField, lengthField, readFields, signedField, textField, varintField } from '../protobuf.ts'

const MODEL = { graph: 7, opsets: 8 } as const
const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12, valueInfo: 13 } as const
const NODE = { input: 1, output: 2, name: 3, opType: 4, attribute: 5, domain: 7 } as const
const ATTRIBUTE = { name: 1, float: 2, int: 3, graph: 6, ints: 8, graphs: 11, type: 20 } as const
const TENSOR = { dims: 1, type: 2, name: 8, raw: 9 } as const
/** AttributeProto.type */
const FLOAT_ATTRIBUTE = 1
const INT_ATTRIBUTE = 2
const GRAPH_ATTRIBUTE = 5
const INTS_ATTRIBUTE = 7

/** TensorProto.data_type */
export const FLOAT = 1
export const UINT8 = 2
export const INT64 = 7
export const BOOL = 9
export const FLOAT16 = 10

export const MICROSOFT = 'com.microsoft'

export interface Node {
  readonly opType: string
  readonly domain: string
  readonly name: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** AttributeProto messages, by name. */
  readonly attributes: ReadonlyMap<string, Uint8Array>
}

/** An input or output of the graph. Sizes are null where they are free. */
export interface Value {
  readonly name: string
  readonly type: number
  readonly dims: readonly (number | null)[]
}

/** A graph within a node, which may take values of the graph around it by name. */
export interface Subgraph {
  readonly nodes: readonly Node[]
  readonly inputs: readonly Value[]
  readonly outputs: readonly Value[]
}

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

const decoder = new TextDecoder()
const text = (bytes: Uint8Array | null | undefined): string => decoder.decode(bytes ?? new Uint8Array(0))

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
    const domain = text(parts.find((part) => part.number === 1)?.body)
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

function readNode(body: Uint8Array): Node {
  const fields = readFields(body)
  const all = (number: number): string[] => fields.filter((field) => field.number === number).map((field) => text(field.body))
  const attributes = fields.flatMap(({ number, body: one }) =>
    number === NODE.attribute && one !== null
      ? [[text(readFields(one).find((part) => part.number === ATTRIBUTE.name)?.body), one] as const]
      : [],
  )
  const domain = all(NODE.domain)[0] ?? ''
  return {
    opType: all(NODE.opType)[0] ?? '',
    domain: domain === 'ai.onnx' ? '' : domain,
    name: all(NODE.name)[0] ?? '',
    inputs: all(NODE.input),
    outputs: all(NODE.output),
    attributes: new Map(attributes),
  }
}

function writeNode(node: Node): Uint8Array {
  return concat(
    lengthField(GRAPH.node, [
      ...node.inputs.map((name) => textField(NODE.input, name)),
      ...node.outputs.map((name) => textField(NODE.output, name)),
      textField(NODE.name, node.name),
      textField(NODE.opType, node.opType),
      ...[...node.attributes.values()].flatMap((attribute) => lengthField(NODE.attribute, [attribute])),
      textField(NODE.domain, node.domain),
    ]),
  )
}

/** ValueInfoProto {name, type {tensor_type {elem_type, shape {dim {dim_value, dim_param}}}}} */
function readValue(body: Uint8Array): Value {
  const find = (fields: readonly Field[], number: number): Uint8Array =>
    fields.find((field) => field.number === number)?.body ?? new Uint8Array(0)
  const fields = readFields(body)
  const tensor = readFields(find(readFields(find(fields, 2)), 1))
  const dims = readFields(find(tensor, 2))
    .filter(({ number }) => number === 1)
    .map((dim) => readFields(dim.body ?? new Uint8Array(0)).find(({ number }) => number === 1)?.value ?? null)
  return { name: text(find(fields, 1)), type: tensor.find(({ number }) => number === 1)?.value ?? 0, dims }
}

function writeValue(number: number, { name, type, dims }: Value): Uint8Array {
  const shape = concat(
    lengthField(
      2,
      dims.flatMap((size, axis) => lengthField(1, [size === null ? textField(2, `${name}_${axis}`) : varintField(1, size)])),
    ),
  )
  const tensor = lengthField(1, [varintField(1, type), shape])
  return concat(lengthField(number, [textField(1, name), ...lengthField(2, tensor)]))
}

const tensorName = (tensor: Uint8Array): string => text(readFields(tensor).find(({ number }) => number === TENSOR.name)?.body)

function tensorDims(tensor: Uint8Array): number[] {
  return readFields(tensor).flatMap(({ number, body, value }) => {
    if (number !== TENSOR.dims) return []
    // Sizes are one field each, or all packed into one.
    return body === null ? [value ?? 0] : packed(body)
  })
}

/** Null for other types, and for values that are not written as bytes. */
function tensorValues(tensor: Uint8Array): number[] | null {
  const fields = readFields(tensor)
  const type = fields.find(({ number }) => number === TENSOR.type)?.value
  const raw = fields.find(({ number }) => number === TENSOR.raw)?.body
  if (!raw) return null
  if (type === UINT8) return [...raw]
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength)
  if (type === FLOAT) return Array.from({ length: raw.byteLength / 4 }, (_, i) => view.getFloat32(4 * i, true))
  if (type === INT64) return Array.from({ length: raw.byteLength / 8 }, (_, i) => Number(view.getBigInt64(8 * i, true)))
  return null
}

function packed(body: Uint8Array): number[] {
  const values: number[] = []
  let value = 0
  let scale = 1
  for (const byte of body) {
    value += (byte & 127) * scale
    scale *= 128
    if (byte < 128) {
      values.push(value)
      value = 0
      scale = 1
    }
  }
  return values
}

function tensorParts(name: string, type: number, dims: readonly number[], values: readonly number[]): Uint8Array[] {
  const raw =
    type === FLOAT
      ? Float32Array.from(values)
      : type === UINT8
        ? Uint8Array.from(values)
        : BigInt64Array.from(values, (value) => BigInt(value))
  return [
    ...dims.map((size) => varintField(TENSOR.dims, size)),
    varintField(TENSOR.type, type),
    textField(TENSOR.name, name),
    ...lengthField(TENSOR.raw, [new Uint8Array(raw.buffer)]),
  ]
}

/** The value of an attribute that is a number or a list of numbers; null when it is absent or something else. */
export function numberOf(node: Node, name: string): number | null {
  const attribute = node.attributes.get(name)
  if (attribute === undefined) return null
  const fields = readFields(attribute)
  const type = fields.find(({ number }) => number === ATTRIBUTE.type)?.value
  if (type === FLOAT_ATTRIBUTE) {
    const raw = fields.find(({ number }) => number === ATTRIBUTE.float)?.raw
    // A key, then four bytes. A field that is absent is zero.
    return raw === undefined ? 0 : new DataView(raw.buffer, raw.byteOffset + raw.length - 4, 4).getFloat32(0, true)
  }
  if (type !== INT_ATTRIBUTE) return null
  const field = fields.find(({ number }) => number === ATTRIBUTE.int)
  if (field === undefined) return 0
  let value = 0n
  // Negative numbers take all 64 bits, which is more than a double holds.
  field.raw.slice(1).forEach((byte, at) => {
    value |= BigInt(byte & 127) << BigInt(7 * at)
  })
  return Number(BigInt.asIntN(64, value))
}

/** Whether a node holds graphs of its own, which may take values of the outer graph by name. */
export const holdsGraph = (node: Node): boolean => graphsIn(node).length > 0

const graphsIn = (node: Node): Uint8Array[] =>
  [...node.attributes.values()].flatMap((attribute) =>
    readFields(attribute).flatMap(({ number, body }) =>
      (number === ATTRIBUTE.graph || number === ATTRIBUTE.graphs) && body !== null ? [body] : [],
    ),
  )

/** Names that a node takes, and those that nodes of its graphs take: of the graph around them, or of their own. */
function takenBy(node: Node): string[] {
  const within = graphsIn(node).flatMap((graph) =>
    readFields(graph).flatMap(({ number, body }) => (number === GRAPH.node && body !== null ? takenBy(readNode(body)) : [])),
  )
  return [...node.inputs, ...within].filter((name) => name !== '')
}

export type Attributes = Readonly<Record<string, number | { readonly float: number } | { readonly body: Subgraph } | readonly number[]>>

function attributeOf(name: string, value: Attributes[string]): Uint8Array {
  const list = Array.isArray(value) ? (value as readonly number[]) : null
  if (list !== null) {
    const ints = list.map((one) => signedField(ATTRIBUTE.ints, one))
    return concat([textField(ATTRIBUTE.name, name), ...ints, varintField(ATTRIBUTE.type, INTS_ATTRIBUTE)])
  }
  if (typeof value === 'number') {
    return concat([textField(ATTRIBUTE.name, name), signedField(ATTRIBUTE.int, value), varintField(ATTRIBUTE.type, INT_ATTRIBUTE)])
  }
  if ('body' in (value as object)) {
    const body = bodyParts(name, (value as { readonly body: Subgraph }).body)
    return concat([textField(ATTRIBUTE.name, name), ...lengthField(ATTRIBUTE.graph, body), varintField(ATTRIBUTE.type, GRAPH_ATTRIBUTE)])
  }
  const { float } = value as { readonly float: number }
  return concat([textField(ATTRIBUTE.name, name), floatField(ATTRIBUTE.float, float), varintField(ATTRIBUTE.type, FLOAT_ATTRIBUTE)])
}

const bodyParts = (name: string, { nodes, inputs, outputs }: Subgraph): Uint8Array[] => [
  ...nodes.map(writeNode),
  textField(GRAPH.name, name),
  ...inputs.map((value) => writeValue(GRAPH.input, value)),
  ...outputs.map((value) => writeValue(GRAPH.output, value)),
]

/** A node named after its first output. */
export function makeNode(
  opType: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Attributes = {},
  domain = '',
): Node {
  return {
    opType,
    domain,
    name: outputs[0] as string,
    inputs,
    outputs,
    attributes: new Map(Object.entries(attributes).map(([name, value]) => [name, attributeOf(name, value)])),
  }
}

/** The node with more attributes. */
export function withAttributes(node: Node, attributes: Attributes): Node {
  const added = Object.entries(attributes).map(([name, value]) => [name, attributeOf(name, value)] as const)
  return { ...node, attributes: new Map([...node.attributes, ...added]) }
}

/** The nodes that take each value. */
export function consumersOf(graph: Graph): Map<string, Node[]> {
  const consumers = new Map<string, Node[]>()
  for (const node of graph.nodes) {
    for (const name of new Set(node.inputs)) {
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
