// Asks rows of a data set, grades the answers and hands on the results, several rows at a time. The engine is one
// function, and the clock is passed in.
import { createHash } from 'node:crypto'
import { misfit } from '../calibration/outcomes/record-outcome.ts'
import { EngineError } from '../core/errors.ts'
import { mean } from '../core/math.ts'
import type { Json } from '../core/types.ts'
import { ownEntry, ownField } from '../core/untrusted.ts'
import { statePathAt } from '../pipeline/state/paths.ts'
import { findKind, kindOf } from '../questions/index.ts'
import {
  type Decision,
  type DecisionEvent,
  type DecisionReadout,
  type DeliberationMode,
  isSameEvent,
} from '../questions/shared/decision.ts'
import type { Answers, AskRequest, AskResponse, QuestionAnswer } from '../wire/types.ts'
import { brierOf, entropyOf, logLossOf } from './claim-scores.ts'
import { questionNamed, type Row, shortPath, splitName } from './dataset.ts'

export interface RunAskOptions {
  readonly deadlineMs?: number
  readonly deliberation?: DeliberationMode
  readonly observe?: (event: DecisionEvent) => void
}

export type AskForRun = (request: AskRequest, options: RunAskOptions) => Promise<AskResponse>

/**
 * The distribution behind an answer. Rows are in canonical order, see `Decision`; log-probabilities are natural, before
 * calibration.
 */
export interface AnswerDistribution {
  readonly readout: DecisionReadout
  readonly hasImage: boolean
  readonly wording: string
  readonly question: string
  readonly names: readonly string[]
  /** Calibrated, as answered. */
  readonly probabilities: readonly (readonly number[])[]
  /** The index of the true candidate in each row; a fraction lies between two. */
  readonly truth: readonly number[]
  readonly single: readonly (readonly number[])[]
  readonly deliberated: readonly (readonly number[])[] | null
  readonly tokens: number | null
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

export interface RowResult {
  readonly at: number
  readonly id: string
  readonly task: string
  /** Hash of the state, 16 hex digits. */
  readonly state: string
  readonly ms: number
  readonly passes: number
  readonly inputTokens: number
  readonly questions: readonly GradedQuestion[]
  /** Why a question with a truth was not graded, by question id. */
  readonly ungraded?: Readonly<Record<string, string>>
  /** The row failed: nothing was answered. */
  readonly error?: { readonly code: string; readonly message: string; readonly param?: string }
  /** The state, when it is to be kept. */
  readonly kept?: Json
}

export interface RunSettings {
  readonly ask: AskForRun
  /** A clock in milliseconds. */
  readonly now: () => number
  readonly deliberation: DeliberationMode
  readonly deadlineMs: number
  /** Asks every `fill` and `extract` with a self-check, except for boxes. */
  readonly selfCheck: boolean
  readonly keepStates: boolean
}

/**
 * Asks `parallel` rows at a time, in order. `take` gets each result, and the next row waits for it. An error of `take`
 * ends the run.
 */
export async function runRows(
  rows: AsyncIterable<Row>,
  parallel: number,
  settings: RunSettings,
  take: (result: RowResult) => Promise<void>,
): Promise<void> {
  const source = rows[Symbol.asyncIterator]()
  let failure: { readonly error: unknown } | null = null
  const work = async (): Promise<void> => {
    while (failure === null) {
      const { value: row, done } = await source.next()
      if (done) return
      await take(await runRow(row, settings))
    }
  }
  const workers = Array.from({ length: parallel }, () =>
    work().catch((error: unknown) => {
      failure ??= { error }
    }),
  )
  await Promise.all(workers)
  await source.return?.()
  if (failure !== null) throw (failure as { error: unknown }).error
}

/** Asks and grades one row. A failure is a result too, except when the model is missing, which ends the run. */
export async function runRow(row: Row, settings: RunSettings): Promise<RowResult> {
  const { ask, now, deliberation, deadlineMs } = settings
  const base = {
    at: row.at,
    id: row.id,
    task: row.task,
    ...(settings.keepStates && textOf(row.request.state) !== '' ? { kept: row.request.state as Json } : {}),
  }
  const nothing = { state: ownHash(row.request.state), ms: 0, passes: 0, inputTokens: 0, questions: [] }
  if (row.fault !== null) return { ...base, ...nothing, error: { code: 'invalid_request', message: row.fault } }
  const questions = settings.selfCheck ? withChecks(row.request.questions) : row.request.questions
  let event: DecisionEvent | null = null
  const begun = now()
  try {
    const observe = (observed: DecisionEvent): void => {
      event = observed
    }
    const response = await ask({ state: row.request.state, questions }, { deadlineMs, deliberation, observe })
    const ms = now() - begun
    const decisions = (event as DecisionEvent | null)?.decisions ?? {}
    const ungraded: Record<string, string> = {}
    const results = Object.entries(row.truth).flatMap(([id, truth]) => {
      const graded = resultOf(id, truth, row, response, ownEntry(decisions, id) ?? null)
      if (typeof graded !== 'string') return [graded]
      ungraded[id] = graded
      return []
    })
    return {
      ...base,
      state: (event as DecisionEvent | null)?.state ?? nothing.state,
      ms,
      passes: response.simo.passes,
      inputTokens: response.usage.input_tokens,
      questions: results,
      ...(Object.keys(ungraded).length === 0 ? {} : { ungraded }),
    }
  } catch (error) {
    if (error instanceof EngineError && (error.code === 'model_not_found' || error.code === 'model_not_available')) throw error
    const failure =
      error instanceof EngineError
        ? { code: error.code, message: messageOf(error, row), ...(error.param === null ? {} : { param: error.param }) }
        : { code: 'internal_error', message: String(error) }
    return { ...base, ...nothing, ms: now() - begun, error: failure }
  }
}

/** Errors of the engine never have paths in them; about a picture of a row, the end of its path says which. */
function messageOf({ message, param }: EngineError, row: Row): string {
  const path = statePathAt(row.request.state, param)
  return path === null ? message : `${shortPath(path)}: ${message}`
}

/** The graded answer, or why it could not be graded. */
function resultOf(id: string, truth: Json, row: Row, response: AskResponse, decision: Decision | null): GradedQuestion | string {
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
    distribution: fits
      ? {
          readout: decision.readout,
          hasImage: decision.hasImage,
          wording: decision.wording,
          question: decision.question,
          names: decision.names,
          probabilities: claim.probabilities,
          truth: claim.truth,
          single: finite(decision.single),
          deliberated: decision.deliberated === null ? null : finite(decision.deliberated),
          tokens: decision.tokens,
        }
      : null,
  }
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

function withChecks(questions: AskRequest['questions']): AskRequest['questions'] {
  return Object.fromEntries(
    Object.entries(questions).map(([id, question]) => {
      const takesCheck = findKind(question.type)?.takesSelfCheck(question as Readonly<Record<string, unknown>>) ?? false
      return [id, takesCheck ? { ...question, self_check: true } : question]
    }),
  )
}

/** JSON has no infinity; smaller log-probabilities are raised to −100. */
function finite(rows: readonly (readonly number[])[]): number[][] {
  return rows.map((row) => row.map((logP) => Math.max(-100, logP)))
}

/** For rows without an answer; the engine hashes the others. */
function ownHash(state: unknown): string {
  return createHash('sha256').update(textOf(state)).digest('hex').slice(0, 16)
}

/**
 * The JSON of a state, or nothing when it is nested too deep to be written: the engine refuses it, and the run goes on.
 */
export function textOf(state: unknown): string {
  try {
    return JSON.stringify(state) ?? ''
  } catch {
    return ''
  }
}
