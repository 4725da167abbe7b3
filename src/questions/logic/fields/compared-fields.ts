// "The total is higher than last month.", `people > room_seats`, "There are more than two items.": a claim that
// compares a field of a JSON value with another one or with a number.
import type { Json } from '../../../core/types.ts'
import { isPercent, unitOfName } from '../../../core/units.ts'
import { COMPARATORS, comparedParts } from '../compared-numbers.ts'
import { ABOVE, AT, BELOW, holdsFor, NOT_AT, type Signs, signOf } from '../compared-values.ts'
import { areSingle, isListed, sumsUp } from '../objects/objects.ts'
import { numberOf, type Quantity, quantityOf, readValueOf, standing, type WrittenQuantity } from '../read-numbers.ts'
import { restated } from '../restated.ts'
import { type FieldClaim, isAbout, isNamed } from './claim.ts'
import { contentOf, isCount, type JsonField, wordSet } from './json-fields.ts'
import { keyNamed } from './key-words.ts'

/** "The growth is negative" */
const SIGNED =
  /(?<=\b(?:balance|growth|change|amount|profit|margin|delta|difference|total|temperature|trend|return|result|net)) (?:is|are|was|were) (negative|positive|zero)(?=[.?!]*$)/i
/** "The user is an adult", "is not underage" */
const GROWN = / (is|are|was|were)( not)? (?:(?:an? )?(adult|of (?:legal |full )?age)|(?:a )?(?:minor|underage|under age))(?=[.?!]*$)/i
const COMING_OF_AGE = 18
const AS_COMPARED: Readonly<Record<string, string>> = { negative: '< 0', positive: '> 0', zero: '== 0' }

/** Null where a claim does not plainly compare fields, or they cannot be compared. */
export function comparedFields(claim: FieldClaim): boolean | null {
  const text = claim.text
    .replace(SIGNED, (_, word: string) => ` ${AS_COMPARED[word.toLowerCase()]}`)
    .replace(GROWN, (_, be: string, not: string | undefined, adult: string | undefined) => {
      return ` ${be} ${(not === undefined) === (adult !== undefined) ? 'at least' : 'under'} ${COMING_OF_AGE}`
    })
  const results = restated(text).map((part) => withNumber(part, claim) ?? withField(part, claim) ?? counted(part, claim))
  return results.includes(null) ? null : results.every((holds) => holds)
}

// ── With a number: "The total is more than 50 EUR" ──

/** "25 % of delivered", "one half", "10 on a running auction" */
const MORE_THAN_A_UNIT = /\b(?:half|halves|quarters?|thirds?|dozens?|times|of|on|in|at|for|from|with|to|as|per)\b/i

const QUANTITIES = wordSet(
  'total amount price cost sum balance fee rent fare weight height length width size volume area age duration time distance temperature speed count number value quantity qty level rate limit score points point',
)

/** Whether a number is that of the thing itself, "patient: 2210", and the limit is of something else: 500 EUR. */
const isNumberOf = ({ key, name, value, beside }: JsonField, { unit }: Quantity): boolean =>
  unit !== null &&
  unit.meanings.length > 0 &&
  typeof value === 'number' &&
  key === beside[0]?.key &&
  beside.length > 1 &&
  unitOfName(key) === null &&
  !name.some((word) => QUANTITIES.has(word))

/** Whether a thing has an age that is meant, and not its number: "The patient is under 18". */
const isBesideAge = ({ name, beside }: JsonField, before: string, end: string): boolean =>
  name.at(-1) !== 'age' && IS.test(before) && OF_AGE.test(end) && beside.some((one) => one.name.at(-1) === 'age')

/** A number that is no percentage is no share of anything. */
const isNoShare = ({ key, name, value }: JsonField, { unit }: Quantity): boolean =>
  unit !== null && isPercent(unit) && typeof value === 'number' && !name.some((word) => OF_SHARE.has(word)) && !key.includes('%')

/** 1.10 comes behind 1.9. */
const isVersion = ({ name, value }: JsonField): boolean =>
  /^\d+\.\d/.test(String(value)) && name.some((word) => word === 'version' || word === 'firmware' || word === 'release')

/** What is left of a budget is not what the budget is. */
const IS_REST = /\b(?:left|remaining|late|early|done|full|short|ahead|behind|off)\b/i

function withNumber(part: string, claim: FieldClaim): boolean | null {
  for (const { before, signs, limit, end } of comparedParts(part)) {
    if (MORE_THAN_A_UNIT.test(end.replace(OF_AGE, '')) || IS_REST.test(end) || /\bof$/i.test(before)) continue
    const named = [ageNamed(before, end, claim), fieldNamed(before, claim), countedNamed(before, end, claim)]
    const field = named.find((one) => one !== null && readValueOf(one.value) !== null)
    if (field && (isNumberOf(field, limit) || isVersion(field) || isBesideAge(field, before, end) || isNoShare(field, limit))) return null
    if (field) return holdsFor(signs, standingOf(field, limit, claim.state.fields))
  }
  return null
}

const OF_SHARE = wordSet('pct percent percentage rate share ratio usage load level growth change margin progress battery cpu humidity')
const IS = / (?:is|are|was|were)$/i
const OF_LIMIT = wordSet('min max minimum maximum legal required')
const OF_AGE = /^ ?(?:years?)?(?: old| of age)?$/i

/** "The user is under 18", "at least 18 years old" */
function ageNamed(before: string, end: string, claim: FieldClaim): JsonField | null {
  if (!IS.test(before) || !OF_AGE.test(end)) return null
  const found = claim.state.fields.filter((field) => {
    const others = contentOf(before).filter((word) => !field.name.includes(word))
    return field.name.at(-1) === 'age' && !field.name.some((word) => OF_LIMIT.has(word)) && isAbout(others, field, claim)
  })
  return found.length === 1 ? (found[0] as JsonField) : null
}

const HAVING = /^(?<who>.+?) (?:is|are|was|were|has|have|had|got|scored|made|uses?|takes?|took|sold|earned|won|costs?)$/iu

/** "Mira scored at least 25 points", "It has over 3 rooms" */
function countedNamed(before: string, end: string, claim: FieldClaim): JsonField | null {
  const { who } = HAVING.exec(before)?.groups ?? {}
  const words = contentOf(end)
  if (who === undefined || words.length === 0) return null
  const found = claim.state.fields.filter(
    (field) => field.name.join(' ') === words.join(' ') && isAbout(contentOf(who), field, claim) && typeof field.value === 'number',
  )
  return found.length === 1 ? (found[0] as JsonField) : null
}

/** A currency may stand in a field of its own. */
function standingOf({ key, value, path }: JsonField, limit: Quantity, fields: readonly JsonField[]): Signs {
  const beside = (name: string) =>
    path
      .map((_, level) => path.slice(0, path.length - 1 - level))
      .map((object) => fields.find((field) => field.key === name && isAt(field.path, [...object, name]))?.value)
      .map((found) => (typeof found === 'string' ? found : ''))
  return standing({ ...(readValueOf(value) as WrittenQuantity), name: key, beside }, limit)
}

const isAt = (path: readonly string[], wanted: readonly string[]): boolean =>
  path.length === wanted.length && path.every((key, level) => key === wanted[level])

// ── With another field: `people > room_seats` ──

const FORMS = ([...COMPARATORS, ['differs? from|different from|!==?|≠|<>', NOT_AT], ['={1,3}', AT]] as const).map(([words, signs]) => ({
  pattern: new RegExp(`^(.+?)(?:\\s(?:is|are|was|were)(?= \\w))?\\s(?:${words})\\s(.+)$`, 'iu'),
  signs,
}))

/** "It has more bedrooms than bathrooms" */
const HAS_MORE = /^.+? (?:has|have|had) (?<more>more|fewer|less) (?<one>.+) than (?<other>.+)$/iu

function withField(part: string, claim: FieldClaim): boolean | null {
  const { more, one: first = '', other: second = '' } = HAS_MORE.exec(part)?.groups ?? {}
  const [own, limit] = more === undefined ? [] : [fieldNamed(first, claim), fieldNamed(second, claim)]
  if (own != null && limit != null && own !== limit) return compared(own, limit, more === 'more' ? ABOVE : BELOW, claim.state.fields)
  for (const { pattern, signs } of FORMS) {
    const [, before = '', behind = ''] = pattern.exec(part) ?? []
    const [one, other] = [fieldNamed(before, claim), fieldNamed(behind, claim)]
    if (one !== null && other !== null && one !== other) return compared(one, other, signs, claim.state.fields)
  }
  return null
}

function compared(one: JsonField, other: JsonField, signs: Signs, fields: readonly JsonField[]): boolean | null {
  if (isVersion(one) || isVersion(other)) return null
  const [own, limit] = [readValueOf(one.value), readValueOf(other.value)]
  if (own !== null && limit !== null) {
    return holdsFor(signs, standingOf(one, quantityOf(limit.number, limit.ahead, limit.behind, other.key), fields))
  }
  const isSame = signs === AT ? true : signs === NOT_AT ? false : null
  if (isSame === null || typeof one.value !== 'string' || typeof other.value !== 'string') return null
  return (one.value.trim().toLowerCase() === other.value.trim().toLowerCase()) === isSame
}

// ── How many there are: "There are more than two items.", `items.length > 2`, "At least one reminder was sent" ──

const HAS =
  'there (?:is|are|was|were)|(?:is|are|was|were) there|(?:(?:the|this) \\p{L}+|it|he|she|they) (?:has|had|have|contains?|includes?|lists?)'
const NUMBER = '(?<number>\\d+|\\p{L}+) (?<called>\\p{L}[\\p{L} _-]*?)'
const COUNTED = [...COMPARATORS.map(([words, signs]) => [`(?:${words}) `, signs] as const), ['', AT] as const].flatMap(([words, signs]) =>
  [
    `(?:${HAS}) ${words}${NUMBER}`,
    `${words}${NUMBER}(?: (?:occurred|happened))?`,
    `${words}${NUMBER} (?:is|are|was|were) (?<done>made|set|configured|placed|logged|recorded|sent|listed)`,
  ].map((source) => ({
    pattern: new RegExp(`^${source}[.?!]*$`, 'iu'),
    signs,
  })),
)
const LENGTH = /^(?:len\((.+)\)|(.+?)(?:\.| )(?:length|size|count))$/iu

function counted(part: string, claim: FieldClaim): boolean | null {
  for (const { before, signs, limit } of comparedParts(part)) {
    const [, called, method] = LENGTH.exec(before) ?? []
    const field = fieldNamed(called ?? method ?? '', claim)
    if (Array.isArray(field?.value)) return holdsFor(signs, [signOf(field.value.length - limit.number)])
  }
  for (const { pattern, signs } of COUNTED) {
    const { number = '', called = '', done } = pattern.exec(part)?.groups ?? {}
    // Some of those that there are may have been, as their own fields or another field say.
    if (done !== undefined && (claim.state.known.get(done)?.some(({ name }) => name.length === 1) || hasObjects(fieldNamed(called, claim))))
      continue
    const [count, limit] = [countNamed(called, claim), numberOf(number)]
    if (count !== null && limit !== null) return holdsFor(signs, [signOf(count - limit)])
  }
  return null
}

/** How many there are of what words name: a list, or a number of things; null where they name neither. */
export function countNamed(text: string, claim: FieldClaim): number | null {
  const { key = '', value } = fieldNamed(text, claim) ?? {}
  if (Array.isArray(value)) return countOf(value)
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && isCount(key) ? value : null
}

/** How many a list holds; null for what is none, and where one of its members is no single thing. */
export const countOf = (value: Json): number | null =>
  Array.isArray(value) && value.every(isOne) && areSingle(value.filter(isListed)) ? value.length : null

const hasObjects = (field: JsonField | null): boolean => Array.isArray(field?.value) && field.value.some(isListed)

const SAYS_MORE = /^\d+ ?[x×]|[+,(]|\b(?:none|cancel\p{L}*|not|off|excused|and)\b/iu

/** Whether a member of a list is one thing, and no sum: not "Anna + 1", "visas (cancelled)", "salt, pepper". */
const isOne = (member: Json): boolean => (isListed(member) ? !sumsUp(member) : typeof member !== 'string' || !SAYS_MORE.test(member))

// ── Which field ──

/** The one field that words name, with or without the unit in its key ("temperature" of `temperature_c`). */
function fieldNamed(text: string, claim: FieldClaim): JsonField | null {
  const words = contentOf(text)
  if (words.length === 0) return null
  const { fields } = claim.state
  const named = fields.filter((field) => isNamed(words, field, claim))
  const found = named.length > 0 ? named : fields.filter((field) => isNamedWithoutUnit(words, field, claim))
  return found.length === 1 ? (found[0] as JsonField) : found.length === 0 ? namedOtherwise(words, claim) : null
}

/** "costs" of a `price`, "scored" of a `score`: what is about the object of a field, and names its key otherwise. */
function namedOtherwise(words: readonly string[], claim: FieldClaim): JsonField | null {
  if (claim.subjects === null) return null
  const found = claim.state.fields.filter((field) => {
    const key = words.filter((word) => !isAbout([word], field, claim))
    if (keyNamed(key, [field.key]) === null) return false
    const beside = field.beside.map((one) => one.key)
    return keyNamed(key, beside) === field.key
  })
  return found.length === 1 ? (found[0] as JsonField) : null
}

function isNamedWithoutUnit(words: readonly string[], field: JsonField, claim: FieldClaim): boolean {
  const { key, name } = field
  return name.length > 1 && isNamed(words, { ...field, name: name.slice(0, -1) }, claim) && unitOfName(key) !== null
}
