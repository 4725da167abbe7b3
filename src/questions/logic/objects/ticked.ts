// "The changelog has been updated." of "[x] Update changelog", "The boxes still have to be ordered." of "[ ] order 40
// boxes": a claim whose words are those of one item of a list to be ticked off.
import type { Json } from '../../../core/types.ts'
import { contentOf, wordSet } from '../fields/json-fields.ts'
import { stemOf } from '../fields/key-words.ts'
import { PREPOSITIONS } from './meant.ts'
import { IN_BRACKETS, type ListedObject, objectLists } from './objects.ts'

/** What follows is what is done. */
const FORMS: readonly { readonly pattern: RegExp; readonly isDone: boolean }[] = [
  { pattern: /^(?<what>.+?) (?:has|have|needs?|is|are) to be (?<done>.+)$/iu, isDone: false },
  { pattern: /^(?<what>.+?) (?:has|have|had) not been (?<done>.+)$/iu, isDone: false },
  { pattern: /^(?<what>.+?) (?:is|are|was|were) not (?<done>.+)$/iu, isDone: false },
  { pattern: /^(?<what>.+?) (?:has been|have been|had been|is|are|was|were) (?<done>.+)$/iu, isDone: true },
]
/** Of verbs whose past is another word. */
const PRESENT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bought: 'buy',
    brought: 'bring',
    built: 'build',
    chosen: 'choose',
    done: 'do',
    found: 'find',
    given: 'give',
    held: 'hold',
    made: 'make',
    paid: 'pay',
    sent: 'send',
    sold: 'sell',
    taken: 'take',
    told: 'tell',
    written: 'write',
  }),
)
/** Words of an item that a claim about it may leave out. */
const BESIDE = wordSet('new all more')

/** Null where the claim says anything else, or its words are not those of one item alone. */
export function ticked(claim: string, values: readonly Json[]): boolean | null {
  const form = FORMS.map(({ pattern, isDone }) => ({ groups: pattern.exec(claim)?.groups, isDone })).find(
    ({ groups }) => groups !== undefined,
  )
  if (form?.groups === undefined) return null
  const { what = '', done = '' } = form.groups
  const said = stemsOf(`${what} ${done}`)
  const verb = stemsOf(done)[0]
  const items = objectLists(values)
    .flatMap(({ objects }) => objects)
    .filter(isItem)
  const meant = items.filter(({ item }) => {
    const own = stemsOf(String(item).replace(IN_BRACKETS, ''))
    return said.length > 1 && own[0] === verb && said.every((word) => own.includes(word)) && said.includes(thingOf(String(item)))
  })
  const [one, another] = meant
  return one === undefined || another !== undefined ? null : one.ticked === form.isDone
}

/** What takes back that it is done, or says that a part of it is. */
const IS_PART = /\b(?:cancel\p{L}*|not|still|part(?:ly)?|half|waiting|except|everything but|first|second|draft|sample)\b/iu

/** What is done, of which a claim has to speak: "stand" of "Order cake stand for Ben"; '' where a part of it is. */
function thingOf(item: string): string {
  if (IS_PART.test(item)) return ''
  const words = item.replace(IN_BRACKETS, '').split(/\s+/)
  const end = words.findIndex((word, i) => i > 1 && PREPOSITIONS.has(word.toLowerCase()))
  return stemsOf((end < 0 ? words : words.slice(0, end)).join(' ')).at(-1) ?? ''
}

/** As `line-lists` makes them. */
const isItem = (object: ListedObject): boolean => typeof object.item === 'string' && typeof object.ticked === 'boolean'

function stemsOf(text: string): string[] {
  const words = contentOf(text).filter((word) => !PREPOSITIONS.has(word) && !BESIDE.has(word))
  return words.map((word) => stemOf(PRESENT.get(word) ?? word))
}
