// "The invoice is due before 1 April" as a question for its day, and what the day makes of it.
import { capitalised } from '../../core/as-written.ts'
import { ANY_YEAR, dateOf, type WrittenDate } from '../../core/dates-as-written.ts'
import { ABOVE, AT, BELOW, type Comparison, FROM, holdsFor, isOfOne, NOT_AT, type Signs, signOf, UP_TO } from './compared-values.ts'

/** "Until" and "since" say when something ends and begins, so that day itself is claimed. */
const COMPARATORS: readonly (readonly [words: string, signs: Signs])[] = [
  ['(?:no|not) later than|on or before|by|<=|≤', UP_TO],
  ['(?:no|not) (?:earlier|sooner) than|on or after|>=|≥', FROM],
  ['before|earlier than|prior to|<', BELOW],
  ['after|later than|>', ABOVE],
  ['!=', NOT_AT],
  ['==', AT],
]
const COMPARED = COMPARATORS.map(([words, signs]) => ({
  pattern: new RegExp(`^(.+?)\\s(?:${words}) ?(?:the )?(.*\\d.*?)[.?!]?$`, 'iu'),
  signs,
}))
/** What is not plainly the time of one thing: a stretch of time, or what is seen from another time. */
const NOT_A_TIME = /\b(?:days|weeks|months|years|hours|long|between|until|since|from|sometime|shortly|only)\b/i
/** "The invoice is due": subject, verb and the rest. */
const SAYS = /^(.+?) (is|are|was|were|has|have|had|will)\b(.*)$/i
const ASKS = /^(?:is|are|was|were|do|does|did|has|have|had|will)\b/i
const SMALL_AT_BEGIN = /^(?:Is|Are|Was|Were|Do|Does|Did|Has|Have|Had|Will|The|This|That|These|Those|Its|Their|Our|My|Your|His|Her|An?)\b/
const DAY_MS = 86_400_000

/** Null where a claim compares nothing, or not plainly one day of the state. */
export function comparedDate(claim: string): Comparison | null {
  for (const { pattern, signs } of COMPARED) {
    const [, before = '', said = ''] = pattern.exec(claim) ?? []
    const limit = dateOf(said)
    if (before === '' || limit === null || !isOfOne(before) || NOT_A_TIME.test(before)) continue
    return {
      format: 'date',
      asked: dayAsked(before.trim()),
      holds: ({ text }) => {
        const day = dateOf(text)
        return day === null ? null : holdsFor(signs, [signOf(daysBetween(limit, day))])
      },
    }
  }
  return null
}

/** "Is the invoice due", "The invoice is due" to "When is the invoice due?"; "Due date" to "Due date: when?" */
function dayAsked(before: string): string {
  const small = (part: string) => part.replace(SMALL_AT_BEGIN, (word) => word.toLowerCase())
  if (ASKS.test(before)) return `When ${small(before)}?`
  const [, subject, verb = '', rest = ''] = SAYS.exec(before) ?? []
  return subject === undefined ? `${capitalised(before)}: when?` : `When ${verb} ${small(subject)}${rest}?`
}

/** From the first day to the second. Where one of them has no year, it is of the year of the other. */
function daysBetween(first: WrittenDate, second: WrittenDate): number {
  const year = first.year ?? second.year ?? ANY_YEAR
  const [from, to] = [first, second].map((date) => Date.UTC(date.year ?? year, date.month - 1, date.day)) as [number, number]
  return (to - from) / DAY_MS
}
