// Draws probabilities by name as bars, one below the other.
import { percent } from '../format.ts'

export interface BarRow {
  readonly name: string
  readonly probability: number
  /** The chosen, selected or likeliest one. */
  readonly isLeading: boolean
  /** Another probability, drawn as a line on the bar. */
  readonly line?: number
}

export interface BarsProps {
  readonly rows: readonly BarRow[]
  /** A line across all bars, from which an option counts. */
  readonly threshold?: number
}

export function Bars({ rows, threshold }: BarsProps) {
  return (
    <dl class="probabilities">
      {rows.map(({ name, probability, isLeading, line = threshold }) => (
        <div key={name} class={isLeading ? 'leading' : undefined}>
          <dt class="data">{name}</dt>
          <dd>
            <Meter probability={probability} line={line} />
            <span class="share">{percent(probability)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

export function Meter({ probability, line }: { readonly probability: number; readonly line?: number }) {
  return (
    <span class="meter" aria-hidden="true">
      <i style={{ width: `${probability * 100}%` }} />
      {line === undefined ? null : <b style={{ left: `${line * 100}%` }} />}
    </span>
  )
}
