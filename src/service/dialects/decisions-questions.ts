// Turns the `questions` of a decision, an array with optional names, into the engine's map of questions by id, and its
// answers back into an array in that order.

import { DEEPEST_WORDS, REQUEST_LIMITS } from '../../core/limits.ts'
import { pointer } from '../../core/pointer.ts'
import { didYouMean } from '../../core/suggest.ts'
import type { Json } from '../../core/types.ts'
import { isObject, jsonTypeOf, type UntrustedObject } from '../../core/untrusted.ts'
import type { ChoiceAnswer, NoulAnswer, ScoreAnswer } from '../../questions/index.ts'
import type { Answer } from '../../wire/types.ts'
import { type Faults, MOST_TRANSLATED, presentField } from './faults.ts'

/** One question as the engine is asked it, and how its answer is said. */
export interface ReadQuestion {
  /** Its key in the engine's questions, and in outcomes. */
  readonly id: string
  readonly param: string
  readonly question: unknown
  reply(answer: Answer): unknown
}

type QuestionReader = (fields: UntrustedObject, named: Named, faults: Faults) => Pick<ReadQuestion, 'question' | 'reply'>

interface Named {
  readonly name: string | null
  readonly param: string
  /** Null: the options or levels say what is asked. */
  readonly instructions: string | null
}

const READERS: ReadonlyMap<string, QuestionReader> = new Map<string, QuestionReader>([
  ['predicate', readPredicate],
  ['choice', readChoice],
  ['score', readScore],
])
const TYPES = [...READERS.keys()]
/** Of a name, in characters: each is sent back with its answer. */
export const LONGEST_NAME = 1000

/**
 * Ids are the names, so that outcomes can be recorded by name. A question without a name, or with one that came before
 * or is no id (blank, over 128 characters), has the id `question_<position from 1>`.
 */
export function readQuestions(questions: unknown, param: string, faults: Faults): readonly ReadQuestion[] {
  if (!Array.isArray(questions) || questions.length === 0) {
    const got = Array.isArray(questions) ? 'an empty array' : jsonTypeOf(questions)
    faults.report('invalid_request', param, `questions is an array of at least 1 question, received ${got}.`)
    return []
  }
  if (questions.length > MOST_TRANSLATED) {
    faults.report(
      'too_many_questions',
      param,
      `${questions.length} questions are more than a request takes; split it over several requests.`,
    )
    return []
  }
  const names = questions.map((question: unknown) => (isObject(question) ? presentField(question, 'name') : undefined))
  const taken = new Set<unknown>(names)
  const used = new Set<string>()
  const idOf = (i: number): string => {
    const name = names[i]
    const isId = typeof name === 'string' && name.trim() !== '' && name.length <= REQUEST_LIMITS.idCharacters && !used.has(name)
    let id = isId ? name : `question_${i + 1}`
    while (!isId && taken.has(id)) id = `_${id}`
    used.add(id)
    return id
  }
  return questions.flatMap((question: unknown, i): ReadQuestion[] => {
    const id = idOf(i)
    const at = pointer(param, i)
    const read = readQuestion(question, at, faults)
    return read === null ? [] : [{ id, param: at, ...read }]
  })
}

function readQuestion(question: unknown, param: string, faults: Faults): Pick<ReadQuestion, 'question' | 'reply'> | null {
  if (!isObject(question)) {
    faults.report('invalid_question', param, `A question is an object with a type, received ${jsonTypeOf(question)}.`)
    return null
  }
  const type = presentField(question, 'type')
  const read = typeof type === 'string' ? READERS.get(type) : undefined
  if (read === undefined) {
    const isText = typeof type === 'string'
    const message = `The type of a question is one of ${TYPES.join(', ')}; received ${isText ? JSON.stringify(type.slice(0, 40)) : jsonTypeOf(type)}.`
    const hint = isText ? didYouMean(type, TYPES) : ''
    faults.report(isText ? 'unknown_question_type' : 'invalid_question', pointer(param, 'type'), message + hint)
    return null
  }
  const name = presentField(question, 'name') ?? null
  if (name !== null && typeof name !== 'string') {
    faults.report('invalid_question', pointer(param, 'name'), `name is a string or left out, received ${jsonTypeOf(name)}.`)
  } else if (name !== null && name.length > LONGEST_NAME) {
    const message = `name has ${name.length} characters, at most ${LONGEST_NAME} are taken; shorten it, or leave it out.`
    faults.report('invalid_question', pointer(param, 'name'), message)
  }
  const asked = presentField(question, 'instructions')
  // The AI SDK leaves them out where the options or levels say what is asked; a predicate has nothing else.
  const isLeftOut = asked === undefined && type !== 'predicate'
  const instructions = isLeftOut ? null : readInstructions(asked, pointer(param, 'instructions'), faults)
  return read(question, { name: name as string | null, param, instructions }, faults)
}

function readPredicate(
  fields: UntrustedObject,
  { name, param, instructions }: Named,
  faults: Faults,
): Pick<ReadQuestion, 'question' | 'reply'> {
  faults.unknownFields(fields, ['type', 'name', 'instructions'], 'invalid_question', param, 'a predicate')
  return {
    question: { type: 'noul', instructions },
    reply: (answer) => ({ type: 'predicate', name, probability: (answer as NoulAnswer).noul }),
  }
}

function readChoice(
  fields: UntrustedObject,
  { name, param, instructions }: Named,
  faults: Faults,
): Pick<ReadQuestion, 'question' | 'reply'> {
  faults.unknownFields(fields, ['type', 'name', 'instructions', 'choices'], 'invalid_question', param, 'a choice')
  const values: (string | boolean)[] = []
  const options = readList(fields, 'choices', 'value', param, faults, (choice, at) => {
    const value = presentField(choice, 'value')
    if (typeof value === 'string' || typeof value === 'boolean') values.push(value)
    else faults.report('invalid_question', pointer(at, 'value'), `value is a string or a boolean, received ${jsonTypeOf(value)}.`)
    return { value, description: readDescription(choice, at, faults) }
  })
  // A string and a boolean with the same text are two values; options are told apart by their text.
  const texts = new Set<unknown>(values)
  const booleans = { true: freeText('true', texts), false: freeText('false', texts) }
  const nameOf = (value: unknown): unknown => (typeof value === 'boolean' ? booleans[`${value}`] : value)
  return {
    question: { type: 'choice', instructions, options: options.map(({ value, description }) => ({ value: nameOf(value), description })) },
    reply(answer) {
      const { choice, confidence, probabilities } = answer as ChoiceAnswer
      return {
        type: 'choice',
        name,
        choice: values.find((value) => nameOf(value) === choice),
        confidence,
        probabilities: values.map((value) => ({ value, probability: probabilities[nameOf(value) as string] })),
      }
    },
  }
}

function freeText(text: string, taken: ReadonlySet<unknown>): string {
  let free = text
  while (taken.has(free)) free += ' (boolean)'
  return free
}

function readScore(
  fields: UntrustedObject,
  { name, param, instructions }: Named,
  faults: Faults,
): Pick<ReadQuestion, 'question' | 'reply'> {
  faults.unknownFields(fields, ['type', 'name', 'instructions', 'levels'], 'invalid_question', param, 'a score')
  const criteria = readList(fields, 'levels', 'label', param, faults, (level, at) => {
    const label = presentField(level, 'label')
    if (typeof label !== 'string') {
      faults.report('invalid_question', pointer(at, 'label'), `label is a string, received ${jsonTypeOf(label)}.`)
    }
    return { label, description: readDescription(level, at, faults) }
  })
  return {
    question: { type: 'score', instructions, criteria },
    reply(answer) {
      const { score, confidence, probabilities } = answer as ScoreAnswer
      const levels = criteria.map(({ label }, value) => ({ label, value, probability: probabilities[value] }))
      return { type: 'score', name, score, confidence, probabilities: levels }
    },
  }
}

/** What is read of each object of a list field. The engine checks that there are enough and that they differ. */
function readList<T>(
  fields: UntrustedObject,
  field: 'choices' | 'levels',
  key: 'value' | 'label',
  param: string,
  faults: Faults,
  read: (entry: UntrustedObject, param: string) => T,
): readonly T[] {
  const given = presentField(fields, field)
  if (!Array.isArray(given)) {
    const message = `${field} is an array of objects {${key}, description}, received ${jsonTypeOf(given)}.`
    faults.report('invalid_question', pointer(param, field), message)
    return []
  }
  const most = field === 'choices' ? REQUEST_LIMITS.options : REQUEST_LIMITS.levels
  if (given.length > most) {
    const message = `${given.length} ${field}, but 2 to ${most} are taken; leave some out, or ask in two steps.`
    faults.report('invalid_question', pointer(param, field), message)
    return []
  }
  return given.flatMap((entry: unknown, i) => {
    const at = pointer(param, field, i)
    if (!isObject(entry)) {
      faults.report('invalid_question', at, `Expected an object {${key}, description}, received ${jsonTypeOf(entry)}.`)
      return []
    }
    faults.unknownFields(entry, [key, 'description'], 'invalid_question', at, field === 'choices' ? 'a choice' : 'a level')
    return [read(entry, at)]
  })
}

function readDescription(fields: UntrustedObject, param: string, faults: Faults): string | null {
  const description = presentField(fields, 'description')
  if (description === undefined || typeof description === 'string') return description ?? null
  faults.report('invalid_question', pointer(param, 'description'), `description is a string, received ${jsonTypeOf(description)}.`)
  return null
}

/**
 * Instructions as one text: parts go one under the other, JSON as JSON text. Pictures are refused: a question may only
 * speak of those in the input.
 */
function readInstructions(instructions: unknown, param: string, faults: Faults): string {
  if (typeof instructions === 'string' && instructions.trim() !== '') return instructions
  if (!Array.isArray(instructions) || instructions.length === 0) {
    const got =
      typeof instructions === 'string' ? 'an empty one' : Array.isArray(instructions) ? 'an empty array' : jsonTypeOf(instructions)
    faults.report('invalid_question', param, `instructions are a text or an array of parts, received ${got}.`)
    return ''
  }
  return instructions.map((part: unknown, i) => readInstructionPart(part, pointer(param, i), faults)).join('\n')
}

function readInstructionPart(part: unknown, param: string, faults: Faults): string {
  const type = isObject(part) ? presentField(part, 'type') : undefined
  if (type === 'input_image') {
    const message =
      'Pictures inside instructions are not read: every question would see them. Put the picture into input, and speak of it here.'
    faults.report('capability_not_supported', param, message)
  } else if (isObject(part) && type === 'input_text') {
    faults.unknownFields(part, ['type', 'text'], 'invalid_question', param, 'a part of type input_text')
    const text = presentField(part, 'text')
    if (typeof text === 'string') return text
    faults.report('invalid_question', pointer(param, 'text'), `text is a string, received ${jsonTypeOf(text)}.`)
  } else if (isObject(part) && type === 'input_json') {
    faults.unknownFields(part, ['type', 'data'], 'invalid_question', param, 'a part of type input_json')
    const data = presentField(part, 'data')
    const at = pointer(param, 'data')
    if (typeof data !== 'object') faults.report('invalid_question', at, `data is an object or an array, received ${jsonTypeOf(data)}.`)
    else if (!isShallow(data as Json, DEEPEST_WORDS)) {
      faults.report('invalid_question', at, `data is nested deeper than ${DEEPEST_WORDS} levels; say it flatter, or as a text.`)
    } else return JSON.stringify(data)
  } else {
    const message = `A part of instructions is of type input_text or input_json, received ${typeof type === 'string' ? JSON.stringify(type.slice(0, 40)) : jsonTypeOf(part)}.`
    faults.report('invalid_question', param, message)
  }
  return ''
}

function isShallow(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((inner: Json) => isShallow(inner, depth - 1))
}
