// Weights of a graph as its file holds them (TensorProto), small ones as numbers.
import { TENSOR } from '../onnx-fields.ts'
import { lengthField, readFields, textField, textOf, varintField } from '../protobuf.ts'

/** TensorProto.data_type */
export const FLOAT = 1
export const UINT8 = 2
export const INT64 = 7
export const BOOL = 9
export const FLOAT16 = 10

export const tensorName = (tensor: Uint8Array): string => textOf(readFields(tensor).find(({ number }) => number === TENSOR.name)?.body)

export function tensorDims(tensor: Uint8Array): number[] {
  return readFields(tensor).flatMap(({ number, body, value }) => {
    if (number !== TENSOR.dims) return []
    // Sizes are one field each, or all packed into one.
    return body === null ? [value ?? 0] : packed(body)
  })
}

/** Null for other types, and for values that are not written as bytes. */
export function tensorValues(tensor: Uint8Array): number[] | null {
  const fields = readFields(tensor)
  const type = fields.find(({ number }) => number === TENSOR.type)?.value
  const raw = fields.find(({ number }) => number === TENSOR.raw)?.body
  if (!raw) return null
  if (type === UINT8) return [...raw]
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength)
  if (type === FLOAT) return Array.from({ length: raw.byteLength / 4 }, (_, i) => view.getFloat32(4 * i, true))
  if (type === INT64) return Array.from({ length: raw.byteLength / 8 }, (_, i) => Number(view.getBigInt64(8 * i, true)))
  return null
}

function packed(body: Uint8Array): number[] {
  const values: number[] = []
  let value = 0
  let scale = 1
  for (const byte of body) {
    value += (byte & 127) * scale
    scale *= 128
    if (byte < 128) {
      values.push(value)
      value = 0
      scale = 1
    }
  }
  return values
}

export function tensorParts(name: string, type: number, dims: readonly number[], values: readonly number[]): Uint8Array[] {
  const raw =
    type === FLOAT
      ? Float32Array.from(values)
      : type === UINT8
        ? Uint8Array.from(values)
        : BigInt64Array.from(values, (value) => BigInt(value))
  return [
    ...dims.map((size) => varintField(TENSOR.dims, size)),
    varintField(TENSOR.type, type),
    textField(TENSOR.name, name),
    ...lengthField(TENSOR.raw, [new Uint8Array(raw.buffer)]),
  ]
}
