// Minimises a smooth function of few numbers within bounds: Newton steps, damped until they descend (Levenberg 1944,
// Marquardt 1963). Deterministic. A step to a value that is not finite is refused, so the result is finite if the start
// is.

/** A function at a point: its value, gradient, and a positive definite curvature nearby (exact or Fisher's). */
export interface Curvature {
  readonly value: number
  readonly gradient: readonly number[]
  readonly hessian: readonly (readonly number[])[]
}

export interface Bounds {
  readonly lower: number
  readonly upper: number
}

const ITERATIONS = 200
/** Ends when a step would gain less than this, relative to the value. */
const TOLERANCE = 1e-13

/** The point with the least value. @param bounds of each number. */
export function minimise(
  start: readonly number[],
  bounds: readonly Bounds[],
  evaluate: (point: readonly number[]) => Curvature,
): readonly number[] {
  let point = start.map((value, i) => clamp(value, bounds[i]!))
  let here = evaluate(point)
  let damping = 0
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    // Numbers at a bound whose gradient points outward stay there.
    const isFree = point.map(
      (value, i) => !(value <= bounds[i]!.lower && here.gradient[i]! > 0) && !(value >= bounds[i]!.upper && here.gradient[i]! < 0),
    )
    const step = newtonStep(here, isFree, damping)
    if (step === null) {
      damping = Math.max(damping * 10, 1e-6)
      if (damping > 1e12) break
      continue
    }
    const promised = -step.reduce((sum, value, i) => sum + value * here.gradient[i]!, 0) / 2
    if (!(promised > TOLERANCE * (1 + Math.abs(here.value)))) break
    const next = point.map((value, i) => clamp(value + step[i]!, bounds[i]!))
    const there = evaluate(next)
    if (there.value <= here.value) {
      point = next
      here = there
      damping = damping < 1e-6 ? 0 : damping / 10
    } else {
      damping = Math.max(damping * 10, 1e-4)
      if (damping > 1e12) break
    }
  }
  return point
}

function clamp(value: number, { lower, upper }: Bounds): number {
  return Math.min(upper, Math.max(lower, value))
}

/**
 * Solves (H + damping · (diagonal + 1)) step = −gradient over the free numbers; null unless the matrix is positive
 * definite.
 */
function newtonStep({ gradient, hessian }: Curvature, isFree: readonly boolean[], damping: number): number[] | null {
  const free = gradient.flatMap((_, i) => (isFree[i] ? [i] : []))
  if (free.length === 0) return gradient.map(() => 0)
  const matrix = free.map((i) => free.map((j) => hessian[i]![j]! + (i === j ? damping * (Math.abs(hessian[i]![i]!) + 1) : 0)))
  const factor = cholesky(matrix)
  if (factor === null) return null
  const solved = solveCholesky(
    factor,
    free.map((i) => -gradient[i]!),
  )
  const step = gradient.map(() => 0)
  for (const [at, i] of free.entries()) step[i] = solved[at]!
  return step
}

/** Lower triangle L with L Lᵀ = the matrix; null unless it is positive definite. */
export function cholesky(matrix: readonly (readonly number[])[]): number[][] | null {
  const factor: number[][] = []
  for (const [i, line] of matrix.entries()) {
    const row: number[] = []
    for (let j = 0; j <= i; j++) {
      const other = j === i ? row : factor[j]!
      let sum = line[j]!
      for (let k = 0; k < j; k++) sum -= row[k]! * other[k]!
      if (j < i) row.push(sum / other[j]!)
      else if (sum > 1e-14 * Math.abs(line[i]!) && Number.isFinite(sum)) row.push(Math.sqrt(sum))
      else return null
    }
    factor.push(row)
  }
  return factor
}

export function solveCholesky(factor: readonly (readonly number[])[], right: readonly number[]): number[] {
  const size = right.length
  const solved = [...right]
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) solved[i]! -= factor[i]![k]! * solved[k]!
    solved[i]! /= factor[i]![i]!
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) solved[i]! -= factor[k]![i]! * solved[k]!
    solved[i]! /= factor[i]![i]!
  }
  return solved
}

/**
 * The diagonal of the inverse of a positive definite matrix: posterior variances from precisions. Zeros when there is
 * none.
 */
export function inverseDiagonal(matrix: readonly (readonly number[])[]): number[] {
  const factor = cholesky(matrix)
  if (factor === null) return matrix.map(() => 0)
  return matrix.map(
    (_, i) =>
      solveCholesky(
        factor,
        matrix.map((_, j) => (i === j ? 1 : 0)),
      )[i]!,
  )
}
