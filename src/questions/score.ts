// score: ordered levels to a distribution over them and its mean, the expected level.
import { z } from 'zod'
import type { Branch, Candidate } from '../backends/backend.ts'
import { pointer } from '../core/errors.ts'
import type { ScoreAnswer } from '../wire/types.ts'
import type { Checker, QuestionContext, QuestionKind, QuestionResult } from './shared/checked-question.ts'
import type { QuestionCoroutine } from './shared/coroutine.ts'
import { decide } from './shared/decide.ts'
import {
  asked,
  base,
  checked,
  instructionsOf,
  namesOf,
  ownField,
  record,
  reportCount,
  reportDuplicates,
  strict,
  words,
} from './shared/fields.ts'

const schema = strict('a score question', {
  ...base,
  criteria: z.unknown().optional(),
})

const levelSchema = strict('a level of a score', { label: z.string(), description: words })

function* run(branch: Branch, context: QuestionContext): QuestionCoroutine<QuestionResult<ScoreAnswer>> {
  const keys = branch.candidates.map((_, level) => String(level))
  const { probabilities: rows, decision, report, setAndAbstention } = yield* decide(branch, 'ordinal', context, { names: keys })
  const probabilities = rows[0]!
  const answer: ScoreAnswer = {
    type: 'score',
    score: probabilities.reduce((sum, p, level) => sum + p * level, 0),
    legend: record(branch.candidates.map((level, i) => [String(i), level.name] as const)),
    probabilities: record(probabilities.map((p, level) => [String(level), p] as const)),
    confidence: Math.max(...probabilities),
    ...setAndAbstention,
  }
  return { answer, report, decisions: { '': decision } }
}

/** Levels in order, 2 to the limit, all different; null when anything is wrong with them (it is reported). */
function readLevels(input: unknown, checker: Checker): readonly Candidate[] | null {
  const param = pointer(checker.param, 'criteria')
  const given = ownField(input, 'criteria')
  if (!Array.isArray(given)) {
    const message = 'A score needs its levels: an array of labels in criteria, lowest first (a map would lose the order).'
    checker.report({ code: 'invalid_question', param: given === null ? checker.param : param, message })
    return null
  }
  if (reportCount(given.length, 2, checker.limits.levels, 'levels', param, checker)) return null
  const list = given.map((entry, i) => readLevel(entry, pointer(param, i), checker))
  const levels = list.filter((level) => level !== null)
  const isDuplicated = reportDuplicates(levels, 'Level', checker)
  return isDuplicated || levels.length < list.length ? null : levels
}

function readLevel(entry: unknown, param: string, checker: Checker): (Candidate & { param: string }) | null {
  const level = typeof entry === 'string' ? { label: entry, description: null } : checked(levelSchema, entry, checker, param)
  if (level === null) return null
  if (level.label.trim() !== '') return { name: level.label, description: level.description, param }
  checker.report({ code: 'invalid_question', param, message: 'The label of a level must not be empty.' })
  return null
}

export const score: QuestionKind = {
  type: 'score',
  check(input, checker) {
    const question = checked(schema, input, checker)
    const levels = readLevels(input, checker)
    if (question === null || levels === null) return null
    const branch: Branch = {
      readout: 'ordinal',
      instructions: instructionsOf(question.instructions, checker),
      candidates: levels.map(({ name, description }) => ({ name, description })),
      image: question.image ?? null,
    }
    return asked('score', question.image, checker, (context) => run(branch, context), { options: namesOf(branch) })
  },
}
