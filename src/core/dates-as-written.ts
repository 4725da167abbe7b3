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

/**
 * The days of a text that exist and that have their year, which several may share ("2, 9 and 16 March 2026"): by
 * pattern, within one by place.
 */
export function datesIn(text: string): WrittenDate[] {
  const whole = found(text, WITH_YEAR)
  return [...whole, ...whole.flatMap((date) => daysInFront(text, date)), ...daysOfOneMonth(text)]
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

/** The day with its year that a text is, as `2026-03-01`; null for anything else. */
export function wholeDay(text: string): string | null {
  const date = dateOf(text)
  return date === null || date.year === null ? null : isoDay(date)
}

const MS_OF_DAY = 86_400_000

/** Days from one day (`2026-03-01`) to another; below zero where that is the earlier, NaN where one is no day. */
export function daysFrom(first: string, second: string): number {
  return (Date.parse(second) - Date.parse(first)) / MS_OF_DAY
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

/** Between two days that share what stands with one of them. Commas alone may be between other numbers. */
const [AND, COMMA] = ['(?:,? (?:and|or|to|until|till|through|&) | ?[–—] ?| - |-)', ', ']
const NUMBER_OF_DAY = '\\d{1,2}(?:st|nd|rd|th)?'
const WEEKDAY = '(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\\.?,? )?'
const inFront = (day: string, between: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\d.,:/-])(${day})${between}(?:on )?(?:the )?${WEEKDAY}$`, 'iu')
/** "4 May, ", "May 4 and " */
const WITH_MONTH = inFront(`${NUMBER_OF_DAY}(?: of)? (?:${MONTH})\\.?|(?:${MONTH})\\.? ${NUMBER_OF_DAY}`, `(?:${AND}|${COMMA})`)
/** "9 and "; "2, " where another one stands between. */
const [NUMBER_ALONE, NUMBER_OF_LIST] = [inFront(NUMBER_OF_DAY, AND), inFront(NUMBER_OF_DAY, `(?:${AND}|${COMMA})`)]
/** UTF-16 units of a day in front of another with what is between, and days that are looked for. */
const [LONGEST_IN_FRONT, MOST_IN_FRONT] = [48, 30]
const NAME_OF_MONTH = new RegExp(MONTH, 'i')

/** Days in front of one with a named month that share its month and year, or its year: "4 May, 6 and 9 June 2026". */
function daysInFront(text: string, last: WrittenDate): WrittenDate[] {
  const days: WrittenDate[] = []
  if (!NAME_OF_MONTH.test(text.slice(last.start, last.end))) return days
  for (let next = last; days.length < MOST_IN_FRONT; ) {
    const from = Math.max(0, next.start - LONGEST_IN_FRONT)
    const front = text.slice(from, next.start)
    const alone = /\d/.test(text[next.start] as string) ? (days.length > 0 ? NUMBER_OF_LIST : NUMBER_ALONE) : null
    const match = WITH_MONTH.exec(front) ?? alone?.exec(front)
    if (match == null) break
    const said = match[1] as string
    const name = NAME_OF_MONTH.exec(said)?.[0]
    const month = name === undefined ? next.month : monthNamed(name)
    // "30 December and 2 January 2027"
    const year = (next.year as number) - (month > next.month ? 1 : 0)
    const day = { year, month, day: Number(/\d+/.exec(said)?.[0]) }
    if (!exists(day)) break
    next = { ...day, start: from + match.index, end: from + match.index + said.length }
    days.push(next)
  }
  return days
}

/** "March 3, 5 and 9, 2026" */
const SEVERAL_OF_MONTH = new RegExp(
  `\\b(${MONTH})\\.? ((?:${NUMBER_OF_DAY}, ){0,${MOST_IN_FRONT}}${NUMBER_OF_DAY}${AND}${NUMBER_OF_DAY}),? (\\d{4})\\b`,
  'giu',
)

function daysOfOneMonth(text: string): WrittenDate[] {
  return Array.from(text.matchAll(SEVERAL_OF_MONTH)).flatMap(({ 0: whole, 1: name = '', 2: numbers = '', 3: year, index }) => {
    const before = index + whole.indexOf(numbers, name.length)
    return Array.from(numbers.matchAll(new RegExp(NUMBER_OF_DAY, 'giu'))).flatMap(({ 0: said, index: at }) => {
      const day = { year: Number(year), month: monthNamed(name), day: Number.parseInt(said, 10) }
      return exists(day) ? [{ ...day, start: before + at, end: before + at + said.length }] : []
    })
  })
}

function found(text: string, patterns: readonly Pattern[]): WrittenDate[] {
  return patterns.flatMap(({ pattern, year: yearAt, month: monthAt, day: dayAt }) =>
    Array.from(text.matchAll(pattern)).flatMap((match) => {
      const said = match[monthAt] as string
      const month = /^\d/.test(said) ? Number(said) : monthNamed(said)
      const year = yearAt === 0 ? null : Number(match[yearAt])
      const day = Number(match[dayAt])
      return exists({ year, month, day }) ? [{ start: match.index, end: match.index + match[0].length, year, month, day }] : []
    }),
  )
}

/** Whether it is a day of the calendar. */
function exists({ year, month, day }: Pick<WrittenDate, 'year' | 'month' | 'day'>): boolean {
  const date = new Date(Date.UTC(year ?? ANY_YEAR, month - 1, day))
  return year !== 0 && date.getUTCFullYear() === (year ?? ANY_YEAR) && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}
