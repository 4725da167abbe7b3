// One decision as the engine keeps it: how it was read, what it is called across requests, and its log-probabilities
// before any calibration. Candidates stand in canonical order (sorted by name; levels as given), so that the order a
// caller wrote them in never matters.
import { createHash } from 'node:crypto'
import type { Branch } from '../../backends/backend.ts'
import type { Json } from '../../core/types.ts'
import type { CalibrationReport, SetAndAbstention } from '../../wire/types.ts'

/** That a read is right, by its own probability: of words that were quoted, a value that was written, nothing found. */
export const READ_READOUTS = ['quote', 'written', 'not_there'] as const
export type ReadReadout = (typeof READ_READOUTS)[number]
/** That a read is right, by asking; `check_…` where how probable the read was counts as well. */
export const CHECK_READOUTS = ['check', 'absence', 'check_quote', 'check_written', 'check_not_there'] as const
export type CheckReadout = (typeof CHECK_READOUTS)[number]

/**
 * How a decision is read: the read-outs of a branch; of the binary ones those that have errors of their own:
 * `composed`, a statement put together from others, which alone are read; `compared`, one that compares a number, which
 * is read as well; `check` that a value is right, `absence` that nothing is there to be read; and the read itself.
 */
export const DECISION_READOUTS = [
  'binary',
  'composed',
  'compared',
  'exclusive',
  'ordinal',
  'independent',
  ...CHECK_READOUTS,
  ...READ_READOUTS,
] as const
export type DecisionReadout = (typeof DECISION_READOUTS)[number]

/** Whether it is about a statement of the caller: true or false. */
export function isStatement(readout: DecisionReadout): readout is 'binary' | 'composed' | 'compared' {
  return readout === 'binary' || readout === 'composed' || readout === 'compared'
}

/** Whether two read-outs are of the same event: a statement is true, a read is right. */
export function isSameEvent(one: DecisionReadout, other: DecisionReadout): boolean {
  return one === other || (isStatement(one) && isStatement(other)) || (isCheck(one) && isCheck(other))
}

/** Whether it confirms a read. */
export function isCheck(readout: DecisionReadout): readout is CheckReadout {
  return (CHECK_READOUTS as readonly string[]).includes(readout)
}

/** Whether it is about a value that was read, another one each time: that it is right, or not. */
export function isOfValue(readout: DecisionReadout): readout is CheckReadout | ReadReadout {
  return isCheck(readout) || (READ_READOUTS as readonly string[]).includes(readout)
}

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

export const DELIBERATION_MODES = ['automatic', 'never', 'always'] as const
export type DeliberationMode = (typeof DELIBERATION_MODES)[number]

/** Normalised entropy, H / ln K, above which a decision is uncertain: of every read-out, or by read-out. */
export type Thresholds = number | Readonly<Partial<Record<DecisionReadout, number>>>

/** A decision after one pass. */
export interface FirstLook {
  /** Calibrated, [row][candidate]. */
  readonly probabilities: readonly (readonly number[])[]
  /** Of the decision, as are the tokens. */
  readonly mass: number
  readonly tokens: number
}

/**
 * When a decision is looked at again, and how the passes are put together. Made for one request: `spend` draws on its
 * budget.
 */
export interface Deliberation {
  /** Names of operators for a decision, the most useful first (see `operators.ts`). */
  operatorsFor(readout: DecisionReadout): readonly string[]
  /** Whether what the first look gave calls for more passes. */
  isCalledFor(readout: DecisionReadout, look: FirstLook): boolean
  /**
   * Whether more passes would change nothing: `tops` are the leading candidates after each pass, the first one first.
   */
  isSettled(tops: readonly number[], probabilities: readonly (readonly number[])[]): boolean
  /** Passes, each [row][candidate] of log-probabilities, to one. */
  pool(passes: readonly (readonly (readonly number[])[])[]): readonly (readonly number[])[]
  /** Takes so many branches from the budget of the request; false when they are not there. */
  spend(branches: number): boolean
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

/** The order in which candidates are kept: positions in `candidates`. */
export function canonicalOrder({ readout, candidates }: Pick<Branch, 'readout' | 'candidates'>): number[] {
  const order = candidates.map((_, i) => i)
  if (readout === 'ordinal' || readout === 'binary') return order
  const nameOf = (i: number): string => candidates[i]!.name
  return order.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

/**
 * Names a branch. `readout` differs from the branch's own only for checks, and so does `asked`: the instructions
 * without the value that is checked.
 */
export function decisionKey(branch: Branch, readout: DecisionReadout, hasImage: boolean, asked = branch.instructions): DecisionKey {
  const instructions = normalise(asked)
  const candidates = canonicalOrder(branch).map((i) => [branch.candidates[i]!.name, branch.candidates[i]!.description])
  return {
    readout,
    hasImage,
    candidates: branch.candidates.length,
    wording: hashOf([readout, masked(instructions)]),
    question: hashOf([readout, instructions, candidates]),
  }
}

function normalise(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ')
}

/** Quoted words and numbers are what changes when a question is asked of many things. */
function masked(instructions: string): string {
  return instructions
    .replace(/"[^"]*"|“[^”]*”|«[^»]*»|`[^`]*`/g, '"…"')
    .replace(/\d+(?:[.,]\d+)*/g, '0')
    .toLowerCase()
}

function hashOf(value: Json): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
}

/** Names a value that was read, without case and outer space. */
export function valueHash(value: string | null): string {
  return hashOf(value === null ? null : normalise(value).toLowerCase())
}

/** Whether what was kept of a checked value (`Decision.value`) is of this one. */
export type HoldsValue = (kept: string | null, value: string | null) => boolean

/**
 * A truth to the index of the true candidate in each row of a decision (canonical order); a fraction lies between two
 * candidates, as when annotators were averaged. Statements: a boolean, the probability that it is true, or a name.
 * `exclusive`: a name. `ordinal`: a 0-based level, fractions allowed, or the label of one. `holds`: for what is kept of
 * checked values in another way. `independent`: the names that hold. Checks and reads: a boolean ("the value was
 * right"), or the right value. Null when the truth does not fit the decision.
 */
export function truthOf(
  decision: Pick<Decision, 'readout' | 'names' | 'value'>,
  truth: Json,
  holds: HoldsValue = (kept, value) => kept === valueHash(value),
): readonly number[] | null {
  const { readout, names } = decision
  if (isStatement(readout) || (isOfValue(readout) && typeof truth === 'boolean')) {
    if (typeof truth === 'boolean') return [truth ? 0 : 1]
    if (typeof truth === 'string') return names.includes(truth) ? [names.indexOf(truth)] : null
    return typeof truth === 'number' && truth >= 0 && truth <= 1 ? [1 - truth] : null
  }
  if (isOfValue(readout)) {
    const isNull = truth === null
    if (!isNull && typeof truth !== 'string' && typeof truth !== 'number') return null
    return [holds(decision.value, isNull ? null : String(truth)) ? 0 : 1]
  }
  if (readout === 'ordinal') {
    if (typeof truth === 'string') return names.includes(truth) ? [names.indexOf(truth)] : null
    return typeof truth === 'number' && truth >= 0 && truth <= names.length - 1 ? [truth] : null
  }
  if (readout === 'exclusive') {
    const index = names.indexOf(String(truth))
    return index < 0 ? null : [index]
  }
  if (!Array.isArray(truth) || !truth.every((name) => typeof name === 'string' && names.includes(name))) return null
  return names.map((name) => (truth.includes(name) ? 0 : 1))
}

/** The index of a truth to a target distribution over `length` candidates. */
export function targetOf(truth: number, length: number): number[] {
  const low = Math.min(Math.floor(truth), length - 1)
  const share = truth - low
  return Array.from({ length }, (_, i) => (i === low ? 1 - share : i === low + 1 ? share : 0))
}
