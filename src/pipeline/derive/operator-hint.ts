// What to write in an expression in place of the operators of programming languages, and of texts where numbers belong.
import { PLAIN_DAY } from '../../core/expression-values.ts'

/** Operators of programming languages, and what stands for them here. */
const FOREIGN: readonly (readonly [pattern: RegExp, written: string, here: string])[] = [
  [/&&/, '&&', 'and'],
  [/\|\|/, '||', 'or'],
  [/===/, '===', '=='],
  [/!==/, '!==', '!='],
  [/<>/, '<>', '!='],
  [/!(?!=)/, '!', 'not'],
]

/** Says what to write for operators that are none here; nothing where there is none outside of texts. */
export function operatorHint(text: string): string {
  const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""')
  const hints = FOREIGN.flatMap(([pattern, written, here]) => (pattern.test(bare) ? [`${here} for ${written}`] : []))
  return hints.length === 0 ? '' : `; write ${hints.join(', ')}`
}

/** What "<" and the like compare. */
export function whatIsOrdered(operator: string): string {
  return `"${operator}" compares numbers, and days such as "2026-03-25", which a fill of kind date writes; other texts can be compared with == and != only`
}

/** What to write in place of a text that is no number: "59.90 EUR". */
export function numberHint(text: string): string {
  if (PLAIN_DAY.test(text)) return '; a day can be compared with a day, and not be calculated with'
  return /\d/.test(text) ? '; a fill of kind number gives one' : ''
}
