// The fields that several kinds of question share, as zod schemas, and the one way a schema's issues become faults with
// pointers.
import { z } from 'zod'
import type { Candidate } from '../../backends/backend.ts'
import { DEEPEST_WORDS } from '../../core/limits.ts'
import { memberOf, whyNotJson } from '../../core/plain-json.ts'
import { pointer } from '../../core/pointer.ts'
import { didYouMean } from '../../core/suggest.ts'
import type { Json } from '../../core/types.ts'
import { jsonTypeOf, ownField, plainRecord } from '../../core/untrusted.ts'
import type { CheckedQuestion, Checker } from './checked-question.ts'

/** Unknown fields that are named; more of them are no typos, and naming each would take time from others. */
const MOST_UNKNOWN = 20

/** A strict object. An unknown field is refused with the near names and the list of fields there are. */
export function strict<S extends z.core.$ZodLooseShape>(noun: string, shape: S) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    // One line a key: `checked` takes the lines apart again.
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys
            .slice(0, MOST_UNKNOWN)
            .map((key: string) => `Unknown field ${JSON.stringify(key)} in ${noun}.${didYouMean(key, known)} It takes ${known.join(', ')}.`)
            .join('\n')
        : undefined,
  })
}

interface NotJson {
  /** Where it stands in the value. */
  readonly path: string[]
  readonly message: string
}

/**
 * The first thing in a value that is not JSON; null when all of it is. Members that are undefined are left out, as JSON
 * does. The depth bounds the recursion, circles included.
 */
function notJsonIn(value: unknown, path: readonly string[] = []): NotJson | null {
  const why = whyNotJson(value)
  if (why !== null) return { path: [...path], message: why }
  if (typeof value !== 'object' || value === null) return null
  if (path.length >= DEEPEST_WORDS) {
    return { path: [], message: `JSON is nested deeper than ${DEEPEST_WORDS} levels; say it flatter, or as a string.` }
  }
  // By index: a hole of a list is undefined, which has no place there.
  const keys = Array.isArray(value) ? Array.from(value.keys(), String) : Object.keys(value)
  for (const key of keys) {
    const member = memberOf(value, key)
    if ('why' in member) return { path: [...path, key], message: member.why }
    if (member.value === undefined && !Array.isArray(value)) continue
    const found = notJsonIn(member.value, [...path, key])
    if (found !== null) return found
  }
  return null
}

/** Any JSON value, as the caller's type and as a component of the OpenAPI document. It is looked into by `words`. */
export const json = z.custom<Json>().meta({ id: 'Json' })

/** Words for the model: a string as it is, null or blank as null, other JSON as compact JSON text. */
export const words = json
  .transform((value: unknown, context): string | null => {
    if (value === undefined || value === null) return null
    const problem = notJsonIn(value)
    if (problem !== null) {
      context.issues.push({ code: 'custom', ...problem, input: value })
      return z.NEVER
    }
    if (typeof value !== 'string') return JSON.stringify(value)
    return value.trim() === '' ? null : value
  })
  .optional()
  .transform((value) => value ?? null)

/**
 * The fields of every question. Optional fields may be null here and in every kind: clients that write all their fields
 * send null for absent.
 */
export const base = {
  instructions: words.describe(
    `Words for the model: a text, or JSON, which is shown as JSON (nested at most ${DEEPEST_WORDS} deep). Absent, null or blank: the words of the question’s id are asked.`,
  ),
  image: z
    .string()
    .min(1, 'Give the id of an image part, or leave the field out.')
    .nullish()
    .describe('Id of the image part that the question is about. Needed for coordinates when the state has several pictures.'),
}

export const selfCheck = z.boolean().nullish()

/**
 * Runs a schema; what is wrong is reported under the pointer (the question's own by default), and then the result is
 * null.
 */
export function checked<S extends z.ZodType>(schema: S, input: unknown, checker: Checker, param = checker.param): z.output<S> | null {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  for (const issue of result.error.issues) {
    const path = issue.path.map(String)
    const at = pointer(param, ...path)
    if (issue.code === 'unrecognized_keys') {
      const messages = issue.message.split('\n')
      messages.forEach((message, i) => {
        checker.report({ code: 'invalid_question', param: pointer(at, issue.keys[i] ?? ''), message })
      })
      const unnamed = issue.keys.length - messages.length
      if (unnamed > 0) checker.report({ code: 'invalid_question', param: at, message: `${unnamed} more unknown fields.` })
    } else checker.report({ code: 'invalid_question', param: at, message: sentence(issue, input) })
  }
  return null
}

/** What the schema library calls a type, in words that stand behind "takes". */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
}

/** An issue in our words: what the field takes, what it was given, and the near names. Messages of ours stay. */
function sentence(issue: z.core.$ZodIssue, input: unknown): string {
  const field = issue.path.length === 0 ? 'This' : issue.path.join('.')
  const givenValue = () => issue.path.reduce<unknown>((value, key) => ownField(value, String(key)), input)
  if (issue.code === 'invalid_value')
    return issue.message.startsWith('Invalid ') ? oneOf(field, issue.values.map(String), givenValue()) : issue.message
  if (issue.code === 'invalid_type') {
    const given = givenValue()
    return `${field} takes ${TYPES[issue.expected] ?? issue.expected}, not ${typeof given === 'number' ? given : jsonTypeOf(given)}.`
  }
  return `${issue.path.length === 0 ? '' : `${field}: `}${issue.message}${/[.?!]$/.test(issue.message) ? '' : '.'}`
}

/** The longest value that a message repeats. */
const SHOWN_CHARACTERS = 40

/** `kind takes text, int, not "itn". Did you mean "int"?` */
export function oneOf(field: string, values: readonly string[], given: unknown): string {
  const isShown = typeof given === 'string' && given.length <= SHOWN_CHARACTERS
  const hint = typeof given === 'string' ? didYouMean(given, values) : ''
  return `${field} takes ${values.join(', ')}, not ${isShown ? JSON.stringify(given) : jsonTypeOf(given)}.${hint}`
}

/** An id that names something; `q` and `q1` do not. */
const NAME = /^\p{L}{3,}$/u

interface Beside {
  /** What is to choose from; what is described says what is asked. */
  readonly candidates?: readonly Candidate[]
  /** Whether a name says what is asked, as it does of a value to be read or beside options; default true. */
  readonly isNameEnough?: boolean
}

/**
 * The statement or question that the model reads: the instructions, or the words of the id when there are none. Where
 * the id is one word and nothing else says what is asked, a warning does.
 */
export function instructionsOf(
  instructions: string | null,
  checker: Checker,
  { candidates = [], isNameEnough = true }: Beside = {},
): string {
  if (instructions !== null) return instructions
  const { id, isArgument } = checker
  const spoken = id
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\-.]+/g, ' ')
    .trim()
  const asked = spoken === '' ? id : spoken
  const isSaid = (isNameEnough && NAME.test(asked)) || candidates.some(({ description }) => description !== null)
  if (!asked.includes(' ') && !isSaid) {
    const noun = isArgument ? 'argument' : 'question'
    checker.warn(`The ${noun} ${JSON.stringify(id)} has no instructions, so its id alone is asked; say in instructions what is asked.`)
  }
  return asked
}

/** How a name is written that was given as a number: ` Write "1".` Empty for what is none. */
export function writtenAs(given: unknown): string {
  return typeof given === 'number' ? ` Write ${JSON.stringify(String(given))}.` : ''
}

/** A field of unchecked input: its own, not inherited. Null when it is absent or null. */
export function givenField(input: unknown, field: string): unknown {
  return ownField(input, field) ?? null
}

/** Reports every name that comes twice, where it comes again. True when there was one. */
export function reportDuplicates(
  names: readonly { readonly name: string; readonly param: string }[],
  noun: string,
  checker: Checker,
): boolean {
  const first = new Set<string>()
  let isDuplicated = false
  for (const { name: given, param } of names) {
    if (first.has(given)) {
      isDuplicated = true
      checker.report({
        code: 'invalid_question',
        param,
        message: `${noun} ${JSON.stringify(given)} is given twice; each must be different.`,
      })
    }
    first.add(given)
  }
  return isDuplicated
}

/** Reports a count outside least to most, or beyond what the request has left. True when there was one. */
export function reportCount(count: number, least: number, most: number, noun: string, param: string, checker: Checker): boolean {
  if (count >= least && count <= most) {
    const { left, limits } = checker
    left.options -= count
    if (left.options >= 0) return false
    const message = `The questions have ${limits.allOptions - left.options} options, levels and values or more, but a request takes ${limits.allOptions}; split it over several requests.`
    checker.report({ code: 'request_too_large', param, message })
    return true
  }
  const advice = count < least ? 'add more' : 'leave some out, or ask in two steps'
  checker.report({ code: 'invalid_question', param, message: `${count} ${noun}, but ${least} to ${most} are taken; ${advice}.` })
  return true
}

/** A probability for each candidate's name. */
export function byName(candidates: readonly Candidate[], probabilities: readonly number[]): Record<string, number> {
  return plainRecord(candidates.map((candidate, i) => [candidate.name, probabilities[i]!] as const))
}

export function namesOf({ candidates }: { readonly candidates: readonly Candidate[] }): string[] {
  return candidates.map((candidate) => candidate.name)
}

/** A checked question with what all kinds share. */
export function checkedQuestion(
  type: CheckedQuestion['type'],
  image: string | null | undefined,
  checker: Checker,
  run: CheckedQuestion['run'],
  more: Partial<Pick<CheckedQuestion, 'needsBoxes' | 'args' | 'options' | 'plain'>> = {},
): CheckedQuestion {
  return {
    id: checker.id,
    param: checker.param,
    type,
    image: image ?? null,
    needsBoxes: false,
    args: [],
    options: null,
    plain: null,
    run,
    ...more,
  }
}
