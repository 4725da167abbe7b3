// Findings as Markdown: what was aimed at, what was timed, and what is behind it.
import { type Metric, meets } from './metrics.ts'
import { nameOf, type Report } from './report.ts'
import type { Series } from './timing.ts'

const MARKS = { true: 'met', false: 'missed', null: '' } as const

export function reportText(report: Report): string {
  const { environment: at, settings, sections } = report
  const metrics = sections.flatMap((section) => section.metrics)
  return [
    '# Speed',
    '',
    `${at.cpu}, ${at.cores} cores (${at.instructions.join(', ')}), Node ${at.node}, onnxruntime ${at.onnxruntime}, ${at.date}; ` +
      `${settings.threads} threads, ${settings.rounds} rounds, ${settings.dtype}. Load before the run ${at.load.toFixed(2)}` +
      `${at.stolen === null ? '' : `, ${percent(at.stolen)} of the time stolen by other machines on the host`}.`,
    '',
    '*Shipped* is the model of the package; *M* has the shape of SmolVLM-256M and random weights. Alternatives were timed in turn, round by round: ratios',
    'hold, milliseconds do not compare with those of another run. In brackets the quartiles; of a ratio, the widest they allow. ~: others used the machine.',
    '',
    ...(sections.some(({ name, series }) => name === 'peers' && series.length > 0)
      ? [`![Cost against questions](${nameOf(report)}.svg)`, '']
      : []),
    '## Held against the targets',
    '',
    ...metricRows(metrics.filter(({ target }) => target !== null)),
    '',
    ...sections.flatMap(({ title, metrics: own, series, facts, error }) => [
      `## ${title}`,
      '',
      ...(error === undefined ? [] : [`Failed: ${error.split('\n')[0]}`, '']),
      ...metricRows(own),
      '',
      ...crossed(series),
      ...seriesRows(series.filter(({ name }) => !CELL.test(name))),
      '',
      ...Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`),
      '',
    ]),
  ].join('\n')
}

function metricRows(metrics: readonly Metric[]): string[] {
  if (metrics.length === 0) return []
  const rows = metrics.map((one) => {
    const spread = one.low === one.high ? '' : ` (${shown(one, one.low)} to ${shown(one, one.high)})`
    const target = one.target === null ? '' : `${one.better === 'higher' ? '≥' : '≤'} ${shown(one, one.target)}`
    return `| ${one.name} | ${one.isDoubtful ? '~' : ''}${shown(one, one.value)}${spread} | ${target} | ${MARKS[`${meets(one)}`]} | ${one.note} |`
  })
  return ['| | | target | | |', '|---|---|---|---|---|', ...rows]
}

/** Series of a grid: what is asked, by how many questions of how many options. */
const CELL = /^(.*): (\d+ × \d+), (cold|warm)$/

function crossed(series: readonly Series[]): string[] {
  const rows = new Map<string, Map<string, Series>>()
  const columns: string[] = []
  for (const one of series) {
    const [, state, questions, kind] = CELL.exec(one.name) ?? []
    if (state === undefined || questions === undefined) continue
    if (!columns.includes(questions)) columns.push(questions)
    const name = `${state}, ${kind}`
    rows.set(name, (rows.get(name) ?? new Map<string, Series>()).set(questions, one))
  }
  if (rows.size === 0) return []
  const cell = (found: Series | undefined) =>
    found === undefined ? '–' : `${found.isDoubtful ? '~' : ''}${number(found.median)} (${number(found.low)} to ${number(found.high)})`
  return [
    `| ms: questions × options | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...[...rows].map(([name, cells]) => `| ${name} | ${columns.map((column) => cell(cells.get(column))).join(' | ')} |`),
    '',
  ]
}

function seriesRows(series: readonly Series[]): string[] {
  if (series.length === 0) return []
  const rows = series.map(
    ({ name, median, low, high, samples, isDoubtful }) =>
      `| ${name} | ${isDoubtful ? '~' : ''}${number(median)} | ${number(low)} to ${number(high)} | ${samples.length} |`,
  )
  return ['| ms, unless it says more | median | quartiles | rounds |', '|---|---|---|---|', ...rows]
}

export function shown({ unit }: Pick<Metric, 'unit'>, value: number): string {
  if (unit === 'share') return percent(value)
  return unit === 'times' ? `${number(value)} ×` : number(value)
}

const percent = (value: number): string => `${(value * 100).toFixed(1)} %`

/** Three digits that count. */
export const number = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString())
