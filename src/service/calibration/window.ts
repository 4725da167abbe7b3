// The newest labels, as many as memory and a fit of some seconds allow.
import type { Labelled } from './protocol.ts'

/** Labels that a fit takes, the newest: some ten seconds of a core. */
export const MOST_LABELS = 20_000
/** Labels that all other accounts lend to a fit, the newest of each. */
export const MOST_LENT = 10_000
/** Numbers in them, all log-probabilities and features together: 8 bytes each. */
const MOST_NUMBERS = 20_000_000

export interface LabelWindow {
  add(labels: readonly Labelled[]): void
  /** Oldest first. */
  all(): readonly Labelled[]
  /** How many were added, those that fell out included. */
  readonly added: number
}

export function labelWindow(mostLabels: number = MOST_LABELS, mostNumbers: number = MOST_NUMBERS): LabelWindow {
  let kept: Labelled[] = []
  let first = 0
  let numbers = 0
  let added = 0
  return {
    add(labels) {
      added += labels.length
      for (const label of labels) {
        kept.push(label)
        numbers += numbersOf(label)
        while (kept.length - first > mostLabels || (numbers > mostNumbers && kept.length - first > 1)) {
          numbers -= numbersOf(kept[first]!)
          first++
        }
      }
      // What fell out is let go of now and then, not one by one.
      if (first > mostLabels) {
        kept = kept.slice(first)
        first = 0
      }
    },
    all: () => kept.slice(first),
    get added() {
      return added
    },
  }
}

function numbersOf({ single, deliberated, features }: Labelled): number {
  const count = (rows: Labelled['deliberated']): number => (rows ?? []).reduce((sum, row) => sum + row.length, 0)
  return count(single) + count(deliberated) + (features?.length ?? 0)
}
