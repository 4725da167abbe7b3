// Cost against the number of questions, for the engine and its peers, as an SVG file. Both axes are logarithmic.
import { Chart, logTicks } from '../../src/evaluate/report/chart.ts'
import type { Report } from './report.ts'
import { number } from './table.ts'

interface CostCurve {
  readonly name: string
  readonly colour: string
  /** Milliseconds before the first question, and for each question. */
  readonly read: number
  readonly question: number
}

const QUESTIONS = [1, 2, 4, 8, 16, 32, 64]
const MOST_QUESTIONS = 64
const CSS = `svg{background:#fff}text{font:13px system-ui,sans-serif;fill:#30343a}.title{font-weight:600}.grid{stroke:#e3e5e8}.line{fill:none;stroke-width:2.5}`

/** Null when the peers were not run. */
export function chartOf({ sections }: Report): string | null {
  const series = sections.find(({ name }) => name === 'peers')?.series
  if (series === undefined) return null
  const at = (name: string) => series.find((one) => one.name === name)?.median ?? Number.NaN
  const curves: CostCurve[] = [
    { name: 'transformers.js, generate', colour: '#8a8f98', read: 0, question: at('transformers.js: generate, a question') },
    {
      name: 'transformers.js, kept cache',
      colour: '#b07d2b',
      read: at('transformers.js: kept cache, read'),
      question: at('transformers.js: kept cache, a question'),
    },
    { name: 'node-llama-cpp', colour: '#6b5fb5', read: at('node-llama-cpp: read'), question: at('node-llama-cpp: a question') },
    { name: 'this engine', colour: '#0b7a53', read: at('ours: read'), question: at('ours: a question') },
  ]
  return draw(curves.filter(({ read, question }) => Number.isFinite(read + question)))
}

function draw(curves: readonly CostCurve[]): string {
  const seconds = ({ read, question }: CostCurve, count: number) => (read + count * question) / 1000
  const ticks = logTicks(curves.flatMap((curve) => QUESTIONS.map((count) => seconds(curve, count))))
  const colours = curves.map(({ colour }, i) => `.line.c${i}{stroke:${colour}}.name.c${i}{fill:${colour}}`)
  const chart = new Chart({
    title: 'Seconds for questions about 1,024 tokens, the same weights and machine',
    x: { label: 'questions', range: [1, MOST_QUESTIONS], ticks: QUESTIONS, show: String, scale: 'log' },
    y: { label: 'seconds', range: [ticks[0]!, ticks.at(-1)!], ticks, show: number, scale: 'log' },
    width: 760,
    height: 420,
    margin: { left: 64, right: 220, top: 44, bottom: 44 },
    css: [CSS, ...colours].join(''),
  })
  curves.forEach((curve, i) => {
    chart.line(
      QUESTIONS.map((count) => [count, seconds(curve, count)]),
      `c${i}`,
    )
  })
  chart.endLabels(curves.map((curve, i) => ({ at: seconds(curve, MOST_QUESTIONS), text: curve.name, style: `c${i}` })))
  return `${chart.toMarkup().html}\n`
}
