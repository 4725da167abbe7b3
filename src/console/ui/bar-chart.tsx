// A small bar chart over time: one bar a bucket, with the part that failed on top in another colour.
export interface ChartBar {
  /** What the bar is about, e.g. its hour. */
  readonly label: string
  readonly value: number
  /** The part of `value` that is drawn apart; 0 for none. */
  readonly marked: number
}

export interface BarChartProps {
  readonly title: string
  readonly total: string
  readonly bars: readonly ChartBar[]
  show(value: number): string
}

const WIDTH = 340
const HEIGHT = 120
const LEFT = 4
const BOTTOM = 18
const TOP = 16

const ROUND = [1, 1.5, 2, 3, 4, 5, 6, 8, 10]

/** The next round number from `value` on, for the top of the axis. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return (ROUND.find((step) => value <= step * power * (1 + 1e-9)) ?? 10) * power
}

export function BarChart({ title, total, bars, show }: BarChartProps) {
  const most = Math.max(...bars.map(({ value }) => value), 0)
  const top = most > 0 ? roundUp(most) : 1
  const step = (WIDTH - LEFT) / Math.max(1, bars.length)
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - TOP)
  const gap = Math.min(2, step * 0.25)
  const ends = [bars[0], bars.at(-1)]
  return (
    <figure>
      <figcaption>
        <span>{title}</span>
        <b>{total}</b>
      </figcaption>
      <svg
        class="chart bars"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}: ${total}, at most ${show(most)} at a time`}
      >
        <line class="grid" x1={LEFT} x2={WIDTH} y1={y(top)} y2={y(top)} />
        <line class="grid" x1={LEFT} x2={WIDTH} y1={y(0)} y2={y(0)} />
        {most > 0 ? (
          <text x={LEFT} y={y(top) - 4}>
            {show(top)}
          </text>
        ) : null}
        {bars.map(({ label, value, marked }, i) => (
          <g key={label}>
            <title>{`${label}: ${show(value)}${marked > 0 ? `, ${show(marked)} failed` : ''}`}</title>
            <rect class="catch" x={LEFT + i * step} y={TOP} width={step} height={HEIGHT - BOTTOM - TOP} />
            <rect
              x={LEFT + i * step + gap / 2}
              y={y(value - marked)}
              width={step - gap}
              height={y(0) - y(value - marked)}
              rx={Math.min(1.5, step / 4)}
            />
            {marked > 0 ? (
              <rect class="failed" x={LEFT + i * step + gap / 2} y={y(value)} width={step - gap} height={y(value - marked) - y(value)} />
            ) : null}
          </g>
        ))}
        <text x={LEFT} y={HEIGHT - 4}>
          {ends[0]?.label}
        </text>
        <text x={WIDTH} y={HEIGHT - 4} text-anchor="end">
          {ends[1]?.label}
        </text>
      </svg>
    </figure>
  )
}
