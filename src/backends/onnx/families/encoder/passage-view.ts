// The passages that some questions are asked about, put together: keys and values that questions attend to, and the
// tokens they are decided by.
import { joined } from '../../runtime/tensors.ts'
import type { AttentionShape, EncoderGraphs, EvidencePieces, KeptPieces, Memory } from './graphs.ts'
import type { Passage } from './passages.ts'

/** What was read of some pieces, wherever they stand. */
export interface EncodedPieces {
  /** [pieces + 2][W], its marks included. */
  readonly vectors: Float32Array
  readonly kept: KeptPieces
  /** Of its pieces without the marks. */
  readonly evidence: EvidencePieces
  /** [W] */
  readonly mean: Float32Array
}

/** A passage of a state that was read. */
export interface EncodedPassage extends Passage, EncodedPieces {}

export interface PassageView {
  readonly kept: KeptPieces
  readonly memory: Memory
  readonly means: readonly Float32Array[]
}

export function bytesOf({ vectors, kept, evidence, mean }: EncodedPieces): number {
  const bytes = (arrays: readonly Float32Array[]): number => arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return bytes([vectors, mean, evidence.keys, evidence.values]) + bytes(kept.keys) + bytes(kept.values)
}

/** Without its marks. */
export function withinMarks(vectors: Float32Array, width: number): Float32Array {
  return vectors.subarray(width, vectors.length - width)
}

/** `passages`: in reading order. */
export function passageView(graphs: EncoderGraphs, passages: readonly EncodedPieces[]): PassageView {
  const tokens = oneAfterOther(passages.map(({ vectors }) => withinMarks(vectors, graphs.shape.width)))
  const evidence = {
    keys: oneAfterOther(passages.map((passage) => passage.evidence.keys)),
    values: oneAfterOther(passages.map((passage) => passage.evidence.values)),
  }
  return {
    kept: joinedPieces(
      passages.map(({ kept }) => kept),
      graphs.shape,
    ),
    memory: graphs.memory(tokens, evidence),
    means: passages.map(({ mean }) => mean),
  }
}

/** Those of a single passage are not copied. */
const oneAfterOther = (arrays: readonly Float32Array[]): Float32Array =>
  arrays.length === 1 ? (arrays[0] as Float32Array) : joined(arrays)

/** Keys and values of one after the other; those of a single passage are not copied. */
function joinedPieces(all: readonly KeptPieces[], { heads, width }: AttentionShape): KeptPieces {
  if (all.length === 1) return all[0] as KeptPieces
  const count = all.reduce((sum, kept) => sum + kept.count, 0)
  const join = (field: 'keys' | 'values'): Float32Array[] =>
    (all[0] as KeptPieces)[field].map((_, layer) => {
      const out = new Float32Array(count * width)
      let at = 0
      for (let head = 0; head < heads; head++) {
        for (const kept of all) {
          const size = kept.count * (width / heads)
          out.set((kept[field][layer] as Float32Array).subarray(head * size, (head + 1) * size), at)
          at += size
        }
      }
      return out
    })
  return { count, keys: join('keys'), values: join('values') }
}

/** The cosine of two vectors; 0 where one is nothing. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, squareA, squareB] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number]
    dot += x * y
    squareA += x * x
    squareB += y * y
  }
  return squareA > 0 && squareB > 0 ? dot / Math.sqrt(squareA * squareB) : 0
}
