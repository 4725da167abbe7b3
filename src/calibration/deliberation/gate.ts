// Decides when a decision is deliberated: when its calibrated single-pass distribution is too flat, or it is about
// little text (`short.ts`). The threshold is chosen from what deliberation gained in the evidence.
import { sum } from '../../core/math.ts'
import { seededRandom } from '../../core/random.ts'
import { type Groups, membersOf, percentileInterval } from '../metrics/resampling.ts'

/** When to deliberate the decisions of one read-out, chosen from evidence. */
export interface Gate {
  /**
   * Deliberate above this normalised entropy of the calibrated single-pass distribution; 1 is never, but for low mass.
   */
  readonly threshold: number
  /**
   * Share of the evidence above it; where the threshold was chosen by gain, of the decisions that have a second look.
   */
  readonly share: number
  /**
   * `gain`: the least share that reliably keeps most of what deliberation gains. `share`: the stated share, for want of
   * labels. `never`: no share reliably gains.
   */
  readonly rule: 'gain' | 'share' | 'never'
  /** Decisions it was chosen from. */
  readonly decisions: number
  /** What deliberation saved in the evidence; absent when too few decisions were deliberated. */
  readonly gain?: GateGain
  /** Absent where short decisions gain no more than others, or the evidence does not say how long they were. */
  readonly short?: ShortGate
}

/** Deliberates what is short however certain it is: a further look at it takes less time. */
export interface ShortGate {
  /** Deliberate what was read in fewer tokens than this, of state and question. */
  readonly tokens: number
  /** Decisions of the evidence that are so short and not above the threshold. */
  readonly decisions: number
  /** Log-loss that deliberation saves these, in nats each, with its 90 % interval by bootstrap over states. */
  readonly gain: number
  readonly interval: readonly [number, number]
}

/** Whether the gate opens for what was read in so few tokens. */
export function isShort(short: ShortGate | undefined, tokens: number | null): boolean {
  return short !== undefined && tokens !== null && tokens < short.tokens
}

/** Log-loss saved by deliberation on held-out folds, in nats a decision over all decisions. */
export interface GateGain {
  /** When those above the threshold deliberate, with its 90 % interval by bootstrap over states. */
  readonly escalated: number
  readonly interval: readonly [number, number]
  /** When all do. */
  readonly total: number
}

/** Entropy over the logarithm of the number of candidates: 0 certain, 1 uniform. With one candidate it is 0. */
export function normalisedEntropy(probabilities: readonly number[]): number {
  if (probabilities.length < 2) return 0
  let nats = 0
  for (const p of probabilities) if (p > 0) nats -= p * Math.log(p)
  return Math.min(1, Math.max(0, nats / Math.log(probabilities.length)))
}

/** The uncertainty of a decision, [row][candidate]: that of its most uncertain row. */
export function uncertaintyOf(rows: readonly (readonly number[])[]): number {
  return rows.reduce((most, row) => Math.max(most, normalisedEntropy(row)), 0)
}

/** One decision of the evidence a gate is chosen from. */
export interface GateCase {
  readonly uncertainty: number
  /** Calibrated loss of the single pass minus that of deliberation; null when it was not deliberated. */
  readonly gain: number | null
  readonly state: string
  /** Of state and question; null where the evidence does not say. */
  readonly tokens: number | null
}

/** The gain of deliberating the most uncertain share. */
export interface GainCurve {
  /** Mean over all decisions when this share of them deliberates. */
  readonly gain: number
  /** The same when all do. */
  readonly total: number
}

/** Mean gain when the most unsure `share` deliberates. Cases without a gain are left out. */
export function gainAt(cases: readonly GateCase[], share: number): GainCurve {
  const sums = cumulatedGain(byUncertainty(cases))
  return { gain: gainOf(sums, share), total: sums.at(-1) ?? 0 }
}

/** Of what `cumulatedGain` gives. */
function gainOf(sums: readonly number[], share: number): number {
  return sums[Math.round(share * (sums.length - 1))] ?? 0
}

export interface GateOptions {
  /** The share that deliberates where fewer than 100 decisions show what a second look gains, from 0 to 1. */
  readonly share: number
  /** The part of the best gain within the most that may deliberate that is enough. */
  readonly keep: number
  /** The least mean gain, in nats, of the decisions that are looked at again: that takes as long as the first look. */
  readonly worth: number
  readonly resamples: number
  readonly seed: number
}

/** Fewer paired decisions do not show what deliberation gains. */
const LEAST_PAIRS = 100
/** Number of shares that are tried, 0.01 apart. */
const STEPS = 100

/**
 * Chooses the threshold of one read-out, by the most of its decisions that may deliberate. With 100 paired decisions or
 * more, it is the least share that reliably gains at least `keep` of what any share up to `most` reliably gains;
 * reliably means the 1st percentile of a bootstrap over states, since many shares are tried. Only shares whose
 * decisions gain `worth` each on average are tried. No decision deliberates where none of them reliably gains. With
 * fewer paired decisions it is the stated share. The gain of all decisions is no guide, since deliberation can harm
 * confident decisions and still help uncertain ones.
 */
export function gateChooser(cases: readonly GateCase[], options: GateOptions): (most: number) => Gate {
  const { share, keep, worth, resamples, seed } = options
  const sorted = byUncertainty(cases)
  const paired = sorted.filter(({ gain }) => gain !== null)
  const isPaired = paired.length >= LEAST_PAIRS
  const curves = isPaired ? bootstrapCurves(paired, resamples, seed) : []
  const between = (step: number, confidence: number): [number, number] =>
    percentileInterval(
      curves.map((curve) => curve[step]!),
      confidence,
    )
  const at = (part: number, rule: Gate['rule']): Gate => {
    // A share of the decisions that it was chosen from: others, about pictures, may be sure of more or of less.
    const chosen = { ...thresholdAt(isPaired ? paired : sorted, part), rule, decisions: cases.length }
    if (!isPaired) return chosen
    const { gain, total } = gainAt(paired, chosen.share)
    return { ...chosen, gain: { escalated: gain, interval: between(Math.round(chosen.share * STEPS), 0.9), total } }
  }
  const sums = cumulatedGain(paired)
  return (most) => {
    if (!isPaired) return at(share, 'share')
    const reliable = Array.from({ length: Math.floor(most * STEPS) + 1 }, (_, step) => {
      const isWorthIt = gainOf(sums, step / STEPS) >= (worth * step) / STEPS
      return isWorthIt ? between(step, 0.98)[0] : Number.NEGATIVE_INFINITY
    })
    const best = Math.max(...reliable)
    if (best <= 0) return at(0, 'never')
    return at(reliable.findIndex((gain) => gain >= keep * best) / STEPS, 'gain')
  }
}

/** The same, where the stated share is the most as well. */
export function chooseGate(cases: readonly GateCase[], options: GateOptions): Gate {
  return gateChooser(cases, options)(options.share)
}

function byUncertainty(cases: readonly GateCase[]): GateCase[] {
  return [...cases].sort((a, b) => b.uncertainty - a.uncertainty)
}

/** Mean gain over all cases when the first i deliberate, i from 0. */
function cumulatedGain(sorted: readonly GateCase[]): number[] {
  const gains = sorted.flatMap(({ gain }) => (gain === null ? [] : [gain]))
  const sums = [0]
  for (const gain of gains) sums.push(sums.at(-1)! + gain / gains.length)
  return sums
}

/** Gain at shares 0, 0.01 … 1 in each resample, [resample][step]. */
function bootstrapCurves(sorted: readonly GateCase[], resamples: number, seed: number): number[][] {
  const groups: Groups = sorted.map(({ state }) => state)
  const members = membersOf(groups)
  const random = seededRandom(seed)
  return Array.from({ length: resamples }, () => {
    const counts = new Float64Array(sorted.length)
    for (let i = 0; i < members.length; i++) for (const member of members[Math.floor(random() * members.length)]!) counts[member]! += 1
    const total = sum(counts)
    const curve = [0]
    let [seen, gain] = [0, 0]
    for (const [i, count] of counts.entries()) {
      seen += count
      gain += count * sorted[i]!.gain!
      while (curve.length <= STEPS && seen >= (curve.length / STEPS) * total - 1e-9) curve.push(gain / total)
    }
    return curve
  })
}

/**
 * A threshold between the last case that deliberates and the first that does not, and the share above it. Ties stay
 * below. A share of 0 is never, also for what is more uncertain than any of the cases.
 */
function thresholdAt(sorted: readonly GateCase[], share: number): { threshold: number; share: number } {
  if (share === 0) return { threshold: 1, share: 0 }
  const count = Math.round(share * sorted.length)
  const inside = sorted[count - 1]?.uncertainty ?? 1
  const outside = sorted[count]?.uncertainty ?? 0
  const threshold = (inside + outside) / 2
  return { threshold, share: sorted.length === 0 ? 0 : sorted.filter(({ uncertainty }) => uncertainty > threshold).length / sorted.length }
}
