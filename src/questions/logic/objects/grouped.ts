// "Which carrier has the most parcels?", "Which client got two invoices?": a question for the one of several values by
// how many objects of a list have it.
import type { Json } from '../../../core/types.ts'
import { questionText } from '../fields/claim.ts'
import { contentOf } from '../fields/json-fields.ts'
import { isOfKey } from '../fields/key-words.ts'
import { numberOf } from '../read-numbers.ts'
import { type ObjectList, objectLists } from './objects.ts'
import { saidText, textOf } from './said-texts.ts'
import { keyOfAll, kindsOf, nameKeysOf } from './value-index.ts'

const ASKED =
  /^(?:who|(?:which|what) (?<key>\p{L}+)) (?:has|have|had|got|placed|made) (?:the )?(?<how>most|fewest|only (?:one|\d+|\p{L}+)|more than one|\d+|\p{L}+) (?<what>\p{L}+)$/iu

/** The place of the only option that so many objects have; null where the question asks for something else. */
export function groupedOption(question: string, options: readonly string[], values: readonly Json[]): number | null {
  const { key, how, what = '' } = ASKED.exec(questionText(question))?.groups ?? {}
  if (how === undefined) return null
  const found = objectLists(values).flatMap((list) => {
    const counts = countsOf(list, options, key ?? null, what)
    const at = counts === null ? null : only(counts, how.toLowerCase())
    return at === null ? [] : [at]
  })
  return found.length === 1 ? (found[0] as number) : null
}

/** By option; null where its options are not values of one key, or what is counted is not what the objects are. */
function countsOf(list: ObjectList, options: readonly string[], said: string | null, what: string): readonly number[] | null {
  const key = keyOfAll(options, list)
  if (key === null || nameKeysOf(list).includes(key)) return null
  const [called = ''] = contentOf(what)
  const isCounted = kindsOf(list).includes(called) || /^(?:entr(?:y|ies)|rows?|lines?|records?)$/i.test(what)
  if (!isCounted || (said !== null && !contentOf(said).every((word) => isOfKey(word, key)))) return null
  const texts = list.objects.map((object) => textOf(object[key]))
  return options.map((option) => texts.filter((text) => text === saidText(option)).length)
}

/** The place of the only count that is meant. */
function only(counts: readonly number[], how: string): number | null {
  const limit = numberOf(how.replace(/^only /, ''))
  const wanted = how === 'most' ? Math.max(...counts) : how === 'fewest' ? Math.min(...counts) : limit
  if (wanted === null && how !== 'more than one') return null
  const places = counts.flatMap((count, at) => ((wanted === null ? count > 1 : count === wanted) ? [at] : []))
  return places.length === 1 ? (places[0] as number) : null
}
