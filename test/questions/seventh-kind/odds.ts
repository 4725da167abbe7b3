// A seventh kind of question, as somebody would add it: one file. `odds` asks how likely a statement is, and answers
// with its odds.
import { z } from 'zod'
import type { Branch } from '../../../src/backends/backend.ts'
import { ExpressionError } from '../../../src/core/expression-values.ts'
import { defineKind } from '../../../src/questions/kind.ts'
import { probability } from '../../../src/questions/shared/answer-schemas.ts'
import { decide } from '../../../src/questions/shared/decide.ts'
import { base, checked, checkedQuestion, instructionsOf, strict } from '../../../src/questions/shared/fields.ts'
import { claimOf, plainTruth } from '../../../src/questions/shared/grade.ts'
import type { KindTypes } from '../../../src/wire/types.ts'

const question = strict('an odds question', {
  type: z.literal('odds'),
  ...base,
  stake: z.number().positive().nullish().describe('What is at stake; default 1.'),
}).meta({ id: 'OddsQuestion', description: 'How likely is the statement? The answer is its odds.' })

export interface OddsAnswer {
  readonly type: 'odds'
  readonly odds: number
  readonly probability: number
}

const answer: z.ZodType<OddsAnswer> = z
  .object({ type: z.literal('odds'), odds: z.number().min(0), probability })
  .meta({ id: 'OddsAnswer', description: 'Odds.' })

interface OddsTypes extends KindTypes {
  readonly question: z.input<typeof question>
  readonly answer: OddsAnswer
  readonly typed: OddsAnswer
}

declare module '../../../src/wire/types.ts' {
  interface QuestionKinds {
    readonly odds: OddsTypes
  }
}

defineKind<OddsAnswer>({
  type: 'odds',
  title: 'At what odds?',
  summary: 'at what odds is the statement true?',
  question,
  answers: [answer],
  isRead: false,
  flags: [{ name: 'odds', placeholder: '<statement>', description: 'at what odds?', takes: 'words', example: 'It rains.' }],
  form: { placeholder: 'A statement to bet on', fields: [{ field: 'stake', control: 'number', label: 'Stake', placeholder: '1' }] },
  check(input, checker) {
    const read = checked(question, input, checker)
    if (read === null) return null
    const branch: Branch = {
      readout: 'binary',
      instructions: instructionsOf(read.instructions, checker),
      candidates: [
        { name: 'true', description: null },
        { name: 'false', description: null },
      ],
      image: read.image ?? null,
    }
    return checkedQuestion('odds', read.image, checker, function* (context) {
      const { probabilities, decision, report } = yield* decide(branch, 'binary', context)
      const p = probabilities[0]![0]!
      return { answer: { type: 'odds', odds: p / (1 - p), probability: p }, report, decisions: { '': decision } }
    })
  },
  truth: 'whether it came true',
  truthFields: ['odds'],
  readTruth: plainTruth,
  grade({ probability: p, odds }, truth) {
    const claim = claimOf('binary', ['true', 'false'], [[p, 1 - p]], truth)
    return claim && { said: odds, right: Number(p > 0.5 === claim.truth[0]! < 0.5), guess: 0.5, confidence: Math.max(p, 1 - p), claim }
  },
  valueOf: ({ odds }) => odds,
  probabilityOf(given, id, option) {
    if (option === null) return given.probability
    throw new ExpressionError(`"${id}" has no options`)
  },
  listOf: () => null,
  confidenceOf: ({ probability: p }) => Math.max(p, 1 - p),
  isThere: () => true,
  view: ({ odds, probability: p }) => ({
    bars: [{ label: 'true', probability: p, isChosen: p >= 0.5 }],
    values: null,
    notes: [`odds of ${odds.toFixed(2)} to 1`],
    args: {},
  }),
  takesSelfCheck: () => false,
})
