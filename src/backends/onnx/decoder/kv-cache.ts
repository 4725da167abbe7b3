// What a decoder has read, and where a cascade decoder keeps it: keys and values of all tokens in buffers with room to grow. A past is the first so many
// tokens of its buffers and never changes: what is read behind it is written behind it. Where another has written there before, the past is copied first,
// so any number of continuations may start from one.
export interface Past {
  readonly length: number
  /** Of memory that is kept for it. */
  readonly bytes: number
}

/** Numbers of one token in one head of a layer, and how many heads there are. Keys have one more, zero but for the key in front (patches/cascade.ts). */
export interface Layout {
  readonly layers: number
  readonly heads: number
  readonly size: number
}

interface Store {
  readonly capacity: number
  /** Tokens that are written: what is behind is free. */
  filled: number
  /** [layer], each [1 + capacity][head][size + 1]. */
  readonly keys: readonly Float32Array[]
  /** [layer], each [1 + capacity][head][size]. */
  readonly values: readonly Float32Array[]
}

export interface StoredPast extends Past {
  readonly store: Store
}

/** Room that is made for what is read behind a past for a while: a question, its answer. Most of it, and its share of a long past. */
const SPARE = 128
const SPARE_SHARE = 1 / 8

const keyWidth = ({ heads, size }: Layout): number => heads * (size + 1)
const valueWidth = ({ heads, size }: Layout): number => heads * size

function makeStore(layout: Layout, capacity: number): Store {
  const { layers, heads, size } = layout
  const buffers = (width: number): Float32Array[] => Array.from({ length: layers }, () => new Float32Array((1 + capacity) * width))
  const store = { capacity, filled: 0, keys: buffers(keyWidth(layout)), values: buffers(valueWidth(layout)) }
  // The key in front, whose score is its last column alone.
  for (const keys of store.keys) for (let head = 0; head < heads; head++) keys[head * (size + 1) + size] = 1
  return store
}

function pastOf(store: Store, length: number): StoredPast {
  let bytes = 0
  for (const buffer of [...store.keys, ...store.values]) bytes += buffer.byteLength
  return { length, bytes, store }
}

function copied(layout: Layout, { store, length }: StoredPast, capacity: number): StoredPast {
  const copy = makeStore(layout, capacity)
  const [ofKeys, ofValues] = [keyWidth(layout), valueWidth(layout)]
  store.keys.forEach((keys, layer) => {
    copy.keys[layer]?.set(keys.subarray(0, (1 + length) * ofKeys))
    copy.values[layer]?.set((store.values[layer] as Float32Array).subarray(0, (1 + length) * ofValues))
  })
  copy.filled = length
  return pastOf(copy, length)
}

export const emptyPast = (layout: Layout): StoredPast => pastOf(makeStore(layout, 0), 0)

/** Keys and values of a layer, as the graph takes them; not copied. */
export function layerOf(layout: Layout, { store, length }: StoredPast, layer: number): { keys: Float32Array; values: Float32Array } {
  const [keys, values] = [store.keys[layer] as Float32Array, store.values[layer] as Float32Array]
  return { keys: keys.subarray(0, (1 + length) * keyWidth(layout)), values: values.subarray(0, (1 + length) * valueWidth(layout)) }
}

/** The past with new tokens behind it, [layer] each [token][head][size]. `room`: tokens that will be held in the end, where that is known. */
export function appended(
  layout: Layout,
  past: StoredPast,
  keys: readonly Float32Array[],
  values: readonly Float32Array[],
  room: number,
): StoredPast {
  const { size } = layout
  const width = valueWidth(layout)
  const count = (values[0]?.length ?? 0) / width
  const length = past.length + count
  // Where all of it will not fit, none of it takes the room of others.
  const isFree = past.store.filled === past.length && Math.max(length, room) <= past.store.capacity
  const { store } = isFree
    ? past
    : copied(layout, past, room >= length ? room + Math.min(SPARE, Math.floor(room * SPARE_SHARE)) : length + SPARE)
  for (let layer = 0; layer < layout.layers; layer++) {
    store.values[layer]?.set(values[layer] as Float32Array, (1 + past.length) * width)
    const [to, from] = [store.keys[layer] as Float32Array, keys[layer] as Float32Array]
    let at = (1 + past.length) * keyWidth(layout)
    // Each key, and a zero behind it.
    for (let source = 0; source < from.length; ) {
      for (let i = 0; i < size; i++) to[at++] = from[source++] as number
      to[at++] = 0
    }
  }
  store.filled = length
  return pastOf(store, length)
}

/** Gives back the room of what was read behind `base`, and that nobody needs any more, if it is the last that was. */
export function released({ length, store }: StoredPast, base: StoredPast): void {
  if (store === base.store && store.filled === length) store.filled = Math.min(length, base.length)
}

/** The first tokens of a past. Shares its memory, unless most of that would be kept for nothing. */
export function cut(layout: Layout, past: StoredPast, length: number): StoredPast {
  if (length >= past.length) return past
  return length * 2 < past.store.capacity ? copied(layout, { ...past, length }, length) : pastOf(past.store, length)
}
