// noul: the calibrated probability that a statement is true.
import { z } from 'zod'
import type { Branch } from '../backends/backend.ts'
import { ExpressionError } from '../core/expression-values.ts'
import type { KindTypes, SetAndAbstention } from '../wire/types.ts'
import { defineKind } from './kind.ts'
import { probability } from './shared/answer-schemas.ts'
import type { QuestionContext, QuestionResult } from './shared/checked-question.ts'
import type { QuestionCoroutine } from './shared/coroutine.ts'
import { decide } from './shared/decide.ts'
import { plainNumber } from './shared/expressions.ts'
import { base, checked, checkedQuestion, instructionsOf, strict, words } from './shared/fields.ts'
import { claimOf, plainTruth } from './shared/grade.ts'

const question = strict('a noul question', {
  type: z.literal('noul'),
  ...base,
  criteria: strict('the criteria of a noul', { true: words, false: words })
    .nullish()
    .describe('Descriptions of what true and false mean here, each any JSON or null.'),
}).meta({ id: 'NoulQuestion', description: 'Is the statement true? The answer is the probability that it is, which is called a noul.' })

/** Is the statement true? */
export type NoulQuestion = z.input<typeof question>

/** `noul`: probability that the statement is true. */
export interface NoulAnswer extends SetAndAbstention {
  readonly type: 'noul'
  readonly noul: number
}

const answer: z.ZodType<NoulAnswer> = z
  .object({ type: z.literal('noul'), noul: probability.describe('Calibrated probability that it is true.') })
  .meta({ id: 'NoulAnswer', description: 'A statement, judged.' })

interface NoulTypes extends KindTypes {
  readonly question: NoulQuestion
  readonly answer: NoulAnswer
  readonly typed: NoulAnswer
}

declare module '../wire/types.ts' {
  interface QuestionKinds {
    readonly noul: NoulTypes
  }
}

function* run(branch: Branch, context: QuestionContext): QuestionCoroutine<QuestionResult<NoulAnswer>> {
  const { probabilities, decision, report, setAndAbstention } = yield* decide(branch, 'binary', context)
  return { answer: { type: 'noul', noul: probabilities[0]![0]!, ...setAndAbstention }, report, decisions: { '': decision } }
}

const YES = new Set(['true', 'yes', 'y', '1'])
const NO = new Set(['false', 'no', 'n', '0'])

defineKind<NoulAnswer>({
  type: 'noul',
  title: 'Is it true?',
  summary: 'is the statement true?',
  question,
  answers: [answer],
  isRead: false,
  flags: [{ name: 'noul', placeholder: '<statement>', description: 'is it true?', takes: 'words', example: 'The customer is angry.' }],
  form: {
    placeholder: 'A statement that is true or not: “The customer is angry.”',
    fields: [
      {
        field: 'criteria',
        control: 'texts',
        summary: 'What true and false mean',
        keys: [
          ['true', 'True when'],
          ['false', 'False when'],
        ],
      },
    ],
  },
  check(input, checker) {
    const read = checked(question, input, checker)
    if (read === null) return null
    const candidates = [
      { name: 'true', description: read.criteria?.true ?? null },
      { name: 'false', description: read.criteria?.false ?? null },
    ]
    const branch: Branch = {
      readout: 'binary',
      instructions: instructionsOf(read.instructions, checker, { candidates, isNameEnough: false }),
      candidates,
      image: read.image ?? null,
    }
    return checkedQuestion('noul', read.image, checker, (context) => run(branch, context), { plain: plainNumber('a probability') })
  },
  truth: 'true or false',
  truthFields: ['noul'],
  /** Booleans, or yes and no in words or numbers. */
  readTruth(truth) {
    if (typeof truth !== 'string') return plainTruth(truth)
    const word = truth.trim().toLowerCase()
    return YES.has(word) ? true : NO.has(word) ? false : truth
  },
  grade({ noul }, truth) {
    const claim = claimOf('binary', ['true', 'false'], [[noul, 1 - noul]], truth)
    if (claim === null) return null
    // A tie is a guess; a truth between yes and no is right on its nearer side.
    const right = noul === 0.5 ? 0.5 : Number(noul > 0.5 === claim.truth[0]! < 0.5)
    return { said: noul, right, guess: 0.5, confidence: Math.max(noul, 1 - noul), claim }
  },
  valueOf: ({ noul }) => noul,
  probabilityOf({ noul }, id, option) {
    if (option === null || option === 'true') return noul
    if (option === 'false') return 1 - noul
    throw new ExpressionError(`"${id}" is a noul; p(${id}) is its probability`)
  },
  listOf: () => null,
  confidenceOf: ({ noul }) => Math.max(noul, 1 - noul),
  isThere: () => true,
  view: ({ noul }) => ({
    bars: [{ label: 'true', probability: noul, isChosen: noul >= 0.5 }],
    values: null,
    notes: [],
    args: {},
  }),
  takesSelfCheck: () => false,
})
