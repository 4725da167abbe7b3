// select: an independent probability for each option, and the set of options that hold.
import { z } from 'zod'
import type { Branch } from '../backends/backend.ts'
import { PROBABILITY_FLOOR } from '../core/math.ts'
import { pointer } from '../core/pointer.ts'
import type { KindTypes, SetAndAbstention } from '../wire/types.ts'
import { defineKind } from './kind.ts'
import { byCandidate, probability } from './shared/answer-schemas.ts'
import type { Checker, QuestionContext, QuestionResult } from './shared/checked-question.ts'
import type { QuestionCoroutine } from './shared/coroutine.ts'
import { decideSelection } from './shared/decide-selection.ts'
import { namedProbability, noPlainValue, plainList } from './shared/expressions.ts'
import { base, byName, checked, checkedQuestion, instructionsOf, namesOf, strict } from './shared/fields.ts'
import { claimOf, plainTruth } from './shared/grade.ts'
import {
  type GivenTwice,
  type OptionsInput,
  type OptionsOf,
  optionFields,
  optionsOnce,
  readOptions,
  type TooFew,
  uncheckedOptions,
} from './shared/options.ts'

const count = z.int().min(0)
const OUTSIDE = 'the threshold lies strictly between 0 and 1'
const fields = strict('a select question', {
  type: z.literal('select'),
  ...base,
  ...optionFields,
  min: count.nullish().describe('Fewest options to select; default 0.'),
  max: count.min(1, 'at most 0 options selects nothing; give 1 or more').nullish().describe('Most options to select; default all.'),
  threshold: z
    .number()
    .gt(0, OUTSIDE)
    .lt(1, OUTSIDE)
    .nullish()
    .describe('Probability from which an option is selected, strictly between 0 and 1; default 0.5.'),
})
const question = fields.meta({
  id: 'SelectQuestion',
  description: 'Which of the options hold? Each is its own yes or no; any number of them may hold.',
  oneOf: optionsOnce,
})
/** What the schema checks. Options are checked by hand, so that every fault has its own pointer. */
const shallow = fields.extend(uncheckedOptions)

/** Which of the options hold? Each is its own yes or no. */
export type SelectQuestion = Omit<z.input<typeof question>, 'options' | 'criteria'> & OptionsInput

/**
 * Independent `probabilities`; `selected` and `order` by falling probability; `confidence`: probability that exactly
 * the selected set holds.
 */
export interface SelectAnswer<Option extends string = string> extends SetAndAbstention {
  readonly type: 'select'
  readonly selected: readonly Option[]
  readonly probabilities: Readonly<Record<Option, number>>
  readonly confidence: number
  readonly order: readonly Option[]
}

const answer: z.ZodType<SelectAnswer> = z
  .object({
    type: z.literal('select'),
    selected: z.array(z.string()).readonly().describe('What holds, by falling probability.'),
    probabilities: byCandidate('By name, each for itself: they need not sum to 1.'),
    confidence: probability.describe('The probability that exactly the selected set holds.'),
    order: z.array(z.string()).readonly().describe('All options by falling probability.'),
  })
  .meta({ id: 'SelectAnswer', description: 'Any number of options.' })

interface SelectTypes extends KindTypes {
  readonly question: SelectQuestion
  readonly answer: SelectAnswer
  readonly typed: SelectAnswer<OptionsOf<this['asked']>>
  readonly refuses: TooFew<this['asked'], 'options' | 'criteria'> & GivenTwice<this['asked'], 'options' | 'criteria'>
}

declare module '../wire/types.ts' {
  interface QuestionKinds {
    readonly select: SelectTypes
  }
}

interface Bounds {
  readonly min: number
  readonly max: number
  readonly threshold: number
}

function* run(branch: Branch, { min, max, threshold }: Bounds, context: QuestionContext): QuestionCoroutine<QuestionResult<SelectAnswer>> {
  const { probabilities, decision, report, setAndAbstention } = yield* decideSelection(branch, context)
  const yes = probabilities.map((row) => row[0]!)
  // By falling probability, equals in the order given (the sort is stable).
  const order = yes.map((_, i) => i).sort((a, b) => yes[b]! - yes[a]!)
  const passing = yes.filter((p) => p >= threshold).length
  const taken = Math.min(max, Math.max(min, passing))
  // The options are independent, so the probability of the whole set is a product; in logs, since 255 factors
  // underflow.
  let logConfidence = 0
  order.forEach((option, rank) => {
    logConfidence += Math.log(rank < taken ? yes[option]! : 1 - yes[option]!)
  })
  const names = order.map((option) => branch.candidates[option]!.name)
  const answer: SelectAnswer = {
    type: 'select',
    selected: names.slice(0, taken),
    probabilities: byName(branch.candidates, yes),
    confidence: Math.max(PROBABILITY_FLOOR, Math.exp(logConfidence)),
    order: names,
    ...setAndAbstention,
  }
  return { answer, report, decisions: { '': decision } }
}

/** Bounds that some set of options can meet; null when none can (it is reported). */
function readBounds(given: { min?: number | null | undefined; max?: number | null | undefined }, options: number, checker: Checker) {
  const min = given.min ?? 0
  const max = given.max ?? options
  const report = (field: 'min' | 'max', message: string) => {
    checker.report({ code: 'invalid_question', param: pointer(checker.param, field), message })
    return null
  }
  if (min > options) return report('min', `min is ${min}, but there are ${options} options.`)
  if (max > options) return report('max', `max is ${max}, but there are ${options} options.`)
  if (min > max) return report('min', `min is ${min}, more than max, which is ${max}.`)
  return { min, max }
}

defineKind<SelectAnswer>({
  type: 'select',
  title: 'Which of them?',
  summary: 'which of the options (any number)?',
  question,
  answers: [answer],
  isRead: false,
  flags: [
    {
      name: 'select',
      placeholder: '<question=a,b>',
      description: 'which ones?',
      takes: 'options',
      example: 'What is it about?=price,delivery,quality',
    },
  ],
  form: {
    placeholder: 'A question that any of the options may answer',
    fields: [
      { field: 'criteria', control: 'entries', noun: 'option', name: 'value', isNumbered: false },
      { field: 'min', control: 'number', label: 'At least', placeholder: '0' },
      { field: 'max', control: 'number', label: 'At most', placeholder: 'all' },
      { field: 'threshold', control: 'number', label: 'From probability', placeholder: '0.5' },
    ],
  },
  check(input, checker) {
    const read = checked(shallow, input, checker)
    const options = readOptions('select', input, checker)
    if (read === null || options === null) return null
    const bounds = readBounds(read, options.length, checker)
    if (bounds === null) return null
    const branch: Branch = {
      readout: 'independent',
      instructions: instructionsOf(read.instructions, checker, { candidates: options }),
      candidates: options.map(({ name, description }) => ({ name, description })),
      image: read.image ?? null,
    }
    const threshold = read.threshold ?? 0.5
    return checkedQuestion('select', read.image, checker, (context) => run(branch, { ...bounds, threshold }, context), {
      options: namesOf(branch),
      plain: plainList(true),
    })
  },
  truth: 'a list of options',
  truthFields: ['selected', 'select'],
  readTruth: plainTruth,
  grade({ selected, probabilities, confidence }, truth, _accept, decision) {
    const names = decision?.names ?? Object.keys(probabilities).sort()
    const rows = names.map((name) => [probabilities[name]!, 1 - probabilities[name]!])
    const claim = claimOf('independent', names, rows, truth)
    if (claim === null) return null
    const isSelected = new Set<string>(selected)
    const right = names.filter((name, i) => isSelected.has(name) === (claim.truth[i] === 0)).length / names.length
    return { said: selected, right, guess: 0.5, confidence, claim }
  },
  valueOf: (_answer, id) => noPlainValue(id),
  probabilityOf: ({ probabilities }, id, option) => namedProbability(probabilities, id, option),
  listOf: ({ selected }) => selected,
  confidenceOf: ({ confidence }) => confidence,
  isThere: ({ selected }) => selected.length > 0,
  view: ({ selected, probabilities }) => ({
    bars: Object.entries(probabilities).map(([label, probability]) => ({ label, probability, isChosen: selected.includes(label) })),
    values: null,
    notes: [],
    args: {},
  }),
  takesSelfCheck: () => false,
})
