// The special functions that tests and bounds need, in float64 with about twelve correct digits.
import { EngineError } from '../../core/errors.ts'

/** Lanczos coefficients for g = 7, n = 9 (Godfrey 2001); relative error near 1e-15. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]

/** ln Γ(x) for x > 0. */
export function logGamma(x: number): number {
  // Reflection: Γ(x) Γ(1 − x) = π / sin πx.
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  let series = LANCZOS[0]!
  for (let i = 1; i < LANCZOS.length; i++) series += LANCZOS[i]! / (x - 1 + i)
  const t = x + 6.5
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series)
}

/**
 * The continued fraction of the incomplete beta function (DLMF 8.17.22) by the modified Lentz algorithm. It converges
 * fast for x < (a + 1) / (a + b + 2).
 */
function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const away = (value: number): number => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  // The number of steps grows with √max(a, b); a million labels take some hundreds.
  for (let m = 1; m <= 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    const step = d * c
    fraction *= step
    if (Math.abs(step - 1) < 1e-16) break
  }
  return fraction
}

/**
 * I_x(a, b), the regularised incomplete beta function: the probability that a Beta(a, b) variable is at most x.
 * @param x in [0, 1]. @param a positive. @param b positive.
 * @throws EngineError `invalid_request` outside these.
 */
export function regularisedBeta(x: number, a: number, b: number): number {
  if (!(x >= 0 && x <= 1 && a > 0 && b > 0)) {
    throw new EngineError(
      'invalid_request',
      `the incomplete beta function takes x from 0 to 1 and positive a and b, not x ${x}, a ${a}, b ${b}`,
    )
  }
  if (x === 0 || x === 1) return x
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b
}

/**
 * The x with I_x(a, b) = p: the quantile of Beta(a, b), by bisection down to neighbouring floating-point numbers.
 * @param p in [0, 1].
 */
export function inverseRegularisedBeta(p: number, a: number, b: number): number {
  if (!(p >= 0 && p <= 1)) throw new EngineError('invalid_request', `a probability of ${p} was asked for; it must be from 0 to 1`)
  if (p === 0 || p === 1) return p
  let low = 0
  let high = 1
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) break
    if (regularisedBeta(middle, a, b) < p) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/**
 * Φ(x): the probability that a standard normal variable is at most x. Relative precision is kept in the lower
 * tail.
 */
export function normalCdf(x: number): number {
  const size = Math.abs(x)
  if (size > 38.6) return x > 0 ? 1 : 0
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)
  if (size < 3) {
    // Φ(x) = ½ + φ(x) (x + x³/3 + x⁵/(3·5) + …), Abramowitz & Stegun 26.2.11.
    let term = size
    let sum = size
    for (let k = 3; term > 1e-17 * sum; k += 2) {
      term *= (size * size) / k
      sum += term
    }
    return x >= 0 ? 0.5 + density * sum : 0.5 - density * sum
  }
  // The upper tail as Laplace's continued fraction φ(x) / (x + 1/(x + 2/(x + …))), 26.2.14, from the inside out.
  let fraction = size
  for (let k = 100; k >= 1; k--) fraction = size + k / fraction
  const tail = density / fraction
  return x > 0 ? 1 - tail : tail
}

/**
 * Coefficients of Acklam's rational approximations to the normal quantile, with a relative error of 1.15e-9 before
 * refinement.
 */
const CENTRE_TOP = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1, 2.506628277459239,
]
const CENTRE_BOTTOM = [-5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1, 1]
const TAIL_TOP = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783,
]
const TAIL_BOTTOM = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1]

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0)
}

/**
 * Φ⁻¹(p): the x below which a standard normal variable falls with probability p; ∓Infinity at 0 and 1. Acklam's
 * approximation and one Halley step.
 * @throws EngineError `invalid_request` for p outside [0, 1].
 */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) throw new EngineError('invalid_request', `a probability of ${p} was asked for; it must be from 0 to 1`)
  if (p === 0) return -Infinity
  if (p === 1) return Infinity
  // 1 − p is exact from ½ on, so the upper half mirrors the lower one.
  if (p > 0.5) return -normalQuantile(1 - p)
  const q = p - 0.5
  const tail = Math.sqrt(-2 * Math.log(p))
  const first =
    p < 0.02425
      ? polynomial(TAIL_TOP, tail) / polynomial(TAIL_BOTTOM, tail)
      : (polynomial(CENTRE_TOP, q * q) * q) / polynomial(CENTRE_BOTTOM, q * q)
  const error = ((normalCdf(first) - p) * Math.sqrt(2 * Math.PI)) / Math.exp((-first * first) / 2)
  return first - error / (1 + (first * error) / 2)
}
