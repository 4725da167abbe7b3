// Dynamic int8 with a scale for each row, instead of one for all rows of a pass: the logits of a token then depend
// neither on its neighbours nor on how a state was cut into chunks, and one huge activation costs the precision of its
// own row only.
//
//   before  DynamicQuantizeLinear → MatMulInteger → Cast → Mul by both scales
//   after   x / |largest of its row| → QuantizeLinear by 1/127 → the same product with constant scales
//           → Mul by the row's largest
import { consumersOf, type Graph, maxOverLast, producersOf } from './graph.ts'
import { MICROSOFT, makeNode, type Node, numberOf } from './nodes.ts'
import { FLOAT, UINT8 } from './small-tensors.ts'

const LEVELS = 127
/** The divisor for rows of zeros only. */
const SMALLEST = 1e-30

interface Product {
  readonly product: Node
  readonly cast: Node
  readonly scaled: Node
  readonly weightScale: string
}

export interface RowScales {
  /** Quantised tensors that now have a scale for each row. */
  readonly changed: number
  /** Those that were left with one scale for all. */
  readonly left: number
}

export function scaleRows(graph: Graph): RowScales {
  const consumers = consumersOf(graph)
  const outputs = new Set(graph.outputs.map(({ name }) => name))
  // In other forms of quantisation the scale is inside the node of the product.
  let left = graph.nodes.filter(({ opType }) => opType === 'DynamicQuantizeMatMul').length
  const found = new Map<Node, Product[]>()
  for (const quantiser of graph.nodes.filter(({ opType }) => opType === 'DynamicQuantizeLinear')) {
    const products = productsOf(graph, quantiser, consumers, outputs)
    if (products === null) left++
    else found.set(quantiser, products)
  }
  if (found.size === 0) return { changed: 0, left }

  const producers = producersOf(graph)
  const largestOf = (quantiser: Node): string => `${quantiser.outputs[0]}/largest`
  // A row that would be multiplied by its scale and then divided by its largest value again stays as it is, and the
  // next products are multiplied by both: this saves most of the work, in the wide inner products of a gated layer.
  // Node that would scale → the scale, and the node that multiplies by it instead.
  const put = new Map<Node, { readonly from: Node; readonly to: Node }>()
  for (const [to] of found) {
    const gate = producers.get(to.inputs[0] as string)
    if (gate?.opType !== 'Mul' || consumers.get(gate.outputs[0] as string)?.length !== 1 || outputs.has(gate.outputs[0] as string)) continue
    for (const [from, products] of found) {
      const late = products.find(({ scaled }) => {
        const [result = ''] = scaled.outputs
        return gate.inputs.filter((name) => name === result).length === 1 && consumers.get(result)?.length === 1 && !outputs.has(result)
      })
      if (late === undefined) continue
      put.set(late.scaled, { from, to })
      break
    }
  }
  const later = new Map([...put.values()].map(({ from, to }) => [to, from] as const))

  const replaced = new Map<Node, Node[]>()
  for (const [quantiser, products] of found) {
    const [input = ''] = quantiser.inputs
    const [quantised = ''] = quantiser.outputs
    const name = (what: string): string => `${quantised}/${what}`
    const scale = graph.constant(FLOAT, [], [1 / LEVELS])
    const zero = graph.constant(UINT8, [], [128])
    const from = later.get(quantiser)
    const own = from === undefined ? largestOf(quantiser) : name('own_largest')
    replaced.set(quantiser, [
      makeNode('Abs', [input], [name('sizes')]),
      maxOverLast(graph, name('sizes'), name('largest_or_zero')),
      makeNode('Max', [name('largest_or_zero'), graph.constant(FLOAT, [], [SMALLEST])], [own]),
      makeNode('Div', [input, own], [name('shares')]),
      makeNode('QuantizeLinear', [name('shares'), scale, zero], [quantised]),
      ...(from === undefined ? [] : [makeNode('Mul', [own, largestOf(from)], [largestOf(quantiser)])]),
    ])
    for (const { product, cast, scaled, weightScale } of products) {
      const [result = ''] = scaled.outputs
      const [, weight = '', , weightZero = ''] = product.inputs
      const inputs = [quantised, weight, scale, weightScale, zero, weightZero]
      const isLate = put.has(scaled)
      const ofShares = isLate ? result : `${result}/of_shares`
      replaced.set(product, [])
      replaced.set(cast, [])
      replaced.set(scaled, [
        makeNode('MatMulIntegerToFloat', inputs, [ofShares], {}, MICROSOFT),
        ...(isLate ? [] : [makeNode('Mul', [ofShares, largestOf(quantiser)], [result])]),
      ])
    }
    // The product of both scales, which no node takes any more.
    for (const mul of consumers.get(quantiser.outputs[1] as string) ?? []) replaced.set(mul, [])
  }
  graph.importOpset(MICROSOFT, 1)
  graph.nodes = graph.nodes.flatMap((node) => replaced.get(node) ?? [node])
  return { changed: found.size, left }
}

/**
 * The products that take a quantised tensor, each with the scale of its weight; null when any other node takes the
 * tensor or its scale.
 */
function productsOf(
  graph: Graph,
  quantiser: Node,
  consumers: ReadonlyMap<string, readonly Node[]>,
  outputs: ReadonlySet<string>,
): Product[] | null {
  const [quantised = '', scale = '', zero = ''] = quantiser.outputs
  if ([quantised, scale, zero].some((name) => outputs.has(name))) return null
  const only = (name: string, opType: string): Node | null => {
    const [node, ...others] = consumers.get(name) ?? []
    return node?.opType === opType && others.length === 0 && !outputs.has(name) ? node : null
  }
  const takers = consumers.get(quantised) ?? []
  if (takers.length === 0 || (consumers.get(zero) ?? []).some((node) => !takers.includes(node))) return null
  const scalers = new Set(consumers.get(scale) ?? [])
  const found: Product[] = []
  const used = new Set<Node>()
  for (const product of takers) {
    if (product.opType !== 'MatMulInteger' || product.inputs[0] !== quantised || product.inputs[2] !== zero) return null
    const cast = only(product.outputs[0] as string, 'Cast')
    const scaled = cast === null ? null : only(cast.outputs[0] as string, 'Mul')
    if (cast === null || scaled === null || numberOf(cast, 'to') !== FLOAT) return null
    const factor = scaled.inputs.find((name) => name !== cast.outputs[0])
    const scaler = [...scalers].find((node) => node.opType === 'Mul' && node.outputs[0] === factor)
    const weightScale = scaler?.inputs.find((name) => name !== scale)
    if (scaler === undefined || weightScale === undefined || outputs.has(factor as string)) return null
    const dims = graph.weightDims(weightScale)
    if (dims === null || dims.length > 1 || (consumers.get(factor as string) ?? []).some((node) => node !== scaled)) return null
    used.add(scaler)
    found.push({ product, cast, scaled, weightScale })
  }
  return used.size === scalers.size ? found : null
}
