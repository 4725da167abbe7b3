// Arrays of numbers to the tensors a graph takes, and back.
import type { Runtime, Tensor } from './session.ts'

/** Whole numbers of 32 bits as int64, written as two halves each: a BigInt a number costs more than some passes do. */
export function ints(ort: Runtime, values: ArrayLike<number>, shape: readonly number[]): Tensor {
  const halves = new Int32Array(2 * values.length)
  const [low, high] = isLittleEndian ? [0, 1] : [1, 0]
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    halves[2 * i + low] = value
    halves[2 * i + high] = value >> 31
  }
  return new ort.Tensor('int64', new BigInt64Array(halves.buffer), shape)
}

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

export function floats(ort: Runtime, values: Float32Array, shape: readonly number[]): Tensor {
  return new ort.Tensor('float32', values, shape)
}

export function dataOf(tensor: Tensor | undefined): Float32Array {
  return tensor?.data as Float32Array
}

/** Copies some rows of a tensor with `width` numbers per row. */
export function takeRows(data: Float32Array, width: number, rows: ArrayLike<number>): Float32Array {
  const taken = new Float32Array(rows.length * width)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    taken.set(data.subarray(row * width, (row + 1) * width), i * width)
  }
  return taken
}

/** Concatenates arrays. */
export function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
