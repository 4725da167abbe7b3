// What several kinds of question say to an expression (`derive`).
import { ExpressionError } from '../../core/expression-values.ts'
import type { PlainForm } from './checked-question.ts'

/** A number with probabilities behind it. */
export const plainNumber = (is: string): PlainForm => ({ value: 'number', is, texts: null, hasProbabilities: true, isList: false })

/** One of these texts. */
export function plainText(texts: readonly string[], hasProbabilities: boolean): PlainForm {
  return { value: 'text', is: `one of ${hasProbabilities ? 'its options' : 'its values'}, a text`, texts, hasProbabilities, isList: false }
}

export const plainList = (hasProbabilities: boolean): PlainForm => ({
  value: 'none',
  is: 'a list',
  texts: null,
  hasProbabilities,
  isList: true,
})

/** One thing that is read. */
export const PLAIN_READ: PlainForm = { value: 'any', is: 'a read', texts: null, hasProbabilities: false, isList: false }
/** A day that was written, and what was quoted that is no number by itself: an amount with its currency, an address. */
export const PLAIN_DAY_READ: PlainForm = { ...PLAIN_READ, value: 'day', is: 'a day' }
export const plainQuote = (is: string): PlainForm => ({ ...PLAIN_READ, value: 'text', is })
export const PLAIN_BOX: PlainForm = { ...PLAIN_READ, value: 'none', is: 'a box' }

/**
 * `p(id, option)` of an answer with probabilities by name. `key`: what the option is called in them; default: its own
 * name.
 */
export function namedProbability(
  probabilities: Readonly<Record<string, number>>,
  id: string,
  option: string | null,
  key: string | null = option,
): number {
  if (option === null) throw new ExpressionError(`p(${id}, …) needs an option`)
  const name = key ?? option
  const probability = Object.hasOwn(probabilities, name) ? probabilities[name] : undefined
  if (probability === undefined) throw new ExpressionError(`"${id}" has no option "${option}"`)
  return probability
}

/** `p(id, option)` of a read. */
export function noProbability(id: string): never {
  throw new ExpressionError(`"${id}" is a read and has no probabilities; has(${id}) says whether it found something`)
}

/** The plain value of a list. */
export function noPlainValue(id: string): never {
  throw new ExpressionError(`"${id}" is a list; use count(${id}) or has(${id})`)
}
