// select: options to an independent probability each, and the set of those that hold.
import { z } from 'zod'
import type { Branch } from '../backends/backend.ts'
import { pointer } from '../core/errors.ts'
import { PROBABILITY_FLOOR } from '../core/math.ts'
import type { SelectAnswer } from '../wire/types.ts'
import type { Checker, QuestionContext, QuestionKind, QuestionResult } from './shared/checked-question.ts'
import type { QuestionCoroutine } from './shared/coroutine.ts'
import { decide } from './shared/decide.ts'
import { asked, base, byName, checked, instructionsOf, namesOf, strict } from './shared/fields.ts'
import { optionFields, readOptions } from './shared/options.ts'

const count = z.int().min(0)
const schema = strict('a select question', {
  ...base,
  ...optionFields,
  min: count.nullish(),
  max: count.min(1, 'at most 0 options selects nothing; give 1 or more').nullish(),
  threshold: z.number().gt(0, 'the threshold lies strictly between 0 and 1').lt(1, 'the threshold lies strictly between 0 and 1').nullish(),
})

interface Bounds {
  readonly min: number
  readonly max: number
  readonly threshold: number
}

function* run(branch: Branch, { min, max, threshold }: Bounds, context: QuestionContext): QuestionCoroutine<QuestionResult<SelectAnswer>> {
  const { probabilities, decision, report, setAndAbstention } = yield* decide(branch, 'independent', context)
  const yes = probabilities.map((row) => row[0]!)
  // By falling probability, equals in the order given (the sort is stable).
  const order = yes.map((_, i) => i).sort((a, b) => yes[b]! - yes[a]!)
  const passing = yes.filter((p) => p >= threshold).length
  const taken = Math.min(max, Math.max(min, passing))
  // The options are independent, so the probability of the whole set is a product; in logs, since 255 factors underflow.
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

export const select: QuestionKind = {
  type: 'select',
  check(input, checker) {
    const question = checked(schema, input, checker)
    const options = readOptions('select', input, checker)
    if (question === null || options === null) return null
    const bounds = readBounds(question, options.length, checker)
    if (bounds === null) return null
    const branch: Branch = {
      readout: 'independent',
      instructions: instructionsOf(question.instructions, checker),
      candidates: options.map(({ name, description }) => ({ name, description })),
      image: question.image ?? null,
    }
    const threshold = question.threshold ?? 0.5
    return asked('select', question.image, checker, (context) => run(branch, { ...bounds, threshold }, context), {
      options: namesOf(branch),
    })
  },
}
