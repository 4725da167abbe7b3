// Pools the distributions of several passes into one. A row holds natural log-probabilities that sum to one in
// probability, [candidate].
import { EngineError } from '../../core/errors.ts'
import { logSoftmax, logSumExp } from '../../core/math.ts'
import { requireAligned } from '../numerics/aligned.ts'

type Row = readonly number[]

/** Mixes the uniform distribution into a row, p' = (1 − K floor) p + floor, so that it rules nothing out. */
function withFloor(row: Row, floor: number): Row {
  if (floor === 0) return row
  const keep = Math.log1p(-row.length * floor)
  return row.map((logP) => logSumExp([keep + logP, Math.log(floor)]))
}

/**
 * The geometric mean of distributions, renormalised: log P = Σ log Pᵣ / R + constant. It has the lowest
 * log-loss when passes err independently, and its temperature stays near one. @param floor smallest probability
 * that one row may give, so that one pass cannot rule a candidate out; below 1/K. @throws EngineError
 * `invalid_request` for no rows, rows that differ in length, or a floor of 1/K and more.
 */
export function logPool(rows: readonly Row[], { floor }: { readonly floor: number }): number[] {
  requireAligned({ rows })
  for (const row of rows) requireAligned({ 'the first row': rows[0], row })
  const share = 1 / rows.length
  const length = rows[0]!.length
  if (!(floor >= 0 && floor * length < 1)) {
    throw new EngineError(
      'invalid_request',
      `a floor of ${floor} is too much for ${length} candidates; it must be from 0 to below 1 / ${length}`,
    )
  }
  const kept = rows.map((row) => withFloor(row, floor))
  return logSoftmax(rows[0]!.map((_, k) => kept.reduce((sum, row) => sum + share * row[k]!, 0)))
}
