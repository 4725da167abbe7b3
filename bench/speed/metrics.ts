// The conclusions of a run: ratios with their spread, and their targets. Milliseconds are never compared between runs.
import type { Series } from './timing.ts'

export interface Metric {
  readonly name: string
  readonly value: number
  readonly low: number
  readonly high: number
  readonly better: 'higher' | 'lower'
  readonly unit: 'times' | 'share' | 'ms' | 'rate'
  readonly target: number | null
  /** Others used the machine while it was timed. */
  readonly isDoubtful: boolean
  /** What is behind it. */
  readonly note: string
}

type Named = Pick<Metric, 'name' | 'better' | 'unit'> & { readonly target?: number; readonly note?: string }

export interface Range {
  readonly median: number
  readonly low: number
  readonly high: number
  readonly isDoubtful?: boolean
}

/** `a` over `b`. The spread is the widest range that both quartiles allow, so it is never too narrow. */
export function ratio(named: Named, a: Range, b: Range): Metric {
  return metric(named, { median: a.median / b.median, low: a.low / b.high, high: a.high / b.low, isDoubtful: either(a, b) })
}

const either = (...ranges: readonly Range[]): boolean => ranges.some(({ isDoubtful }) => isDoubtful === true)

export function metric({ name, better, unit, target, note = '' }: Named, { median, low, high, isDoubtful = false }: Range): Metric {
  return { name, value: median, low, high, better, unit, target: target ?? null, isDoubtful, note }
}

/** Sums of ranges with weights: 1 reading and 32 questions. */
export function sum(...parts: readonly (readonly [number, Range])[]): Range {
  const add = (key: 'median' | 'low' | 'high') => parts.reduce((total, [weight, range]) => total + weight * range[key], 0)
  return { median: add('median'), low: add('low'), high: add('high'), isDoubtful: either(...parts.map(([, range]) => range)) }
}

/** `a - b`, its spread as wide as it may be; never below nothing. */
export function less(a: Range, b: Range): Range {
  return {
    median: Math.max(0, a.median - b.median),
    low: Math.max(0, a.low - b.high),
    high: Math.max(0, a.high - b.low),
    isDoubtful: either(a, b),
  }
}

export function meets({ value, target, better }: Metric): boolean | null {
  if (target === null) return null
  return better === 'higher' ? value >= target : value <= target
}

/** Finds a series by name; the sections name them. */
export function seriesNamed(all: readonly Series[], name: string): Series {
  const found = all.find((one) => one.name === name)
  if (found === undefined) throw new Error(`nothing was timed as ${name}; there is ${all.map((one) => one.name).join(', ')}`)
  return found
}

/**
 * A metric is worse when it changed by more than both spreads and by more than this share: machines differ a little.
 */
const TOLERANCE = 0.1

export interface Comparison {
  readonly name: string
  readonly before: number
  readonly now: number
  readonly verdict: 'same' | 'better' | 'worse'
}

export function compareMetrics(before: readonly Metric[], now: readonly Metric[]): Comparison[] {
  return now.flatMap((one) => {
    const old = before.find(({ name }) => name === one.name)
    return old === undefined || one.unit === 'ms' || one.unit === 'rate' ? [] : [compareOne(old, one)]
  })
}

function compareOne(before: Metric, now: Metric): Comparison {
  const margin = Math.abs(before.value) * TOLERANCE
  const isAbove = now.low > before.high && now.value > before.value + margin
  const isBelow = now.high < before.low && now.value < before.value - margin
  const verdict = !isAbove && !isBelow ? 'same' : isAbove === (before.better === 'higher') ? 'better' : 'worse'
  return { name: now.name, before: before.value, now: now.value, verdict }
}
