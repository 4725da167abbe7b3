// The registry: a question as sent to a checked one, by its type. A new kind is one new file and one line here.
import { pointer } from '../core/errors.ts'
import { didYouMean } from '../core/suggest.ts'
import { choice } from './choice.ts'
import { extract } from './extract.ts'
import { fill } from './fill.ts'
import { noul } from './noul.ts'
import { score } from './score.ts'
import { select } from './select.ts'
import type { CheckedQuestion, Checker, CheckQuestions, CheckSettings, QuestionKind } from './shared/checked-question.ts'

const KINDS: ReadonlyMap<string, QuestionKind> = new Map([noul, choice, score, select, fill, extract].map((kind) => [kind.type, kind]))

export const QUESTION_TYPES: readonly string[] = [...KINDS.keys()]

export const checkQuestions: CheckQuestions = (input, param, settings) =>
  checkMap(input, param, 'question', false, settings, { left: settings.limits.questions })

function checkMap(
  input: unknown,
  param: string,
  noun: 'question' | 'argument',
  isArgument: boolean,
  settings: CheckSettings,
  budget: { left: number },
): readonly CheckedQuestion[] {
  const { limits, report } = settings
  const code = isArgument ? 'invalid_question' : 'invalid_request'
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    const got = Array.isArray(input) ? 'an array' : input === null ? 'null' : typeof input
    report({ code, param, message: `Expected an object of ${noun}s by ${isArgument ? 'name' : 'id'}, received ${got}.` })
    return []
  }
  const entries = Object.entries(input)
  if (entries.length === 0) {
    report({ code, param, message: `Give at least one ${noun}.` })
    return []
  }
  budget.left -= entries.length
  if (budget.left < 0) {
    const count = limits.questions - budget.left
    const message = `${count} questions (arguments included) or more, but a request takes ${limits.questions}; split it over several requests.`
    report({ code: 'too_many_questions', param, message })
    return []
  }
  const asked: CheckedQuestion[] = []
  for (const [id, question] of entries) {
    const at = pointer(param, id)
    if (id.trim() === '' || id.length > limits.idCharacters) {
      report({
        code,
        param: at,
        message: `A ${noun} id has 1 to ${limits.idCharacters} characters and is not blank; this one has ${id.length}.`,
      })
      continue
    }
    const checker: Checker = {
      id,
      param: at,
      limits,
      isArgument,
      report,
      args: (args, argsParam) => {
        if (!isArgument) return checkMap(args, argsParam, 'argument', true, settings, budget)
        report({ code: 'invalid_question', param: argsParam, message: 'An argument may be a choice, but not one with args of its own.' })
        return []
      },
    }
    const kind = kindOf(question, checker)
    const checkedQuestion = kind?.check(question, checker) ?? null
    if (checkedQuestion) asked.push(checkedQuestion)
  }
  return asked
}

function kindOf(question: unknown, checker: Checker): QuestionKind | null {
  const { param, report } = checker
  if (typeof question !== 'object' || question === null || Array.isArray(question)) {
    const got = Array.isArray(question) ? 'an array' : question === null ? 'null' : typeof question
    report({ code: 'invalid_question', param, message: `A question is an object with a type, received ${got}.` })
    return null
  }
  const type: unknown = Object.hasOwn(question, 'type') ? (question as { type: unknown }).type : undefined
  if (typeof type !== 'string') {
    const message = `A question needs its type: one of ${QUESTION_TYPES.join(', ')}.`
    report({ code: 'invalid_question', param: pointer(param, 'type'), message })
    return null
  }
  const kind = KINDS.get(type)
  if (kind) return kind
  const message = `Unknown question type ${JSON.stringify(type)}.${didYouMean(type, QUESTION_TYPES)} There are ${QUESTION_TYPES.join(', ')}.`
  report({ code: 'unknown_question_type', param: pointer(param, 'type'), message })
  return null
}
