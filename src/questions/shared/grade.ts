// What grading an answer says, and the parts of it that several kinds share.
import type { Json } from '../../core/types.ts'
import type { Decision } from './decision.ts'
import { type DecisionReadout, isStatement, type ReadReadout } from './readouts.ts'
import { truthOf } from './truth.ts'

/**
 * What an answer claims: rows of probabilities over candidates in canonical order (one row; `independent` one row [yes,
 * no] per candidate).
 */
export interface Claim {
  readonly readout: DecisionReadout
  readonly names: readonly string[]
  readonly probabilities: readonly (readonly number[])[]
  /** The index of the true candidate in each row; a fraction lies between two. */
  readonly truth: readonly number[]
}

export interface Grade {
  /** What the answer said, for people: a probability, an option, a mean level, names, a value, a box. */
  readonly said: Json
  /** 1 or 0; for a `select` the share of its options that are right; for several boxes their F1. */
  readonly right: number
  /** What `right` would be on average by guessing; 0 for reads, which cannot be guessed. */
  readonly guess: number
  /** How sure the answer was of what it said, from 0 to 1. */
  readonly confidence: number
  /** A read claims that its value is right; null for boxes. */
  readonly claim: Claim | null
  /** Intersection over union, for one box. */
  readonly overlap?: number
}

/**
 * The read-out that a distribution is graded by. It is the kind's own, but `binary` where the options are yes and no:
 * that is decided as a claim (`decide`), and its decision says so.
 */
export function readoutOfGrade<R extends DecisionReadout>(own: R, decision: Pick<Decision, 'readout'> | null): R | 'binary' {
  return decision !== null && isStatement(decision.readout) ? 'binary' : own
}

/** The claim of a distribution; null when the truth does not fit it. */
export function claimOf(
  readout: DecisionReadout,
  names: readonly string[],
  probabilities: Claim['probabilities'],
  truth: Json,
): Claim | null {
  const index = truthOf({ readout, names, value: null }, truth)
  return index === null ? null : { readout, names, probabilities, truth: index }
}

/** The grade of a read, which claims that its value is right: by its self-check, or else by its own confidence. */
export function gradeOfRead(
  { check, confidence }: { readonly confidence: number; readonly check?: number },
  readout: ReadReadout,
  said: Json,
  right: number,
): Grade {
  const isRight = check ?? confidence
  const claim: Claim = {
    readout: check === undefined ? readout : 'check',
    names: ['true', 'false'],
    probabilities: [[isRight, 1 - isRight]],
    truth: [1 - right],
  }
  return { said, right, guess: 0, confidence, claim }
}

/**
 * Whether what was read is one of the truths; a null says that nothing is there. A boolean says whether it was right,
 * as in outcomes, unless the words that were read are true or false themselves.
 */
export function isRightRead(said: Json, truths: readonly Json[]): boolean {
  const isWordOfTruth = typeof said === 'string' && /^\s*(true|false)\s*$/i.test(said)
  return truths.some((truth) => {
    if (typeof truth === 'boolean' && !isWordOfTruth) return truth
    return truth === null || said === null ? truth === said : isSameValue(truth, said)
  })
}

/** Case and outer space do not matter; lists are compared item by item. */
export function isSameValue(truth: Json, said: Json): boolean {
  if (Array.isArray(truth) || Array.isArray(said)) {
    return (
      Array.isArray(truth) &&
      Array.isArray(said) &&
      truth.length === said.length &&
      truth.every((item, i) => isSameValue(item, said[i] as Json))
    )
  }
  const [wanted, given] = [String(truth).trim().toLowerCase(), String(said).trim().toLowerCase()]
  return wanted === given || (typeof said === 'number' && wanted !== '' && Number(wanted) === said)
}

/** A truth that needs no reading; null says that nothing is known. */
export function plainTruth(truth: Json): Json | undefined {
  return truth === null ? undefined : truth
}
