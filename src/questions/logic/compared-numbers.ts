// "The total is more than 50 EUR" as a question for its number, and what the number makes of it.
import { capitalised, numberOfDigits, SMALL_NUMBERS } from '../../core/as-written.ts'
import { type Comparison, isOfOne, type ReadValue } from './compared-values.ts'

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
const CURRENCY = '[€$£]|EUR |USD |GBP |CHF '
const TIMES = 'second|minute|hour|day|week|month|year'
const ONE_UNIT = new RegExp(`^(${TIMES})\\b`, 'i')
/** "a week" is one of a unit of time; "a problem" is no number. */
const NUMBER = `[-−]?\\d[\\d,.]*(?<![,.])|(?:${SMALL_NUMBERS.slice(1, 13).join('|')})\\b|an?(?= (?:${TIMES})\\b)`
const ENDS = `(?:${CURRENCY})?(${NUMBER})(?:\\s?([%‰°]\\p{L}?|\\p{L}[\\p{L}/]*)((?: \\p{L}+){0,3}))?`
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
    const [, before = '', comparator = '', limitText = '', word = '', more = ''] = pattern.exec(claim) ?? []
    const limit = /^an?$/i.test(limitText) ? 1 : numberOf(limitText)
    const end = `${word}${more}`
    if (before === '' || limit === null || !isOfOne(before) || !isOfOne(end) || NOT_SAID.test(end)) continue
    if (end === '' && A_YEAR.test(limitText) && BY_AGE.test(comparator)) continue
    const scale = SCALES.get(word.toLowerCase())
    const unit = scale === undefined ? word : (more.trim().split(' ')[0] ?? '')
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

function compared(holds: Holds, { text, behind, name }: ReadValue, limit: number, unit: string): boolean | null {
  const value = numberOf(text)
  if (value === null) return null
  const [, first = '', second = ''] = /^\s?([%‰°]\p{L}?|\p{L}+)?(?:\s(\p{L}+))?/u.exec(behind) ?? []
  const scale = SCALES.get(first.toLowerCase())
  const own = UNITS.get(unitName(scale === undefined ? first : second)) ?? UNITS.get(unitName(lastWordOf(name)))
  const wanted = UNITS.get(unitName(unit))
  if (own !== undefined && wanted !== undefined && own.of !== wanted.of) return null
  const factor = own !== undefined && wanted !== undefined ? own.size / wanted.size : 1
  return holds(value * (scale ?? 1) * factor, limit)
}

const SCALES = new Map(Object.entries({ k: 1e3, thousand: 1e3, mn: 1e6, million: 1e6, bn: 1e9, billion: 1e9 }))

/** Sizes of units of one kind, in one of them: only those of one kind are compared. */
const UNITS = new Map(
  Object.entries({
    time: { ms: 0.001, millisecond: 0.001, s: 1, sec: 1, second: 1, min: 60, minute: 60, h: 3600, hour: 3600, day: 86_400, week: 604_800 },
    years: { month: 1, year: 12 },
    length: {
      mm: 0.001,
      millimetre: 0.001,
      cm: 0.01,
      centimetre: 0.01,
      m: 1,
      metre: 1,
      meter: 1,
      km: 1000,
      kilometre: 1000,
      kilometer: 1000,
    },
    mass: { mg: 0.001, g: 1, gram: 1, kg: 1000, kilo: 1000, kilogram: 1000, tonne: 1e6 },
    data: { kb: 1e-3, mb: 1, gb: 1e3, tb: 1e6 },
    share: { '%': 1, percent: 1 },
    euro: { eur: 1, euro: 1 },
    dollar: { usd: 1, dollar: 1 },
    pound: { gbp: 1 },
  }).flatMap(([of, sizes]) => Object.entries(sizes).map(([name, size]) => [name, { of, size }] as const)),
)

/** "min" of "length_min", "Ms" of "durationMs": where a JSON value has its unit. */
function lastWordOf(name: string): string {
  return /(?:[A-Z][a-z]*|[a-z]+|%)$/.exec(name)?.[0] ?? ''
}

function unitName(word: string): string {
  const name = word.toLowerCase()
  return UNITS.has(name) ? name : name.replace(/s$/, '')
}

/** In digits or in a word; null for what is none. */
function numberOf(text: string): number | null {
  const word = SMALL_NUMBERS.indexOf(text.toLowerCase())
  const number = word >= 0 ? word : numberOfDigits(text)
  return Number.isFinite(number) ? number : null
}
