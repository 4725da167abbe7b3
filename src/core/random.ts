// A seeded random number generator that gives the same numbers on every machine, for resampling, simulations and the
// fake backend.

/**
 * Numbers in [0, 1), the same ones for the same seed (mulberry32, period 2³²). Not for secrets.
 * @param seed taken modulo 2³².
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
