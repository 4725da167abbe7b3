// Labelled evidence from results, for fitting a calibration. A pure function of the results, so that a resumed run
// loses and repeats nothing.
import { decidedEvidence, type Evidence } from '../calibration/evidence/evidence.ts'
import type { RowResult } from './run.ts'

/**
 * One piece of evidence for each graded distribution, in the order of the data set. Reads without a check, and failed
 * rows, give none.
 */
export function* evidenceOf(rows: Iterable<RowResult>): Generator<Evidence> {
  for (const { task, state, questions } of rows) {
    for (const { distribution, mass } of questions) {
      if (distribution === null) continue
      yield { task, state, ...decidedEvidence({ ...distribution, mass: mass ?? 1 }), truth: distribution.truth }
    }
  }
}
