// What the fields of a state tell of a question by themselves: the option of a choice, the options of a selection, a
// value.
import { wholeDay } from '../../core/dates-as-written.ts'
import type { Json } from '../../core/types.ts'
import { IS_AHEAD } from './fields/claim.ts'
import { asksEmptyField } from './fields/empty-field.ts'
import { heldOfFields } from './fields/filled.ts'
import { heldOfMembers } from './fields/lists.ts'
import { optionSaying } from './fields/option-saying.ts'
import { heldOfOptions, onlyOption } from './objects/asked-objects.ts'
import { countAsked } from './objects/counted.ts'
import { everyAsked } from './objects/every-asked.ts'
import { groupedOption } from './objects/grouped.ts'
import { lastingAsked } from './objects/lasting.ts'
import { valueAsked } from './objects/looked-up.ts'
import { heldOfValues } from './objects/projected.ts'
import { rankedOption } from './objects/ranked.ts'
import { totalAsked } from './objects/totals.ts'

/** The price of a bag is not that of one of its pieces. */
const IS_WHOLE = /\bwhole\b/i

/** The place of the option that answers a choice; null where the fields do not surely say it. */
export function toldOption(question: string, options: readonly string[], values: readonly Json[]): number | null {
  if (IS_AHEAD.test(question)) return null
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
  if (IS_AHEAD.test(question)) return null
  return (
    heldOfFields(question, options, values) ??
    heldOfOptions(question, options, values) ??
    heldOfMembers(question, options, values) ??
    heldOfValues(question, options, values)
  )
}

/** A text that stands where nothing is known. */
const SAYS_NOTHING = /^(?:n\/?a|none|unknown|tb[acd]|not (?:stated|given|known|set|specified)|[-–—?]+)$/i

const QUOTE =
  /^(?:please )?(?:quote|copy|give|extract|find|point at|mark)(?: me)? (?:(?:the )?(?:exact )?(?:words?|text|value|sentence|phrase) (?:of|for) )?/i
const AS_A_WHOLE = /,? (?:word for word|verbatim|in full|as (?:it is )?written)(?=[.?!]*$)/i
/** What lists something, says more than one thing, of which a part may be asked for, or that there is nothing. */
const IS_NO_PHRASE = /[,;\n()]|\s{2}|[.!?](?:\s|$)|^(?:see|not?|nothing|none|never|ask|tb[acd])\b/i
/** Of "call 116117" the number alone is. */
const OF_DIGITS = /\b(?:number|time|date|day|code|id)\b/i
const BESIDE_DIGITS = /^(?=.*\d)(?=.*\p{L}{2}).* /su

/** The text of the field that a question asks to quote; null where none surely is, or a part of one may be meant. */
export function toldQuote(question: string, values: readonly Json[]): string | null {
  const value = valueAsked(question.replace(AS_A_WHOLE, '').replace(QUOTE, ''), values)
  if (typeof value !== 'string') return null
  const isPart = IS_NO_PHRASE.test(value) || (OF_DIGITS.test(question) && BESIDE_DIGITS.test(value))
  return isPart && !AS_A_WHOLE.test(question) ? null : value
}

/** A value as it is written, null where its field is empty; undefined where it has to be read. */
export function toldValue(question: string, kind: string, values: readonly Json[]): Json | undefined {
  if (IS_AHEAD.test(question) || IS_WHOLE.test(question)) return undefined
  if (asksEmptyField(question, values)) return null
  const isNumber = kind === 'int' || kind === 'number'
  const count = isNumber ? countAsked(question, values) : null
  if (count !== null) return count
  const value = valueAsked(question, values) ?? (isNumber ? (totalAsked(question, values) ?? lastingAsked(question, values)) : null)
  if (value === null || (typeof value === 'string' && SAYS_NOTHING.test(value.trim()))) return undefined
  if (isNumber) return typeof value === 'number' && (kind === 'number' || Number.isInteger(value)) ? value : undefined
  if (kind !== 'date') return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  return dayOf(value) ?? undefined
}

/** What a field says of each object that is meant, as it is written, each text once; null where it has to be read. */
export function toldList(question: string, kind: string, values: readonly Json[]): readonly string[] | null {
  if (IS_AHEAD.test(question)) return null
  const said = everyAsked(question.replace(QUOTE, ''), values)?.map((value) => writtenAs(kind, value)) ?? null
  if (said === null || said.includes(null)) return null
  return kind === 'text' ? [...new Set(said as readonly string[])] : (said as readonly string[])
}

function writtenAs(kind: string, value: string | number): string | null {
  if (kind === 'text') return String(value)
  if (kind !== 'date') return typeof value === 'number' && (kind === 'number' || Number.isInteger(value)) ? String(value) : null
  return dayOf(value)
}

const dayOf = (value: Json | undefined): string | null => (typeof value === 'string' ? wholeDay(value) : null)
