// Nodes, inputs and outputs of a graph as its file holds them (NodeProto, ValueInfoProto).
import { ATTRIBUTE, GRAPH, NODE } from '../onnx-fields.ts'
import { concat, type Field, floatField, lengthField, readFields, signedField, textField, textOf, varintField } from '../protobuf.ts'

/** AttributeProto.type */
const FLOAT_ATTRIBUTE = 1
const INT_ATTRIBUTE = 2
const GRAPH_ATTRIBUTE = 5
const INTS_ATTRIBUTE = 7

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
interface Subgraph {
  readonly nodes: readonly Node[]
  readonly inputs: readonly Value[]
  readonly outputs: readonly Value[]
}

export function readNode(body: Uint8Array): Node {
  const fields = readFields(body)
  const all = (number: number): string[] => fields.filter((field) => field.number === number).map((field) => textOf(field.body))
  const attributes = fields.flatMap(({ number, body: one }) =>
    number === NODE.attribute && one !== null
      ? [[textOf(readFields(one).find((part) => part.number === ATTRIBUTE.name)?.body), one] as const]
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

export function writeNode(node: Node): Uint8Array {
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
export function readValue(body: Uint8Array): Value {
  const find = (fields: readonly Field[], number: number): Uint8Array =>
    fields.find((field) => field.number === number)?.body ?? new Uint8Array(0)
  const fields = readFields(body)
  const tensor = readFields(find(readFields(find(fields, 2)), 1))
  const dims = readFields(find(tensor, 2))
    .filter(({ number }) => number === 1)
    .map((dim) => readFields(dim.body ?? new Uint8Array(0)).find(({ number }) => number === 1)?.value ?? null)
  return { name: textOf(find(fields, 1)), type: tensor.find(({ number }) => number === 1)?.value ?? 0, dims }
}

export function writeValue(number: number, { name, type, dims }: Value): Uint8Array {
  const shape = concat(
    lengthField(
      2,
      dims.flatMap((size, axis) => lengthField(1, [size === null ? textField(2, `${name}_${axis}`) : varintField(1, size)])),
    ),
  )
  const tensor = lengthField(1, [varintField(1, type), shape])
  return concat(lengthField(number, [textField(1, name), ...lengthField(2, tensor)]))
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

/**
 * Names that a node takes, and those that nodes of the graphs within it take. Values of these inner graphs are among
 * them.
 */
export function takenBy(node: Node): string[] {
  const within = graphsIn(node).flatMap((graph) =>
    readFields(graph).flatMap(({ number, body }) => (number === GRAPH.node && body !== null ? takenBy(readNode(body)) : [])),
  )
  return [...node.inputs, ...within].filter((name) => name !== '')
}

export type Attributes = Readonly<Record<string, number | { readonly float: number } | { readonly graph: Subgraph } | readonly number[]>>

function attributeOf(name: string, value: Attributes[string]): Uint8Array {
  const list = Array.isArray(value) ? (value as readonly number[]) : null
  if (list !== null) {
    const ints = list.map((one) => signedField(ATTRIBUTE.ints, one))
    return concat([textField(ATTRIBUTE.name, name), ...ints, varintField(ATTRIBUTE.type, INTS_ATTRIBUTE)])
  }
  if (typeof value === 'number') {
    return concat([textField(ATTRIBUTE.name, name), signedField(ATTRIBUTE.int, value), varintField(ATTRIBUTE.type, INT_ATTRIBUTE)])
  }
  if ('graph' in (value as object)) {
    const body = bodyParts(name, (value as { readonly graph: Subgraph }).graph)
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
