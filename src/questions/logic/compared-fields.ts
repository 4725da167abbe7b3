// "The total is higher than last month.", `people > room_seats`, "There are more than two items.": a claim that
// compares a field of a JSON value with another one or with a number.
import { unitOfName } from '../../core/units.ts'
import { COMPARATORS, comparedParts } from './compared-numbers.ts'
import { AT, holdsFor, NOT_AT, type Signs } from './compared-values.ts'
import { contentOf, isNamedBy, type JsonField, wordsOf } from './json-fields.ts'
import { numberOf, type Quantity, quantityOf, standing } from './read-numbers.ts'
import { restated } from './restated.ts'

/** "The growth is negative" */
const SIGNED = / (?:is|are|was|were) (negative|positive|zero)(?=[.?!]*$)/i
const AS_COMPARED: Readonly<Record<string, string>> = { negative: '< 0', positive: '> 0', zero: '== 0' }

/** Null where a claim does not plainly compare fields, or they cannot be compared. */
export function comparedFields(claim: string, fields: readonly JsonField[]): boolean | null {
  const results = restated(claim.replace(SIGNED, (_, word: string) => ` ${AS_COMPARED[word.toLowerCase()]}`)).map(
    (part) => withNumber(part, fields) ?? withField(part, fields) ?? counted(part, fields),
  )
  return results.includes(null) ? null : results.every((holds) => holds)
}

// ── With a number: "The total is more than 50 EUR" ──

/** "25 % of delivered", "one half", "10 on a running auction" */
const MORE_THAN_A_UNIT = /\b(?:half|quarter|third|dozen|times|of|on|in|at|for|from|with|to|as|per)\b/i

function withNumber(claim: string, fields: readonly JsonField[]): boolean | null {
  for (const { before, signs, limit, end } of comparedParts(claim)) {
    const field = MORE_THAN_A_UNIT.test(end) || /\bof$/i.test(before) ? null : fieldNamed(before, fields)
    if (typeof field?.value === 'number') return holdsFor(signs, standingOf(field, limit, fields))
  }
  return null
}

/** A currency may stand in a field of its own. */
function standingOf({ key, value, path }: JsonField, limit: Quantity, fields: readonly JsonField[]): Signs {
  const beside = (name: string) =>
    path
      .map((_, level) => path.slice(0, path.length - 1 - level))
      .map((object) => fields.find((field) => field.key === name && isAt(field.path, [...object, name]))?.value)
      .map((found) => (typeof found === 'string' ? found : ''))
  return standing({ text: plainNumber(value as number), ahead: '', behind: '', name: key, beside }, limit)
}

const isAt = (path: readonly string[], wanted: readonly string[]): boolean =>
  path.length === wanted.length && path.every((key, level) => key === wanted[level])

const plainNumber = (value: number): string => value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })

// ── With another field: `people > room_seats` ──

const FORMS = ([...COMPARATORS, ['differs? from|different from|!==?|≠|<>', NOT_AT], ['={1,3}', AT]] as const).map(([words, signs]) => ({
  pattern: new RegExp(`^(.+?)(?:\\s(?:is|are|was|were)(?= \\w))?\\s(?:${words})\\s(.+)$`, 'iu'),
  signs,
}))

function withField(claim: string, fields: readonly JsonField[]): boolean | null {
  for (const { pattern, signs } of FORMS) {
    const [, before = '', behind = ''] = pattern.exec(claim) ?? []
    const [one, other] = [fieldNamed(before, fields), fieldNamed(behind, fields)]
    if (one !== null && other !== null && one !== other) return compared(one, other, signs, fields)
  }
  return null
}

function compared(one: JsonField, other: JsonField, signs: Signs, fields: readonly JsonField[]): boolean | null {
  if (typeof one.value === 'number' && typeof other.value === 'number') {
    return holdsFor(signs, standingOf(one, quantityOf(other.value, '', '', other.key), fields))
  }
  const isSame = signs === AT ? true : signs === NOT_AT ? false : null
  if (isSame === null || typeof one.value !== 'string' || typeof other.value !== 'string') return null
  return (one.value.trim().toLowerCase() === other.value.trim().toLowerCase()) === isSame
}

// ── How many a list has: "There are more than two items.", `items.length > 2` ──

const HAS = 'there (?:is|are|was|were)|(?:is|are|was|were) there|(?:the \\p{L}+|it) (?:has|had|contains?|lists?)'
const COUNTED = [...COMPARATORS.map(([words, signs]) => [`(?:${words}) `, signs] as const), ['', AT] as const].map(([words, signs]) => ({
  pattern: new RegExp(`^(?:${HAS}) ${words}(\\d+|\\p{L}+) (\\p{L}[\\p{L} _-]*)[.?!]*$`, 'iu'),
  signs,
}))
const LENGTH = /^(?:len\((.+)\)|(.+?)(?:\.| )(?:length|size|count))$/iu

function counted(claim: string, fields: readonly JsonField[]): boolean | null {
  const lists = fields.filter(({ value }) => Array.isArray(value))
  for (const { before, signs, limit } of comparedParts(claim)) {
    const [, called, method] = LENGTH.exec(before) ?? []
    const list = fieldNamed(called ?? method ?? '', lists)
    if (list !== null) return holdsFor(signs, signsOf(list, limit.number))
  }
  for (const { pattern, signs } of COUNTED) {
    const [, number = '', called = ''] = pattern.exec(claim) ?? []
    const [list, limit] = [fieldNamed(called, lists), numberOf(number)]
    if (list !== null && limit !== null) return holdsFor(signs, signsOf(list, limit))
  }
  return null
}

const signsOf = ({ value }: JsonField, limit: number): Signs => [Math.sign((value as readonly unknown[]).length - limit) as -1 | 0 | 1]

// ── Which field ──

/** The one field that words name, with or without the unit in its key ("temperature" of `temperature_c`). */
function fieldNamed(text: string, fields: readonly JsonField[]): JsonField | null {
  const words = wordsOf(text)
  if (contentOf(words).length === 0) return null
  const named = fields.filter((field) => isNamedBy(words, field))
  const found = named.length > 0 ? named : fields.filter((field) => isNamedBy(words, withoutUnit(field)))
  return found.length === 1 ? (found[0] as JsonField) : null
}

function withoutUnit({ key, name, around }: JsonField): Pick<JsonField, 'name' | 'around'> {
  return { name: name.length > 1 && unitOfName(key) !== null ? name.slice(0, -1) : name, around }
}
