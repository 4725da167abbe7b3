// Claims with two limits, or written as code is, as those that compare a value with one limit: "1 < qty" is "qty > 1",
// "The total is between 50 and 60 EUR" is "The total is >= 50 EUR" and "The total is <= 60 EUR".
import { dateOf, monthOf } from '../../core/dates-as-written.ts'

/**
 * The claims, all of which have to hold, that a claim is; itself where it says nothing else. What of them compares one
 * value, and whether it is the same, is for others to see.
 */
export function restated(claim: string): readonly string[] {
  const whole = claim.replace(MARK, ' $1 ').replace(QUOTED_VALUE, '$1').trim()
  const said = whole.replace(/[.?!]+$/, '')
  for (const { pattern, claims } of FORMS) {
    const found = pattern.exec(said)
    const made = found === null ? null : claims(found.groups as Groups)
    if (made !== null) return made
  }
  return [whole]
}

/** An operator, which gets a space on each side; arrows are none. */
const MARK = /\s*(?<![-=<>])(<=|>=|!==?|={1,3}|<>|≤|≥|≠|<|>)(?![<>=])\s*/gu

/** A number or a day in quotes behind an operator or "is", where nothing follows. */
const QUOTED_VALUE = /(?<=(?:[=<>≤≥≠]|\bis|\bnot) )["'“]([^"'“”]*\d[^"'“”]*)["'”](?=[.?!]?$)/u

type Groups = Readonly<Record<string, string>>

interface Form {
  readonly pattern: RegExp
  /** Null for what only looks like the form. */
  claims(groups: Groups): readonly string[] | null
}

const VALUE = '[-−]?(?:US)?(?:\\p{Sc}|[A-Z]{3} )?[-−]?\\d[^<>=≤≥≠]*?'
/** What may be a name: no value, and compared with nothing. */
const NAME = '\\p{L}[^<>=≤≥≠]*?'
/** "more than 10" of "more than 10 but less than 20 EUR" */
const LIMITED = [
  '(?:more|greater|higher|larger|longer|older|bigger|heavier|less|fewer|lower|smaller|shorter|younger|lighter|later|earlier) than',
  'at least|at most|above|over|below|under|before|after|on or before|on or after|<=|>=|≤|≥|<|>',
].join('|')
const HAPPENS = 'placed|paid|sent|issued|delivered|signed|created|ordered|shipped|received|born|founded|cancelled'
/** What is so on one day. Other things are so on several: open, booked, valid, available. */
const ON_ONE_DAY = new RegExp(`(?:^|[\\s_])(?:due|dated)$|(?:^|\\b(?:is|are|was|were|been) |^(?:Is|Are|Was|Were) .*)(?:${HAPPENS})$`)

/** What has a size. Other things begin and end, at times of day: "The shop is open between 9 and 17". */
const HAS_A_SIZE = /^[\p{Ll}\d_.]+$|\b(?:is|are|was|were|be|been|of|has|have|had|costs?|weighs?|takes?|took|lasts?|lasted|contains?)$|^Is /u
/** As code names a field: "qty", "order.items[0].qty". A version is no number: 1.10 is another one than 1.1. */
const FIELD = '(?!.*version)[\\p{L}_][\\p{L}\\d_]*(?:[.[][\\p{L}\\d_]+\\]?)*'
/** What speaks of something else, or of somebody: "It is 5", "Ana is 30". */
const NO_FIELD = /^(?:it|this|that|these|those|there|s?he|they|we|i|you|who|what|which|how)$|^\p{Lu}/u
/** A number with at most one word behind it. */
const EXACT = /^(?:(?:US)?\p{Sc}|[A-Z]{3} )?[-−]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?(?:e[-+]?\d+)?(?: ?%| ?\p{L}+)?$/u
/** Round numbers ("2 million"), times of day, and places in an order. */
const NOT_EXACT = /\d ?(?:am|pm|st|nd|rd|th|k|m|b|mn|bn|thousand|million|billion|or|and)$/i

const FORMS: readonly Form[] = [
  form(`(?<low>${VALUE}) (?<from><=?|≤) (?<name>${NAME}) (?<to><=?|≤) (?<high>${VALUE})`, ({ low, from = '', name, to, high }) => [
    `${name} ${TURNED[from]} ${low}`,
    `${name} ${to} ${high}`,
  ]),
  form(`(?<high>${VALUE}) (?<to>>=?|≥) (?<name>${NAME}) (?<from>>=?|≥) (?<low>${VALUE})`, ({ high, to = '', name, from, low }) => [
    `${name} ${from} ${low}`,
    `${name} ${TURNED[to]} ${high}`,
  ]),
  form(`(?<limit>${VALUE}) (?<mark>[<>]=?|≤|≥) (?<name>${NAME})`, ({ limit, mark = '', name }) => [`${name} ${TURNED[mark]} ${limit}`]),
  form(`(?<name>${NAME}) between (?:the )?(?<low>${VALUE}) and (?:the )?(?<high>${VALUE})`, ({ name = '', low = '', high = '' }) => {
    const from = withUnitOf(low, high)
    return HAS_A_SIZE.test(name) || dateOf(from) !== null ? [`${name} >= ${from}`, `${name} <= ${high}`] : null
  }),
  form(
    `(?<name>${NAME}) (?<low>(?:${LIMITED}) (?<first>${VALUE})),? (?:and|but) (?<high>(?:${LIMITED}) (?<second>${VALUE}))`,
    ({ name, low = '', first = '', high, second = '' }) => [
      `${name} ${low.slice(0, -first.length)}${withUnitOf(first, second)}`,
      `${name} ${high}`,
    ],
  ),
  form(`(?<name>${FIELD}) is(?<not> not)? (?<value>.+)`, ({ name = '', not, value = '' }) => {
    const isValue = (EXACT.test(value) && !NOT_EXACT.test(value)) || dateOf(value) !== null
    return isValue && !NO_FIELD.test(name) ? [`${name} ${not === undefined ? '==' : '!='} ${value}`] : null
  }),
  form(`(?<name>${FIELD}(?: ${FIELD}){0,2}) (?<mark>={1,3}|!==?|≠|<>) (?<value>.+)`, ({ name, mark = '', value = '' }) =>
    EXACT.test(value) || dateOf(value) !== null ? [`${name} ${mark.startsWith('=') ? '==' : '!='} ${value}`] : null,
  ),
  form(`(?<name>${NAME}) on (?:the )?(?<day>.*\\d.*)`, ({ name = '', day = '' }) =>
    ON_ONE_DAY.test(name) && dateOf(day) !== null ? [`${name} == ${day}`] : null,
  ),
  form(`(?<name>${NAME}) in (?<month>\\p{L}+\\.? \\d{4})`, ({ name = '', month = '' }) => {
    const days = monthOf(month)
    return ON_ONE_DAY.test(name) && days !== null ? [`${name} >= ${days.first}`, `${name} <= ${days.last}`] : null
  }),
]

function form(source: string, claims: Form['claims']): Form {
  return { pattern: new RegExp(`^${source}$`, 'u'), claims }
}

/** Seen from the other side. */
const TURNED: Groups = { '<': '>', '<=': '>=', '≤': '>=', '>': '<', '>=': '<=', '≥': '<=' }

/** "50" of "50 and 60 EUR" is of EUR, too. */
function withUnitOf(value: string, other: string): string {
  const [, unit = ''] = /^\D*[\d.,]*\d(\D*)$/u.exec(other) ?? []
  return /\d$/.test(value) ? `${value}${unit}` : value
}
