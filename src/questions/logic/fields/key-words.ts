// Which key of an object words mean: "points" of `Pts`, "cost" of `unit_price`, "cpu load" of `cpu_pct`.
import { unitOfName } from '../../../core/units.ts'
import { wordSet, wordsOf } from './json-fields.ts'

/** What says no more than that there is a value, in a key and in words. */
export const OF_ANY = wordSet(
  'date day at on by to time value level load usage count number amount no is pct percent total current of name id',
)
/** What keys are abbreviated to, and what that stands for. */
const SHORT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    acct: 'account',
    addr: 'address',
    amt: 'amount',
    arr: 'arrival',
    avg: 'average',
    batt: 'battery',
    cat: 'category',
    cfg: 'config',
    dep: 'departure',
    dept: 'department',
    desc: 'description',
    dest: 'destination',
    dist: 'distance',
    hum: 'humidity',
    km: 'kilometre',
    lang: 'language',
    loc: 'location',
    max: 'maximum',
    mem: 'memory',
    min: 'minimum',
    mgr: 'manager',
    msg: 'message',
    pct: 'percent',
    pwd: 'password',
    qty: 'quantity',
    ref: 'reference',
    subj: 'subject',
    temp: 'temperature',
    txn: 'transaction',
    vol: 'volume',
  }),
)

/** "quantity" of "qty" in a key. */
export const spelledOut = (word: string): string => SHORT.get(word) ?? word

/** Beside a word for a price, for no other price: a cancellation fee is one. */
export const OF_PRICE = wordSet('unit net gross ticket entry monthly nightly hourly daily list sale base')

const SORTS_OF_PRICE = wordSet('fee rent fare')

/** Words for the same. */
const ALIKE: readonly ReadonlySet<string>[] = [
  'cost price fee amount charge rent fare total',
  'start begin',
  'end finish',
  'point pt pts',
  'status state result outcome',
  'own owner',
  'born birth birthday',
  'age old',
  'weigh weight',
  'take took duration minute second hour latency ms',
  'quantity qty',
  'leave depart departure dep',
  'arrive arrival arr',
  'email mail',
  'phone telephone tel',
  'monday mon',
  'tuesday tue',
  'wednesday wed',
  'thursday thu',
  'friday fri',
  'saturday sat',
  'sunday sun',
  'win won w',
  'draw drawn d',
  'loss lost lose l',
  'mark grade score',
  'person who assignee owner responsible handle',
  'place where location room',
].map(wordSet)

/** The one key that words name, and nothing else; null for none, and where several are meant alike. */
export function keyNamed(words: readonly string[], keys: readonly string[]): string | null {
  const known = new Set(keys.flatMap(wordsOf).flatMap((word) => [word, spelledOut(word)]))
  const said = words.filter((word) => known.has(word) || !OF_ANY.has(word))
  // What is used or free is said by a key of its own, where one has such a word.
  const isOfUse = (key: string) => wordsOf(key).some((word) => OF_USE.has(word))
  const possible = words.some((word) => OF_USE.has(word)) && keys.some(isOfUse) ? keys.filter(isOfUse) : keys
  const graded = possible
    .filter((key) => said.includes('state') || !isOfPlace(key, keys))
    .map((key) => ({ key, grade: gradeOf(said, key) }))
    .filter(({ grade }) => grade > 0)
  const best = Math.max(...graded.map(({ grade }) => grade))
  const [one, another] = graded.filter(({ grade }) => grade === best)
  return one === undefined || another !== undefined ? null : one.key
}

const OF_USE = wordSet('usage used free left')

/** A state beside a city is no result. */
const isOfPlace = (key: string, keys: readonly string[]): boolean =>
  /^state$/i.test(key) && keys.some((one) => /^(?:city|town|street|zip|country|address)$/i.test(one))

/** 3 where words and key are the same, 2 where the key has more that any value has, 1 by other words, 0 for none. */
function gradeOf(said: readonly string[], key: string): number {
  const own = wordsOf(key)
  if (said.length === 0 || own.length === 0) return 0
  // "on call" of `oncall`
  if (said.join('') === own.join('')) return 3
  const matched = own.map((word) => ({ word, by: said.find((one) => isSameWord(one, word)) }))
  if (said.some((one) => !matched.some(({ by }) => by === one))) return gradeByMeaning(said, own)
  const missing = matched.filter(({ by }) => by === undefined).map(({ word }) => word)
  if (missing.length === 0) return 3
  return missing.every((word) => OF_ANY.has(word) || isUnit(word, key)) ? 2 : 0
}

function gradeByMeaning(said: readonly string[], own: readonly string[]): number {
  if (said.length !== 1) return 0
  const word = said[0] as string
  const group = ALIKE.find((words) => words.has(word) || words.has(stemOf(word)))
  const isWhole = own.every((other) => group?.has(other) || OF_ANY.has(other) || OF_PRICE.has(other) || unitOfName(other) !== null)
  const isOther = SORTS_OF_PRICE.has(word) && own.some((one) => one !== word && SORTS_OF_PRICE.has(one))
  return group !== undefined && isWhole && !isOther && own.some((other) => group.has(other)) ? 1 : 0
}

/** Whether a word is one of a key, or of what the key is also called. */
export function isOfKey(word: string, key: string): boolean {
  return wordsOf(key).some((own) => areAlike(own, word))
}

/** Whether words name a key by all that it is called. */
export function areAllOfKey(words: readonly string[], key: string): boolean {
  return wordsOf(key).every((own) => words.some((word) => areAlike(own, word)))
}

const areAlike = (own: string, word: string): boolean => isSameWord(word, own) || ALIKE.some((group) => group.has(own) && group.has(word))

const isUnit = (word: string, key: string): boolean => unitOfName(key) !== null && wordsOf(key).at(-1) === word

function isSameWord(one: string, own: string): boolean {
  return one === own || spelledOut(own) === one || (stemOf(one) === stemOf(own) && stemOf(one).length >= SHORTEST_STEM)
}

/** Letters of what two words have in common. */
const SHORTEST_STEM = 4

/** "scored", "scoring" and "score" have one stem. */
export const stemOf = (word: string): string => word.replace(/(?:ings?|ed|ies?|es|e|y|s)$/, '')

/** Names of fields whose text says what the thing itself is: "The ticket is open" of { status: "open" }. */
const SAYS_WHAT_IT_IS: ReadonlySet<string> = new Set(wordsOf('status state role type kind category condition result outcome phase stage'))

/** What was so, ought to be, or is not. */
const NOT_NOW = new Set(
  wordsOf('desired expected previous prior old former target next planned last requested wanted off cannot not upgrade migrated learning'),
)

/** Whether a key says what is so now. */
export const isOfNow = (name: readonly string[]): boolean => !name.some((word) => NOT_NOW.has(word))

export const saysWhatItIs = (name: readonly string[]): boolean => SAYS_WHAT_IT_IS.has(name.at(-1) ?? '') && isOfNow(name)
