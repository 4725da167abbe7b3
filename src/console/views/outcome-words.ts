// What was true of a decision, in words, and how a list of options says once what is recorded already. It is pure.
import type { DecisionReply } from '../../service/console/replies.ts'

const STATEMENTS: ReadonlySet<DecisionReply['readout']> = new Set(['binary', 'composed', 'compared'])

export type Truth = boolean | string | number | readonly string[]

/** What is recorded of a decision, in words; null when nothing is. */
export function recordedIn(decision: DecisionReply): string | null {
  return decision.truth === null ? null : truthWords(decision, decision.truth)
}

/**
 * Options of which the one that stands for "as it is" has an empty value: the recorded one in its place, or before all
 * others what is recorded but is none of them, or that nothing is. `at`: the place of the recorded one; -1 for none.
 */
export function withRecorded(
  options: readonly (readonly [value: string, label: string])[],
  recorded: string | null,
  at: number,
): (readonly [value: string, label: string])[] {
  const unchanged = ['', recorded === null ? 'not recorded' : `${recorded} (recorded)`] as const
  return at < 0 ? [unchanged, ...options] : options.map((option, i) => (i === at ? unchanged : option))
}

/** A truth as the page says it. */
export function truthWords({ readout, candidates }: DecisionReply, truth: Truth): string {
  if (typeof truth === 'string') return truth
  if (typeof truth === 'object') return truth.length === 0 ? 'none of them' : truth.join(', ')
  if (typeof truth === 'number') {
    return readout === 'ordinal' && Number.isInteger(truth) ? `${truth} · ${candidates[truth] ?? ''}` : truth.toFixed(2)
  }
  return STATEMENTS.has(readout) ? String(truth) : truth ? 'it was right' : 'it was wrong'
}
