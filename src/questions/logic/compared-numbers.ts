// "The total is more than 50 EUR" as a question for its number, and what the number makes of it.
import { capitalised, SMALL_NUMBERS } from '../../core/as-written.ts'
import { dateOf } from '../../core/dates-as-written.ts'
import { ABOVE, AT, BELOW, type Comparison, FROM, holdsFor, isOfOne, NOT_AT, type Signs, UP_TO } from './compared-values.ts'
import { numberOf, type Quantity, quantityOf, standing, withoutScale } from './read-numbers.ts'

const MORE = 'more|greater|higher|larger|longer|older|bigger|heavier'
const LESS = 'less|fewer|lower|smaller|shorter|younger|lighter'
/** Words between a number and its limit, and how it then stands to it. */
export const COMPARATORS: readonly (readonly [words: string, signs: Signs])[] = [
  [`(?:no|not) (?:${LESS}) than|not (?:below|under)|at least|a minimum of|>=|≥`, FROM],
  [`(?:no|not) (?:${MORE}) than|not (?:above|over)|at most|a maximum of|<=|≤`, UP_TO],
  [`(?:${MORE}) than|above|over|in excess of|exceeds?|exceeded|>`, ABOVE],
  [`(?:${LESS}) than|below|under|<`, BELOW],
  ['not equal to|!=', NOT_AT],
  ['exactly|equal to|equals|==', AT],
]
const CURRENCY = '(?:US)?\\p{Sc}|(?:EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN) '
const TIMES = 'second|minute|hour|day|week|month|year'
const ONE_UNIT = new RegExp(`^(${TIMES})\\b`, 'i')
/** "a week" is one of a unit of time; "a problem" is no number. */
const NUMBER = `[-−]?\\d[\\d,.]*(?<![,.])(?:e[-+]?\\d{1,3}(?![\\p{L}\\d]))?|(?:${SMALL_NUMBERS.slice(1, 13).join('|')})\\b|an?(?= (?:${TIMES})\\b)`
/** "more than one may keep" says no number. */
const NO_NUMBER = '(?!one (?:may|can|could|should|would|might|is|has|must|wants?|needs?)\\b)'
const ENDS = `(${CURRENCY})?${NO_NUMBER}(${NUMBER})((?:\\s?(?:[%‰°]\\p{L}?|\\p{L}[\\p{L}/]*[²³23]?)(?: \\p{L}+){0,3})?)`
/** A claim that ends in a comparison; what stands before it names the number. */
const COMPARED = COMPARATORS.map(([words, signs]) => ({ pattern: new RegExp(`^(.+?)\\s(${words}) ?${ENDS}[.?!]?$`, 'iu'), signs }))

/** Behind the number: it is seen from another one, or counts what the text itself is made of. */
const NOT_SAID =
  /\b(?:before|earlier|later|after|above|below|over|under|words?|characters?|letters?|sentences?|lines?|paragraphs?|am|pm)\b/i
/** Versions and addresses: "1.2.3". */
const MANY_PARTS = /\d[.,]\d{1,2}[.,]/
const BY_AGE = /^(?:older|younger)/i
const A_YEAR = /^[12]\d{3}$/
const BE = /^(is|are|was|were)\s+(.+)$/i
const ASKS = /^(?:do|does|did|has|have|had|will|can)\s+/i
const HEDGES = /\s(?:just|slightly|well|far|much|already|still)$/i
const ENDS_IN_BE = /\b(?:is|are|was|were|be|been|of|costs?|weighs?|at)$/i

/** A claim cut at what it compares by. */
interface ComparedParts {
  readonly before: string
  readonly comparator: string
  readonly signs: Signs
  readonly currency: string
  /** What stands behind the number. */
  readonly end: string
  readonly limit: Quantity
}

/** The ways in which a claim ends in a comparison with a number. */
export function* comparedParts(claim: string): Generator<ComparedParts> {
  for (const { pattern, signs } of COMPARED) {
    const [, before = '', comparator = '', currency = '', limitText = '', end = ''] = pattern.exec(claim) ?? []
    const number = /^an?$/i.test(limitText) ? 1 : numberOf(limitText)
    if (before === '' || number === null || NOT_SAID.test(end)) continue
    if (MANY_PARTS.test(limitText) || dateOf(`${limitText}${end}`) !== null) continue
    if (end === '' && A_YEAR.test(limitText) && BY_AGE.test(comparator)) continue
    yield { before: before.trim(), comparator, signs, currency, end, limit: quantityOf(number, currency, end) }
  }
}

/** Null where a claim compares nothing, or not plainly one number of the state. */
export function comparedNumber(claim: string): Comparison | null {
  for (const { before, comparator, signs, currency, end, limit } of comparedParts(claim)) {
    if (!isOfOne(before) || !isOfOne(end)) continue
    return {
      format: 'number',
      asked: numberAsked(before, comparator, withoutScale(currency, end).trim()),
      holds: (value) => holdsFor(signs, standing(value, limit)),
    }
  }
  return comparedCount(claim)
}

const COUNT_FIRST = COMPARATORS.map(([words, signs]) => ({
  pattern: new RegExp(`^(?:${words}) (${NUMBER})( (?!of\\b)\\p{L}[\\p{L}-]*)( .+?)[.?!]?$`, 'iu'),
  signs,
}))

/** Fewer things than so many are rather counted by a reader than told as a number: "At least two rooms are free." */
const FEWEST_TOLD = 5

/** "At least 20 customers complained." */
function comparedCount(claim: string): Comparison | null {
  for (const { pattern, signs } of COUNT_FIRST) {
    const [, limitText = '', what = '', rest = ''] = pattern.exec(claim) ?? []
    const number = numberOf(limitText)
    if (number === null || !isOfOne(what) || !isOfOne(rest) || NOT_SAID.test(`${what}${rest}`)) continue
    const limit = quantityOf(number, '', what)
    if (number < FEWEST_TOLD && limit.unit?.meanings.length === 0) continue
    return { format: 'number', asked: `How many${what}${rest}?`, holds: (value) => holdsFor(signs, standing(value, limit)) }
  }
  return null
}

/** What is asked for where the claim names no unit: "older than 30" asks how old. */
const HOW = [
  [BY_AGE, 'how old'],
  [/^(?:longer|shorter)/i, 'how long'],
  [/^(?:larger|bigger|smaller)/i, 'how large'],
  [/heavier|lighter/i, 'how heavy'],
] as const

/** "The flat has", "more than", "rooms" to "The flat has how many rooms?" */
function numberAsked(before: string, comparator: string, unit: string): string {
  const turned = BE.exec(before)
  const said = (turned === null ? before.replace(ASKS, '') : `${turned[2]} ${turned[1]?.toLowerCase()}`).replace(HEDGES, '')
  const many = unit.replace(ONE_UNIT, '$1s')
  const how = /^\p{L}/u.test(unit) ? `how many ${many}` : (HOW.find(([word]) => word.test(comparator))?.[1] ?? 'what')
  const asked = how === 'what' && !ENDS_IN_BE.test(said) ? `${said} is what?` : `${said} ${how}?`
  return capitalised(asked)
}
