// Several things of a kind: "All checks passed." of { checks: { lint: "passed", test: "failed" } }, "No item is
// returned.", "At least two rooms are free." of lists of objects.
import type { Json } from '../../../core/types.ts'
import { COMPARATORS } from '../compared-numbers.ts'
import { ABOVE, AT, BELOW, holdsFor, type Signs, signOf } from '../compared-values.ts'
import { numberOf } from '../read-numbers.ts'
import { type ClaimReading, isNamed } from './claim.ts'
import { contentOf, fieldsIn, isScalar, type JsonField, wordsOf } from './json-fields.ts'

/** More things than are looked at one by one. */
const MOST_THINGS = 200

const WHAT = '(?:of )?(?:the )?(?<what>\\p{L}+(?: \\p{L}+)??)'
const SAYS = ` ${WHAT} (?<says>(?:(?:is|are|was|were|has|have) )?(?:not )?(?:been )?.+)$`
/** How so many right ones stand to what is claimed: to none, to all, or to a number that is said. */
const FORMS: readonly { readonly pattern: RegExp; readonly to: 'none' | 'all' | 'number'; readonly signs: Signs }[] = [
  { pattern: form('all|every|each'), to: 'all', signs: AT },
  { pattern: form('not all|not every'), to: 'all', signs: BELOW },
  { pattern: form('any|some'), to: 'none', signs: ABOVE },
  { pattern: form('no|none'), to: 'none', signs: AT },
  ...COMPARATORS.map(([words, signs]) => ({ pattern: form(`(?:${words}) (?<number>\\d+|\\p{L}+)`), to: 'number' as const, signs })),
]

function form(words: string): RegExp {
  return new RegExp(`^(?:${words})${SAYS}`, 'iu')
}

/** Null where the claim is not about several things, or `holds` does not know of each of them whether it is so. */
export function byEach(holds: (claim: string, values: readonly Json[]) => boolean | null): ClaimReading {
  return (claim) => {
    const forms = FORMS.flatMap(({ pattern, ...form }) => {
      const { what, says = '', number = '' } = pattern.exec(claim.text)?.groups ?? {}
      return what === undefined ? [] : [{ ...form, what, says, number: numberOf(number), words: contentOf(what) }]
    })
    if (forms.length === 0) return null
    return (field) => {
      const form = forms.find(({ words }) => isNamed(words, field, claim))
      const things = form === undefined ? null : thingsOf(field)
      if (form === undefined || things === null) return null
      const limit = form.to === 'number' ? form.number : form.to === 'all' ? things.length : 0
      if (limit === null) return null
      const found = things.map(({ called, value }) => holds(`The ${called ?? form.what} ${form.says}.`, [value]))
      if (found.includes(null)) return null
      return holdsFor(form.signs, [signOf(found.filter((isSo) => isSo).length - limit)])
    }
  }
}

interface Thing {
  /** The words of its key; null for one of a list. */
  readonly called: string | null
  readonly value: Json
}

function thingsOf({ value }: JsonField): readonly Thing[] | null {
  if (value === null || typeof value !== 'object') return null
  const found: Thing[] = Array.isArray(value)
    ? value.filter((one) => !isScalar(one) && !Array.isArray(one)).map((one) => ({ called: null, value: one }))
    : Object.entries(value)
        .filter(([, one]) => isScalar(one))
        .map(([key, one]) => ({ called: wordsOf(key).join(' '), value: { [key]: one } }))
  const all = Array.isArray(value) ? value.length : Object.keys(value).length
  if (found.length !== all || all === 0 || all > MOST_THINGS) return null
  // As many fields as a state may have that is looked at.
  return fieldsIn(found.map((thing) => thing.value)).fields.length > 0 ? found : null
}
