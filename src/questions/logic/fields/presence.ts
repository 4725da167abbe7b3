// What is there: "There are errors.", "The email is missing.", "No checks failed."
import type { Json } from '../../../core/types.ts'
import { type ClaimReading, type FieldClaim, isNamed } from './claim.ts'
import { isCount, type JsonField, wordSet, wordsOf, writtenWords } from './json-fields.ts'
import { OF_ANY } from './key-words.ts'

const MISSING = wordSet('missing null unknown unset absent empty')
const PRESENT = wordSet('present given known provided configured specified recorded listed stated entered noted filled')
const ON_FILE = / on (?:file|record)(?=[.?!]*$)/i
/** What is given, and does not say why nothing is: a number, a day, an address, a name of two words. */
const IS_GIVEN = /\d|@|^\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){1,3}$/u
const MOST_WORDS = 5
const SAYS_GIVEN = / (?:given|known|recorded|listed|stated|entered|noted|filled in|specified|missing|unknown|absent)[.?!]*$/i
const SAYS_OTHERWISE = /^(?:not?|none|never|nothing|un\p{L}+|pending|open|missing|tb[acd]|to be|see|same|as|ask|wait\p{L}*)\b|[?…]/iu
const SAYS_NOTHING = wordSet('none no null unknown nothing')
/** By itself a name claims nothing: "errors" may ask how many there are. */
const SAYS_WHETHER = /^(?:(?:(?:are|is|was|were) )?there|(?:(?:are|is|was|were) )?(?:no|some|any))\b/i
const HAS = /^(?:the |this )?\S+ (?:has|have|had|(?:does|do|did) not have) /i

/** Of lists, counts, texts and what is null. */
export const byWhatIsThere: ClaimReading = (claim) => {
  const { isDenied, subjects } = claim
  const text = claim.text.replace(ON_FILE, ' recorded')
  const content = text === claim.text ? claim.content : [...claim.content.slice(0, -2), 'recorded']
  const said = content.find((word) => MISSING.has(word) || PRESENT.has(word))
  if (said === undefined && !SAYS_WHETHER.test(text) && (subjects === null || !HAS.test(text))) return null
  const others = content.filter((word) => word !== said)
  const written = writtenWords(text)
  const ofText = SAYS_GIVEN.test(text)
  return (field) => {
    const { key, value } = field
    const isThere = holdsSomething(value, said, ofText)
    if (isThere === null || !isNamedSo(others, field, claim)) return null
    // "There were errors" is not said by the number of one.
    if (typeof value === 'number' && !isCount(key)) return null
    // "A slot is empty" is not about the list of slots.
    if (said !== undefined && Array.isArray(value) && !written.includes(writtenWords(key).at(-1)!)) return null
    return isThere === ((said !== undefined && MISSING.has(said)) === isDenied)
  }
}

/** Null where it is not clear. `said`: the word for it, where there is one; `ofText`: which may be said of a text. */
function holdsSomething(value: Json, said: string | undefined, ofText: boolean): boolean | null {
  if (value === null || value === '') return false
  if (typeof value === 'string') {
    const text = value.trim()
    const isGiven = IS_GIVEN.test(text) && !SAYS_OTHERWISE.test(text) && text.split(/\s+/).length <= MOST_WORDS
    return said === 'empty' || said === 'null' || (isGiven && ofText) ? true : null
  }
  if (typeof value === 'number') return said === undefined && Number.isInteger(value) && value >= 0 ? value > 0 : null
  if (!Array.isArray(value)) return null
  return value.length === 0 ? false : value.every(saysNothing) ? null : true
}

/** "due date" of `due`: words that any value has say no more. */
function isNamedSo(words: readonly string[], field: JsonField, claim: FieldClaim): boolean {
  const least = words.filter((word) => !OF_ANY.has(word))
  return isNamed(words, field, claim) || (least.length < words.length && isNamed(least, field, claim))
}

/** "none", "unknown" */
export function saysNothing(value: Json): boolean {
  return typeof value === 'string' && wordsOf(value).every((word) => SAYS_NOTHING.has(word))
}
