// GroupQueryAttention to cascade attention: many short rows behind one KV cache, which is read without being joined,
// copied or repeated.
//
// GroupQueryAttention on a CPU takes one row at a time behind a cache, writes the cache and the new tokens together
// into new memory in every run, and computes its products in small pieces. Here the rows attend to their own tokens
// (`local_bias`) in one product, and to the cache, all rows at once, in another. The two are one softmax: the local
// part enters the other as one more key. Its score is the log-sum-exp of the local scores and its value the local
// result, so the softmax gives it its exact share, for activations of any size and also when the cache is empty (then
// it is all).
//
//   past keys    [1 + tokens, 1, kv heads, size + 1]
//                Row 0 is that key: zeros, and one in the last column, which is zero in all other rows.
//   past values  [1 + tokens, 1, kv heads, size]
//                Row 0 is zeros.
//   local_bias   [groups, 1, rows, tokens, all tokens]
//                Added to the scores. groups x rows x tokens are all tokens of the pass. More than one group gives the
//                threads products of equal size where the number of heads does not.
//   present.*    [tokens, 1, kv heads, size]
//                Of the new tokens only.
//
// Tokens are the first axis, so that a cache grows in place. The caller cuts the pass into groups; see
// decoder/cascade.ts.
import { consumersOf, type Graph, maxOverLast } from './graph.ts'
import { holdsGraph, MICROSOFT, makeNode, type Node, numberOf } from './nodes.ts'
import { FLOAT, FLOAT16, INT64 } from './small-tensors.ts'

export const LOCAL_BIAS = 'local_bias'

const GQA = 'GroupQueryAttention'
const MASK = 'attention_mask'
const POSITIONS = 'position_ids'
/** Attributes that change nothing at these values; a node with any other value is left as it is. */
const NEUTRAL: Readonly<Record<string, readonly number[]>> = {
  local_window_size: [-1],
  softcap: [0],
  smooth_softmax: [0, -1],
  qk_output: [0],
  k_quant_type: [],
  v_quant_type: [],
}
const KNOWN = ['num_heads', 'kv_num_heads', 'scale', 'do_rotary', 'rotary_interleaved', ...Object.keys(NEUTRAL)]

interface Attention {
  readonly node: Node
  readonly heads: number
  readonly kvHeads: number
  readonly size: number
  readonly scale: number
  readonly isHalf: boolean
}

/** Changes all attention of the graph. Returns false, and changes nothing, where some of it is not known. */
export function cascadeAttention(graph: Graph): boolean {
  const attentions = understood(graph)
  if (attentions === null) return false
  const { nodes: before, inputs: inputsBefore, outputs: outputsBefore } = graph
  const shapes = makeShapes(graph)
  const ofNode = new Map(attentions.map((attention) => [attention.node, attention] as const))
  const body = graph.nodes.flatMap((node) => {
    const attention = ofNode.get(node)
    return attention === undefined ? [node] : cascadeOf(graph, attention, shapes)
  })
  const pasts = new Map(
    attentions.flatMap(({ node, kvHeads, size }) => [
      [node.inputs[3] as string, [null, 1, kvHeads, size + 1]] as const,
      [node.inputs[4] as string, [null, 1, kvHeads, size]] as const,
    ]),
  )
  const presents = new Map(
    attentions.flatMap(({ node, kvHeads, size }) => [1, 2].map((at) => [node.outputs[at] as string, [null, 1, kvHeads, size]] as const)),
  )
  graph.nodes = [...shapes.nodes(), ...body]
  graph.inputs = graph.inputs.map((input) => {
    const dims = pasts.get(input.name)
    return dims === undefined ? input : { name: input.name, type: FLOAT, dims }
  })
  graph.inputs = [...graph.inputs, { name: LOCAL_BIAS, type: FLOAT, dims: [null, 1, null, null, null] }]
  if (!graph.inputs.some(({ name }) => name === POSITIONS))
    graph.inputs = [...graph.inputs, { name: POSITIONS, type: INT64, dims: [null, null] }]
  graph.outputs = graph.outputs.map((output) => {
    const dims = presents.get(output.name)
    return dims === undefined ? output : { name: output.name, type: FLOAT, dims }
  })
  // The nodes that counted the tokens of cache and pass for attention go. If something else needs that count, it would
  // get a wrong one, so nothing is changed then.
  graph.prune((input) => input === MASK)
  if (!graph.inputs.some(({ name }) => name === MASK)) return true
  graph.nodes = before
  graph.inputs = inputsBefore
  graph.outputs = outputsBefore
  return false
}

/** All attention of the graph; null when some of it, or an input of it, needs more than cascade attention can do. */
function understood(graph: Graph): Attention[] | null {
  const nodes = graph.nodes.filter(({ opType, domain }) => opType === GQA && domain === MICROSOFT)
  if (nodes.length === 0 || graph.opset('') < 13 || graph.nodes.some(holdsGraph)) return null
  const consumers = consumersOf(graph)
  const inputs = new Map(graph.inputs.map((input) => [input.name, input] as const))
  const outputs = new Set(graph.outputs.map(({ name }) => name))
  const found: Attention[] = []
  for (const node of nodes) {
    const attribute = (name: string): number => numberOf(node, name) ?? 0
    if ([...node.attributes.keys()].some((name) => !KNOWN.includes(name))) return null
    if (Object.entries(NEUTRAL).some(([name, values]) => node.attributes.has(name) && !values.includes(attribute(name)))) return null
    const [query, key, value, pastKey, pastValue] = node.inputs
    if (!query || !key || !value || !pastKey || !pastValue) return null
    // Inputs behind 10 are sinks and scales of quantised caches. A bias (input 10) is computed from the attention mask,
    // which is all ones here; the parity probe checks that.
    if (node.inputs.slice(11).some((name) => name !== '')) return null
    const past = inputs.get(pastKey)
    const [, kvHeads, , size] = past?.dims ?? []
    const heads = attribute('num_heads')
    if (past === undefined || !inputs.has(pastValue) || !kvHeads || !size || kvHeads !== attribute('kv_num_heads')) return null
    if (heads % kvHeads !== 0 || (past.type !== FLOAT && past.type !== FLOAT16)) return null
    const [, presentKey, presentValue] = node.outputs
    if (!presentKey || !presentValue || !outputs.has(presentKey) || !outputs.has(presentValue)) return null
    if (node.outputs.length > 3) return null
    // Keys and values must have no other consumers.
    if (consumers.has(presentKey) || consumers.has(presentValue)) return null
    if ([pastKey, pastValue].some((name) => consumers.get(name)?.length !== 1)) return null
    if (attribute('do_rotary') === 1 && !canRotate(graph, node, size)) return null
    found.push({ node, heads, kvHeads, size, scale: attribute('scale') || size ** -0.5, isHalf: past.type === FLOAT16 })
  }
  const taken = new Set(found.flatMap(({ node }) => [node.inputs[3], node.inputs[4]]))
  // Anything else that is kept between runs would have to be kept for each row.
  return graph.inputs.some(({ name }) => name.startsWith('past') && !taken.has(name)) ? null : found
}

/**
 * Rotary embedding inside the attention node counts tokens itself. As a node of its own it is given positions, and it
 * needs whole heads.
 */
function canRotate(graph: Graph, node: Node, size: number): boolean {
  const [cos, sin, positions] = node.inputs.slice(7)
  if (!cos || !sin || (positions && positions !== POSITIONS)) return false
  return graph.weightDims(cos)?.[1] === size / 2 && graph.weightDims(sin)?.[1] === size / 2
}

/** Shapes that depend on the pass, computed once for all layers. */
interface Shapes {
  /** An int64 list: numbers as they are, letters as sizes of `local_bias` [g, 1, b, r, t]. */
  of(parts: readonly (number | 'g' | 'b' | 'r' | 't')[]): string
  /** `local_bias` with each row of tokens once for every query head of a key head: [g, 1, b, r x times, t]. */
  biasFor(times: number): string
  nodes(): Node[]
}

function makeShapes(graph: Graph): Shapes {
  const PLACES = { g: 0, b: 2, r: 3, t: 4 } as const
  const nodes: Node[] = [makeNode('Shape', [LOCAL_BIAS], ['assay/bias_shape'])]
  const made = new Map<string, string>()
  const once = (name: string, make: () => Node[]): string => {
    if (!made.has(name)) {
      nodes.push(...make())
      made.set(name, name)
    }
    return name
  }
  const sizeOf = (letter: keyof typeof PLACES): string =>
    once(`assay/size_${letter}`, () => [
      makeNode('Gather', ['assay/bias_shape', graph.constant(INT64, [1], [PLACES[letter]])], [`assay/size_${letter}`], { axis: 0 }),
    ])
  const of: Shapes['of'] = (parts) => {
    const inputs: string[] = []
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at] as (typeof parts)[number]
      if (typeof part === 'string') inputs.push(sizeOf(part))
      else {
        const numbers = [part]
        for (; typeof parts[at + 1] === 'number'; at++) numbers.push(parts[at + 1] as number)
        inputs.push(graph.constant(INT64, [numbers.length], numbers))
      }
    }
    if (inputs.length === 1) return inputs[0] as string
    const name = `assay/shape_${parts.join('_')}`
    return once(name, () => [makeNode('Concat', inputs, [name], { axis: 0 })])
  }
  return {
    of,
    biasFor(times) {
      const name = `assay/bias_${times}`
      const [apart, repeated] = [`${name}/apart`, `${name}/repeated`]
      const shapes = [of(['g', 1, 'b', 'r', 1, 't']), of(['g', 1, 'b', 'r', times, 't']), of(['g', 1, 'b', -1, 't'])] as const
      return once(name, () => [
        makeNode('Reshape', [LOCAL_BIAS, shapes[0]], [apart]),
        makeNode('Expand', [apart, shapes[1]], [repeated]),
        makeNode('Reshape', [repeated, shapes[2]], [name]),
      ])
    },
    nodes: () => nodes,
  }
}

function cascadeOf(graph: Graph, { node, heads, kvHeads, size, scale, isHalf }: Attention, shapes: Shapes): Node[] {
  const [result = '', presentKey = '', presentValue = ''] = node.outputs
  const [query = '', key = '', value = '', pastKey = '', pastValue = ''] = node.inputs
  const perKey = heads / kvHeads
  const nodes: Node[] = []
  const name = (what: string): string => `${result}/${what}`
  const op = (what: string, opType: string, inputs: readonly string[], attributes = {}, domain = ''): string => {
    nodes.push(makeNode(opType, inputs, [name(what)], attributes, domain))
    return name(what)
  }
  const product = (what: string, a: string, b: string, attributes: Record<string, number>, factor = 1): string =>
    op(what, 'FusedMatMul', [a, b], { alpha: { float: factor }, transA: 0, transB: 0, ...attributes }, MICROSOFT)
  const rotated = (what: string, input: string, count: number): string => {
    if (numberOf(node, 'do_rotary') !== 1) return input
    const interleaved = numberOf(node, 'rotary_interleaved') ?? 0
    const tables = [node.inputs[7] as string, node.inputs[8] as string]
    return op(what, 'RotaryEmbedding', [input, POSITIONS, ...tables], { interleaved, num_heads: count }, MICROSOFT)
  }
  const widened = (what: string, input: string): string => (isHalf ? op(what, 'Cast', [input], { to: FLOAT }) : input)

  const q = widened('q', rotated('q_rotated', query, heads))
  const k = widened('k', rotated('k_rotated', key, kvHeads))
  const v = widened('v', value)
  // Rows of a key head: tokens, and within each the query heads that share the key. [g, kv, rows, size]
  const byHead = op('q_heads', 'Transpose', [op('q_tokens', 'Reshape', [q, shapes.of(['g', -1, kvHeads, perKey * size])])], {
    perm: [0, 2, 1, 3],
  })
  const rows = op('q_rows', 'Reshape', [byHead, shapes.of(['g', kvHeads, -1, size])])

  // Within each row of the pass. [g, kv, b, r x query heads, t]
  const local = (what: string, input: string): string =>
    op(`${what}_local`, 'Transpose', [op(`${what}_tokens`, 'Reshape', [input, shapes.of([-1, 'b', 't', kvHeads, size])])], {
      perm: [0, 3, 1, 2, 4],
    })
  const asked = op('q_local', 'Reshape', [byHead, shapes.of(['g', kvHeads, 'b', -1, size])])
  const scores = op('local_scores', 'Add', [product('local_products', asked, local('k', k), { transB: 1 }, scale), shapes.biasFor(perKey)])
  const shares = op('local_shares', 'Softmax', [scores], { axis: -1 })
  const found = op('local_found', 'Reshape', [product('local_result', shares, local('v', v), {}), shapes.of(['g', kvHeads, -1, size])])
  // Log-sum-exp: the largest score less the log of its share.
  nodes.push(maxOverLast(graph, scores, name('local_largest')), maxOverLast(graph, shares, name('local_largest_share')))
  const sum = op('local_sum', 'Sub', [name('local_largest'), op('local_log_share', 'Log', [name('local_largest_share')])])
  // Divided by the scale, since every score is multiplied by it.
  const unscaled = op('local_unscaled', 'Mul', [sum, graph.constant(FLOAT, [1], [1 / scale])])
  const column = op('local_column', 'Reshape', [unscaled, shapes.of(['g', kvHeads, -1, 1])])

  // Scores with the cache. [g, kv, rows, 1 + cached tokens]
  const extended = op('q_extended', 'Concat', [rows, column], { axis: 3 })
  const all = op('shares', 'Softmax', [product('scores', extended, pastKey, { transB: 1, transBatchB: 1 }, scale)], { axis: -1 })
  const localShare = op('local_share', 'Gather', [all, graph.constant(INT64, [1], [0])], { axis: 3 })
  const merged = op('merged', 'Add', [
    product('past_result', all, pastValue, { transBatchB: 1 }),
    op('local_part', 'Mul', [localShare, found]),
  ])
  const back = op('tokens', 'Transpose', [op('merged_heads', 'Reshape', [merged, shapes.of(['g', kvHeads, -1, perKey * size])])], {
    perm: [0, 2, 1, 3],
  })
  const shape = shapes.of([-1, 't', heads * size])
  if (isHalf) nodes.push(makeNode('Cast', [op('wide', 'Reshape', [back, shape])], [result], { to: FLOAT16 }))
  else nodes.push(makeNode('Reshape', [back, shape], [result]))
  const kept = shapes.of([-1, 1, kvHeads, size])
  nodes.push(makeNode('Reshape', [k, kept], [presentKey]), makeNode('Reshape', [v, kept], [presentValue]))
  return nodes
}
