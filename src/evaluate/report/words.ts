// How a report writes numbers. What is not defined is a dash, never a zero.
import type { Estimate } from '../numbers.ts'
import type { BoundStage } from '../results.ts'

export function fixed(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–'
  const text = value.toFixed(digits)
  // No "-0.000", and a true minus.
  return /^-0\.?0*$/.test(text) ? text.slice(1) : text.replace('-', '−')
}

export function signed(value: number, digits = 3): string {
  const text = fixed(value, digits)
  return Number.isFinite(value) && !text.startsWith('−') && /[1-9]/.test(text) ? `+${text}` : text
}

export function percent(value: number | null | undefined, digits = 1): string {
  return value === null || value === undefined || !Number.isFinite(value) ? '–' : `${fixed(value * 100, digits)}\u00a0%`
}

export function between([low, high]: readonly [number, number], digits = 3): string {
  return `${fixed(low, digits)} to ${fixed(high, digits)}`
}

export function withInterval({ value, interval }: Estimate, digits = 3): string {
  return `${signed(value, digits)} (${signed(interval[0], digits)} to ${signed(interval[1], digits)})`
}

/** A share with half of its interval, where it has one. */
export function withMargin(share: number, margin: number | null): string {
  return margin === null ? percent(share) : `${percent(share)} ± ${fixed(margin * 100, 1)}`
}

export function milliseconds(value: number): string {
  if (value === 0) return '0'
  if (value < 1000) return `${fixed(value, value < 10 ? 1 : 0)}\u00a0ms`
  return `${fixed(value / 1000, value < 10_000 ? 1 : 0)}\u00a0s`
}

/** A stage of a chain: how it is asked, and what answers. */
export function stageText({ id, threshold, revision, calibration }: BoundStage): string {
  const answers = revision === null ? 'did not load' : `${revision.slice(0, 8)}, calibration ${calibration ?? 'none'}`
  return `${id}${threshold === null ? '' : `:${threshold}`} (${answers})`
}

export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f')
}

/** A probability, which is never shown as certain. */
export function likelihood(probability: number): string {
  return probability < 0.0005 ? '<0.1\u00a0%' : probability > 0.9995 ? '>99.9\u00a0%' : percent(probability)
}

/** Smaller differences round to zero at three digits. */
const LEAST_VISIBLE = 5e-4

/** Whether an interval is wholly better or worse than zero. That of one state is a point, which says nothing. */
export function verdict({ interval }: Estimate, isLowerBetter: boolean): 'good' | 'bad' | '' {
  const [low, high] = isLowerBetter ? interval : [-interval[1], -interval[0]]
  if (low === high) return ''
  return high < -LEAST_VISIBLE ? 'good' : low > LEAST_VISIBLE ? 'bad' : ''
}
