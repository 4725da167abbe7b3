// Prints the summary of an evaluation for a person: a table by type, then what failed.
import type { FailureReason, RunSummary } from '../evaluate/summary.ts'
import { painter, plain, type Terminal, tableOf } from './terminal.ts'

const HEADINGS = ['type', 'questions', 'right', 'guessing', 'log-loss', 'Brier', 'looked again']

export function showSummary(summary: RunSummary, look: Pick<Terminal, 'hasColor'>): string {
  const paint = painter(look.hasColor)
  const number = (value: number | null, digits: number): string => (value === null ? '' : value.toFixed(digits))
  const rows = summary.types.map(({ type, count, right, margin, guess, logLoss, brier, deliberated }) => [
    plain(type),
    String(count),
    `${number(right, 3)} ± ${number(margin, 3)}`,
    guess === 0 ? '' : number(guess, 3),
    number(logLoss, 3),
    number(brier, 3),
    deliberated === 0 ? '' : `${(deliberated * 100).toFixed(0)} %`,
  ])
  const table = rows.length === 0 ? [] : [tableOf([HEADINGS, ...rows], look)]
  const { rows: all, failed, failures, reasons, graded, ungraded, ungradedReasons, unlabelled } = summary
  const why = Object.entries(failures).map(([code, rowCount]) => `${rowCount} ${plain(code)}`)
  const counts = `${all} rows, ${graded} graded answers${ungraded === 0 ? '' : `, ${ungraded} not graded`}`
  const failing = failed === 0 ? [] : [paint('yellow', `${failed} rows failed: ${why.join(', ')}`), ...reasonLines(reasons)]
  const without = unlabelledLines(unlabelled).map((line) => paint('yellow', line))
  return `${[...table, counts, ...reasonLines(ungradedReasons), ...without, ...failing].join('\n')}\n`
}

/** Says how many rows have no truth; nothing where all have one. */
export function unlabelledLines(rows: number): string[] {
  return rows === 0 ? [] : [`rows without a truth of any question, which teach and measure nothing: ${rows}`]
}

/** A line for each reason: how often, why, and the first row of it. */
export function reasonLines(reasons: readonly FailureReason[]): string[] {
  return reasons.map(({ message, rows, example }) => `  ${rows} × ${plain(message)} (row ${plain(example)})`)
}
