// Formats numbers, amounts and times for people. No probability is rounded to 0 or 1, which would look certain.

/**
 * `0.000123456` to `$0.000123`: at least two fractional digits, and as many as the first two that are not zero need.
 */
export function dollars(amount: string): string {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  const isSmall = /^0+$/.test(whole)
  const leading = /^0*/.exec(fraction)![0].length
  const digits = isSmall && leading < fraction.length ? Math.max(2, leading + 3) : 2
  const shown = fraction.padEnd(digits, '0').slice(0, digits)
  const trimmed = shown.length > 2 ? shown.slice(0, 2) + shown.slice(2).replace(/0+$/, '') : shown
  return `${sign === '-' ? '−' : ''}$${whole.replace(/\B(?=(\d{3})+$)/g, ' ')}.${trimmed}`
}

/** A probability in percent. */
export function percent(probability: number): string {
  const share = probability * 100
  if (share < 0.1) return '<0.1 %'
  if (share > 99.9) return '>99.9 %'
  return `${share < 10 || share > 90 ? share.toFixed(1) : Math.round(share)} %`
}

export function count(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ' ')
}

export function milliseconds(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`
}

/** Bytes in the unit they need. */
export function bytes(size: number): string {
  if (size < 1024) return `${size} B`
  return size < 2 ** 20 ? `${Math.round(size / 1024)} KiB` : `${(size / 2 ** 20).toFixed(1)} MiB`
}

const two = (value: number): string => String(value).padStart(2, '0')

/** Local date and time to the minute: `2026-11-21 14:03`. */
export function time(at: number): string {
  const date = new Date(at)
  return `${day(at)} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** The same without the year while that is the year of `now`: `11-21 14:03`. */
export function shortTime(at: number, now: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return isThisYear ? time(at).slice(5) : time(at)
}

export function day(at: number): string {
  const date = new Date(at)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

const UNITS: readonly (readonly [string, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** `3 hours ago`. */
export function ago(at: number, now: number): string {
  for (const [unit, ms] of UNITS) {
    const units = Math.floor((now - at) / ms)
    if (units >= 1) return `${units} ${unit}${units === 1 ? '' : 's'} ago`
  }
  return 'just now'
}

/** `1 question`, `2 questions`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}
