// Probabilities by name, as bars one below the other.
import { percent } from '../format.ts'

export interface BarRow {
  readonly name: string
  readonly probability: number
  /** The chosen, selected or likeliest one. */
  readonly isLeading: boolean
}

export interface BarsProps {
  readonly rows: readonly BarRow[]
  /** A line across all bars, from which an option counts. */
  readonly threshold?: number
}

export function Bars({ rows, threshold }: BarsProps) {
  return (
    <dl class="probabilities">
      {rows.map(({ name, probability, isLeading }) => (
        <div key={name} class={isLeading ? 'leading' : undefined}>
          <dt class="data">{name}</dt>
          <dd>
            <Meter probability={probability} threshold={threshold} />
            <span class="share">{percent(probability)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

export function Meter({ probability, threshold }: { readonly probability: number; readonly threshold?: number }) {
  return (
    <span class="meter" aria-hidden="true">
      <i style={{ width: `${probability * 100}%` }} />
      {threshold === undefined ? null : <b style={{ left: `${threshold * 100}%` }} />}
    </span>
  )
}
