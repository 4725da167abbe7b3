// Several things of a kind: "All checks passed." of { checks: { lint: "passed", test: "failed" } }, "No item is
// returned.", "At least two rooms are free." of lists of objects.
import type { Json } from '../../../core/types.ts'
import { COMPARATORS } from '../compared-numbers.ts'
import { ABOVE, AT, BELOW, holdsFor, type Signs, signOf } from '../compared-values.ts'
import { type ClaimReading, isNamed } from '../fields/claim.ts'
import { contentOf, isScalar, type JsonField, wordsOf } from '../fields/json-fields.ts'
import { numberOf } from '../read-numbers.ts'
import { isListed, listsNamed } from './objects.ts'
import { type Holds, heldOf } from './said-of-objects.ts'

/** More things than are looked at one by one. */
const MOST_THINGS = 200

const WHAT = '(?:of )?(?:the )?(?<what>\\p{L}+(?: \\p{L}+)??)'
const SAYS = ` ${WHAT} (?<says>(?:(?:is|are|was|were|has|have) )?(?:not )?(?:been )?.+)$`
/** How so many right ones stand to what is claimed: to none, to all, or to a number that is said. */
const FORMS: readonly { readonly pattern: RegExp; readonly to: 'none' | 'all' | 'half' | 'number'; readonly signs: Signs }[] = [
  { pattern: form('more than half|over half|most'), to: 'half', signs: ABOVE },
  { pattern: form('less than half|fewer than half|under half'), to: 'half', signs: BELOW },
  { pattern: form('exactly half|half'), to: 'half', signs: AT },
  { pattern: form('all|every|each'), to: 'all', signs: AT },
  { pattern: form('not all|not every'), to: 'all', signs: BELOW },
  { pattern: form('any|some'), to: 'none', signs: ABOVE },
  { pattern: form('no|none'), to: 'none', signs: AT },
  { pattern: form('(?:only|just) (?<number>\\d+|\\p{L}+)'), to: 'number', signs: AT },
  ...COMPARATORS.map(([words, signs]) => ({ pattern: form(`(?:${words}) (?<number>\\d+|\\p{L}+)`), to: 'number' as const, signs })),
]

function form(words: string): RegExp {
  return new RegExp(`^(?:${words})${SAYS}`, 'iu')
}

/** Null where the claim is not about several things, or `holds` does not know of each of them whether it is so. */
export function byEach(holds: Holds): ClaimReading {
  return (claim) => {
    const forms = formsOf(claim.text)
    if (forms.length === 0) return null
    return (field) => {
      const form = forms.find(({ words }) => isNamed(words, field, claim))
      return form === undefined ? null : standsTo(form, heldOfEach(form.what, form.says, field, holds))
    }
  }
}

/** The same of lists that are no fields: that are the state, or stand in other lists. */
export function eachListed(claim: string, values: readonly Json[], holds: Holds): boolean | null {
  const forms = formsOf(claim)
  if (forms.length === 0) return null
  const [form, list] = forms.flatMap((form) => listsNamed(form.words, values).map((list) => [form, list] as const))[0] ?? []
  return form === undefined || list === undefined ? null : standsTo(form, heldOf(form.what, form.says, list, holds))
}

interface EachForm {
  readonly to: 'none' | 'all' | 'half' | 'number'
  readonly signs: Signs
  readonly number: number | null
  readonly what: string
  readonly words: readonly string[]
  readonly says: string
}

function formsOf(text: string): EachForm[] {
  return FORMS.flatMap(({ pattern, ...form }) => {
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
  const [objects, calls] = [things.map(([key, one]) => ({ [key]: one })), things.map(([key]) => wordsOf(key).join(' '))]
  return heldOf(what, says, { objects, calls }, holds)
}
