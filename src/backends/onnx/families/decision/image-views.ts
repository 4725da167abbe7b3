// The tokens of a state that the questions of a pass attend to: all, or all but the images they are not about. A view
// of a part is a state of fewer tokens, so the graph needs no mask, and passes over it cost less.
import type { Runtime, Tensor } from '../../runtime/session.ts'
import { dataOf, floats, ints, takeRows } from '../../runtime/tensors.ts'
import type { PackedState } from './pack.ts'

/** The outputs of the state encoder, held once: every pass reads them. */
export interface EncodedState {
  /** By the names of the branch reader's inputs. */
  readonly feeds: Readonly<Record<string, Tensor>>
  /** [S][endWidth] each: the query of a first token of a span, and the key of a last one. */
  readonly endQueries: Float32Array
  readonly endKeys: Float32Array
  readonly endWidth: number
  readonly bytes: number
}

export interface StateView {
  /** Inputs of the branch reader. */
  readonly feeds: Readonly<Record<string, Tensor>>
  /** The tokens of the state that are in the view, in order; null for all. */
  readonly kept: Int32Array | null
}

/** The whole state. */
export function wholeView(ort: Runtime, packed: PackedState, encoded: EncodedState): StateView {
  return {
    feeds: { ...encoded.feeds, previous: ints(ort, previousOf(packed), [packed.ids.length]) },
    kept: null,
  }
}

/** Per token of the state, 1 where a question about this image does not attend to it, 0 elsewhere. */
export function hiddenFrom(packed: PackedState, image: string | null): Uint8Array {
  const isHidden = new Uint8Array(packed.ids.length)
  if (image !== null) for (const { id, from, to } of packed.images) if (id !== image) isHidden.fill(1, from, to)
  return isHidden
}

/** The state without the cells and words of all images but this one. Its keys and values are copies. */
function imageView(ort: Runtime, packed: PackedState, encoded: EncodedState, image: string): StateView {
  const isHidden = hiddenFrom(packed, image)
  const kept = Int32Array.from(packed.ids.keys()).filter((token) => isHidden[token] === 0)
  const before = previousOf(packed)
  const feeds: Record<string, Tensor> = {
    previous: ints(
      ort,
      kept.map((token) => before[token] as number),
      [kept.length],
    ),
  }
  for (const [name, tensor] of Object.entries(encoded.feeds)) feeds[name] = partOf(ort, tensor, packed.ids.length, kept)
  return { feeds, kept }
}

/**
 * [S][width] rows, or keys and values [1][heads][S + 1][width], whose last row is kept. A tensor without a row per
 * token stays as it is.
 */
function partOf(ort: Runtime, tensor: Tensor, length: number, kept: Int32Array): Tensor {
  const { dims } = tensor
  const data = dataOf(tensor)
  const width = dims.at(-1) as number
  if (dims.length === 2) return floats(ort, takeRows(data, width, kept), [kept.length, width])
  if (dims.length !== 4) return tensor
  const heads = dims[1] as number
  const rows = Int32Array.from([...kept, length])
  const part = new Float32Array(heads * rows.length * width)
  for (let head = 0; head < heads; head++) {
    const whole = data.subarray(head * (length + 1) * width, (head + 1) * (length + 1) * width)
    part.set(takeRows(whole, width, rows), head * rows.length * width)
  }
  return floats(ort, part, [1, heads, rows.length, width])
}

/** The id of the token before each: written tokens are likely copied from behind tokens like themselves. */
function previousOf({ ids }: PackedState): Int32Array {
  const previous = new Int32Array(ids.length).fill(-1)
  previous.set(ids.slice(0, -1), 1)
  return previous
}

/** Logit of tokens outside a view. */
const MASKED_LOGIT = -1e4

/** Logits over the tokens of a view to logits over the tokens of the state. */
export function spreadLogits(values: Float32Array, { kept }: StateView, length: number): Float32Array {
  if (kept === null) return values
  const all = new Float32Array(length).fill(MASKED_LOGIT)
  kept.forEach((token, i) => {
    all[token] = values[i] as number
  })
  return all
}

/**
 * Holds the view of the image that was asked about last: passes about one image follow each other, and only one copy of
 * a state is held.
 */
export class ImageViews {
  #last: { readonly encoded: EncodedState; readonly image: string; readonly view: StateView } | null = null

  of(ort: Runtime, packed: PackedState, encoded: EncodedState, image: string): StateView {
    if (this.#last?.encoded !== encoded || this.#last.image !== image) {
      this.#last = { encoded, image, view: imageView(ort, packed, encoded, image) }
    }
    return this.#last.view
  }

  clear(): void {
    this.#last = null
  }
}
