// Kinds of settings: each reads a text from a flag or the environment, and writes a value back as text. A text that
// cannot be read gives null; the caller reports what was expected.
import { dollarsText, type NanoDollars, parseDollars } from './money.ts'

/** How one kind of value is written. `show(read(text))` reads back as the same value. */
export interface SettingKind<T> {
  /** What it takes, to follow "takes". */
  readonly takes: string
  /** Stands for the value in a synopsis: `<size>`. */
  readonly placeholder: string
  /** Whether commas go between several: a flag that is given again adds to it, where the last one counts otherwise. */
  readonly isList?: true
  /** Null: not such a value. */
  read(text: string): T | null
  show(value: T): string
}

type Unit = readonly [suffix: string, size: number]

const BYTES: readonly Unit[] = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
  ['B', 1],
]
const DURATIONS: readonly Unit[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
]
const PIXELS: readonly Unit[] = [
  ['Mpx', 1e6],
  ['kpx', 1e3],
  ['px', 1],
]

/** A number with a unit, in the smallest one; a bare number counts those. Units may be written in any case. */
function quantity(what: string, placeholder: string, units: readonly Unit[], least: number, most: number): SettingKind<number> {
  const show = (value: number): string => {
    const [suffix, size] = units.find(([, size]) => value >= size && value % size === 0) ?? units.at(-1)!
    return `${value / size}${suffix}`
  }
  return {
    takes: `${what} from ${show(least)} to ${show(most)}`,
    placeholder,
    read(text) {
      const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim())
      if (match === null) return null
      const suffix = match[2]!.toLowerCase()
      const size = suffix === '' ? 1 : units.find(([name]) => name.toLowerCase() === suffix)?.[1]
      if (size === undefined) return null
      // Fractions of a larger unit are rounded to the smallest one, which itself has none.
      const value = size === 1 ? Number(match[1]) : Math.round(Number(match[1]) * size)
      return Number.isSafeInteger(value) && value >= least && value <= most ? value : null
    },
    show,
  }
}

/** Bytes: `32MiB`, `500kB`, `1048576`. */
export function byteCount(least: number, most: number): SettingKind<number> {
  return quantity('a size such as 32MiB,', 'size', BYTES, least, most)
}

/** Milliseconds: `60s`, `24h`, `30d`, `1500`. */
export function duration(leastMs: number, mostMs: number): SettingKind<number> {
  return quantity('a time such as 500ms, 60s, 5min, 24h or 30d,', 'time', DURATIONS, leastMs, mostMs)
}

/** Pixels: `40Mpx`, `640000`. */
export function pixelCount(least: number, most: number): SettingKind<number> {
  return quantity('pixels such as 40Mpx,', 'pixels', PIXELS, least, most)
}

export function wholeNumber(least: number, most: number): SettingKind<number> {
  return {
    takes: `a whole number from ${least} to ${most}`,
    placeholder: 'number',
    read(text) {
      const value = Number(text.trim())
      return /^\d+$/.test(text.trim()) && value >= least && value <= most ? value : null
    },
    show: String,
  }
}

export const onOff: SettingKind<boolean> = {
  takes: 'on or off',
  placeholder: 'on|off',
  read(text) {
    const word = text.trim().toLowerCase()
    if (['on', 'true', '1', 'yes'].includes(word)) return true
    return ['off', 'false', '0', 'no'].includes(word) ? false : null
  },
  show: (value) => (value ? 'on' : 'off'),
}

export function oneOf<const T extends string>(names: readonly T[]): SettingKind<T> {
  return {
    takes: `one of ${names.join(', ')}`,
    placeholder: 'name',
    read: (text) => names.find((name) => name === text.trim().toLowerCase()) ?? null,
    show: (value) => value,
  }
}

/** A text that `isGood` likes. */
export function word(takes: string, placeholder: string, isGood: (text: string) => boolean): SettingKind<string> {
  return { takes, placeholder, read: (text) => (isGood(text.trim()) ? text.trim() : null), show: (value) => value }
}

/** What is said in place of an empty list. */
const NONE = 'none'

/** Items with commas between them; `none` for no item. */
export function listOf(takes: string, placeholder: string, isGood: (item: string) => boolean): SettingKind<readonly string[]> {
  return {
    takes,
    placeholder,
    isList: true,
    read(text) {
      const items = itemsOf(text)
      return items.every(isGood) ? items : null
    },
    show: (items) => (items.length === 0 ? NONE : items.join(',')),
  }
}

function itemsOf(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim())
  return items.length === 1 && items[0] === NONE ? [] : items
}

function pairsOf<T>(
  takes: string,
  placeholder: string,
  readValue: (text: string) => T | null,
  showValue: (value: T) => string,
): SettingKind<Readonly<Record<string, T>>> {
  return {
    takes,
    placeholder,
    isList: true,
    read(text) {
      const pairs = new Map<string, T>()
      for (const item of itemsOf(text)) {
        const [, name, written] = /^([^=\s]+)\s*=\s*(\S.*)$/.exec(item) ?? []
        const value = written === undefined ? null : readValue(written)
        if (name === undefined || value === null || pairs.has(name)) return null
        pairs.set(name, value)
      }
      return Object.fromEntries(pairs)
    },
    show(pairs) {
      const items = Object.entries(pairs).map(([name, value]) => `${name}=${showValue(value)}`)
      return items.length === 0 ? NONE : items.join(',')
    },
  }
}

/** Dollars per million input tokens by model. */
export const prices: SettingKind<Readonly<Record<string, NanoDollars>>> = pairsOf(
  'model=dollars per million input tokens, such as service-1-pro=0.10 (* for every other model, commas between), or none',
  'model=dollars',
  (text) => {
    const amount = parseDollars(text)
    return amount === null || amount < 0n ? null : amount
  },
  (amount) => dollarsText(amount).replace(/\.?0+$/, ''),
)

/** Models by the names that stand for them. A `*` may end a name. */
export const aliases: SettingKind<Readonly<Record<string, string>>> = (() => {
  const kind = pairsOf<string>(
    'name=model, such as gpt-*=service-1-pro (a * may end a name, commas between), or none',
    'name=model',
    (text) => (/\s/.test(text) ? null : text),
    (model) => model,
  )
  return {
    ...kind,
    read(text) {
      const pairs = kind.read(text)
      return pairs !== null && Object.keys(pairs).every((name) => /^[^*]*\*?$/.test(name)) ? pairs : null
    },
  }
})()

/** Names for people by the ids of models. */
export const modelNames: SettingKind<Readonly<Record<string, string>>> = pairsOf<string>(
  'id=name, such as service-1=Service 1 (commas between), or none',
  'id=name',
  (text) => text,
  (name) => name,
)
