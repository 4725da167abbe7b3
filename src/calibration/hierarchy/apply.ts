// A tree of maps and a decision to calibrated probabilities and the note that says where they came from.
import { toProbabilities } from '../../core/math.ts'
import type { Calibrator, DecisionReadout, PassMode } from '../../questions/shared/decision.ts'
import { floored, floorOf, mapKindOf, mapLogits, shrunkLogits, softmaxWithFloor } from '../maps/maps.ts'
import { blendedLogits } from '../maps/mixture.ts'
import { calibrationPath, type Evidence } from '../outcomes/evidence.ts'
import { type CalibrationTrees, type Finding, findMap } from './tree.ts'

/** What of a decision, or of evidence, chooses the map. */
export type PathKey = Pick<Evidence, 'readout' | 'hasImage' | 'wording' | 'question'>

/** Calibrated rows. `trees` null, or without labels of this read-out: the rows as they are, renormalised and floored. */
export function calibrateRows(
  trees: CalibrationTrees | null,
  key: PathKey,
  regime: PassMode,
  rows: readonly (readonly number[])[],
): ReturnType<Calibrator['calibrate']> {
  const finding = trees === null ? null : findMap(trees, regime, calibrationPath(key, rows[0]?.length ?? 0))
  if (finding === null) return { probabilities: rows.map(toProbabilities), note: { applied: 'identity', level: 'none', labels: 0 } }
  const { blend, level, labels } = finding
  const probabilities = rows.map((row) => {
    const logits = parametricLogits(finding, key.readout, row)
    return softmaxWithFloor(blend === null ? logits : blendedLogits(logits, blend), floorOf(labels, row.length))
  })
  const applied = blend !== null ? 'blend' : finding.biases.length > 0 ? 'affine' : mapKindOf(key.readout)
  return { probabilities, note: { applied, level, labels: Math.round(labels) } }
}

/** Logits of a row after the map that was found, before steps are mixed in. */
export function parametricLogits(finding: Finding, readout: DecisionReadout, row: readonly number[]): number[] {
  const kind = mapKindOf(readout)
  // Biases belong to places; a row of another length is not the one they were fitted on.
  const biases = finding.biases.length === row.length ? finding.biases : []
  return shrunkLogits(mapLogits(kind, floored(row), finding.parameters, biases), finding.variance, kind)
}
