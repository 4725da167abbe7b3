// fill: the model writes a short value under a grammar, so that it parses by construction. Kind `enum` is scored, not
// written.
import { z } from 'zod'
import type { Branch, Grammar } from '../backends/backend.ts'
import { REQUEST_LIMITS } from '../core/limits.ts'
import { argmax, PROBABILITY_FLOOR } from '../core/math.ts'
import { pointer } from '../core/pointer.ts'
import type { Json } from '../core/types.ts'
import type { KindTypes } from '../wire/types.ts'
import { defineKind } from './kind.ts'
import { checkSchema, confidence, error, valid } from './shared/answer-schemas.ts'
import { check } from './shared/check.ts'
import type { Checker, QuestionContext, QuestionResult } from './shared/checked-question.ts'
import type { QuestionCoroutine } from './shared/coroutine.ts'
import { decide } from './shared/decide.ts'
import { decideRead, rightOrWrong } from './shared/decide-read.ts'
import { noPlainValue, noProbability, PLAIN_DAY_READ, PLAIN_READ, plainList, plainText } from './shared/expressions.ts'
import {
  base,
  checked,
  checkedQuestion,
  givenField,
  instructionsOf,
  json,
  oneOf,
  reportCount,
  reportDuplicates,
  selfCheck,
  strict,
} from './shared/fields.ts'
import { gradeOfRead, isRightRead, plainTruth } from './shared/grade.ts'
import type { FieldOf, TooFew } from './shared/options.ts'
import type { Checked, Unparsed } from './shared/read-types.ts'
import { readWorkedOut } from './shared/read-worked-out.ts'
import { toldByFields } from './shared/told-by-fields.ts'

/** Those that are written. */
const WRITTEN_KINDS = ['text', 'int', 'number', 'date'] as const
const ITEM_KINDS = [...WRITTEN_KINDS, 'enum'] as const
const KINDS = [...ITEM_KINDS, 'list'] as const
/** Kinds of the wire that this version refuses. */
const REFUSED_KINDS = ['json', 'pattern'] as const
type SentKind = (typeof KINDS)[number] | (typeof REFUSED_KINDS)[number]

const itemKind = z.enum(ITEM_KINDS)
const itemSchema = strict('the item of a list', { kind: itemKind, values: z.unknown().optional() })

const values = z
  .array(z.string().regex(/^[^\n\r]*\S[^\n\r]*$/))
  .min(2)
  .max(REQUEST_LIMITS.options)
  .readonly()
  .describe(`2 to ${REQUEST_LIMITS.options} values, all different, each of one line.`)

/** JSON Schema of "this field belongs to one kind alone"; `isNeeded`: and that kind needs it. */
function onlyWith(kind: string, field: string, isNeeded: boolean) {
  const isNull = { type: 'null' }
  const given = isNeeded
    ? { required: ['kind', field], properties: { kind: { const: kind }, [field]: { not: isNull } } }
    : { required: ['kind'], properties: { kind: { const: kind } } }
  return { anyOf: [given, { properties: { [field]: isNull, ...(isNeeded ? { kind: { not: { const: kind } } } : {}) } }] }
}

const item = z
  .union([
    z.enum(WRITTEN_KINDS),
    itemSchema.extend({ values: values.nullish() }).meta({ description: 'What the items are.', ...onlyWith('enum', 'values', true) }),
  ])
  .meta({ id: 'FillItem', description: 'A kind, or an object with a kind and (for `enum`) its values, which hold no `;`.' })

const fields = strict('a fill question', {
  type: z.literal('fill'),
  ...base,
  kind: z
    .enum([...KINDS, ...REFUSED_KINDS], { error: ({ input }) => oneOf('kind', KINDS, input) })
    .nullish()
    .describe('Default `text`. `json` and `pattern` are refused with `capability_not_supported` in this version.'),
  item: item.nullish().describe('Kind `list` only: what its items are; default `text`.'),
  values: values.nullish().describe('Kind `enum` only.'),
  schema: json.optional().describe('Kind `json` only.'),
  pattern: json.optional().describe('Kind `pattern` only.'),
  self_check: selfCheck.describe(
    'Ask the model besides whether the value is right; the answer then has `check`, a calibrated probability. Default false.',
  ),
})
const question = fields.meta({
  id: 'FillQuestion',
  description: 'Write a short value. It is written under a grammar, so that it parses by construction.',
  allOf: [
    onlyWith('enum', 'values', true),
    onlyWith('list', 'item', false),
    onlyWith('json', 'schema', false),
    onlyWith('pattern', 'pattern', false),
  ],
})

const unchecked = z.unknown().optional()
/** What the schema checks. What depends on the kind is checked by hand, so that every fault has its own pointer. */
const shallow = fields.extend({ item: unchecked, values: unchecked, schema: unchecked, pattern: unchecked })

/** Which field belongs to which kind alone. */
const KIND_OF_FIELD: ReadonlyMap<string, SentKind> = new Map([
  ['item', 'list'],
  ['values', 'enum'],
  ['schema', 'json'],
  ['pattern', 'pattern'],
])

export type FillItemKind = (typeof ITEM_KINDS)[number]
export type FillItem = z.input<typeof item>
export type FillKind = (typeof KINDS)[number]

/** Write a short value. `item` belongs to kind `list`, `values` to kind `enum`. */
export type FillQuestion = Omit<z.input<typeof question>, 'kind' | 'item' | 'values' | 'schema' | 'pattern'> &
  (
    | { readonly kind?: (typeof WRITTEN_KINDS)[number] | null; readonly item?: null; readonly values?: null }
    | { readonly kind: 'list'; readonly item?: FillItem | null; readonly values?: null }
    | { readonly kind: 'enum'; readonly values: readonly string[]; readonly item?: null }
  )

export type FillParsed = number | readonly (string | number)[]

/**
 * `value` as written; `parsed` for int, number and list; `valid`: it is complete and parses. `confidence`: that it is
 * right; `check` with `self_check`.
 */
export interface FillAnswer<Value extends string = string, Parsed = FillParsed> {
  readonly type: 'fill'
  readonly value: Value
  readonly parsed?: Parsed
  readonly valid: boolean
  readonly error?: string
  readonly confidence: number
  readonly check?: number
}

const answer: z.ZodType<FillAnswer> = z
  .object({
    type: z.literal('fill'),
    value: z.string().describe('As it was written.'),
    parsed: z
      .union([
        z.number(),
        z
          .array(z.union([z.string(), z.number()]))
          .readonly()
          .describe('Items.'),
      ])
      .optional()
      .describe('For int, number and list.'),
    valid,
    error,
    confidence,
    check: checkSchema,
  })
  .meta({ id: 'FillAnswer', description: 'A value that was written.' })

type ItemKind<I> = I extends { readonly kind: infer K } ? K : I
type ItemParsed<I> = [ItemKind<I>] extends ['int' | 'number'] ? readonly number[] : readonly string[]

type FillByKind<Q, Kind> = [Kind] extends ['int' | 'number']
  ? Checked<FillAnswer<string, number>, Q, 'parsed'>
  : [Kind] extends ['list']
    ? Checked<FillAnswer<string, ItemParsed<FieldOf<Q, 'item'>>>, Q, 'parsed'>
    : [Kind] extends ['enum']
      ? Checked<Unparsed<FillAnswer<FieldOf<Q, 'values'> extends readonly (infer V extends string)[] ? V : string>>, Q>
      : [Kind] extends ['text' | 'date' | null | undefined]
        ? Checked<Unparsed<FillAnswer>, Q>
        : Checked<FillAnswer<string, FillParsed>, Q>

interface FillTypes extends KindTypes {
  readonly question: FillQuestion
  readonly answer: FillAnswer
  readonly typed: FillByKind<this['asked'], FieldOf<this['asked'], 'kind'>>
  readonly refuses: TooFew<this['asked'], 'values'>
}

declare module '../wire/types.ts' {
  interface QuestionKinds {
    readonly fill: FillTypes
  }
}

interface WrittenRead {
  readonly branch: Branch
  readonly grammar: Grammar
  readonly maxTokens: number
  readonly isChecked: boolean
}

function* runWritten(
  { branch, grammar, maxTokens, isChecked }: WrittenRead,
  context: QuestionContext,
): QuestionCoroutine<QuestionResult<FillAnswer>> {
  const told = context.usesLogic ? toldByFields(branch.instructions, grammar, context) : null
  const reply = told ?? (yield* readWorkedOut(branch, grammar, maxTokens, context))
  if (reply.type === 'failed') {
    const answer: FillAnswer = { type: 'fill', value: '', valid: false, error: reply.error.message, confidence: PROBABILITY_FLOOR }
    return { answer, report: null, decisions: {} }
  }
  if (reply.type !== 'text') throw new TypeError(`A grammar read gave ${reply.type}.`)
  const parsed = reply.complete ? context.parse(grammar, reply.text) : null
  const own = decideRead(branch, 'written', reply.text, reply.logProbability, context)
  const confirmed = isChecked
    ? yield* check(branch, { value: reply.text, readout: 'written', row: own.decision.single[0]! }, context)
    : null
  const answer: FillAnswer = {
    type: 'fill',
    value: reply.text,
    ...(parsed !== null && typeof parsed !== 'string' ? { parsed } : {}),
    valid: parsed !== null,
    ...(parsed === null && reply.reason !== undefined ? { error: reply.reason } : {}),
    confidence: own.confidence,
    ...(confirmed === null ? {} : { check: confirmed.probabilities[0]![0]! }),
  }
  const { report, decision } = confirmed ?? own
  return { answer, report, decisions: { '': decision } }
}

function* runEnum(branch: Branch, isChecked: boolean, context: QuestionContext): QuestionCoroutine<QuestionResult<FillAnswer>> {
  // As every read it gets neither a set nor an abstention, so there need be no labels for them.
  const { probabilities: rows, decision, report } = yield* decide(branch, 'exclusive', { ...context, predictionSets: () => ({}) })
  const probabilities = rows[0]!
  const winner = argmax(probabilities)
  const value = branch.candidates[winner]!.name
  const own = (decision.deliberated ?? decision.single)[0]![decision.names.indexOf(value)]!
  const confirmed = isChecked ? yield* check(branch, { value, readout: 'written', row: rightOrWrong(own) }, context) : null
  const answer: FillAnswer = {
    type: 'fill',
    value,
    valid: true,
    confidence: probabilities[winner]!,
    ...(confirmed === null ? {} : { check: confirmed.probabilities[0]![0]! }),
  }
  return { answer, report, decisions: { '': decision } }
}

/**
 * The values of an enum: strings, 2 to the limit, all different; null when anything is wrong with them (it is
 * reported).
 */
function readValues(given: unknown, param: string, checker: Checker): readonly string[] | null {
  if (!Array.isArray(given)) {
    checker.report({ code: 'invalid_question', param, message: 'Kind enum needs its values: an array of strings.' })
    return null
  }
  if (reportCount(given.length, 2, checker.limits.options, 'values', param, checker)) return null
  let isWrong = false
  given.forEach((value, i) => {
    // One line, as every fill: a value that holds a newline could not be read back from a list.
    if (typeof value === 'string' && value.trim() !== '' && !/[\n\r]/.test(value)) return
    isWrong = true
    checker.report({ code: 'invalid_question', param: pointer(param, i), message: 'A value is a string of one line, not empty.' })
  })
  if (isWrong) return null
  const named = given.map((name: string, i) => ({ name, param: pointer(param, i) }))
  return reportDuplicates(named, 'Value', checker) ? null : named.map(({ name }) => name)
}

/** The grammar of a list's items; null when anything is wrong (it is reported). */
function readItem(given: unknown, checker: Checker): Grammar | null {
  const param = pointer(checker.param, 'item')
  const item = checked(itemSchema, typeof given === 'string' ? { kind: given } : (given ?? { kind: 'text' }), checker, param)
  if (item === null) return null
  if (item.kind === 'enum') {
    const values = readValues(item.values, pointer(param, 'values'), checker)
    const joined = values?.find((value) => value.includes(';'))
    if (joined !== undefined) {
      const message = `The items of a list are separated by ";", so the value ${JSON.stringify(joined)} cannot be one; write it without.`
      checker.report({ code: 'invalid_question', param: pointer(param, 'values'), message })
      return null
    }
    return values && { type: 'enum', values }
  }
  if ((item.values ?? null) === null) return { type: item.kind }
  const message = `Kind ${item.kind} takes no values; only enum does.`
  checker.report({ code: 'invalid_question', param: pointer(param, 'values'), message })
  return null
}

function readList(given: unknown, checker: Checker): Grammar | null {
  const item = readItem(given, checker)
  return item && { type: 'list', item, maxItems: checker.limits.listItems }
}

/** Reports fields that the kind does not take. True when there was one. */
function reportStrayFields(kind: SentKind, input: unknown, checker: Checker): boolean {
  let isStray = false
  for (const [field, owner] of KIND_OF_FIELD) {
    if (kind === owner || givenField(input, field) === null) continue
    isStray = true
    const message = `${field} belongs to kind ${owner}, and this fill is of kind ${kind}.`
    checker.report({ code: 'invalid_question', param: pointer(checker.param, field), message })
  }
  return isStray
}

defineKind<FillAnswer>({
  type: 'fill',
  title: 'Write a value',
  summary: 'write a short value',
  question,
  answers: [answer],
  isRead: true,
  flags: [{ name: 'fill', placeholder: '<words>', description: 'write a short value', takes: 'words', example: 'How many items?' }],
  form: {
    placeholder: 'What is to be written',
    fields: [
      { field: 'values', control: 'entries', noun: 'value', name: null, isNumbered: false, when: ['kind', 'enum'] },
      { field: 'kind', control: 'select', label: 'Kind', values: KINDS },
      { field: 'item', control: 'select', label: 'Of', values: WRITTEN_KINDS, when: ['kind', 'list'] },
      { field: 'self_check', control: 'tick', label: 'check itself' },
    ],
  },
  check(input, checker) {
    const read = checked(shallow, input, checker)
    if (read === null) return null
    const kind = read.kind ?? 'text'
    if (kind === 'json' || kind === 'pattern') {
      const message = `fill of kind ${kind} is not in this version; use one of ${KINDS.join(', ')}.`
      checker.report({ code: 'capability_not_supported', param: pointer(checker.param, 'kind'), message })
      return null
    }
    if (reportStrayFields(kind, input, checker)) return null
    const isChecked = read.self_check ?? false
    const branch: Branch = {
      readout: 'read',
      instructions: instructionsOf(read.instructions, checker),
      candidates: [],
      image: read.image ?? null,
    }
    if (kind === 'enum') {
      const values = readValues(read.values, pointer(checker.param, 'values'), checker)
      if (values === null) return null
      const candidates = values.map((value) => ({ name: value, description: null }))
      const scored: Branch = { ...branch, readout: 'exclusive', candidates }
      return checkedQuestion('fill', read.image, checker, (context) => runEnum(scored, isChecked, context), {
        plain: plainText(values, false),
      })
    }
    const grammar = kind === 'list' ? readList(read.item, checker) : { type: kind }
    if (grammar === null) return null
    const written: WrittenRead = { branch, grammar, maxTokens: checker.limits.fillTokens, isChecked }
    return checkedQuestion('fill', read.image, checker, (context) => runWritten(written, context), {
      plain: kind === 'list' ? plainList(false) : kind === 'date' ? PLAIN_DAY_READ : PLAIN_READ,
    })
  },
  truth: 'the value',
  truthFields: ['value', 'parsed', 'fill'],
  readTruth: plainTruth,
  grade(given, truth, accept) {
    const said: Json = given.parsed ?? given.value
    const isRight = given.valid && isRightRead(said, [truth, ...accept])
    return gradeOfRead(given, 'written', said, Number(isRight))
  },
  valueOf(given, id) {
    if (Array.isArray(given.parsed)) return noPlainValue(id)
    if (!given.valid) return null
    return typeof given.parsed === 'number' ? given.parsed : given.value
  },
  probabilityOf: (_answer, id) => noProbability(id),
  listOf: ({ parsed }) => (Array.isArray(parsed) ? parsed : null),
  confidenceOf: ({ confidence }) => confidence,
  isThere: ({ valid, parsed }) => valid && !(Array.isArray(parsed) && parsed.length === 0),
  view: ({ value }) => ({ bars: [], values: value === '' ? [] : [value], notes: [], args: {} }),
  takesSelfCheck: () => true,
})
