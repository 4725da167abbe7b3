// Finds the unit of a number where people write it ("5 lb", "60 km per hour", "volume_ml"), and says what a number of
// one unit is in another.
import { isKindOfMoney, isListedKind, MEANINGS, type Meaning } from './unit-table.ts'

/** A unit as it is named; without meanings it is a word that may be one, such as that of things which are counted. */
export interface Unit {
  readonly meanings: readonly Meaning[]
  readonly words: readonly string[]
}

/** Units in letters that are mostly another word: they count beside one of their kind alone. */
const MOSTLY_WORDS = new Set(['in', 'us'])
/** Behind a number they name nothing that it counts. */
const SMALL_WORDS = new Set(
  '° a an and are as at be been but by degree degrees deg each for from had has have if in is it of on or per so than that the then there this to was were when which while who will with'.split(
    ' ',
  ),
)
/** Letters of what may be the symbol of a unit that is not known. */
const LONGEST_SYMBOL = 3
/** How far a unit is looked for, in words, and how many stand before it ("working days"). */
const [MOST_WORDS, WORDS_BEFORE] = [3, 1]
/** A stretch of words behind a number: not over the end of the line, the sentence or the cell. */
const WORDS_BEHIND = /^[ \u00a0\u202f-]?((?![\d_])[\p{L}\p{Sc}%‰°][^\s,;:!?()[\]{}|"]*(?: [^\s,;:!?()[\]{}|"]+){0,3})/u
const CURRENCY_AHEAD = /(?:(?:[A-Z]{1,2})?\p{Sc}|\b[A-Z]{3})[ \u00a0\u202f]?[-−]?$/u
const CALCULATED_DIGITS = 12

/**
 * The unit that stands behind a number: "5 lb", "3 working days". Null where no word is there that may be one.
 * `wordsBefore`: so many words may stand in front of it.
 */
export function unitBehind(text: string, wordsBefore = WORDS_BEFORE): Unit | null {
  const said = WORDS_BEHIND.exec(text.replace(/^([\s-]?(?:sq|cu|fl))\. /i, '$1 '))?.[1] ?? ''
  const words = said.replace(/\.(?: .*)?$/s, '').split(' ')
  const [first = ''] = words
  if (first === '') return null
  const isSmall = SMALL_WORDS.has(first.toLowerCase())
  for (let from = 0; from <= (isSmall ? 0 : wordsBefore); from++) {
    const meanings = meaningsAt(words.slice(from, from + MOST_WORDS))
    if (meanings.length > 0 && (from === 0 || !isMostlyWord(words[from] as string))) return { meanings, words: [first] }
  }
  if (isSmall) return null
  return { meanings: [], words: words.filter((word) => !SMALL_WORDS.has(word.toLowerCase())).map(withoutS) }
}

/** The known unit directly behind a number; what is mostly another word ("5 in total") is none. */
export function knownUnitBehind(text: string): Unit | null {
  const unit = unitBehind(text, 0)
  if (unit === null || unit.meanings.length === 0) return null
  const [first = ''] = unit.words
  // "US dollars" is none of these words alone.
  return isMostlyWord(first) && meaningsOf(first)[0] === unit.meanings[0] ? null : unit
}

/** The known units that the words of a text name; of several names that begin at a word the longest counts. */
export function unitsIn(text: string): readonly Unit[] {
  const words = text.match(/[^\s,;:!?()[\]{}|".]+/g) ?? []
  const units: Unit[] = []
  for (let at = 0; at < words.length; ) {
    const count = wordsOfName(words.slice(at, at + MOST_WORDS))
    const name = words.slice(at, at + count).join(' ')
    if (!SMALL_WORDS.has(name.toLowerCase()) && !isMostlyWord(name)) units.push({ meanings: meaningsOf(name), words: [name] })
    at += Math.max(1, count)
  }
  return units.filter(({ meanings }) => meanings.length > 0)
}

/** The currency that stands in front of a number: "€50", "USD 50". */
export function unitAhead(text: string): Unit | null {
  const name = CURRENCY_AHEAD.exec(text)?.[0].replace(/[\s\u00a0\u202f−-]/gu, '') ?? ''
  return named(name, meaningsOf(name))
}

/** "min" of "length_min", "Ms" of "durationMs": where a JSON value has its unit. */
export function unitOfName(name: string): Unit | null {
  const words = name.match(/\p{Lu}+(?!\p{Ll})[23]?|\p{Lu}?\p{Ll}+[23]?|\d+|%/gu) ?? []
  for (let count = Math.min(words.length, MOST_WORDS); count > 0; count--) {
    const last = words.slice(-count).join(' ')
    const unit = named(last, meaningsOf(last))
    if (unit !== null) return unit
  }
  return null
}

/** What a number of one unit may be in another, by system; null where they are not of one kind. */
export function converted(value: number, from: Unit, to: Unit): readonly number[] | null {
  if (from.meanings.length === 0 && to.meanings.length === 0) return areBothCounted(from, to) ? [value] : null
  for (const own of from.meanings) {
    const wanted = to.meanings.find(({ of }) => of === own.of)
    if (wanted === undefined) continue
    if (wanted.sizes === own.sizes) return [value]
    const systems = Math.max(own.sizes.length, wanted.sizes.length)
    return Array.from({ length: systems }, (_, system) => {
      const made = ((value - own.zero) * sizeIn(own, system)) / sizeIn(wanted, system) + wanted.zero
      return Number(made.toPrecision(CALCULATED_DIGITS))
    })
  }
  return [from, to].some(({ words }) => words.some(isMostlyWord)) ? [value] : null
}

/** Whether a unit may be one of money. */
export const isMoney = ({ meanings }: Unit): boolean => meanings.some(({ of }) => isKindOfMoney(of))

/** Seconds, hours, days. */
export const isTime = ({ meanings }: Unit): boolean => meanings.some(({ of }) => of === 'time')

export const isPercent = ({ meanings }: Unit): boolean => meanings.some(({ of, sizes }) => of === 'share' && sizes[0] === 1)

/** Whether two units measure the same. */
export function areOfOneKind(one: Unit, other: Unit): boolean {
  return one.meanings.some(({ of }) => other.meanings.some((another) => another.of === of))
}

/** People call things that they count by many names (weights, parameters), but not what they measure in. */
function areBothCounted(...[{ words: some }, { words: others }]: readonly [Unit, Unit]): boolean {
  return some.some((word) => others.includes(word)) || [some, others].every(([word = '']) => word.length > LONGEST_SYMBOL)
}

const isMostlyWord = (word: string): boolean => MOSTLY_WORDS.has(word.toLowerCase())

function sizeIn({ sizes }: Meaning, system: number): number {
  return sizes[Math.min(system, sizes.length - 1)] as number
}

/** Of the most words that name one. */
function meaningsAt(words: readonly string[]): readonly Meaning[] {
  return meaningsOf(words.slice(0, wordsOfName(words)).join(' '))
}

/** How many of the first words name a unit, at most; 0 for none. */
function wordsOfName(words: readonly string[]): number {
  let count = words.length
  while (count > 0 && meaningsOf(words.slice(0, count).join(' ')).length === 0) count--
  return count
}

function meaningsOf(name: string): readonly Meaning[] {
  const said = name.normalize('NFKC').toLowerCase()
  const plain = plainMeanings(said)
  if (plain.length > 0) return plain
  const [, power, root, short, digit] = /^(square|sq|cubic|cu) ?(.+)$|^(\p{L}+)\^?([23])$/u.exec(said) ?? []
  const length = plainMeanings(root ?? short ?? '').find(({ of }) => of === 'length')
  if (length !== undefined) {
    const [of, dimensions] = (power?.startsWith('s') ?? digit === '2') ? ['area', 2] : ['volume', 3]
    return [{ of: of as string, sizes: length.sizes.map((size) => size ** (dimensions as number)), zero: 0 }]
  }
  const [, over = '', under = ''] = /^(.+?)(?:\/| per | an? )(.+)$/.exec(said) ?? []
  // Of "km/h at the station" two words are the unit.
  const isKnown = plainMeanings(under).length > 0 || !under.includes(' ')
  return over === '' || !isKnown ? [] : quotient(plainMeanings(over), plainMeanings(under))
}

function plainMeanings(said: string): readonly Meaning[] {
  const own = MEANINGS.get(said)
  // "has" is no number of hectares.
  if (own !== undefined || SMALL_WORDS.has(said)) return own ?? []
  return MEANINGS.get(withoutS(said)) ?? MEANINGS.get(said.replace('s ', ' ')) ?? []
}

/** One unit per another. But for speeds, where the other number has no "per", what stands before it is compared. */
function quotient(over: readonly Meaning[], under: readonly Meaning[]): readonly Meaning[] {
  const quotients = over.flatMap((one) =>
    under.map((other): Meaning => {
      const systems = Math.max(one.sizes.length, other.sizes.length)
      const sizes = Array.from({ length: systems }, (_, system) => sizeIn(one, system) / sizeIn(other, system))
      return { of: `${one.of}/${other.of}`, sizes, zero: 0 }
    }),
  )
  return quotients.some(({ of }) => isListedKind(of)) ? quotients : [...quotients, ...over]
}

function named(name: string, meanings: readonly Meaning[]): Unit | null {
  return meanings.length === 0 ? null : { meanings, words: [name] }
}

function withoutS(word: string): string {
  return word.toLowerCase().replace(/s$/, '')
}
