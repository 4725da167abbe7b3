// Translates the System One wire to the engine's. Two things differ: pictures are `assets` that placeholders in strings
// stand for (or files, from the AI SDK), and the levels of a score are descriptions (a text, JSON or null), not labels,
// and come back in the legend as they were sent.

import { EngineError } from '../../core/errors.ts'
import { REQUEST_LIMITS } from '../../core/limits.ts'
import { pointerTokens } from '../../core/pointer.ts'
import { isObject, ownField, plainRecord, type UntrustedObject } from '../../core/untrusted.ts'
import type { Answer, AskResponse } from '../../wire/types.ts'
import type { Dialect } from './dialect.ts'
import { MOST_TRANSLATED, presentField } from './faults.ts'
import { placeAssets } from './systemone-assets.ts'
import { unwrapFiles } from './systemone-files.ts'
import { engineLevels } from './systemone-levels.ts'

/** No question and no option has as many; the engine refuses those that do, for what it does not know in them. */
const MOST_FIELDS = 32

function isWide(fields: UntrustedObject): boolean {
  return Object.keys(fields).length > MOST_FIELDS
}

/** The object with one field replaced; its own fields only. */
function withField(fields: UntrustedObject, field: string, value: unknown): UntrustedObject {
  return plainRecord(Object.entries(fields).map(([name, given]) => [name, name === field ? value : given] as const))
}

/** An array that is no longer than the engine takes; a longer one is for the engine to refuse. */
function isTaken(value: unknown, most: number): value is readonly unknown[] {
  return Array.isArray(value) && value.length <= most
}

/** A question with levels the engine takes, its arguments too. What is no question is left for the engine to refuse. */
function engineQuestion(question: unknown, isArgument: boolean): unknown {
  if (!isObject(question) || isWide(question)) return question
  const type = presentField(question, 'type')
  const criteria = presentField(question, 'criteria')
  if (type === 'score') return isTaken(criteria, REQUEST_LIMITS.levels) ? withField(question, 'criteria', engineLevels(criteria)) : question
  // Arguments have none of their own, which the engine says.
  if (type !== 'choice' || isArgument) return question
  let made = withArgs(question)
  for (const field of ['options', 'criteria']) {
    const options = presentField(question, field)
    if (isTaken(options, REQUEST_LIMITS.options)) {
      const withTheirs = options.map((option: unknown) => (isObject(option) && !isWide(option) ? withArgs(option) : option))
      made = withField(made, field, withTheirs)
    }
  }
  return made
}

function withArgs(fields: UntrustedObject): UntrustedObject {
  const args = presentField(fields, 'args')
  return isObject(args) ? withField(fields, 'args', engineQuestions(args, true)) : fields
}

/** Throws `too_many_questions` for more than any request may have, arguments included, before they are translated. */
function requireCount(questions: UntrustedObject): void {
  let count = 0
  const add = (asked: unknown) => {
    if (!isObject(asked)) return
    count += Object.keys(asked).length
    if (count <= MOST_TRANSLATED) return
    const message = `${count} questions (arguments included) or more are more than a request takes; split it over several requests.`
    throw new EngineError('too_many_questions', message, { param: '/questions' })
  }
  add(questions)
  for (const question of Object.values(questions)) {
    if (!isObject(question)) continue
    add(presentField(question, 'args'))
    for (const field of ['options', 'criteria']) {
      const options = presentField(question, field)
      if (!isTaken(options, REQUEST_LIMITS.options)) continue
      for (const option of options) if (isObject(option)) add(presentField(option, 'args'))
    }
  }
}

function engineQuestions(questions: UntrustedObject, isArgument: boolean): UntrustedObject {
  return plainRecord(Object.entries(questions).map(([id, question]) => [id, engineQuestion(question, isArgument)] as const))
}

/** The answer to a question as it was sent: a legend gives back what each level was. */
function encodeAnswer(question: unknown, answer: Answer): unknown {
  if (!isObject(question)) return answer
  if (answer.type === 'score') {
    const levels = presentField(question, 'criteria') as readonly unknown[]
    return { ...answer, legend: plainRecord(levels.map((level, i) => [String(i), level] as const)) }
  }
  if (answer.type !== 'choice' || answer.args === undefined) return answer
  const options = [presentField(question, 'options'), presentField(question, 'criteria')].find((given) => Array.isArray(given)) as
    | unknown[]
    | undefined
  const chosen = options?.find((option) => isObject(option) && option.value === answer.choice)
  const asked = [chosen, question].map((from) => (isObject(from) ? presentField(from, 'args') : undefined)).filter(isObject)
  const args = Object.entries(answer.args).map(([name, arg]) => {
    const sent = asked.find((questions) => Object.hasOwn(questions, name))
    return [name, encodeAnswer(sent?.[name], arg)] as const
  })
  return { ...answer, args: plainRecord(args) }
}

/** What stands at a pointer in the body; undefined when nothing does. */
function at(body: unknown, param: string): unknown {
  let here = body
  for (const token of pointerTokens(param)) here = ownField(here, token)
  return here
}

/** A fault in a field that a level or an option was sent without is about the level or the option. */
const OF_A_CANDIDATE = /^(\/questions\/.+\/(?:criteria|options)\/\d+)\/(label|value|description)$/

export const systemone: Dialect = {
  name: 'systemone',
  translate(body) {
    // The engine says what it thinks of a body that is no object.
    if (!isObject(body)) return { request: body, reply: (response) => response }
    const sent = presentField(body, 'questions')
    if (isObject(sent)) requireCount(sent)
    const files = unwrapFiles(presentField(body, 'state'))
    const unwrapped = files === null ? body : { ...body, state: files.state }
    const placed = placeAssets(unwrapped)
    const asked = placed === null ? unwrapped : { ...unwrapped, state: placed.state, questions: placed.questions }
    const intoBody = (param: string) => {
      const inState = placed?.pointer(param) ?? param
      return files?.pointer(inState) ?? inState
    }
    const request = plainRecord(
      Object.entries(asked).flatMap(([field, value]) => {
        if (field === 'assets' && placed !== null) return []
        return [[field, field === 'questions' && isObject(value) ? engineQuestions(value, false) : value] as const]
      }),
    )
    return {
      request,
      reply(response: AskResponse) {
        const questions = sent as UntrustedObject
        const answers = Object.entries(response.answers).map(([id, answer]) => {
          return [id, encodeAnswer(ownField(questions, id), answer)] as const
        })
        return { ...response, answers: plainRecord(answers) }
      },
      pointer(param) {
        const [, candidate, field] = OF_A_CANDIDATE.exec(param) ?? []
        if (candidate === undefined) return intoBody(param)
        const given = at(body, candidate)
        return isObject(given) && Object.hasOwn(given, field as string) ? param : candidate
      },
    }
  },
  headers: (requestId) => ({ 'x-typesafe-request-id': requestId }),
}
