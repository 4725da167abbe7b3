// Dates of a text that are not one day: without a year or a day, or with day and month in an order that nobody says.
// Where a text holds no others, what is missing is told.
import { dateOf } from '../../../../core/dates-as-written.ts'

const IN_NUMBERS = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{2}|\d{4})$/
const LATEST_MONTH = 12
const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** Why a text that looks like a date is no value: a sentence without its end. */
export function whyUnread(text: string): string {
  const said = JSON.stringify(text)
  const [, first = '', second = '', year = ''] = IN_NUMBERS.exec(text) ?? []
  if (year.length === 2) return `${said} stands in the state, with a year of two digits`
  if (year !== '' && [first, second].every((part) => Number(part) <= LATEST_MONTH)) {
    return `${said} stands in the state, which may be ${dayOf(first, second)} or ${dayOf(second, first)}`
  }
  if (dateOf(text)?.year === null) return `${said} stands in the state, without a year`
  if (/^\p{L}+\.?,?\s+\d{4}$/u.test(text)) return `${said} stands in the state, without a day`
  return `${said} stands in the state, which is not a day that is known`
}

function dayOf(day: string, month: string): string {
  return `${Number(day)} ${MONTHS[Number(month) - 1]}`
}
