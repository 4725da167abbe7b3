// How a number that was read stands to the limit of a claim, by what is written around both: units, scales, bounds.
import { numberOfDigits, SCALES, SMALL_NUMBERS } from '../../core/as-written.ts'
import type { Json } from '../../core/types.ts'
import { areOfOneKind, converted, isMoney, isPercent, isTime, type Unit, unitAhead, unitBehind, unitOfName } from '../../core/units.ts'
import { ABOVE, AT, BELOW, FROM, type ReadValue, type Sign, type Signs, signOf, UP_TO } from './compared-values.ts'

/** A number with its scale taken into account, and what it is a number of. */
export interface Quantity {
  readonly number: number
  readonly unit: Unit | null
  /** "2m", "5 B" without a currency may be metres or millions, bytes or billions. */
  readonly isUnclear: boolean
}

/** In digits or in a word; null for what is none. */
export function numberOf(text: string): number | null {
  const word = SMALL_NUMBERS.indexOf(text.toLowerCase())
  const number = word >= 0 ? word : numberOfDigits(text)
  return Number.isFinite(number) ? number : null
}

/** A JSON value that is a number, or a text that is one with its unit: "EUR 414.00", "7.4 kg", "890 per month". */
export interface WrittenQuantity extends Pick<ReadValue, 'text' | 'ahead' | 'behind'> {
  readonly number: number
}

const QUANTITY =
  /^(?<ahead>(?:\p{Sc}|[A-Z]{3})?\s?)(?<text>[-−]?\d[\d.,]*)(?<behind>\s?[%‰°\p{L}\p{Sc}²³/]*(?:\s(?:per|a|each|net|gross)\b[\p{L} ]*)?)$/u

/** Null for what is none. */
export function readValueOf(value: Json): WrittenQuantity | null {
  if (typeof value === 'number') {
    const text = value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
    return { number: value, text, ahead: '', behind: '' }
  }
  const { ahead = '', text, behind = '' } = (typeof value === 'string' ? QUANTITY.exec(value.trim())?.groups : undefined) ?? {}
  const number = text === undefined ? null : numberOf(text)
  // "12.500 EUR" may be twelve thousand.
  const isUnclear = text !== undefined && /^[1-9]\d{0,2}(?:\.\d{3})+$/.test(text) && `${ahead}${behind}`.trim() !== ''
  return text === undefined || number === null || isUnclear ? null : { number, text, ahead, behind }
}

/** `behind` without the scale that it begins with. */
export function withoutScale(ahead: string, behind: string): string {
  return scaleOf(ahead, behind).rest
}

/** A number by what stands around it and the name of its JSON value. Words that are not known units come last. */
export function quantityOf(number: number, ahead: string, behind: string, name = ''): Quantity {
  const { scale, rest } = scaleOf(ahead, behind)
  const unit = unitBehind(rest)
  const own = unit !== null && unit.meanings.length > 0 ? unit : (unitAhead(ahead) ?? unitOfName(name) ?? unit)
  return { number: number * scale, unit: own, isUnclear: scale === 1 && UNCLEAR.test(behind) }
}

/** A number that is part of another value: "9:30", "5-10 mg", "5 to 10 mg". */
const [PART_AHEAD, PART_BEHIND] = [/\d(?::|-| ?– ?| to )$/, /^(?::\d\d(?!\d)|-\d| ?– ?\d| to \d)/]

/** The signs that a value may have beside a limit; none where the two cannot be compared. */
export function standing(value: ReadValue, limit: Quantity): Signs {
  const number = numberOf(value.text)
  if (number === null || PART_AHEAD.test(value.ahead) || PART_BEHIND.test(value.behind)) return []
  const read = quantityOf(number, value.ahead, value.behind, value.name)
  const own = read.unit ?? unitNear(value, limit)
  if (own !== null && limit.unit !== null && hasFurtherPart(own, withoutScale(value.ahead, value.behind))) return []
  // "20 months" of a child is not above a bare 18.
  if (read.unit !== null && limit.unit === null && isTime(read.unit) && withoutScale(value.ahead, value.behind).trim() !== '') return []
  const alike = inOneUnit({ ...read, unit: own }, limit)
  return alike.flatMap(([made, wanted]) => standingOfBound(boundOf(value), signOf(made - wanted)))
}

// ── Scales ──

const SCALED = /^\s?(\p{L}+)/u
/** Scales of money, which otherwise may be units; "M" is a million of anything. */
const LETTERS = new Map(Object.entries({ m: 1e6, b: 1e9 }))
const LETTER = /^\s?[mb](?![\p{L}\d²³/^])/iu
/** "2m" is as likely one as the other, "2 m" are metres. */
const UNCLEAR = /^(?:m|\s?b)(?![\p{L}\d²³/^])/iu

/** What the first word behind a number multiplies it by, and what follows that word. */
function scaleOf(ahead: string, behind: string): { readonly scale: number; readonly rest: string } {
  const [said = '', word = ''] = SCALED.exec(behind) ?? []
  const rest = behind.slice(said.length)
  const isOfMoney = [unitAhead(ahead), unitBehind(rest)].some((unit) => unit !== null && isMoney(unit))
  const isLetterScale = LETTER.test(behind) && (isOfMoney || word === 'M')
  const scale = SCALES.get(word.toLowerCase()) ?? (isLetterScale ? LETTERS.get(word.toLowerCase()) : undefined)
  return scale === undefined ? { scale: 1, rest: behind } : { scale, rest }
}

// ── Units ──

const CURRENCY_NAMES = ['currency', 'currencyCode', 'currency_code']
const UNIT_NAMES = ['unit', 'units', 'uom']

/** "Rate (%): 0.5" */
const PERCENT_AHEAD = /(?<!\d\s?)(?:%|percent|pct)\)?\s?[:|=]?\s?$/i

/** Of a bare number: `{ "amount": 59.9, "currency": "EUR" }`. A currency goes for all objects inside its own. */
function unitNear({ ahead, beside }: ReadValue, { unit }: Quantity): Unit | null {
  if (unit === null) return null
  if (PERCENT_AHEAD.test(ahead)) return unitBehind('%')
  const [names, levels] = isMoney(unit) ? [CURRENCY_NAMES, Number.POSITIVE_INFINITY] : [UNIT_NAMES, 1]
  const said = names.flatMap((name) => beside?.(name).slice(0, levels) ?? []).find((text) => text.trim() !== '')
  return said === undefined ? null : unitBehind(` ${said.trim()}`)
}

/** The number and the limit in one unit, by system; none where units are of two kinds or one of them is not known. */
function inOneUnit(read: Quantity, limit: Quantity): readonly (readonly [number: number, limit: number])[] {
  if (read.unit !== null && limit.unit !== null) {
    return (converted(read.number, read.unit, limit.unit) ?? []).map((number) => [number, limit.number])
  }
  if (read.isUnclear || limit.isUnclear) return []
  // "less than an hour" is said of minutes, too.
  if (read.unit === null && limit.number === 1 && limit.unit !== null && isTime(limit.unit)) return []
  const of = read.unit !== null && isPercent(read.unit) ? asPercent(limit.number, read.number) : null
  const to = limit.unit !== null && isPercent(limit.unit) ? asPercent(read.number, limit.number) : null
  const [number, wanted] = [to ?? read.number, of ?? limit.number]
  return Number.isNaN(number) || Number.isNaN(wanted) ? [] : [[number, wanted]]
}

/**
 * A bare number that is compared with some percent, in percent: 0.03 is a fraction, and 30 is not. NaN where it may be
 * either: 1, and 0.7 beside less than one percent.
 */
function asPercent(bare: number, percent: number): number {
  if (Math.abs(bare) === 1) return Number.NaN
  if (bare === 0 || Math.abs(bare) > 1) return bare
  return Math.abs(percent) < 1 ? Number.NaN : Number((bare * 100).toPrecision(12))
}

const FURTHER_PART = /^[\s-]?\p{L}+\.?,?(?: and)? ?\d+(?![\d.,])(.*)/u

/** "5 feet 10 inches": the number that was read is the first part of one. */
function hasFurtherPart(unit: Unit, behind: string): boolean {
  const further = unitBehind(FURTHER_PART.exec(behind)?.[1] ?? '')
  return further !== null && areOfOneKind(unit, further)
}

// ── Bounds: "<5 mg", "up to 3 days", "10+" ──

/** By the words in front of a number; signs stand by themselves there: "->5" and `<td id="x">5` are no bounds. */
const BOUNDS_AHEAD = (
  [
    ['up to|at most|(?:no|not) more than|not (?:over|above)', '<=|≤', UP_TO],
    ['at least|(?:no|not) (?:less|fewer) than|not (?:under|below)', '>=|≥', FROM],
    ['under|below|(?:less|fewer) than', '<', BELOW],
    ['over|above|more than', '>', ABOVE],
  ] as const
).map(([words, marks, bound]) => ({
  pattern: new RegExp(`(?:(?<!\\p{L}|n['’]t )(?:${words})|(?<![^\\s:(|[])(?:${marks}))\\s?(?:\\p{L}{0,3}\\p{Sc}|\\p{L}{3} )?$`, 'iu'),
  bound,
}))
const BOUNDS_BEHIND = [
  { pattern: /^\+(?!\d)|^(?: \p{L}+)? or (?:more|over|above)\b/u, bound: FROM },
  { pattern: /^(?: \p{L}+)? or (?:less|fewer|under|below)\b/u, bound: UP_TO },
]

/** How what is meant stands to the number that is written. */
function boundOf({ ahead, behind }: ReadValue): Signs {
  const found = BOUNDS_AHEAD.find(({ pattern }) => pattern.test(ahead)) ?? BOUNDS_BEHIND.find(({ pattern }) => pattern.test(behind))
  return found?.bound ?? AT
}

/** How what is meant may stand to a limit, where the number that is written stands to it so. */
function standingOfBound(bound: Signs, sign: Sign): Signs {
  return bound.flatMap((meant): Signs => (meant * sign < 0 ? [-1, 0, 1] : [signOf(meant + sign)]))
}
