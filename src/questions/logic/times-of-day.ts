// Times of a day as fields and claims say them, in minutes from midnight.
import type { Json } from '../../core/types.ts'

const NOON = 12 * 60
const DAY = 24 * 60
const OF_VALUE = /^(?:\d{4}-\d\d-\d\d[T ])?(\d{1,2}):(\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/
const OF_CLAIM =
  /^(?<hour>\d{1,2})(?:[:.](?<minute>\d\d))?(?: ?o['’]clock)?(?:(?<am> ?a\.?m\.?| in the morning)|(?<pm> ?p\.?m\.?| in the (?:afternoon|evening)| at night))?$/iu

/** Of "09:30" or the moment of a day in a field; null for anything else. */
export function minutesOf(value: Json | undefined): number | null {
  const [, hours, minutes] = (typeof value === 'string' ? OF_VALUE.exec(value.trim()) : null) ?? []
  return hours === undefined || Number(hours) >= 24 ? null : Number(hours) * 60 + Number(minutes)
}

/** Of "9", "9:30", "3 am", "noon" in a claim: those that may be meant, for "9" may be said of the evening. */
export function minutesSaid(text: string): readonly number[] {
  if (/^(?:noon|midday)$/i.test(text)) return [NOON]
  if (/^midnight$/i.test(text)) return [0, DAY]
  const { hour, minute = '0', am, pm } = OF_CLAIM.exec(text)?.groups ?? {}
  if (hour === undefined || Number(hour) > 24) return []
  const own = Number(hour) * 60 + Number(minute)
  const [morning, afternoon] = [own % NOON, (own % NOON) + NOON]
  if (am !== undefined || pm !== undefined) return [am === undefined ? afternoon : morning]
  return hour.startsWith('0') || Number(hour) > 12 ? [own] : [morning, afternoon]
}
