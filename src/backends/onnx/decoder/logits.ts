// Rows of a logits tensor as arrays of their own.
import { EngineError } from '../../../core/errors.ts'
import type { Tensor } from '../runtime/session.ts'

/** The last `count` rows of [1][rows][vocabulary]. */
export function rowsOf(logits: Tensor, count: number): Float32Array[] {
  const [, rows = 0, vocabulary = 0] = logits.dims
  const data = logits.data as Float32Array
  if (rows < count) throw new EngineError('internal_error', `the model gave logits for ${rows} tokens, ${count} were asked for`)
  return Array.from({ length: count }, (_, i) => data.slice((rows - count + i) * vocabulary, (rows - count + i + 1) * vocabulary))
}
