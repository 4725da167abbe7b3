// "The backup starts before 3 am", "The appointment is at 8:40": a claim about a time of the day that a field says.
import { ABOVE, AT, BELOW, type Signs, signOf, UP_TO } from '../compared-values.ts'
import { minutesOf, minutesSaid } from '../times-of-day.ts'
import { type ClaimReading, isAbout, readClaim, withSubjects } from './claim.ts'
import { wordSet } from './json-fields.ts'
import { keyNamed } from './key-words.ts'

const CLAIMED = /^(?<before>.+?) (?<how>before|after|at|by|from|until|till) (?<time>[\p{L}\d:.’' ]+)$/iu
/** "is open until six" says when it closes. */
const IS_SO = /\b(?:is|are|was|were) (?:open|closed|free|available|valid|booked)$/i
/** What is so from one time to another. */
const LASTS = wordSet('open opening opened close closing closed hour free available valid booked')
const STANDS: ReadonlyMap<string, Signs> = new Map([
  ['before', BELOW],
  ['after', ABOVE],
  ['at', AT],
  ['by', UP_TO],
  ['from', AT],
  ['until', AT],
  ['till', AT],
])

/** Null where the claim says anything but how a time stands to another. */
export const byTime: ClaimReading = (claim) => {
  const { before = '', how = '', time = '' } = CLAIMED.exec(claim.text)?.groups ?? {}
  const said = minutesSaid(time)
  const signs = STANDS.get(how.toLowerCase())
  if (said.length === 0 || signs === undefined || IS_SO.test(before)) return null
  const { content, isDenied } = readClaim(before, claim.state)
  const own = claim.subjects === null ? claim : withSubjects({ ...claim, text: before })
  return (field) => {
    const minutes = minutesOf(field.value)
    if (minutes === null) return null
    const key = content.filter((word) => !isAbout([word], field, own))
    const isNamed = key.length === 0 ? field.name.join(' ') === 'time' : keyNamed(key, [field.key]) !== null
    if (!isNamed || (how.toLowerCase() === 'at' && field.name.some((word) => LASTS.has(word)))) return null
    // The nearer one is meant: "9" of 19:30 is nine in the evening.
    const nearest = said.reduce((best, one) => (Math.abs(one - minutes) < Math.abs(best - minutes) ? one : best))
    return signs.includes(signOf(minutes - nearest)) !== isDenied
  }
}
