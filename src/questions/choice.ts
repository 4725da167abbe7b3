// choice: options to one distribution over them, its argmax, and the arguments of the winner, asked behind it on the same prefix.

import { z } from 'zod'
import type { Branch } from '../backends/backend.ts'
import { pointer } from '../core/errors.ts'
import type { Answers, ChoiceAnswer } from '../wire/types.ts'
import type { CheckedQuestion, QuestionContext, QuestionKind, QuestionResult } from './shared/checked-question.ts'
import { all, type QuestionCoroutine } from './shared/coroutine.ts'
import { decide } from './shared/decide.ts'
import type { Decision } from './shared/decision.ts'
import { argmax, asked, base, byName, checked, instructionsOf, namesOf, ownField, record, strict } from './shared/fields.ts'
import { optionFields, readOptions } from './shared/options.ts'

const schema = strict('a choice question', { ...base, ...optionFields, args: z.unknown().optional() })

function* run(
  branch: Branch,
  argsOf: readonly (readonly CheckedQuestion[])[],
  context: QuestionContext,
): QuestionCoroutine<QuestionResult<ChoiceAnswer>> {
  const { probabilities: rows, decision, report, setAndAbstention } = yield* decide(branch, 'exclusive', context)
  const probabilities = rows[0]!
  const winner = argmax(probabilities)
  const asks = argsOf[winner]!
  const findings = yield* all(asks.map((question) => question.run(context)))
  const args: Answers = record(asks.map((question, i) => [question.id, findings[i]!.answer] as const))
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
  return { answer, report, decisions: record([['', decision], ...ofArgs]) }
}

export const choice: QuestionKind = {
  type: 'choice',
  check(input, checker) {
    const question = checked(schema, input, checker)
    const options = readOptions('choice', input, checker)
    const args = ownField(input, 'args')
    const shared = args === null ? [] : checker.args(args, pointer(checker.param, 'args'))
    if (question === null || options === null) return null
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
      instructions: instructionsOf(question.instructions, checker),
      candidates: options.map(({ name, description }) => ({ name, description })),
      image: question.image ?? null,
    }
    const every = [...shared, ...options.flatMap((option) => option.args)]
    return asked('choice', question.image, checker, (context) => run(branch, argsOf, context), {
      args: every,
      options: namesOf(branch),
    })
  },
}
