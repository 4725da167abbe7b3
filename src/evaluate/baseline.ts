// Two runs over the same rows to what changed: every difference is paired, question by question.
import { pairedDifference } from '../calibration/metrics/resampling.ts'
import type { Decided } from './decided.ts'
import { type Estimate, groupBy, type Resampling } from './numbers.ts'

/** One minus other: below 0 this run costs less. `accuracy`: above 0 this run is right more often. */
export interface Change {
  readonly name: string
  readonly distributions: number
  readonly logLoss: Estimate
  readonly brier: Estimate
  readonly accuracy: Estimate
}

export interface BaselineNumbers {
  /** Distributions that only one of the runs has, or whose truth differs: they are left out. */
  readonly unmatched: number
  /** Null when the runs have nothing in common. */
  readonly all: Change | null
  readonly tasks: readonly Change[]
}

interface Pair {
  readonly one: Decided
  readonly other: Decided
}

export function changeFrom(baseline: readonly Decided[], decided: readonly Decided[], resampling: Resampling): BaselineNumbers {
  const others = new Map(baseline.map((one) => [one.key, one]))
  const pairs = decided.flatMap((one): Pair[] => {
    const other = others.get(one.key)
    return other !== undefined && JSON.stringify(other.question.truth) === JSON.stringify(one.question.truth) ? [{ one, other }] : []
  })
  const tasks = [...groupBy(pairs, ({ one }) => one.task)].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    unmatched: decided.length + baseline.length - 2 * pairs.length,
    all: pairs.length === 0 ? null : changeOf('all', pairs, resampling),
    tasks: tasks.map(([name, group]) => changeOf(name, group, resampling)),
  }
}

function changeOf(name: string, pairs: readonly Pair[], resampling: Resampling): Change {
  const groups = pairs.map(({ one }) => one.state)
  const weights = pairs.map(({ one }) => one.weight)
  const difference = (of: (decided: Decided) => number): Estimate => {
    const [a, b] = [pairs.map(({ one }) => of(one)), pairs.map(({ other }) => of(other))]
    const { mean, interval } = pairedDifference(a, b, groups, { ...resampling, weights })
    return { value: mean, interval }
  }
  return {
    name,
    distributions: pairs.length,
    logLoss: difference(({ costs }) => costs.answered.logLoss),
    brier: difference(({ costs }) => costs.answered.brier),
    accuracy: difference(({ isRight }) => Number(isRight)),
  }
}
