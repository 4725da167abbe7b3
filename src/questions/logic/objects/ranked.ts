// "Which order has the highest total?", "Which flat is the cheapest?": a question for the one of several JSON objects
// that comes first or last by one of their numbers or days.
import type { Json } from '../../../core/types.ts'
import { questionText } from '../fields/claim.ts'
import { ADJECTIVES, HAS, LEAST, MOST, named, oneOf, type RankedBy, VERBS } from './adjectives.ts'
import { type ListedObject, objectLists, optionCalling } from './objects.ts'
import { worthsBy } from './worths.ts'

interface Ranking {
  readonly isHighest: boolean
  readonly isBy: RankedBy
  /** Numbers do not count. */
  readonly isOfDays?: boolean
}

/** "Which", "Which flat", "Who", "Which of them"; one word alone says what they are, for two may say which of them. */
const WHICH = '(?:(?:which|what)(?: one)?(?: of (?:the|these|them|those))?(?: \\p{L}+)?|who)'
const BE = '(?:is|was|are|were)'

const FORMS: readonly { readonly pattern: RegExp; readonly ranking: (by: string) => Ranking }[] = [
  ...ADJECTIVES.flatMap(({ least, most, keys }) => [
    { pattern: adjective(least), ranking: () => ({ isHighest: false, isBy: oneOf(keys) }) },
    { pattern: adjective(most), ranking: () => ({ isHighest: true, isBy: oneOf(keys) }) },
  ]),
  ...VERBS.flatMap(({ verb, least, most, keys }) => [
    { pattern: doing(verb, least), ranking: () => ({ isHighest: false, isBy: oneOf(keys) }) },
    { pattern: doing(verb, most), ranking: () => ({ isHighest: true, isBy: oneOf(keys) }) },
  ]),
  { pattern: having('best'), ranking: (by) => ({ isHighest: true, isBy: (keys) => named(by)(isOfMerit(keys)) }) },
  { pattern: having('worst'), ranking: (by) => ({ isHighest: false, isBy: (keys) => named(by)(isOfMerit(keys)) }) },
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

/** Of which more is better. */
const isOfMerit = oneOf('rating score points stars')

/** The place of the option that names the first or last of the objects of a list; null where none surely is. */
export function rankedOption(question: string, options: readonly string[], values: readonly Json[]): number | null {
  const lists = objectLists(values)
  if (lists.length === 0) return null
  const text = questionText(question)
  for (const ranking of rankingsOf(text)) {
    for (const { objects } of lists) {
      const first = extreme(objects, ranking)
      const at = first === null ? null : optionCalling(objects[first] as ListedObject, options, objects)
      if (at !== null) return at
    }
  }
  return null
}

/** The ways in which a question asks for the first or last. */
function rankingsOf(text: string): Ranking[] {
  return FORMS.flatMap(({ pattern, ranking }) => {
    const found = pattern.exec(text)
    return found === null ? [] : [ranking(found.groups?.by ?? '')]
  })
}

/** The place of the object that a question asks for; null where none surely is first or last. */
export function rankedPlace(question: string, objects: readonly ListedObject[]): number | null {
  return (
    rankingsOf(question)
      .map((ranking) => extreme(objects, ranking))
      .find((place) => place !== null) ?? null
  )
}

/** The place of the object; null where not one field is meant, fewer than two have a value of it, or two are alike. */
function extreme(objects: readonly ListedObject[], { isHighest, isBy, isOfDays = false }: Ranking): number | null {
  const worths = worthsBy(objects, isBy, isOfDays)
  if (worths === null) return null
  const present = worths.filter((one) => one !== null)
  const best = isHighest ? Math.max(...present) : Math.min(...present)
  const at = worths.indexOf(best)
  return worths.lastIndexOf(best) === at ? at : null
}
