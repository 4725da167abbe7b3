// Decisions in one pass against another way of reading them, both calibrated on other states: the gain and its
// interval.

import { uncertaintyOf } from '../../src/calibration/deliberation/gate.ts'
import { type Evidence, samplesOf } from '../../src/calibration/evidence/evidence.ts'
import { fitTrees, foldOf } from '../../src/calibration/fit.ts'
import { calibrateRows } from '../../src/calibration/hierarchy/apply.ts'
import { pairedDifference } from '../../src/calibration/metrics/resampling.ts'
import { crossEntropy } from '../../src/calibration/metrics/scores.ts'
import { argmax } from '../../src/core/math.ts'
import { nearestCandidate } from '../../src/questions/shared/truth.ts'

const FOLDS = [0, 1, 2, 3, 4]
/** Most decisions that may be escalated. */
const SHARE = 0.3

/**
 * Log-losses in nats a decision, cross-fitted by state. `gated`: the mean gain when only the 30 % most uncertain are
 * read again.
 */
export interface Paired {
  readonly count: number
  readonly single: number
  readonly pooled: number
  readonly gain: number
  readonly interval: readonly [number, number]
  readonly rightSingle: number
  readonly rightPooled: number
  readonly gated: number
  readonly gatedInterval: readonly [number, number]
}

/** Of evidence that has both pass modes. */
export function measure(evidence: readonly Evidence[]): Paired {
  const judged = FOLDS.flatMap((fold) => {
    // Each pass mode has maps of its own, fitted alike: a pass that says the same again gains exactly nothing.
    const others = evidence.filter(({ state }) => foldOf(state) !== fold)
    const once = fitTrees(others.map((one) => ({ ...one, deliberated: null })))
    const again = fitTrees(others.map((one) => ({ ...one, single: one.deliberated!, deliberated: null })))
    return evidence
      .filter(({ state }) => foldOf(state) === fold)
      .map((one) => {
        const single = calibrateRows(once, one, 'single', one.single).probabilities
        const pooled = calibrateRows(again, one, 'single', one.deliberated!).probabilities
        const targets = samplesOf(one, 'single').map(({ target }) => target)
        return {
          state: one.state,
          uncertainty: uncertaintyOf(single),
          single: lossOf(single, targets),
          pooled: lossOf(pooled, targets),
          rightSingle: rightOf(single, one.truth),
          rightPooled: rightOf(pooled, one.truth),
        }
      })
  })
  const mean = (of: (one: (typeof judged)[number]) => number): number => judged.reduce((sum, one) => sum + of(one), 0) / judged.length
  const groups = judged.map(({ state }) => state)
  const { mean: gain, interval } = pairedDifference(
    judged.map(({ single }) => single),
    judged.map(({ pooled }) => pooled),
    groups,
    { resamples: 2000, seed: 1 },
  )
  const threshold = judged.map(({ uncertainty }) => uncertainty).sort((x, y) => y - x)[Math.floor(SHARE * judged.length)] ?? 0
  const { mean: gated, interval: gatedInterval } = pairedDifference(
    judged.map(({ single }) => single),
    judged.map(({ uncertainty, single, pooled }) => (uncertainty > threshold ? pooled : single)),
    groups,
    { resamples: 2000, seed: 1 },
  )
  return {
    count: judged.length,
    single: mean((one) => one.single),
    pooled: mean((one) => one.pooled),
    gain,
    interval,
    rightSingle: mean((one) => one.rightSingle),
    rightPooled: mean((one) => one.rightPooled),
    gated,
    gatedInterval,
  }
}

/** Mean over the rows of a decision, in nats. */
function lossOf(probabilities: readonly (readonly number[])[], targets: readonly (readonly number[])[]): number {
  return probabilities.reduce((sum, row, i) => sum + crossEntropy(row, targets[i]!), 0) / probabilities.length
}

function rightOf(probabilities: readonly (readonly number[])[], truth: readonly number[]): number {
  return probabilities.filter((row, i) => argmax(row) === nearestCandidate(truth[i]!)).length / probabilities.length
}

/** The table's head and one line, in Markdown. `labels`: what the line is about. */
export const PAIRED_HEAD =
  '| decisions | log-loss, one pass | with it | gain, 95 % | right, one pass | with it | gain when the 30 % most uncertain are, 95 % |'

export function pairedLine({ count, single, pooled, gain, interval, rightSingle, rightPooled, gated, gatedInterval }: Paired): string {
  const span = (value: number, [low, high]: readonly [number, number]): string =>
    `${value >= 0 ? '+' : ''}${value.toFixed(4)} (${low.toFixed(4)} to ${high.toFixed(4)})`
  const right = `${rightSingle.toFixed(3)} | ${rightPooled.toFixed(3)}`
  return `| ${count} | ${single.toFixed(4)} | ${pooled.toFixed(4)} | ${span(gain, interval)} | ${right} | ${span(gated, gatedInterval)} |`
}
