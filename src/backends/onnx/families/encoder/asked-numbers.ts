// Numbers as a question asks for them: with the scale that stands behind them ("3 million"), and in the unit that it
// names ("2.5 kg" in grams). Where that is not certain they stay as they are written.
import { SCALES } from '../../../../core/as-written.ts'
import { areOfOneKind, converted, knownUnitBehind, type Unit, unitAhead, unitBehind, unitOfName, unitsIn } from '../../../../core/units.ts'

/** How the numbers of a text are taken. */
export interface NumberReading {
  readonly hasScales: boolean
  /** null: each in its own. */
  readonly unit: Unit | null
  /** Whether how much or how many is asked for, which the 12 of "D-12" does not say. */
  readonly isOfQuantity: boolean
}

export const AS_WRITTEN: NumberReading = { hasScales: false, unit: null, isOfQuantity: false }

/** A number where it stands in a text: UTF-16 offsets. */
export interface PlacedNumber {
  readonly start: number
  readonly end: number
  readonly number: number
}

/** A number as it is asked for. */
export interface AskedNumber extends PlacedNumber {
  /** Where the quantity begins that it is a part of: "1 h 30 min" is one. */
  readonly quantity: number
  readonly isConverted: boolean
}

/** Where a question names the scale of its answer itself ("Turnover in thousands of euros"), nothing is multiplied. */
export function readingOf(instructions: string): NumberReading {
  const unit = unitAsked(instructions)
  const isOfQuantity = unit !== null || QUANTITY.test(instructions)
  return namesScale(instructions) ? { ...AS_WRITTEN, isOfQuantity } : { hasScales: true, unit, isOfQuantity }
}

const QUANTITY = /\bhow (?:many|much|old|long|far|high|heavy|large|big)\b|\b(?:amount|price|costs?|money|total|sum|fee)\b/i

export function namesScale(instructions: string): boolean {
  return /\b(?:thousands?|millions?|billions?|mn|bn)\b/i.test(instructions)
}

// ── The unit of a question ──

const BEFORE_UNIT = /\b(?:how many|number of|in) |(?<=\s)\(/gi
/** A change of 9 °F is one of 5 °C, and 9 °F are -13 °C. */
const OF_CHANGE = /\b(?:by|differ\w*|chang\w*|rises?|rose|risen|f[ae]ll\w*|drop\w*|increas\w*|decreas\w*|warmer|cooler|colder|hotter)\b/i

/** The one unit that a question asks for; null where it names none, two, or one per another but for speeds. */
function unitAsked(question: string): Unit | null {
  const [unit, ...others] = Array.from(question.matchAll(BEFORE_UNIT), (match) => {
    return knownUnitBehind(` ${question.slice(match.index + match[0].length)}`)
  }).filter((found) => found !== null)
  if (unit === undefined) return null
  const named = unitsIn(question).filter((other) => areOfOneKind(other, unit) && !/^second$/i.test(other.words[0] as string))
  if (![...others, ...named].every((other) => inUnit(1, other, unit) === 1)) return null
  const rates = unit.meanings.filter(({ of }) => of.includes('/')).length
  const isOpen = rates > 0 && rates < unit.meanings.length
  return isOpen || (isTemperature(unit) && OF_CHANGE.test(question)) ? null : unit
}

const isTemperature = ({ meanings }: Unit): boolean => meanings.some(({ of }) => of === 'temperature')

// ── The numbers of a text ──

/** UTF-16 units around a number in which its unit is looked for. */
const [AHEAD, BEHIND] = [8, 60]
/** A "k" is one only at its digits: "12k", not "12 K". */
const SCALED = /^(?:\s?(thousand|million|billion|mn|bn)(?!\p{L})|(k)(?![\p{L}\d]))/u

/** A number with its scale, which the number itself does not have yet, and its unit. */
interface ReadNumber extends PlacedNumber {
  readonly scale: number
  readonly unit: Unit | null
}

/**
 * In reading order, but for those of another unit than is asked for. `name`: of the member of JSON or the column that
 * the text is the value of, '' for none.
 */
export function asAsked(written: readonly PlacedNumber[], text: string, name: string, reading: NumberReading): AskedNumber[] {
  const { unit } = reading
  const counted = reading.isOfQuantity ? written.filter(({ start }) => !isOfName(text.slice(Math.max(0, start - AHEAD), start))) : written
  const found = counted.toSorted((a, b) => a.start - b.start).map((one) => readNumber(one, text, reading))
  const ofName = unit === null ? null : unitOfMember(name)
  const read = withSharedEndings(found, text).map((one) => (one.unit === null && ofName !== null ? { ...one, unit: ofName } : one))
  const quantities = unit === null ? read.map((one) => [one]) : quantitiesOf(read, text)
  return quantities.flatMap((parts) => {
    const [only, ...more] = parts
    if (unit !== null && more.length === 0 && only?.unit && !mayMeasure(only.unit, unit)) return []
    const made = unit === null ? null : sumIn(parts, unit, text)
    return parts.map((part): AskedNumber => {
      const plain = scaled(part)
      const number = made ?? plain
      return { start: part.start, end: part.end, number, quantity: (parts[0] as ReadNumber).start, isConverted: number !== plain }
    })
  })
}

/** Whether a number of one unit may answer a question for another: not kg for euros, but months for days. */
function mayMeasure(own: Unit, asked: Unit): boolean {
  return areOfOneKind(own, asked) || [own, asked].every(({ meanings }) => meanings.some(({ of }) => of === 'time' || of === 'years'))
}

/** Whether what stands in front makes a number part of a name: "D-12", "INV2024", "#88"; not "EUR50", "x3", "1h30". */
function isOfName(ahead: string): boolean {
  return /(?:(?<![\p{L}\d])\p{L}+-?|#)$/u.test(ahead) && !/(?<!\p{L})x$/iu.test(ahead) && unitAhead(ahead) === null
}

function readNumber(one: PlacedNumber, text: string, { hasScales, unit }: NumberReading): ReadNumber {
  const behind = text.slice(one.end, one.end + BEHIND)
  const [said = '', word, letter = ''] = (hasScales ? SCALED.exec(behind) : null) ?? []
  const ahead = text.slice(Math.max(0, one.start - AHEAD), one.start)
  const rest = behind.slice(said.length)
  // "1h30min" has its unit in front of a digit, and "5 m2" with one.
  const own = unit === null ? null : (knownUnitBehind(rest) ?? knownUnitBehind(rest.replace(/\d.*$/s, '')) ?? unitAhead(ahead))
  return { ...one, scale: SCALES.get(word ?? letter) ?? 1, unit: own }
}

/** To fifteen digits: 1.1 million is 1100000. */
const scaled = ({ number, scale }: ReadNumber): number => (scale === 1 ? number : Number((number * scale).toPrecision(15)))

/** "2 and 3 million", "5-10 kg", "2, 3 and 5 kg": what stands behind the last one goes for all. */
function withSharedEndings(read: readonly ReadNumber[], text: string): readonly ReadNumber[] {
  const backwards: ReadNumber[] = []
  let isShared = false
  for (const one of read.toReversed()) {
    const next = backwards.at(-1)
    const between = next === undefined ? '' : text.slice(one.end, next.start)
    const isPair: boolean = /^(?: ?(?:-|–) ?| (?:and|or|to) )$/.test(between) || (isShared && between === ', ')
    isShared = isPair && one.unit === null && (next?.unit !== null || next.scale > 1)
    backwards.push(isShared && next !== undefined ? { ...one, unit: next.unit, scale: next.scale } : one)
  }
  return backwards.reverse()
}

/** That of `weight_kg`; none of `timeout_min`, which may be the least one, nor of a name that is only a symbol. */
function unitOfMember(name: string): Unit | null {
  const isUnclear = /(?:^|\s)min$/i.test(name) || /^\P{L}*\p{L}{0,3}$/u.test(name)
  return isUnclear ? null : unitOfName(name)
}

// ── Quantities of several parts ──

const BETWEEN_PARTS = /^\s?\p{L}+\.?(?:,| and)? ?$/u
const LISTING = /,|\band\b/
const BEHIND_HOURS = /^\s?(?:h|hrs?|hours?)\s?$/i
/** Of "1h30" and "1h 30m", which are no metres. */
const MINUTES = /^(?:\s?m)?(?!\s?\p{L}|\d)/u

/**
 * "5 feet 10 inches" and "1 hour and 30 minutes" are one quantity each; of "3 kg and 500 g", and "1 h, 30 min and 20
 * min", each number is one.
 */
function quantitiesOf(read: readonly ReadNumber[], text: string): readonly (readonly ReadNumber[])[] {
  const found: ReadNumber[][] = []
  let isListed = false
  for (const one of read) {
    const before = found.at(-1) ?? []
    const last = before.at(-1)
    const between = last === undefined ? '' : text.slice(last.end, one.start)
    const unit = unitBehindPart(one, between, text)
    const ratio = last?.unit && unit && BETWEEN_PARTS.test(between) ? inUnit(1, unit, last.unit) : null
    const isPart = ratio !== null && ratio < 1 && ratio * scaled(one) < 1
    const isListing = LISTING.test(between)
    if (isPart && !(isListing && (isListed || isDecimal(ratio)))) {
      before.push({ ...one, unit })
      continue
    }
    if (ratio === 1 && LISTING.test(text.slice(before[0]?.end, last?.start))) found.push(...(found.pop() ?? []).map((single) => [single]))
    isListed = ratio !== null && isListing
    found.push([one])
  }
  return found
}

/** The unit of a number that may be a part of the quantity before it. */
function unitBehindPart({ unit, end }: ReadNumber, between: string, text: string): Unit | null {
  const behind = text.slice(end, end + BEHIND)
  if (BEHIND_HOURS.test(between) && MINUTES.test(behind)) return knownUnitBehind(' min')
  // Behind feet "in" is a unit.
  return unit ?? unitBehind(behind, 0)
}

/** Grams of a kilogram, unlike minutes of an hour. */
const isDecimal = (ratio: number): boolean => Number.isInteger(rounded(Math.log10(ratio)))

function sumIn(parts: readonly ReadNumber[], unit: Unit, text: string): number | null {
  const [first] = parts as readonly [ReadNumber]
  if (isTemperature(unit) && /\bby -?$/i.test(text.slice(Math.max(0, first.start - AHEAD), first.start))) return null
  const made = parts.map((part) => (part.unit === null ? null : inUnit(scaled(part), part.unit, unit)))
  if (made.includes(null)) return null
  return rounded((made as number[]).reduce((sum, one) => sum + one, 0))
}

/** Null where the two do not measure the same, or where it depends on which gallon is meant. */
function inUnit(number: number, from: Unit, to: Unit): number | null {
  const made = new Set(converted(number, from, to))
  return made.size === 1 ? rounded([...made][0] as number) : null
}

/** Of so many digits, and decimals, that a value may have. */
const rounded = (number: number): number => Number(Number(number.toPrecision(12)).toFixed(12))
