// The options of a choice or a select, however they were given, to candidates in order.
import { z } from 'zod'
import type { Candidate } from '../../backends/backend.ts'
import { pointer } from '../../core/errors.ts'
import type { CheckedQuestion, Checker } from './checked-question.ts'
import { checked, ownField, reportCount, reportDuplicates, strict, words } from './fields.ts'

/** The two fields options may come in; `readOptions` looks into them, so that every fault has its own pointer. */
export const optionFields = {
  options: z.unknown().optional(),
  criteria: z.unknown().optional(),
}

/** An option with what is asked when it wins. */
export interface Option extends Candidate {
  readonly args: readonly CheckedQuestion[]
  readonly param: string
}

const selectOption = strict('an option of a select', { value: z.string(), description: words })
const choiceOption = strict('an option of a choice', { value: z.string(), description: words, args: z.unknown().optional() })

/** Options in order, 2 to the limit, all different; null when anything is wrong with them (it is reported). */
export function readOptions(noun: 'choice' | 'select', input: unknown, checker: Checker): readonly Option[] | null {
  const [options, criteria] = [ownField(input, 'options'), ownField(input, 'criteria')]
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
    const message = `${field}: expected ${expected}, received ${typeof given}.`
    checker.report({ code: 'invalid_question', param, message })
    return null
  }
  // The count first: the rest of the work is bounded by it.
  const count = Array.isArray(given) ? given.length : Object.keys(given).length
  if (reportCount(count, 2, checker.limits.options, 'options', param, checker)) return null
  const list = Array.isArray(given)
    ? given.map((entry, i) => readEntry(noun, entry, pointer(param, i), checker))
    : Object.entries(given).map(([value, description]) => readMapped(value, description, pointer(param, value), checker))
  const read = list.filter((option) => option !== null)
  const isDuplicated = reportDuplicates(read, 'Option', checker)
  return isDuplicated || read.length < list.length ? null : read
}

function readEntry(noun: 'choice' | 'select', entry: unknown, param: string, checker: Checker): Option | null {
  if (typeof entry === 'string') return named(entry, null, [], param, checker)
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    checker.report({ code: 'invalid_question', param, message: 'An option is a name, or an object with value and description.' })
    return null
  }
  const option = noun === 'choice' ? checked(choiceOption, entry, checker, param) : checked(selectOption, entry, checker, param)
  if (option === null) return null
  const args = 'args' in option && (option.args ?? null) !== null ? checker.args(option.args, pointer(param, 'args')) : []
  return named(option.value, option.description, args, pointer(param, 'value'), checker)
}

function readMapped(value: string, description: unknown, param: string, checker: Checker): Option | null {
  const said = words.safeParse(description)
  if (said.success) return named(value, said.data, [], param, checker)
  checker.report({ code: 'invalid_question', param, message: said.error.issues[0]?.message ?? 'Not a description.' })
  return null
}

function named(
  value: string,
  description: string | null,
  args: readonly CheckedQuestion[],
  param: string,
  checker: Checker,
): Option | null {
  if (value.trim() !== '') return { name: value, description, args, param }
  checker.report({ code: 'invalid_question', param, message: 'The name of an option must not be empty.' })
  return null
}
