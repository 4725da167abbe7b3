// A claim that compares one value of the state with a value of its own ("The total is more than 50 EUR", "The invoice
// is due before 1 April"). Which value of the state that is can be asked by itself ("The total is how many EUR?");
// comparing is arithmetic.

import { comparedDate } from './compared-dates.ts'
import { comparedNumber } from './compared-numbers.ts'
import type { Comparison } from './compared-values.ts'

/** Null where a claim compares nothing, or not plainly one number or day of the state. */
export function comparisonOf(claim: string): Comparison | null {
  return comparedNumber(claim) ?? comparedDate(claim)
}
