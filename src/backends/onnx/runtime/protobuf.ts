// A part of protobuf: changes a few fields of a message and leaves the rest, weights included, byte for byte as it was.
// Encoding: https://protobuf.dev/programming-guides/encoding/

/**
 * One field of a message: `raw` is all of its bytes (key, length, content), `body` its content when it has a length.
 */
export interface Field {
  readonly number: number
  readonly raw: Uint8Array
  readonly body: Uint8Array | null
  /** The value of a varint field, else null. */
  readonly value: number | null
}

const VARINT = 0
const FIXED64 = 1
const LENGTH = 2
const FIXED32 = 5

/** The fields of a message in their order. Throws RangeError when the bytes are not a message. */
export function readFields(message: Uint8Array): Field[] {
  const fields: Field[] = []
  let at = 0
  // Computed in numbers, not bit operations: lengths of models go beyond 32 bits.
  const varint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++]
      if (byte === undefined) throw new RangeError('a number runs over the end of the message')
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  while (at < message.length) {
    const start = at
    const key = varint()
    const kind = key % 8
    let body: Uint8Array | null = null
    let value: number | null = null
    if (kind === VARINT) value = varint()
    else if (kind === FIXED64) at += 8
    else if (kind === FIXED32) at += 4
    else if (kind === LENGTH) {
      const length = varint()
      body = message.subarray(at, at + length)
      at += length
    } else throw new RangeError(`wire type ${kind} at byte ${start} is not known`)
    if (at > message.length) throw new RangeError(`the field at byte ${start} runs over the end of the message`)
    fields.push({ number: Math.floor(key / 8), raw: message.subarray(start, at), body, value })
  }
  return fields
}

function encodeVarint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

export function varintField(number: number, value: number): Uint8Array {
  return Uint8Array.from([...encodeVarint(number * 8 + VARINT), ...encodeVarint(value)])
}

/** A varint field of any sign; negative numbers take all 64 bits. */
export function signedField(number: number, value: number): Uint8Array {
  if (value >= 0) return varintField(number, value)
  const bytes = encodeVarint(number * 8 + VARINT)
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return Uint8Array.from([...bytes, Number(rest)])
    bytes.push(Number(rest & 127n) + 128)
  }
}

export function floatField(number: number, value: number): Uint8Array {
  return Uint8Array.from([...encodeVarint(number * 8 + FIXED32), ...new Uint8Array(Float32Array.of(value).buffer)])
}

/**
 * A field with a length: a text, or a message in parts. Parts are not joined here, so that large ones are copied once
 * only.
 */
export function lengthField(number: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return [Uint8Array.from([...encodeVarint(number * 8 + LENGTH), ...encodeVarint(length)]), ...parts]
}

const encoder = new TextEncoder()

export function textField(number: number, text: string): Uint8Array {
  return concat(lengthField(number, [encoder.encode(text)]))
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

const decoder = new TextDecoder()

/** The content of a field as text; none is the empty text. */
export const textOf = (bytes: Uint8Array | null | undefined): string => decoder.decode(bytes ?? new Uint8Array(0))
