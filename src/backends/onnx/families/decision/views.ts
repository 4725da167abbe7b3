// What the questions of a pass see of a state: all of it, or all but the images they are not about. A part is a state of fewer tokens, so the graph
// needs no mask, and passes over it cost less.
import type { Runtime, Tensor } from '../../runtime/session.ts'
import { dataOf, floats, ints, takeRows } from '../../runtime/tensors.ts'
import type { PackedState } from './pack.ts'

/** What the state encoder made of a state, held once: every pass reads these. */
export interface EncodedState {
  /** By the names of the branch reader's inputs. */
  readonly feeds: Readonly<Record<string, Tensor>>
  /** [S][128] each: what a first token looks for, and what a last token offers. */
  readonly endQueries: Float32Array
  readonly endKeys: Float32Array
  readonly endWidth: number
  readonly bytes: number
}

export interface View {
  /** What the branch reader takes of the state. */
  readonly feeds: Readonly<Record<string, Tensor>>
  /** The tokens of the state that are in it, in order; null for all. */
  readonly kept: Int32Array | null
}

/** The whole state. */
export function wholeView(ort: Runtime, packed: PackedState, encoded: EncodedState): View {
  return {
    feeds: { ...encoded.feeds, previous: ints(ort, previousOf(packed), [packed.ids.length]) },
    kept: null,
  }
}

/** Per token of the state 1 for what a question about this image does not see, 0 for the rest. */
export function hiddenFrom(packed: PackedState, image: string | null): Uint8Array {
  const isHidden = new Uint8Array(packed.ids.length)
  if (image !== null) for (const { id, from, to } of packed.images) if (id !== image) isHidden.fill(1, from, to)
  return isHidden
}

/** Without the cells and words of all images but this one. Its keys and values are copies: only that of the last image that was asked about is held. */
function partView(ort: Runtime, packed: PackedState, encoded: EncodedState, image: string): View {
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

/** [S][width] rows, or keys and values [1][heads][S + 1][width], whose last row is kept; what has no row a token stays as it is. */
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

/** The token before each: what was written is likely copied from behind its like. */
function previousOf({ ids }: PackedState): Int32Array {
  const previous = new Int32Array(ids.length).fill(-1)
  previous.set(ids.slice(0, -1), 1)
  return previous
}

/** Logit of what a question does not see. */
const UNSEEN = -1e4

/** Numbers of a view's tokens as numbers of the state's. */
export function spread(values: Float32Array, { kept }: View, length: number): Float32Array {
  if (kept === null) return values
  const all = new Float32Array(length).fill(UNSEEN)
  kept.forEach((token, i) => {
    all[token] = values[i] as number
  })
  return all
}

/** The part that was looked at last: the passes of one image come one after the other, and only one copy of a state is held at a time. */
export class PartViews {
  #last: { readonly encoded: EncodedState; readonly image: string; readonly view: View } | null = null

  of(ort: Runtime, packed: PackedState, encoded: EncodedState, image: string): View {
    if (this.#last?.encoded !== encoded || this.#last.image !== image) {
      this.#last = { encoded, image, view: partView(ort, packed, encoded, image) }
    }
    return this.#last.view
  }

  clear(): void {
    this.#last = null
  }
}
