// A claim that compares one value of the state with a value of its own ("The total is more than 50 EUR", "The invoice
// is due before 1 April"). Which value of the state that is can be asked by itself ("The total is how many EUR?");
// comparing is arithmetic.

import { comparedDate } from './compared-dates.ts'
import { comparedNumber } from './compared-numbers.ts'
import type { Comparison } from './compared-values.ts'
import { restated } from './restated.ts'

/** UTF-16 units of a claim that is looked at: what is longer does not plainly compare one value. */
const LONGEST_CLAIM = 300

/** Null where a claim compares nothing, or not plainly one number or day of the state. */
export function comparisonOf(claim: string): Comparison | null {
  if (claim.length > LONGEST_CLAIM) return null
  const parts = restated(claim.trim()).map((part) => comparedNumber(part) ?? comparedDate(part))
  const [first] = parts
  if (first == null || !parts.every((part) => part?.asked === first.asked && part.format === first.format)) return null
  return { ...first, holds: (value) => allHold(parts.map((part) => part?.holds(value) ?? null)) }
}

/** Null where it depends on what is not known. */
function allHold(results: readonly (boolean | null)[]): boolean | null {
  return results.includes(false) ? false : results.includes(null) ? null : true
}
