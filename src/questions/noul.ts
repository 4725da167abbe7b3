// noul: a statement to the calibrated probability that it is true.

import type { Branch } from '../backends/backend.ts'
import type { NoulAnswer } from '../wire/types.ts'
import type { QuestionContext, QuestionKind, QuestionResult } from './shared/checked-question.ts'
import type { QuestionCoroutine } from './shared/coroutine.ts'
import { decide } from './shared/decide.ts'
import { asked, base, checked, instructionsOf, strict, words } from './shared/fields.ts'

const schema = strict('a noul question', {
  ...base,
  criteria: strict('the criteria of a noul', { true: words, false: words }).nullish(),
})

function* run(branch: Branch, context: QuestionContext): QuestionCoroutine<QuestionResult<NoulAnswer>> {
  const { probabilities, decision, report, setAndAbstention } = yield* decide(branch, 'binary', context)
  return { answer: { type: 'noul', noul: probabilities[0]![0]!, ...setAndAbstention }, report, decisions: { '': decision } }
}

export const noul: QuestionKind = {
  type: 'noul',
  check(input, checker) {
    const question = checked(schema, input, checker)
    if (question === null) return null
    const branch: Branch = {
      readout: 'binary',
      instructions: instructionsOf(question.instructions, checker),
      candidates: [
        { name: 'true', description: question.criteria?.true ?? null },
        { name: 'false', description: question.criteria?.false ?? null },
      ],
      image: question.image ?? null,
    }
    return asked('noul', question.image, checker, (context) => run(branch, context))
  },
}
