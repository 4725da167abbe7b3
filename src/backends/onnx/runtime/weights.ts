// Where a graph file says that its weights are, read without loading any: their names, shapes and places. A graph from
// elsewhere may name files outside of its folder, sizes that no file has, or shapes that would fill the memory, so this
// is checked before the runtime sees the file.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EngineError } from '../../../core/errors.ts'
import type { GraphFile } from './layout.ts'
import { ATTRIBUTE, GRAPH, MODEL, NODE, TENSOR } from './onnx-fields.ts'

export interface Weight {
  readonly name: string
  /** Bytes that its shape asks for; null for texts and unknown types. */
  readonly bytes: number | null
  /** Bytes of its values within the graph file. */
  readonly inside: number
  /** The values are in a file beside the graph; `length` is null when they go on to its end. */
  readonly external: { readonly location: string; readonly offset: number; readonly length: number | null } | null
}

/** Bits of a number by TensorProto.data_type. */
const BITS: Readonly<Record<number, number>> = {
  1: 32, // float
  2: 8, // uint8
  3: 8, // int8
  4: 16, // uint16
  5: 16, // int16
  6: 32, // int32
  7: 64, // int64
  9: 8, // bool
  10: 16, // float16
  11: 64, // double
  12: 32, // uint32
  13: 64, // uint64
  14: 64, // complex64
  15: 128, // complex128
  16: 16, // bfloat16
  17: 8, // float8, four kinds
  18: 8,
  19: 8,
  20: 8,
  21: 4, // uint4
  22: 4, // int4
  23: 4, // float4
  24: 8, // float8e8m0
  25: 2, // uint2
  26: 2, // int2
}

const TYPED: readonly number[] = [TENSOR.floats, TENSOR.ints, TENSOR.strings, TENSOR.longs, TENSOR.doubles, TENSOR.uints]

/** Graphs stand in nodes of graphs (If, Loop); published models have two levels. */
const DEEPEST = 16
/** Texts within a weight: its name, and the place of its values. */
const LONGEST_TEXT = 4096
/** Weights may share values, so they may ask for more than there is; this much more. */
const MOST_SHARING = 4
const SHARING_SLACK = 64 * 2 ** 20

/**
 * The weights of a graph file, those of graphs within its nodes included. Values are skipped, so this takes
 * milliseconds whatever the size. Throws RangeError when the file is no such message.
 */
export function readWeights(path: string): Weight[] {
  const file = openSync(path, 'r')
  try {
    return [...weightsIn(new FileWindow(file))]
  } finally {
    closeSync(file)
  }
}

/**
 * Holds the weights of a graph against the files that are there. Throws `model_not_available` when the graph file is
 * not whole, takes weights from outside of its folder or from a file that is missing or too short, or says shapes that
 * its values do not have.
 */
export function requireSoundWeights(graph: Pick<GraphFile, 'path' | 'files'>): void {
  const file = graph.files[0] as string
  const refuse = (what: string): never => {
    throw new EngineError('model_not_available', what)
  }
  const sizes = new Map<string, number>()
  let [asked, there] = [0, statSync(graph.path).size]
  const sizeOf = (location: string): number => {
    const known = sizes.get(location)
    if (known !== undefined) return known
    if (!isInside(location)) {
      const message = `${file} takes weights from outside of the folder, by a link or by their path; copy them beside it`
      refuse(`${message}, or download the folder without links`)
    }
    const found = statSync(join(dirname(graph.path), location), { throwIfNoEntry: false })
    if (found?.isFile() !== true) refuse(`${file} takes weights from ${location}, which is not beside it; download the whole repository`)
    const size = found?.size ?? 0
    sizes.set(location, size)
    there += size
    return size
  }
  for (const { name, bytes, inside, external } of weightsOrRefuse(graph.path, file)) {
    if (bytes === null) continue
    asked += bytes
    if (external === null) {
      // Typed values take at least a byte each, and no more than their type but for integers.
      if (inside * 8 < bytes) refuse(`${file} has ${inside} bytes for ${name}, whose shape asks for ${bytes}; download it again`)
      continue
    }
    const { location, offset, length } = external
    const size = sizeOf(location)
    const end = offset + (length ?? bytes)
    if (end > size)
      refuse(
        `${location} beside ${file} has ${size} bytes, and ${name} would end at byte ${end}; check that the file is whole, or download it again`,
      )
    if ((length ?? bytes) < bytes)
      refuse(`${file} says that ${name} has ${length} bytes, and its shape asks for ${bytes}; download it again`)
  }
  if (asked > there * MOST_SHARING + SHARING_SLACK)
    refuse(`${file} has weights of ${asked} bytes in files of ${there}; such a file is made to fill the memory, so take another one`)
}

function weightsOrRefuse(path: string, file: string): Weight[] {
  try {
    return readWeights(path)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    const message = `${file} could not be loaded; check that the file is whole: ${cause.message}`
    throw new EngineError('model_not_available', message, { cause })
  }
}

/** Whether a place of weights stays beside the graph: a relative path without steps up. */
export function isInside(location: string): boolean {
  return location !== '' && !/^[\\/]|^[a-z]:|\\|\0/i.test(location) && !location.split('/').some((part) => part === '..' || part === '')
}

/** A stretch of the file: where a message begins and ends. */
interface Stretch {
  readonly start: number
  readonly end: number
}

interface FileField extends Stretch {
  readonly number: number
  /** Of a varint field, else null. */
  readonly value: number | null
}

function* weightsIn(file: FileWindow): Generator<Weight> {
  for (const field of file.fields({ start: 0, end: file.size })) if (field.number === MODEL.graph) yield* inGraph(file, field, 0)
}

function* inGraph(file: FileWindow, graph: Stretch, depth: number): Generator<Weight> {
  if (depth > DEEPEST) throw new RangeError(`graphs stand in graphs more than ${DEEPEST} deep`)
  for (const part of file.fields(graph)) {
    if (part.number === GRAPH.initializer) yield readWeight(file, part)
    if (part.number !== GRAPH.node) continue
    for (const attribute of file.fields(part)) {
      if (attribute.number !== NODE.attribute) continue
      for (const { number, ...value } of file.fields(attribute)) {
        if (number === ATTRIBUTE.tensor || number === ATTRIBUTE.tensors) yield readWeight(file, value)
        if (number === ATTRIBUTE.graph || number === ATTRIBUTE.graphs) yield* inGraph(file, value, depth + 1)
      }
    }
  }
}

function readWeight(file: FileWindow, tensor: Stretch): Weight {
  const dims: number[] = []
  const places = new Map<string, string>()
  let [type, name, inside] = [0, '', 0]
  for (const field of file.fields(tensor)) {
    const { number, value, start, end } = field
    if (number === TENSOR.dims) dims.push(...(value === null ? file.varints(field) : [value]))
    else if (number === TENSOR.type) type = value ?? 0
    else if (number === TENSOR.name) name = file.text(field)
    else if (number === TENSOR.external) {
      const [key, place] = [1, 2].map((wanted) => [...file.fields(field)].find((part) => part.number === wanted))
      places.set(key === undefined ? '' : file.text(key), place === undefined ? '' : file.text(place))
    } else if (number === TENSOR.raw || TYPED.includes(number)) inside += end - start
  }
  const bits = BITS[type]
  const count = dims.reduce((product, size) => product * size, 1)
  if (!dims.every((size) => Number.isSafeInteger(size) && size >= 0) || !(count <= 2 ** 46))
    throw new RangeError(`${name} has the shape ${dims.join(' x ')}`)
  const bytes = bits === undefined ? null : Math.ceil((count * bits) / 8)
  if (places.size === 0) return { name, bytes, inside, external: null }
  const numberAt = (key: string): number | null => {
    const text = places.get(key)
    if (text === undefined) return null
    if (!/^\d{1,15}$/.test(text)) throw new RangeError(`${name} has the ${key} ${JSON.stringify(text)}`)
    return Number(text)
  }
  const external = { location: places.get('location') ?? '', offset: numberAt('offset') ?? 0, length: numberAt('length') }
  return { name, bytes, inside, external }
}

const WINDOW_BYTES = 1 << 18

/** A part of a file in memory, which moves along as fields are read; values that nobody reads are stepped over. */
class FileWindow {
  readonly size: number
  readonly #file: number
  readonly #bytes = Buffer.alloc(WINDOW_BYTES)
  #from = 0
  #to = 0

  constructor(file: number) {
    this.#file = file
    this.size = fstatSync(file).size
  }

  /** The fields of a message. `start` and `end` are those of their contents. Throws RangeError. */
  *fields({ start, end }: Stretch): Generator<FileField> {
    let at = start
    while (at < end) {
      const key = this.#varint(at, end)
      const kind = key.value % 8
      let [from, to, value]: [number, number, number | null] = [key.end, key.end, null]
      if (kind === 0) {
        const read = this.#varint(from, end)
        value = read.value
        to = read.end
      } else if (kind === 1) to = from + 8
      else if (kind === 5) to = from + 4
      else if (kind === 2) {
        const length = this.#varint(from, end)
        from = length.end
        to = from + length.value
      } else throw new RangeError(`wire type ${kind} at byte ${at} is not known`)
      if (to > end) throw new RangeError(`the field at byte ${at} runs over the end`)
      yield { number: Math.floor(key.value / 8), start: from, end: to, value }
      at = to
    }
  }

  /** Numbers that are packed into one field. */
  varints({ start, end }: Stretch): number[] {
    const numbers: number[] = []
    for (let at = start; at < end; ) {
      const read = this.#varint(at, end)
      numbers.push(read.value)
      at = read.end
    }
    return numbers
  }

  text({ start, end }: Stretch): string {
    if (end - start > LONGEST_TEXT) throw new RangeError(`the text at byte ${start} has ${end - start} bytes`)
    const bytes = Buffer.alloc(end - start)
    readSync(this.#file, bytes, 0, bytes.length, start)
    return bytes.toString('utf8')
  }

  #varint(start: number, end: number): { value: number; end: number } {
    let value = 0
    let at = start
    for (let scale = 1; ; scale *= 128) {
      if (at >= end || at - start > 9) throw new RangeError(`the number at byte ${start} runs over the end`)
      const byte = this.#byte(at++)
      value += (byte & 127) * scale
      if (byte < 128) return { value, end: at }
    }
  }

  #byte(at: number): number {
    if (at < this.#from || at >= this.#to) {
      this.#from = at
      this.#to = at + readSync(this.#file, this.#bytes, 0, WINDOW_BYTES, at)
      if (this.#to === at) throw new RangeError(`the file ends at byte ${at}`)
    }
    return this.#bytes[at - this.#from] as number
  }
}
