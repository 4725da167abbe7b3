// The units that people write with a number ("5 lb", "60 km per hour", "volume_ml"), and a number of one in another.

/** What a unit may mean. A number of it, less `zero`, times its size is a number of the base unit of its kind. */
interface Meaning {
  readonly of: string
  /** By system, where these differ: American, imperial, metric gallons, tons; thousands or 1024s of bytes. */
  readonly sizes: readonly number[]
  readonly zero: number
}

/** A unit as it is named; without meanings it is a word that may be one, such as that of things which are counted. */
export interface Unit {
  readonly meanings: readonly Meaning[]
  readonly words: readonly string[]
}

type Row = readonly [names: string, size: number | readonly number[], zero?: number]

const [LB, OZ] = [453.59237, 28.349523125]
const [INCH, MILE] = [0.0254, 1609.344]
const [GALLON, IMPERIAL_GALLON] = [3.785411784e-3, 4.54609e-3]
const HOUR = 3600

/** The base unit of a kind has the size 1; squares and cubes of lengths, and one unit per another, are worked out. */
const MEASURES: Readonly<Record<string, readonly Row[]>> = {
  time: [
    ['ns, nanosecond', 1e-9],
    ['us, μs, microsecond', 1e-6],
    ['ms, msec, millisecond', 0.001],
    ['s, sec, second', 1],
    ['min, minute', 60],
    ['h, hr, hour', HOUR],
    ['day', 86_400],
    ['wk, week', 604_800],
  ],
  years: [
    ['month', 1],
    ['yr, year', 12],
  ],
  length: [
    ['μm, micrometre, micrometer', 1e-6],
    ['mm, millimetre, millimeter', 0.001],
    ['cm, centimetre, centimeter', 0.01],
    ['dm, decimetre, decimeter', 0.1],
    ['m, metre, meter', 1],
    ['km, kilometre, kilometer', 1000],
    ['in, inch, inches', INCH],
    ['ft, foot, feet', 12 * INCH],
    ['yd, yard', 36 * INCH],
    ['mi, mile', MILE],
    ['nmi, nautical mile', 1852],
  ],
  area: [
    ['ha, hectare', 1e4],
    ['acre', 4840 * (36 * INCH) ** 2],
  ],
  volume: [
    ['ml, cc, millilitre, milliliter', 1e-6],
    ['cl, centilitre, centiliter', 1e-5],
    ['dl, decilitre, deciliter', 1e-4],
    ['l, ltr, litre, liter', 0.001],
    ['hl, hectolitre, hectoliter', 0.1],
    ['oz, ounce, fl oz, fluid ounce', [GALLON / 128, IMPERIAL_GALLON / 160]],
    ['cup', [GALLON / 16, IMPERIAL_GALLON / 16, 2.5e-4]],
    ['pint', [GALLON / 8, IMPERIAL_GALLON / 8]],
    ['qt, quart', [GALLON / 4, IMPERIAL_GALLON / 4]],
    ['gal, gallon', [GALLON, IMPERIAL_GALLON]],
  ],
  mass: [
    ['μg, mcg, microgram', 1e-6],
    ['mg, milligram', 0.001],
    ['g, gram, gramme', 1],
    ['kg, kilo, kilogram, kilogramme', 1000],
    ['t, tonne, metric ton', 1e6],
    ['ton', [2000 * LB, 2240 * LB, 1e6]],
    ['oz, ounce', OZ],
    ['lb, pound', LB],
    ['stone', 14 * LB],
  ],
  'length/time': [
    ['kmh, kph, km h', 1000 / HOUR],
    ['mph', MILE / HOUR],
    ['mps, m s', 1],
    ['kn, kt, knot', 1852 / HOUR],
  ],
  data: [
    ['bit', 1 / 8],
    ['byte', 1],
    ['kb, kilobyte', [1e3, 2 ** 10]],
    ['mb, megabyte', [1e6, 2 ** 20]],
    ['gb, gigabyte', [1e9, 2 ** 30]],
    ['tb, terabyte', [1e12, 2 ** 40]],
    ['kib, kibibyte', 2 ** 10],
    ['mib, mebibyte', 2 ** 20],
    ['gib, gibibyte', 2 ** 30],
    ['tib, tebibyte', 2 ** 40],
    ['kbit, kilobit', 1e3 / 8],
    ['mbit, megabit', 1e6 / 8],
    ['gbit, gigabit', 1e9 / 8],
  ],
  'data/time': [
    ['bps', 1 / 8],
    ['kbps', 1e3 / 8],
    ['mbps', 1e6 / 8],
    ['gbps', 1e9 / 8],
  ],
  power: [
    ['w, watt', 1],
    ['kw, kilowatt', 1e3],
    ['mw, megawatt', 1e6],
  ],
  energy: [
    ['wh, watt hour', 1],
    ['kwh, kilowatt hour', 1e3],
    ['mwh, megawatt hour', 1e6],
  ],
  frequency: [
    ['hz, hertz', 1],
    ['khz, kilohertz', 1e3],
    ['mhz, megahertz', 1e6],
    ['ghz, gigahertz', 1e9],
  ],
  // A bare degree is of either scale, so it names none.
  temperature: [
    ['°c, ° c, c, celsius, centigrade, deg c, degree c, degree celsius, degree centigrade', 1],
    ['°f, ° f, f, fahrenheit, deg f, degree f, degree fahrenheit', 5 / 9, 32],
    ['kelvin, degree kelvin', 1, -273.15],
  ],
  share: [
    ['%, percent, pct', 1],
    ['‰', 0.1],
  ],
}
const CURRENCIES: Readonly<Record<string, readonly Row[]>> = {
  euro: [
    ['eur, euro, €', 1],
    ['cent', 0.01],
  ],
  ...dollars({ usd: 'us$, us dollar', cad: 'canadian dollar', aud: 'australian dollar', nzd: 'nz$', sgd: 's$', hkd: 'hk$' }),
  sterling: [
    ['gbp, pound, £, sterling, quid', 1],
    ['pence, penny', 0.01],
  ],
  ...currencies(
    ['jpy, yen, ¥', 'cny, rmb, yuan, renminbi, ¥', 'inr, rupee, ₹', 'chf, franc', 'krw, ₩', 'rub, ruble, rouble, ₽', 'lira, ₺'],
    ['sek, krona, kronor, kr', 'nok, krone, kroner, kr', 'dkk, krone, kroner, kr', 'pln, zloty, zł', 'czk, koruna', 'huf, forint'],
    ['brl, r$', 'mxn, peso', 'zar, rand', 'ils, shekel, ₪', 'aed, dirham', 'sar, riyal', 'thb, baht, ฿'],
  ),
}

/** A dollar may be each of them, two of them are not the same. */
function dollars(names: Readonly<Record<string, string>>): Record<string, readonly Row[]> {
  return Object.fromEntries(
    Object.entries(names).map(([code, own]) => [
      code,
      [
        [`${code}, ${own}, dollar, $`, 1],
        ['cent', 0.01],
      ],
    ]),
  )
}

/** What is exchanged at a rate that is no business of ours has a kind for each. */
function currencies(...names: readonly (readonly string[])[]): Record<string, readonly Row[]> {
  return Object.fromEntries(names.flat().map((own) => [own, [[own, 1]]]))
}

const KINDS = { ...MEASURES, ...CURRENCIES }
const MEANINGS = new Map<string, readonly Meaning[]>()
for (const [of, rows] of Object.entries(KINDS)) {
  for (const [names, size, zero = 0] of rows) {
    const meaning = { of, sizes: typeof size === 'number' ? [size] : size, zero }
    for (const name of names.split(', ')) MEANINGS.set(name, [...(MEANINGS.get(name) ?? []), meaning])
  }
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

/** The unit that stands behind a number: "5 lb", "3 working days". Null where no word is there that may be one. */
export function unitBehind(text: string): Unit | null {
  const said = WORDS_BEHIND.exec(text.replace(/^([\s-]?(?:sq|cu|fl))\. /i, '$1 '))?.[1] ?? ''
  const words = said.replace(/\.(?: .*)?$/s, '').split(' ')
  const [first = ''] = words
  if (first === '') return null
  const isSmall = SMALL_WORDS.has(first.toLowerCase())
  for (let from = 0; from <= (isSmall ? 0 : WORDS_BEFORE); from++) {
    const meanings = meaningsAt(words.slice(from, from + MOST_WORDS))
    if (meanings.length > 0 && (from === 0 || !MOSTLY_WORDS.has((words[from] as string).toLowerCase()))) return { meanings, words: [first] }
  }
  if (isSmall) return null
  return { meanings: [], words: words.filter((word) => !SMALL_WORDS.has(word.toLowerCase())).map(withoutS) }
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
  return [from, to].some(({ words }) => words.some((word) => MOSTLY_WORDS.has(word.toLowerCase()))) ? [value] : null
}

/** Whether a unit may be one of money. */
export const isMoney = ({ meanings }: Unit): boolean => meanings.some(({ of }) => of in CURRENCIES)

export const isPercent = ({ meanings }: Unit): boolean => meanings.some(({ of, sizes }) => of === 'share' && sizes[0] === 1)

/** Whether two units measure the same. */
export function areOfOneKind(one: Unit, other: Unit): boolean {
  return one.meanings.some(({ of }) => other.meanings.some((another) => another.of === of))
}

/** People call things that they count by many names (weights, parameters), but not what they measure in. */
function areBothCounted(...[{ words: some }, { words: others }]: readonly [Unit, Unit]): boolean {
  return some.some((word) => others.includes(word)) || [some, others].every(([word = '']) => word.length > LONGEST_SYMBOL)
}

function sizeIn({ sizes }: Meaning, system: number): number {
  return sizes[Math.min(system, sizes.length - 1)] as number
}

/** Of the most words that name one. */
function meaningsAt(words: readonly string[]): readonly Meaning[] {
  for (let count = words.length; count > 0; count--) {
    const meanings = meaningsOf(words.slice(0, count).join(' '))
    if (meanings.length > 0) return meanings
  }
  return []
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
  return over === '' ? [] : quotient(plainMeanings(over), plainMeanings(under))
}

function plainMeanings(said: string): readonly Meaning[] {
  return MEANINGS.get(said) ?? MEANINGS.get(withoutS(said)) ?? MEANINGS.get(said.replace('s ', ' ')) ?? []
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
  return quotients.some(({ of }) => of in KINDS) ? quotients : [...quotients, ...over]
}

function named(name: string, meanings: readonly Meaning[]): Unit | null {
  return meanings.length === 0 ? null : { meanings, words: [name] }
}

function withoutS(word: string): string {
  return word.toLowerCase().replace(/s$/, '')
}
