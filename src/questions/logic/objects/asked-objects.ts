// "Which services are down?", "Who is active?": a question for those objects of a list of which something is so, of
// which its options are names.
import type { Json } from '../../../core/types.ts'
import { questionText } from '../fields/claim.ts'
import { plain } from '../fields/json-fields.ts'
import { statedField } from '../fields/stated-field.ts'
import { isCalled, objectLists, placesOf } from './objects.ts'
import { asDenied, heldOf, kindOfSome, SAYS, WORD } from './said-of-objects.ts'

const ASKED = new RegExp(
  `^(?:who|(?:which|what)(?: ones?)?(?: of (?:the|these|those|them))?(?: (?<what>${WORD}(?: ${WORD}){0,2}))?|whose (?<whose>${WORD})) ${SAYS}$`,
  'iu',
)

/** Of each option whether it is so of the object that it names; null where that is not known of all. */
export function heldOfOptions(question: string, options: readonly string[], values: readonly Json[]): readonly boolean[] | null {
  const lists = objectLists(values)
  const { whose, what = whose ?? 'one', says } = ASKED.exec(asDenied(questionText(question)))?.groups ?? {}
  if (says === undefined) return null
  for (const list of lists) {
    const { name, objects } = list
    // One word says what they are, more may say which of them are meant; so does what some of them alone are.
    if ((what.includes(' ') && plain(what) !== name.join(' ')) || kindOfSome(what, objects) !== null) continue
    const places = placesOf(options, objects)
    if (places === null || new Set(places).size < options.length) continue
    const held = heldOf(what, says, list, statedField)
    if (held !== null) return places.map((at) => held[at] as boolean)
  }
  // Too little is known of lists whose objects options name; more than one word may say which of them are meant.
  const areOfLists = lists.some(({ objects }) => options.some((option) => objects.some((object) => isCalled(option, object))))
  if (areOfLists || what.includes(' ')) return null
  const held = options.map((option) => statedField(`The ${option} ${says}.`, values))
  return held.every((isSo) => isSo !== null) ? held : null
}

const NONE = /^(?:none|neither|nothing|nobody|no one)\b/i

/** The place of the option that names the only object of which it is so; null where none surely is. */
export function onlyOption(question: string, options: readonly string[], values: readonly Json[]): number | null {
  const named = options.filter((option) => !NONE.test(option))
  const held = heldOfOptions(question, named, values)
  if (held === null) return null
  const [one, another] = named.filter((_, i) => held[i])
  if (another !== undefined || options.length > named.length + 1) return null
  const at = options.findIndex((option) => (one === undefined ? NONE.test(option) : option === one))
  return at < 0 ? null : at
}
