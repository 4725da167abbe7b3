// Cost against the number of questions, for the engine and its peers: an SVG drawn from what the section of peers timed. Both axes are logarithmic.
import type { Report } from './report.ts'
import { number } from './table.ts'

interface Curve {
  readonly name: string
  readonly colour: string
  /** Milliseconds before the first question, and for each. */
  readonly read: number
  readonly question: number
}

const [WIDTH, HEIGHT] = [760, 420]
const FRAME = { left: 64, right: 220, top: 44, bottom: 52 }
const QUESTIONS = [1, 2, 4, 8, 16, 32, 64]

/** Null when the peers were not run. */
export function chartOf({ sections }: Report): string | null {
  const series = sections.find(({ name }) => name === 'peers')?.series
  if (series === undefined) return null
  const at = (name: string) => series.find((one) => one.name === name)?.median ?? Number.NaN
  const curves: Curve[] = [
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

function draw(curves: readonly Curve[]): string {
  const seconds = ({ read, question }: Curve, count: number) => (read + count * question) / 1000
  const all = curves.flatMap((curve) => QUESTIONS.map((count) => seconds(curve, count)))
  const low = nice(Math.min(...all), Math.floor)
  const high = nice(Math.max(...all), Math.ceil)
  const x = (count: number) => FRAME.left + (Math.log2(count) / Math.log2(QUESTIONS.at(-1) as number)) * (WIDTH - FRAME.left - FRAME.right)
  const y = (value: number) => HEIGHT - FRAME.bottom - (Math.log(value / low) / Math.log(high / low)) * (HEIGHT - FRAME.top - FRAME.bottom)
  const text = (at: readonly [number, number], words: string, more = '') =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" ${more}>${words}</text>`
  const levels = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500].filter((level) => level >= low && level <= high)
  const right = WIDTH - FRAME.right
  const ends = spread(curves.map((curve) => y(seconds(curve, QUESTIONS.at(-1) as number))))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="#30343a">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text([FRAME.left, 24], 'Seconds for questions about 1,024 tokens, the same weights and machine', 'font-weight="600"'),
    ...levels.flatMap((level) => [
      `<line x1="${FRAME.left}" x2="${right}" y1="${y(level).toFixed(1)}" y2="${y(level).toFixed(1)}" stroke="#e3e5e8"/>`,
      text([FRAME.left - 8, y(level) + 4], number(level), 'text-anchor="end"'),
    ]),
    ...QUESTIONS.map((count) => text([x(count), HEIGHT - FRAME.bottom + 20], String(count), 'text-anchor="middle"')),
    text([(FRAME.left + right) / 2, HEIGHT - 12], 'questions', 'text-anchor="middle"'),
    ...curves.flatMap((curve, i) => [
      `<polyline fill="none" stroke="${curve.colour}" stroke-width="2.5" points="${QUESTIONS.map(
        (count) => `${x(count).toFixed(1)},${y(seconds(curve, count)).toFixed(1)}`,
      ).join(' ')}"/>`,
      text([right + 10, (ends[i] as number) + 4], curve.name, `fill="${curve.colour}"`),
    ]),
    '</svg>',
    '',
  ].join('\n')
}

/** The next 1, 2 or 5 times a power of ten, below or above. */
function nice(value: number, round: typeof Math.floor): number {
  const steps = [1, 2, 5, 10]
  const power = 10 ** Math.floor(Math.log10(value))
  const found = round === Math.floor ? steps.findLast((step) => step * power <= value) : steps.find((step) => step * power >= value)
  return (found ?? 1) * power
}

/** Labels at least a line apart, in their order from top to bottom. */
function spread(places: readonly number[]): number[] {
  const order = places.map((place, i) => ({ place, i })).sort((a, b) => a.place - b.place)
  const out = [...places]
  let last = Number.NEGATIVE_INFINITY
  for (const { place, i } of order) {
    last = Math.max(place, last + 17)
    out[i] = last
  }
  return out
}
