// noul: a statement to the calibrated probability that it is true.

import type { Branch } from '../backends/backend.ts'
import type { NoulAnswer } from '../wire/types.ts'
import type { Finding, InquiryContext, QuestionKind } from './shared/asked.ts'
import { decide } from './shared/decide.ts'
import { asked, base, checked, instructionsOf, strict, words } from './shared/fields.ts'
import type { Inquiry } from './shared/inquiry.ts'

const schema = strict('a noul question', {
  ...base,
  criteria: strict('the criteria of a noul', { true: words, false: words }).nullish(),
})

function* inquire(branch: Branch, context: InquiryContext): Inquiry<Finding<NoulAnswer>> {
  const { probabilities, decision, report, caution } = yield* decide(branch, 'binary', context)
  return { answer: { type: 'noul', noul: probabilities[0]![0]!, ...caution }, report, decisions: { '': decision } }
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
    return asked('noul', question.image, checker, (context) => inquire(branch, context))
  },
}
