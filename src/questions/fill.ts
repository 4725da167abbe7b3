// fill: a short value the model writes under a grammar, so that it parses by construction; kind `enum` is scored, not written.
import { z } from 'zod'
import type { Branch, Grammar } from '../backends/backend.ts'
import { pointer } from '../core/errors.ts'
import { PROBABILITY_FLOOR, readConfidence } from '../core/math.ts'
import type { FillAnswer } from '../wire/types.ts'
import { check } from './shared/check.ts'
import type { Checker, QuestionContext, QuestionKind, QuestionResult } from './shared/checked-question.ts'
import { type QuestionCoroutine, read } from './shared/coroutine.ts'
import { decide } from './shared/decide.ts'
import { argmax, asked, base, checked, instructionsOf, ownField, reportCount, reportDuplicates, strict } from './shared/fields.ts'

const ITEM_KINDS = ['text', 'int', 'number', 'date', 'enum'] as const
const KINDS = [...ITEM_KINDS, 'list', 'json', 'pattern'] as const
type Kind = (typeof KINDS)[number]

const itemKind = z.enum(ITEM_KINDS)
const itemSchema = strict('the item of a list', { kind: itemKind, values: z.unknown().optional() })
const schema = strict('a fill question', {
  ...base,
  kind: z.enum(KINDS).nullish(),
  item: z.unknown().optional(),
  values: z.unknown().optional(),
  schema: z.unknown().optional(),
  pattern: z.unknown().optional(),
  self_check: z.boolean().nullish(),
})

/** Which field belongs to which kind alone. */
const FIELD_OF: ReadonlyMap<string, Kind> = new Map([
  ['item', 'list'],
  ['values', 'enum'],
  ['schema', 'json'],
  ['pattern', 'pattern'],
])

interface Asking {
  readonly branch: Branch
  readonly grammar: Grammar
  readonly maxTokens: number
  readonly isChecked: boolean
}

function* runWritten(
  { branch, grammar, maxTokens, isChecked }: Asking,
  context: QuestionContext,
): QuestionCoroutine<QuestionResult<FillAnswer>> {
  const reply = yield* read(branch, { type: 'grammar', grammar, maxTokens })
  if (reply.type === 'failed') {
    const answer: FillAnswer = { type: 'fill', value: '', valid: false, error: reply.error.message, confidence: PROBABILITY_FLOOR }
    return { answer, report: null, decisions: {} }
  }
  if (reply.type !== 'text') throw new TypeError(`A grammar read gave ${reply.type}.`)
  const parsed = reply.complete ? context.parse(grammar, reply.text) : null
  const confirmed = isChecked ? yield* check(branch.instructions, reply.text, branch.image, context) : null
  const answer: FillAnswer = {
    type: 'fill',
    value: reply.text,
    ...(parsed !== null && typeof parsed !== 'string' ? { parsed } : {}),
    valid: parsed !== null,
    confidence: readConfidence(reply.logProbability),
    ...(confirmed === null ? {} : { check: confirmed.probabilities[0]![0]! }),
  }
  return { answer, report: confirmed?.report ?? null, decisions: confirmed === null ? {} : { '': confirmed.decision } }
}

function* runEnum(branch: Branch, isChecked: boolean, context: QuestionContext): QuestionCoroutine<QuestionResult<FillAnswer>> {
  const { probabilities: rows, decision, report } = yield* decide(branch, 'exclusive', context)
  const probabilities = rows[0]!
  const winner = argmax(probabilities)
  const value = branch.candidates[winner]!.name
  const confirmed = isChecked ? yield* check(branch.instructions, value, branch.image, context) : null
  const answer: FillAnswer = {
    type: 'fill',
    value,
    valid: true,
    confidence: probabilities[winner]!,
    ...(confirmed === null ? {} : { check: confirmed.probabilities[0]![0]! }),
  }
  return { answer, report, decisions: { '': decision } }
}

/** The values of an enum: strings, 2 to the limit, all different; null when anything is wrong with them (it is reported). */
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
function reportStrayFields(kind: Kind, input: unknown, checker: Checker): boolean {
  let isStray = false
  for (const [field, owner] of FIELD_OF) {
    if (kind === owner || ownField(input, field) === null) continue
    isStray = true
    const message = `${field} belongs to kind ${owner}, and this fill is of kind ${kind}.`
    checker.report({ code: 'invalid_question', param: pointer(checker.param, field), message })
  }
  return isStray
}

export const fill: QuestionKind = {
  type: 'fill',
  check(input, checker) {
    const question = checked(schema, input, checker)
    if (question === null) return null
    const kind = question.kind ?? 'text'
    if (kind === 'json' || kind === 'pattern') {
      const message = `fill of kind ${kind} is not in this version; use one of ${[...ITEM_KINDS, 'list'].join(', ')}.`
      checker.report({ code: 'capability_not_supported', param: pointer(checker.param, 'kind'), message })
      return null
    }
    if (reportStrayFields(kind, input, checker)) return null
    const isChecked = question.self_check ?? false
    const branch: Branch = {
      readout: 'read',
      instructions: instructionsOf(question.instructions, checker),
      candidates: [],
      image: question.image ?? null,
    }
    if (kind === 'enum') {
      const values = readValues(question.values, pointer(checker.param, 'values'), checker)
      if (values === null) return null
      const candidates = values.map((value) => ({ name: value, description: null }))
      const scored: Branch = { ...branch, readout: 'exclusive', candidates }
      return asked('fill', question.image, checker, (context) => runEnum(scored, isChecked, context))
    }
    const grammar = kind === 'list' ? readList(question.item, checker) : { type: kind }
    if (grammar === null) return null
    const asking: Asking = { branch, grammar, maxTokens: checker.limits.fillTokens, isChecked }
    return asked('fill', question.image, checker, (context) => runWritten(asking, context))
  },
}
