// Compares two runs over the same rows, question by question. Every difference is paired.

import { pairedDifference } from '../calibration/metrics/resampling.ts'
import { groupBy } from '../core/group-by.ts'
import type { Estimate, Resampling } from './numbers.ts'
import type { ScoredAnswer } from './scored-answers.ts'

/** This run minus the other, so below 0 is better; of `accuracy`, above 0. */
export interface RunDifference {
  readonly name: string
  readonly distributions: number
  readonly logLoss: Estimate
  readonly brier: Estimate
  readonly accuracy: Estimate
}

export interface BaselineNumbers {
  /** Distributions that only one run has, or whose truths differ. They are left out. */
  readonly unmatched: number
  /** Null when the runs have nothing in common. */
  readonly all: RunDifference | null
  readonly tasks: readonly RunDifference[]
}

interface AnswerPair {
  readonly one: ScoredAnswer
  readonly other: ScoredAnswer
}

export function changeFrom(baseline: readonly ScoredAnswer[], answers: readonly ScoredAnswer[], resampling: Resampling): BaselineNumbers {
  const others = new Map(baseline.map((one) => [one.key, one]))
  const pairs = answers.flatMap((one): AnswerPair[] => {
    const other = others.get(one.key)
    if (other === undefined || JSON.stringify(other.question.truth) !== JSON.stringify(one.question.truth)) return []
    // Several runs may hold a row of this name; one of them is compared.
    others.delete(one.key)
    return [{ one, other }]
  })
  const tasks = [...groupBy(pairs, ({ one }) => one.task)].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    unmatched: answers.length + baseline.length - 2 * pairs.length,
    all: pairs.length === 0 ? null : changeOf('all', pairs, resampling),
    tasks: tasks.map(([name, group]) => changeOf(name, group, resampling)),
  }
}

function changeOf(name: string, pairs: readonly AnswerPair[], resampling: Resampling): RunDifference {
  const groups = pairs.map(({ one }) => one.state)
  const weights = pairs.map(({ one }) => one.weight)
  const difference = (of: (answer: ScoredAnswer) => number): Estimate => {
    const [a, b] = [pairs.map(({ one }) => of(one)), pairs.map(({ other }) => of(other))]
    const { mean, interval } = pairedDifference(a, b, groups, { ...resampling, weights })
    return { value: mean, interval }
  }
  return {
    name,
    distributions: pairs.length,
    logLoss: difference(({ scores }) => scores.answered.logLoss),
    brier: difference(({ scores }) => scores.answered.brier),
    accuracy: difference(({ isRight }) => Number(isRight)),
  }
}
