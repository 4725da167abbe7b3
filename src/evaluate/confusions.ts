// Which option of a choice is taken for which, where the options are few enough to be looked at.
import { groupBy } from '../core/group-by.ts'
import { nearestCandidate } from '../questions/shared/truth.ts'
import type { GradedQuestion } from './graded-question.ts'
import type { RowResult } from './run.ts'

/** One option that was answered where another was true. */
export interface Confusion {
  readonly question: string
  readonly truth: string
  readonly said: string
  readonly count: number
  /** Answers to the question of which this option was true. */
  readonly of: number
}

/** Options of a choice whose confusions are told, over all rows. */
const MOST_OPTIONS = 12
const MOST_OF_A_QUESTION = 5
const MOST_CONFUSIONS = 20

interface Chosen {
  readonly said: string
  readonly truth: string
}

/** The commonest first; of one question at most five. */
export function confusionsOf(rows: readonly RowResult[]): Confusion[] {
  const choices = rows.flatMap(({ questions }) => questions.filter(({ type }) => type === 'choice'))
  return [...groupBy(choices, ({ id }) => id)]
    .flatMap(([question, answers]) => confusionsIn(answers).map((confusion) => ({ question, ...confusion })))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MOST_CONFUSIONS)
}

/** By its name, also where the truth was written as a number, or as true or false. */
function trueOption({ truth, distribution }: GradedQuestion): string | undefined {
  return typeof truth === 'string' ? truth : distribution?.names[nearestCandidate(distribution.truth[0]!)]
}

function confusionsIn(answers: readonly GradedQuestion[]): Omit<Confusion, 'question'>[] {
  const chosen = answers.flatMap((answer): Chosen[] => {
    const [said, truth] = [answer.said, trueOption(answer)]
    return typeof said === 'string' && truth !== undefined ? [{ said, truth }] : []
  })
  const options = new Set([
    ...chosen.flatMap(({ said, truth }) => [said, truth]),
    ...answers.flatMap(({ distribution }) => distribution?.names ?? []),
  ])
  if (options.size > MOST_OPTIONS) return []
  return [...groupBy(chosen, ({ truth }) => truth)]
    .flatMap(([truth, group]) =>
      [...groupBy(group, ({ said }) => said)].map(([said, same]) => ({ truth, said, count: same.length, of: group.length })),
    )
    .filter(({ truth, said }) => truth !== said)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MOST_OF_A_QUESTION)
}
