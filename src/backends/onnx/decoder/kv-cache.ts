// The KV cache of a decoder: keys and values of the tokens it has read, in buffers with room to grow. A cache is the
// first so many tokens of its buffers and never changes: what is read behind it is written behind it. Where another
// cache has written there before, the buffers are copied first, so any number of continuations may start from one
// cache.
import { type AxisPositions, appendedPositions, positionsBetween } from './positions.ts'

export interface KvCache {
  /** Tokens. */
  readonly length: number
  /** Bytes of memory it keeps. */
  readonly bytes: number
  /** Of its tokens, where images among them stand in rows and columns; null where tokens are counted. */
  readonly positions: AxisPositions | null
}

/**
 * Numbers of one token in one head of a layer, and how many heads there are. Keys have one more number, which is zero
 * (patches/cascade.ts).
 */
export interface KvLayout {
  readonly layers: number
  readonly heads: number
  readonly size: number
}

interface KvBuffers {
  readonly capacity: number
  /** Tokens that are written; the room behind them is free. */
  filled: number
  /** [layer], each [1 + capacity][head][size + 1]. */
  readonly keys: readonly Float32Array[]
  /** [layer], each [1 + capacity][head][size]. */
  readonly values: readonly Float32Array[]
}

export interface BufferedKvCache extends KvCache {
  readonly buffers: KvBuffers
}

/**
 * Spare room for a question and its answer behind a state: at most so many tokens, and at most this share of a known
 * length.
 */
const SPARE_TOKENS = 128
const SPARE_SHARE = 1 / 8

const keyWidth = ({ heads, size }: KvLayout): number => heads * (size + 1)
const valueWidth = ({ heads, size }: KvLayout): number => heads * size

function makeBuffers(layout: KvLayout, capacity: number): KvBuffers {
  const { layers, heads, size } = layout
  const arrays = (width: number): Float32Array[] => Array.from({ length: layers }, () => new Float32Array((1 + capacity) * width))
  const buffers = { capacity, filled: 0, keys: arrays(keyWidth(layout)), values: arrays(valueWidth(layout)) }
  // The first key of each buffer scores by its last column alone.
  for (const keys of buffers.keys) for (let head = 0; head < heads; head++) keys[head * (size + 1) + size] = 1
  return buffers
}

function cacheOf(buffers: KvBuffers, length: number, positions: AxisPositions | null): BufferedKvCache {
  let bytes = 0
  for (const array of [...buffers.keys, ...buffers.values]) bytes += array.byteLength
  return { length, bytes, positions, buffers }
}

function copied(layout: KvLayout, { buffers, length, positions }: BufferedKvCache, capacity: number): BufferedKvCache {
  const copy = makeBuffers(layout, capacity)
  const [ofKeys, ofValues] = [keyWidth(layout), valueWidth(layout)]
  buffers.keys.forEach((keys, layer) => {
    copy.keys[layer]?.set(keys.subarray(0, (1 + length) * ofKeys))
    copy.values[layer]?.set((buffers.values[layer] as Float32Array).subarray(0, (1 + length) * ofValues))
  })
  copy.filled = length
  return cacheOf(copy, length, positions)
}

export const emptyCache = (layout: KvLayout): BufferedKvCache => cacheOf(makeBuffers(layout, 0), 0, null)

/** Keys and values of a layer, as the graph takes them; not copied. */
export function layerOf(
  layout: KvLayout,
  { buffers, length }: BufferedKvCache,
  layer: number,
): { keys: Float32Array; values: Float32Array } {
  const [keys, values] = [buffers.keys[layer] as Float32Array, buffers.values[layer] as Float32Array]
  return { keys: keys.subarray(0, (1 + length) * keyWidth(layout)), values: values.subarray(0, (1 + length) * valueWidth(layout)) }
}

/**
 * The cache with new tokens behind it; keys and values are [layer], each [token][head][size]. `room`: tokens it will
 * hold in the end, or 0. `given`: positions of the new tokens, which are counted where there are none.
 */
export function appended(
  layout: KvLayout,
  cache: BufferedKvCache,
  keys: readonly Float32Array[],
  values: readonly Float32Array[],
  room: number,
  given: AxisPositions | null = null,
): BufferedKvCache {
  const { size } = layout
  const width = valueWidth(layout)
  const count = (values[0]?.length ?? 0) / width
  const length = cache.length + count
  // Where not all of it will fit, it is copied at once, and the room stays free for others.
  const isFree = cache.buffers.filled === cache.length && Math.max(length, room) <= cache.buffers.capacity
  const { buffers } = isFree
    ? cache
    : copied(layout, cache, room >= length ? room + Math.min(SPARE_TOKENS, Math.floor(room * SPARE_SHARE)) : length + SPARE_TOKENS)
  for (let layer = 0; layer < layout.layers; layer++) {
    buffers.values[layer]?.set(values[layer] as Float32Array, (1 + cache.length) * width)
    const [to, from] = [buffers.keys[layer] as Float32Array, keys[layer] as Float32Array]
    let at = (1 + cache.length) * keyWidth(layout)
    // Each key, and a zero behind it.
    for (let source = 0; source < from.length; ) {
      for (let i = 0; i < size; i++) to[at++] = from[source++] as number
      to[at++] = 0
    }
  }
  buffers.filled = length
  return cacheOf(buffers, length, appendedPositions(cache, count, given))
}

/** Frees the room that `cache` uses behind `base`, if nothing was written behind `cache`. */
export function release({ length, buffers }: BufferedKvCache, base: BufferedKvCache): void {
  if (buffers === base.buffers && buffers.filled === length) buffers.filled = Math.min(length, base.length)
}

/** The first tokens of a cache. They share its memory, unless more than half of that would be kept for nothing. */
export function truncated(layout: KvLayout, cache: BufferedKvCache, length: number): BufferedKvCache {
  if (length >= cache.length) return cache
  const positions = positionsBetween(cache.positions, 0, length)
  return length * 2 < cache.buffers.capacity
    ? copied(layout, { ...cache, length, positions }, length)
    : cacheOf(cache.buffers, length, positions)
}
