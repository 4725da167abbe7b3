// Written values are chosen, not spelled: the ints, numbers and dates that a text holds, each with its place and in the
// form that the grammar takes. Training lists the same (models/service-1-pro/training/text/values.py), exponents and
// scales ("3 million") aside.
import { numberOfDigits, SCALES, SMALL_NUMBERS, TENS } from '../../../../core/as-written.ts'
import { datesIn } from '../../../../core/dates-as-written.ts'

/** A value that stands in a text: UTF-16 offsets, and how it is written as an answer. */
export interface WrittenValue {
  readonly start: number
  readonly end: number
  readonly value: string
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
 * The values of a kind in reading order of their pattern. Dates are days that exist. `hasScales`: "3 million" is
 * 3000000, by default 3.
 */
export function writtenValues(kind: ValueKind, text: string, hasScales = false): WrittenValue[] {
  if (kind === 'date') return dates(text)
  const found = [
    ...Array.from(text.matchAll(DIGITS), (match) => ({ match, number: numberOfDigits(match[0]) })),
    ...Array.from(text.matchAll(NAMED), (match) => ({ match, number: ofWords(match[0]) })),
  ]
  return found.flatMap(({ match, number }) => {
    const end = match.index + match[0].length
    const scaled = hasScales ? withScale(number, text.slice(end)) : number
    const value = plain(scaled)
    if (value === null || (kind === 'int' && !Number.isInteger(scaled))) return []
    return [{ start: match.index, end, value }]
  })
}

/** Whether a question names the scale of its answer itself: "Turnover in thousands of euros". */
export function namesScale(instructions: string): boolean {
  return /\b(?:thousands?|millions?|billions?|mn|bn)\b/i.test(instructions)
}

/** The word is of the number, too. A "k" is one only at its digits: "12k", not "12 K". */
const SCALED = /^(?:\s?(thousand|million|billion|mn|bn)(?!\p{L})|(k)(?![\p{L}\d]))/u

function withScale(number: number, behind: string): number {
  const [, word, letter = ''] = SCALED.exec(behind) ?? []
  const scale = SCALES.get(word ?? letter)
  // To fifteen digits: 1.1 million is 1100000.
  return scale === undefined ? number : Number((number * scale).toPrecision(15))
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
  const two = (part: number): string => String(part).padStart(2, '0')
  return datesIn(text).map(({ start, end, year, month, day }) => {
    return { start, end, value: `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}` }
  })
}
