// Small vocabularies and seeded logits for tests of constraints.
import type { Vocabulary } from '../../src/constraint/token-trie.ts'

/** All 256 bytes, then the words; the last id is a control token without bytes, for the end. */
export function vocabularyOf(words: readonly string[]): { vocabulary: Vocabulary; end: number } {
  const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
  const vocabulary = [...bytes, ...words.map((word) => new TextEncoder().encode(word)), null]
  return { vocabulary, end: vocabulary.length - 1 }
}

/** Numbers in [0, 1) that a seed decides (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** A model that knows nothing: logits drawn anew at each call; `endBias` is added at the end token. */
export function randomModel(seed: number, size: number, end: number, endBias: number): () => Promise<Float32Array> {
  const draw = seeded(seed)
  return async () => {
    const logits = Float32Array.from({ length: size }, () => 10 * draw())
    logits[end] = (logits[end] as number) + endBias
    return logits
  }
}
