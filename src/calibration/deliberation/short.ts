// Decides up to which length all decisions are deliberated, however certain the first look is: a further look at a
// short text takes little time, and a first look at one is often certain and wrong. Chosen from the evidence, like the
// threshold.
import { mean, sum } from '../../core/math.ts'
import { percentileInterval, resampledMeans } from '../metrics/resampling.ts'
import type { GateCase, ShortGate } from './gate.ts'

export interface ShortOptions {
  /** What is above it is deliberated anyway. */
  readonly threshold: number
  /** The least gain of a decision of mean length, in nats: one that is half as long takes half the time. */
  readonly worth: number
  /** The most decisions that may be deliberated for their length. */
  readonly most: number
  readonly resamples: number
  readonly seed: number
}

/** Lengths that are tried, in tokens: 10 to 200. */
const LENGTHS = Array.from({ length: 20 }, (_, i) => 10 * (i + 1))
/** Fewer short decisions do not show what deliberation gains. */
const LEAST_SHORT = 100

/**
 * The length below which deliberation gains most beyond what it takes. Null where the short decisions do not gain that
 * on average, or gain nothing reliably: by the 1st percentile of a bootstrap over states.
 */
export function chooseShort(cases: readonly GateCase[], { threshold, worth, most, resamples, seed }: ShortOptions): ShortGate | null {
  const paired = cases.flatMap(({ gain, tokens, ...one }) => (gain === null || tokens === null ? [] : [{ ...one, gain, tokens }]))
  const meanTokens = mean(paired.map(({ tokens }) => tokens))
  const tried = LENGTHS.map((length) => {
    const short = paired.filter(({ tokens, uncertainty }) => tokens < length && uncertainty <= threshold)
    return { length, short, surplus: sum(short.map(({ gain, tokens }) => gain - (worth * tokens) / meanTokens)) }
  }).filter(({ short }) => short.length >= LEAST_SHORT && short.length <= most)
  const best = tried.reduce<(typeof tried)[number] | null>((found, one) => (one.surplus > (found?.surplus ?? 0) ? one : found), null)
  if (best === null) return null
  const { length, short } = best
  const gains = short.map(({ gain }) => gain)
  const groups = short.map(({ state }) => state)
  const { mean: gain, resampled } = resampledMeans(gains, groups, { resamples, seed })
  if (percentileInterval(resampled, 0.98)[0] <= 0) return null
  return { tokens: length, decisions: short.length, gain, interval: percentileInterval(resampled, 0.9) }
}
