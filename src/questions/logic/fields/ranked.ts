// "Which order has the highest total?", "Which flat is the cheapest?": a question for the one of several JSON objects
// that comes first or last by one of their numbers or days.
import { dateOf, isoDay } from '../../../core/dates-as-written.ts'
import type { Json } from '../../../core/types.ts'
import { questionText } from './claim.ts'
import { contentOf, wordSet, wordsOf } from './json-fields.ts'
import { type ListedObject, objectLists, placesOf } from './objects.ts'

interface Ranking {
  readonly isHighest: boolean
  /** Whether the words of a key are what is ranked by. */
  readonly isBy: (key: readonly string[]) => boolean
  /** Numbers do not count. */
  readonly isOfDays?: boolean
}

const MONEY = 'price cost amount total rent fare fee rate'
const DAY = 'date day at on since created updated published'
const TIME = 'time duration latency took seconds minutes hours ms second minute hour'
/** What an adjective ranks by, of which a key has one. */
const ADJECTIVES: readonly (readonly [least: string, most: string, keys: string])[] = [
  ['cheapest|least expensive', 'most expensive|dearest|priciest', MONEY],
  ['lightest', 'heaviest', 'weight'],
  ['youngest', 'oldest', 'age'],
  ['shortest', 'tallest', 'height'],
  ['earliest', 'latest|newest|most recent', DAY],
  ['fastest|quickest', 'slowest', TIME],
]
/** "costs the most", "took longest" */
const VERBS: readonly (readonly [verb: string, least: string, most: string, keys: string])[] = [
  ['costs?|is charged|charges', 'least', 'most', MONEY],
  ['takes?|took|lasts?|lasted', 'shortest', 'longest', TIME],
  ['stays?|stayed', 'shortest', 'longest', 'nights days night day'],
]
const LEAST = 'lowest|smallest|least|fewest|shortest|slightest|earliest'
const MOST = 'highest|largest|biggest|greatest|most|longest|latest'

/** "Which", "Which flat", "Who", "Which of them"; one word alone says what they are, for two may say which of them. */
const WHICH = '(?:(?:which|what)(?: one)?(?: of (?:the|these|them|those))?(?: \\p{L}+)?|who)'
const BE = '(?:is|was|are|were)'
const HAS = 'has|have|had|gave|got|made|scored|received|sold|used|won|earned|needs?|uses?'

const FORMS: readonly { readonly pattern: RegExp; readonly ranking: (by: string) => Ranking }[] = [
  ...ADJECTIVES.flatMap(([least, most, keys]) => [
    { pattern: adjective(least), ranking: () => ({ isHighest: false, isBy: oneOf(keys) }) },
    { pattern: adjective(most), ranking: () => ({ isHighest: true, isBy: oneOf(keys) }) },
  ]),
  ...VERBS.flatMap(([verb, least, most, keys]) => [
    { pattern: doing(verb, least), ranking: () => ({ isHighest: false, isBy: oneOf(keys) }) },
    { pattern: doing(verb, most), ranking: () => ({ isHighest: true, isBy: oneOf(keys) }) },
  ]),
  { pattern: having('best'), ranking: (by) => ({ isHighest: true, isBy: (key) => isOfMerit(key) && named(by)(key) }) },
  { pattern: having('worst'), ranking: (by) => ({ isHighest: false, isBy: (key) => isOfMerit(key) && named(by)(key) }) },
  { pattern: coming('first'), ranking: (by) => ({ isHighest: false, isBy: named(by), isOfDays: true }) },
  { pattern: coming('last'), ranking: (by) => ({ isHighest: true, isBy: named(by), isOfDays: true }) },
  { pattern: having(LEAST), ranking: (by) => ({ isHighest: false, isBy: named(by) }) },
  { pattern: having(MOST), ranking: (by) => ({ isHighest: true, isBy: named(by) }) },
]

function adjective(words: string): RegExp {
  return new RegExp(
    `^(?:${WHICH} ${BE} (?:the )?(?:${words})(?: one)?|${WHICH} ${BE} the (?:${words}) \\p{L}+|(?:the )?(?:${words}) \\p{L}+)$`,
    'iu',
  )
}

function doing(verb: string, most: string): RegExp {
  return new RegExp(`^${WHICH} (?:${verb}) (?:the )?${most}$`, 'iu')
}

/** "expires first", "was updated last" */
function coming(place: string): RegExp {
  return new RegExp(`^${WHICH} (?:${BE} )?(?<by>\\p{L}+) ${place}$`, 'iu')
}

function having(words: string): RegExp {
  return new RegExp(`^(?:${WHICH} (?:${HAS}) (?:the )?|(?:the )?\\p{L}+ with the )(?:${words}) (?<by>\\p{L}+(?: \\p{L}+)?)$`, 'iu')
}

function oneOf(keys: string): Ranking['isBy'] {
  const words = wordSet(keys)
  return (key) => key.some((word) => words.has(word))
}

/** Of which more is better. */
const isOfMerit = oneOf('rating score points stars')

/** What says no more than that there is a value: "due date" of `due`, "CPU usage" of `cpu_pct`. */
const OF_ANY = wordSet('date usage value level count number amount')

function named(by: string): Ranking['isBy'] {
  const words = contentOf(by)
  const least = words.length > 1 && OF_ANY.has(words.at(-1)!) ? words.slice(0, -1) : words
  return (key) => least.length > 0 && least.every((word) => key.includes(word))
}

/** The place of the option that names the first or last of the objects of a list; null where none surely is. */
export function rankedOption(question: string, options: readonly string[], values: readonly Json[]): number | null {
  const lists = objectLists(values)
  if (lists.length === 0) return null
  const text = questionText(question)
  for (const { pattern, ranking } of FORMS) {
    const found = pattern.exec(text)
    if (found === null) continue
    for (const { objects } of lists) {
      const places = placesOf(options, objects)
      const first = places && extreme(objects, ranking(found.groups?.by ?? ''))
      if (places !== null && first !== null && places.includes(first)) return places.indexOf(first)
    }
  }
  return null
}

/** The place of the object; null where not one field is meant, fewer than two have a value of it, or two are alike. */
function extreme(objects: readonly ListedObject[], { isHighest, isBy, isOfDays = false }: Ranking): number | null {
  const keys = Object.keys(objects[0] as ListedObject).filter((key) => isBy(wordsOf(key)))
  const ranked = keys.map((key) => objects.map((object) => (object[key] === null ? null : worth(object[key], isOfDays))))
  const known = ranked.filter((worths) => !worths.includes(Number.NaN) && worths.filter((one) => one !== null).length > 1)
  const [worths, another] = known
  if (worths === undefined || another !== undefined || areOfSeveralUnits(objects)) return null
  const present = worths.filter((one) => one !== null)
  const best = isHighest ? Math.max(...present) : Math.min(...present)
  const at = worths.indexOf(best)
  return worths.lastIndexOf(best) === at ? at : null
}

/** A number, how many a list has, or a day as a number; NaN for anything else. */
function worth(value: Json | undefined, isOfDays: boolean): number {
  if (!isOfDays && (typeof value === 'number' || Array.isArray(value))) return typeof value === 'number' ? value : value.length
  const day = typeof value === 'string' ? dateOf(value) : null
  return day === null ? Number.NaN : Date.parse(isoDay(day))
}

/** "EUR" of one and "USD" of another. */
function areOfSeveralUnits(objects: readonly ListedObject[]): boolean {
  return ['currency', 'unit'].some((key) => new Set(objects.map((object) => object[key])).size > 1)
}
