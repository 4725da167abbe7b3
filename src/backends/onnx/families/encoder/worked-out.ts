// Numbers that a text does not hold, but that two or three of its numbers come to: "14 minus 7". Which of them answers,
// or one that stands there, is a choice that the model was trained on. Training lists the same
// (models/service-1-pro/training/text/sums.py).
import { logSoftmax, mean } from '../../../../core/math.ts'
import { likeliestOf } from './written-values.ts'

/** The option that says that nothing is to be worked out. */
export const STANDS = 'a number that stands in the text'
/** The share that a sum needs to answer, and how many times that of `STANDS`: with less, more is spoiled than found. */
const [LEAST_SHARE, LEAST_TIMES] = [0.3, Math.E]
/** Significant digits of an answer: what is behind them is rounding. */
const DIGITS = 12
/** With fewer there is nothing to work out, with more too much. */
const [FEWEST_NUMBERS, MOST_NUMBERS] = [2, 5]

/** How a number is worked out, in words, and what it comes to. */
export type Sums = ReadonlyMap<string, number>

/** What pairs and triples of the numbers come to, these in the order of the text; null where that isn't asked. */
export function sumsOf(numbers: readonly number[]): Sums | null {
  const different = [...new Set(numbers)]
  if (different.length < FEWEST_NUMBERS || different.length > MOST_NUMBERS) return null
  const sums = new Map<string, number>()
  different.forEach((a, i) => {
    different.slice(i + 1).forEach((b, j) => {
      addPair(sums, a, b)
      for (const c of different.slice(i + j + 2)) addTriple(sums, a, b, c)
    })
  })
  return sums
}

/**
 * The likeliest number that is worked out, ways to the same sharing their chances; null where it is not likely enough
 * beside one that stands in the text. `looks`: log-probabilities of `STANDS` and of each sum, by look.
 */
export function likeliestSum(
  sums: Sums,
  looks: readonly (readonly number[])[],
  kind: 'int' | 'number',
): { readonly text: string; readonly logProbability: number } | null {
  const pooled = logSoftmax(looks[0]!.map((_, i) => mean(looks.map((look) => look[i]!))))
  const found = [...sums.values()].flatMap((value, i): [string, number][] =>
    kind === 'number' || Number.isInteger(value) ? [[String(Number(value.toPrecision(DIGITS))), Math.exp(pooled[1 + i]!)]] : [],
  )
  const best = likeliestOf(found)
  if (best === undefined || best[1] < Math.max(LEAST_SHARE, LEAST_TIMES * Math.exp(pooled[0]!))) return null
  return { text: best[0], logProbability: Math.min(0, Math.log(best[1])) }
}

function addPair(sums: Map<string, number>, a: number, b: number): void {
  const [high, low] = [Math.max(a, b), Math.min(a, b)]
  sums.set(`${shown(a)} plus ${shown(b)}`, a + b)
  sums.set(`${shown(high)} minus ${shown(low)}`, high - low)
  sums.set(`${shown(a)} times ${shown(b)}`, a * b)
  if (low !== 0) sums.set(`${shown(high)} divided by ${shown(low)}`, high / low)
}

function addTriple(sums: Map<string, number>, a: number, b: number, c: number): void {
  const [first, second, third] = [shown(a), shown(b), shown(c)]
  sums.set(`${first} plus ${second} plus ${third}`, a + b + c)
  sums.set(`${first} minus ${second} plus ${third}`, a - b + c)
  sums.set(`${first} plus ${second} minus ${third}`, a + b - c)
  sums.set(`${first} minus ${second} minus ${third}`, a - b - c)
  sums.set(`${first} times ${second}, plus ${third}`, a * b + c)
  sums.set(`${first} times ${second}, minus ${third}`, a * b - c)
  sums.set(`${second} times ${third}, plus ${first}`, b * c + a)
  sums.set(`${first} minus ${second} times ${third}`, a - b * c)
}

function shown(number: number): string {
  return Number.isInteger(number) ? String(number) : number.toFixed(6).replace(/0+$/, '')
}
