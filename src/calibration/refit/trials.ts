// Splits labels by state into those that a fit learns from and those that it is judged by.
import { createHash } from 'node:crypto'
import type { Evidence, RecordedEvidence } from '../evidence/evidence.ts'

export type LabelledEvidence = Evidence & Partial<Pick<RecordedEvidence, 'at' | 'features'>>

export interface TrialOptions {
  /** Share of states that are held out; of a refit 0.2 by default. */
  readonly heldOutShare: number
  /**
   * Least held-out decisions for a verdict; of a refit 20 by default. Where one share of the states has fewer, and up
   * to `MOST_IN_TURN` labels, each share is held out in turn.
   */
  readonly leastHeldOut: number
  /**
   * Since when the current calibration is served, in milliseconds. It was not fitted on decisions since then; they are
   * the held-out ones when there are enough.
   */
  readonly servedSince: number | null
}

/** With more labels one share of the states tells enough, and takes a fifth of the time. */
export const MOST_IN_TURN = 500

/** What a fit without some states is judged by. */
export interface Trial {
  /** Decisions on states that the fit did not see. */
  readonly tested: readonly LabelledEvidence[]
  /** Whether the fit must not see a state. */
  readonly isOut: (item: Pick<Evidence, 'state'>) => boolean
}

export interface Trials {
  /** One share of the states where it holds labels enough to judge by, else each in turn; none where all are few. */
  readonly trials: readonly Trial[]
  /** Whether what is served may have been fitted on what it is judged by here. */
  readonly areSeen: boolean
}

export function trialsOf(evidence: readonly LabelledEvidence[], { heldOutShare, leastHeldOut, servedSince }: TrialOptions): Trials {
  const unseen = evidence.filter(({ at }) => servedSince !== null && (at ?? -Infinity) >= servedSince)
  const areSeen = servedSince !== null && unseen.length < leastHeldOut
  const judged = servedSince === null || areSeen ? evidence : unseen
  const trialOf = (part: number): Trial => {
    const isOut = ({ state }: Pick<Evidence, 'state'>): boolean => partOf(state, heldOutShare) === part
    return { tested: judged.filter(isOut), isOut }
  }
  const parts = [...new Set(evidence.map(({ state }) => partOf(state, heldOutShare)))].sort((a, b) => a - b)
  // Nothing is left to fit on where one share holds all.
  if (parts.length < 2 || judged.length < leastHeldOut) return { trials: [], areSeen }
  const first = trialOf(parts[0]!)
  const isOneEnough = evidence.length > MOST_IN_TURN && first.tested.length >= leastHeldOut
  return { trials: isOneEnough ? [first] : parts.map(trialOf).filter(({ tested }) => tested.length > 0), areSeen }
}

/**
 * Which part of all states one belongs to, counted from 0, where a part is `share` of them (the last may be larger). It
 * depends on the state alone, and not on its fold in `fit`, which hashes the state differently.
 */
export function partOf(state: string, share: number): number {
  const place = createHash('sha256').update(`held-out ${state}`).digest().readUInt32BE(0) / 2 ** 32
  return Math.min(Math.floor(place / share), Math.max(1, Math.floor(1 / share) - 1))
}
