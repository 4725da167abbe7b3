// The two inner loops of resample.ts as WebAssembly with 128-bit vectors, assembled here: for a first screenshot their
// JavaScript took longer than the vision encoder. Sums are integers, so they are the same in any order and width.

/** Bytes past the end of a row that the loops may read and write; what they read there has weight zero. */
export const SLACK = 16
/** A weight is `high * 2 ** LOW_BITS + low`, since the widest products that are added in pairs have 16 bits. */
const LOW_BITS = 11
/** Bytes of a pair of weights: two high parts, two low parts, 16 bits each. */
export const PAIR = 8

export interface Kernels {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  /**
   * A row of RGB to `to` pixels at `out`. `firsts`: i32 byte offsets into the row; `weights`: `pairs` pairs for each
   * output pixel.
   */
  across(row: number, out: number, to: number, firsts: number, weights: number, pairs: number): void
  /**
   * Rows, whose i32 addresses are at `rows`, to one row of `bytes` bytes at `out`. `weights`: one pair for two rows.
   */
  down(rows: number, weights: number, pairs: number, out: number, bytes: number): void
}

/** Writes a pair of weights as the loops read it. */
export function putPair(view: DataView, at: number, first: number, second: number): void {
  const low = (1 << LOW_BITS) - 1
  view.setInt16(at, first >> LOW_BITS, true)
  view.setInt16(at + 2, second >> LOW_BITS, true)
  view.setInt16(at + 4, first & low, true)
  view.setInt16(at + 6, second & low, true)
}

type Code = readonly (number | Code)[]
const bytesOf = (code: Code): number[] => code.flatMap((part) => (typeof part === 'number' ? [part] : bytesOf(part)))

/** LEB128, unsigned and signed. */
const unsigned = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)])
const signed = (value: number): number[] => (value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)])
const sized = (code: Code): number[] => {
  const bytes = bytesOf(code)
  return [...unsigned(bytes.length), ...bytes]
}
const named = (name: string): number[] => sized([...new TextEncoder().encode(name)])

const I32 = 0x7f
const V128 = 0x7b
const END = 0x0b
const get = (local: number): Code => [0x20, local]
const set = (local: number, value: Code): Code => [value, 0x21, local]
const i32 = (value: number): Code => [0x41, signed(value)]
const add = (a: Code, b: Code): Code => [a, b, 0x6a]
const loadI32 = (address: Code, offset = 0): Code => [address, 0x28, 0, unsigned(offset)]
const storeI32 = (address: Code, value: Code): Code => [address, value, 0x36, 0, 0]
const advance = (local: number, by: number): Code => set(local, add(get(local), i32(by)))
/** Runs the body until `local`, counted down by `step`, is no longer above zero. */
const countDown = (local: number, step: number, body: Code): Code => {
  return [0x03, 0x40, body, advance(local, -step), get(local), i32(0), 0x4a, 0x0d, 0, END]
}

const vector = (operation: number): number[] => [0xfd, ...unsigned(operation)]
const load = (address: Code): Code => [address, vector(0x00), 0, 0]
const loadEight = (address: Code): Code => [address, vector(0x5d), 0, 0]
const loadSplat = (address: Code, offset: number): Code => [address, vector(0x09), 0, unsigned(offset)]
const store = (address: Code, value: Code): Code => [address, value, vector(0x0b), 0, 0]
const constant = (bytes: readonly number[]): Code => [vector(0x0c), bytes]
const splat = (value: number): Code => [i32(value), vector(0x11)]
const shuffle = (a: Code, b: Code, lanes: readonly number[]): Code => [a, b, vector(0x0d), lanes]
const swizzle = (a: Code, lanes: Code): Code => [a, lanes, vector(0x0e)]
const firstLane = (a: Code): Code => [a, vector(0x1b), 0]
const shiftLeft = (a: Code, bits: number): Code => [a, i32(bits), vector(0xab)]
const shiftRight = (a: Code, bits: number): Code => [a, i32(bits), vector(0xac)]
const addLanes = (a: Code, b: Code): Code => [a, b, vector(0xae)]
const dot = (a: Code, b: Code): Code => [a, b, vector(0xba)]
const narrowToI16 = (a: Code, b: Code): Code => [a, b, vector(0x85)]
const narrowToU8 = (a: Code, b: Code): Code => [a, b, vector(0x66)]
const lowHalf = (a: Code): Code => [a, vector(0x89)]
const highHalf = (a: Code): Code => [a, vector(0x8a)]

/** The levels of four sums in lanes of 32 bits, not yet clipped: narrowing does that. */
const levels = (high: number, low: number, precision: number): Code =>
  shiftRight(addLanes(shiftLeft(get(high), LOW_BITS), get(low)), precision)

/** Two pixels of three bytes to r r g g b b 0 0 of 16 bits; a lane past the end of the vector gives zero. */
const PIXEL_PAIR = [0, 0x80, 3, 0x80, 1, 0x80, 4, 0x80, 2, 0x80, 5, 0x80, 0x80, 0x80, 0x80, 0x80]

function acrossCode(precision: number): Code {
  const [row, out, to, firsts, weights, pairs, from, left, pixels, high, low] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const
  const pair: Code = [
    set(pixels, swizzle(loadEight(get(from)), constant(PIXEL_PAIR))),
    set(high, addLanes(get(high), dot(get(pixels), loadSplat(get(weights), 0)))),
    set(low, addLanes(get(low), dot(get(pixels), loadSplat(get(weights), 4)))),
    advance(from, 6),
    advance(weights, PAIR),
  ]
  const pixel: Code = [
    set(from, add(get(row), loadI32(get(firsts)))),
    set(high, splat(0)),
    set(low, splat(1 << (precision - 1))),
    set(left, get(pairs)),
    countDown(left, 1, pair),
    set(high, levels(high, low, precision)),
    set(high, narrowToI16(get(high), get(high))),
    // Four bytes: the last is written over by the next pixel.
    storeI32(get(out), firstLane(narrowToU8(get(high), get(high)))),
    advance(out, 3),
    advance(firsts, 4),
  ]
  const locals = [2, 2, I32, 3, V128]
  return sized([locals, countDown(to, 1, pixel), END])
}

function downCode(precision: number): Code {
  const [rows, weights, pairs, out, bytes, at, row, weight, left] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const
  const [a, b, highWeights, lowWeights, values] = [9, 10, 11, 12, 13] as const
  const [high, low] = [
    [14, 15, 16, 17],
    [18, 19, 20, 21],
  ] as const
  const interleaved = (from: number): number[] => Array.from({ length: 16 }, (_, i) => from + (i >> 1) + (i % 2) * 16)
  const four = (index: number, pixels: Code): Code => [
    set(values, pixels),
    set(high[index] as number, addLanes(get(high[index] as number), dot(get(values), get(highWeights)))),
    set(low[index] as number, addLanes(get(low[index] as number), dot(get(values), get(lowWeights)))),
  ]
  const pair: Code = [
    set(a, load(add(loadI32(get(row)), get(at)))),
    set(b, load(add(loadI32(get(row), 4), get(at)))),
    set(highWeights, loadSplat(get(weight), 0)),
    set(lowWeights, loadSplat(get(weight), 4)),
    four(0, lowHalf(shuffle(get(a), get(b), interleaved(0)))),
    four(1, highHalf(shuffle(get(a), get(b), interleaved(0)))),
    four(2, lowHalf(shuffle(get(a), get(b), interleaved(8)))),
    four(3, highHalf(shuffle(get(a), get(b), interleaved(8)))),
    advance(row, 8),
    advance(weight, PAIR),
  ]
  const level = (index: 0 | 1 | 2 | 3): Code => levels(high[index], low[index], precision)
  const sixteen: Code = [
    high.map((local) => set(local, splat(0))),
    low.map((local) => set(local, splat(1 << (precision - 1)))),
    set(row, get(rows)),
    set(weight, get(weights)),
    set(left, get(pairs)),
    countDown(left, 1, pair),
    store(add(get(out), get(at)), narrowToU8(narrowToI16(level(0), level(1)), narrowToI16(level(2), level(3)))),
    advance(at, 16),
  ]
  const locals = [2, 4, I32, 13, V128]
  return sized([locals, countDown(bytes, 16, sixteen), END])
}

function assemble(precision: number): Uint8Array<ArrayBuffer> {
  const section = (id: number, entries: readonly Code[]): Code => [id, sized([unsigned(entries.length), entries])]
  const type = (parameters: number): Code => [0x60, sized(Array.from({ length: parameters }, () => I32)), 0]
  const exported = (name: string, kind: number, index: number): Code => [named(name), kind, index]
  return Uint8Array.from(
    bytesOf([
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, [type(6), type(5)]),
      section(3, [[0], [1]]),
      section(5, [[0, 1]]),
      section(7, [exported('across', 0, 0), exported('down', 0, 1), exported('memory', 2, 0)]),
      section(10, [acrossCode(precision), downCode(precision)]),
    ]),
  )
}

/** The part of WebAssembly that is used; the types of Node lack it. */
interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

/**
 * The loops, for weights of so many bits; null where there is no WebAssembly or none with vectors (`--jitless`, old
 * processors).
 */
export function loadKernels(precision: number): Kernels | null {
  const api = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly
  if (api === undefined) return null
  const bytes = assemble(precision)
  return api.validate(bytes) ? (new api.Instance(new api.Module(bytes)).exports as Kernels) : null
}
