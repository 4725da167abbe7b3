// Which of several options says a value: "2 April 2026" of "2026-04-02", "none" of null.
import { dateOf, isoDay } from '../../../core/dates-as-written.ts'
import type { Json } from '../../../core/types.ts'
import { hasWithin } from '../objects/said-texts.ts'
import { numberOf } from '../read-numbers.ts'
import { plain } from './json-fields.ts'

const NONE = /^(?:none|no(?:body|thing| one)?|not (?:set|given|known|there|assigned|yet)|unassigned|unknown|missing|empty)\b/i

/** Where nothing is given, "no" is not the answer. */
const IS_NO = /^no[.!]?$/i

/** What says some word may say that it is not so. */
const DENIES =
  /\b(?:not?|never|without|except|then|but|un\p{L}+|part(?:ial)?ly|almost|nearly|half|semi|pre|to be|soon|expired|was|formerly|trial|previously|awaiting|after|before|or)\b|n['’]t\b/iu

/** The place of the only option that says a value; null where none or several do. */
export function optionSaying(value: Json, options: readonly string[]): number | null {
  const same = options.findIndex((option) => option.trim().toLowerCase() === String(value).trim().toLowerCase())
  if (same >= 0) return same
  const places = options.flatMap((option, at) => (isSaid(value, option) ? [at] : []))
  if (places.length === 1) return places[0] as number
  const own = typeof value === 'string' && !DENIES.test(value) ? plain(value) : ''
  const within = options.flatMap((option, at) => (plain(option) !== '' && hasWithin(own, plain(option)) ? [at] : []))
  return places.length === 0 && within.length === 1 ? (within[0] as number) : null
}

function isSaid(value: Json, option: string): boolean {
  if (value === null) return NONE.test(option) && !IS_NO.test(option)
  if (typeof value === 'boolean') return value === /^(?:yes|true|on)$/i.test(option) && /^(?:yes|true|on|no|false|off)$/i.test(option)
  if (plain(String(value)) === plain(option)) return true
  if (typeof value === 'number') return numberOf(option) === value
  const [own, said] = [dateOf(String(value)), dateOf(option)]
  if (/^(?:19|20)\d\d$/.test(option) && own !== null) return own.year === Number(option)
  return own !== null && said !== null && isoDay(own) === isoDay(said)
}
