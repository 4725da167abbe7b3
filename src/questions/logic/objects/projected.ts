// "Which customers have a pending order?": a question for what one field of some objects says, of which its options are
// values, where words say which objects are meant.
import type { Json } from '../../../core/types.ts'
import { questionText } from '../fields/claim.ts'
import { wordsOf } from '../fields/json-fields.ts'
import { areAccounted, meantBy } from './meant.ts'
import { type ObjectList, objectLists } from './objects.ts'
import { saidText, textOf, wordsWithDays } from './said-texts.ts'
import { keyOfAll } from './value-index.ts'

const ASKED = /^(?:which|what|who|whose)\b(?: of (?:the|these|those|them))?/iu

/** Of each option whether an object that is meant says it; null where that is not plain. */
export function heldOfValues(question: string, options: readonly string[], values: readonly Json[]): readonly boolean[] | null {
  const text = questionText(question)
  if (!ASKED.test(text)) return null
  const words = wordsWithDays(text.replace(ASKED, ''))
  const found = objectLists(values)
    .map((list) => heldIn(list, words, options))
    .filter((held) => held !== null)
  return found.length === 1 ? (found[0] as readonly boolean[]) : null
}

function heldIn(list: ObjectList, words: readonly string[], options: readonly string[]): readonly boolean[] | null {
  const { places, said, rest } = meantBy(words, list)
  if (said.length === 0 || said.some(({ isPart }) => isPart)) return null
  const key = keyOfAll(options, list)
  if (key === null || said.some(({ keys }) => keys.includes(key))) return null
  const left = rest.filter((word) => !wordsOf(key).includes(word))
  if (!areAccounted(left, said)) return null
  const held = new Set(places.map((place) => textOf(list.objects[place]?.[key])))
  return options.map((option) => held.has(saidText(option)))
}
