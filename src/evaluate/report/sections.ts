// The sections of a report's page: each is a heading, a line on how to read it, and a table or charts.
import { groupBy } from '../../core/group-by.ts'
import type { BaselineNumbers, RunDifference } from '../baseline.ts'
import { LIMITS } from '../limits.ts'
import type { Evaluation, GroupNumbers, ScoreNumbers } from '../numbers.ts'
import type { RowResult } from '../run.ts'
import { failuresOf, ungradedOf } from '../summary.ts'
import { type Content, type Markup, markup } from './markup.ts'
import { between, count, fixed, milliseconds, percent, signed, verdict, withInterval, withMargin } from './words.ts'

export function headline({ all, deliberation, latency, reads, summary }: Evaluation): Markup {
  const tile = (name: string, value: string, ...notes: readonly Content[]): Markup =>
    markup`<div class="tile"><span class="name">${name}</span><b>${value}</b>${notes.map((note) => markup`<span>${note}</span>`)}</div>`
  const tiles: Markup[] = []
  if (all !== null) {
    const { logLoss, brier, calibrationError: error, accuracy, auroc, risk } = all
    const { uncalibrated, baseRate, uniform } = logLoss.against
    tiles.push(
      tile(
        'Log-loss (nats)',
        fixed(logLoss.value),
        `uncalibrated ${fixed(uncalibrated.value)}, base rate ${fixed(baseRate.value)}, uniform ${fixed(uniform.value)}`,
      ),
      tile('Brier skill', percent(brier.against.baseRate.skill), `over the base rate; Brier score ${fixed(brier.value)}`),
      tile(
        'Calibration error above noise',
        signed(error.excess),
        `95 % interval ${between(error.interval)}`,
        `smooth ECE ${fixed(error.value)}, noise alone ${fixed(error.nullMean)}, p = ${fixed(error.nullP)}`,
      ),
      tile('Accuracy', percent(accuracy.value), `95 % interval ${percent(accuracy.interval[0])} to ${percent(accuracy.interval[1])}`),
      tile('AUROC of being right', fixed(auroc), 'whether confidence ranks right answers first; 0.5 is chance'),
      tile('Errors among the surest 80 %', percent(risk.at80), `${percent(risk.all)} among all`),
    )
  }
  const readCount = reads.reduce((sum, read) => sum + read.count, 0)
  if (readCount > 0) {
    const right = reads.reduce((sum, read) => sum + read.right * read.count, 0) / readCount
    tiles.push(tile('Reads that are right', percent(right), `${count(readCount)} values and boxes that were read`))
  }
  tiles.push(tile('Looked at again', percent(deliberation.share), `${count(deliberation.decisions)} decisions deliberated`))
  if (latency !== null)
    tiles.push(
      tile(
        'Latency of a row',
        milliseconds(latency.p50),
        `median; 95th percentile ${milliseconds(latency.p95)}`,
        `${fixed(latency.questionsPerRow, 1)} graded questions a row`,
      ),
    )
  if (summary.failed > 0) tiles.push(tile('Rows that failed', count(summary.failed), `of ${count(summary.rows)}`))
  return markup`<div class="tiles">${tiles}</div>`
}

export function yardsticks({ logLoss, brier }: ScoreNumbers): Markup {
  const names = { uncalibrated: 'the model uncalibrated', baseRate: 'base rate', uniform: 'uniform guess' } as const
  const rows = (Object.keys(names) as (keyof typeof names)[]).map((name) => {
    const [l, b] = [logLoss.against[name], brier.against[name]]
    return markup`<tr><td>${names[name]}</td><td>${fixed(l.value)}</td><td>${percent(l.skill)}</td><td class="${verdict(l.difference, true)}">${withInterval(l.difference)}</td>
<td>${fixed(b.value)}</td><td>${percent(b.skill)}</td><td class="${verdict(b.difference, true)}">${withInterval(b.difference)}</td></tr>`
  })
  return section(
    'Against yardsticks',
    `Log-loss ${fixed(logLoss.value)}, Brier score ${fixed(brier.value)}. Skill is the share of a yardstick’s loss that is saved; differences are this run less
the yardstick, below zero is better. The base rate of a question is how often each candidate was true of other states.`,
    table(['', 'log-loss', 'skill', 'difference (95 %)', 'Brier', 'skill', 'difference (95 %)'], rows),
  )
}

const GROUP_HEADINGS = [
  'decisions',
  'accuracy',
  'log-loss',
  'uncalibrated',
  'base rate',
  'Brier skill',
  'calibration error above noise',
  'AUROC',
  'errors at 80 %',
]

function groupRow(group: GroupNumbers): Markup {
  const { name, decisions, accuracy, logLoss, brier, calibrationError, auroc, risk } = group
  const { uncalibrated, baseRate } = logLoss.against
  return markup`<tr><td class="data">${name}</td><td>${count(decisions)}</td><td>${percent(accuracy.value)}</td>
<td class="${verdict(uncalibrated.difference, true)}">${fixed(logLoss.value)}</td><td>${fixed(uncalibrated.value)}</td><td>${fixed(baseRate.value)}</td>
<td>${percent(brier.against.baseRate.skill)}</td><td>${signed(calibrationError.excess)} (${between(calibrationError.interval)})</td><td>${fixed(auroc, 2)}</td><td>${percent(risk.at80)}</td></tr>`
}

export function types({ types: groups }: Evaluation): Markup | null {
  if (groups.length === 0) return null
  return section(
    'By type of question',
    'Log-loss in green or red: surely better or worse than uncalibrated.',
    table(['type', ...GROUP_HEADINGS], groups.map(groupRow)),
  )
}

export function questions({ summary }: Evaluation): Markup | null {
  if (summary.questions.length === 0) return null
  const rows = summary.questions.map(
    ({ type: name, count: of, right, margin, guess, logLoss, brier }) =>
      markup`<tr><td>${name}</td><td>${count(of)}</td><td>${withMargin(right, margin)}</td><td>${percent(guess)}</td><td>${fixed(logLoss)}</td><td>${fixed(brier)}</td></tr>`,
  )
  return section(
    'By question',
    'By its id, over all rows that ask it.',
    table(['question', 'answers', 'right', 'guessing', 'log-loss', 'Brier'], rows),
  )
}

export function limits({ limits: groups }: Evaluation): Markup | null {
  if (groups.length === 0) return null
  const rows = groups.map(({ name, count: of, limits: cells }) => {
    const shown = cells.map(({ share, right }) => markup`<td>${percent(share, 0)} · ${percent(right)}</td>`)
    return markup`<tr><td class="data">${name}</td><td>${count(of)}</td>${shown}</tr>`
  })
  return section(
    'Where a limit would lie',
    'Of the answers with at least this confidence: which share of all they are · how many of them are right. The confidence of a noul is that of its likelier side.',
    table(['question', 'answers', ...LIMITS.map((limit) => `from ${limit}`)], rows),
  )
}

export function confusions({ confusions: found }: Evaluation): Markup | null {
  if (found.length === 0) return null
  const rows = found.map(
    ({ question, truth, said, count: times, of }) =>
      markup`<tr><td class="data">${question}</td><td class="data">${truth}</td><td class="data">${said}</td><td>${count(times)}</td><td>${percent(times / of)}</td></tr>`,
  )
  return section(
    'Taken for another',
    'Options of choices with at most twelve, the commonest first, at most five of a question.',
    table(['question', 'true', 'answered', 'times', 'of those'], rows),
  )
}

export function tasks({ tasks: groups, macro }: Evaluation): Markup | null {
  if (groups.length === 0) return null
  const better = groups.filter(({ logLoss }) => logLoss.against.uncalibrated.difference.value <= 1e-5).length
  const means =
    macro === null
      ? ''
      : `Each task counting once: accuracy ${percent(macro.accuracy)}, log-loss ${fixed(macro.logLoss)} (uncalibrated ${fixed(macro.uncalibratedLogLoss)}), median Brier skill ${percent(macro.medianBrierSkill)}. `
  return section(
    'By task',
    `${means}Log-loss is not above the uncalibrated one in ${better} of ${groups.length} tasks.`,
    table(['task', ...GROUP_HEADINGS], groups.map(groupRow)),
  )
}

export function reads({ reads: groups }: Evaluation): Markup | null {
  if (groups.length === 0) return null
  const rows = groups.map(
    ({ name, count: of, right, margin, auroc, overlap }) =>
      markup`<tr><td>${name}</td><td>${count(of)}</td><td>${withMargin(right, margin)}</td><td>${fixed(auroc, 2)}</td><td>${fixed(overlap, 2)}</td></tr>`,
  )
  return section(
    'Reads',
    'Values that were written or quoted, and boxes (right from half of the area in common). The confidence of boxes is the model’s own, not calibrated; AUROC says whether confidence ranks right ones first.',
    table(['type', 'answers', 'right', 'AUROC', 'mean overlap'], rows),
  )
}

export function deliberation({ deliberation: again, calibrations }: Evaluation): Markup {
  const rows = Object.entries(calibrations).map(([name, of]) => markup`<tr><td>${name}</td><td>${count(of)}</td></tr>`)
  const gain =
    again.rightBefore === null
      ? 'No decision was looked at again.'
      : `${percent(again.share)} of decisions were looked at again (${count(again.decisions)}). Of them the leading candidate was right in ${percent(again.rightBefore)} after one pass and in ${percent(again.rightAfter)} after all passes, both uncalibrated.`
  return section('Deliberation and calibration', gain, table(['calibration applied, and where its labels came from', 'answers'], rows))
}

export function baseline({ unmatched, all, tasks: groups }: BaselineNumbers, name: string): Markup {
  const row = (change: RunDifference): Markup => markup`<tr><td class="data">${change.name}</td><td>${count(change.distributions)}</td>
<td class="${verdict(change.logLoss, true)}">${withInterval(change.logLoss)}</td><td class="${verdict(change.brier, true)}">${withInterval(change.brier)}</td>
<td class="${verdict(change.accuracy, false)}">${withInterval(change.accuracy)}</td></tr>`
  return section(
    'Against the other run',
    `This run less ${name}, paired over the same rows; ${count(unmatched)} distributions without a partner are left out. For log-loss and Brier score below zero is better.`,
    all === null
      ? markup`<p class="note">The runs have no row in common.</p>`
      : table(['', 'distributions', 'log-loss (95 %)', 'Brier (95 %)', 'accuracy (95 %)'], [all, ...groups].map(row)),
  )
}

/** Failures with the same text count together; the first twenty kinds are shown. */
export function failures(rows: readonly RowResult[]): Markup | null {
  const [failed, ungraded] = [failuresOf(rows), ungradedOf(rows)]
  if (failed.length + ungraded.length === 0) return null
  const kinds = [...groupBy([...failed, ...ungraded], ({ code, message }) => `${code} ${message.replace(/\d+/g, '0')}`).values()]
  const shown = kinds
    .toSorted((a, b) => b.length - a.length)
    .slice(0, 20)
    .map((kind) => {
      const { id, code, message } = kind[0]!
      return markup`<tr><td class="data">${id}</td><td>${count(kind.length)}</td><td class="words">${code}</td><td class="words data">${message}</td></tr>`
    })
  return section(
    'What is missing',
    `Rows that failed: ${count(failed.length)}. Truths that were not graded: ${count(ungraded.length)}. They are in none of the numbers above.`,
    table(['for example', 'times', 'why', 'in words'], shown),
  )
}

export function section(title: string, words: string, content: Content): Markup {
  return markup`<section><h2>${title}</h2><p class="soft">${words}</p>${content}</section>`
}

export function table(headings: readonly string[], rows: readonly Markup[]): Markup {
  const cells = headings.map((heading) =>
    heading === 'why' || heading === 'in words' ? markup`<th class="words">${heading}</th>` : markup`<th>${heading}</th>`,
  )
  return markup`<div class="scroll"><table><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table></div>`
}
