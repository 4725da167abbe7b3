// "What is Faro's status?", "When is R-310 due?", "How many seats does Lab 2 have?": a question for the value of one
// field, of an object that it calls by what its fields say, or of the state.
import { dateOf } from '../../../core/dates-as-written.ts'
import type { Json } from '../../../core/types.ts'
import { isAbout, questionText, readClaim } from '../fields/claim.ts'
import { contentOf, contentText, fieldsIn, isScalar, type JsonField, plain, wordSet, wordsOf } from '../fields/json-fields.ts'
import { isOfKey, keyNamed } from '../fields/key-words.ts'
import { meantBy, PREPOSITIONS } from './meant.ts'
import { objectLists } from './objects.ts'
import { wordsWithDays } from './said-texts.ts'
import { nameKeysOf } from './value-index.ts'

/** Words that ask, and say nothing of what for. */
const ASKING = wordSet(
  'what which who whom whose when where how many much long old please give tell me show state get got used set given stated shown listed',
)
const ASKS = /^(?:what|which|who|whom|whose|when|where|how)\b/i
/** What a question for somebody, a time or a place may be answered by, where it says no more of it. */
const BY_ASKING: ReadonlyMap<string, string> = new Map(Object.entries({ who: 'who', whose: 'who', when: 'date', where: 'where' }))
const SUBJECT = /\b(?:the|this) (\p{L}+) (?=\p{L}+\b)|\b(?:the|this) (\p{L}+)['’]s\b|\bof (?:the|this) (\p{L}+)$/giu

const HAPPENED = /^what happened (?:to|with) /iu
const IS_IT = / (?:of \p{L}+ )?(?:is|was) (?:it|this|that)$/iu
/** What the thing does with what is counted says no more: "How many rows did import-prices process?" */
const DID = /^(how (?:many|much) .+? (?:did|does) .+) \p{L}+$/iu

/** The value that a question asks for; undefined where the fields do not surely say it. */
export function valueAsked(question: string, values: readonly Json[]): Json | undefined {
  const text = questionText(question).replace(HAPPENED, 'what status of ').replace(IS_IT, '').replace(DID, '$1')
  if (text === '') return undefined
  const named = [...ofListed(text, values), ...ofState(text, values)]
  const found = named.length > 0 ? named : ofKey(text, values)
  const [value] = found
  const isFitting = value !== undefined && found.every((other) => plain(String(other)) === plain(String(value))) && fits(text, value)
  return isFitting ? value : undefined
}

function ofListed(text: string, values: readonly Json[]): Json[] {
  const [asked = '', ...others] = wordsWithDays(text)
  const words = ASKS.test(text) ? others : [asked, ...others]
  return objectLists(values).flatMap((list) => {
    const { places, said, rest } = meantBy(words, list)
    const object = places.length === 1 ? list.objects[places[0] as number] : undefined
    if (object === undefined || said.length === 0) return []
    // "How many tests failed?" may ask for `failed_tests`, whatever else has failed.
    if (said.some(({ text }) => Object.keys(object).some((key) => text.split(' ').every((word) => isOfKey(word, key))))) return []
    const own = new Set(Object.keys(object).flatMap(wordsOf))
    const left = rest.filter((word) => !ASKING.has(word) || own.has(word))
    const [named] = nameKeysOf(list)
    // What it is called is asked for by name alone.
    const keys = Object.keys(object).filter((one) => left.length > 0 || one !== named)
    const key = keyNamed(left.length === 0 ? [BY_ASKING.get(asked) ?? ''] : left, keys)
    const value = key === null ? undefined : object[key]
    return key === null || value === undefined || said.some(({ keys }) => keys.includes(key)) || !isScalar(value) ? [] : [value]
  })
}

/** UTF-16 units of what a field says, and no text in it. */
const LONGEST_VALUE = 80

/** Of the fields that are not in lists. */
function ofState(text: string, values: readonly Json[]): Json[] {
  const state = fieldsIn(values)
  const content = contentOf(text).filter((word) => (!ASKING.has(word) && !PREPOSITIONS.has(word)) || state.known.has(word))
  const subjects = Array.from(text.matchAll(SUBJECT), ([, of, whose, last]) => wordsOf((of ?? whose ?? last) as string)[0] as string)
  // Where a text says more, somebody in it may be meant.
  const isAlone = state.fields.every(({ value }) => typeof value !== 'string' || value.length <= LONGEST_VALUE)
  const claim = { ...readClaim(text, state), subjects: isAlone ? subjects : null }
  const named = state.fields.filter((field) => isScalar(field.value) && isNamedBy(content, field, claim))
  const deepest = Math.max(...named.map((field) => saidOf(content, field)))
  const found = named.filter((field) => saidOf(content, field) === deepest)
  return found.length === 1 ? [(found[0] as JsonField).value] : []
}

/** "Which branch was built?", "Which plan is the customer on?" */
const FOR_KEY =
  /^(?:(?:on|in|at|for|by|to|from|with|under) )?(?:which|what) (?<key>\p{L}+(?: \p{L}+){0,2}?) (?:is|was|are|were|does|do|did|has|have|had|\p{L}+s|\p{L}+ed)\b(?<rest>.*)$/iu
/** What is wanted may be another thing than what the field says is. */
const IS_WANTED = /\b(?:wants?|wanted|asks?|asked|needs?|needed|should|prefers?|preferred|requests?|requested|before|next|no longer|not)\b/i

/** Of the only field, in no list, that is called just what a question asks for, whatever it does. */
function ofKey(text: string, values: readonly Json[]): Json[] {
  const { key = '', rest = '' } = FOR_KEY.exec(text)?.groups ?? {}
  const words = contentText(key)
  if (words === '' || IS_WANTED.test(rest)) return []
  const [field, another] = fieldsIn(values).fields.filter(({ name, value }) => isScalar(value) && name.join(' ') === words)
  const isOfListed = objectLists(values).some(({ objects }) => Object.keys(objects[0] ?? {}).some((own) => plain(own) === words))
  return field === undefined || another !== undefined || isOfListed ? [] : [field.value]
}

/** How many words say where a field stands. */
const saidOf = (words: readonly string[], { around }: JsonField): number => words.filter((word) => around.has(word)).length

/** Whether words are its key and what it is about. */
function isNamedBy(words: readonly string[], field: JsonField, claim: Parameters<typeof isAbout>[2]): boolean {
  const others = words.filter((word) => !field.name.includes(word))
  const about = others.filter((word) => isAbout([word], field, claim))
  const key = words.filter((word) => !about.includes(word))
  return keyNamed(key, [field.key]) !== null
}

/** Whether a value is of the kind that is asked for: a time, a number, a name. */
function fits(text: string, value: Json): boolean {
  if (value === null) return true
  if (/^(?:when|(?:(?:at|on|by|until) )?(?:what|which) (?:time|day|date|hour))\b/i.test(text))
    return typeof value === 'string' && /\d|day\b|morning|noon|night/i.test(value)
  if (/^how (?:many|much)\b/i.test(text)) return typeof value === 'number' || /\d/.test(String(value))
  if (/^who(?:m|se)?\b/i.test(text)) return typeof value === 'string' && /\p{L}{2}/u.test(value)
  if (/\b(?:number|code|id)\b/i.test(text)) return typeof value !== 'string' || dateOf(value) === null
  return true
}
