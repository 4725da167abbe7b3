// "Two users are on the free plan", "Imke has two chores", "There are at least three pending orders": a claim about how
// many objects of a list say what it says.
import type { Json } from '../../../core/types.ts'
import { COMPARATORS } from '../compared-numbers.ts'
import { AT, holdsFor, signOf } from '../compared-values.ts'
import { questionText } from '../fields/claim.ts'
import { isOfKey } from '../fields/key-words.ts'
import { numberOf } from '../read-numbers.ts'
import { areAccounted, areKinds, meantBy } from './meant.ts'
import { areSingle, type ObjectList, objectLists } from './objects.ts'
import { wordsWithDays } from './said-texts.ts'
import { kindsOf } from './value-index.ts'

const NUMBER = '(?<number>\\d{1,3}|\\p{L}+)'
const COMPARING = [...COMPARATORS.map(([words, signs]) => [`(?:${words}) `, signs] as const), ['(?:(?:only|just|exactly) )?', AT] as const]
const FORMS = COMPARING.flatMap(([comparing, signs]) =>
  [
    `(?:there (?:is|are|was|were) )?${comparing}${NUMBER} (?!(?:is|are|was|were|of|from|in|at|on)\\b)(?<what>.+)`,
    `(?<owner>.+?) (?:has|have|had|placed|ordered|got) ${comparing}${NUMBER} (?<what>\\p{L}+)`,
  ].map((source) => ({ pattern: new RegExp(`^${source}$`, 'iu'), signs })),
)

/** A word for several things, or for people. */
const SEVERAL = /^(?:\p{L}+s|people|persons|men|women|children)\b/iu
const DENIES = /\b(?:not|never|no)\b/i

/** Null where the claim counts something else, or says more than the fields of the objects account for. */
export function countedClaim(claim: string, values: readonly Json[]): boolean | null {
  const lists = objectLists(values)
  if (lists.length === 0) return null
  const text = questionText(claim)
  if (DENIES.test(text)) return null
  const found = FORMS.flatMap(({ pattern, signs }) => {
    const { number = '', what = '', owner = '' } = pattern.exec(text)?.groups ?? {}
    const limit = numberOf(number)
    const possible = lists.filter(({ objects }) => limit !== null && limit <= objects.length && areSingle(objects))
    const counts = possible.map((list) => countIn(list, owner, what)).filter((count) => count !== null)
    return counts.length === 1 ? [holdsFor(signs, [signOf((counts[0] as number) - (limit as number))])] : []
  })
  return new Set(found).size === 1 ? (found[0] ?? null) : null
}

function countIn(list: ObjectList, owner: string, what: string): number | null {
  const isOwned = owner !== ''
  // What they are called comes first: "users are on the free plan".
  const words = wordsWithDays(what)
  const [called = ''] = words
  const meant = meantBy(isOwned ? wordsWithDays(owner) : words, list)
  // "Two customers have pending orders" counts no orders.
  const isKey = !kindsOf(list).includes(called) && Object.keys(list.objects[0] ?? {}).some((key) => isOfKey(called, key))
  const isCalled = !isOwned && meant.rest[0] === called && SEVERAL.test(what) && !isKey
  const left = isCalled ? meant.rest.slice(1) : meant.rest
  if (meant.said.length === 0 || !areKinds(meant.said) || !areAccounted(left, meant.said)) return null
  return isOwned && !kindsOf(list).includes(called) ? null : meant.places.length
}
