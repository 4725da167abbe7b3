// Turns what is known of calibrations into the replies of the service.
import type { Calibration } from '../../calibration/calibration.ts'
import type { CalibrationNode } from '../../calibration/hierarchy/tree.ts'
import type { HeldOutComparison, VersionChange } from '../../calibration/outcomes/versions.ts'
import type { ServedCalibration } from '../../calibration/served.ts'
import type { CalibratedModel } from '../../questions/shared/decision.ts'
import { DECISION_READOUTS } from '../../questions/shared/readouts.ts'
import type { TaskResults } from './protocol.ts'
import type { ChangeReply, HeldOutReply, LabelsReply, ModelCalibrationReply } from './replies.ts'

export function heldOutReply({ labels, states, current, candidate, interval }: HeldOutComparison): HeldOutReply {
  return { labels, states, current, candidate, interval }
}

export function changeReply({ at, action, version, from, why, heldOut }: VersionChange): ChangeReply {
  return { at, action, version, from, why, held_out: heldOut === null ? null : heldOutReply(heldOut) }
}

export function modelReply(model: CalibratedModel, served: ServedCalibration, look: TaskResults['look']): ModelCalibrationReply {
  const { calibration, isRefitted, servedSince, notes } = served
  const { events, labels, hasReference, alarms } = look.drift
  return {
    model: model.id,
    model_revision: model.revision,
    version: calibration?.version ?? null,
    source: calibration === null ? 'none' : isRefitted ? 'refitted' : 'shipped',
    served_since: servedSince,
    fitted_on: calibration === null ? null : { decisions: calibration.fittedOn.decisions, states: calibration.fittedOn.states },
    labels: calibration === null ? [] : labelsReply(calibration),
    outcomes: { labels: look.labels, waiting: waitingOf(served, look) },
    drift: { events, labels, has_reference: hasReference, alarms },
    notes,
  }
}

/**
 * Labels that the next fit sees for the first time. Outcomes often come late, so counting those decided since the last
 * fit is not enough: the result is the larger of that count and of the growth since the labels of the last fit.
 */
function waitingOf({ calibration, isRefitted }: ServedCalibration, { newest, drift }: TaskResults['look']): number {
  if (calibration === null || !isRefitted) return newest
  return Math.max(drift.labels, newest - calibration.fittedOn.decisions)
}

function labelsReply({ trees }: Calibration): LabelsReply[] {
  return DECISION_READOUTS.flatMap((readout) => {
    const root = trees.single[readout]
    if (root === undefined) return []
    const kinds = Object.entries(root.children ?? {}).map(([kind, node]) => ({ kind, labels: rounded(node) }))
    return [{ readout, labels: rounded(root), kinds }]
  })
}

/** Weighted labels add up to fractions. */
function rounded({ labels }: Pick<CalibrationNode, 'labels'>): number {
  return Math.round(labels)
}
