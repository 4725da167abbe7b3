// "Which order has the highest total?", "Which flat is the cheapest?": a question for the one of several JSON objects
// that comes first or last by one of their numbers or days.
import type { Json } from '../../../core/types.ts'
import { questionText } from '../fields/claim.ts'
import { ADJECTIVES, HAS, LEAST, MOST, named, oneOf, type RankedBy, VERBS } from './adjectives.ts'
import { placesDescribed } from './meant.ts'
import { isCalled, type ListedObject, type ObjectList, objectLists, optionCalling } from './objects.ts'
import { WORD } from './said-of-objects.ts'
import { worthsBy } from './worths.ts'

interface Ranking {
  readonly isHighest: boolean
  readonly isBy: RankedBy
  /** Numbers do not count. */
  readonly isOfDays?: boolean
  /** How large something is, which of numbers below zero is not plain: the smallest of expenses that are written so. */
  readonly isOfSize?: boolean
}

/** "Which", "Which flat", "Who", "Which of them"; one word alone says what they are, more say which of them. */
const WHICH = `(?:(?:which|what)(?: one)?(?: of (?:the|these|them|those))?(?: (?<which>${WORD}(?: ${WORD}){0,2}?))?|who)`
const BE = '(?:is|was|are|were)'

const FORMS: readonly { readonly pattern: RegExp; readonly ranking: (by: string) => Ranking }[] = [
  ...ADJECTIVES.flatMap(({ least, most, isBy }) => [
    { pattern: adjective(least), ranking: () => ({ isHighest: false, isBy, isOfSize: true }) },
    { pattern: adjective(most), ranking: () => ({ isHighest: true, isBy, isOfSize: true }) },
  ]),
  ...VERBS.flatMap(({ verb, least, most, isBy }) => [
    { pattern: doing(verb, least), ranking: () => ({ isHighest: false, isBy, isOfSize: true }) },
    { pattern: doing(verb, most), ranking: () => ({ isHighest: true, isBy, isOfSize: true }) },
  ]),
  {
    pattern: having('best'),
    ranking: (by) => ({ isHighest: true, isBy: (keys, objects) => named(by)(isOfMerit(keys, objects), objects) }),
  },
  {
    pattern: having('worst'),
    ranking: (by) => ({ isHighest: false, isBy: (keys, objects) => named(by)(isOfMerit(keys, objects), objects) }),
  },
  { pattern: coming('first'), ranking: (by) => ({ isHighest: false, isBy: named(by), isOfDays: true }) },
  { pattern: coming('last'), ranking: (by) => ({ isHighest: true, isBy: named(by), isOfDays: true }) },
  { pattern: having(LEAST), ranking: (by) => ({ isHighest: false, isBy: named(by) }) },
  { pattern: having(MOST), ranking: (by) => ({ isHighest: true, isBy: named(by) }) },
]

function adjective(words: string): RegExp {
  return new RegExp(
    `^(?:${WHICH} ${BE} (?:the )?(?:${words})(?: (?:one|(?<kind>\\p{L}+)))?|(?:the )?(?:${words}) (?<other>\\p{L}+))$`,
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
  return new RegExp(`^(?:${WHICH} (?:${HAS}) (?:the )?|(?:the )?(?<kind>\\p{L}+) with the )(?:${words}) (?<by>\\p{L}+(?: \\p{L}+)?)$`, 'iu')
}

/** Of which more is better. */
const isOfMerit = oneOf('rating score point star')

/** The place of the option that names the first or last of the objects of a list; null where none surely is. */
export function rankedOption(question: string, options: readonly string[], values: readonly Json[]): number | null {
  const lists = objectLists(values)
  if (lists.length === 0) return null
  const text = questionText(question)
  for (const { ranking, which } of rankingsOf(text)) {
    for (const list of lists) {
      // Of several rows of one, the best row is not the best of them.
      if (options.some((option) => list.objects.filter((object) => isCalled(option, object)).length > 1)) continue
      const objects = objectsMeant(which, list)
      const first = objects === null ? null : extreme(objects, ranking)
      const at = first === null ? null : optionCalling((objects as readonly ListedObject[])[first] as ListedObject, options, list.objects)
      if (at !== null) return at
    }
  }
  return null
}

/** Those that words mean: all by one word, by more those of which they say something; null where that is not plain. */
function objectsMeant(which: string, list: ObjectList): readonly ListedObject[] | null {
  const places = placesDescribed(which, list)
  // One word mostly says what all of them are: "dessert" may be one of three courses.
  if (places === null) return which.includes(' ') ? null : list.objects
  return places.map((place) => list.objects[place] as ListedObject)
}

/** The ways in which a question asks for the first or last, and of which. */
function rankingsOf(text: string): { readonly ranking: Ranking; readonly which: string }[] {
  return FORMS.flatMap(({ pattern, ranking }) => {
    const found = pattern.exec(text)
    const { by = '', which, kind, other } = found?.groups ?? {}
    return found === null ? [] : [{ ranking: ranking(by), which: which ?? kind ?? other ?? '' }]
  })
}

/** The place of the object that a question asks for; null where none surely is first or last. */
export function rankedPlace(question: string, objects: readonly ListedObject[]): number | null {
  const isOfAll = ({ which }: { readonly which: string }) => placesDescribed(which, { name: [], objects, calls: null }) === null
  const places = rankingsOf(question).map((one) => (isOfAll(one) ? extreme(objects, one.ranking) : null))
  return places.find((place) => place !== null) ?? null
}

/** The place of the object; null where not one field is meant, fewer than two have a value of it, or two are alike. */
function extreme(objects: readonly ListedObject[], { isHighest, isBy, isOfDays = false, isOfSize = false }: Ranking): number | null {
  const worths = worthsBy(objects, isBy, isOfDays)
  if (worths === null) return null
  const present = worths.filter((one) => one !== null)
  if (isOfSize && present.some((one) => one < 0)) return null
  const best = isHighest ? Math.max(...present) : Math.min(...present)
  const at = worths.indexOf(best)
  return worths.lastIndexOf(best) === at ? at : null
}
