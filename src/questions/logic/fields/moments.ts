// What has a day, or somebody who did it, once it has happened: "The order has been shipped." of { shipped_at: null },
// "The account was created in 2023."
import { ANY_YEAR, dateOf, isoDay, monthOf } from '../../../core/dates-as-written.ts'
import type { Json } from '../../../core/types.ts'
import { ABOVE, AT, BELOW, FROM, type Sign, type Signs, UP_TO } from '../compared-values.ts'
import { type ClaimReading, isAbout, isNamed } from './claim.ts'
import { contentOf, type JsonField, wordSet } from './json-fields.ts'
import { isOpposite } from './opposites.ts'
import { saysNothing } from './presence.ts'

/** What follows in the name of such a field: `paid_on`, `assignedTo`, `closed_date`. */
const OF_A_MOMENT = wordSet('at on date time by to')
/** A planned day may lie ahead. */
const PARTICIPLE =
  /^(?!scheduled|planned|expected|estimated|dated|needed)(?:\p{L}+ed|paid|sent|sold|read|seen|built|done|left|made|met|won|lost)$/u
const HAPPENS =
  /(?:^| )(?:is|are|was|were|been|has|have)(?: not)?(?: been)? (?<done>\p{L}+)(?: (?:to|by) (?:some|any)(?:one|body))?(?: yet| already)?$/iu

/** Null where the claim says anything but that it has happened, or has not. */
export const byMoment: ClaimReading = (claim) => {
  const done = HAPPENS.exec(claim.text)?.groups?.done?.toLowerCase()
  if (done === undefined) return null
  const before = claim.text.slice(0, claim.text.toLowerCase().lastIndexOf(done))
  const words = contentOf(before).filter((word) => word !== 'not')
  return (field) => {
    const happened = participleOf(field)
    if (happened === null || (done !== happened && !isOpposite(done, happened))) return null
    const isSo = hasHappened(field)
    if (isSo === null || !isAbout(words, field, claim)) return null
    const turns = [claim.isDenied, done !== happened].filter((turn) => turn).length
    return isSo === (turns % 2 === 0)
  }
}

const ON_A_DAY =
  /^(?:was |were |is |are )?(?<before>.*?) ?(?:was|were|is|are|has been|have been)?(?: (?<not>not))? (?<done>\p{L}+) (?<how>in|on|before|after|since|by) (?<said>(?:the )?[\p{L}\d .,/-]*)$/iu

/** "The last login was in November" */
const IS_ON_A_DAY =
  /^(?<before>.+?) (?:is|are|was|were|falls)(?: (?<not>not))? (?<how>in|on|before|after|since|by) (?<said>(?:the )?[\p{L}\d .,/-]*)$/iu

/** What is so for longer than a day, or until it. */
const LASTS = wordSet('valid available free insured booked married employed open')

/** Null where the claim says anything but whether it happened in a month, before a year, on a day. */
export const byDay: ClaimReading = (claim) => {
  const named = IS_ON_A_DAY.exec(claim.text)?.groups
  const { before = '', not, done, how = '', said = '' } = named ?? ON_A_DAY.exec(claim.text)?.groups ?? {}
  if (done === undefined && named === undefined) return null
  const words = contentOf(before)
  return (field) => {
    if (field.name.some((word) => LASTS.has(word)) || ['by', 'to'].includes(field.name.at(-1) ?? '')) return null
    const happened = participleOf(field) ?? (field.name.length === 1 ? field.name[0] : null)
    const isOfField = done === undefined ? isNamed(words, field, claim) : happened === done.toLowerCase() && isAbout(words, field, claim)
    if (!isOfField) return null
    const day = dayOf(field.value)
    const days = day === null ? null : daysOf(said.replace(/^the /i, ''), day)
    if (days === null) return null
    return (day !== '' && STANDS.get(how.toLowerCase())!.includes(standingTo(day as string, days))) === (not === undefined)
  }
}

/** The first and the last day, as `2026-03-01`. */
interface Days {
  readonly first: string
  readonly last: string
}

/** How a day stands to those that are said. */
const STANDS: ReadonlyMap<string, Signs> = new Map([
  ['in', AT],
  ['on', AT],
  ['before', BELOW],
  ['after', ABOVE],
  ['since', FROM],
  ['by', UP_TO],
])

const standingTo = (day: string, { first, last }: Days): Sign => (day < first ? -1 : day > last ? 1 : 0)

/** The day of a value, as `2026-03-01`; '' where it has not come, null for what is none. */
function dayOf(value: Json): string | null {
  if (value === null || value === '') return ''
  return typeof value === 'string' ? (IS_MOMENT.exec(value)?.[1] ?? null) : null
}

/** Of a year, a month or a day; those without a year are of the year of `day`. Null for anything else. */
function daysOf(said: string, day: string): Days | null {
  const year = day.slice(0, 4) || String(ANY_YEAR)
  if (/^\d{4}$/.test(said)) return { first: `${said}-01-01`, last: `${said}-12-31` }
  const date = dateOf(said)
  if (date === null) return monthOf(said) ?? monthOf(`${said} ${year}`)
  const one = isoDay(date, Number(year))
  return { first: one, last: one }
}

/** "shipped" of `shipped_at`, "assigned" of `assignee`. */
function participleOf({ name, value }: JsonField): string | null {
  const [first = '', ...rest] = name
  if (name.length === 1 && first === 'assignee') return 'assigned'
  const isDay = value === null || (typeof value === 'string' && dateOf(value) !== null)
  if (name.length === 1 && isDay && PARTICIPLE.test(first)) return first
  return rest.length === 1 && OF_A_MOMENT.has(rest[0] as string) && PARTICIPLE.test(first) ? first : null
}

/** A day, with a time or without; a number is one in seconds or milliseconds. */
const IS_MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ][\d:.Z+-]+)?$/
const EARLIEST_EPOCH = 1e8
/** A name, or the code of a user. */
const IS_SOMEBODY = /^(?:\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2}|(?=\p{L}*[\d._@-])[\p{L}\d._@-]+|\p{Ll}{5,})$/u
const IS_NOBODY =
  /^(?:no|none|nobody|nothing|not|tb[acd]|pending|open|unassigned|unknown|demand|timer|courier|carrier|phone|email|letter|system|green|default|seller|buyer|customer|\p{L}+days?)\b/iu
/** What is done by a seller or a carrier, or until a day, says no more than who would do it. */
const BY_ANYBODY = wordSet('sold delivered shipped paid completed filled finished used offered returned made')

/** Of a day, and of somebody who did it, or has it; null where it says neither. */
function hasHappened({ name, value }: JsonField): boolean | null {
  if (value === null || value === '') return false
  if (typeof value === 'number') return value > EARLIEST_EPOCH ? true : null
  if (typeof value !== 'string' || saysNothing(value)) return null
  const text = value.trim()
  const [done = '', how] = name
  const isOfPerson =
    how === 'by' ? !BY_ANYBODY.has(done) : how === 'to' ? /^(?:assigned|escalated|forwarded)$/.test(done) : done === 'assignee'
  if (isOfPerson) return IS_SOMEBODY.test(text) && !IS_NOBODY.test(text) && dateOf(text) === null ? true : null
  return how !== 'by' && how !== 'to' && (IS_MOMENT.test(text) || dateOf(text)?.year != null) ? true : null
}
