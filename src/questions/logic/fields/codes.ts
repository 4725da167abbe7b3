// Countries and currencies, which a field says by their code: "The customer lives in Germany." of { country: "DE" },
// "The order was paid in euros." of { currency: "EUR" }.
import { areOfOneKind, isMoney, unitsIn } from '../../../core/units.ts'
import { type ClaimReading, isAbout } from './claim.ts'
import { wordsOf } from './json-fields.ts'

/** Null where the claim says anything but which country or currency it is. */
export const byCode: ClaimReading = (claim) => {
  if (claim.subjects === null) return null
  return (field) => {
    const { value, name } = field
    // `country_code` is one of a country.
    const saidOf = SAID.get(name.findLast((word) => word !== 'code') ?? '')
    const found = saidOf === undefined || typeof value !== 'string' ? null : saidOf(claim.text, value)
    if (found === null) return null
    const said = new Set([...name, ...found.words])
    const others = claim.content.filter((word) => !said.has(word))
    return isAbout(others, field, claim) ? found.isSame !== claim.isDenied : null
  }
}

interface Said {
  readonly isSame: boolean
  /** Those of the claim that say which one, and how. */
  readonly words: readonly string[]
}

// ── Countries ──

const LIVES = 'live lived living reside based located come from in country resident shipped ship'.split(' ')
/** Names that people use besides those of Unicode. */
const ALSO_CALLED = Object.entries({
  'united states': 'USA, US, America',
  'united kingdom': 'UK, Great Britain, Britain',
  czechia: 'Czech Republic',
  türkiye: 'Turkey',
  netherlands: 'Holland',
}).flatMap(([name, others]) => others.split(', ').map((other) => [other, name] as const))
const EUROPEAN_UNION = 'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' ')
/** Words of a name, at most: "United Arab Emirates". */
const MOST_WORDS = 3

const OTHER_NAMES: ReadonlyMap<string, string> = new Map(ALSO_CALLED)
const LETTERS = Array.from({ length: 26 }, (_, i) => String.fromCharCode(65 + i))

interface Countries {
  /** In lower case; undefined for what is no code. */
  nameOf(code: string): string | undefined
  readonly names: ReadonlySet<string>
  readonly ofTheUnion: ReadonlySet<string | undefined>
}

let asked: Countries | null = null

/** To ask for all names takes some 20 ms, which nobody pays who asks of no country. */
function countries(): Countries {
  if (asked !== null) return asked
  const display = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const nameOf = (code: string) => display.of(code)?.toLowerCase()
  const names = new Set(LETTERS.flatMap((first) => LETTERS.map((second) => nameOf(first + second) ?? '')))
  asked = { nameOf, names, ofTheUnion: new Set(EUROPEAN_UNION.map(nameOf)) }
  return asked
}

function countrySaid(claim: string, value: string): Said | null {
  const own = /^[A-Z]{2}$/.test(value) ? countries().nameOf(value) : countryNamed(value)
  const [said, ...more] = countriesIn(claim)
  if (own === undefined || said === undefined || more.length > 0) return null
  const isSame = said.country === 'european union' ? countries().ofTheUnion.has(own) : said.country === own
  return { isSame, words: [...wordsOf(said.written), ...LIVES] }
}

function countryNamed(text: string): string | undefined {
  const name = OTHER_NAMES.get(text) ?? (text === 'EU' ? 'european union' : text.toLowerCase())
  return countries().names.has(name) ? name : undefined
}

/** Of names that begin at a word the longest counts; they are written with a capital. */
function countriesIn(text: string): { readonly written: string; readonly country: string }[] {
  const words = text.match(/[\p{L}&.’-]+/gu) ?? []
  const found: { written: string; country: string }[] = []
  for (let at = 0; at < words.length; at++) {
    const length = Array.from({ length: MOST_WORDS }, (_, i) => MOST_WORDS - i).find((count) => countryAt(words, at, count) !== undefined)
    if (length === undefined || !/^\p{Lu}/u.test(words[at] as string)) continue
    found.push({ written: words.slice(at, at + length).join(' '), country: countryAt(words, at, length) as string })
    at += length - 1
  }
  return found
}

const countryAt = (words: readonly string[], at: number, count: number): string | undefined =>
  at + count > words.length ? undefined : countryNamed(words.slice(at, at + count).join(' '))

// ── Currencies ──

const PAYS = 'in paid priced price amount total cost charged billed invoiced stated currency'.split(' ')

function currencySaid(claim: string, value: string): Said | null {
  const [own] = unitsIn(value).filter(isMoney)
  const [said, ...more] = unitsIn(claim).filter(isMoney)
  if (own === undefined || said === undefined || more.length > 0) return null
  const isSame = areOfOneKind(own, said)
  // "Dollars" may be those of several countries.
  if (isSame && said.meanings.length > 1 && value.toUpperCase() !== 'USD') return null
  return { isSame, words: [...said.words.flatMap(wordsOf), ...PAYS] }
}

/** By the last word of a field's name. */
const SAID: ReadonlyMap<string, (claim: string, value: string) => Said | null> = new Map([
  ['country', countrySaid],
  ['currency', currencySaid],
])
