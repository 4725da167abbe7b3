// What objects are worth by one of their fields: numbers, days, or how many there are in a list.
import { dateOf, isoDay } from '../../../core/dates-as-written.ts'
import type { Json } from '../../../core/types.ts'
import { readValueOf } from '../read-numbers.ts'
import { minutesOf } from '../times-of-day.ts'
import type { RankedBy } from './adjectives.ts'
import { type ListedObject, OWN_VALUE } from './objects.ts'
import { isMoment } from './said-texts.ts'

/** By the one field that is ranked by, null of an object without it; null where none, or several, may be meant. */
export function worthsBy(objects: readonly ListedObject[], isBy: RankedBy, isOfDays = false): readonly (number | null)[] | null {
  const all = Object.keys(objects[0] ?? {})
  const keys = all.includes(OWN_VALUE) ? [OWN_VALUE] : isBy(all, objects)
  const known = keys.map((key) => worthsOf(objects, key, isOfDays)).filter((worths) => worths !== null)
  const [worths, another] = known
  return worths === undefined || another !== undefined || areOfSeveralUnits(objects) ? null : worths
}

/** Null where one is no number and no day, or fewer than two have one. */
function worthsOf(objects: readonly ListedObject[], key: string, isOfDays: boolean): readonly (number | null)[] | null {
  const units = new Set<string>()
  const worths = objects.map((object) => {
    const value = object[key]
    if (value === null || (!isOfDays && typeof value === 'string' && IS_NONE.test(value.trim()))) return null
    const { number, unit } = worth(value, isOfDays)
    units.add(unit)
    return number
  })
  const isKnown = !worths.includes(Number.NaN) && worths.filter((one) => one !== null).length > 1
  return isKnown && units.size === 1 ? worths : null
}

/** Among numbers; "unlimited" and "free" are more and less than any. */
const IS_NONE = /^(?:absent|[-–—]|n\/a|dns|dnf)$/i

/** A number with its unit, how many a list has, or a day as a number; NaN for anything else. */
function worth(value: Json | undefined, isOfDays: boolean): { readonly number: number; readonly unit: string } {
  if (!isOfDays && Array.isArray(value)) return { number: value.length, unit: '' }
  const read = isOfDays || value === undefined ? null : readValueOf(value)
  if (read !== null) return { number: read.number, unit: `${read.ahead}${read.behind}`.trim() }
  const moment = typeof value === 'string' && isMoment(value) ? Date.parse(value.replace(' ', 'T')) : Number.NaN
  if (!Number.isNaN(moment)) return { number: moment, unit: 'day' }
  const day = typeof value === 'string' ? dateOf(value) : null
  return { number: day === null ? (minutesOf(value) ?? Number.NaN) : Date.parse(isoDay(day)), unit: 'day' }
}

/** "EUR" of one and "USD" of another. */
export function areOfSeveralUnits(objects: readonly ListedObject[]): boolean {
  return ['currency', 'ccy', 'unit'].some((key) => new Set(objects.map((object) => object[key])).size > 1)
}
