// "The total is more than 50 EUR" as a question for its number, and what the number makes of it.
import { capitalised, numberOfDigits, SMALL_NUMBERS } from '../../core/as-written.ts'
import { type Comparison, isOfOne, type ReadValue } from './compared-values.ts'
import { areOfOneKind, converted, type Unit, unitAhead, unitBehind, unitOfName } from './units.ts'

type Holds = (value: number, limit: number) => boolean

const MORE = 'more|greater|higher|larger|longer|older|bigger|heavier'
const LESS = 'less|fewer|lower|smaller|shorter|younger|lighter'
const COMPARATORS: readonly (readonly [words: string, holds: Holds])[] = [
  [`(?:no|not) (?:${LESS}) than|not (?:below|under)|at least|a minimum of|>=|≥`, (value, limit) => value >= limit],
  [`(?:no|not) (?:${MORE}) than|not (?:above|over)|at most|a maximum of|<=|≤`, (value, limit) => value <= limit],
  [`(?:${MORE}) than|above|over|in excess of|exceeds?|exceeded|>`, (value, limit) => value > limit],
  [`(?:${LESS}) than|below|under|<`, (value, limit) => value < limit],
  ['exactly|equal to|equals|==', (value, limit) => value === limit],
]
const CURRENCY = '(?:US)?\\p{Sc}|(?:EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN) '
const TIMES = 'second|minute|hour|day|week|month|year'
const ONE_UNIT = new RegExp(`^(${TIMES})\\b`, 'i')
/** "a week" is one of a unit of time; "a problem" is no number. */
const NUMBER = `[-−]?\\d[\\d,.]*(?<![,.])|(?:${SMALL_NUMBERS.slice(1, 13).join('|')})\\b|an?(?= (?:${TIMES})\\b)`
const ENDS = `(${CURRENCY})?(${NUMBER})(?:\\s?([%‰°]\\p{L}?|\\p{L}[\\p{L}/]*[²³23]?)((?: \\p{L}+){0,3}))?`
/** A claim that ends in a comparison; what stands before it names the number. */
const COMPARED = COMPARATORS.map(([words, holds]) => ({ pattern: new RegExp(`^(.+?)\\s(${words}) ?${ENDS}[.?!]?$`, 'iu'), holds }))

/** Behind the number: it is seen from another one, or counts what the text itself is made of. */
const NOT_SAID = /\b(?:before|earlier|later|after|above|below|over|under|words?|characters?|letters?|sentences?|lines?|paragraphs?)\b/i
const BY_AGE = /^(?:older|younger)/i
const A_YEAR = /^[12]\d{3}$/
const BE = /^(is|are|was|were)\s+(.+)$/i
const ASKS = /^(?:do|does|did|has|have|had|will|can)\s+/i
const HEDGES = /\s(?:just|slightly|well|far|much|already|still)$/i
const ENDS_IN_BE = /\b(?:is|are|was|were|be|been|of|costs?|weighs?|at)$/i

/** Null where a claim compares nothing, or not plainly one number of the state. */
export function comparedNumber(claim: string): Comparison | null {
  for (const { pattern, holds } of COMPARED) {
    const [, before = '', comparator = '', currency = '', limitText = '', word = '', more = ''] = pattern.exec(claim) ?? []
    const limit = /^an?$/i.test(limitText) ? 1 : numberOf(limitText)
    const end = `${word}${more}`
    if (before === '' || limit === null || !isOfOne(before) || !isOfOne(end) || NOT_SAID.test(end)) continue
    if (end === '' && A_YEAR.test(limitText) && BY_AGE.test(comparator)) continue
    const scale = SCALES.get(word.toLowerCase())
    const unit = unitOf(currency, scale === undefined ? end : more)
    return {
      format: 'number',
      asked: numberAsked(before.trim(), comparator, (scale === undefined ? end : more).trim()),
      holds: (number) => compared(holds, number, limit * (scale ?? 1), unit),
    }
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

/** Null also where the units are of two kinds, one of them is not known, or it depends on which of some it is. */
function compared(holds: Holds, { text, ahead, behind, name }: ReadValue, limit: number, wanted: Unit | null): boolean | null {
  const value = numberOf(text)
  if (value === null) return null
  const [scaled = '', word = ''] = SCALED.exec(behind) ?? []
  const scale = SCALES.get(word.toLowerCase())
  const rest = scale === undefined ? behind : behind.slice(scaled.length)
  const own = unitOf(ahead, rest, name)
  if (own === null || wanted === null) return holds(value * (scale ?? 1), limit)
  if (hasFurtherPart(own, rest)) return null
  const results = new Set(converted(value * (scale ?? 1), own, wanted)?.map((number) => holds(number, limit)))
  return results.size === 1 ? ([...results][0] as boolean) : null
}

/** The unit of a number, by what stands around it and the name of its JSON value. Words not known come last. */
function unitOf(ahead: string, behind: string, name = ''): Unit | null {
  const unit = unitBehind(behind)
  return unit !== null && unit.meanings.length > 0 ? unit : (unitAhead(ahead) ?? unitOfName(name) ?? unit)
}

/** "5 feet 10 inches": the number that was read is the first part of one. */
function hasFurtherPart(unit: Unit, behind: string): boolean {
  const further = unitBehind(FURTHER_PART.exec(behind)?.[1] ?? '')
  return further !== null && areOfOneKind(unit, further)
}

const SCALES = new Map(Object.entries({ k: 1e3, thousand: 1e3, mn: 1e6, million: 1e6, bn: 1e9, billion: 1e9 }))
const SCALED = /^\s?(\p{L}+)/u
const FURTHER_PART = /^[\s-]?\p{L}+\.?,?(?: and)? ?\d+(?![\d.,])(.*)/u

/** In digits or in a word; null for what is none. */
function numberOf(text: string): number | null {
  const word = SMALL_NUMBERS.indexOf(text.toLowerCase())
  const number = word >= 0 ? word : numberOfDigits(text)
  return Number.isFinite(number) ? number : null
}
