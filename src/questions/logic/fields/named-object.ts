// "Auth is down.", "Invoice 17 has been paid.": a claim about one object of a list, by its name.
import type { Json } from '../../../core/types.ts'
import { questionText } from './claim.ts'
import { contentOf } from './json-fields.ts'
import { callsOf, type ObjectList, objectLists } from './objects.ts'
import { asDenied, type Holds, SAYS, saidOfSome } from './said-of-objects.ts'

const CLAIMED = new RegExp(`^(?<called>.+?) ${SAYS}$`, 'iu')
const OF_SEVERAL = /^(?:no|none|not|nobody|all|every|each|any|some|only|both) /i

/** Whether a claim about one object of a list, by its name, holds; null where none or several are meant. */
export function heldOfNamed(claim: string, values: readonly Json[], holds: Holds): boolean | null {
  const { called = '', says = '' } = CLAIMED.exec(asDenied(questionText(claim)))?.groups ?? {}
  const words = contentOf(called)
  if (words.length === 0 || OF_SEVERAL.test(called)) return null
  const meant = objectLists(values).flatMap((list) => {
    const names = namesIn(words, list)
    return list.objects.flatMap((object, at) => (callsOf(object).some((call) => names.includes(call)) ? { list, at } : []))
  })
  const [one, another] = meant
  if (one === undefined || another !== undefined) return null
  const { objects } = one.list
  return holds(`The one ${says}.`, [objects[one.at] as Json]) ?? saidOfSome(says, objects)?.[one.at] ?? null
}

/** "search" of "the search service" in a list of services, "bk-17" of "backup bk-17"; any word where it has no name. */
function namesIn(words: readonly string[], { name }: ObjectList): string[] {
  const less = [words.slice(1), words.slice(0, -1)].filter((each) => name.length === 0 || each.some((word) => /\d/.test(word)))
  return [words, words.filter((word) => !name.includes(word)), ...less].map((each) => each.join(' '))
}
