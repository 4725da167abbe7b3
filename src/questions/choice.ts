// choice: one distribution over the options and its argmax. The arguments of the winner are asked on the same prefix.
import { z } from 'zod'
import type { Branch } from '../backends/backend.ts'
import { argmax } from '../core/math.ts'
import { pointer } from '../core/pointer.ts'
import { plainRecord } from '../core/untrusted.ts'
import type { AnswersOf } from '../wire/infer.ts'
import type { Answers, KindTypes, Questions, SetAndAbstention } from '../wire/types.ts'
import { defineKind } from './kind.ts'
import { byCandidate, probability } from './shared/answer-schemas.ts'
import type { CheckedQuestion, QuestionContext, QuestionResult } from './shared/checked-question.ts'
import { all, type QuestionCoroutine } from './shared/coroutine.ts'
import { decideChoice } from './shared/decide-choice.ts'
import type { Decision } from './shared/decision.ts'
import { namedProbability, plainText } from './shared/expressions.ts'
import { base, byName, checked, checkedQuestion, givenField, instructionsOf, namesOf, strict } from './shared/fields.ts'
import { claimOf, plainTruth, readoutOfGrade } from './shared/grade.ts'
import {
  argsOfChoice,
  type ChoiceOptionInput,
  choiceOptionFields,
  type FieldOf,
  type GivenTwice,
  type OptionInputOf,
  type OptionsInput,
  type OptionsOf,
  optionFields,
  optionsOnce,
  readOptions,
  type Simplify,
  type TooFew,
  uncheckedOptions,
} from './shared/options.ts'
import { nearestCandidate } from './shared/truth.ts'

const SUMMARY = 'Which one of the options holds? The answer is a distribution over all of them.'
const fields = strict('a choice question', { type: z.literal('choice'), ...base, ...choiceOptionFields, args: argsOfChoice })
const question = fields.meta({ id: 'ChoiceQuestion', description: SUMMARY, oneOf: optionsOnce })
const argument = fields
  .extend({ ...optionFields, args: z.null().optional() })
  .meta({ id: 'ArgumentChoiceQuestion', description: `${SUMMARY} As an argument it has none itself.`, oneOf: optionsOnce })
/**
 * What the schema checks. Options and arguments are checked by hand, so that every fault has its own pointer.
 */
const shallow = fields.extend({ ...uncheckedOptions, args: z.unknown().optional() })

interface ChoiceFields extends Omit<z.input<typeof question>, 'options' | 'criteria' | 'args'> {
  /** Name → any question except a choice that has args itself. */
  readonly args?: Questions | null
}

/**
 * Which one of the options holds? `args` are asked of the winner, whichever it is; an option may bring its own besides.
 */
export type ChoiceQuestion = ChoiceFields & OptionsInput<ChoiceOptionInput>

/**
 * `probabilities` sum to one over all options; `choice` is the largest (the first of equals); `args` for the chosen
 * option, when there are any.
 */
export interface ChoiceAnswer<Option extends string = string, Args = Answers> extends SetAndAbstention {
  readonly type: 'choice'
  readonly choice: Option
  readonly probabilities: Readonly<Record<Option, number>>
  readonly confidence: number
  readonly args?: Args
}

const answer: z.ZodType<ChoiceAnswer> = z
  .object({
    type: z.literal('choice'),
    choice: z.string().describe('The most likely option; the first of equals.'),
    probabilities: byCandidate('By name. They sum to 1 within 1e-6, and are not rounded.'),
    confidence: probability.describe('The probability of the choice.'),
    args: z
      .custom<Answers>()
      .meta({ id: 'Answers' })
      .optional()
      .describe('Answers to the arguments of the chosen option, when the question has arguments.'),
  })
  .meta({ id: 'ChoiceAnswer', description: 'One option of several.' })

type ArgsOf<Q> = FieldOf<Q, 'args'> extends infer A extends object ? A : object

/** The args that option `Name` brings itself. */
type OwnArgs<O, Name> = O extends { readonly value: Name; readonly args: infer A extends object } ? A : never

type ArgsFor<Q, Name> = [OwnArgs<OptionInputOf<Q>, Name>] extends [never] ? ArgsOf<Q> : ArgsOf<Q> & OwnArgs<OptionInputOf<Q>, Name>

type OptionKeys<O> = O extends object ? keyof O : never

/**
 * One shape per option, so that comparing `choice` says which `args` there are (none of its own: empty). Without any
 * args, one shape for all.
 */
type ChoiceAnswerOf<Q> =
  string extends OptionsOf<Q>
    ? ChoiceAnswer
    : 'args' extends keyof Q | OptionKeys<OptionInputOf<Q>>
      ? { readonly [Name in OptionsOf<Q>]: Chosen<Q, Name> }[OptionsOf<Q>]
      : Simplify<Omit<ChoiceAnswer<OptionsOf<Q>>, 'args'>>

type Chosen<Q, Name extends string> = Simplify<
  Omit<ChoiceAnswer<Name>, 'args' | 'probabilities'> & {
    readonly probabilities: Readonly<Record<OptionsOf<Q>, number>>
  } & { readonly args: AnswersOf<ArgsFor<Q, Name>> }
>

interface ChoiceTypes extends KindTypes {
  readonly question: ChoiceQuestion
  readonly answer: ChoiceAnswer
  readonly typed: ChoiceAnswerOf<this['asked']>
  readonly refuses: TooFew<this['asked'], 'options' | 'criteria'> & GivenTwice<this['asked'], 'options' | 'criteria'>
}

declare module '../wire/types.ts' {
  interface QuestionKinds {
    readonly choice: ChoiceTypes
  }
}

function* run(
  branch: Branch,
  argsOf: readonly (readonly CheckedQuestion[])[],
  context: QuestionContext,
): QuestionCoroutine<QuestionResult<ChoiceAnswer>> {
  const { probabilities: rows, decision, report, setAndAbstention } = yield* decideChoice(branch, context)
  const probabilities = rows[0]!
  const winner = argmax(probabilities)
  const asks = argsOf[winner]!
  const findings = yield* all(asks.map((question) => question.run(context)))
  const args: Answers = plainRecord(asks.map((question, i) => [question.id, findings[i]!.answer] as const))
  const answer: ChoiceAnswer = {
    type: 'choice',
    choice: branch.candidates[winner]!.name,
    probabilities: byName(branch.candidates, probabilities),
    confidence: probabilities[winner]!,
    ...setAndAbstention,
    ...(argsOf.some((each) => each.length > 0) ? { args } : {}),
  }
  const ofArgs = asks.flatMap(({ id }, i): [string, Decision][] => {
    const own = findings[i]!.decisions['']
    return own === undefined ? [] : [[id, own]]
  })
  return { answer, report, decisions: plainRecord([['', decision], ...ofArgs]) }
}

defineKind<ChoiceAnswer>({
  type: 'choice',
  title: 'Which one?',
  summary: 'which one of the options?',
  question,
  argument,
  answers: [answer],
  isRead: false,
  flags: [
    {
      name: 'choice',
      placeholder: '<question=a,b>',
      description: 'which one?',
      takes: 'options',
      example: 'Which tab is open?=Home,Orders,Help',
    },
  ],
  form: {
    placeholder: 'A question that one of the options answers',
    fields: [
      { field: 'criteria', control: 'entries', noun: 'option', name: 'value', isNumbered: false },
      {
        field: 'args',
        control: 'json',
        summary: 'Questions about the chosen option',
        label: 'args, as JSON: name to question',
        placeholder: '{ "amount": { "type": "extract", "kind": "money" } }',
      },
    ],
  },
  check(input, checker) {
    const read = checked(shallow, input, checker)
    const options = readOptions('choice', input, checker, true)
    const args = givenField(input, 'args')
    const shared = args === null ? [] : checker.args(args, pointer(checker.param, 'args'))
    if (read === null || options === null) return null
    const argsOf = options.map((option) => [...shared, ...option.args])
    for (const option of options) {
      for (const arg of option.args) {
        if (!shared.some((other) => other.id === arg.id)) continue
        const message = `Argument ${JSON.stringify(arg.id)} is asked of every option and of this one again; rename one.`
        checker.report({ code: 'invalid_question', param: arg.param, message })
      }
    }
    const branch: Branch = {
      readout: 'exclusive',
      instructions: instructionsOf(read.instructions, checker, { candidates: options }),
      candidates: options.map(({ name, description }) => ({ name, description })),
      image: read.image ?? null,
    }
    const every = [...shared, ...options.flatMap((option) => option.args)]
    return checkedQuestion('choice', read.image, checker, (context) => run(branch, argsOf, context), {
      args: every,
      options: namesOf(branch),
      plain: plainText(namesOf(branch), true),
    })
  },
  truth: 'the option',
  truthFields: ['choice'],
  /** A number is the name of an option; from 0 to 1 it may be the probability of yes, between yes and no. */
  readTruth: (truth) => (typeof truth === 'number' && (truth < 0 || truth > 1) ? String(truth) : plainTruth(truth)),
  grade({ choice, probabilities, confidence }, truth, _accept, decision) {
    const names = decision?.names ?? Object.keys(probabilities).sort()
    const claim = claimOf(readoutOfGrade('exclusive', decision), names, [names.map((name) => probabilities[name]!)], truth)
    if (claim === null) return null
    return { said: choice, right: Number(names[nearestCandidate(claim.truth[0]!)] === choice), guess: 1 / names.length, confidence, claim }
  },
  valueOf: ({ choice }) => choice,
  probabilityOf: ({ probabilities }, id, option) => namedProbability(probabilities, id, option),
  listOf: () => null,
  confidenceOf: ({ confidence }) => confidence,
  isThere: () => true,
  view: ({ choice, probabilities, args = {} }) => ({
    bars: Object.entries(probabilities).map(([label, probability]) => ({ label, probability, isChosen: label === choice })),
    values: null,
    notes: [],
    args,
  }),
  takesSelfCheck: () => false,
})
