// The entrance to the questions: loads all kinds, and checks a map of questions by their types.
import { hiddenCharacterIn } from '../core/hidden-characters.ts'
import { pointer } from '../core/pointer.ts'
import { didYouMean } from '../core/suggest.ts'
import { allKinds, findKind, type QuestionKind } from './kind.ts'
import type { CheckedQuestion, Checker, CheckQuestions, CheckSettings } from './shared/checked-question.ts'

import './kinds.ts'

export { allKinds, findKind, kindOf } from './kind.ts'
export type * from './kinds.ts'

export const checkQuestions: CheckQuestions = (input, param, settings) =>
  checkMap(input, param, 'question', false, settings, { questions: settings.limits.questions, options: settings.limits.allOptions })

function checkMap(
  input: unknown,
  param: string,
  noun: 'question' | 'argument',
  isArgument: boolean,
  settings: CheckSettings,
  left: { questions: number; options: number },
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
  left.questions -= entries.length
  if (left.questions < 0) {
    const count = limits.questions - left.questions
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
    const hidden = hiddenCharacterIn(id)
    if (hidden !== null) {
      report({
        code,
        param: at,
        message: `A ${noun} id is shown to people; this one holds ${hidden}, which they do not see: leave it out.`,
      })
      continue
    }
    const checker: Checker = {
      id,
      param: at,
      limits,
      left,
      isArgument,
      report,
      args: (args, argsParam) => {
        if (!isArgument) return checkMap(args, argsParam, 'argument', true, settings, left)
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
  const types = questionTypes()
  const type: unknown = Object.hasOwn(question, 'type') ? (question as { type: unknown }).type : undefined
  if (typeof type !== 'string') {
    const message = `A question needs its type: one of ${types.join(', ')}.`
    report({ code: 'invalid_question', param: pointer(param, 'type'), message })
    return null
  }
  const kind = findKind(type)
  if (kind) return kind
  const message = `Unknown question type ${JSON.stringify(type)}.${didYouMean(type, types)} There are ${types.join(', ')}.`
  report({ code: 'unknown_question_type', param: pointer(param, 'type'), message })
  return null
}

/** The types of all kinds. */
export function questionTypes(): readonly string[] {
  return allKinds().map(({ type }) => type)
}
