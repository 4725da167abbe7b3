// Vectors as short text: a scale and 16-bit integers in base64, a fifth of the size of JSON. The error is at most
// 1/65,534 of the largest value.
import { EngineError } from '../../core/errors.ts'

const HIGHEST = 32_767

/**
 * A vector as base64 of [float32 step, int16 …], little endian, where value = step × integer. Throws
 * `internal_error` on values that are not finite.
 */
export function encodeVector(values: ArrayLike<number>): string {
  let most = 0
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i] as number))
  // NaN fails every comparison, so it is looked for apart.
  if (!Number.isFinite(most) || Array.from(values).some(Number.isNaN)) {
    throw new EngineError('internal_error', 'a vector to be stored holds values that are not finite')
  }
  const step = Math.fround(most / HIGHEST)
  const bytes = Buffer.alloc(4 + 2 * values.length)
  bytes.writeFloatLE(step, 0)
  for (let i = 0; i < values.length; i++) {
    const integer = step === 0 ? 0 : Math.round((values[i] as number) / step)
    bytes.writeInt16LE(Math.max(-HIGHEST, Math.min(HIGHEST, integer)), 4 + 2 * i)
  }
  return bytes.toString('base64')
}

/** The vector of a text from `encodeVector`. Throws `invalid_request` on anything else. */
export function decodeVector(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  const step = bytes.length >= 4 ? bytes.readFloatLE(0) : Number.NaN
  if (bytes.length % 2 !== 0 || !Number.isFinite(step) || bytes.toString('base64') !== text) {
    throw new EngineError('invalid_request', `a stored vector of ${text.length} characters is not whole; take the file as it was written`)
  }
  return Float32Array.from({ length: bytes.length / 2 - 2 }, (_, i) => step * bytes.readInt16LE(4 + 2 * i))
}
