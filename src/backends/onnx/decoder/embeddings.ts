// Rows of embeddings to the tensor that a decoder graph takes: the embeddings themselves, or the ids where rows hold
// ids.
import type { Runtime, Tensor } from '../runtime/session.ts'
import type { Embedder } from './contract.ts'

/** `data` is [row][token][width]. */
export function rowsFor(embedder: Embedder, Make: Runtime['Tensor'], data: Float32Array, rows: number, tokens: number): Tensor {
  return embedder.input === 'input_ids'
    ? new Make('int64', BigInt64Array.from(data, BigInt), [rows, tokens])
    : new Make('float32', data, [rows, tokens, embedder.width])
}
