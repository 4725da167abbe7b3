// What is there: "There are errors.", "The email is missing.", "No checks failed."
import type { Json } from '../../../core/types.ts'
import { type ClaimReading, isNamed } from './claim.ts'
import { wordSet, wordsOf, writtenWords } from './json-fields.ts'

const MISSING = wordSet('missing null unknown unset absent empty')
const PRESENT = wordSet('present given known provided configured specified')
/** Words that a text may say in other ways: "unknown, Lagos" is not empty, and nothing is known. */
const OF_NO_TEXT = new Set([...MISSING, ...PRESENT].filter((word) => word !== 'empty' && word !== 'null'))
const SAYS_NOTHING = wordSet('none no null unknown nothing')
/** By itself a name claims nothing: "errors" may ask how many there are. */
const SAYS_WHETHER = /^(?:(?:(?:are|is|was|were) )?there|(?:(?:are|is|was|were) )?(?:no|some|any))\b/i
const HAS = /^(?:the |this )?\S+ (?:has|have|had|(?:does|do|did) not have) /i

/** Of lists, counts, texts and what is null. */
export const byWhatIsThere: ClaimReading = (claim) => {
  const { text, content, isDenied, subjects } = claim
  const said = content.find((word) => MISSING.has(word) || PRESENT.has(word))
  if (said === undefined && !SAYS_WHETHER.test(text) && (subjects === null || !HAS.test(text))) return null
  const others = content.filter((word) => word !== said)
  const written = writtenWords(text)
  return (field) => {
    const { key, value } = field
    const isThere = holdsSomething(value, said)
    if (isThere === null || !isNamed(others, field, claim)) return null
    // "A slot is empty" is not about the list of slots.
    if (said !== undefined && Array.isArray(value) && !written.includes(writtenWords(key).at(-1)!)) return null
    return isThere === ((said !== undefined && MISSING.has(said)) === isDenied)
  }
}

/** Null where it is not clear. `said`: the word for it, where there is one. */
function holdsSomething(value: Json, said: string | undefined): boolean | null {
  if (value === null || value === '') return false
  if (typeof value === 'string') return said === undefined || OF_NO_TEXT.has(said) ? null : true
  if (typeof value === 'number') return said === undefined && Number.isInteger(value) && value >= 0 ? value > 0 : null
  if (!Array.isArray(value)) return null
  return value.length === 0 ? false : value.every(saysNothing) ? null : true
}

/** "none", "unknown" */
export function saysNothing(value: Json): boolean {
  return typeof value === 'string' && wordsOf(value).every((word) => SAYS_NOTHING.has(word))
}
