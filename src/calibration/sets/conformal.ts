// Conformal prediction and selective classification: from held-out decisions and their truths to a threshold for
// prediction sets and a confidence from which to answer. Both promises hold on average for decisions exchangeable with
// the held-out ones, not for each kind among them.
import { EngineError } from '../../core/errors.ts'
import { argmax } from '../../core/math.ts'
import { clopperPearsonUpper } from '../metrics/intervals.ts'
import { requireAligned, requireProbabilities } from '../numerics/aligned.ts'

/** Absorbs rounding when a probability is compared with a threshold that was computed from it. */
const TOLERANCE = 1e-12

/** Throws `invalid_request` unless a value is a share strictly between 0 and 1. */
export function requireShare(name: string, value: number): void {
  if (!(value > 0 && value < 1)) throw new EngineError('invalid_request', `${name} lies strictly between 0 and 1, received ${value}.`)
}

/**
 * Split conformal prediction by the least ambiguous classifier (Sadinle, Lei & Wasserman 2019): the ⌈(n + 1)(1
 * − α)⌉-th smallest of 1 − p(truth). Sets made with it hold the truth with probability from 1 − α to 1 − α +
 * 1/(n + 1), averaged over held-out samples; for one sample of n the standard deviation is √(α(1 − α)/n).
 * @param trueProbabilities what each held-out truth was given, [decision]. @param alpha the share of sets that
 * may miss the truth. @returns the threshold on 1 − p for `conformalSet`, or null when n < ⌈1/α⌉ − 1, where
 * only the set of every candidate would keep the promise.
 */
export function conformalThreshold(trueProbabilities: readonly number[], alpha: number): number | null {
  requireProbabilities('trueProbabilities', trueProbabilities)
  requireShare('alpha', alpha)
  const n = trueProbabilities.length
  // Rounding errors must not lift a whole number to the next.
  const rank = Math.ceil((n + 1) * (1 - alpha) - 1e-9)
  if (rank > n) return null
  const scores = trueProbabilities.map((p) => 1 - p).sort((a, b) => a - b)
  return scores[rank - 1]!
}

/**
 * The indices of the candidates with 1 − p up to the threshold. The most probable one is always among them, which can
 * only raise coverage.
 * @param p probabilities, [candidate]. @param threshold of `conformalThreshold`.
 */
export function conformalSet(p: readonly number[], threshold: number): number[] {
  requireAligned({ p })
  const top = argmax(p)
  return p.flatMap((value, k) => (k === top || 1 - value <= threshold + TOLERANCE ? [k] : []))
}

/** A threshold, with the data it was chosen from. */
export interface AbstentionThreshold {
  /** Answer from this confidence on. */
  readonly threshold: number
  /** Held-out decisions at or above it. */
  readonly accepted: number
  /** Wrong ones among them. */
  readonly errors: number
  /** Upper bound on the share of wrong answers, at confidence 1 − delta. */
  readonly riskBound: number
}

/**
 * Errors that the first test allows, so that one wrong label among the most confident decisions does not end the
 * search.
 */
const ALLOWED_ERRORS = 2
/** Every test accepts more decisions by this factor. Tests that hardly differ would only add chances to fail. */
const TEST_GROWTH = 1.1

/** The smallest number of decisions among which `errors` wrong ones still pass; above `most`, any number. */
function smallestPassing(errors: number, most: number, maxRisk: number, delta: number): number {
  let count = errors + 1
  while (count <= most && clopperPearsonUpper(errors, count, delta) > maxRisk) count = Math.max(count + 1, Math.floor(count * 1.02))
  return count
}

/**
 * The lowest confidence from which the share of wrong answers is at most `maxRisk`, with confidence 1 − `delta` over
 * held-out samples. Thresholds are tested from strict to loose, each by its Clopper–Pearson bound, until one fails
 * (fixed-sequence testing, which needs no correction for many tests). Which ones are tested follows from the
 * confidences and n alone, not from the labels. Equal confidences are accepted together.
 * @param confidences held-out, [decision]. @param isRight aligned.
 * @returns null when no threshold passes: there are too few labels (45 without an error are needed for 5 % at delta
 * 0.1), or the most confident decisions are wrong too often.
 */
export function abstentionThreshold(
  confidences: readonly number[],
  isRight: readonly boolean[],
  { maxRisk, delta }: { readonly maxRisk: number; readonly delta: number },
): AbstentionThreshold | null {
  requireShare('maxRisk', maxRisk)
  requireShare('delta', delta)
  if (confidences.length === 0) return null
  requireAligned({ confidences, isRight })
  const n = confidences.length
  const order = confidences.map((_, i) => i).sort((a, b) => confidences[b]! - confidences[a]!)
  const ends = order.flatMap((i, rank) => (rank + 1 < n && confidences[order[rank + 1]!] === confidences[i] ? [] : [rank + 1]))
  const fewest = smallestPassing(0, n, maxRisk, delta)
  const forgiving = smallestPassing(ALLOWED_ERRORS, n, maxRisk, delta)
  // With few labels, no error is allowed. Where many confidences are equal, the largest test below the aim is taken.
  const aim = forgiving <= n / 2 ? forgiving : fewest
  let next = ends.findLast((end) => end >= fewest && end <= aim) ?? aim
  let found: AbstentionThreshold | null = null
  let errors = 0
  let counted = 0
  for (const accepted of ends) {
    for (; counted < accepted; counted++) if (!isRight[order[counted]!]) errors += 1
    if (accepted < next && accepted < n) continue
    const riskBound = clopperPearsonUpper(errors, accepted, delta)
    if (riskBound > maxRisk) break
    found = { threshold: confidences[order[accepted - 1]!]!, accepted, errors, riskBound }
    next = Math.ceil(accepted * TEST_GROWTH)
  }
  return found
}
