// One decision as the engine keeps it: how it was read, what it is called across requests, and its log-probabilities
// before any calibration. Candidates stand in canonical order (sorted by name; levels as given), so that the order a
// caller wrote them in never matters.
import type { CalibrationReport, SetAndAbstention } from '../../wire/types.ts'
import type { DecisionReadout } from './readouts.ts'

/**
 * Log-probabilities of one pass, or pooled over several: they err differently, so each is calibrated by its own map.
 */
export type PassMode = 'single' | 'deliberated'

/** What a decision is called. Hashes are 16 hex digits. */
export interface DecisionKey {
  readonly readout: DecisionReadout
  /** Whether the state holds an image that the question may look at. */
  readonly hasImage: boolean
  /**
   * Candidates of the distribution: 2 for statements, checks and reads; for `independent`, how many yes-or-no rows
   * there are.
   */
  readonly candidates: number
  /** The instructions with quoted words and numbers masked: the same question about other things. */
  readonly wording: string
  /** The instructions and all candidates, exactly: the same question. */
  readonly question: string
}

export interface Decision extends DecisionKey {
  /**
   * Names of the candidates in canonical order; `['true', 'false']` for checks, reads and statements, but the words of
   * the caller, yes first, where it was asked as a choice or a scale.
   */
  readonly names: readonly string[]
  /**
   * Positions in `names` in the order in which the caller wrote the candidates; absent where that is the order of
   * `names`. It is for people to look at and names nothing.
   */
  readonly asWritten?: readonly number[]
  /**
   * [row][candidate] natural log-probabilities, each row renormalised. One row; for `independent` one row [yes, no] per
   * candidate. Of `composed` and `compared`, what the calibrated decisions behind it come to.
   */
  readonly single: readonly (readonly number[])[]
  /** The same, pooled over the passes of deliberation; null when it did not come to that. */
  readonly deliberated: readonly (readonly number[])[] | null
  /** Probability on the candidates before renormalising, the smallest of all rows. */
  readonly mass: number
  /** Tokens that the first look read, of state and question; null for what was worked out, and for reads. */
  readonly tokens: number | null
  /** The feature vector of state and question, for fitted heads; null when the model gives none. */
  readonly features: Float32Array | null
  /**
   * Checks and reads only: SHA-256 of the value that was read (`valueHash`), so that an outcome can be held against it
   * without keeping the value.
   */
  readonly value: string | null
  /** The model that decided, where it is not that of the event: a later model of a chain. */
  readonly by?: CalibratedModel
  /** How the models of a chain before it decided the same; not of checks, since each checks its own value. */
  readonly earlier?: readonly Decision[]
}

/** What decisions, evidence and calibrations are bound to: the revision of the weights and the template hash. */
export interface ModelVersion {
  readonly revision: string
  readonly templateHash: string
}

/** A model version, under the name of its model. */
export interface CalibratedModel extends ModelVersion {
  readonly id: string
}

export function isSameVersion(a: ModelVersion, b: ModelVersion): boolean {
  return a.revision === b.revision && a.templateHash === b.templateHash
}

/**
 * Turns a model's log-probabilities into the probabilities of answers. Pure: the same decision gives the same answer.
 */
export interface Calibrator {
  /** Calibrated probabilities of each row, in canonical order; every row sums to one, nothing is 0 or 1. */
  calibrate(
    key: DecisionKey,
    passMode: PassMode,
    rows: readonly (readonly number[])[],
    features: Float32Array | null,
  ): { readonly probabilities: readonly (readonly number[])[]; readonly note: CalibrationReport }
}

/** Makes the set and the abstention of a decision; throws `invalid_request` when too little data stands behind it. */
export type PredictionSets = (key: DecisionKey, probabilities: readonly (readonly number[])[], names: readonly string[]) => SetAndAbstention

/**
 * What one request decided, as it is kept for outcomes and evaluation. Names: question ids, arguments as
 * `question/argument`.
 */
export interface DecisionEvent {
  readonly id: string
  readonly model: string
  readonly revision: string
  readonly templateHash: string
  /** Hash of the state as the model read it, 16 hex digits. */
  readonly state: string
  readonly decisions: Readonly<Record<string, Decision>>
}

/** What the event's own model decided: all but what later models of a chain did. */
export function ownDecisions({ decisions }: Pick<DecisionEvent, 'decisions'>): Readonly<Record<string, Decision>> {
  const own = Object.entries(decisions).flatMap(([name, decision]): [string, Decision][] => {
    if (decision.by === undefined) return [[name, decision]]
    const before = decision.earlier?.find(({ by }) => by === undefined)
    return before === undefined ? [] : [[name, before]]
  })
  return Object.fromEntries(own)
}
