// A labelled decision: what calibrations are fitted on and compared by. It holds hashes and log-probabilities, no
// state.
import type { CalibratedModel, DecisionKey, PassMode } from '../../questions/shared/decision.ts'
import type { DecisionReadout } from '../../questions/shared/readouts.ts'
import { targetOf } from '../../questions/shared/truth.ts'

/** One line of an evidence file. Hashes are 16 hex digits. */
export interface Evidence {
  /**
   * Where it comes from: a data set and task, or a name of the caller. Whole tasks are left out to see how well a
   * calibration does on unseen questions.
   */
  readonly task: string
  /** Hash of the state. Decisions on one state are not independent, so they are split and resampled together. */
  readonly state: string
  readonly readout: DecisionReadout
  readonly hasImage: boolean
  readonly wording: string
  readonly question: string
  /** [row][candidate] log-probabilities before calibration, canonical order (see `Decision`). */
  readonly single: readonly (readonly number[])[]
  readonly deliberated: readonly (readonly number[])[] | null
  readonly mass: number
  /** Of the decision; older files do not say. */
  readonly tokens?: number | null
  /** The index of the true candidate in each row; a fraction lies between two (see `truthOf`). */
  readonly truth: readonly number[]
  /** Inverse probability of having been labelled; default 1. Of outcomes at most `LARGEST_LABEL_WEIGHT`. */
  readonly weight?: number
}

/** Cap of inverse probabilities, so that one rare label does not outweigh all others. */
export const LARGEST_LABEL_WEIGHT = 20

/** Evidence from outcomes, with its origin. Its `task` is the name of the decision. */
export interface RecordedEvidence extends Evidence {
  readonly event: string
  readonly at: number
  readonly model: CalibratedModel
  /** The feature vector, where the store keeps it. */
  readonly features: Float32Array | null
}

/** What evidence has of its decision. */
export type DecidedEvidence = Omit<Required<Evidence>, 'task' | 'state' | 'truth' | 'weight'>

/** A field that is missing in these lists is an error of types: whoever copies evidence copies it by them. */
const DECIDED_FIELDS: Readonly<Record<keyof DecidedEvidence, true>> = {
  readout: true,
  hasImage: true,
  wording: true,
  question: true,
  single: true,
  deliberated: true,
  mass: true,
  tokens: true,
}
const EVIDENCE_FIELDS: Readonly<Record<keyof Evidence, true>> = { task: true, state: true, ...DECIDED_FIELDS, truth: true, weight: true }

/** The fields of a decision that are evidence, and no others. */
export function decidedEvidence(decision: DecidedEvidence): DecidedEvidence {
  return { ...copyOf(decision, DECIDED_FIELDS), tokens: decision.tokens ?? null }
}

/** The fields of evidence, without what came with it from its origin; one that it does not have is undefined. */
export function ownEvidence(evidence: Evidence): Evidence {
  return copyOf(evidence, EVIDENCE_FIELDS)
}

/** The same, defaults filled in. */
export function bareEvidence(evidence: Evidence): Evidence {
  return { ...ownEvidence(evidence), tokens: evidence.tokens ?? null, weight: evidence.weight ?? 1 }
}

function copyOf<T>(from: T, fields: Readonly<Record<keyof T, true>>): T {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, from[name as keyof T]])) as T
}

/** A distribution with its truth. Evidence of read-out `independent` gives one for each of its rows. */
export interface Sample {
  readonly readout: DecisionReadout
  readonly task: string
  readonly state: string
  /** From the read-out to the question itself: each level is calibrated as a child of the one before it. */
  readonly path: readonly [readout: string, kind: string, wording: string, question: string]
  /** Natural log-probabilities, renormalised. */
  readonly logProbabilities: readonly number[]
  /** A distribution; one-hot unless annotators disagreed. */
  readonly target: readonly number[]
  readonly weight: number
}

/** The key of the decision that the evidence is about. */
export function keyOf({ readout, hasImage, wording, question, single }: Evidence): DecisionKey {
  const candidates = readout === 'independent' ? single.length : (single[0]?.length ?? 0)
  return { readout, hasImage, candidates, wording, question }
}

/**
 * The class of a number of levels, since confidence among two and among ten are calibrated differently. Options of a
 * choice have one map however many there are: how likely one is beside another does not depend on the rest, and what
 * maps by their number gain is .0002 nats a choice about texts, .003 about pictures.
 */
function sizeOf(readout: DecisionReadout, candidates: number): string {
  if (readout !== 'ordinal') return 'any'
  return candidates <= 3 ? '2-3' : candidates <= 7 ? '4-7' : '8+'
}

/** The path of a decision in the tree of maps. `candidates`: of a row. */
export function calibrationPath(
  key: { readonly readout: DecisionReadout; readonly hasImage: boolean; readonly wording: string; readonly question: string },
  candidates: number,
): Sample['path'] {
  const kind = `${key.readout} ${key.hasImage ? 'image' : 'text'} ${sizeOf(key.readout, candidates)}`
  return [key.readout, kind, key.wording, key.question]
}

/** The distributions of evidence under a pass mode; none when it was not decided so. */
export function samplesOf(evidence: Evidence, passMode: PassMode): Sample[] {
  const rows = passMode === 'single' ? evidence.single : evidence.deliberated
  if (rows === null) return []
  return rows.map((logProbabilities, row) => ({
    readout: evidence.readout,
    task: evidence.task,
    state: evidence.state,
    path: calibrationPath(evidence, logProbabilities.length),
    logProbabilities,
    target: targetOf(evidence.truth[row]!, logProbabilities.length),
    // The rows of one decision share its weight, so that a select with forty options does not count forty times.
    weight: (evidence.weight ?? 1) / rows.length,
  }))
}
