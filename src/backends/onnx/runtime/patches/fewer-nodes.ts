// The graphs that our training exports, written node by node, with fewer and faster nodes: same weights, same numbers
// but for the order in which some are added or multiplied.
//
//   rounding    x / scale → Round → Add 128 → Cast      one QuantizeLinear behind the division
//   products    MatMulInteger → Cast → Mul → Mul        MatMulIntegerToFloat, which scales columns as it writes them
//   attention   heads split, products, softmax, joined  MultiHeadAttention of one group of pieces after the other
//                                                       (group-attention.ts)
import { consumersOf, type Graph, producersOf } from './graph.ts'
import { groupAttention, takeGroups } from './group-attention.ts'
import { MICROSOFT, makeNode, type Node, numberOf } from './nodes.ts'
import { FLOAT, UINT8 } from './small-tensors.ts'

/** Nodes of a graph by what they make and who takes it, while some of them are replaced. */
class Rewriting {
  readonly #graph: Graph
  readonly #producers: ReadonlyMap<string, Node>
  readonly #consumers: ReadonlyMap<string, readonly Node[]>
  readonly #outputs: ReadonlySet<string>
  readonly #replaced = new Map<Node, readonly Node[]>()

  constructor(graph: Graph) {
    this.#graph = graph
    this.#producers = producersOf(graph)
    this.#consumers = consumersOf(graph)
    this.#outputs = new Set(graph.outputs.map(({ name }) => name))
  }

  /** The node that makes a value, if it is of this type. */
  maker(value: string | undefined, opType: string): Node | null {
    const node = this.#producers.get(value ?? '')
    return node?.opType === opType ? node : null
  }

  /** The only node that takes a value, if it is of this type. */
  taker(value: string | undefined, opType: string): Node | null {
    const [node, ...others] = this.#consumers.get(value ?? '') ?? []
    return node?.opType === opType && others.length === 0 && !this.#outputs.has(value ?? '') ? node : null
  }

  /** Puts other nodes where this one stands. Those whose values nobody takes then are dropped. */
  replace(node: Node, by: readonly Node[]): void {
    this.#replaced.set(node, by)
  }

  end(): number {
    if (this.#replaced.size === 0) return 0
    this.#graph.importOpset(MICROSOFT, 1)
    this.#graph.nodes = this.#graph.nodes.flatMap((node) => this.#replaced.get(node) ?? [node])
    this.#graph.prune(() => false)
    return this.#replaced.size
  }
}

/** The input of a node of two that is not this one. */
const other = ({ inputs }: Node, value: string | undefined): string | undefined => inputs.find((name) => name !== value)

/** Rounds to whole numbers in one node. Returns in how many places. */
export function roundAtOnce(graph: Graph): number {
  const rewriting = new Rewriting(graph)
  for (const product of graph.nodes.filter(({ opType }) => opType === 'MatMulInteger')) {
    const [whole, , zero = ''] = product.inputs
    const cast = rewriting.maker(whole, 'Cast')
    const shifted = rewriting.maker(cast?.inputs[0], 'Add')
    const round = rewriting.maker(shifted?.inputs[0] ?? cast?.inputs[0], 'Round')
    if (cast === null || round === null || numberOf(cast, 'to') !== UINT8) continue
    const [shift] = shifted === null ? [0] : (graph.weightValues(shifted.inputs[1] ?? '') ?? [])
    if (shift === undefined || graph.weightValues(zero)?.[0] !== shift) continue
    const one = graph.constant(FLOAT, [], [1])
    rewriting.replace(cast, [makeNode('QuantizeLinear', [round.inputs[0] as string, one, zero], cast.outputs)])
  }
  return rewriting.end()
}

/** Scales the columns of products of whole numbers as they are written. Returns how many. */
export function scaleColumnsAtOnce(graph: Graph): number {
  const rewriting = new Rewriting(graph)
  for (const product of graph.nodes.filter(({ opType }) => opType === 'MatMulInteger')) {
    const [whole = '', weight = '', zero = ''] = product.inputs
    const cast = rewriting.taker(product.outputs[0], 'Cast')
    const byRow = rewriting.taker(cast?.outputs[0], 'Mul')
    const byColumn = rewriting.taker(byRow?.outputs[0], 'Mul')
    const rows = byRow === null ? undefined : other(byRow, cast?.outputs[0])
    const columns = byColumn === null ? undefined : other(byColumn, byRow?.outputs[0])
    if (byColumn === null || rows === undefined || columns === undefined || graph.weightDims(columns)?.length !== 1) continue
    const scaled = `${product.outputs[0]}/scaled`
    const one = graph.constant(FLOAT, [], [1])
    rewriting.replace(byColumn, [
      makeNode('MatMulIntegerToFloat', [whole, weight, one, columns, zero], [scaled], {}, MICROSOFT),
      makeNode('Mul', [scaled, rows], byColumn.outputs),
    ])
  }
  return rewriting.end()
}

/** Keys and values as inputs and outputs of a graph; of a layer: `past_keys.0`. */
export const KEPT = { pastKeys: 'past_keys', pastValues: 'past_values', keys: 'keys', values: 'values' } as const

/**
 * Keys and values that were kept become inputs of their own for each layer, heads first: `past_keys.0` [sequences,
 * heads, kept pieces, size]; those of the pass itself become outputs. `byGroup`: each layer also attends group by group
 * in a loop, which is right on a CPU; the node for attention of WebGPU gives something else. Returns the number of
 * layers; 0, and changes nothing, where attention has another form.
 */
export function keepByLayer(graph: Graph, byGroup: boolean): number {
  const rewriting = new Rewriting(graph)
  const softmaxes = graph.nodes.filter(({ opType }) => opType === 'Softmax')
  if (softmaxes.length === 0) return 0
  let shape: readonly number[] = []
  for (const softmax of softmaxes) {
    const biased = rewriting.maker(softmax.inputs[0], 'Add')
    const fits = rewriting.maker(biased?.inputs[0], 'MatMul')
    const seen = rewriting.taker(softmax.outputs[0], 'MatMul')
    const joined = rewriting.taker(rewriting.taker(seen?.outputs[0], 'Transpose')?.outputs[0], 'Reshape')
    const turned = (value: string | undefined) => rewriting.maker(value, 'Transpose')
    const split = (value: string | undefined) => rewriting.maker(turned(value)?.inputs[0], 'Reshape')
    const query = split(fits?.inputs[0])
    const keys = appended(split(fits?.inputs[1])?.inputs[0], KEPT.pastKeys)
    const values = appended(split(seen?.inputs[1])?.inputs[0], KEPT.pastValues)
    shape = graph.weightValues(query?.inputs[1] ?? '') ?? []
    if (biased === null || joined === null || query === null || keys === null || values?.layer !== keys.layer || shape.length !== 4)
      return 0
    const { layer } = keys
    const heads = query.inputs[1] as string
    const of = (name: string): string => `${name}.${layer}`
    const own = {
      keys: headsFirst(keys.own, heads, of(KEPT.keys)),
      values: headsFirst(values.own, heads, of(KEPT.values)),
    }
    if (byGroup) {
      const given = { query: query.inputs[0] as string, keys: keys.own, values: values.own }
      const past = { keys: of(KEPT.pastKeys), values: of(KEPT.pastValues) }
      const size = { heads: shape[2] as number, width: (shape[2] as number) * (shape[3] as number) }
      rewriting.replace(joined, [...own.keys, ...own.values, ...groupAttention(graph, given, past, size, joined.outputs[0] as string)])
      continue
    }
    const [keysNode, valuesNode] = [turned(fits?.inputs[1]) as Node, turned(seen?.inputs[1]) as Node]
    const allKeys = `${of(KEPT.keys)}/all`
    rewriting.replace(keysNode, [
      ...own.keys,
      makeNode('Concat', [of(KEPT.pastKeys), of(KEPT.keys)], [allKeys], { axis: 2 }),
      makeNode('Transpose', [allKeys], keysNode.outputs, { perm: [0, 1, 3, 2] }),
    ])
    rewriting.replace(valuesNode, [
      ...own.values,
      makeNode('Concat', [of(KEPT.pastValues), of(KEPT.values)], valuesNode.outputs, { axis: 2 }),
    ])
  }

  /** What a pass appends to what was kept of a layer. */
  function appended(value: string | undefined, past: string): { readonly own: string; readonly layer: number } | null {
    const all = rewriting.maker(value, 'Concat')
    const taken = rewriting.maker(all?.inputs[0], 'Gather')
    const [layer] = graph.weightValues(taken?.inputs[1] ?? '') ?? []
    const own = all?.inputs[1]
    return taken?.inputs[0] === past && own !== undefined && layer !== undefined ? { own, layer } : null
  }

  const [, , heads = 0, size = 0] = shape
  const ofLayers = (name: string) =>
    softmaxes.map((_, layer) => ({ name: `${name}.${layer}`, type: FLOAT, dims: [null, heads, null, size] }))
  graph.inputs = [...graph.inputs, ...ofLayers(KEPT.pastKeys), ...ofLayers(KEPT.pastValues)]
  graph.outputs = [
    ...graph.outputs.filter(({ name }) => name !== KEPT.keys && name !== KEPT.values),
    ...ofLayers(KEPT.keys),
    ...ofLayers(KEPT.values),
  ]
  rewriting.end()
  graph.prune((input) => input === KEPT.pastKeys || input === KEPT.pastValues)
  if (byGroup) takeGroups(graph)
  return softmaxes.length
}

/** The nodes that split what a pass gives into heads, [sequences, heads, pieces, size]. */
function headsFirst(own: string, heads: string, output: string): Node[] {
  const apart = `${output}/apart`
  return [makeNode('Reshape', [own, heads], [apart]), makeNode('Transpose', [apart], [output], { perm: [0, 2, 1, 3] })]
}
