// The smooth calibration error (Błasiok & Nakkiran 2023, arXiv 2309.12236), which needs no bins and chooses its
// bandwidth. A Gaussian reflected at 0 and 1 is the heat kernel of the unit interval, so smoothing is damping in the
// cosine basis: aₖ becomes aₖ exp(−(kπσ)²/2). A small bandwidth takes many cosines; there the Gaussians themselves,
// each of which reaches a few steps only, are summed up.
import { EngineError } from '../../core/errors.ts'
import { mean, sum } from '../../core/math.ts'
import { seededRandom } from '../../core/random.ts'
import { requireAligned, requireProbabilities } from '../numerics/aligned.ts'
import { type Groups, membersOf, percentileInterval, type ResamplingOptions, requireResamples } from './resampling.ts'

/**
 * Steps of the grid for many probabilities. Each is split between its two neighbours, which shifts results by less than
 * 1e-5.
 */
const GRID = 2048
/** No smaller bandwidth is searched. A smaller error is reported as smoothed with this one. */
const SMALLEST_BANDWIDTH = 1e-3

/**
 * Where each probability lies among folded angles θ = π min(p, 1 − p). The sign of odd cosines is negative above
 * ½.
 */
interface Layout {
  readonly p: readonly number[]
  readonly angles: Float64Array
  readonly first: Int32Array
  readonly second: Int32Array
  /** Share of the mass that goes to `second`, [decision]. */
  readonly share: Float64Array
  readonly firstSign: Float64Array
  readonly secondSign: Float64Array
}

function layoutOf(p: readonly number[]): Layout {
  const n = p.length
  const isExact = n <= GRID / 2
  const layout = {
    p,
    angles: isExact ? Float64Array.from(p, (value) => Math.PI * Math.min(value, 1 - value)) : new Float64Array(GRID / 2 + 1),
    first: new Int32Array(n),
    second: new Int32Array(n),
    share: new Float64Array(n),
    firstSign: new Float64Array(n),
    secondSign: new Float64Array(n),
  }
  if (!isExact) for (let j = 0; j < layout.angles.length; j++) layout.angles[j] = (Math.PI * j) / GRID
  for (let i = 0; i < n; i++) {
    const low = Math.min(GRID - 1, Math.floor(p[i]! * GRID))
    layout.first[i] = isExact ? i : Math.min(low, GRID - low)
    layout.second[i] = isExact ? i : Math.min(low + 1, GRID - low - 1)
    layout.share[i] = isExact ? 0 : p[i]! * GRID - low
    layout.firstSign[i] = (isExact ? p[i]! > 0.5 : low > GRID / 2) ? -1 : 1
    layout.secondSign[i] = low + 1 > GRID / 2 ? -1 : 1
  }
  return layout
}

/** aₖ = Σ mass cos(kπp) for k < modes. */
function cosineMoments(layout: Layout, masses: Float64Array, modes: number): Float64Array {
  const { angles, first, second, share, firstSign, secondSign } = layout
  const even = new Float64Array(angles.length)
  const odd = new Float64Array(angles.length)
  for (let i = 0; i < masses.length; i++) {
    const right = masses[i]! * share[i]!
    const left = masses[i]! - right
    even[first[i]!]! += left
    odd[first[i]!]! += left * firstSign[i]!
    even[second[i]!]! += right
    odd[second[i]!]! += right * secondSign[i]!
  }
  const moments = new Float64Array(modes + (modes % 2))
  for (let j = 0; j < angles.length; j++) {
    const [evenMass, oddMass] = [even[j]!, odd[j]!]
    if (evenMass === 0 && oddMass === 0) continue
    // cos((k + 1)θ) = 2 cos θ cos kθ − cos((k − 1)θ), two at a time.
    const x = Math.cos(angles[j]!)
    let cosine = 1
    let next = x
    for (let k = 0; k < moments.length; k += 2) {
      moments[k]! += evenMass * cosine
      moments[k + 1]! += oddMass * next
      cosine = 2 * x * next - cosine
      next = 2 * x * cosine - next
    }
  }
  return moments
}

/** How many cosines a Gaussian of this bandwidth leaves above 1e-7 of their size. */
function modesFor(bandwidth: number): number {
  return Math.ceil(REACH / (Math.PI * bandwidth)) + 2
}

/** Steps of t from 0 to ½ that an area is taken in. */
function stepsFor(bandwidth: number): number {
  return Math.max(32, Math.ceil(2 / bandwidth))
}

/** Beyond so many bandwidths a Gaussian is below 1e-7 of its height. */
const REACH = 5.7

/** ∫₀¹ |r(t)| dt of the sum of a Gaussian for each probability, reflected at 0 and 1. */
function summedArea(p: readonly number[], masses: Float64Array, bandwidth: number): number {
  const steps = 2 * stepsFor(bandwidth)
  const heights = new Float64Array(steps + 1)
  const reach = REACH * bandwidth
  const height = 1 / (bandwidth * Math.sqrt(2 * Math.PI))
  const add = (center: number, mass: number): void => {
    const from = Math.max(0, Math.ceil((center - reach) * steps))
    const to = Math.min(steps, Math.floor((center + reach) * steps))
    for (let j = from; j <= to; j++) heights[j]! += mass * height * Math.exp(-(((j / steps - center) / bandwidth) ** 2) / 2)
  }
  for (let i = 0; i < p.length; i++) {
    if (masses[i] === 0) continue
    add(p[i]!, masses[i]!)
    // Mirrored, as far as it reaches.
    if (p[i]! < reach) add(-p[i]!, masses[i]!)
    if (p[i]! > 1 - reach) add(2 - p[i]!, masses[i]!)
  }
  let area = 0
  for (let j = 1; j <= steps; j++) area += areaBetween(heights[j - 1]!, heights[j]!)
  return area / steps
}

/** Whether summing Gaussians up takes less time than cosines do. An exponential takes as long as ten of their steps. */
function isSummedFaster(count: number, bandwidth: number): boolean {
  const [steps, modes] = [stepsFor(bandwidth), modesFor(bandwidth)]
  return 10 * count * 4 * REACH * steps * bandwidth < steps * modes
}

/** ∫₀¹ |r(t)| dt of the function with these cosine moments, smoothed by a bandwidth. */
function smoothedArea(moments: Float64Array, bandwidth: number): number {
  const half = Math.min(moments.length, modesFor(bandwidth)) >> 1
  const even = new Float64Array(half)
  const odd = new Float64Array(half)
  for (let m = 0; m < half; m++) {
    even[m] = (m === 0 ? 1 : 2) * moments[2 * m]! * Math.exp(-((2 * m * Math.PI * bandwidth) ** 2) / 2)
    odd[m] = 2 * moments[2 * m + 1]! * Math.exp(-(((2 * m + 1) * Math.PI * bandwidth) ** 2) / 2)
  }
  const steps = stepsFor(bandwidth)
  let area = 0
  let lastLow = 0
  let lastHigh = 0
  for (let j = 0; j <= steps; j++) {
    // Clenshaw's recurrence in cos 2θ for t and 1 − t at once: even cosines agree there, odd ones differ in sign.
    const angle = (Math.PI * j) / (2 * steps)
    const x = Math.cos(2 * angle)
    let [e1, e2, o1, o2] = [0, 0, 0, 0]
    for (let m = half - 1; m >= 0; m--) {
      const e = even[m]! + 2 * x * e1 - e2
      e2 = e1
      e1 = e
      const o = odd[m]! + 2 * x * o1 - o2
      o2 = o1
      o1 = o
    }
    const evenPart = e1 - x * e2
    const oddPart = Math.cos(angle) * (o1 - o2)
    const low = evenPart + oddPart
    const high = evenPart - oddPart
    if (j > 0) area += areaBetween(lastLow, low) + areaBetween(lastHigh, high)
    lastLow = low
    lastHigh = high
  }
  return area / (2 * steps)
}

/**
 * Area under |r| over a step of one, from the values at both ends. The error of straight lines over an arc of r is
 * known from the slopes at its two ends (Euler–Maclaurin), so each crossing of zero adds its part, a sixth of the
 * slope.
 */
function areaBetween(a: number, b: number): number {
  if (a * b >= 0) return Math.abs(a + b) / 2
  const slope = Math.abs(a - b)
  return (a * a + b * b) / (2 * slope) + slope / 6
}

/**
 * The area at a bandwidth, or at the bandwidth that equals it. @param guess any positive number, where the search
 * starts.
 */
function smooth(layout: Layout, masses: Float64Array, bandwidth: number | undefined, guess: number): { value: number; bandwidth: number } {
  let moments: Float64Array = new Float64Array(0)
  const areaAt = (sigma: number): number => {
    if (isSummedFaster(masses.length, sigma)) return summedArea(layout.p, masses, sigma)
    if (moments.length < modesFor(sigma)) moments = cosineMoments(layout, masses, modesFor(sigma))
    return smoothedArea(moments, sigma)
  }
  if (bandwidth !== undefined) return { value: areaAt(bandwidth), bandwidth }
  // The area never rises with the bandwidth, so the fixed point lies between any bandwidth and its area.
  let low = Math.max(SMALLEST_BANDWIDTH, guess)
  let lowGap = areaAt(low) - low
  let high = Math.max(SMALLEST_BANDWIDTH, low + lowGap)
  let highGap = areaAt(high) - high
  if (low > high) [low, lowGap, high, highGap] = [high, highGap, low, lowGap]
  if (lowGap <= 0) return { value: low + lowGap, bandwidth: low }
  if (highGap >= 0) return { value: high + highGap, bandwidth: high }
  // Regula falsi with the Illinois rule, which halves the weight of an end that stays.
  let side = 0
  for (let step = 0; step < 60; step++) {
    const sigma = (low * highGap - high * lowGap) / (highGap - lowGap)
    const gap = areaAt(sigma) - sigma
    if (Math.abs(gap) < 1e-6 || high - low < 1e-8) return { value: sigma + gap, bandwidth: sigma }
    if (gap > 0) {
      low = sigma
      lowGap = gap
      if (side === 1) highGap /= 2
      side = 1
    } else {
      high = sigma
      highGap = gap
      if (side === -1) lowGap /= 2
      side = -1
    }
  }
  return { value: (low + high) / 2, bandwidth: (low + high) / 2 }
}

export interface SmoothOptions {
  /** In units of probability, at least 0.001. Default: the bandwidth that equals the error smoothed with it. */
  readonly bandwidth?: number
  /** [decision], not negative; equal when absent. */
  readonly weights?: readonly number[]
}

function check(p: readonly number[], y: readonly number[], { bandwidth, weights }: SmoothOptions): void {
  requireAligned({ p, y, weights })
  requireProbabilities('p', p)
  requireProbabilities('y', y)
  if (bandwidth !== undefined && !(bandwidth >= SMALLEST_BANDWIDTH)) {
    throw new EngineError('invalid_request', `the bandwidth is ${bandwidth}; at least ${SMALLEST_BANDWIDTH} is needed`)
  }
}

/** Weights that sum to one. */
function sharesOf(weights: readonly number[] | undefined, n: number): Float64Array {
  const shares = weights === undefined ? new Float64Array(n).fill(1) : Float64Array.from(weights)
  const total = sum(shares)
  if (!(total > 0)) throw new EngineError('invalid_request', `all ${n} weights are zero; at least one label must count`)
  return shares.map((weight) => weight / total)
}

/**
 * smECE: ∫ |Σᵢ wᵢ (pᵢ − yᵢ) K(t, pᵢ)| dt with a Gaussian K reflected at 0 and 1, at the bandwidth that equals
 * it. It lies between |mean(p − y)| and 1. Noise alone gives about 0.024 at n = 1000, so report
 * `smoothCalibrationExcess`. @param p probabilities, [decision]. @param y whether it came true, 0 or 1, or a
 * share. @returns the error in units of probability, within 1e-4 of the exact integral, and its bandwidth.
 * @throws EngineError `invalid_request` on lengths that differ, values outside [0, 1], or no labels.
 */
export function smoothCalibrationError(
  p: readonly number[],
  y: readonly number[],
  options: SmoothOptions = {},
): { value: number; bandwidth: number } {
  check(p, y, options)
  const shares = sharesOf(options.weights, p.length)
  const masses = shares.map((share, i) => share * (p[i]! - y[i]!))
  return smooth(layoutOf(p), masses, options.bandwidth, 0.05)
}

export interface CalibrationExcess {
  /** smECE. */
  readonly value: number
  /** Mean smECE of labels drawn from `p` itself: the error that noise alone gives. */
  readonly nullMean: number
  /**
   * value − nullMean, the number to report; about zero for calibrated probabilities. Noise and error add up as
   * squares do, so an error near the noise floor shows as less than it is: the true one lies between `excess`
   * and `value`.
   */
  readonly excess: number
  /**
   * 95 % (`confidence`) of the excess, by bootstrap over groups. Resampling adds noise of its own, so resampled values
   * are shifted until their mean is `value`.
   */
  readonly interval: [number, number]
  /** Share of draws from `p` with an error at least as large: (count + 1) / (resamples + 1). */
  readonly nullP: number
}

/**
 * smECE above its noise floor, with an interval. Draws of the floor take decisions as independent given their
 * probabilities; the interval keeps groups together.
 * @param groups which decisions belong together (on the same state), [decision].
 * @throws EngineError `invalid_request` as `smoothCalibrationError`, and for fewer than one resample.
 */
export function smoothCalibrationExcess(
  p: readonly number[],
  y: readonly number[],
  groups: Groups,
  options: ResamplingOptions & SmoothOptions,
): CalibrationExcess {
  check(p, y, options)
  requireAligned({ p, groups })
  requireResamples(options)
  const { resamples, seed, confidence, bandwidth } = options
  const layout = layoutOf(p)
  const shares = sharesOf(options.weights, p.length)
  const random = seededRandom(seed)
  const masses = shares.map((share, i) => share * (p[i]! - y[i]!))
  const { value } = smooth(layout, masses, bandwidth, 0.05)
  const drawn = new Float64Array(p.length)

  let nullSum = 0
  let atLeast = 0
  for (let r = 0; r < resamples; r++) {
    for (let i = 0; i < p.length; i++) drawn[i] = shares[i]! * (random() < p[i]! ? p[i]! - 1 : p[i]!)
    const floor = smooth(layout, drawn, bandwidth, nullSum > 0 ? nullSum / r : value).value
    nullSum += floor
    if (floor >= value) atLeast += 1
  }

  const members = membersOf(groups)
  const resampled: number[] = []
  for (let r = 0; r < resamples; r++) {
    drawn.fill(0)
    let total = 0
    for (let g = 0; g < members.length; g++) {
      for (const i of members[Math.floor(random() * members.length)]!) {
        drawn[i]! += masses[i]!
        total += shares[i]!
      }
    }
    if (!(total > 0)) continue
    for (let i = 0; i < drawn.length; i++) drawn[i]! /= total
    resampled.push(smooth(layout, drawn, bandwidth, value).value)
  }

  const nullMean = nullSum / resamples
  const [low, high] = percentileInterval(resampled, confidence)
  const shift = value - nullMean - mean(resampled)
  return { value, nullMean, excess: value - nullMean, interval: [low + shift, high + shift], nullP: (atLeast + 1) / (resamples + 1) }
}
