// Written values are chosen, not spelled: the ints, numbers and dates that a text holds, each with its place and in the
// form that the grammar takes. Training lists the same (models/service-1-pro/training/text/values.py).
import { numberOfDigits, SMALL_NUMBERS } from '../../../../core/as-written.ts'

/** A value that stands in a text: UTF-16 offsets, and how it is written as an answer. */
export interface WrittenValue {
  readonly start: number
  readonly end: number
  readonly value: string
}

export type ValueKind = 'int' | 'number' | 'date'

const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
]
const MONTH =
  'january|february|march|april|june|july|august|september|october|november|december|sept|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'

const GROUPED = "\\d{1,3}(?:[.,' \\u2009]\\d{3})+(?:[.,]\\d{1,2})?(?!\\d)"
const DIGITS = new RegExp(`(?:(?<![\\w-])[-−])?(?:(?<![\\w.,])${GROUPED}|\\d{1,40}(?:[.,]\\d{1,40})?)`, 'gu')
const NAMED = new RegExp(
  `\\b(?:(?:${TENS.slice(2).join('|')})(?:[- ](?:${SMALL_NUMBERS.join('|')}))?|${SMALL_NUMBERS.join('|')}|a dozen|a hundred)\\b`,
  'giu',
)

/** Patterns of dates, and which group is the year, the month and the day. */
const DATES: readonly (readonly [RegExp, year: number, month: number, day: number])[] = [
  [/(?<![\d-])(\d{4})-(\d{1,2})-(\d{1,2})(?![\d-])/gu, 1, 2, 3],
  [new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?\\.? (?:of )?(${MONTH})\\.?,? (\\d{4})\\b`, 'giu'), 3, 2, 1],
  [new RegExp(`\\b(${MONTH})\\.? (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b`, 'giu'), 3, 1, 2],
  [/\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/gu, 3, 2, 1],
  [/\b(\d{4})\/(\d{1,2})\/(\d{1,2})\b/gu, 1, 2, 3],
]

/** The values of a kind in reading order of their pattern. Dates are days that exist. */
export function writtenValues(kind: ValueKind, text: string): WrittenValue[] {
  if (kind === 'date') return dates(text)
  const found = [
    ...Array.from(text.matchAll(DIGITS), (match) => ({ match, number: numberOfDigits(match[0]) })),
    ...Array.from(text.matchAll(NAMED), (match) => ({ match, number: ofWords(match[0]) })),
  ]
  return found.flatMap(({ match, number }) => {
    const value = plain(number)
    if (value === null || (kind === 'int' && !Number.isInteger(number))) return []
    return [{ start: match.index, end: match.index + match[0].length, value }]
  })
}

function ofWords(said: string): number {
  const words = said.toLowerCase().split(/[- ]/)
  if (words[0] === 'a') return words[1] === 'dozen' ? 12 : 100
  return words.reduce((sum, word) => sum + Math.max(0, SMALL_NUMBERS.indexOf(word)) + 10 * Math.max(0, TENS.indexOf(word)), 0)
}

/** The number without an exponent, of at most 15 digits; null where that cannot be. */
function plain(number: number): string | null {
  const text = String(number)
  return Number.isFinite(number) && /^-?\d+(?:\.\d+)?$/.test(text) && text.replaceAll(/\D/g, '').length <= 15 ? text : null
}

function dates(text: string): WrittenValue[] {
  return DATES.flatMap(([pattern, yearAt, monthAt, dayAt]) =>
    Array.from(text.matchAll(pattern)).flatMap((match) => {
      const said = (match[monthAt] as string).toLowerCase()
      const named = MONTHS.findIndex((name) => name.startsWith(said.slice(0, 3)))
      const month = /^\d/.test(said) ? Number(said) : named + 1
      const [year, day] = [Number(match[yearAt]), Number(match[dayAt])]
      const date = new Date(Date.UTC(year, month - 1, day))
      const exists = year > 0 && date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
      return exists ? [{ start: match.index, end: match.index + match[0].length, value: date.toISOString().slice(0, 10) }] : []
    }),
  )
}
