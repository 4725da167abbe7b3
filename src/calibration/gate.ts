// When a decision is worth deliberating: its calibrated single-pass distribution is too flat, or the model said something else than the candidates.

/** Chosen from evidence for one read-out. */
export interface Gate {
  /** Deliberate above this normalised entropy of the calibrated single-pass distribution; 1: never for entropy. */
  readonly threshold: number
  /** Share of decisions above it in the evidence. */
  readonly share: number
  /** `gain`: the least share that keeps half of what deliberation gains. `share`: the stated share. `never`: deliberating did not help. */
  readonly rule: 'gain' | 'share' | 'never'
  /** Decisions it was chosen from. */
  readonly decisions: number
}

/** Below this probability on all candidates together the model meant something else. */
export const LEAST_MASS = 0.5

/** Entropy over the logarithm of the number of candidates: 0 sure, 1 no idea. One candidate leaves nothing to be unsure of. */
export function normalisedEntropy(probabilities: readonly number[]): number {
  if (probabilities.length < 2) return 0
  let nats = 0
  for (const p of probabilities) if (p > 0) nats -= p * Math.log(p)
  return Math.min(1, Math.max(0, nats / Math.log(probabilities.length)))
}

/** How unsure a decision is: the most unsure of its rows. */
export function uncertaintyOf(rows: readonly (readonly number[])[]): number {
  return rows.reduce((most, row) => Math.max(most, normalisedEntropy(row)), 0)
}
