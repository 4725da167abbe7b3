// Prints the summary of an evaluation for a person: a table by type, one by question, then what failed.
import type { FailureReason, RunSummary, TypeSummary } from '../evaluate/summary.ts'
import { painter, plain, type Terminal, tableOf } from './terminal.ts'

const HEADINGS = ['right', 'guessing', 'log-loss', 'Brier', 'looked again']

export function showSummary(summary: RunSummary, look: Pick<Terminal, 'hasColor'>): string {
  const paint = painter(look.hasColor)
  const tables = [...tableBy(['type', 'questions'], summary.types, look), ...tableBy(['question', 'answers'], summary.questions, look)]
  const { rows: all, failed, failures, reasons, graded, ungraded, ungradedReasons, unlabelled } = summary
  const why = Object.entries(failures).map(([code, rowCount]) => `${rowCount} ${plain(code)}`)
  const counts = `${all} rows, ${graded} graded answers${ungraded === 0 ? '' : `, ${ungraded} not graded`}`
  const failing = failed === 0 ? [] : [paint('yellow', `${failed} rows failed: ${why.join(', ')}`), ...reasonLines(reasons)]
  const without = unlabelledLines(unlabelled).map((line) => paint('yellow', line))
  return `${[...tables, counts, ...reasonLines(ungradedReasons), ...without, ...failing].join('\n')}\n`
}

/** None without rows. */
function tableBy(names: readonly string[], summaries: readonly TypeSummary[], look: Pick<Terminal, 'hasColor'>): string[] {
  const number = (value: number | null): string => (value === null ? '' : value.toFixed(3))
  const rows = summaries.map(({ type, count, right, margin, guess, logLoss, brier, deliberated }) => [
    plain(type),
    String(count),
    margin === null ? number(right) : `${number(right)} ± ${number(margin)}`,
    guess === 0 ? '' : number(guess),
    number(logLoss),
    number(brier),
    deliberated === 0 ? '' : `${(deliberated * 100).toFixed(0)} %`,
  ])
  return rows.length === 0 ? [] : [tableOf([[...names, ...HEADINGS], ...rows], look)]
}

/** Says how many rows have no truth; nothing where all have one. */
export function unlabelledLines(rows: number): string[] {
  return rows === 0 ? [] : [`rows without a truth of any question, which teach and measure nothing: ${rows}`]
}

/** A line for each reason: how often, why, and the first row of it. */
export function reasonLines(reasons: readonly FailureReason[]): string[] {
  return reasons.map(({ message, rows, example }) => `  ${rows} × ${plain(message)} (row ${plain(example)})`)
}
