// The units that people write with a number: what each name may mean, and how large the unit is.

/** What a unit may mean. A number of it, less `zero`, times its size is a number of the base unit of its kind. */
export interface Meaning {
  /** The kind of the unit, which is what it measures: "length", "length/time". */
  readonly of: string
  /** One, or where systems differ one for each: American, imperial, metric; of bytes, thousands and 1024s. */
  readonly sizes: readonly number[]
  /** Of a temperature: the number of this unit at the zero of the base unit, 32 °F. */
  readonly zero: number
}

/**
 * The names of one unit and its size in the base unit of its kind; `zero` as in `Meaning`. Names are in lower case,
 * since case is not looked at ("mW" is read as a megawatt), and without a plural s.
 */
type UnitRow = readonly [names: string, size: number | readonly number[], zero?: number]

// All are exact by definition, in grams, metres, cubic metres and seconds: pound and inch by the agreement of 1959 (an
// ounce is 1/16 lb, a mile 5280 feet), the American gallon as 231 cubic inches, the imperial one by the British Weights
// and Measures Act of 1985.
const [LB, OZ] = [453.59237, 28.349523125]
const [INCH, MILE] = [0.0254, 1609.344]
const [GALLON, IMPERIAL_GALLON] = [3.785411784e-3, 4.54609e-3]
const HOUR = 3600
const NAUTICAL_MILE = 1852

/**
 * Units by what they measure. The base unit is that of size 1; of areas and volumes, where none has it, the square and
 * the cubic metre. Squares and cubes of lengths, and one unit per another ("km/h"), are worked out; "length/time" and
 * "data/time" hold what is written without a "per".
 */
const MEASURES: Readonly<Record<string, readonly UnitRow[]>> = {
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
  // Months have no fixed number of days, so these and those above are not converted.
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
    ['nmi, nautical mile', NAUTICAL_MILE],
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
    // A metric cup is a quarter of a litre.
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
    // Short, long and metric.
    ['ton', [2000 * LB, 2240 * LB, 1e6]],
    ['oz, ounce', OZ],
    ['lb, pound', LB],
    ['stone', 14 * LB],
  ],
  'length/time': [
    ['kmh, kph, km h', 1000 / HOUR],
    ['mph', MILE / HOUR],
    ['mps, m s', 1],
    ['kn, kt, knot', NAUTICAL_MILE / HOUR],
  ],
  data: [
    ['bit', 1 / 8],
    ['byte', 1],
    // Thousands, as the SI has it, or 1024s, as memory is sold.
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
    ['kelvin, degree kelvin', 1, 273.15],
  ],
  share: [
    ['%, percent, pct', 1],
    ['‰', 0.1],
  ],
}

/** Money: each currency is a kind of its own, since what one is in another is a rate that is no business of ours. */
const CURRENCIES: Readonly<Record<string, readonly UnitRow[]>> = {
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

/** The kinds of dollars by their codes, which are names too: "$" and "dollar" may be each of them, "US$" is one. */
function dollars(names: Readonly<Record<string, string>>): Record<string, readonly UnitRow[]> {
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

/** A kind for each, of one unit with these names. */
function currencies(...names: readonly (readonly string[])[]): Record<string, readonly UnitRow[]> {
  return Object.fromEntries(names.flat().map((own) => [own, [[own, 1]]]))
}

const KINDS = { ...MEASURES, ...CURRENCIES }

/** Whether it is the kind of a row above, and not only worked out. */
export const isListedKind = (of: string): boolean => of in KINDS

export const isKindOfMoney = (of: string): boolean => of in CURRENCIES

/** What a name may mean, in the order of the table: an ounce is of volume or of mass. */
export const MEANINGS = new Map<string, readonly Meaning[]>()
for (const [of, rows] of Object.entries(KINDS)) {
  for (const [names, size, zero = 0] of rows) {
    const meaning = { of, sizes: typeof size === 'number' ? [size] : size, zero }
    for (const name of names.split(', ')) MEANINGS.set(name, [...(MEANINGS.get(name) ?? []), meaning])
  }
}
