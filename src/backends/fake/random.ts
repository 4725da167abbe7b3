// Text to numbers that look random and never change: SHA-256 as the seed, mulberry32 as the stream.
import { createHash } from 'node:crypto'

/** 64 hex digits. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export interface Random {
  /** In [0, 1). */
  next(): number
  /** An integer in [0, count). */
  below(count: number): number
}

/** A stream from a hash. mulberry32 (public domain, T. Ettinger): 32 bits of state are plenty for a fake. */
export function randomFrom(hash: string): Random {
  let state = Number.parseInt(hash.slice(0, 8), 16)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, below: (count) => Math.floor(next() * count) }
}
