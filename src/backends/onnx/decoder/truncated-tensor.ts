// Keys or values of the first tokens of a cache, copied.
import type { Runtime, Tensor } from '../runtime/session.ts'

/** `tensor` is [batch][heads][token][size]. */
export function truncatedTensor(Make: Runtime['Tensor'], tensor: Tensor, length: number): Tensor {
  const [batch = 1, heads = 0, tokens = 0, size = 0] = tensor.dims
  const data = tensor.data as Float32Array | Uint16Array
  const shorter = data instanceof Float32Array ? new Float32Array(heads * length * size) : new Uint16Array(heads * length * size)
  for (let head = 0; head < heads; head++)
    shorter.set(data.subarray(head * tokens * size, (head * tokens + length) * size), head * length * size)
  return new Make(tensor.type as 'float32', shorter as Float32Array, [batch, heads, length, size])
}
