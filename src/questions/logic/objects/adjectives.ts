// Words that rank and compare things by a number or a day of theirs, and which keys such a one stands under.
import { contentOf, wordSet, wordsOf } from '../fields/json-fields.ts'
import { keyNamed, OF_ANY, spelledOut } from '../fields/key-words.ts'

const MONEY = 'price cost amount total rent fare fee rate'
const DAY = 'date day at on since created updated published'
const TIME = 'time duration latency took seconds minutes hours ms second minute hour'

interface Degrees {
  /** Superlatives and comparatives of it, as patterns. */
  readonly least: string
  readonly most: string
  readonly less: string
  readonly more: string
  /** Words of which a key has one. */
  readonly keys: string
}

/** "is the cheapest", "is older than" */
export const ADJECTIVES: readonly Degrees[] = [
  {
    least: 'cheapest|least expensive',
    most: 'most expensive|dearest|priciest',
    less: 'cheaper|less expensive',
    more: 'more expensive|dearer|pricier',
    keys: MONEY,
  },
  { least: 'lightest', most: 'heaviest', less: 'lighter', more: 'heavier', keys: 'weight' },
  { least: 'youngest', most: 'oldest', less: 'younger', more: 'older', keys: 'age' },
  { least: 'shortest', most: 'tallest', less: 'shorter', more: 'taller', keys: 'height' },
  { least: 'smallest', most: 'largest|biggest', less: 'smaller', more: 'larger|bigger', keys: 'amount total sum size volume area' },
  { least: 'earliest', most: 'latest|newest|most recent', less: 'earlier', more: 'later|newer|more recent', keys: DAY },
  { least: 'oldest', most: 'youngest', less: 'older', more: 'younger', keys: `${DAY} bought purchased opened started` },
  { least: 'fastest|quickest', most: 'slowest', less: 'faster|quicker', more: 'slower', keys: TIME },
]

/** "costs the most", "takes longer than" */
export const VERBS: readonly (Degrees & { readonly verb: string })[] = [
  { verb: 'costs?|is charged|charges', least: 'least', most: 'most', less: 'less', more: 'more', keys: MONEY },
  { verb: 'weighs?|weighed', least: 'least', most: 'most', less: 'less', more: 'more', keys: 'weight' },
  { verb: 'takes?|took|lasts?|lasted|runs?|ran', least: 'shortest', most: 'longest', less: 'shorter', more: 'longer', keys: TIME },
  { verb: 'stays?|stayed', least: 'shortest', most: 'longest', less: 'shorter', more: 'longer', keys: 'nights days night day' },
]
export const LEAST = 'lowest|smallest|least|fewest|shortest|slightest|earliest'
export const MOST = 'highest|largest|biggest|greatest|most|longest|latest'
export const LESS = 'lower|smaller|less|fewer|shorter'
export const MORE = 'higher|larger|bigger|greater|more|longer'
/** In front of what something has more or most of. */
export const HAS = '\\p{L}+ed|has|have|had|gave|got|made|scored|received|sold|used|won|earned|needs?|uses?'

/** Of the keys of an object those that are ranked by. */
export type RankedBy = (keys: readonly string[]) => readonly string[]

/** Keys that have one of some words. */
export function oneOf(words: string): RankedBy {
  const known = wordSet(words)
  return (keys) => keys.filter((key) => wordsOf(key).some((word) => known.has(word) || known.has(spelledOut(word))))
}

/** The key that words name, or all that have them among others. */
export function named(by: string): RankedBy {
  const words = contentOf(by)
  const least = words.length > 1 && OF_ANY.has(words.at(-1) as string) ? words.slice(0, -1) : words
  return (keys) => {
    const key = keyNamed(words, keys)
    if (key !== null) return [key]
    return least.length === 0 ? [] : keys.filter((one) => least.every((word) => wordsOf(one).includes(word)))
  }
}
