// Grades an answer by the truth of its row, with the distribution behind it.
import { type DecidedEvidence, decidedEvidence } from '../calibration/evidence/evidence.ts'
import { misfit } from '../calibration/outcomes/record-outcome.ts'
import { mean } from '../core/math.ts'
import type { Json } from '../core/types.ts'
import { ownEntry, ownField } from '../core/untrusted.ts'
import { kindOf } from '../questions/index.ts'
import type { Decision } from '../questions/shared/decision.ts'
import { isSameEvent } from '../questions/shared/readouts.ts'
import type { Answers, AskResponse, QuestionAnswer } from '../wire/types.ts'
import { brierOf, entropyOf, logLossOf } from './claim-scores.ts'
import { questionNamed, type Row, splitName } from './dataset.ts'

/**
 * The distribution behind an answer. Rows are in canonical order, see `Decision`; log-probabilities are natural, before
 * calibration.
 */
export interface AnswerDistribution extends Omit<DecidedEvidence, 'mass'> {
  readonly names: readonly string[]
  /** Calibrated, as answered. */
  readonly probabilities: readonly (readonly number[])[]
  /** The index of the true candidate in each row; a fraction lies between two. */
  readonly truth: readonly number[]
}

export interface GradedQuestion {
  readonly id: string
  readonly type: QuestionAnswer['type']
  readonly kind?: string
  readonly many?: true
  readonly said: Json
  readonly truth: Json
  /** See `Grade`. */
  readonly right: number
  readonly guess: number
  /** Nats; null for boxes. */
  readonly logLoss: number | null
  readonly brier: number | null
  /** As answered. That of a box is the model's own, not calibrated. */
  readonly confidence: number
  /** The largest probability; for a `select` the mean over its options of the larger of yes and no. */
  readonly top: number | null
  readonly entropyBits: number | null
  readonly mass: number | null
  readonly deliberated: boolean
  readonly passes: number
  /** How the probabilities were calibrated, as the response says it. */
  readonly calibration: Json
  readonly overlap?: number
  readonly distribution: AnswerDistribution | null
}

/** The graded answer, or why it could not be graded. */
export function gradedQuestion(
  id: string,
  truth: Json,
  row: Row,
  response: AskResponse,
  decision: Decision | null,
): GradedQuestion | string {
  const found = answerNamed(id, response.answers)
  if (typeof found === 'string') return found
  const { answer, question: questionId, option } = found
  const graded = kindOf(answer).grade(answer, truth, ownEntry(row.accept, id) ?? [], decision)
  if (graded === null) {
    return decision === null
      ? `the truth ${JSON.stringify(truth)} does not fit the answer (${answer.type})`
      : misfit(id, decision, truth, true, 'truth')
  }
  const { claim } = graded
  const question = questionNamed(row.request.questions, id, option)
  const kind = ownField(question, 'kind')
  const report = ownEntry(response.simo.questions, questionId)
  // A read claims that it is right; its decision knows whether a value or an absence was checked.
  const fits = decision !== null && claim !== null && isSameEvent(decision.readout, claim.readout)
  return {
    id,
    type: answer.type,
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(ownField(question, 'many') === true ? { many: true as const } : {}),
    said: graded.said,
    truth,
    right: graded.right,
    guess: graded.guess,
    logLoss: claim === null ? null : logLossOf(claim),
    brier: claim === null ? null : brierOf(claim),
    confidence: graded.confidence,
    top: claim === null ? null : mean(claim.probabilities.map((row) => Math.max(...row))),
    entropyBits: claim === null ? null : entropyOf(claim),
    mass: decision?.mass ?? report?.mass ?? null,
    deliberated: decision === null ? (report?.deliberated ?? false) : decision.deliberated !== null,
    passes: report?.passes ?? 0,
    calibration: (report?.calibration ?? null) as Json,
    ...(graded.overlap === undefined ? {} : { overlap: graded.overlap }),
    distribution: fits ? distributionOf(decision, claim) : null,
  }
}

function distributionOf(
  decision: Decision,
  { probabilities, truth }: Pick<AnswerDistribution, 'probabilities' | 'truth'>,
): AnswerDistribution {
  const { mass: _, ...decided } = decidedEvidence(decision)
  const deliberated = decided.deliberated === null ? null : finite(decided.deliberated)
  return { ...decided, names: decision.names, probabilities, truth, single: finite(decided.single), deliberated }
}

/** JSON has no infinity; smaller log-probabilities are raised to −100. */
function finite(rows: readonly (readonly number[])[]): number[][] {
  return rows.map((row) => row.map((logP) => Math.max(-100, logP)))
}

/** Why an argument was not graded: no fault of its truth. */
export const NOT_ASKED = 'the argument was not asked, since another option won'

interface NamedAnswer {
  readonly answer: QuestionAnswer
  readonly question: string
  /** The option that won, where it is the answer to an argument. */
  readonly option?: string
}

/** An answer by question id, or an argument of a choice as `question/argument`. */
function answerNamed(id: string, answers: Answers): NamedAnswer | string {
  const { question, argument } = splitName(id, answers)
  const whole = ownEntry(answers, question)
  if (whole === undefined) return `the row asks no question ${JSON.stringify(question)}`
  const answer = argument !== null && 'args' in whole ? ownEntry(whole.args ?? {}, argument) : whole
  if (answer === undefined) return NOT_ASKED
  if (answer.type === 'derive') return 'it is a derived value'
  return { answer, question, ...('choice' in whole ? { option: whole.choice } : {}) }
}
