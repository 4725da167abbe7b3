// Draws a reliability diagram: predicted against observed, before calibration and as answered. On the dashed line
// probabilities are right.
import type { ReliabilityDiagram } from '../../service/calibration/replies.ts'
import { counted, percent } from '../format.ts'
import { Explained, Term } from './term.tsx'

const SIZE = 260
const LEFT = 34
const BOTTOM = 30
const TOP = 8
const MARKS = [0, 0.25, 0.5, 0.75, 1]

const x = (share: number) => LEFT + share * (SIZE - LEFT - 8)
const y = (share: number) => SIZE - BOTTOM - share * (SIZE - BOTTOM - TOP)

export interface ReliabilityChartProps {
  /** What was decided. */
  readonly title: string
  /** What that is, in a sentence. */
  readonly meaning: string
  readonly labels: number
  readonly before: ReliabilityDiagram
  readonly after: ReliabilityDiagram
}

export function ReliabilityChart({ title, meaning, labels, before, after }: ReliabilityChartProps) {
  const pathOf = ({ points }: ReliabilityDiagram) => points.map(({ predicted, observed }) => `${x(predicted)},${y(observed)}`).join(' ')
  const largest = Math.max(...after.points.map(({ count }) => count), 1)
  return (
    <figure class="reliability">
      <figcaption>
        <b>
          <Term meaning={meaning}>{title}</Term>
        </b>
        <span>
          <Explained word="label">{counted(labels, 'label')}</Explained>
        </span>
      </figcaption>
      <svg
        class="chart"
        viewBox={`0 0 ${SIZE} ${SIZE}`}
        role="img"
        aria-label={`Reliability of ${title}: error ${percent(before.smooth_ece)} before, ${percent(after.smooth_ece)} after calibration`}
      >
        {MARKS.map((mark) => (
          <g key={mark}>
            <line class="grid" x1={x(0)} x2={x(1)} y1={y(mark)} y2={y(mark)} />
            <text x={x(0) - 6} y={y(mark) + 4} text-anchor="end">
              {mark * 100}
            </text>
            <text x={x(mark)} y={y(0) + 15} text-anchor="middle">
              {mark * 100}
            </text>
          </g>
        ))}
        <line class="ideal" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />
        <polyline class="before" points={pathOf(before)} />
        {before.points.map(({ predicted, observed }) => (
          <circle key={predicted} class="before" cx={x(predicted)} cy={y(observed)} r="2.5" />
        ))}
        {after.points.map(({ predicted, low, high }) => (
          <line key={predicted} class="whisker" x1={x(predicted)} x2={x(predicted)} y1={y(low)} y2={y(high)} />
        ))}
        <polyline class="after" points={pathOf(after)} />
        {after.points.map(({ predicted, observed, count: own }) => (
          <circle key={predicted} class="after" cx={x(predicted)} cy={y(observed)} r={2 + 2.5 * Math.sqrt(own / largest)}>
            <title>{`said ${percent(predicted)}, came true ${percent(observed)} of ${own}`}</title>
          </circle>
        ))}
      </svg>
      <dl class="facts">
        <dt>
          <Explained word="calibration error">Calibration error</Explained>
        </dt>
        <dd>
          {percent(before.smooth_ece)} → <b>{percent(after.smooth_ece)}</b>
        </dd>
        <dt>
          <Explained word="log-loss">Log-loss</Explained>
        </dt>
        <dd>
          {before.log_loss.toFixed(3)} → <b>{after.log_loss.toFixed(3)}</b>
        </dd>
      </dl>
    </figure>
  )
}
