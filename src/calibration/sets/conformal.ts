// Held-out decisions with their truths to promises: sets that hold the truth as often as asked, and a threshold below which not to answer.
// Both promises hold for decisions like the held-out ones (exchangeable with them), on average; not for each kind among them.
import { EngineError } from '../../core/errors.ts'
import { clopperPearsonUpper } from '../metrics/intervals.ts'
import { requireAligned, requireProbabilities } from '../numerics/aligned.ts'

/** Between a threshold and probabilities that were computed twice. */
const SLACK = 1e-12

function requireShare(name: string, value: number): void {
  if (!(value > 0 && value < 1)) throw new EngineError('invalid_request', `${name} is ${value}; it must be above 0 and below 1`)
}

/**
 * Split conformal prediction by the least ambiguous classifier (Sadinle, Lei & Wasserman 2019): the ⌈(n + 1)(1 − α)⌉-th smallest of 1 − p(truth). Sets made with
 * it hold the truth with probability from 1 − α to 1 − α + 1/(n + 1), averaged over held-out samples; for one sample of n it spreads by √(α(1 − α)/n).
 * @param trueProbabilities what each held-out truth was given, [decision].
 * @param alpha the share of sets that may miss.
 * @returns the threshold on 1 − p for `conformalSet`, or null when n < ⌈1/α⌉ − 1: too few to promise anything but every candidate.
 */
export function conformalThreshold(trueProbabilities: readonly number[], alpha: number): number | null {
  requireProbabilities('trueProbabilities', trueProbabilities)
  requireShare('alpha', alpha)
  const n = trueProbabilities.length
  // Rounding must not carry a whole number over to the next.
  const rank = Math.ceil((n + 1) * (1 - alpha) - 1e-9)
  if (rank > n) return null
  const scores = trueProbabilities.map((p) => 1 - p).sort((a, b) => a - b)
  return scores[rank - 1]!
}

/**
 * The candidates with 1 − p up to the threshold, by index; the most probable one always among them, which can only raise coverage.
 * @param p probabilities, [candidate]. @param threshold of `conformalThreshold`.
 */
export function conformalSet(p: readonly number[], threshold: number): number[] {
  requireAligned({ p })
  const top = p.indexOf(Math.max(...p))
  return p.flatMap((value, k) => (k === top || 1 - value <= threshold + SLACK ? [k] : []))
}

/** A threshold and what stands behind it. */
export interface Abstention {
  /** Answer from this confidence on. */
  readonly threshold: number
  /** Held-out decisions at or above it, and wrong ones among them. */
  readonly accepted: number
  readonly errors: number
  /** Upper bound on the risk of what is answered, at confidence 1 − delta. */
  readonly riskBound: number
}

/** How many errors the first test forgives, so that one bad label among the surest decisions does not end the search. */
const FORGIVEN = 2
/** Every test accepts this much more than the one before; tests that hardly differ would only add chances to fail. */
const GROWTH = 1.1

/** The smallest number of decisions among which `errors` wrong ones still pass. */
function smallestPassing(errors: number, maxRisk: number, delta: number): number {
  let count = errors + 1
  while (clopperPearsonUpper(errors, count, delta) > maxRisk) count = Math.max(count + 1, Math.floor(count * 1.02))
  return count
}

/**
 * The lowest confidence from which on the risk of answering is at most `maxRisk`, with confidence 1 − `delta` over held-out samples. Thresholds are tested from
 * strict to loose (fixed sequence, so no correction for many tests), each by its Clopper–Pearson bound, until one fails. Which ones are tested
 * follows from the confidences and n alone, not from the labels. Ties are accepted together.
 * @param confidences held-out, [decision]. @param isRight aligned.
 * @returns null when no threshold passes: labels are too few (45 without an error for 5 % at delta 0.1), or the surest decisions err too often.
 */
export function abstentionThreshold(
  confidences: readonly number[],
  isRight: readonly boolean[],
  { maxRisk, delta }: { readonly maxRisk: number; readonly delta: number },
): Abstention | null {
  requireShare('maxRisk', maxRisk)
  requireShare('delta', delta)
  if (confidences.length === 0) return null
  requireAligned({ confidences, isRight })
  const n = confidences.length
  const order = confidences.map((_, i) => i).sort((a, b) => confidences[b]! - confidences[a]!)
  const ends = order.flatMap((i, rank) => (rank + 1 < n && confidences[order[rank + 1]!] === confidences[i] ? [] : [rank + 1]))
  const fewest = smallestPassing(0, maxRisk, delta)
  const forgiving = smallestPassing(FORGIVEN, maxRisk, delta)
  // With few labels there is no room to be forgiving. Where many tie, less than forgiving is better than more than all of them.
  const aim = forgiving <= n / 2 ? forgiving : fewest
  let next = ends.findLast((end) => end >= fewest && end <= aim) ?? aim
  let found: Abstention | null = null
  let errors = 0
  let counted = 0
  for (const accepted of ends) {
    for (; counted < accepted; counted++) if (!isRight[order[counted]!]) errors += 1
    if (accepted < next && accepted < n) continue
    const riskBound = clopperPearsonUpper(errors, accepted, delta)
    if (riskBound > maxRisk) break
    found = { threshold: confidences[order[accepted - 1]!]!, accepted, errors, riskBound }
    next = Math.ceil(accepted * GROWTH)
  }
  return found
}
