// Finds the stretches of a text that look like a format: a number, a date, an address. The patterns are wide on
// purpose: the model chooses among the stretches found, so a missed one costs an answer and a spurious one costs
// little.
import type { SpanFormat } from '../backends/backend.ts'

/** UTF-16 offsets of one stretch that looks like a format. */
export interface FormatMatch {
  readonly start: number
  readonly end: number
}

/** `1,250` */
const BY_COMMAS = '\\d{1,3}(?:,\\d{3})+'
/** `1 250`, `1'250`: no part of a row of numbers such as "30 123 456 78". */
const APART = "(?<!\\d[ \u2009])\\d{1,3}(?:(?:['\u2019\u00a0\u202f]\\d{3})+|(?:[ \u2009]\\d{3})+)(?![ \u2009]\\d)"
const WHOLE = `(?:${APART}|${BY_COMMAS}|\\d{1,40})`
// `12.50`, `12,50`, `1,250.50`, `1.250,50`, `1 250,50`
const DECIMAL = `(?:${APART}(?:[.,]\\d{1,20})?|${BY_COMMAS}(?:\\.\\d{1,20})?|\\d{1,3}(?:\\.\\d{3})+,\\d{1,20}|\\d{1,40}(?:[.,]\\d{1,20})?)`
const SIGN = '(?:(?<![\\p{L}\\p{N}])[-+\u2212])?'
/**
 * Not in the middle of a word or of another number; a comma belongs to a number only before three digits, so that "1,2"
 * may be a list.
 */
const NUMBER_STARTS = '(?<![\\p{L}\\p{N}_]|\\d\\.|\\d,(?=\\d{3}(?!\\d)))'
const NUMBER_ENDS = '(?!\\d|\\.\\d|,\\d{3}(?!\\d))'
/** `1e3`, `2.5E-7` */
const EXPONENT = '(?:[eE][-+]?\\d{1,3}(?![\\p{L}\\p{N}_]))?'

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
/** Of an abbreviation, before the rest of its date: elsewhere it ends a sentence. */
const MONTH_POINT = '(?:(?<=(?<!\\p{L})\\p{L}{3,4})(?<!may|june|july)\\.)?'
const DAY = '(?:0?[1-9]|[12]\\d|3[01])'
const MONTH_NUMBER = '(?:0?[1-9]|1[0-2])'
const DATE = [
  `\\d{4}([-/.])${MONTH_NUMBER}\\1${DAY}`,
  `${DAY}([-/.])${DAY}\\2(?:\\d{4}|\\d{2})`,
  `${DAY}(?:st|nd|rd|th)?(?:\\s+of)?[ -]${MONTH}(?:${MONTH_POINT},?[ -]\\d{4})?`,
  `${MONTH}${MONTH_POINT}\\s+${DAY}(?:st|nd|rd|th)?(?:,?\\s+\\d{4})?`,
  `${MONTH}${MONTH_POINT},?\\s+\\d{4}`,
].join('|')

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?'
const EMAIL = `(?<!${ATOM}|\\.)${ATOM}{1,64}(?:\\.${ATOM}{1,64}){0,8}@${LABEL}(?:\\.${LABEL}){1,8}`

const URL_TAIL = '[^\\s<>"\'\\u0060{}|\\\\^]'
// Behind the last character that is no closing punctuation; a closing bracket stays when the address has an opening
// one.
const URL = `(?<![\\p{L}\\p{N}@.])(?:https?:\\/\\/|www\\.)(?:${URL_TAIL}{0,2000}\\([^\\s()<>]{0,200}\\))?(?:${URL_TAIL}{0,2000}[^\\s<>"'\\u0060{}|\\\\^.,;:!?()\\[\\]“”‘’«»…])?`

const SCALE = '(?:\\s?(?:[km]|bn|thousand|million|billion)\\b)'
const CURRENCY =
  '(?:USD|EUR|GBP|JPY|CNY|RMB|INR|CHF|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|TRY|BRL|MXN|KRW|SGD|HKD|ZAR|ILS|AED|SAR|THB|' +
  'US\\$|(?:US )?dollars?|euros?|pounds?|yen|yuan|rupees?|francs?|pesos?|rubles?|cents?|bucks|\\p{Sc}|&(?:euro|pound|yen|dollar|#8364);)'
/** As in a text, and as in the HTML of a mail. */
const SPACE = '(?:\\s|&nbsp;)?'
const MONEY = `(?:(?<![\\p{L}\\p{N}])${CURRENCY}${SPACE}[-\u2212]?${DECIMAL}${NUMBER_ENDS}${SCALE}?|${NUMBER_STARTS}${SIGN}${DECIMAL}${NUMBER_ENDS}${SCALE}?${SPACE}${CURRENCY}(?![\\p{L}\\p{N}]))`

const FINDERS: Record<Exclude<SpanFormat, 'text'>, string> = {
  int: `${SIGN}${NUMBER_STARTS}${WHOLE}${NUMBER_ENDS}`,
  number: `${SIGN}${NUMBER_STARTS}${DECIMAL}${EXPONENT}${NUMBER_ENDS}`,
  date: `(?<![\\p{L}\\p{N}]|\\d[-/.])(?:${DATE})(?!(?!T\\d\\d:)[\\p{L}\\p{N}]|[-/.]\\d)`,
  email: EMAIL,
  url: URL,
  money: MONEY,
}

/**
 * The stretches of a format in a text, in reading order, not overlapping, the longest at each position. `int`: digits,
 * also with thousands ("1,250") and a sign, not part of a decimal. `number`: the same with decimals behind point or
 * comma, and with an exponent. `date`: a day of a month in numbers (any order, `-` `/` `.`) or with an English month
 * name, also a month of a year; not checked against the calendar. `email`: name@domain.tld. `url`: from http://,
 * https:// or www. to the last character that is no closing punctuation. `money`: a number with a currency sign, ISO
 * code or English name beside it.
 */
export function findFormat(format: Exclude<SpanFormat, 'text'>, text: string): FormatMatch[] {
  // Amounts in Arabic or Devanagari digits are not found; \d is ASCII.
  const finder = new RegExp(FINDERS[format], format === 'int' || format === 'number' ? 'gu' : 'giu')
  const found: FormatMatch[] = []
  for (const match of text.matchAll(finder)) {
    if (match[0].length > 0) found.push({ start: match.index, end: match.index + match[0].length })
  }
  return found
}
