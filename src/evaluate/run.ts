// Asks rows of a data set, grades the answers and hands on the results, several rows at a time. The engine is one
// function, and the clock is passed in.
import { createHash } from 'node:crypto'
import { EngineError } from '../core/errors.ts'
import type { Json } from '../core/types.ts'
import { ownEntry } from '../core/untrusted.ts'
import { statePathAt } from '../pipeline/state/paths.ts'
import { findKind } from '../questions/index.ts'
import type { DecisionEvent } from '../questions/shared/decision.ts'
import type { DeliberationMode } from '../questions/shared/deliberation.ts'
import type { AskRequest, AskResponse } from '../wire/types.ts'
import { type Row, shortPath } from './dataset.ts'
import { type GradedQuestion, gradedQuestion } from './graded-question.ts'

export interface RunAskOptions {
  readonly deadlineMs?: number
  readonly deliberation?: DeliberationMode
  readonly observe?: (event: DecisionEvent) => void
}

export type AskForRun = (request: AskRequest, options: RunAskOptions) => Promise<AskResponse>

/** The response and what was decided for it; null where that was not handed on. */
export async function askAndObserve(
  ask: AskForRun,
  request: AskRequest,
  options: Omit<RunAskOptions, 'observe'>,
): Promise<{ readonly response: AskResponse; readonly event: DecisionEvent | null }> {
  const events: DecisionEvent[] = []
  const response = await ask(request, { ...options, observe: (event) => events.push(event) })
  return { response, event: events.at(-1) ?? null }
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
  const begun = now()
  try {
    const { response, event } = await askAndObserve(ask, { state: row.request.state, questions }, { deadlineMs, deliberation })
    const ms = now() - begun
    const decisions = event?.decisions ?? {}
    const ungraded: Record<string, string> = {}
    const results = Object.entries(row.truth).flatMap(([id, truth]) => {
      const graded = gradedQuestion(id, truth, row, response, ownEntry(decisions, id) ?? null)
      if (typeof graded !== 'string') return [graded]
      ungraded[id] = graded
      return []
    })
    return {
      ...base,
      state: event?.state ?? nothing.state,
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

function withChecks(questions: AskRequest['questions']): AskRequest['questions'] {
  return Object.fromEntries(
    Object.entries(questions).map(([id, question]) => {
      const takesCheck = findKind(question.type)?.takesSelfCheck(question as Readonly<Record<string, unknown>>) ?? false
      return [id, takesCheck ? { ...question, self_check: true } : question]
    }),
  )
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
