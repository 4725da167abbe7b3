// What the fields of a state tell of a question by themselves: the option of a choice, the options of a selection, a
// value.
import { dateOf, isoDay } from '../../core/dates-as-written.ts'
import type { Json } from '../../core/types.ts'
import { asksEmptyField } from './fields/empty-field.ts'
import { heldOfFields } from './fields/filled.ts'
import { heldOfMembers } from './fields/lists.ts'
import { optionSaying } from './fields/option-saying.ts'
import { heldOfOptions, onlyOption } from './objects/asked-objects.ts'
import { countAsked } from './objects/counted.ts'
import { groupedOption } from './objects/grouped.ts'
import { valueAsked } from './objects/looked-up.ts'
import { heldOfValues } from './objects/projected.ts'
import { rankedOption } from './objects/ranked.ts'
import { totalAsked } from './objects/totals.ts'

/** The place of the option that answers a choice; null where the fields do not surely say it. */
export function toldOption(question: string, options: readonly string[], values: readonly Json[]): number | null {
  return (
    groupedOption(question, options, values) ??
    rankedOption(question, options, values) ??
    onlyOption(question, options, values) ??
    saidOption(question, options, values) ??
    onlyValue(question, options, values)
  )
}

function onlyValue(question: string, options: readonly string[], values: readonly Json[]): number | null {
  const held = heldOfValues(question, options, values)
  return held === null || held.indexOf(true) !== held.lastIndexOf(true) || !held.includes(true) ? null : held.indexOf(true)
}

function saidOption(question: string, options: readonly string[], values: readonly Json[]): number | null {
  const value = valueAsked(question, values)
  return value === undefined ? null : optionSaying(value, options)
}

/** Of each option of a selection whether it is so; null where the fields do not surely say it of all. */
export function toldHeld(question: string, options: readonly string[], values: readonly Json[]): readonly boolean[] | null {
  return (
    heldOfFields(question, options, values) ??
    heldOfOptions(question, options, values) ??
    heldOfMembers(question, options, values) ??
    heldOfValues(question, options, values)
  )
}

/** A value as it is written, null where its field is empty; undefined where it has to be read. */
export function toldValue(question: string, kind: string, values: readonly Json[]): Json | undefined {
  if (asksEmptyField(question, values)) return null
  const isNumber = kind === 'int' || kind === 'number'
  const count = isNumber ? countAsked(question, values) : null
  if (count !== null) return count
  const value = valueAsked(question, values) ?? (isNumber ? totalAsked(question, values) : null)
  if (value === null) return undefined
  if (isNumber) return typeof value === 'number' && (kind === 'number' || Number.isInteger(value)) ? value : undefined
  if (kind !== 'date') return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  const date = typeof value === 'string' ? dateOf(value) : null
  return date === null || date.year === null ? undefined : isoDay(date)
}
