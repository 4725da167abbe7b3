// DeepStack (Qwen3-VL): besides the features that take the place of image tokens, the vision encoder gives features of
// smaller depths. Those of the first depth are added to the same tokens behind the first layer of the decoder, those
// of the second behind the second, and so on. So a row of such a model is the embedding of a token and its features of
// each depth, side by side. Those of a text are zeros.
//
// Exports have a tensor for each depth, named with a number (`deepstack_features_0` from the encoder,
// `deepstack_scattered_0` or `deepstack_embeds_0` to the decoder), or one with an axis more for all depths
// (`deepstack_features`, `deepstack_embeds`).
import { EngineError } from '../../../core/errors.ts'
import type { Feeds, Runtime, SessionValue, Tensor } from '../runtime/session.ts'
import type { Embedder } from './contract.ts'

const NAME = /deepstack/i

/** The inputs or the outputs of a graph that hold features of other depths. */
export interface DeepStackValues {
  /** One for each depth, in order, or one for all. */
  readonly names: readonly string[]
  readonly isStacked: boolean
  /** How many depths; null where a graph stacks them and does not declare how many. */
  readonly depths: number | null
}

const numberAtEnd = (name: string): string | undefined => /\d+$/.exec(name)?.[0]

/** Finds them by their names. Throws `model_not_available` where one is missing among others. */
export function deepStackValues(values: readonly SessionValue[], graphName: string): DeepStackValues {
  const found = values.filter(({ name }) => NAME.test(name))
  const [stack] = found
  if (stack === undefined) return { names: [], isStacked: false, depths: 0 }
  if (found.length === 1 && numberAtEnd(stack.name) === undefined) {
    const [depths] = stack.shape
    return { names: [stack.name], isStacked: true, depths: typeof depths === 'number' && depths > 0 ? depths : null }
  }
  const numberOf = ({ name }: SessionValue): number => Number(numberAtEnd(name) ?? Number.NaN)
  const sorted = [...found].sort((a, b) => numberOf(a) - numberOf(b))
  const names = sorted.map(({ name }) => name)
  const first = numberOf(sorted[0] as SessionValue)
  if (sorted.some((value, i) => numberOf(value) !== first + i)) {
    const message = `${graphName} has ${names.join(', ')}, whose numbers do not follow each other`
    throw new EngineError('model_not_available', `${message}; take another export of this model`)
  }
  return { names, isStacked: false, depths: names.length }
}

/**
 * An embedder whose rows have room for all depths, for a decoder graph that takes them; the embedder as it is for one
 * that takes none. Throws `model_not_available` where the graph takes them in a form that is not known.
 */
export function withDeepStack({ Tensor: Make }: Runtime, embedder: Embedder, inputs: readonly SessionValue[], graphName: string): Embedder {
  const { names, isStacked, depths } = deepStackValues(inputs, graphName)
  if (depths === 0) return embedder
  const { width } = embedder
  for (const { name, type, shape } of inputs.filter((input) => names.includes(input.name))) {
    const isKnown = type === 'float32' && shape.length === (isStacked ? 4 : 3) && shape.at(-1) === width
    if (isKnown && depths !== null) continue
    const expected = isStacked ? `[depths, batch, sequence, ${width}]` : `[batch, sequence, ${width}]`
    const message = `${graphName} takes ${name} as ${type} [${shape.join(', ')}], float32 ${expected} was expected`
    throw new EngineError('model_not_available', `${message}; take another export of this model`)
  }
  const parts = 1 + (depths as number)
  return {
    ...embedder,
    width: parts * width,
    featureWidth: parts * width,
    async embed(ids) {
      const own = await embedder.embed(ids)
      const rows = new Float32Array(own.length * parts)
      for (let i = 0; i < ids.length; i++) rows.set(own.subarray(i * width, (i + 1) * width), i * parts * width)
      return rows
    },
    feeds(data, rows, tokens) {
      const all = rows * tokens
      const apart = transposed(data, all, parts, width)
      const part = (at: number, to = at + 1): Float32Array => apart.subarray(at * all * width, to * all * width)
      const dims = [rows, tokens, width]
      const feeds: Feeds = embedder.feeds(part(0), rows, tokens)
      for (const [depth, name] of names.entries()) {
        feeds[name] = isStacked ? new Make('float32', part(1, parts), [parts - 1, ...dims]) : new Make('float32', part(1 + depth), dims)
      }
      return feeds
    },
  }
}

/** Features of a picture, and those of other depths as the encoder gave them, to rows: [token][part][width]. */
export function rowsOfDepths(own: Float32Array, depths: readonly Tensor[], tokens: number): Float32Array {
  if (depths.length === 0) return own
  const parts = [own, ...depths.map(({ data }) => data as Float32Array)]
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return transposed(all, all.length / own.length, tokens, own.length / tokens)
}

/** [a][b][width] to [b][a][width]. */
function transposed(data: Float32Array, a: number, b: number, width: number): Float32Array {
  const out = new Float32Array(data.length)
  for (let i = 0; i < a; i++) {
    for (let j = 0; j < b; j++) out.set(data.subarray((i * b + j) * width, (i * b + j + 1) * width), (j * a + i) * width)
  }
  return out
}
