// A statement that is put together from others, and how likely it is when these are.

/** How many of its parts (`of`) hold: from `least` to `most`. "Not A" is none of one. */
export interface Group {
  readonly least: number
  readonly most: number
  readonly of: readonly Formula[]
}

/** A claim in its own words, or a group of formulas. */
export type Formula = string | Group

/** More than this many claims would take too many cases. */
export const MOST_CLAIMS = 10

export const not = (formula: Formula): Formula => ({ least: 0, most: 0, of: [formula] })
export const allOf = (of: readonly Formula[]): Formula => ({ least: of.length, most: of.length, of })
export const anyOf = (of: readonly Formula[]): Formula => ({ least: 1, most: of.length, of })

/** The claims of a formula, each once. */
export function claimsOf(formula: Formula): string[] {
  return typeof formula === 'string' ? [formula] : [...new Set(formula.of.flatMap(claimsOf))]
}

/** How many groups are inside each other. */
export function depthOf(formula: Formula): number {
  return typeof formula === 'string' ? 0 : 1 + Math.max(0, ...formula.of.map(depthOf))
}

/**
 * The probability that a formula holds, by the probabilities of its claims: the sum over all cases of what is true and
 * what is not. A claim that stands in it twice is one; different claims are taken to be independent, which keeps every
 * law of probability whatever they are. Between 0 and 1 for at most `MOST_CLAIMS` claims.
 */
export function probabilityOf(formula: Formula, probabilities: ReadonlyMap<string, number>): number {
  const claims = claimsOf(formula)
  let sum = 0
  for (let cases = 0; cases < 2 ** claims.length; cases++) {
    const isTrue = new Map(claims.map((claim, i) => [claim, ((cases >> i) & 1) === 1]))
    if (!holds(formula, isTrue)) continue
    sum += claims.reduce((product, claim) => {
      const probability = probabilities.get(claim) as number
      return product * (isTrue.get(claim) ? probability : 1 - probability)
    }, 1)
  }
  return Math.min(1, sum)
}

function holds(formula: Formula, isTrue: ReadonlyMap<string, boolean>): boolean {
  if (typeof formula === 'string') return isTrue.get(formula) as boolean
  const count = formula.of.filter((one) => holds(one, isTrue)).length
  return count >= formula.least && count <= formula.most
}
