// "Auth is down.", "Invoice 17 has been paid.", "Faro's age is over 5.", "Retry is on for e2e.": a claim about one
// object of a list, which it calls by name.
import type { Json } from '../../../core/types.ts'
import { questionText } from '../fields/claim.ts'
import { contentOf } from '../fields/json-fields.ts'
import { placeCalled } from './meant.ts'
import { alone, callsOf, type ListedObject, type ObjectList, objectLists } from './objects.ts'
import { asDenied, type Holds, SAYS, saidOfSome } from './said-of-objects.ts'

const BE_OR_HAVE = '(?:is|are|was|were|has|have|had)'
const CLAIMED = new RegExp(`^(?<called>.+?) ${SAYS}$`, 'iu')
/** What else says it: `key` and `says` make up the claim without the name. */
const OTHERWISE = [
  /^(?<called>.+?)['’]s? (?<key>.+?) (?<says>(?:is|are|was|were|has|have|had) .+)$/iu,
  new RegExp(`^(?:the )?(?<key>.+?) (?:of|on|for|in|at) (?<called>.+?) (?<says>${BE_OR_HAVE} .+)$`, 'iu'),
  new RegExp(`^(?:the )?(?<key>.+?) (?<says>${BE_OR_HAVE} .+) (?:of|on|for|in|at) (?<called>.+)$`, 'iu'),
]
const OF_SEVERAL = /^(?:no|none|not|nobody|all|every|each|any|some|only|both) /i

/** Whether a claim about one object of a list, by its name, holds; null where none or several are meant. */
export function heldOfNamed(claim: string, values: readonly Json[], holds: Holds): boolean | null {
  const lists = objectLists(values)
  const text = questionText(claim)
  if (lists.length === 0 || OF_SEVERAL.test(text)) return null
  const { called = '', says = '' } = CLAIMED.exec(asDenied(text))?.groups ?? {}
  const one = objectCalled(called, lists)
  if (one !== null) {
    const { objects } = one.list
    const held = holds(`The one ${says}.`, alone(objects[one.at] as ListedObject)) ?? saidOfSome(says, objects)?.[one.at] ?? null
    if (held !== null) return held
  }
  const found = OTHERWISE.flatMap((form) => heldOtherwise(form.exec(text)?.groups, lists, holds) ?? [])
  return new Set(found).size === 1 ? (found[0] as boolean) : null
}

function heldOtherwise(groups: Readonly<Record<string, string>> | undefined, lists: readonly ObjectList[], holds: Holds): boolean | null {
  const { called = '', key = '', says = '' } = groups ?? {}
  const one = objectCalled(called, lists)
  return one === null ? null : holds(`The ${key} ${says}.`, alone(one.list.objects[one.at] as ListedObject))
}

/** Null where no object, or several, are called so. */
export function objectCalled(called: string, lists: readonly ObjectList[]): { readonly list: ObjectList; readonly at: number } | null {
  const words = contentOf(called)
  if (words.length === 0) return null
  const meant = lists.flatMap((list) => {
    const names = namesIn(words, list)
    return list.objects.flatMap((object, at) => (names.some((name) => callsOf(object).has(name)) ? { list, at } : []))
  })
  const byPart = lists.flatMap((list) => {
    const at = placeCalled(called, list)
    return at === null ? [] : [{ list, at }]
  })
  const [one, another] = meant.length > 0 ? meant : byPart
  return one === undefined || another !== undefined ? null : one
}

/** "search" of "the search service" in a list of services, "bk-17" of "backup bk-17"; any word where it has no name. */
function namesIn(words: readonly string[], { name }: ObjectList): string[] {
  const less = [words.slice(1), words.slice(0, -1)].filter((each) => name.length === 0 || each.some((word) => /\d/.test(word)))
  return [words, words.filter((word) => !name.includes(word)), ...less].map((each) => each.join(' '))
}
