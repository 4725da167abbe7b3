// Replies about calibrations, as JSON. Types only. Times are milliseconds since 1970, log-losses in nats a decision.
import type { DriftAlarm } from '../../calibration/drift/drift.ts'
import type { VersionChange } from '../../calibration/outcomes/versions.ts'
import type { DecisionReadout } from '../../questions/shared/readouts.ts'

/** A candidate held against what is served, on states that it was not fitted on. */
export interface HeldOutReply {
  readonly labels: number
  readonly states: number
  readonly current: number
  readonly candidate: number
  /** 95 % of candidate minus current. */
  readonly interval: readonly [number, number]
}

/** `POST /v1/calibration/fit`. */
export interface FitReply {
  readonly model: string
  /** `serve`: the candidate answers from now on. `keep`: nothing changed. */
  readonly decision: 'serve' | 'keep'
  /** What answers now; null when probabilities are as the model gives them. */
  readonly version: string | null
  /** Null when there were too few outcomes to decide. */
  readonly held_out: HeldOutReply | null
  /** Why, with the numbers. */
  readonly reason: string
}

/** One change of what is served. */
export interface ChangeReply {
  readonly at: number
  readonly action: VersionChange['action']
  /** What answered from then on; null for what comes with the model. */
  readonly version: string | null
  readonly from: string | null
  readonly why: string
  readonly held_out: HeldOutReply | null
}

/** `POST /v1/calibration/rollback`: the change it made. */
export type RollBackReply = ChangeReply

/** Labels of which a read-out's maps were made: of all, and by kind of decision. */
export interface LabelsReply {
  readonly readout: DecisionReadout
  readonly labels: number
  readonly kinds: readonly { readonly kind: string; readonly labels: number }[]
}

/** What answers for one model. */
export interface ModelCalibrationReply {
  readonly model: string
  readonly model_revision: string
  readonly version: string | null
  /**
   * `shipped`: it came with the model. `refitted`: from outcomes. `none`: probabilities are as the model gives them.
   */
  readonly source: 'shipped' | 'refitted' | 'none'
  /** Null for what was not served by a fit. */
  readonly served_since: number | null
  /** Decisions, and states they were about, that it was fitted on last; null without one. */
  readonly fitted_on: { readonly decisions: number; readonly states: number } | null
  readonly labels: readonly LabelsReply[]
  readonly outcomes: {
    /** Labels of the account that are kept, each counted once whatever it weighs. */
    readonly labels: number
    /** Those of them that what answers now was not fitted on. */
    readonly waiting: number
  }
  readonly drift: {
    /** Newest events that were looked at, and labels, since it is served. */
    readonly events: number
    readonly labels: number
    /** Whether the calibration says what decisions looked like; without it only labels are looked at. */
    readonly has_reference: boolean
    readonly alarms: readonly DriftAlarm[]
  }
  /** What was passed over on the way to this version, and why; empty when all is well. */
  readonly notes: readonly string[]
}

/** `GET /v1/calibration`: all of one account. */
export interface CalibrationReply {
  readonly account: string
  /** Whether other accounts lend their labels to its fits, by the operator's choice. */
  readonly is_pooled: boolean
  /** Models that are loaded. */
  readonly models: readonly ModelCalibrationReply[]
  /** Labels of the account that came in a burst and wait for the operator; no fit sees them. */
  readonly quarantined: number
  /** Newest first. */
  readonly history: readonly ChangeReply[]
  /** When outcomes were looked at: they are counted and searched for drift at most once a minute. */
  readonly looked_at: number
}

/** One bin of the diagram. All bins hold about equally many decisions, and are sorted by probability. */
export interface DiagramPoint {
  /** Mean probability that was said. */
  readonly predicted: number
  /** Share that came true. */
  readonly observed: number
  readonly count: number
  /** Wilson's 95 % interval of `observed`. */
  readonly low: number
  readonly high: number
}

export interface ReliabilityDiagram {
  readonly points: readonly DiagramPoint[]
  /** Smooth calibration error (smECE), in units of probability. */
  readonly smooth_ece: number
  /** Log-loss of whole distributions, in nats. */
  readonly log_loss: number
}

export interface ReadoutDiagrams {
  readonly readout: DecisionReadout
  readonly labels: number
  /** Probabilities as the model gives them, and as they are answered. */
  readonly before: ReliabilityDiagram
  readonly after: ReliabilityDiagram
}

export interface CalibrationDiagrams {
  readonly model: string
  readonly version: string | null
  /** Whether no label that is shown can have been fitted on; otherwise `after` looks better than it is. */
  readonly is_unseen: boolean
  /** Read-outs that have labels, in a fixed order. */
  readonly readouts: readonly ReadoutDiagrams[]
}
