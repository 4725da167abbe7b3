// Words that rank and compare things by a number or a day of theirs, and which keys such a one stands under.
import type { Json } from '../../../core/types.ts'
import { isMoney, unitOfName } from '../../../core/units.ts'
import { contentOf, wordSet, wordsOf } from '../fields/json-fields.ts'
import { keyNamed, OF_ANY, OF_PRICE, spelledOut } from '../fields/key-words.ts'
import { minutesOf } from '../times-of-day.ts'
import type { ListedObject } from './objects.ts'
import { isDay, isMoment } from './said-texts.ts'

const MONEY = 'price cost amount total rent fare fee'
const DAY = 'date day at on since created updated published'
const TIME = 'time duration latency took ms second minute hour'

export const LEAST = 'lowest|smallest|least|fewest|shortest|slightest|earliest'
export const MOST = 'highest|largest|biggest|greatest|most|longest|latest'
export const LESS = 'lower|smaller|less|fewer|shorter'
export const MORE = 'higher|larger|bigger|greater|more|longer'
/** In front of what something has more or most of. */
export const HAS = 'has|have|had|got|scored|received|earned'

/** Of the keys of objects those that they are ranked by. */
export type RankedBy = (keys: readonly string[], objects: readonly ListedObject[]) => readonly string[]

/** Beside a word of a key that says what is meant: a limit of it, or that of another thing. */
const OF_ANOTHER = new Set(
  wordsOf(
    'minimum maximum limit target goal expected planned desired saved late cancellation deposit setup delivery shipping service heart interest last first next previous old expire expiry expiration expired due until end valid warranty mother father owner manager quota budget',
  ),
)

/** Keys that have one of some words, and none that says it is a limit, or of another thing. */
export function oneOf(words: string): RankedBy {
  const known = wordSet(words)
  return (keys) =>
    keys.filter((key) => {
      const own = wordsOf(key).map(spelledOut)
      // `duration_min` is in minutes, and no minimum.
      const isUnit = (at: number): boolean => at === own.length - 1 && known.has(own[0] as string) && unitOfName(key) !== null
      return own.some((word) => known.has(word)) && !own.some((word, at) => OF_ANOTHER.has(word) && !known.has(word) && !isUnit(at))
    })
}

/** The same of money, a size or a time, which no other word may qualify. */
function plainlyOneOf(words: string): RankedBy {
  const known = wordSet(words)
  return (keys) =>
    oneOf(words)(keys, []).filter((key) =>
      wordsOf(key).every((word) => known.has(spelledOut(word)) || OF_ANY.has(word) || OF_PRICE.has(word) || unitOfName(word) !== null),
    )
}

const BORN = wordSet('born birth birthday dob birthdate')

/** What something costs: an amount is none where another key is of money, or of units. */
const byPrice: RankedBy = (keys, objects) => {
  const found = plainlyOneOf(MONEY)(keys, objects)
  const isAmount = found.length === 1 && found[0]?.toLowerCase() === 'amount'
  const isOther = (key: string) => /^units?$/i.test(key) || (isMoney(unitOfName(key) ?? NO_UNIT) && !/currency/i.test(key))
  return isAmount && keys.some(isOther) ? [] : found
}
const NO_UNIT = { meanings: [], words: [] }

/** How old people and things are: by when they were born, where that is said. */
const sinceWhen: RankedBy = (keys, objects) => {
  const born = keys.filter((key) => wordsOf(key).some((word) => BORN.has(word)))
  return born.length > 0 ? born : oneOf(`${DAY} bought purchased opened started`)(keys, objects)
}

/** By a day, of what has one alone: an appointment is earlier by when it begins, not by when it was booked. */
const byDay: RankedBy = (keys, objects) => {
  const days = keys.filter((key) => objects.every((object) => isDayOrMoment(object[key])))
  const named = oneOf(DAY)(keys, objects)
  return days.length > 1 ? [] : days.length === 1 ? named.filter((key) => days.includes(key)) : named
}

/** By how long something takes, which no time of a day says. */
const byTime: RankedBy = (keys, objects) =>
  plainlyOneOf(TIME)(keys, objects).filter((key) => objects.every((object) => minutesOf(object[key]) === null))

const OF_CALENDAR = /^(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*$/iu

const isDayOrMoment = (value: Json | undefined): boolean =>
  typeof value === 'string' && (isDay(value) || isMoment(value) || OF_CALENDAR.test(value))

const RANKS = wordSet('priority rank place position severity tier')

/** The key that words name, or all that have them among others. */
export function named(by: string): RankedBy {
  const words = contentOf(by)
  // The first place is the highest.
  if (words.some((word) => RANKS.has(word))) return () => []
  const least = words.length > 1 && OF_ANY.has(words.at(-1) as string) ? words.slice(0, -1) : words
  return (keys) => {
    const key = keyNamed(words, keys)
    if (key !== null) return [key]
    const others = keys.filter((one) => !wordsOf(one).some((word) => OF_ANOTHER.has(spelledOut(word)) && !words.includes(word)))
    return least.length === 0 ? [] : others.filter((one) => least.every((word) => wordsOf(one).includes(word)))
  }
}

interface Degrees {
  /** Superlatives and comparatives of it, as patterns. */
  readonly least: string
  readonly most: string
  readonly less: string
  readonly more: string
  readonly isBy: RankedBy
}

/** "is the cheapest", "is older than" */
export const ADJECTIVES: readonly Degrees[] = [
  {
    least: 'cheapest|least expensive',
    most: 'most expensive|dearest|priciest',
    less: 'cheaper|less expensive',
    more: 'more expensive|dearer|pricier',
    isBy: byPrice,
  },
  { least: 'lightest', most: 'heaviest', less: 'lighter', more: 'heavier', isBy: plainlyOneOf('weight') },
  { least: 'youngest', most: 'oldest', less: 'younger', more: 'older', isBy: plainlyOneOf('age') },
  { least: 'shortest', most: 'tallest', less: 'shorter', more: 'taller', isBy: plainlyOneOf('height') },
  {
    least: 'smallest',
    most: 'largest|biggest',
    less: 'smaller',
    more: 'larger|bigger',
    isBy: plainlyOneOf('amount total sum size volume area'),
  },
  { least: 'earliest', most: 'latest|newest|most recent', less: 'earlier', more: 'later|newer|more recent', isBy: byDay },
  { least: 'oldest', most: 'youngest', less: 'older', more: 'younger', isBy: sinceWhen },
  { least: 'fastest|quickest', most: 'slowest', less: 'faster|quicker', more: 'slower', isBy: byTime },
]

/** "costs the most", "takes longer than" */
export const VERBS: readonly (Degrees & { readonly verb: string })[] = [
  { verb: 'costs?|is charged|charges', least: 'least', most: 'most', less: 'less', more: 'more', isBy: byPrice },
  { verb: 'weighs?|weighed', least: 'least', most: 'most', less: 'less', more: 'more', isBy: plainlyOneOf('weight') },
  {
    verb: 'takes?|took|lasts?|lasted|runs?|ran',
    least: 'shortest',
    most: 'longest',
    less: 'shorter',
    more: 'longer',
    isBy: byTime,
  },
  {
    verb: 'stays?|stayed',
    least: 'shortest',
    most: 'longest',
    less: 'shorter',
    more: 'longer',
    isBy: plainlyOneOf('night day'),
  },
]
