// noul: a statement to the calibrated probability that it is true.
import type { NoulAnswer } from '../answers.ts'
import type { Branch } from '../backends/backend.ts'
import { entropyBits, toProbabilities } from '../math.ts'
import type { Finding, QuestionKind } from './asked.ts'
import { asked, base, checked, instructionsOf, onlyRow, strict, words } from './fields.ts'
import { type Inquiry, score } from './inquiry.ts'

const schema = strict('a noul question', {
  ...base,
  criteria: strict('the criteria of a noul', { true: words, false: words }).nullish(),
})

function* inquire(branch: Branch): Inquiry<Finding<NoulAnswer>> {
  const { rows } = yield* score(branch)
  const row = onlyRow(rows)
  const probabilities = toProbabilities(row.logProbabilities)
  return { answer: { type: 'noul', noul: probabilities[0]! }, entropyBits: entropyBits(probabilities), mass: row.mass }
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
    return asked('noul', question.image, checker, () => inquire(branch))
  },
}
