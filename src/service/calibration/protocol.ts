// The messages between a service and its calibration thread. Everything here survives the structured clone of
// postMessage.
import type { Calibration } from '../../calibration/calibration.ts'
import type { RecordedEvidence } from '../../calibration/evidence/evidence.ts'
import type { RefitResult } from '../../calibration/refit/refit.ts'
import type { DriftReport, SeenEvent } from '../../calibration/served.ts'
import type { CalibratedModel } from '../../questions/shared/decision.ts'
import type { ReadoutDiagrams } from './replies.ts'

/** A label without its model: all are of one. */
export type Labelled = Omit<RecordedEvidence, 'model'>

/** The account itself, or which of the accounts that lend it theirs. */
export type LabelSource = 'own' | number

/** Labels and events come in pieces, labels in the order of their decisions; then one task on them. */
export type ToThread =
  | { readonly type: 'labels'; readonly labels: readonly Labelled[]; readonly from: LabelSource }
  | { readonly type: 'events'; readonly events: readonly SeenEvent[] }
  | ({ readonly type: 'work' } & CalibrationTask)

export interface CalibrationTask {
  readonly task: keyof TaskResults
  readonly model: CalibratedModel
  /** What answers now, and since when. */
  readonly calibration: Calibration | null
  readonly servedSince: number | null
  /** How many accounts lend labels. */
  readonly lenders: number
}

export interface TaskResults {
  readonly fit: RefitResult
  /** `labels`: all of the model; `newest`: those of them that a fit takes. */
  readonly look: { readonly labels: number; readonly newest: number; readonly drift: DriftReport }
  readonly diagrams: { readonly isUnseen: boolean; readonly readouts: readonly ReadoutDiagrams[] }
}

export type FromThread = { readonly value: TaskResults[keyof TaskResults] } | { readonly message: string }
