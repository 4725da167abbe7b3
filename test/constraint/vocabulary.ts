// Small vocabularies and seeded logits for tests of constraints.
import type { TokenVocabulary } from '../../src/constraint/token-trie.ts'
import { seededRandom } from '../../src/core/random.ts'

/** All 256 bytes, then the words; the last id is a control token without bytes, for the end. */
export function vocabularyOf(words: readonly string[]): { vocabulary: TokenVocabulary; end: number } {
  const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
  const vocabulary = [...bytes, ...words.map((word) => new TextEncoder().encode(word)), null]
  return { vocabulary, end: vocabulary.length - 1 }
}

/** A model that knows nothing: logits drawn anew at each call; `endBias` is added at the end token. */
export function randomModel(seed: number, size: number, end: number, endBias: number): () => Promise<Float32Array> {
  const draw = seededRandom(seed)
  return async () => {
    const logits = Float32Array.from({ length: size }, () => 10 * draw())
    logits[end] = (logits[end] as number) + endBias
    return logits
  }
}
