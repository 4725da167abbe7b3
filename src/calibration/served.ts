// The calibration that a model answers with now, and whether it still fits new decisions. The command line and the
// service share it.

import type { CalibratedModel } from '../questions/shared/decision.ts'
import { type Calibration, calibratorOf } from './calibration.ts'
import { type DriftAlarm, labelledDrift, populationDrift } from './drift/drift.ts'
import { type ObservedDecision, observationsOf } from './drift/reference.ts'
import type { RecordedEvidence } from './evidence/evidence.ts'
import type { StoredEvent } from './outcomes/outcomes.ts'
import type { CalibrationVersions } from './outcomes/versions.ts'
import { shippedCalibration, shippedFor } from './shipped.ts'

/** Number of recent events that drift detection uses. */
export const RECENT_EVENTS = 2000

export interface ServedCalibration {
  /** Null when probabilities are the model's own. */
  readonly calibration: Calibration | null
  /** Whether it was fitted later and did not come with the model. */
  readonly isRefitted: boolean
  /** Since when it is served, milliseconds since 1970; null when unknown. */
  readonly servedSince: number | null
  /** Versions that were skipped, and why; empty when all is well. */
  readonly notes: readonly string[]
}

/** The newest served calibration that was made for the model, else the one that comes with it. */
export async function servedFor(versions: CalibrationVersions, model: CalibratedModel): Promise<ServedCalibration> {
  const { calibration, notes } = await versions.current(model)
  if (calibration === null) {
    const shipped = await shippedFor(model)
    const isMismatch = shipped === null && (await shippedCalibration(model.id)) !== null
    const all = isMismatch
      ? [...notes, `What comes with ${model.id} was fitted on another revision or template of it, and is not used.`]
      : notes
    return { calibration: shipped, isRefitted: false, servedSince: null, notes: all }
  }
  const change = (await versions.history()).findLast(({ version }) => version === calibration.version)
  return { calibration, isRefitted: true, servedSince: change?.at ?? null, notes }
}

/** The fields of an event that drift detection uses. */
export type SeenEvent = Pick<StoredEvent, 'at' | 'state'> & {
  readonly decisions: Readonly<Record<string, ObservedDecision>>
}

export interface DriftReport {
  /** Events since the calibration is served. */
  readonly events: number
  /** Labels since then. */
  readonly labels: number
  /** Whether unlabelled drift was measured. */
  readonly hasReference: boolean
  readonly alarms: readonly DriftAlarm[]
}

/** Signs that decisions no longer look, or turn out, as they did in the fit. `evidence` is oldest first. */
export function driftSince(
  { calibration, servedSince }: Pick<ServedCalibration, 'calibration' | 'servedSince'>,
  model: CalibratedModel,
  events: readonly SeenEvent[],
  evidence: readonly Omit<RecordedEvidence, 'model'>[],
): DriftReport {
  const since = servedSince ?? -Infinity
  const recent = events.filter(({ at }) => at >= since)
  const labelled = evidence.filter(({ at }) => at >= since)
  const { reference } = calibration ?? {}
  const alarms = [
    ...(reference === undefined ? [] : populationDrift(reference, observationsOf(recent))),
    ...labelledDrift(labelled, calibratorOf(calibration, model)),
  ]
  return { events: recent.length, labels: labelled.length, hasReference: reference !== undefined, alarms }
}
