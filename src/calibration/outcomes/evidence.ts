// A labelled decision: what calibration is fitted on and judged by. No state is in it, only hashes and log-probabilities.
import { type DecisionReadout, type PassMode, targetOf } from '../../questions/shared/decision.ts'

/** One line of an evidence file. Hashes are 16 hex digits. */
export interface Evidence {
  /** Where it comes from: a data set and task, or the caller's name for it. Whole tasks are left out to see how unseen questions fare. */
  readonly task: string
  /** Hash of the state: decisions on one state are not independent, so they are split, and resampled, together. */
  readonly state: string
  readonly readout: DecisionReadout
  readonly hasImage: boolean
  readonly wording: string
  readonly question: string
  /** [row][candidate] log-probabilities before calibration, canonical order (see `Decision`). */
  readonly single: readonly (readonly number[])[]
  readonly deliberated: readonly (readonly number[])[] | null
  readonly mass: number
  /** The index of the true candidate in each row; a fraction lies between two (see `truthOf`). */
  readonly truth: readonly number[]
  /** Inverse probability of having been labelled; default 1. */
  readonly weight?: number
}

/** One distribution and what was true of it. Evidence of kind `independent` gives one for each of its rows. */
export interface Sample {
  readonly readout: DecisionReadout
  readonly task: string
  readonly state: string
  /** From the kind of decision to this very question: each level is calibrated as a child of the one before it. */
  readonly path: readonly [readout: string, kind: string, wording: string, question: string]
  /** Natural log-probabilities, renormalised. */
  readonly logProbabilities: readonly number[]
  /** A distribution; one-hot unless annotators disagreed. */
  readonly target: readonly number[]
  readonly weight: number
}

/** Candidates in the steps that calibration tells apart: a model sure among two is not equally sure among twenty. */
function sizeOf(readout: DecisionReadout, candidates: number): string {
  if (readout !== 'exclusive' && readout !== 'ordinal') return 'any'
  return candidates <= 3 ? '2-3' : candidates <= 7 ? '4-7' : '8+'
}

/** The path of a decision in the tree of calibrations. `candidates`: of the row. */
export function calibrationPath(
  key: { readonly readout: DecisionReadout; readonly hasImage: boolean; readonly wording: string; readonly question: string },
  candidates: number,
): Sample['path'] {
  const kind = `${key.readout} ${key.hasImage ? 'image' : 'text'} ${sizeOf(key.readout, candidates)}`
  return [key.readout, kind, key.wording, key.question]
}

/** The distributions of evidence under a regime. Evidence without that regime gives none. */
export function samplesOf(evidence: Evidence, regime: PassMode): Sample[] {
  const rows = regime === 'single' ? evidence.single : evidence.deliberated
  if (rows === null) return []
  return rows.map((logProbabilities, row) => ({
    readout: evidence.readout,
    task: evidence.task,
    state: evidence.state,
    path: calibrationPath(evidence, logProbabilities.length),
    logProbabilities,
    target: targetOf(evidence.truth[row]!, logProbabilities.length),
    // Rows of one decision share its weight, so that a select with forty options does not count forty times.
    weight: (evidence.weight ?? 1) / rows.length,
  }))
}
