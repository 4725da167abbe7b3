// A text to a fixed stream of numbers that look random, with SHA-256 as the seed.
import { createHash } from 'node:crypto'
import { seededRandom } from '../../core/random.ts'

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

/** A stream from a hash: 32 bits of it are plenty for a fake. */
export function randomFrom(hash: string): Random {
  const next = seededRandom(Number.parseInt(hash.slice(0, 8), 16))
  return { next, below: (count) => Math.floor(next() * count) }
}
