// "What is Faro's status?", "When is R-310 due?", "How many seats does Lab 2 have?": a question for the value of one
// field, of an object that it calls by what its fields say, or of the state.
import { dateOf } from '../../../core/dates-as-written.ts'
import type { Json } from '../../../core/types.ts'
import { unitOfName } from '../../../core/units.ts'
import { isAbout, questionText, readClaim } from '../fields/claim.ts'
import { contentOf, contentText, fieldsIn, isCount, isScalar, type JsonField, plain, wordSet, wordsOf } from '../fields/json-fields.ts'
import { isOfKey, keyNamed } from '../fields/key-words.ts'
import { readValueOf } from '../read-numbers.ts'
import { minutesOf } from '../times-of-day.ts'
import { meantBy, PREPOSITIONS } from './meant.ts'
import { areSingle, objectLists } from './objects.ts'
import { isDay, wordsWithDays } from './said-texts.ts'
import { nameKeysOf } from './value-index.ts'

/** Words that ask, and say nothing of what for. */
const ASKING = wordSet(
  'what which who whom whose when where how many much long please give tell me show state get got set stated shown listed',
)
const ASKS = /^(?:what|which|who|whom|whose|when|where|how)\b/i
/** What a question for somebody, a time or a place may be answered by, where it says no more of it. */
const BY_ASKING: ReadonlyMap<string, string> = new Map(Object.entries({ who: 'who', whose: 'who', when: 'date', where: 'where' }))
const SUBJECT = /\b(?:the|this) (\p{L}+) (?=\p{L}+\b)|\b(?:the|this) (\p{L}+)['’]s\b|\bof (?:the|this) (\p{L}+)$/giu

const IS_BARE = /^(?:what|which|who) (?:is|was|are|were) (?:the|this) \p{L}+ \p{L}+(?: \p{L}+)?$/iu
/** What one, or all of several, cost: a line of several says one of both. */
const OF_PRICE_OF_SOME = /\b(?:prices?|costs?|total|altogether|each|apiece|single|one|per|an?)\b/i
/** Of a value that there is one of; a key may have the word, and mean another. */
const ADJECTIVE = /(?<=\bthe )(overall|exact|current|final) /i
const HAPPENED = /^what happened (?:to|with) /iu
const IS_IT = / (?:of \p{L}+ )?(?:is|was) (?:it|this|that)$/iu
/** That the thing has what is counted says no more: "How many seats does Lab 2 have?" */
const DID =
  /^(how (?:many|much) .+? (?:did|does) .+) (have|has|contain|include|hold|list|show|offer|get|cost|weigh|process|make|take|stay|last)$/iu

/** The value that a question asks for; undefined where the fields do not surely say it. */
export function valueAsked(question: string, values: readonly Json[]): Json | undefined {
  const whole = questionText(question)
  const known = keyWordsOf(values)
  // How many were taken is said by `taken`, where there is such a key.
  const verb = DID.exec(whole)?.[2]?.toLowerCase().replace(/e$/, '')
  if (verb !== undefined && known.some((word) => word.startsWith(verb) && word !== verb)) return undefined
  const text = whole
    .replace(ADJECTIVE, (said) => (known.includes(said.trim().toLowerCase()) ? said : ''))
    .replace(HAPPENED, 'what status of ')
    .replace(IS_IT, '')
    .replace(DID, '$1')
  if (text === '') return undefined
  const named = [...ofListed(text, values), ...ofState(text, values)]
  const found = named.length > 0 ? named : ofKey(text, values)
  const [value] = found
  const isFitting = value !== undefined && found.every((other) => plain(String(other)) === plain(String(value))) && fits(text, value)
  return isFitting ? value : undefined
}

/** The words of the keys of the state and of the objects in it. */
function keyWordsOf(values: readonly Json[]): readonly string[] {
  const listed = objectLists(values).flatMap(({ objects }) => Object.keys(objects[0] ?? {}))
  return [...fieldsIn(values).known.keys(), ...listed.flatMap(wordsOf)]
}

function ofListed(text: string, values: readonly Json[]): Json[] {
  const [asked = '', ...others] = wordsWithDays(text)
  const words = ASKS.test(text) ? others : [asked, ...others]
  return objectLists(values).flatMap((list) => {
    const { places, said, rest } = meantBy(words, list)
    const object = places.length === 1 ? list.objects[places[0] as number] : undefined
    if (object === undefined || said.length === 0 || (OF_PRICE_OF_SOME.test(text) && !areSingle([object]))) return []
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

const SAYS_HOW_MANY = wordSet('count number num qty quantity total')
const HOW_MANY = /^(?:how many|(?:the )?number of)\b/i

const OF_PLACE = wordSet(
  'where place location room city town address country office site region street warehouse hall building shelf bin dock gate position',
)

/** Whether a question may ask for the number of a field: for how many of several, not for that of the thing itself. */
function isAsked(text: string, { key, value, beside }: JsonField): boolean {
  if (HOW_MANY.test(text)) return isOfSeveral(key, value)
  if (/^how (?:much|long|old|far)\b/i.test(text) && key === beside[0]?.key && beside.length > 1) return false
  // "Where is the laptop?" does not ask which it is.
  if (/^where\b/i.test(text) && !wordsOf(key).some((word) => OF_PLACE.has(word))) return false
  const fields = Object.fromEntries(beside.map((one) => [one.key, one.value]))
  return !(OF_PRICE_OF_SOME.test(text) && /price|cost/i.test(key) && !areSingle([fields]))
}

/** Whether a number says how many there are: of "seats", not of a "seat". */
const isOfSeveral = (key: string, value: Json): boolean =>
  typeof value !== 'number' || isCount(key) || unitOfName(key) !== null || wordsOf(key).some((word) => SAYS_HOW_MANY.has(word))

/** UTF-16 units of what a field says, and no text in it. */
const LONGEST_VALUE = 80

/** Of the fields that are not in lists. */
function ofState(text: string, values: readonly Json[]): Json[] {
  const state = fieldsIn(values)
  const content = contentOf(text).filter((word) => (!ASKING.has(word) && !PREPOSITIONS.has(word)) || state.known.has(word))
  // "the billing address" is another one than the address.
  const forms = Array.from(text.matchAll(SUBJECT)).filter(([, of]) => of === undefined || !IS_BARE.test(text))
  const subjects = forms.map(([, of, whose, last]) => wordsOf((of ?? whose ?? last) as string)[0] as string)
  // Where a text says more, somebody in it may be meant.
  const isAlone = state.fields.every(({ value }) => typeof value !== 'string' || value.length <= LONGEST_VALUE)
  const claim = { ...readClaim(text, state), subjects: isAlone ? subjects : null }
  const named = state.fields.filter((field) => isScalar(field.value) && isNamedBy(content, field, claim))
  const deepest = Math.max(...named.map((field) => saidOf(content, field)))
  const found = named.filter((field) => saidOf(content, field) === deepest && isAsked(text, field))
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
  if (words === '' || IS_WANTED.test(rest) || !saysNoMore(rest, values)) return []
  const [field, another] = fieldsIn(values).fields.filter(({ name, value }) => isScalar(value) && name.join(' ') === words)
  const isOfListed = objectLists(values).some(({ objects }) => Object.keys(objects[0] ?? {}).some((own) => plain(own) === words))
  return field === undefined || another !== undefined || isOfListed ? [] : [field.value]
}

/** Verbs of what a thing has, or is on: "Which branch was built?" */
const HAVING = wordSet(
  'chosen selected have run running live work called use used configured ordered tested billed affected on in at made built do play',
)

/** Whether what is asked of a key says no more than that there is one. */
function saysNoMore(rest: string, values: readonly Json[]): boolean {
  const { known } = fieldsIn(values)
  return contentOf(rest).every((word) => known.has(word) || ASKING.has(word) || PREPOSITIONS.has(word) || HAVING.has(word))
}

/** How many words say where a field stands. */
const saidOf = (words: readonly string[], { around }: JsonField): number => words.filter((word) => around.has(word)).length

/** Whether words are its key and what it is about. */
function isNamedBy(words: readonly string[], field: JsonField, claim: Parameters<typeof isAbout>[2]): boolean {
  const others = words.filter((word) => !field.name.includes(word))
  const about = others.filter((word) => isAbout([word], field, claim))
  const key = words.filter((word) => !about.includes(word))
  const keys = field.beside.map((one) => one.key)
  return keyNamed(key, keys) === field.key
}

/** "Who was it bought for?", "Where was she born?" of a day, "Who has paid?": what is asked for is another thing. */
const OF_SOMETHING_ELSE =
  /^who\b.* (?:by|for|from|to|of)$|^who (?:has|had|did|gets|gave) |^where\b.* born\b|^what (?:is|was|are|were) .* (?:for|about|from|with)$/i
const NOBODY = /^(?:not?|none|nobody|nothing|open|tb[acd]|pending|unassigned|anyone|yes)\b/i
const saysNobody = (value: string): boolean => NOBODY.test(value.trim())

/** Whether a value is of the kind that is asked for: a time, a number, a name. */
function fits(text: string, value: Json): boolean {
  if (OF_SOMETHING_ELSE.test(text)) return false
  if (value === null) return true
  const written = String(value)
  if (/^where\b/i.test(text)) return typeof value === 'string' && /\p{L}{2}/u.test(value) && !isDay(value)
  if (/^how (?:old|far|tall|heavy)\b/i.test(text) && !/\d/.test(written)) return false
  if (/^how long\b/i.test(text) && (!/\d/.test(written) || minutesOf(value) !== null || isDay(written))) return false
  if (/^(?:what|which) percent/i.test(text) && typeof value !== 'number' && !/%/.test(written)) return false
  if (/^(?:when|(?:(?:at|on|by|until) )?(?:what|which) (?:time|day|date|hour))\b/i.test(text))
    return typeof value === 'string' && /\d|day\b|morning|noon|night/i.test(value)
  if (/^how much\b/i.test(text)) return readValueOf(value) !== null
  if (/^how many\b/i.test(text)) return typeof value === 'number' || /\d/.test(written)
  if (/^who(?:m|se)?\b/i.test(text)) return typeof value === 'string' && /\p{L}{2}/u.test(value) && !isDay(value) && !saysNobody(value)
  if (/\b(?:number|code|id)\b/i.test(text)) return typeof value !== 'string' || dateOf(value) === null
  return true
}
