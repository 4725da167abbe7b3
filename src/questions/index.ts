// The entrance to the questions: loads all kinds, and checks a map of questions by their types.
import { hiddenCharacterIn } from '../core/hidden-characters.ts'
import { pointer } from '../core/pointer.ts'
import { didYouMean } from '../core/suggest.ts'
import { cut, isObject, jsonTypeOf, ownField } from '../core/untrusted.ts'
import { allKinds, findKind, type QuestionKind } from './kind.ts'
import type { CheckedQuestion, Checker, CheckSettings } from './shared/checked-question.ts'

import './kinds.ts'

export { allKinds, findKind, kindOf } from './kind.ts'
export type * from './kinds.ts'

interface MapSettings extends CheckSettings {
  readonly isArgument: boolean
  /** What the request may still have. */
  readonly left: { questions: number; options: number }
}

/**
 * Checks a map of questions. What is wrong is reported, and the questions at fault are left out. `param` is the pointer
 * of the map.
 */
export function checkQuestions(input: unknown, param: string, settings: CheckSettings): readonly CheckedQuestion[] {
  const { questions, allOptions: options } = settings.limits
  return checkMap(input, param, { ...settings, isArgument: false, left: { questions, options } })
}

function checkMap(input: unknown, param: string, settings: MapSettings): readonly CheckedQuestion[] {
  const { limits, left, isArgument, report } = settings
  const noun = isArgument ? 'argument' : 'question'
  const code = isArgument ? 'invalid_question' : 'invalid_request'
  if (!isObject(input)) {
    const message = `Expected an object of ${noun}s by ${isArgument ? 'name' : 'id'}, received ${jsonTypeOf(input)}.`
    report({ code, param, message })
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
    const have = isArgument ? `The questions and their arguments are ${count} or more together` : `There are ${count} questions`
    const message = `${have}, and a request takes ${limits.questions} at most; split it over several requests.`
    report({ code: 'too_many_questions', param, message })
    return []
  }
  return entries.flatMap(([id, question]) => {
    const message = idFault(id, isArgument ? 'The name of an argument' : 'The id of a question', limits.idCharacters)
    if (message === null) return checkOne(id, question, pointer(param, id), settings) ?? []
    report({ code, param: pointer(param, id), message })
    return []
  })
}

/** What is wrong with a key of the answers, as a sentence about `what`; null when nothing is. */
export function idFault(id: string, what: string, most: number): string | null {
  if (id.trim() === '' || id.length > most) return `${what} has 1 to ${most} characters and is not blank; this one has ${id.length}.`
  const hidden = hiddenCharacterIn(id)
  return hidden === null ? null : `${what} is shown to people; this one holds ${hidden}, which they do not see: leave it out.`
}

function checkOne(id: string, question: unknown, param: string, settings: MapSettings): CheckedQuestion | null {
  const { limits, left, isArgument, report } = settings
  const checker: Checker = {
    id,
    param,
    limits,
    left,
    isArgument,
    report,
    warn: (message) => settings.warn?.(message),
    args: (args, argsParam) => {
      if (!isArgument) return checkMap(args, argsParam, { ...settings, isArgument: true })
      report({ code: 'invalid_question', param: argsParam, message: 'An argument may be a choice, but not one with args of its own.' })
      return []
    },
  }
  return readKind(question, checker)?.check(question, checker) ?? null
}

/** The kind of a question as it was sent; null when it has none (it is reported). */
function readKind(question: unknown, checker: Checker): QuestionKind | null {
  const { param, report } = checker
  if (!isObject(question)) {
    report({ code: 'invalid_question', param, message: `A question is an object with a type, received ${jsonTypeOf(question)}.` })
    return null
  }
  const types = questionTypes()
  const type = ownField(question, 'type')
  if (typeof type !== 'string') {
    const message = `A question needs its type: one of ${types.join(', ')}.`
    report({ code: 'invalid_question', param: pointer(param, 'type'), message })
    return null
  }
  const kind = findKind(type)
  if (kind) return kind
  const message = `Unknown question type ${JSON.stringify(cut(type, 80))}.${didYouMean(type, types)} There are ${types.join(', ')}.`
  report({ code: 'unknown_question_type', param: pointer(param, 'type'), message })
  return null
}

/** The types of all kinds. */
export function questionTypes(): readonly string[] {
  return allKinds().map(({ type }) => type)
}
