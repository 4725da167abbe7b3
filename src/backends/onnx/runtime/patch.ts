// Patches a decoder graph in memory so that it runs faster; the file stays as it is. Three patches:
//
// `accuracyLevel` sets accuracy_level = 4 on MatMulNBits nodes that have none: products in int8 instead of unpacking to
//   float, 2 to 60 times as fast on a CPU.
// `logitRows` adds an input `logit_rows` that picks rows before the product with the vocabulary, which is a large share
//   of a short run and whose result (rows x vocabulary floats) is copied out whole. A graph that can keep the last rows
//   itself (`num_logits_to_keep`) needs it for `cascade` only.
// `cascade` is patches/cascade.ts with patches/row-scales.ts: rows may share a pass only if none of them changes the
//   logits of another.
import { cascadeAttention } from './patches/cascade.ts'
import { type Graph, maxOverLast, producersOf, readGraph } from './patches/graph.ts'
import { makeNode, type Node, numberOf, withAttributes } from './patches/nodes.ts'
import { scaleRows } from './patches/row-scales.ts'
import { FLOAT, INT64 } from './patches/small-tensors.ts'

export const LOGIT_ROWS = 'logit_rows'
/** Of a cascade graph: for each row of logits the log of the sum of their exponentials, [1, rows, 1]. */
export const LOGIT_NORMS = 'logit_norms'
const KEEP = 'num_logits_to_keep'

export interface Patch {
  readonly bytes: Uint8Array
  /** How many nodes were given an accuracy level. */
  readonly quantisedNodes: number
  /**
   * Whether the graph now takes `logit_rows`, int64 [rows]: rows of each row of the pass, of the pass as a whole in a
   * cascade graph.
   */
  readonly takesLogitRows: boolean
  /** Whether many rows may now stand behind one KV cache. */
  readonly isCascade: boolean
  /** How many quantised activations were given a scale for each row. */
  readonly scaledRows: number
}

export interface PatchWishes {
  readonly accuracyLevel: boolean
  readonly logitRows: boolean
  readonly cascade: boolean
}

/** The patched graph; null when there is nothing to change, or the bytes are no graph that is known here. */
export function patchGraph(bytes: Uint8Array, wishes: PatchWishes): Patch | null {
  try {
    const cascade = wishes.cascade && wishes.logitRows ? cascadeGraph(bytes) : null
    const graph = cascade?.graph ?? readGraph(bytes)
    if (graph === null) return null
    const quantisedNodes = wishes.accuracyLevel ? setLevels(graph) : 0
    const takesLogitRows = cascade !== null || (wishes.logitRows && pickRows(graph))
    if (!takesLogitRows && quantisedNodes === 0) return null
    return { bytes: graph.write(), quantisedNodes, takesLogitRows, isCascade: cascade !== null, scaledRows: cascade?.scaledRows ?? 0 }
  } catch (error) {
    // Not protobuf: loading it will fail with a message.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The graph with all changes that cascade attention needs; null when one of them cannot be made. */
function cascadeGraph(bytes: Uint8Array): { graph: Graph; scaledRows: number } | null {
  const graph = readGraph(bytes)
  const logits = graph?.outputs.find(({ name }) => name === 'logits')
  if (graph === null || logits?.type !== FLOAT || !pickRowsOfPass(graph) || !cascadeAttention(graph)) return null
  const { changed, left } = scaleRows(graph)
  addNorms(graph)
  return left > 0 ? null : { graph, scaledRows: changed }
}

/**
 * Adds the log-sum-exp of each row of logits: sums over a vocabulary are vectorised in the graph. It is computed as the
 * largest logit less the log of its share.
 */
function addNorms(graph: Graph): void {
  const [shares, largest, largestShare, log] = ['shares', 'largest', 'largest_share', 'log_share'].map(
    (what) => `${LOGIT_NORMS}/${what}`,
  ) as [string, string, string, string]
  graph.nodes = [
    ...graph.nodes,
    makeNode('Softmax', ['logits'], [shares], { axis: -1 }),
    maxOverLast(graph, 'logits', largest),
    maxOverLast(graph, shares, largestShare),
    makeNode('Log', [largestShare], [log]),
    makeNode('Sub', [largest, log], [LOGIT_NORMS]),
  ]
  graph.outputs = [...graph.outputs, { name: LOGIT_NORMS, type: FLOAT, dims: [1, null, 1] }]
}

/** Sets the accuracy level of each MatMulNBits node that has none, or 0, which is the slow way. Returns how many. */
function setLevels(graph: Graph): number {
  let set = 0
  graph.nodes = graph.nodes.map((node) => {
    if (node.opType !== 'MatMulNBits' || (numberOf(node, 'accuracy_level') ?? 0) > 0) return node
    set++
    return withAttributes(node, { accuracy_level: 4 })
  })
  return set
}

/** Operators on single rows that may stand between the head's product and the logits, or before it when quantised. */
const BY_ROW = ['Cast', 'Mul', 'Div', 'Identity', 'MatMulInteger']
const PRODUCTS = ['MatMul', 'MatMulNBits', 'FusedMatMul', 'DynamicQuantizeLinear']

/** The first node of the head, whose first input has a row for each token; null when the head has an unknown form. */
function headOf(graph: Graph): Node | null {
  const producers = producersOf(graph)
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

const takes = (graph: Graph, input: string): boolean => graph.inputs.some(({ name }) => name === input)

/** Picks the same rows of tokens in every row of a pass. */
function pickRows(graph: Graph): boolean {
  const head = takes(graph, KEEP) ? null : headOf(graph)
  const hidden = head?.inputs[0]
  if (head === null || hidden === undefined) return false
  gatherBefore(graph, head, hidden, [])
  return true
}

/** Picks tokens of a pass, counted through all its rows. It replaces the nodes that keep the last tokens. */
function pickRowsOfPass(graph: Graph): boolean {
  const head = headOf(graph)
  const made = head?.inputs[0]
  if (head === null || made === undefined) return false
  const before = producersOf(graph).get(made)
  const isCut = takes(graph, KEEP) && before?.opType === 'Slice'
  const hidden = (isCut ? before.inputs[0] : made) as string
  const flat = `${hidden}/flat`
  // 0 keeps the width.
  gatherBefore(graph, head, flat, [makeNode('Reshape', [hidden, graph.constant(INT64, [3], [1, -1, 0])], [flat])])
  graph.prune((input) => input === KEEP)
  return !takes(graph, KEEP)
}

function gatherBefore(graph: Graph, head: Node, input: string, first: readonly Node[]): void {
  const rows = `${input}/${LOGIT_ROWS}`
  graph.inputs = [...graph.inputs, { name: LOGIT_ROWS, type: INT64, dims: [null] }]
  // Nodes are in the order they run: the one that picks rows comes right before the head.
  graph.nodes = graph.nodes.flatMap((node) =>
    node === head
      ? [...first, makeNode('Gather', [input, LOGIT_ROWS], [rows], { axis: 1 }), { ...head, inputs: [rows, ...head.inputs.slice(1)] }]
      : [node],
  )
}
