// Which states a calibration was fitted on, as a sketch of their hashes: so that it is noticed when a calibration is
// measured on what it was fitted on, where it looks better than it is.
import { createHash } from 'node:crypto'
import type { FittedOn } from '../calibration.ts'
import type { Evidence } from '../evidence/evidence.ts'

/** How many hashes a sketch keeps at most. */
export const MOST_STATES = 1024

/** 8 hex digits a state: the smallest hashes, in rising order, so that other evidence can be compared with them. */
export function sketchStates(evidence: readonly Evidence[]): string[] {
  return hashesOf(evidence).slice(0, MOST_STATES)
}

/** The sketch of two lots of evidence together, from the sketch of each. */
export function mergeSketches(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set([...one, ...other])].sort().slice(0, MOST_STATES)
}

/**
 * The share of the evidence's states that were fitted on, estimated from the sketch. Calibrations without a sketch are
 * older: they count as fitted on all of it when they were fitted on just as many decisions of each of its tasks.
 */
export function fittedShare({ sketch, tasks }: FittedOn, evidence: readonly Evidence[]): number {
  if (sketch === undefined) {
    const counts = new Map<string, number>()
    for (const { task } of evidence) counts.set(task, (counts.get(task) ?? 0) + 1)
    return [...counts].every(([task, count]) => tasks[task] === count) ? 1 : 0
  }
  // A full sketch says nothing of hashes above its last.
  const last = sketch.length < MOST_STATES ? null : sketch.at(-1)!
  const comparable = hashesOf(evidence).filter((hash) => last === null || hash <= last)
  const known = new Set(sketch)
  return comparable.length === 0 ? 0 : comparable.filter((hash) => known.has(hash)).length / comparable.length
}

function hashesOf(evidence: readonly Evidence[]): string[] {
  const states = new Set(evidence.map(({ state }) => state))
  return [...states].map((state) => createHash('sha256').update(state).digest('hex').slice(0, 8)).sort()
}
