// Days as people write them.

/** A day in a text: UTF-16 offsets; `year` is null where none is said. */
export interface WrittenDate {
  readonly start: number
  readonly end: number
  readonly year: number | null
  readonly month: number
  readonly day: number
}

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
]
const MONTH =
  'january|february|march|april|june|july|august|september|october|november|december|sept|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'

interface Pattern {
  readonly pattern: RegExp
  /** Which group is the year (0: none), the month and the day. */
  readonly year: number
  readonly month: number
  readonly day: number
}

const WITH_YEAR: readonly Pattern[] = [
  { pattern: /(?<![\d-])(\d{4})-(\d{1,2})-(\d{1,2})(?![\d-])/gu, year: 1, month: 2, day: 3 },
  { pattern: new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?\\.? (?:of )?(${MONTH})\\.?,? (\\d{4})\\b`, 'giu'), year: 3, month: 2, day: 1 },
  { pattern: new RegExp(`\\b(${MONTH})\\.? (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b`, 'giu'), year: 3, month: 1, day: 2 },
  { pattern: /\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/gu, year: 3, month: 2, day: 1 },
  { pattern: /\b(\d{4})\/(\d{1,2})\/(\d{1,2})\b/gu, year: 1, month: 2, day: 3 },
  // With the day in front, with the month in front, and where both are the same; others may be either.
  { pattern: /(?<![\d/])(1[3-9]|2\d|3[01])\/(\d{1,2})\/(\d{4})(?![\d/])/gu, year: 3, month: 2, day: 1 },
  { pattern: /(?<![\d/])(\d{1,2})\/(1[3-9]|2\d|3[01])\/(\d{4})(?![\d/])/gu, year: 3, month: 1, day: 2 },
  { pattern: /(?<![\d/])(\d{1,2})\/(\1)\/(\d{4})(?![\d/])/gu, year: 3, month: 2, day: 1 },
]
const WITHOUT_YEAR: readonly Pattern[] = [
  { pattern: new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?\\.? (?:of )?(${MONTH})\\b`, 'giu'), year: 0, month: 2, day: 1 },
  { pattern: new RegExp(`\\b(${MONTH})\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b`, 'giu'), year: 0, month: 1, day: 2 },
]
/** A leap year: where no year is said, 29 February exists. */
export const ANY_YEAR = 2000

/** The days of a text that exist and that have their year, in reading order of their pattern. */
export function datesIn(text: string): WrittenDate[] {
  return found(text, WITH_YEAR)
}

/** The day that a whole text is, with or without its year; null for what is none. */
export function dateOf(text: string): WrittenDate | null {
  return found(text, [...WITH_YEAR, ...WITHOUT_YEAR]).find(({ start, end }) => start === 0 && end === text.length) ?? null
}

/** `2026-03-01`; `year` is that of a day without one. */
export function isoDay(date: Pick<WrittenDate, 'year' | 'month' | 'day'>, year = ANY_YEAR): string {
  const digits = (part: number, count: number): string => String(part).padStart(count, '0')
  return `${digits(date.year ?? year, 4)}-${digits(date.month, 2)}-${digits(date.day, 2)}`
}

/** The first and the last day of a month of a year ("March 2026"), as `2026-03-01`; null for what is none. */
export function monthOf(text: string): { readonly first: string; readonly last: string } | null {
  const [, name = '', year = ''] = MONTH_OF_YEAR.exec(text) ?? []
  if (name === '') return null
  const month = monthNamed(name)
  const [first, last] = [new Date(Date.UTC(Number(year), month - 1, 1)), new Date(Date.UTC(Number(year), month, 0))].map((day) =>
    day.toISOString().slice(0, 10),
  ) as [string, string]
  return { first, last }
}

const MONTH_OF_YEAR = new RegExp(`^(${MONTH})\\.?,? ([1-9]\\d{3})$`, 'iu')

/** From 1. */
function monthNamed(name: string): number {
  return MONTHS.findIndex((month) => month.startsWith(name.toLowerCase().slice(0, 3))) + 1
}

function found(text: string, patterns: readonly Pattern[]): WrittenDate[] {
  return patterns.flatMap(({ pattern, year: yearAt, month: monthAt, day: dayAt }) =>
    Array.from(text.matchAll(pattern)).flatMap((match) => {
      const said = match[monthAt] as string
      const month = /^\d/.test(said) ? Number(said) : monthNamed(said)
      const year = yearAt === 0 ? null : Number(match[yearAt])
      const day = Number(match[dayAt])
      const date = new Date(Date.UTC(year ?? ANY_YEAR, month - 1, day))
      const exists =
        year !== 0 && date.getUTCFullYear() === (year ?? ANY_YEAR) && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
      return exists ? [{ start: match.index, end: match.index + match[0].length, year, month, day }] : []
    }),
  )
}
