// What a value that is written in a text would be in JSON: "yes" is true, "1,240" a number, "-" nothing.
import { numberOfDigits } from '../../../core/as-written.ts'
import type { Json } from '../../../core/types.ts'
import { wordSet } from '../fields/json-fields.ts'

const YES = wordSet('yes true y x ✓ ✔ ✅')
const NO = wordSet('no false n ✗ ✘ ❌')
const NOTHING = wordSet('- – — -- n/a na none null nil ~ (none) (empty) {} []')
/** What begins with a zero names something: "007". */
const NUMBER = /^[-+−]?(?:0|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,14})(?:\.\d+)?$/
const LISTED = /^\[(.*)\]$/s
const QUOTED = /^(["'`])(.*)\1$/s
/** Emphasis of Markdown around it. */
const EMPHASIS = /^(\*\*|__|\*|`)(.+)\1$/s

/** A value as it stands behind its name or in its cell. */
export function typed(written: string): Json {
  const text = EMPHASIS.exec(written.trim())?.[2] ?? written.trim()
  const said = text.toLowerCase()
  if (text === '' || NOTHING.has(said)) return null
  if (YES.has(said)) return true
  if (NO.has(said)) return false
  if (NUMBER.test(text)) return numberOfDigits(text)
  const quoted = QUOTED.exec(text)?.[2]
  if (quoted !== undefined && !quoted.includes(text.charAt(0))) return quoted
  const listed = LISTED.exec(text)?.[1]
  return listed === undefined ? text : listed.split(',').map(typed)
}

const MOST_WORDS_OF_MEMBER = 4

/** The same, behind a name of several: "Tags: a, b" is a list. */
export function typedOf(name: string, written: string): Json {
  const members = written.split(',').map((member) => member.trim())
  const areSeveral = /[^s]s$/i.test(name) && members.length > 1
  const isList =
    areSeveral &&
    !LISTED.test(written.trim()) &&
    members.every((member) => /\p{L}/u.test(member) && member.split(/\s+/).length <= MOST_WORDS_OF_MEMBER)
  return isList ? members : typed(written)
}
