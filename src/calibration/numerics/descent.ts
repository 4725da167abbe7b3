// Minimises a smooth function of many numbers: L-BFGS (Nocedal & Wright, Numerical Optimization, algorithm 7.4) with a
// backtracking line search. Deterministic. `optimise.ts` does the same for few numbers, by Newton steps.

/** The value of the function at a point; writes its gradient into `gradient`. */
export type ValueAndGradient = (point: Float64Array, gradient: Float64Array) => number

export interface DescentOptions {
  /** Largest number of steps; default 100. */
  readonly steps?: number
  /** Ends when a step gains less than this share of the value; default 1e-7. */
  readonly tolerance?: number
}

/** Remembered pairs of a step and the change of the gradient along it. */
const MEMORY = 10
/** A step must gain this share of what the gradient promises (Armijo). */
const SUFFICIENT_DECREASE = 1e-4

/** The point that a descent from `start` reaches. */
export function descend(
  start: Float64Array,
  evaluate: ValueAndGradient,
  { steps = 100, tolerance = 1e-7 }: DescentOptions = {},
): Float64Array {
  let point = Float64Array.from(start)
  let gradient = new Float64Array(point.length)
  let value = evaluate(point, gradient)
  const pairs: { readonly step: Float64Array; readonly change: Float64Array; readonly curvature: number }[] = []
  for (let count = 0; count < steps; count++) {
    const direction = quasiNewton(gradient, pairs)
    const promised = inner(direction, gradient)
    if (!(promised < 0)) break
    // The first direction has no scale of its own.
    let length = pairs.length === 0 ? Math.min(1, 1 / Math.sqrt(inner(gradient, gradient))) : 1
    const next = new Float64Array(point.length)
    const slope = new Float64Array(point.length)
    let there = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 30; tries++, length /= 2) {
      for (let i = 0; i < next.length; i++) next[i] = (point[i] as number) + length * (direction[i] as number)
      there = evaluate(next, slope)
      if (there <= value + SUFFICIENT_DECREASE * length * promised) break
    }
    if (!(there < value)) break
    const step = next.map((x, i) => x - (point[i] as number))
    const change = slope.map((g, i) => g - (gradient[i] as number))
    const curvature = inner(step, change)
    if (curvature > 1e-12 * inner(change, change)) pairs.push({ step, change, curvature })
    if (pairs.length > MEMORY) pairs.shift()
    const gained = value - there
    point = next
    gradient = slope
    value = there
    if (gained < tolerance * Math.max(1, Math.abs(value))) break
  }
  return point
}

/** The direction −H g, with H approximated from the remembered pairs. */
function quasiNewton(
  gradient: Float64Array,
  pairs: readonly { step: Float64Array; change: Float64Array; curvature: number }[],
): Float64Array {
  const direction = gradient.map((value) => -value)
  const shares = new Array<number>(pairs.length)
  for (let i = pairs.length - 1; i >= 0; i--) {
    const { step, change, curvature } = pairs[i]!
    shares[i] = inner(step, direction) / curvature
    add(direction, change, -shares[i]!)
  }
  const last = pairs.at(-1)
  if (last !== undefined) {
    const scale = last.curvature / inner(last.change, last.change)
    for (let i = 0; i < direction.length; i++) direction[i] = (direction[i] as number) * scale
  }
  for (const [i, { step, change, curvature }] of pairs.entries()) add(direction, step, shares[i]! - inner(change, direction) / curvature)
  return direction
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}

function add(to: Float64Array, what: Float64Array, times: number): void {
  for (let i = 0; i < to.length; i++) to[i] = (to[i] as number) + times * (what[i] as number)
}
