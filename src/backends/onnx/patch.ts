// A decoder graph to the same graph, faster: two changes in memory, the file stays as it is. Field numbers: onnx/onnx.proto.
//
// `accuracy_level` = 4 on MatMulNBits nodes that say none: products in int8 instead of unpacking to float, 2 to 60 times as fast on a CPU.
// `logit_rows`: a new input that picks rows before the last product, for graphs without `num_logits_to_keep`. The product with the vocabulary
//   is a large share of a short run, and its result (rows x vocabulary floats) is copied out whole.
import { concat, type Field, lengthField, readFields, textField, varintField } from './protobuf.ts'

export const LOGIT_ROWS = 'logit_rows'

export interface Patch {
  readonly bytes: Uint8Array
  /** Nodes that were given an accuracy level. */
  readonly quantisedNodes: number
  /** Whether the graph now takes `logit_rows`, int64 [rows]. */
  readonly takesLogitRows: boolean
}

export interface PatchWishes {
  readonly accuracyLevel: boolean
  readonly logitRows: boolean
}

const MODEL = { graph: 7 } as const
const GRAPH = { node: 1, input: 11 } as const
const NODE = { input: 1, output: 2, name: 3, opType: 4, attribute: 5, domain: 7 } as const
const ATTRIBUTE = { name: 1, int: 3, type: 20 } as const
const INT = 2
const INT64 = 7

interface Node {
  readonly fields: readonly Field[]
  readonly opType: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

const text = (bytes: Uint8Array | null): string => new TextDecoder().decode(bytes ?? new Uint8Array(0))

function readNode(body: Uint8Array): Node {
  const fields = readFields(body)
  const all = (number: number): string[] => fields.filter((field) => field.number === number).map((field) => text(field.body))
  return { fields, opType: all(NODE.opType)[0] ?? '', inputs: all(NODE.input), outputs: all(NODE.output) }
}

/** Whether a MatMulNBits node leaves the choice open: no level, or 0, which means the slow way. */
function lacksLevel(node: Node): boolean {
  if (node.opType !== 'MatMulNBits') return false
  return !node.fields.some((field) => {
    if (field.number !== NODE.attribute || field.body === null) return false
    const attribute = readFields(field.body)
    const name = text(attribute.find(({ number }) => number === ATTRIBUTE.name)?.body ?? null)
    return name === 'accuracy_level' && (attribute.find(({ number }) => number === ATTRIBUTE.int)?.value ?? 0) > 0
  })
}

const levelField = (): Uint8Array =>
  concat(
    lengthField(NODE.attribute, [
      textField(ATTRIBUTE.name, 'accuracy_level'),
      varintField(ATTRIBUTE.int, 4),
      varintField(ATTRIBUTE.type, INT),
    ]),
  )

/** Operators that work on each row alone, between the head's product and the logits, or before it in a quantised head. */
const BY_ROW = ['Cast', 'Mul', 'Identity', 'MatMulInteger']
const PRODUCTS = ['MatMul', 'MatMulNBits', 'FusedMatMul', 'DynamicQuantizeLinear']

/** The node where the head starts: its first input has a row for each token. Null when the way back from the logits is not one we know. */
function headOf(nodes: readonly Node[]): Node | null {
  const producers = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)))
  let found: Node | null = null
  const open = ['logits']
  const seen = new Set<string>()
  while (open.length > 0) {
    const name = open.pop() as string
    if (seen.has(name)) continue
    seen.add(name)
    const node = producers.get(name)
    if (node === undefined) continue // a weight
    if (PRODUCTS.includes(node.opType)) {
      if (found !== null && found !== node) return null
      found = node
    } else if (BY_ROW.includes(node.opType)) open.push(...node.inputs)
    else return null
  }
  return found
}

function nodeField(number: number, names: { inputs: string[]; outputs: string[]; name: string; opType: string; axis: number }): Uint8Array {
  const axis = lengthField(NODE.attribute, [
    textField(ATTRIBUTE.name, 'axis'),
    varintField(ATTRIBUTE.int, names.axis),
    varintField(ATTRIBUTE.type, INT),
  ])
  return concat(
    lengthField(number, [
      ...names.inputs.map((input) => textField(NODE.input, input)),
      ...names.outputs.map((output) => textField(NODE.output, output)),
      textField(NODE.name, names.name),
      textField(NODE.opType, names.opType),
      ...axis,
    ]),
  )
}

/** `logit_rows`: int64, one axis of any length. ValueInfoProto {name, type {tensor_type {elem_type, shape {dim {dim_param}}}}} */
function rowsInput(): Uint8Array {
  const shape = concat(lengthField(2, lengthField(1, [textField(2, 'kept_rows')])))
  const tensor = lengthField(1, [varintField(1, INT64), shape])
  return concat(lengthField(GRAPH.input, [textField(1, LOGIT_ROWS), ...lengthField(2, tensor)]))
}

/** The patched graph; null when there is nothing to change, or the bytes are not a graph we understand. */
export function patchGraph(bytes: Uint8Array, wishes: PatchWishes): Patch | null {
  try {
    const model = readFields(bytes)
    const graph = model.find(({ number }) => number === MODEL.graph)?.body
    return graph ? patchModel(model, readFields(graph), wishes) : null
  } catch (error) {
    // Not protobuf: loading it will say so.
    if (error instanceof RangeError) return null
    throw error
  }
}

function patchModel(model: readonly Field[], graph: readonly Field[], wishes: PatchWishes): Patch | null {
  const nodes = new Map<Field, Node>()
  for (const field of graph) if (field.number === GRAPH.node && field.body !== null) nodes.set(field, readNode(field.body))
  const inputs = graph
    .filter(({ number }) => number === GRAPH.input)
    .map(({ body }) => text(readFields(body ?? new Uint8Array(0))[0]?.body ?? null))
  const picksRows = wishes.logitRows && !inputs.includes('num_logits_to_keep')
  const head = picksRows ? headOf([...nodes.values()]) : null
  const hidden = head?.inputs[0]
  const rows = `${hidden}/${LOGIT_ROWS}`

  let quantisedNodes = 0
  const parts: Uint8Array[] = []
  let isInputAdded = head === null
  for (const field of graph) {
    const node = nodes.get(field)
    if (field.number === GRAPH.input && !isInputAdded) {
      parts.push(rowsInput())
      isInputAdded = true
    }
    const getsLevel = node !== undefined && wishes.accuracyLevel && lacksLevel(node)
    if (node === undefined || (!getsLevel && node !== head)) {
      parts.push(field.raw)
      continue
    }
    // Nodes are in the order they run: what picks the rows comes right before the head.
    if (node === head && hidden !== undefined) {
      parts.push(nodeField(GRAPH.node, { inputs: [hidden, LOGIT_ROWS], outputs: [rows], name: rows, opType: 'Gather', axis: 1 }))
    }
    let isFirst = true
    const fields = node.fields.flatMap((one) => {
      if (node === head && one.number === NODE.input && isFirst) {
        isFirst = false
        return [textField(NODE.input, rows)]
      }
      // An accuracy level of 0 gives way to ours.
      return getsLevel && isLevel(one) ? [] : [one.raw]
    })
    if (getsLevel) {
      quantisedNodes++
      fields.push(levelField())
    }
    parts.push(...lengthField(GRAPH.node, fields))
  }
  if (head === null && quantisedNodes === 0) return null
  const patched = model.flatMap((field) => (field.number === MODEL.graph ? lengthField(MODEL.graph, parts) : [field.raw]))
  return { bytes: concat(patched), quantisedNodes, takesLogitRows: head !== null }
}

function isLevel({ number, body }: Field): boolean {
  if (number !== NODE.attribute || body === null) return false
  return text(readFields(body).find((field) => field.number === ATTRIBUTE.name)?.body ?? null) === 'accuracy_level'
}
