// "Which services are down?", "Who is active?": a question for those objects of a list of which something is so, of
// which its options are names; and "Auth is down.", a claim about one of them by its name.
import type { Json } from '../../../core/types.ts'
import { contentOf, wordsOf } from './json-fields.ts'
import { callsOf, isCalled, type ObjectList, objectLists } from './objects.ts'
import { type Holds, heldOf, kindOfSome, saidOfSome } from './said-of-objects.ts'

/** UTF-16 units of a question or a claim that is looked at. */
const LONGEST = 120

const BE_OR_HAVE = '(?:is|are|was|were|has|have|had)'
const SAYS = `(?<says>(?:${BE_OR_HAVE}|runs?|uses?|costs?|speaks?) .+|(?:not )?\\p{L}+ed)`
const WORD = `(?!${BE_OR_HAVE}\\b|not\\b)\\p{L}+`
const ASKED = new RegExp(
  `^(?:who|(?:which|what)(?: ones?)?(?: of (?:the|these|those|them))?(?: (?<what>${WORD}(?: ${WORD}){0,2}))?|whose (?<whose>${WORD})) ${SAYS}$`,
  'iu',
)
const CLAIMED = new RegExp(`^(?<called>.+?) ${SAYS}$`, 'iu')

const plainly = (text: string): string =>
  text
    .trim()
    .replace(/[.?!:]+$/, '')
    .replace(/n['’]t\b/g, ' not')
    .replace(/\b(?:do|does|did) not (\p{L}+?)e?$/iu, 'not $1ed')

/** Of each option whether it is so of the object that it names; null where that is not known of all. */
export function heldOfOptions(
  question: string,
  options: readonly string[],
  values: readonly Json[],
  holds: Holds,
): readonly boolean[] | null {
  const { whose, what = whose ?? 'one', says } = (question.length > LONGEST ? null : ASKED.exec(plainly(question)))?.groups ?? {}
  if (says === undefined) return null
  for (const list of objectLists(values)) {
    const { name, objects } = list
    // One word says what they are, more may say which of them are meant; so does what some of them alone are.
    if ((what.includes(' ') && wordsOf(what).join(' ') !== name.join(' ')) || kindOfSome(what, objects) !== null) continue
    const places = options.map((option) => objects.flatMap((object, i) => (isCalled(option, object) ? i : [])))
    if (places.some(({ length }) => length !== 1) || new Set(places.flat()).size < options.length) continue
    const held = heldOf(what, says, list, holds)
    if (held !== null) return places.map(([at]) => held[at as number] as boolean)
  }
  return null
}

const NONE = /^(?:none|neither|nothing|nobody|no one)\b/i

/** The place of the option that names the only object of which it is so; null where none surely is. */
export function onlyOption(question: string, options: readonly string[], values: readonly Json[], holds: Holds): number | null {
  const named = options.filter((option) => !NONE.test(option))
  const held = heldOfOptions(question, named, values, holds)
  if (held === null) return null
  const [one, another] = named.filter((_, i) => held[i])
  if (another !== undefined || options.length > named.length + 1) return null
  const at = options.findIndex((option) => (one === undefined ? NONE.test(option) : option === one))
  return at < 0 ? null : at
}

const OF_SEVERAL = /^(?:no|none|not|nobody|all|every|each|any|some|only|both) /i

/** Whether a claim about one object of a list, by its name, holds; null where none or several are meant. */
export function heldOfNamed(claim: string, values: readonly Json[], holds: Holds): boolean | null {
  const { called = '', says = '' } = CLAIMED.exec(plainly(claim))?.groups ?? {}
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
