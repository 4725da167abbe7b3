// Several distributions over the same candidates to one, and what a position or a class is favoured by, divided out.
// A row is natural log-probabilities, renormalised, [candidate]; so is what comes back, unless it says otherwise.
import { EngineError } from '../../core/errors.ts'
import { logSoftmax, logSumExp } from '../../core/math.ts'
import { requireAligned, requireProbabilities } from '../numerics/aligned.ts'

type Row = readonly number[]

/** Checks that rows are as long as each other, and gives weights that sum to one. */
function sharesOf(rows: readonly Row[], weights?: readonly number[]): number[] {
  requireAligned({ rows, weights })
  for (const row of rows) requireAligned({ 'the first row': rows[0], row })
  const total = weights === undefined ? rows.length : weights.reduce((sum, weight) => sum + weight, 0)
  if (!(total > 0))
    throw new EngineError('invalid_request', `the weights of ${rows.length} rows sum to ${total}; at least one row must count`)
  return rows.map((_, r) => (weights === undefined ? 1 : weights[r]!) / total)
}

/** Mixes the uniform distribution into a row, p' = (1 − K floor) p + floor, so that it rules nothing out. */
function floored(row: Row, floor: number): Row {
  if (floor === 0) return row
  const keep = Math.log1p(-row.length * floor)
  return row.map((logP) => logSumExp([keep + logP, Math.log(floor)]))
}

export interface PoolOptions {
  /** By row, not negative; equal when absent. */
  readonly weights?: readonly number[]
}

/**
 * The geometric mean of distributions, renormalised: log P = Σ wᵣ log Pᵣ + constant. The default for deliberation: best in log-loss when passes err
 * independently, and its temperature stays near one.
 * @param floor smallest probability a single row may give, so that one pass cannot rule a candidate out; below 1/K.
 * @throws EngineError `invalid_request` for no rows, rows that differ in length, or a floor of 1/K and more.
 */
export function logPool(rows: readonly Row[], { floor, weights }: PoolOptions & { readonly floor: number }): number[] {
  const shares = sharesOf(rows, weights)
  const length = rows[0]!.length
  if (!(floor >= 0 && floor * length < 1)) {
    throw new EngineError(
      'invalid_request',
      `a floor of ${floor} is too much for ${length} candidates; it must be from 0 to below 1 / ${length}`,
    )
  }
  const kept = rows.map((row) => floored(row, floor))
  // A row that does not count may rule out what it likes: 0 · −∞ is 0 here.
  return logSoftmax(rows[0]!.map((_, k) => kept.reduce((sum, row, r) => (shares[r] === 0 ? sum : sum + shares[r]! * row[k]!), 0)))
}

/** The arithmetic mean of distributions. Less sure than its members: a pool of calibrated rows needs a temperature below one. */
export function linearPool(rows: readonly Row[], { weights }: PoolOptions = {}): number[] {
  const shares = sharesOf(rows, weights)
  return rows[0]!.map((_, k) => logSumExp(rows.map((row, r) => Math.log(shares[r]!) + row[k]!)))
}

/** Shannon entropy of a row, in nats. */
export function entropy(row: Row): number {
  return row.reduce((sum, logP) => (logP === -Infinity ? sum : sum - Math.exp(logP) * logP), 0)
}

/** How much rows disagree, in nats: entropy of their mean less the mean of their entropies (mutual information of row and candidate). 0 when they are equal. */
export function disagreement(rows: readonly Row[], options: PoolOptions = {}): number {
  const shares = sharesOf(rows, options.weights)
  const within = rows.reduce((sum, row, r) => sum + shares[r]! * entropy(row), 0)
  // Rounding can carry it a hair below zero.
  return Math.max(0, entropy(linearPool(rows, options)) - within)
}

/**
 * The row of a rotated pass by candidate: rotation r showed candidate (i + r) mod K at position i.
 * @param observed log-probabilities by position.
 */
export function unrotate(observed: Row, rotation: number): number[] {
  const length = observed.length
  return observed.map((_, k) => observed[(((k - rotation) % length) + length) % length]!)
}

/**
 * What a model gives each position (or symbol) whatever stands there (PriDe; Zheng et al. 2023, arXiv 2309.03882): the geometric mean over rotations.
 * @param rotations [pass][position], every rotation of an item equally often, over any number of items.
 * @returns log-probabilities by position, for `divideOut`.
 */
export function symbolPrior(rotations: readonly Row[]): number[] {
  return logPool(rotations, { floor: 0 })
}

/** The row with a prior taken out: P ∝ row / prior. @param prior log-probabilities, aligned with the row; every one finite. */
export function divideOut(row: Row, prior: Row): number[] {
  requireAligned({ row, prior })
  const wrong = prior.findIndex((logP) => !Number.isFinite(logP))
  if (wrong >= 0)
    throw new EngineError('invalid_request', `the prior's log-probability ${wrong} is ${prior[wrong]}; only finite ones can be divided out`)
  return logSoftmax(row.map((logP, k) => logP - prior[k]!))
}

/**
 * Batch calibration (Zhou et al. 2023, arXiv 2309.17249): divides out how often each candidate is given over unlabelled states of one question, and puts
 * the declared frequencies in place. It takes the declaration at its word: with skewed classes and no declaration it destroys calibration.
 * @param declared how frequent each candidate is known to be, probabilities above 0; uniform when absent.
 * @returns rows, as many as given, and the prior that was divided out.
 */
export function batchCalibrate(rows: readonly Row[], declared?: readonly number[]): { rows: number[][]; prior: number[] } {
  const prior = linearPool(rows)
  if (declared !== undefined) {
    requireAligned({ 'a row': rows[0], declared })
    requireProbabilities('declared', declared)
  }
  const ratio = prior.map((logP, k) => logP - (declared === undefined ? 0 : Math.log(declared[k]!)))
  return { rows: rows.map((row) => divideOut(row, ratio)), prior }
}

/**
 * The temperature T at which the most probable candidate of softmax(ln p / T) gets probability `top`: carries a map of the top probability over to the whole
 * distribution, and keeps its order. Infinity and the uniform distribution when `top` is not above 1/K or p is uniform. When m candidates lead
 * together none can pass 1/m: the temperature stops at 1e-6.
 * @param p probabilities, [candidate]. @param top in (0, 1).
 * @returns probabilities that sum to one.
 */
export function itemTemperature(p: readonly number[], top: number): { temperature: number; probabilities: number[] } {
  requireAligned({ p })
  requireProbabilities('p', p)
  if (!(top > 0 && top < 1))
    throw new EngineError('invalid_request', `a top probability of ${top} was asked for; it must be above 0 and below 1`)
  const largest = Math.log(Math.max(...p))
  // Less the largest: at a low temperature quotients would be too large to keep twelve digits of their differences.
  const logits = p.map((value) => Math.log(value) - largest)
  const uniform = { temperature: Number.POSITIVE_INFINITY, probabilities: p.map(() => 1 / p.length) }
  if (top <= 1 / p.length || p.every((value) => value === p[0])) return uniform
  const topAt = (logT: number): number => Math.exp(Math.max(...logSoftmax(logits.map((logit) => logit / Math.exp(logT)))))
  // The top falls as T rises; bisection in ln T, to neighbouring numbers.
  let low = Math.log(1e-6)
  let high = Math.log(1e9)
  for (let step = 0; step < 100 && high - low > 1e-15; step++) {
    const middle = (low + high) / 2
    if (topAt(middle) > top) low = middle
    else high = middle
  }
  const temperature = Math.exp((low + high) / 2)
  return { temperature, probabilities: logSoftmax(logits.map((logit) => logit / temperature)).map(Math.exp) }
}
