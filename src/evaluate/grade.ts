// An answer and its truth to numbers: was it right, and what did its probabilities cost. Each type of answer is graded as its own kind of claim.

import { crossEntropy, squaredError } from '../calibration/metrics/scores.ts'
import { entropyBits, overlap } from '../core/math.ts'
import type { Json } from '../core/types.ts'
import { type Decision, type DecisionReadout, targetOf, truthOf } from '../questions/shared/decision.ts'
import type { QuestionAnswer } from '../wire/types.ts'

/** What an answer claims: rows of probabilities over candidates in canonical order (one row; `independent` one row [yes, no] per candidate). */
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
  /** Null for a read without a check. A read with one claims "the value is right". */
  readonly claim: Claim | null
  /** Intersection over union, for one box. */
  readonly overlap?: number
}

/** Nats, the mean over rows: minus the log of the probability of what was true, the expectation of it where the truth lies between two. */
export function logLossOf({ probabilities, truth }: Claim): number {
  return meanOf(probabilities, truth, crossEntropy)
}

/** The mean over rows of the squared error over candidates, halved: from 0 to 1, and (p - y)² for two candidates. */
export function brierOf({ probabilities, truth }: Claim): number {
  return meanOf(probabilities, truth, squaredError) / 2
}

/** Bits, the mean over rows. */
export function entropyOf({ probabilities }: Claim): number {
  return probabilities.reduce((sum, row) => sum + entropyBits(row), 0) / probabilities.length
}

function meanOf(
  rows: readonly (readonly number[])[],
  truth: readonly number[],
  score: (row: readonly number[], target: readonly number[]) => number,
): number {
  return rows.reduce((sum, row, i) => sum + score(row, targetOf(truth[i]!, row.length)), 0) / rows.length
}

/**
 * Null when the truth does not fit the answer (an option that was not offered, a level off the scale). `decision` says the canonical order, and for
 * a read what was checked; without it the order is by name.
 */
export function grade(answer: QuestionAnswer, truth: Json, accept: readonly Json[], decision: Decision | null): Grade | null {
  switch (answer.type) {
    case 'noul': {
      const claim = claimOf('binary', ['true', 'false'], [[answer.noul, 1 - answer.noul]], truth)
      if (claim === null) return null
      // A tie is a guess; a truth between yes and no is right on its nearer side.
      return {
        said: answer.noul,
        right: answer.noul === 0.5 ? 0.5 : Number(answer.noul > 0.5 === claim.truth[0]! < 0.5),
        guess: 0.5,
        claim,
      }
    }
    case 'choice': {
      const names = decision?.names ?? Object.keys(answer.probabilities).sort()
      const claim = claimOf('exclusive', names, [names.map((name) => answer.probabilities[name]!)], truth)
      if (claim === null) return null
      return { said: answer.choice, right: Number(names[claim.truth[0]!] === answer.choice), guess: 1 / names.length, claim }
    }
    case 'score': {
      const row = Object.values(answer.probabilities)
      const claim = claimOf('ordinal', Object.values(answer.legend), [row], truth)
      if (claim === null) return null
      const best = row.indexOf(Math.max(...row))
      return { said: answer.score, right: Number(best === Math.round(claim.truth[0]!)), guess: 1 / row.length, claim }
    }
    case 'select': {
      const names = decision?.names ?? Object.keys(answer.probabilities).sort()
      const rows = names.map((name) => [answer.probabilities[name]!, 1 - answer.probabilities[name]!])
      const claim = claimOf('independent', names, rows, truth)
      if (claim === null) return null
      const isSelected = new Set<string>(answer.selected)
      const right = names.filter((name, i) => isSelected.has(name) === (claim.truth[i] === 0)).length / names.length
      return { said: answer.selected, right, guess: 0.5, claim }
    }
    case 'fill': {
      const said = 'parsed' in answer && answer.parsed !== undefined ? answer.parsed : answer.value
      const isRight = answer.valid && [truth, ...accept].some((one) => isSame(one, said))
      return checked({ said, right: Number(isRight), guess: 0, claim: null }, answer.check)
    }
    case 'extract':
      return gradeExtract(answer, truth, accept)
    default:
      return null
  }
}

function claimOf(readout: DecisionReadout, names: readonly string[], probabilities: Claim['probabilities'], truth: Json): Claim | null {
  const index = truthOf({ readout, names, value: null }, truth)
  return index === null ? null : { readout, names, probabilities, truth: index }
}

/** A read with a self-check claims that its value is right, with that probability. */
function checked(read: Grade, check: number | undefined): Grade {
  if (check === undefined) return read
  return { ...read, claim: { readout: 'check', names: ['true', 'false'], probabilities: [[check, 1 - check]], truth: [1 - read.right] } }
}

/** Case and outer space do not matter; lists are held item by item. */
function isSame(truth: Json, said: Json): boolean {
  if (Array.isArray(truth) || Array.isArray(said)) {
    return (
      Array.isArray(truth) && Array.isArray(said) && truth.length === said.length && truth.every((item, i) => isSame(item, said[i] as Json))
    )
  }
  const [wanted, given] = [String(truth).trim().toLowerCase(), String(said).trim().toLowerCase()]
  return wanted === given || (typeof said === 'number' && wanted !== '' && Number(wanted) === said)
}

type Extract = QuestionAnswer & { type: 'extract' }
type Corners = readonly [number, number, number, number]

function isCorners(value: Json | undefined): value is Corners {
  return Array.isArray(value) && value.length === 4 && value.every((edge) => typeof edge === 'number')
}

/** A box is right from this intersection over union. */
const OVERLAP = 0.5

function gradeExtract(answer: Extract, truth: Json, accept: readonly Json[]): Grade | null {
  if ('boxes' in answer) {
    const wanted = truth === null ? [] : isCorners(truth) ? [truth] : truth
    if (!Array.isArray(wanted) || !wanted.every((one) => isCorners(one))) return null
    const found = answer.boxes.map(({ coordinates }) => coordinates)
    return { said: found as Json, right: boxesF1(found, wanted as readonly Corners[]), guess: 0, claim: null }
  }
  if ('coordinates' in answer) {
    const said = answer.coordinates as Json
    if (truth === null) return { said, right: Number(said === null), guess: 0, claim: null }
    if (!isCorners(truth)) return null
    const shared = answer.coordinates === null ? 0 : overlap(answer.coordinates, truth)
    return { said, right: Number(shared >= OVERLAP), guess: 0, claim: null, overlap: shared }
  }
  if ('values' in answer) {
    const wanted = truth === null ? [] : Array.isArray(truth) ? truth : [truth]
    return checked(
      { said: answer.values, right: Number(isSame(sorted(wanted), sorted(answer.values))), guess: 0, claim: null },
      answer.check,
    )
  }
  if (typeof truth === 'object' && truth !== null) return null
  const isRight = [truth, ...accept].some((one) =>
    one === null ? answer.value === null : answer.value !== null && isSame(one, answer.value),
  )
  return checked({ said: answer.value, right: Number(isRight), guess: 0, claim: null }, answer.check)
}

function sorted(values: readonly Json[]): string[] {
  return values.map((value) => String(value).trim().toLowerCase()).sort()
}

/** Each box found is matched with the wanted one it overlaps most, the best pairs first. Both empty: 1. */
function boxesF1(found: readonly Corners[], wanted: readonly Corners[]): number {
  if (found.length === 0 && wanted.length === 0) return 1
  const pairs = found.flatMap((a, i) => wanted.map((b, j) => ({ i, j, shared: overlap(a, b) }))).filter(({ shared }) => shared >= OVERLAP)
  pairs.sort((a, b) => b.shared - a.shared)
  const [usedFound, usedWanted] = [new Set<number>(), new Set<number>()]
  for (const { i, j } of pairs) {
    if (usedFound.has(i) || usedWanted.has(j)) continue
    usedFound.add(i)
    usedWanted.add(j)
  }
  return (2 * usedFound.size) / (found.length + wanted.length)
}
