// Decides a statement: as it is read, or, where it says so much by itself, by what the model makes of its parts. Of one
// that is put together from others these are decided, and the laws of probability do the rest; of one that compares a
// number or a day, that is read, and compared; one that says what a field says is held against it.
import type { Branch, Span } from '../../backends/backend.ts'
import { entropyBits } from '../../core/math.ts'
import { pointer, pointerTokens } from '../../core/pointer.ts'
import type { Comparison } from '../logic/compared-values.ts'
import { comparisonOf } from '../logic/comparison.ts'
import { statedField } from '../logic/fields/stated-field.ts'
import { claimsOf, probabilityOf } from '../logic/formula.ts'
import { formulaOf } from '../logic/parse.ts'
import type { QuestionContext } from './checked-question.ts'
import { all, free, type QuestionCoroutine, read } from './coroutine.ts'
import { type DecideOptions, type DecideResult, decideBranch, LOG_FLOOR } from './decide-branch.ts'
import { decideRead } from './decide-read.ts'
import { decisionKey } from './decision-key.ts'

/** UTF-16 units in front of a value in which its currency and what it is a bound of are looked for. */
const AHEAD = 24
/** How sure we are, from 0 to 1, that a field told by rules is the one that is meant. */
export const STATED = 0.98

/** Where the caller describes what true and false mean, a statement is read as it is written. */
export function* decideStatement(asked: Branch, context: QuestionContext, options: DecideOptions = {}): QuestionCoroutine<DecideResult> {
  const branch = { ...asked, instructions: plainlyClosed(asked.instructions) }
  if (branch.candidates.some(({ description }) => description !== null)) return yield* decideBranch(branch, 'binary', context, options)
  const formula = formulaOf(branch.instructions)
  const claimed = (instructions: string): Branch => ({ ...branch, instructions })
  if (typeof formula === 'string') return yield* decideClaim(claimed(formula), context, options)
  const claims = claimsOf(formula)
  const parts = yield* all(claims.map((claim) => decideClaim(claimed(claim), context, {})))
  const isTrue = probabilityOf(formula, new Map(claims.map((claim, i) => [claim, probabilityOfTrue(parts[i]!)])))
  return workedOut({ branch, readout: 'composed', isTrue, parts }, context, options)
}

const CLOSING = /(?<![.!?\s])[.!?\s]+$/

/** How loudly a statement is said is no part of it: "!!!" closes one as "." does, and "?!" as "?". */
function plainlyClosed(statement: string): string {
  const marks = CLOSING.exec(statement)?.[0] ?? ''
  if (/^\s*[.?]?\s*$/.test(marks)) return statement
  return `${statement.slice(0, -marks.length)}${marks.includes('?') ? '?' : '.'}`
}

/** One claim. What a field says or a number comes to counts where the model finds values better than it judges them. */
function* decideClaim(branch: Branch, context: QuestionContext, options: DecideOptions): QuestionCoroutine<DecideResult> {
  if (!context.usesLogic) return yield* decideBranch(branch, 'binary', context, options)
  // How sure the whole claim and its value are counts together, so neither is told by itself.
  const quiet = { ...context, decided: undefined }
  const stated = statedField(branch.instructions, context.records)
  if (stated !== null) {
    // Weighed by what the fields say as well, the claim would count the same field twice.
    const plain = yield* decideBranch(branch, 'binary', quiet, { ...options, weigh: undefined })
    return announced(weighed(branch, plain, { isTrue: stated, confidence: STATED }, context, options), context)
  }
  const comparison = comparisonOf(branch.instructions)
  if (comparison === null) return yield* decideBranch(branch, 'binary', context, options)
  const both = [decideBranch(branch, 'binary', quiet, options), free(compareValue(branch, comparison, quiet))]
  const [plain, found] = (yield* all<DecideResult | Compared | null>(both)) as [DecideResult, Compared | null]
  return announced(found === null ? plain : weighed(branch, plain, found, context, options), context)
}

/** Tells of a decision once all that it is made of is there. */
function announced(made: DecideResult, { decided }: QuestionContext): DecideResult {
  const { readout, mass } = made.decision
  decided?.({ readout, probabilities: made.probabilities, mass, isLearned: made.report.calibration.applied === 'learned' })
  return made
}

/** Decided by the value and by the claim as a whole, as `weighedTruth` says. */
function weighed(branch: Branch, plain: DecideResult, found: Compared, context: QuestionContext, options: DecideOptions): DecideResult {
  return workedOut({ branch, readout: 'compared', isTrue: weighedTruth(found, probabilityOfTrue(plain)), parts: [plain] }, context, options)
}

/**
 * The probability that a claim is true, by a value that may be another one than is meant: confidence × (1 if the value
 * makes it true, else 0) + (1 − confidence) × `asWhole`, which is the model's own probability of the whole claim.
 */
export function weighedTruth({ isTrue, confidence }: Compared, asWhole: number): number {
  return confidence * Number(isTrue) + (1 - confidence) * asWhole
}

/** The log-probabilities of yes and no. */
export function rowOf(isTrue: number): readonly number[] {
  return [isTrue, 1 - isTrue].map((probability) => Math.max(LOG_FLOOR, Math.log(probability)))
}

/** What a field, a number or a day makes of a claim, and how sure it is that it is the right one. */
export interface Compared {
  readonly isTrue: boolean
  readonly confidence: number
}

/** Where the number or the day stands besides. */
export interface ComparedValue extends Compared {
  readonly span: Span
}

/** Null where none was found, or none that can be compared. */
export function* compareValue(branch: Branch, comparison: Comparison, context: QuestionContext): QuestionCoroutine<ComparedValue | null> {
  const asked: Branch = { readout: 'read', instructions: comparison.asked, candidates: [], image: branch.image }
  const reply = yield* read(asked, { type: 'span', many: false, format: comparison.format })
  const span = reply.type === 'spans' ? reply.spans[0] : undefined
  if (span === undefined) return null
  const whole = context.textOf(span.source) ?? ''
  const [ahead, behind] = [whole.slice(Math.max(0, span.start - AHEAD), span.start), whole.slice(span.end)]
  // A text alone has no path, and so no name and no objects around it.
  const keys = pointerTokens(span.source.path ?? '')
  const around = keys.map((_, level) => keys.slice(0, -1 - level))
  const beside = (other: string) => around.map((object) => context.textOf({ ...span.source, path: pointer('', ...object, other) }) ?? '')
  const isTrue = comparison.holds({ text: span.text, ahead, behind, name: keys.at(-1) ?? '', beside })
  if (isTrue === null) return null
  return { span, isTrue, confidence: decideRead(asked, 'quote', span.text, span.logProbability, context).confidence }
}

interface WorkedOut {
  readonly branch: Branch
  readonly readout: 'composed' | 'compared'
  /** The probability that the statement is true, by its parts. */
  readonly isTrue: number
  readonly parts: readonly DecideResult[]
}

/** The decision of a statement that was worked out from calibrated ones: it has a calibration of its own. */
function workedOut(
  { branch, readout, isTrue, parts }: WorkedOut,
  { calibrator, hasImages, predictionSets }: QuestionContext,
  { asked, names: shown }: DecideOptions,
): DecideResult {
  const key = decisionKey(branch, readout, hasImages, asked)
  const single = [rowOf(isTrue)]
  const { probabilities, note } = calibrator.calibrate(key, 'single', single, null)
  const mass = Math.min(...parts.map(({ decision }) => decision.mass))
  const names = branch.candidates.map(({ name }) => name)
  return {
    probabilities,
    decision: { ...key, names, single, deliberated: null, mass, tokens: null, features: null, value: null },
    report: {
      entropyBits: entropyBits(probabilities[0]!),
      mass,
      isDeliberated: parts.some(({ report }) => report.isDeliberated),
      calibration: note,
    },
    setAndAbstention: predictionSets(key, probabilities, shown ?? names),
  }
}

function probabilityOfTrue({ probabilities }: DecideResult): number {
  return probabilities[0]![0]!
}
