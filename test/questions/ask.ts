// Runs one question against a scripted prefix: what the tests of the kinds share.

import type { Branch, Constraint, Generated, Scores } from '../../src/backends/backend.ts'
import { parse } from '../../src/constraint/grammar.ts'
import { REQUEST_LIMITS } from '../../src/core/limits.ts'
import { toProbabilities } from '../../src/core/math.ts'
import type { Json } from '../../src/core/types.ts'
import { type DecisionContext, questionContext } from '../../src/pipeline/asking/question-context.ts'
import { runCoroutines } from '../../src/pipeline/executor.ts'
import { checkQuestions } from '../../src/questions/index.ts'
import type { CheckedQuestion, Fault, QuestionImage, QuestionResult } from '../../src/questions/shared/checked-question.ts'
import type { FailedRead } from '../../src/questions/shared/coroutine.ts'
import type { Answer } from '../../src/wire/types.ts'

/** Decisions as the model gives them: without calibration and without deliberation. */
export const UNCALIBRATED: DecisionContext = {
  calibrator: {
    calibrate: (_key, _passMode, rows) => ({
      probabilities: rows.map((row) => toProbabilities(row)),
      note: { applied: 'identity', level: 'none', labels: 0 },
    }),
  },
  deliberation: {
    operatorsFor: () => [],
    isCalledFor: () => false,
    isSettled: () => true,
    pool: (passes) => passes[0]!,
    spend: () => false,
  },
  predictionSets: () => ({}),
}

/** A state of which nothing is read or compared. */
export const NO_TEXTS = {
  stateTokens: 1,
  usesLogic: false,
  countsReads: false,
  jsonValues: [],
  records: [],
  textOf: () => null,
  placesOf: () => [],
}

/** Checks one question; its faults, and the question when there are none. */
export function checkOne(question: unknown, id = 'q'): { asked: CheckedQuestion | null; faults: Fault[] } {
  const faults: Fault[] = []
  const [asked] = checkQuestions({ [id]: question }, '/questions', { limits: REQUEST_LIMITS, report: (fault) => faults.push(fault) })
  return { asked: asked ?? null, faults }
}

export interface Script {
  /** Probabilities by row, for each scored branch. */
  readonly score?: (branch: Branch) => number[][]
  readonly read?: (branch: Branch, constraint: Constraint) => Generated | FailedRead
  readonly images?: readonly QuestionImage[]
  /** The model judges its reads: a self-check counts them. Default false. */
  readonly countsReads?: boolean
  /** The JSON values of the state, of a model for which they are worked out. */
  readonly jsonValues?: readonly Json[]
}

/** Asks one question; its finding and the branches it asked. Throws when the question has faults. */
export async function askOne<A extends Answer = Answer>(
  question: unknown,
  script: Script,
): Promise<{ answer: A; finding: QuestionResult; rounds: Branch[][]; passes: number }> {
  const { asked, faults } = checkOne(question)
  if (asked === null) throw new Error(faults.map(({ message }) => message).join(' '))
  const rounds: Branch[][] = []
  const prefix = {
    tokens: 1,
    cachedTokens: 0,
    async score(branches: readonly Branch[]): Promise<Scores[]> {
      rounds.push([...branches])
      return branches.map((branch) => {
        const rows = script.score?.(branch) ?? []
        return { rows: rows.map((row) => ({ logProbabilities: row.map(Math.log), mass: row.reduce((a, b) => a + b, 0) })), inputTokens: 1 }
      })
    },
    async generate(branch: Branch, constraint: Constraint): Promise<Generated> {
      rounds.push([branch])
      const reply = script.read?.(branch, constraint)
      if (reply === undefined || reply.type === 'failed') throw new Error('no such read')
      return reply
    },
    close() {},
  }
  const { countsReads = false, jsonValues = [] } = script
  const texts = { ...NO_TEXTS, countsReads, jsonValues, records: jsonValues, usesLogic: script.jsonValues !== undefined }
  const context = questionContext(script.images ?? [], parse, UNCALIBRATED, texts)
  const { results, passes } = await runCoroutines(prefix, [{ param: asked.param, coroutine: asked.run(context) }], () => {})
  const finding = results[0]!.value
  return { answer: finding.answer as unknown as A, finding, rounds, passes }
}

/** A reply to a read of a text. */
export function written(text: string, probability = 0.5, complete = true): Generated {
  return { type: 'text', text, complete, logProbability: Math.log(probability), inputTokens: 1, outputTokens: 1 }
}
