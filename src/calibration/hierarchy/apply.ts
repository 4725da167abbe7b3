// A tree of maps and a decision to calibrated probabilities, with a note that says which map they come from.
import { toProbabilities } from '../../core/math.ts'
import type { Calibrator, PassMode } from '../../questions/shared/decision.ts'
import type { DecisionReadout } from '../../questions/shared/readouts.ts'
import { calibrationPath, type Evidence } from '../evidence/evidence.ts'
import { floored, floorOf, mapLogits, shrunkLogits, softmaxWithFloor } from '../maps/apply-map.ts'
import { mapOf } from '../maps/maps.ts'
import { mixedLogits } from '../maps/mixture.ts'
import { type CalibrationTrees, findMap, type MapLookup } from './tree.ts'

/** What of a decision, or of evidence, chooses the map. */
type MapKey = Pick<Evidence, 'readout' | 'hasImage' | 'wording' | 'question'>

/**
 * Calibrated rows, [row][candidate]. Without trees, or without labels of this read-out, the rows are renormalised and
 * floored only.
 */
export function calibrateRows(
  trees: CalibrationTrees | null,
  key: MapKey,
  passMode: PassMode,
  rows: readonly (readonly number[])[],
): ReturnType<Calibrator['calibrate']> {
  const found = trees === null ? null : findMap(trees, passMode, calibrationPath(key, rows[0]?.length ?? 0))
  if (found === null) return { probabilities: rows.map(toProbabilities), note: { applied: 'identity', level: 'none', labels: 0 } }
  const { mixture, level, labels } = found
  const probabilities = rows.map((row) => {
    const logits = parametricLogits(found, key.readout, row)
    return softmaxWithFloor(mixture === null ? logits : mixedLogits(logits, mixture), floorOf(labels, row.length))
  })
  const { name, nameWithBiases = name } = mapOf(key.readout, found.map)
  const applied = mixture !== null ? 'blend' : found.biases.length > 0 ? nameWithBiases : name
  return { probabilities, note: { applied, level, labels: Math.round(labels) } }
}

/** Logits of a row under the map that was found, before an isotonic curve is mixed in. */
export function parametricLogits(found: MapLookup, readout: DecisionReadout, row: readonly number[]): number[] {
  const map = mapOf(readout, found.map)
  // Biases belong to candidates; a row of another length is not one that they were fitted on.
  const biases = found.biases.length === row.length ? found.biases : []
  return shrunkLogits(map, mapLogits(map, floored(row), found.parameters, biases), found.variance)
}
