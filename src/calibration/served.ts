// What answers for a model now, and whether it still fits what comes in: shared by the command line and the service.
import { type CalibratedModel, type Calibration, calibratorOf } from './calibration.ts'
import { type DriftAlarm, labelledDrift, populationDrift } from './drift/drift.ts'
import { type ObservedDecision, observationsOf } from './drift/reference.ts'
import type { RecordedEvidence, StoredEvent } from './outcomes/outcomes.ts'
import type { CalibrationVersions } from './outcomes/versions.ts'
import { shippedCalibration } from './shipped.ts'

/** Recent events that tell what decisions look like. */
export const RECENT_EVENTS = 2000

export interface ServedCalibration {
  /** Null when probabilities are as the model gives them. */
  readonly calibration: Calibration | null
  /** Whether it was served by a fit, and did not come with the model. */
  readonly isRefitted: boolean
  /** Since when it answers, milliseconds since 1970; null when that is not known. */
  readonly servedSince: number | null
  /** What was passed over, and why; empty when all is well. */
  readonly notes: readonly string[]
}

/** What answers for this model: the newest served one that was made for it, else the one that comes with it. */
export async function servedFor(versions: CalibrationVersions, model: CalibratedModel): Promise<ServedCalibration> {
  const { calibration, notes } = await versions.current(model)
  if (calibration === null) {
    const shipped = await shippedCalibration(model.id)
    const isMismatch = calibratorOf(shipped, model).isMismatch
    const all = isMismatch
      ? [...notes, `What comes with ${model.id} was fitted on another revision or template of it, and is not used.`]
      : notes
    return { calibration: isMismatch ? null : shipped, isRefitted: false, servedSince: null, notes: all }
  }
  const change = (await versions.history()).findLast(({ version }) => version === calibration.version)
  return { calibration, isRefitted: true, servedSince: change?.at ?? null, notes }
}

/** An event as far as drift looks at it. */
export type SeenEvent = Pick<StoredEvent, 'at' | 'state'> & {
  readonly decisions: Readonly<Record<string, ObservedDecision>>
}

export interface Drift {
  /** Events and labels that were looked at: those since it is served. */
  readonly events: number
  readonly labels: number
  /** Without a reference only labels are looked at. */
  readonly hasReference: boolean
  readonly alarms: readonly DriftAlarm[]
}

/** Signs that decisions no longer look, or turn out, as when the calibration was fitted. `evidence` in the order in which it was decided. */
export function driftSince(
  { calibration, servedSince }: Pick<ServedCalibration, 'calibration' | 'servedSince'>,
  model: CalibratedModel,
  events: readonly SeenEvent[],
  evidence: readonly Omit<RecordedEvidence, 'model'>[],
): Drift {
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
