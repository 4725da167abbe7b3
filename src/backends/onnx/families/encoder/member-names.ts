// What the names of JSON members say about where an answer stands: a value whose name is like the question is likelier
// than the pointers alone say.
import { mean } from '../../../../core/math.ts'
import { pointerTokens } from '../../../../core/pointer.ts'
import { wordsOfKey } from './row-names.ts'
import type { SourceStretch } from './state-writer.ts'

/**
 * Nats for each unit of cosine between the question and a name: the number that `likeness_scale` of choices begins with
 * in training (model.py).
 */
const NATS_PER_COSINE = 12
/** Nats for a name whose words all stand in the question. */
const NATS_OF_OVERLAP = 4
/** Different names that are compared, at most: each is encoded once and kept. */
const MOST_NAMES = 64

/** The words of the name of the member, or of the head of the column, that a string stands in; null outside of both. */
export function memberName({ head, source: { path } }: SourceStretch): string | null {
  if (head !== null) return head
  const name = pointerTokens(path ?? '').findLast((token) => token !== '' && !/^\d+$/.test(token))
  return name === undefined ? null : wordsOfKey(name)
}

/** The different names of the members that the strings stand in; none where they could not tell anything apart. */
export function namesOf(stretches: readonly SourceStretch[]): string[] {
  const names = new Set(stretches.map(memberName).filter((name) => name !== null))
  return names.size < 2 || names.size > MOST_NAMES ? [] : [...names]
}

/** What a name has in common with the question. */
export interface NameFit {
  readonly name: string
  readonly cosine: number
  /** Share of the name's words that the question has, 0 to 1. */
  readonly overlap: number
}

/** Name -> nats, 0 on average. */
export function namePriors(fits: readonly NameFit[]): Map<string, number> {
  const nats = fits.map(({ cosine, overlap }) => NATS_PER_COSINE * cosine + NATS_OF_OVERLAP * overlap)
  const middle = mean(nats)
  return new Map(fits.map(({ name }, i) => [name, (nats[i] as number) - middle]))
}
