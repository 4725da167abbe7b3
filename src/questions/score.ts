// score: a distribution over ordered levels, and its mean, the expected level.
import { z } from 'zod'
import type { Branch, Candidate } from '../backends/backend.ts'
import { REQUEST_LIMITS } from '../core/limits.ts'
import { argmax } from '../core/math.ts'
import { pointer } from '../core/pointer.ts'
import type { Json } from '../core/types.ts'
import { isObject, jsonTypeOf, plainRecord } from '../core/untrusted.ts'
import type { KindTypes, SetAndAbstention } from '../wire/types.ts'
import { defineKind } from './kind.ts'
import { level, probability } from './shared/answer-schemas.ts'
import type { Checker, QuestionContext, QuestionResult } from './shared/checked-question.ts'
import type { QuestionCoroutine } from './shared/coroutine.ts'
import { decide } from './shared/decide.ts'
import { namedProbability, plainNumber } from './shared/expressions.ts'
import {
  base,
  checked,
  checkedQuestion,
  givenField,
  instructionsOf,
  json,
  namesOf,
  reportCount,
  reportDuplicates,
  strict,
  words,
  writtenAs,
} from './shared/fields.ts'
import { claimOf, plainTruth, readoutOfGrade } from './shared/grade.ts'
import { type FieldOf, type GivenTwice, nonBlank, type Simplify, type TooFew } from './shared/options.ts'
import { nearestCandidate } from './shared/truth.ts'

const levelSchema = strict('a level of a score', { label: z.string(), description: words })
const levelInput = z
  .union([nonBlank, levelSchema.extend({ label: nonBlank })])
  .meta({ id: 'Level', description: 'A label, or a label with its description.' })

const fields = strict('a score question', {
  type: z.literal('score'),
  ...base,
  criteria: z.array(levelInput).min(2).max(REQUEST_LIMITS.levels).readonly().describe('Levels, lowest first, all different.'),
})
const question = fields.meta({
  id: 'ScoreQuestion',
  description: 'Where on an ordered scale? The answer is the expected level, and a distribution over all levels.',
})
/** What the schema checks. Levels are checked by hand, so that every fault has its own pointer. */
const shallow = fields.extend({ criteria: z.unknown().optional() })

/** One level of a score, lowest first. */
export type LevelInput = z.input<typeof levelInput>

/** Where on an ordered scale of 2 to 26 levels? */
export type ScoreQuestion = z.input<typeof question>

/**
 * `score`: expected level, from 0 to the number of levels less one. `legend` and `probabilities` are keyed by level:
 * "0", "1"…
 */
export interface ScoreAnswer<Label extends string = string> extends SetAndAbstention {
  readonly type: 'score'
  readonly score: number
  readonly legend: Readonly<Record<string, Label>>
  readonly probabilities: Readonly<Record<string, number>>
  readonly confidence: number
}

const answer: z.ZodType<ScoreAnswer> = z
  .object({
    type: z.literal('score'),
    score: z.number().min(0).describe('The expected level: the mean of the level numbers, which begin at 0.'),
    legend: z
      .record(level, json as unknown as z.ZodType<string>)
      .describe('Level number to its label; on the System One route to the level as it was sent.'),
    probabilities: z.record(level, probability).describe('By level number. They sum to 1 within 1e-6.'),
    confidence: probability.describe('The largest probability.'),
  })
  .meta({ id: 'ScoreAnswer', description: 'A place on a scale.' })

type LevelName<L> = L extends string ? L : L extends { readonly label: infer V extends string } ? V : never

/** A literal list of levels gives `probabilities` and `legend` their keys: "0", "1"… */
type ScoreAnswerOf<Q> =
  FieldOf<Q, 'criteria'> extends infer C extends readonly unknown[]
    ? number extends C['length']
      ? ScoreAnswer<LevelName<C[number]>>
      : Simplify<
          Omit<ScoreAnswer, 'legend' | 'probabilities'> & {
            readonly legend: { readonly [I in keyof C as I extends `${number}` ? I : never]: LevelName<C[I]> }
            readonly probabilities: { readonly [I in keyof C as I extends `${number}` ? I : never]: number }
          }
        >
    : ScoreAnswer

interface ScoreTypes extends KindTypes {
  readonly question: ScoreQuestion
  readonly answer: ScoreAnswer
  readonly typed: ScoreAnswerOf<this['asked']>
  readonly refuses: TooFew<this['asked'], 'criteria'> & GivenTwice<this['asked'], 'criteria'>
}

declare module '../wire/types.ts' {
  interface QuestionKinds {
    readonly score: ScoreTypes
  }
}

function* run(branch: Branch, context: QuestionContext): QuestionCoroutine<QuestionResult<ScoreAnswer>> {
  const keys = branch.candidates.map((_, level) => String(level))
  const { probabilities: rows, decision, report, setAndAbstention } = yield* decide(branch, 'ordinal', context, { names: keys })
  const probabilities = rows[0]!
  const answer: ScoreAnswer = {
    type: 'score',
    score: probabilities.reduce((sum, p, level) => sum + p * level, 0),
    legend: plainRecord(branch.candidates.map((level, i) => [String(i), level.name] as const)),
    probabilities: plainRecord(probabilities.map((p, level) => [String(level), p] as const)),
    confidence: Math.max(...probabilities),
    ...setAndAbstention,
  }
  return { answer, report, decisions: { '': decision } }
}

/** Levels in order, 2 to the limit, all different; null when anything is wrong with them (it is reported). */
function readLevels(input: unknown, checker: Checker): readonly Candidate[] | null {
  const param = pointer(checker.param, 'criteria')
  const given = givenField(input, 'criteria')
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
  if (typeof entry !== 'string' && !isObject(entry)) {
    const message = `A level is a label, which is a text, or an object with label and description; received ${jsonTypeOf(entry)}.`
    checker.report({ code: 'invalid_question', param, message: message + writtenAs(entry) })
    return null
  }
  const level = typeof entry === 'string' ? { label: entry, description: null } : checked(levelSchema, entry, checker, param)
  if (level === null) return null
  if (level.label.trim() !== '') return { name: level.label, description: level.description, param }
  checker.report({ code: 'invalid_question', param, message: 'The label of a level must not be empty.' })
  return null
}

defineKind<ScoreAnswer>({
  type: 'score',
  title: 'How much?',
  summary: 'where on a scale?',
  question,
  answers: [answer],
  isRead: false,
  flags: [
    {
      name: 'score',
      placeholder: '<question=low,high>',
      description: 'where on a scale, lowest first?',
      takes: 'options',
      example: 'How urgent is it?=low,medium,high',
    },
  ],
  form: {
    placeholder: 'A question that a level of the scale answers',
    fields: [{ field: 'criteria', control: 'entries', noun: 'level', name: 'label', isNumbered: true }],
  },
  check(input, checker) {
    const read = checked(shallow, input, checker)
    const levels = readLevels(input, checker)
    if (read === null || levels === null) return null
    const branch: Branch = {
      readout: 'ordinal',
      instructions: instructionsOf(read.instructions, checker, { candidates: levels }),
      candidates: levels.map(({ name, description }) => ({ name, description })),
      image: read.image ?? null,
    }
    return checkedQuestion('score', read.image, checker, (context) => run(branch, context), {
      options: namesOf(branch),
      plain: plainNumber(`the expected level, a number from 0 to ${levels.length - 1}`),
    })
  },
  truth: 'the level, from 0',
  truthFields: ['score', 'level'],
  /** A level, or its label. */
  readTruth(truth, { criteria }) {
    if (typeof truth !== 'string') return plainTruth(truth)
    const labels = Array.isArray(criteria) ? criteria.map(labelOf) : []
    const index = labels.indexOf(truth)
    return index >= 0 ? index : truth.trim() !== '' && Number.isFinite(Number(truth)) ? Number(truth) : truth
  },
  grade({ score, legend, probabilities, confidence }, truth, _accept, decision) {
    const row = Object.values(probabilities)
    const best = argmax(row)
    // A scale from no to yes was decided as a claim, whose candidates are yes and no.
    const isClaim = readoutOfGrade('ordinal', decision) === 'binary'
    const names = Object.values(legend)
    const claim = isClaim ? claimOf('binary', names.toReversed(), [row.toReversed()], truth) : claimOf('ordinal', names, [row], truth)
    if (claim === null) return null
    const right = nearestCandidate(claim.truth[0]!)
    return { said: score, right: Number(best === (isClaim ? 1 - right : right)), guess: 1 / row.length, confidence, claim }
  },
  valueOf: ({ score }) => score,
  /** Levels go by label first, then by number: on a scale of "1" to "5", p(stars, "5") is the top. */
  probabilityOf({ legend, probabilities }, id, option) {
    const labelled = Object.keys(legend).find((key) => legend[key] === option)
    return namedProbability(probabilities, id, option, labelled)
  },
  listOf: () => null,
  confidenceOf: ({ confidence }) => confidence,
  isThere: () => true,
  view({ score, legend, probabilities }) {
    const levels = Object.entries(probabilities)
    const top = argmax(Object.values(probabilities))
    return {
      bars: levels.map(([key, probability], i) => ({ label: legend[key] ?? key, probability, isChosen: i === top })),
      values: null,
      notes: [`expected level ${score.toFixed(2)} of 0 to ${levels.length - 1}`],
      args: {},
    }
  },
  takesSelfCheck: () => false,
})

/** The label of a level as it was sent; empty where it has none. */
function labelOf(sent: Json): string {
  if (typeof sent === 'string') return sent
  return typeof sent === 'object' && sent !== null && !Array.isArray(sent) ? String((sent as { readonly label?: Json }).label) : ''
}
