// Several things of a kind: "All checks passed." of { checks: { lint: "passed", test: "failed" } }, "No item is
// returned.", "At least two rooms are free." of lists of objects.
import type { Json } from '../../../core/types.ts'
import { COMPARATORS } from '../compared-numbers.ts'
import { ABOVE, AT, BELOW, holdsFor, type Signs, signOf } from '../compared-values.ts'
import { type ClaimReading, isNamed } from '../fields/claim.ts'
import { contentOf, isScalar, type JsonField, plain } from '../fields/json-fields.ts'
import { numberOf } from '../read-numbers.ts'
import { meantBy, placesDescribed } from './meant.ts'
import { isListed, listsNamed, type ObjectList, objectLists } from './objects.ts'
import { type Holds, heldOf } from './said-of-objects.ts'
import { wordsWithDays } from './said-texts.ts'

/** More things than are looked at one by one. */
const MOST_THINGS = 200

const WHAT = '(?:of )?(?:the )?(?<what>\\p{L}+(?: \\p{L}+)??)'
const SAYS = ` ${WHAT} (?<says>(?:(?:is|are|was|were|has|have) )?(?:not )?(?:been )?.+)$`
/** How so many right ones stand to what is claimed: to none, to all, or to a number that is said. */
const HOW_MANY: readonly { readonly words: string; readonly to: 'none' | 'all' | 'half' | 'number'; readonly signs: Signs }[] = [
  { words: 'more than half|over half|most', to: 'half', signs: ABOVE },
  { words: 'less than half|fewer than half|under half', to: 'half', signs: BELOW },
  { words: 'exactly half|half', to: 'half', signs: AT },
  { words: 'all|every|each', to: 'all', signs: AT },
  { words: 'not all|not every', to: 'all', signs: BELOW },
  { words: 'any|some', to: 'none', signs: ABOVE },
  { words: 'no|none', to: 'none', signs: AT },
  { words: '(?:only|just) (?<number>\\d+|\\p{L}+)', to: 'number', signs: AT },
  ...COMPARATORS.map(([words, signs]) => ({ words: `(?:${words}) (?<number>\\d+|\\p{L}+)`, to: 'number' as const, signs })),
]
const FORMS = HOW_MANY.map((form) => ({ ...form, pattern: new RegExp(`^(?:${form.words})${SAYS}`, 'iu') }))
/** More words say which of them are meant. */
const OF_SOME = HOW_MANY.map((form) => ({
  ...form,
  pattern: new RegExp(
    `^(?:${form.words}) (?:of )?(?:the )?(?<what>\\p{L}+(?:[ -][\\p{L}\\d]+){1,4}?) (?<says>(?:is|are|was|were|has|have|had|costs?|takes?|took|needs?) .+)$`,
    'iu',
  ),
}))

/** Null where the claim is not about several things, or `holds` does not know of each of them whether it is so. */
export function byEach(holds: Holds): ClaimReading {
  return (claim) => {
    const forms = formsOf(claim.text, FORMS)
    if (forms.length === 0) return null
    return (field) => {
      const form = forms.find(({ words }) => isNamed(words, field, claim))
      return form === undefined ? null : standsTo(form, heldOfEach(form.what, form.says, field, holds))
    }
  }
}

/** The same of lists that are no fields: that are the state, or stand in other lists. */
export function eachListed(claim: string, values: readonly Json[], holds: Holds): boolean | null {
  const forms = formsOf(claim, FORMS)
  if (forms.length === 0) return null
  const [form, list] = forms.flatMap((form) => listsNamed(form.words, values).map((list) => [form, list] as const))[0] ?? []
  return form === undefined || list === undefined ? null : standsTo(form, heldOf(form.what, form.says, list, holds))
}

/** "All positive samples are swabs": the same of those objects that words mean by what their fields say. */
export function eachMeant(claim: string, values: readonly Json[], holds: Holds): boolean | null {
  const found = formsOf(claim, OF_SOME).flatMap((form) =>
    objectLists(values).map((list) => standsTo(form, heldOfMeant(form.what, form.says, list, holds))),
  )
  const known = found.filter((isSo) => isSo !== null)
  return new Set(known).size === 1 ? (known[0] as boolean) : null
}

/**
 * "positive samples", "are swabs": of each object that words mean whether it is so; null where they mean none plainly.
 * @param mostLeft words that may be left over
 */
export function heldOfMeant(what: string, says: string, list: ObjectList, holds: Holds, mostLeft = 0): readonly boolean[] | null {
  const { rest } = meantBy(wordsWithDays(what), list)
  // A word that is left over says what they are, and stands last: "login attempts".
  const isOfKind = rest.length === 0 || rest[0] === contentOf(what).at(-1)
  const places = isOfKind ? placesDescribed(what, list, mostLeft) : null
  const held = places && heldOf('one', says, list, holds)
  return held && places.map((place) => held[place] as boolean)
}

interface EachForm {
  readonly to: 'none' | 'all' | 'half' | 'number'
  readonly signs: Signs
  readonly number: number | null
  readonly what: string
  readonly words: readonly string[]
  readonly says: string
}

function formsOf(text: string, forms: typeof FORMS): EachForm[] {
  return forms.flatMap(({ pattern, ...form }) => {
    const { what, says = '', number = '' } = pattern.exec(text)?.groups ?? {}
    return what === undefined ? [] : [{ ...form, what, says, number: numberOf(number), words: contentOf(what) }]
  })
}

function standsTo({ to, signs, number }: EachForm, held: readonly boolean[] | null): boolean | null {
  if (held === null) return null
  const limits = { number, all: held.length, half: held.length / 2, none: 0 }
  const limit = limits[to]
  return limit === null ? null : holdsFor(signs, [signOf(held.filter((isSo) => isSo).length - limit)])
}

/** "bills", "are open": of each thing in a field whether it is so; null where that is not known of all. */
export function heldOfEach(what: string, says: string, { value }: JsonField, holds: Holds): readonly boolean[] | null {
  if (value === null || typeof value !== 'object' || Object.keys(value).length > MOST_THINGS) return null
  const things = Object.entries(value)
  if (things.length === 0) return null
  if (Array.isArray(value)) return value.every(isListed) ? heldOf(what, says, { objects: value, calls: null }, holds) : null
  if (!things.every(([, one]) => isScalar(one))) return null
  const [objects, calls] = [things.map(([key, one]) => ({ [key]: one })), things.map(([key]) => plain(key))]
  return heldOf(what, says, { objects, calls }, holds)
}
