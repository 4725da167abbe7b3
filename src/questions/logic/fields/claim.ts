// A claim as its words, and whether they speak of a field of a JSON value and of nothing else.
import { contentOf, isScalar, type JsonField, type JsonFields, wordSet, wordsOf } from './json-fields.ts'
import { saysWhatItIs, spelledOut } from './key-words.ts'

export interface FieldClaim {
  /** Without its last mark. */
  readonly text: string
  /** Its words, but for those that say nothing by themselves, and "not". */
  readonly content: readonly string[]
  readonly isDenied: boolean
  /** The fields of the state. */
  readonly state: JsonFields
  /** What it says it is about: "order" of "The order is paid"; null where only names of fields count. */
  readonly subjects: readonly string[] | null
}

/** What a claim makes of one field; null where the field does not say whether it holds. */
export type FieldReading = (field: JsonField) => boolean | null

/** One way in which claims speak of fields; null where a claim does not. */
export type ClaimReading = (claim: FieldClaim) => FieldReading | null

const DENYING = wordSet('not no never')
const BE_OR_HAVE = '(?:is|are|was|were|has|have|had|does|do|did|needs?|contains?|includes?|holds?|lists?|made|placed|uses?)'
const SUBJECTS = [
  new RegExp(
    `^(?:(?:is|are|was|were|has|have|does|did) )?(?:the|this|an?) (\\p{L}+)(?: ${BE_OR_HAVE}\\b| (?:not )?(?:been )?\\p{L}+$)`,
    'iu',
  ),
  /\b(?:the|this) (\p{L}+)['’]s /iu,
  / of (?:the|this) (\p{L}+)\b/iu,
  /^(he|she|they) /iu,
]

/** What has not happened yet, of which a field hardly speaks: "Some boxes are still to be copied." */
export const IS_AHEAD = /\b(?:to be|still to|yet to|left to) \p{L}+/iu

/** UTF-16 units of a claim or a question that is looked at: what is longer says more than fields do. */
export const LONGEST = 120

/** A question without its last mark; '' where it is longer than is looked at. */
export function questionText(question: string): string {
  if (question.length > LONGEST) return ''
  return plainlySaid(question.trim().replace(/[.?!:]+$/, ''))
}

/** Words that say nothing of a thing that a state does not say by itself: "has already been paid". */
const ADVERBS = /(?<=\S )(?:already|currently|now|yet|still) /gi

/** "isn't" as "is not"; nothing is off that is ticked off. */
function plainlySaid(text: string): string {
  return text
    .replace(/n['’]t\b/g, ' not')
    .replace(/\b(ticked|checked|crossed) off\b/gi, '$1')
    .replace(ADVERBS, '')
    .replace(/\b(?:has|have) had\b/gi, 'had')
}

/** A claim as it is held against the fields of a state. */
export function readClaim(claim: string, state: JsonFields): FieldClaim {
  const text = plainlySaid(claim.trim().replace(/[.?!]+$/, ''))
  const content = contentOf(text)
  const isDenied = content.filter((word) => DENYING.has(word)).length === 1
  // What is denied twice is not plain: "not" stays, and no field has it.
  const plainly = isDenied ? content.filter((word) => !DENYING.has(word)) : content
  return { text, content: plainly, isDenied, state, subjects: null }
}

/** The same, where it may say besides what the object of a field is. */
export function withSubjects(claim: FieldClaim): FieldClaim {
  return { ...claim, subjects: SUBJECTS.flatMap((form) => wordsOf(form.exec(claim.text)?.[1] ?? '')) }
}

/** Whether words of a text's content say no more than what a field is about. */
export function isAbout(words: readonly string[], field: JsonField, claim: FieldClaim): boolean {
  return !isOfInner(words, field) && words.every((word) => field.around.has(word) || isSubject(word, field, claim))
}

/** Whether words name what is around a field, and not the object that it is a field of: the payment of an order. */
function isOfInner(words: readonly string[], { path, around }: JsonField): boolean {
  const own = path.length > 2 ? wordsOf(path.at(-2) as string) : []
  return own.length > 0 && words.some((word) => around.has(word)) && !words.some((word) => own.includes(word))
}

/** Whether words of a text's content name a field, and say no more than what it is about. */
export function isNamed(words: readonly string[], field: JsonField, claim: FieldClaim): boolean {
  const name = field.name.map((word) => (words.includes(word) ? word : spelledOut(word)))
  const others = words.filter((word) => !name.includes(word))
  return name.every((word) => words.includes(word)) && isAbout(others, field, claim)
}

/** Whether a word is what the object of a field is: the state knows no such thing elsewhere. */
function isSubject(word: string, field: JsonField, { subjects, state }: FieldClaim): boolean {
  if (subjects === null) return false
  const others = state.known.get(word) ?? []
  if (state.isSpokenOf(word)) return false
  if (subjects.includes(word) && others.every((other) => isBeside(other, field) && isSomething(other))) return true
  return field.beside.some((other) => other !== field && isIdentity(other) && identityWords(other).includes(word))
}

/** Of the same object, and no object itself. */
const isBeside = (other: JsonField, field: JsonField): boolean => other.beside === field.beside && isScalar(other.value)

const IDENTITY = wordSet('id name number no code key ref reference uuid title user username login sku slug')

/** What says which thing an object is: its first field, or one whose name says so. */
function isIdentity({ key, name, value, beside }: JsonField): boolean {
  const isNamedSo = IDENTITY.has(name.at(-1) ?? '') || key === beside[0]?.key
  return isNamedSo && (typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value)))
}

/** Who has to do with a thing, and has a phone and an address of his own. */
const OF_SOMEBODY = wordSet(
  'manager owner teacher doctor boss lead ceo parent mother father wife husband vet author editor driver seller landlord agent assignee reviewer reporter contact sender',
)

/** What an object has besides, and is itself: a customer, not a coupon that has expired. */
const isSomething = (field: JsonField): boolean =>
  isIdentity(field) ||
  (!OF_SOMEBODY.has(field.name.at(-1) ?? '') &&
    typeof field.value === 'string' &&
    /^\p{Lu}/u.test(field.value) &&
    !saysWhatItIs(field.name))

/** Words of a name, at most: what has more is a text. */
const MOST_OF_A_NAME = 3

/** "order" and "A-17" of { order_id: "A-17" } */
function identityWords({ name, value }: JsonField): readonly string[] {
  const said = wordsOf(String(value))
  return [...name.filter((word, i) => i === 0 || !IDENTITY.has(word)), ...(said.length <= MOST_OF_A_NAME ? said : [])]
}
