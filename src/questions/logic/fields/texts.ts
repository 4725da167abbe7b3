// A field that is a text: "The status is shipped.", "The ticket has high priority.", "The tests failed.",
// 'status != "shipped"'
import { type ClaimReading, type FieldClaim, isAbout, isNamed } from './claim.ts'
import { contentOf, contentText, type JsonField, wordsOf } from './json-fields.ts'
import { saysWhatItIs } from './key-words.ts'
import { areExclusive } from './opposites.ts'

const MARK = ' ?(={1,3}|!==?|≠|<>) ?'
const IS_TEXT = new RegExp(`^(.+?)(?: (is|was|equals)(?: (not))? |${MARK})["'“”]?(.+?)["'“”]?$`, 'iu')
const IS =
  /^(?<before>.+?) (?:(?:is|are|was|were|has been|have been)(?: (?<not>not))?|(?:has|have) (?<never>not) been)(?: an?| the)? (?<said>.+)$/iu
const ASKS = /^(?:is|are|was|were) (?<before>(?:the|this) \p{L}+|it|he|she|they) (?<not>not )?(?:an?|the )?(?<said>.+)$/iu
const HAS =
  /^(?<before>.+?) (?:(?:does|do|did) (?<not>not) )?(?:has|have|had|uses?|(?:is|are|was|were)(?: (?<denied>not))? (?:on|in|at|of|under)) (?:an?|the)? ?(?<said>.+)$/iu
const ENDS = /^(?<before>.+?) (?:(?<not>not) (?:been )?)?(?<said>\p{L}+)$/iu

/** The same as a reading, of a field's text. */
type TextReading = (claim: FieldClaim) => ((field: JsonField, value: string) => boolean | null) | null

/** Null where the claim says anything else, or another text than the field's that may mean the same. */
export const byText: ClaimReading = (claim) => {
  const forms = FORMS.map((form) => form(claim)).filter((form) => form !== null)
  if (forms.length === 0) return null
  return (field) => {
    const { value } = field
    if (typeof value !== 'string') return null
    return forms.map((form) => form(field, value)).find((holds) => holds !== null) ?? null
  }
}

/** "The status is shipped.", 'status != "shipped"': said in words, another text may mean the same. */
const byName: TextReading = (claim) => {
  const [, before, , not, mark, said = ''] = IS_TEXT.exec(claim.text) ?? []
  if (before === undefined) return null
  const words = contentOf(before)
  return (field, value) => {
    if (!isNamed(words, field, claim)) return null
    const isSame = sameText(said, value) ?? (mark !== undefined || (isCode(said) && isCode(value)) ? false : null)
    return isSame === null ? null : isSame === (not === undefined && (mark === undefined || mark.startsWith('=')))
  }
}

/** "The ticket is open.", "She is an admin." */
const byKind: TextReading = (claim) => {
  const { before, not, never, said = '' } = (ASKS.exec(claim.text) ?? IS.exec(claim.text))?.groups ?? {}
  if (before === undefined || claim.subjects === null) return null
  const words = contentOf(before)
  return (field, value) => {
    if (!saysWhatItIs(field.name)) return null
    const others = words.filter((word) => !field.name.includes(word))
    return isAbout(others, field, claim) ? turned(sameText(said, value), not ?? never) : null
  }
}

/** "The ticket has high priority.", "The user is on the free plan." */
const byAttribute: TextReading = (claim) => {
  const { before, not, denied, said = '' } = HAS.exec(claim.text)?.groups ?? {}
  if (before === undefined) return null
  const [about, words] = [contentOf(before), wordsOf(said)]
  return (field, value) => {
    const text = words.slice(0, -field.name.length)
    const isOfField = text.length > 0 && field.name.every((word, i) => words[text.length + i] === word)
    return isOfField && isAbout(about, field, claim) ? turned(sameText(text.join(' '), value), not ?? denied) : null
  }
}

/** "The lint check passed."; "did not pass" is left open. */
const byEnd: TextReading = (claim) => {
  const { before, not, said = '' } = ENDS.exec(claim.text)?.groups ?? {}
  if (before === undefined) return null
  const words = contentOf(before)
  return (field, value) => (isNamed(words, field, claim) ? turned(sameText(said, value), not) : null)
}

const FORMS: readonly TextReading[] = [byName, byKind, byAttribute, byEnd]

/** Null where it may be another word for the same. */
function sameText(wanted: string, value: string): boolean | null {
  const [said, own] = [wanted, value].map(contentText) as [string, string]
  if (said === own) return own === '' ? null : true
  return areExclusive(said, own) ? false : null
}

function turned(holds: boolean | null, not: string | undefined): boolean | null {
  return holds === null || not === undefined ? holds : !holds
}

/** "EUR", "P1", "SEV-2": nothing else means the same. */
const isCode = (text: string): boolean => /^[A-Z\d]+(?:[_-][A-Z\d]+)*$/.test(text) && /[A-Z]/.test(text)
