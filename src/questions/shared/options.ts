// The options of a choice or a select, however they were given, to candidates in order.
import { z } from 'zod'
import type { Candidate } from '../../backends/backend.ts'
import { REQUEST_LIMITS } from '../../core/limits.ts'
import { pointer } from '../../core/pointer.ts'
import type { Json } from '../../core/types.ts'
import { jsonTypeOf } from '../../core/untrusted.ts'
import type { Questions } from '../../wire/types.ts'
import type { CheckedQuestion, Checker } from './checked-question.ts'
import { checked, givenField, json, reportCount, reportDuplicates, strict, words, writtenAs } from './fields.ts'

/**
 * Questions that are asked of a chosen option; typed by hand below, for the types would refer to themselves. Their
 * component of the OpenAPI document is made from the registry of kinds.
 */
const argsField = z.custom<unknown>().meta({ id: 'Arguments' }).nullish()

/** `args` of a choice, as it is documented. */
export const argsOfChoice = argsField.describe(
  'Questions that are asked of the chosen option, whichever it is. An option may bring its own besides.',
)

/** A name that is not blank. */
export const nonBlank = z.string().regex(/\S/)

const plainOption = strict('an option', { value: z.string(), description: words })
const choiceOption = strict('an option of a choice', { value: z.string(), description: words, args: argsField })

const optionSchema = z
  .union([nonBlank, plainOption.extend({ value: nonBlank })])
  .meta({ id: 'Option', description: 'A name, or a name with its description.' })
const choiceOptionSchema = z.union([nonBlank, choiceOption.extend({ value: nonBlank })]).meta({
  id: 'ChoiceOption',
  description: 'A name, or a name with its description and the arguments that are asked when it is chosen.',
})

/** One option of a choice or a select, in order. */
export type OptionInput = z.input<typeof optionSchema>
/** One option of a choice. `args` are asked when this option wins. */
export type ChoiceOptionInput = string | { readonly value: string; readonly description?: Json; readonly args?: Questions | null }

/**
 * Name → description (or null). JavaScript moves integer-like names to the front of a map; where order matters,
 * give an array.
 */
export type Criteria = Readonly<Record<string, Json>>

/**
 * Options are given once: as `options`, or as `criteria` (a map, or the same array). 2 to 255 of them, all different.
 */
export type OptionsInput<Option = OptionInput> =
  | { readonly options: readonly Option[]; readonly criteria?: null }
  | { readonly criteria: Criteria | readonly Option[]; readonly options?: null }

/**
 * The two fields that options may come in, as they are documented. `readOptions` checks them, so that every fault has
 * its own pointer.
 */
function documentedOptions<Option extends z.ZodType>(option: Option) {
  const { options: most } = REQUEST_LIMITS
  const array = z.array(option).min(2).max(most).readonly().describe('In order.')
  const named = z.record(nonBlank, json).meta({
    description: 'Name to description (any JSON) or null. Names that look like whole numbers lose their place: give an array then.',
    minProperties: 2,
    maxProperties: most,
  })
  return {
    options: array.nullish(),
    criteria: z
      .union([named, array, z.null()])
      .optional()
      .describe('The options, by name or in order. Give either `criteria` or `options`.'),
  }
}

export const optionFields = documentedOptions(optionSchema)
export const choiceOptionFields = documentedOptions(choiceOptionSchema)

/** The same fields as `readOptions` wants them: not looked into. */
export const uncheckedOptions = { options: z.unknown().optional(), criteria: z.unknown().optional() }

/** JSON Schema of "either `options` or `criteria`", which a zod object cannot say. */
export const optionsOnce = [
  { required: ['options'], properties: { options: { type: 'array' }, criteria: { type: 'null' } } },
  { required: ['criteria'], properties: { criteria: { type: ['object', 'array'] }, options: { type: 'null' } } },
]

/** An option with what is asked when it wins. */
export interface CheckedOption extends Candidate {
  readonly args: readonly CheckedQuestion[]
  readonly param: string
}

/**
 * Options in order, 2 to the limit, all different; null when anything is wrong with them (it is reported). `noun`: the
 * kind of question. `takesArgs`: whether an option may bring questions that are asked when it wins.
 */
export function readOptions(noun: string, input: unknown, checker: Checker, takesArgs = false): readonly CheckedOption[] | null {
  const [options, criteria] = [givenField(input, 'options'), givenField(input, 'criteria')]
  if (options !== null && criteria !== null) {
    const message = 'The options are given twice, as options and as criteria; keep one.'
    checker.report({ code: 'invalid_question', param: pointer(checker.param, 'criteria'), message })
    return null
  }
  const field = options === null ? 'criteria' : 'options'
  const given = options ?? criteria
  const param = pointer(checker.param, field)
  if (given === null) {
    const message = `A ${noun} needs its options: a map name → description in criteria, or an ordered array in options.`
    checker.report({ code: 'invalid_question', param: checker.param, message })
    return null
  }
  if (typeof given !== 'object' || (field === 'options' && !Array.isArray(given))) {
    const expected = field === 'options' ? 'an array of options' : 'a map name → description or an array of options'
    const message = `${field}: expected ${expected}, received ${jsonTypeOf(given)}.`
    checker.report({ code: 'invalid_question', param, message })
    return null
  }
  // The count first: the rest of the work is bounded by it.
  const count = Array.isArray(given) ? given.length : Object.keys(given).length
  if (reportCount(count, 2, checker.limits.options, 'options', param, checker)) return null
  const list = Array.isArray(given)
    ? given.map((entry, i) => readEntry(entry, takesArgs, pointer(param, i), checker))
    : Object.entries(given).map(([value, description]) => readMapped(value, description, pointer(param, value), checker))
  const read = list.filter((option) => option !== null)
  const isDuplicated = reportDuplicates(read, 'Option', checker)
  return isDuplicated || read.length < list.length ? null : read
}

function readEntry(entry: unknown, takesArgs: boolean, param: string, checker: Checker): CheckedOption | null {
  if (typeof entry === 'string') return named(entry, null, [], param, checker)
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    const message = `An option is a name, which is a text, or an object with value and description; received ${jsonTypeOf(entry)}.`
    checker.report({ code: 'invalid_question', param, message: message + writtenAs(entry) })
    return null
  }
  const option = takesArgs ? checked(choiceOption, entry, checker, param) : checked(plainOption, entry, checker, param)
  if (option === null) return null
  const args = 'args' in option && (option.args ?? null) !== null ? checker.args(option.args, pointer(param, 'args')) : []
  return named(option.value, option.description, args, pointer(param, 'value'), checker)
}

function readMapped(value: string, description: unknown, param: string, checker: Checker): CheckedOption | null {
  const said = words.safeParse(description)
  if (said.success) return named(value, said.data, [], param, checker)
  const { path, message } = said.error.issues[0]!
  checker.report({ code: 'invalid_question', param: pointer(param, ...path.map(String)), message })
  return null
}

function named(
  value: string,
  description: string | null,
  args: readonly CheckedQuestion[],
  param: string,
  checker: Checker,
): CheckedOption | null {
  if (value.trim() !== '') return { name: value, description, args, param }
  checker.report({ code: 'invalid_question', param, message: 'The name of an option must not be empty.' })
  return null
}

// Types of the options of a question

/** The same type with its fields written out, as editors show it best. */
export type Simplify<T> = { [K in keyof T]: T[K] }

/** The type of a field, or undefined where the question has none. */
export type FieldOf<Q, K extends string> = K extends keyof Q ? Q[K] : undefined

/** The elements of the array that a question lists its options in; never where it is a map. */
export type OptionInputOf<Q> =
  FieldOf<Q, 'options'> extends readonly (infer O)[] ? O : FieldOf<Q, 'criteria'> extends readonly (infer O)[] ? O : never

type OptionName<O> = O extends string ? O : O extends { readonly value: infer V extends string } ? V : never

/**
 * The option names of a choice or a select: the elements of `options`, or of `criteria`, or the keys of a `criteria`
 * map.
 */
export type OptionsOf<Q> = [OptionInputOf<Q>] extends [never]
  ? FieldOf<Q, 'criteria'> extends infer C extends object
    ? `${keyof C & (string | number)}`
    : string
  : OptionName<OptionInputOf<Q>>

type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never

/** Whether a literal list or map has fewer than two entries. Lists and maps of open length are left to the engine. */
type IsTooFew<L> = L extends readonly unknown[]
  ? L extends readonly [] | readonly [unknown]
    ? true
    : false
  : L extends object
    ? string extends keyof L
      ? false
      : [keyof L] extends [never]
        ? true
        : IsUnion<keyof L> extends true
          ? false
          : true
    : false

/** Those of the fields that list fewer than two options, levels or values, with words for it. */
export type TooFew<Q, Fields extends string> = {
  readonly [F in Fields & keyof Q as IsTooFew<Q[F]> extends true ? F : never]: 'two or more are needed'
}

type NameOf<O> = O extends { readonly value: infer N } | { readonly label: infer N } ? N : O

/** The same name where it is one literal: what is open, or one of several, may differ from every other. */
type OneLiteral<N> = IsUnion<N> extends true ? never : N extends string ? (Record<never, never> extends Record<N, 0> ? never : N) : never

/** The name that a literal list has twice, or never. */
type Twice<L, Before = never> = L extends readonly [infer First, ...infer Rest]
  ? [OneLiteral<NameOf<First>>] extends [never]
    ? Twice<Rest, Before>
    : OneLiteral<NameOf<First>> extends Before
      ? OneLiteral<NameOf<First>>
      : Twice<Rest, Before | OneLiteral<NameOf<First>>>
  : never

/** Those of the fields that list an option or a level twice, with words for it. */
export type GivenTwice<Q, Fields extends string> = {
  readonly [F in Fields & keyof Q as [Twice<Q[F]>] extends [never] ? never : F]: `${Twice<Q[F]>} is given twice`
}
