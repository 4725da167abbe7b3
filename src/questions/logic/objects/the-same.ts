// "All jobs have the same owner", "Both tapes are in the same bin": a claim that objects of a list say the same under
// one key.
import type { Json } from '../../../core/types.ts'
import { contentOf } from '../fields/json-fields.ts'
import { keyNamed } from '../fields/key-words.ts'
import { meantBy } from './meant.ts'
import { type ObjectList, objectLists } from './objects.ts'
import { textOf, wordsWithDays } from './said-texts.ts'
import { nameKeysOf } from './value-index.ts'

const SAME =
  /^(?<not>not )?(?:all|(?<both>both)|every|each)(?: \d+| two| three| four| five| six)?(?: of)?(?: (?:the|these|those|his|her|their|its|our))?(?: \p{L}+['’]s)? (?<what>.+?) (?:\p{L}+ )?(?:are|is|were|was|have|has|had|use|used|run|ran|\p{L}+ed|come|came|go|went|cost)(?: (?:on|in|at|from|of|by|with|to|for))? the same (?<by>.+)$/iu

/** Null where the claim says anything else, or one of those that are meant says nothing under that key. */
export function allTheSame(claim: string, values: readonly Json[]): boolean | null {
  const { not, both, what = '', by = '' } = SAME.exec(claim)?.groups ?? {}
  if (by === '') return null
  const found = objectLists(values)
    .map((list) => areSame(list, what, by, both !== undefined))
    .filter((holds) => holds !== null)
  return found.length === 1 ? found[0] !== (not !== undefined) : null
}

function areSame(list: ObjectList, what: string, by: string, areTwo: boolean): boolean | null {
  const { objects } = list
  const { places, said, rest } = meantBy(wordsWithDays(what), list)
  const names = nameKeysOf(list)
  const key = keyNamed(
    contentOf(by),
    Object.keys(objects[0] ?? {}).filter((one) => !names.includes(one)),
  )
  if (key === null || rest.length > 0 || places.length < 2 || (areTwo && places.length > 2)) return null
  if (said.some(({ isName, keys }) => isName || keys.includes(key))) return null
  const texts = places.map((place) => textOf(objects[place]?.[key]))
  return texts.includes('') ? null : new Set(texts).size === 1
}
