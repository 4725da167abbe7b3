// Draws the charts of a report.

import { LIMITS } from '../limits.ts'
import type { RiskCurve } from '../risk.ts'
import { Chart, type ChartPoint, ticksOf } from './chart.ts'
import type { LatencyBin, NamedReliability } from './curves.ts'
import { type Markup, markup } from './markup.ts'
import { section } from './sections.ts'
import { count, milliseconds, percent } from './words.ts'

const SHARES = [0, 0.25, 0.5, 0.75, 1]
const show = (share: number): string => `${Math.round(share * 100)} %`

export function reliabilityCharts(diagrams: readonly NamedReliability[]): Markup | null {
  if (diagrams.length === 0) return null
  const figures = diagrams.map(
    (diagram) =>
      markup`<figure><h3>${diagram.name}</h3>${reliabilityChart(diagram)}<figcaption>${count(diagram.distributions)} distributions</figcaption></figure>`,
  )
  const keys = markup`<p class="note"><span class="key" style="background:var(--accent)"></span>what happened at each probability
<span class="key" style="background:var(--accent-soft)"></span>95 % of resamples by state
<span class="key" style="background:var(--quiet)"></span>95 % of what chance would show if calibrated; below: where the probabilities are</p>`
  return section(
    'Is a probability what happens?',
    `The probability of “true”, of an option, or (with more than two candidates) of the leading one, against how often it came true. On the dashed line: calibrated; below it: too sure. Within the grey band it could be chance.`,
    markup`${keys}<div class="charts">${figures}</div>`,
  )
}

function reliabilityChart({ name, grid, curve, consistency, bootstrap, density }: NamedReliability): Markup {
  const chart = new Chart({
    title: `Reliability of ${name}`,
    x: { label: 'probability', range: [0, 1], ticks: SHARES, show },
    y: { label: 'came true', range: [0, 1], ticks: SHARES, show },
  })
  const highest = Math.max(...density)
  const width = 1 / (grid.length - 1)
  grid.forEach((at, i) => {
    if (density[i]! > 0) chart.bar(Math.max(0, at - width / 2), Math.min(1, at + width / 2), (density[i]! / highest) * 0.14, 'rug')
  })
  drawBand(chart, grid, consistency, 'chance')
  drawBand(chart, grid, bootstrap, 'uncertain')
  chart.line(
    [
      [0, 0],
      [1, 1],
    ],
    'ideal',
  )
  for (const run of runsOf(grid.map((at, i): ChartPoint | null => (curve[i] === null ? null : [at, curve[i]!])))) chart.line(run, 'curve')
  return chart.toMarkup()
}

function drawBand(chart: Chart, grid: readonly number[], band: NamedReliability['bootstrap'], style: string): void {
  const edges = grid.map((at, i) =>
    band[i] == null ? null : { low: [at, band[i]![0]] as ChartPoint, high: [at, band[i]![1]] as ChartPoint },
  )
  for (const run of runsOf(edges))
    chart.band(
      run.map(({ low }) => low),
      run.map(({ high }) => high),
      style,
    )
}

/** The runs of values between gaps. */
function runsOf<T>(values: readonly (T | null)[]): T[][] {
  const all: T[][] = [[]]
  for (const value of values) {
    if (value === null) all.push([])
    else all.at(-1)!.push(value)
  }
  return all.filter((run) => run.length > 0)
}

export function riskChart(points: RiskCurve['points']): Markup | null {
  const curve = points.map(([coverage, risk]): ChartPoint => [coverage, risk])
  const last = curve.at(-1)
  if (last === undefined) return null
  const highest = Math.max(...curve.map(([, risk]) => risk), 0.05)
  const range = [0, Math.min(1, highest * 1.08)] as const
  const chart = new Chart({
    title: 'Errors among the surest decisions',
    x: { label: 'share of decisions answered, the surest first', range: [0, 1], ticks: SHARES, show },
    y: { label: 'errors among them', range, ticks: ticksOf(range), show: (risk) => percent(risk, 0) },
    width: 480,
  })
  const right = 1 - last[1]
  const oracle = Array.from({ length: 101 }, (_, i): ChartPoint => [i / 100, i / 100 <= right ? 0 : 1 - right / (i / 100)])
  chart
    .line(
      [
        [0, last[1]],
        [1, last[1]],
      ],
      'ideal',
    )
    .line(oracle, 'other')
    .line(curve, 'curve')
    .dots(limitsOn(points), 'fill')
  return markup`<figure><h3>Errors among the surest</h3>${chart.toMarkup()}<figcaption><span class="key" style="background:var(--accent)"></span>by confidence, with some limits
<span class="key" style="background:var(--soft)"></span>if every right answer were surer than every wrong one; dashed: by lot</figcaption></figure>`
}

/** Where limits on the confidence lie on the curve: at the last point that each lets through, the highest of equals. */
function limitsOn(points: RiskCurve['points']): { readonly at: ChartPoint; readonly text: string; readonly words: string }[] {
  const highest = new Map<number, number>()
  for (const limit of LIMITS)
    highest.set(
      points.findLastIndex(([, , confidence]) => confidence >= limit),
      limit,
    )
  return [...highest].flatMap(([index, limit]) => {
    const point = points[index]
    if (point === undefined) return []
    const [coverage, risk] = point
    const words = `confidence from ${limit}: ${percent(coverage)} of decisions, ${percent(risk)} of them wrong`
    return [{ at: [coverage, risk], text: String(limit).slice(1), words }]
  })
}

export function latencyChart(bins: readonly LatencyBin[]): Markup | null {
  const most = bins.at(-1)?.to
  if (most === undefined || !(most > 0)) return null
  const highest = Math.max(...bins.map(({ rows }) => rows))
  const x = [0, most] as const
  const y = [0, highest * 1.05] as const
  const chart = new Chart({
    title: 'Time of a row',
    x: { label: 'time of a row', range: x, ticks: ticksOf(x, 4), show: milliseconds },
    y: { label: 'rows', range: y, ticks: ticksOf(y, 4).filter(Number.isInteger), show: count },
    width: 480,
  })
  for (const { from, to, rows } of bins) if (rows > 0) chart.bar(from, to, rows, 'fill')
  return markup`<figure><h3>Time of a row</h3>${chart.toMarkup()}<figcaption>up to the 99th percentile; the last bar holds what is beyond</figcaption></figure>`
}
