// Written values are chosen, not spelled: the ints, numbers and dates that a text holds, each with its place and in the
// form that the grammar takes. Training lists the same (models/service-1-pro/training/text/values.py), exponents,
// scales ("3 million") and units that are asked for aside.
import { numberOfDigits, SMALL_NUMBERS, TENS } from '../../../../core/as-written.ts'
import { datesIn, isoDay } from '../../../../core/dates-as-written.ts'
import { AS_WRITTEN, asAsked } from './asked-numbers.ts'

/** A value that stands in a text: UTF-16 offsets, and how it is written as an answer. */
export interface WrittenValue {
  readonly start: number
  readonly end: number
  readonly value: string
  /** Where the quantity begins that it is a part of: both numbers of "1 h 30 min" in minutes are 90. */
  readonly quantity: number
}

export type ValueKind = 'int' | 'number' | 'date'

const GROUPED = "\\d{1,3}(?:[.,'\u2019 \\u2009\\u00a0\\u202f]\\d{3})+(?:[.,]\\d{1,2})?(?!\\d)"
/** "1e3", and no part of a word, such as a hash. */
const SCIENTIFIC = '(?<![\\w.,])\\d{1,40}(?:[.,]\\d{1,40})?[eE][-+]?\\d{1,3}(?!\\w)'
const DIGITS = new RegExp(`(?:(?<![\\w-])[-−])?(?:${SCIENTIFIC}|(?<![\\w.,])${GROUPED}|\\d{1,40}(?:[.,]\\d{1,40})?)`, 'gu')
const NAMED = new RegExp(
  `\\b(?:(?:${TENS.slice(2).join('|')})(?:[- ](?:${SMALL_NUMBERS.join('|')}))?|${SMALL_NUMBERS.join('|')}|a dozen|a hundred)\\b`,
  'giu',
)

/**
 * The values of a kind in reading order. Dates are days that exist. `reading`: how numbers are taken, by default as
 * they are written; `name`: of the member of JSON or the column that the text is the value of. One that is converted
 * is none of kind `int` where it is not whole, and still stands for its number.
 */
export function writtenValues(kind: ValueKind, text: string, reading = AS_WRITTEN, name = ''): WrittenValue[] {
  if (kind === 'date') return dates(text)
  const found = [
    ...Array.from(text.matchAll(DIGITS), (match) => ({ match, number: numberOfDigits(match[0]) })),
    ...Array.from(text.matchAll(NAMED), (match) => ({ match, number: ofWords(match[0]) })),
  ].map(({ match, number }) => ({ start: match.index, end: match.index + match[0].length, number }))
  return asAsked(found, text, name, reading).flatMap(({ start, end, number, quantity, isConverted }) => {
    const value = plain(number)
    if (value === null || (kind === 'int' && !isConverted && !Number.isInteger(number))) return []
    return [{ start, end, value, quantity }]
  })
}

/** The likeliest of some values, of which equal ones share their chances; undefined where there are none. */
export function likeliestOf(found: readonly (readonly [value: string, probability: number])[]): readonly [string, number] | undefined {
  const shares = new Map<string, number>()
  for (const [value, probability] of found) shares.set(value, (shares.get(value) ?? 0) + probability)
  return [...shares].sort((a, b) => b[1] - a[1])[0]
}

function ofWords(said: string): number {
  const words = said.toLowerCase().split(/[- ]/)
  if (words[0] === 'a') return words[1] === 'dozen' ? 12 : 100
  return words.reduce((sum, word) => sum + Math.max(0, SMALL_NUMBERS.indexOf(word)) + 10 * Math.max(0, TENS.indexOf(word)), 0)
}

/** The number without an exponent, of at most 15 digits; null where that cannot be. */
function plain(number: number): string | null {
  const said = String(number)
  const text = said.includes('e') ? number.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 }) : said
  return /^-?\d+(?:\.\d+)?$/.test(text) && text.replaceAll(/\D/g, '').length <= 15 ? text : null
}

function dates(text: string): WrittenValue[] {
  return datesIn(text).map((date) => ({ start: date.start, end: date.end, quantity: date.start, value: isoDay(date) }))
}
