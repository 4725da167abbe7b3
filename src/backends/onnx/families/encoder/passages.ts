// The text of a state to passages: stretches of word pieces, cut at ends of lines, then at ends of sentences, then
// anywhere. Each is encoded by itself, so a state that grows at its end keeps all passages but the last.
// Training cuts the same (models/service-1-pro/training/text/states.py).
import type { PiecedText } from './word-pieces.ts'

/** A stretch of the pieces of a state: from `from` to before `to`. */
export interface Passage {
  readonly from: number
  readonly to: number
}

/** How good a cut before a piece is. */
const NOWHERE = 0
const SENTENCE_END = 1
const LINE_END = 2

const ENDS = /\n+|(?<=[.!?])\s+/g

/** Passages of at most `most` pieces, at least one; a text without pieces has one empty passage. */
export function passagesOf(text: string, { ids, starts }: Pick<PiecedText, 'ids' | 'starts'>, most: number): Passage[] {
  if (ids.length <= most) return [{ from: 0, to: ids.length }]
  const cuts = cutsOf(text, starts)
  const passages: Passage[] = []
  let from = 0
  while (from < ids.length) {
    let to = Math.min(ids.length, from + most)
    if (to < ids.length) {
      let best = to
      for (let at = to; at >= from + Math.floor(most / 3); at--) if ((cuts[at] as number) > (cuts[best] as number)) best = at
      to = best
    }
    passages.push({ from, to })
    from = to
  }
  return passages
}

/** [pieces] how good a cut before each piece is. */
function cutsOf(text: string, starts: readonly number[]): Uint8Array {
  const cuts = new Uint8Array(starts.length)
  const ends = Array.from(text.matchAll(ENDS), (found) => ({
    at: found.index + found[0].length,
    rank: found[0].includes('\n') ? LINE_END : SENTENCE_END,
  }))
  let next = 0
  starts.forEach((start, piece) => {
    let best = NOWHERE
    for (; next < ends.length && (ends[next] as { at: number }).at <= start; next++)
      best = Math.max(best, (ends[next] as { rank: number }).rank)
    cuts[piece] = best
  })
  return cuts
}
