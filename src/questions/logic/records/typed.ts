// What a value that is written in a text would be in JSON: "yes" is true, "1,240" a number, "-" nothing.
import { numberOfDigits } from '../../../core/as-written.ts'
import type { Json } from '../../../core/types.ts'
import { wordSet } from '../fields/json-fields.ts'

const YES = wordSet('yes true y x ✓ ✔ ✅')
const NO = wordSet('no false n ✗ ✘ ❌')
const NOTHING = wordSet('- – — -- n/a na none null nil ~ (none) (empty) {} []')
/** What begins with a zero, or with a plus and many digits, names something: "007", "+4911…". */
const NUMBER = /^(?:[-−]|\+(?=[\d,]{1,8}(?:\.|$)))?(?:0|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,14})(?:\.\d+)?$/
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

/** Names of what is written in digits, and is no number: version 3.10 is not 3.1. */
const OF_DIGITS = /\b(?:version|release|phone|tel|fax|mobile|zip|postcode|id|code|iban|isbn)\b/i
/** What says more of its members than which they are. */
const SAYS_MORE =
  /^(?:none|not?|nothing|only|\d+|one|two|three|four|five|six)\b|\b(?:but|only|very|feels?|mostly|both|with|without|except)\b/i

/** The same, behind a name of several: "Tags: a, b and c" is a list. */
export function typedOf(name: string, written: string): Json {
  if (OF_DIGITS.test(name) && /^[+\d.]+$/.test(written.trim())) return /^[1-9]\d*$/.test(written.trim()) ? typed(written) : written.trim()
  const parts = written.split(',').map((member) => member.trim())
  const members = parts.flatMap((part, i) =>
    parts.length > 1 && i === parts.length - 1 ? part.replace(/^and /i, '').split(/ and /i) : [part],
  )
  const areSeveral = /[^su]s$/i.test(name) && members.length > 1 && !members.some((member) => SAYS_MORE.test(member))
  const isList =
    areSeveral &&
    !LISTED.test(written.trim()) &&
    members.every((member) => /\p{L}/u.test(member) && member.split(/\s+/).length <= MOST_WORDS_OF_MEMBER)
  return isList ? members : typed(written)
}
