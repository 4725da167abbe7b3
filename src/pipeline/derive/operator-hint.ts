// What to write in an expression in place of the operators of programming languages.

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
