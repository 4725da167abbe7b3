// "How many minutes do preparation and cooking take together?", "How many days lie between the order and the
// delivery?": what several values come to. Each is asked for by itself; the rest is arithmetic.
import { daysFrom } from '../../core/dates-as-written.ts'
import { sum } from '../../core/math.ts'

/** UTF-16 units of a question that is looked at: what is longer does not plainly ask for several values. */
const LONGEST_QUESTION = 300
/** Values that are added: each is a read of its own. */
const MOST_VALUES = 5
/** Significant digits of an answer: what is behind them is rounding. */
const DIGITS = 12

/** A question as several, each for one value. */
export interface SeveralValues {
  /** What the values are read as. */
  readonly kind: 'number' | 'date'
  readonly asked: readonly string[]
  /** What the values come to, as they were read (dates are ISO); null where that is nothing that was asked for. */
  combined(values: readonly string[]): number | null
}

/** Null where a question asks for something else, or not plainly for several values. */
export function severalValuesOf(question: string): SeveralValues | null {
  if (question.length > LONGEST_QUESTION) return null
  const said = question
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/[.?!]+$/, '')
  const plain = said.replace(OF_SIGN, '')
  const text = ASIDE.exec(plain)?.[1] ?? plain
  const several = daysBetween(text) ?? added(text) ?? signed(text) ?? apart(text)
  return several !== null && plain !== said ? withSign(several, said) : several
}

/** "How long is it all (elapsed plus remaining)?" says the two by themselves. */
const ASIDE = /\(([^()]* (?:plus|minus) [^()]*)\)$/i

// ── Days ──

const DAYS =
  /^(?:(?:how many|the number of|number of) )?(?<unit>days|nights|weeks)(?: (?:(?:are|were|is|was) there|are|were|lie|lay|pass|passed|go by|went by))? (?:between|from) (?<first>.+?) (?:and|to|until|till) (?<second>.+)$/iu
const DAYS_OF_WEEK = 7

function daysBetween(text: string): SeveralValues | null {
  const { unit = '', first, second } = DAYS.exec(text)?.groups ?? {}
  if (first === undefined || second === undefined || !areSingle([first, second])) return null
  const days = /^weeks$/i.test(unit) ? DAYS_OF_WEEK : 1
  return {
    kind: 'date',
    asked: [`What is the date of ${first}?`, `What is the date of ${second}?`],
    combined([one = '', other = '']) {
      const between = Math.abs(daysFrom(one, other)) / days
      return Number.isInteger(between) ? between : null
    },
  }
}

// ── Numbers that a question joins ──

/** They say that all count, which the question for one of them does not say. */
const TOGETHER =
  /,? ?\b(?:taken together|put together|together|combined|altogether|in (?:total|all)|(?:the )?(?:sum|total) of(?= .+ and ))\b/giu
/** What ends the words in front of the first of two, and begins those behind the second. */
const AHEAD =
  /^(?<head>.*(?:\b(?:do|does|did|are|is|were|was|will|of|for|in|by|from|at|on|what|how many|how much)\b|[:,]) ?)?(?<first>.+)$/iu
const BEHIND =
  /^(?<second>.+?)(?<tail>(?:,| (?:costs?|takes?|took|comes?|came|weigh|have|has|had|needs?|makes?|made|earn(?:ed)?|g[eo]t|last(?:ed)?|bring|brought|scored?|sell|sold|used?|spen[dt]|pay|paid|received?|drive|drove|walked?|ran|run|hold|for|in|on|at|by|per|from|to|with|before|after)\b).*)?$/iu
/** Further ones in front of the first: "the price of soup, starter and dessert". */
const FURTHER = /^(?<head>.*\b(?:do|does|did|are|were|of|for) )(?<items>[^,]+(?:, [^,]+)*), $/i
/** "Bread, cheese and soap" may be three, and "Sacks, potatoes and onions" two. */
const ONE_WORD = /^\p{L}+, $/u
/** "plus one", "plus 12 percent". */
const IS_BARE = /^(?:\d|one$)/i
/** What is asked of several, asked of one. */
const OF_ONE: readonly (readonly [RegExp, string])[] = [
  [/\bdo $/i, 'does '],
  [/\bare $/i, 'is '],
  [/\bwere $/i, 'was '],
  [/\btotal /i, ''],
]

interface Parts {
  readonly head: string
  readonly names: readonly [string, string]
  readonly tail: string
}

/** "A and B": null for none of these, or for several. */
function partsAt(text: string, between: RegExp): (Parts & { readonly joint: string }) | null {
  const [joint, another] = text.matchAll(between)
  if (joint === undefined || another !== undefined) return null
  const { head = '', first = '' } = AHEAD.exec(text.slice(0, joint.index))?.groups ?? {}
  const { second = '', tail = '' } = BEHIND.exec(text.slice(joint.index + joint[0].length))?.groups ?? {}
  return ONE_WORD.test(head) ? null : { head, names: [first, second], tail, joint: joint[0] }
}

function added(text: string): SeveralValues | null {
  const bare = text.replaceAll(TOGETHER, '')
  const parts = bare === text ? null : partsAt(bare, / (?:and|plus) /giu)
  if (parts === null) return null
  const { head = parts.head, items } = FURTHER.exec(parts.head)?.groups ?? {}
  const names = [...(items?.split(', ') ?? []), ...parts.names]
  return names.length > MOST_VALUES ? null : ofNumbers(names, asking(head, parts.tail), sum)
}

function signed(text: string): SeveralValues | null {
  const parts = partsAt(text, / (?:plus|minus) /giu)
  if (parts === null || IS_BARE.test(parts.names[1])) return null
  const isMinus = /minus/i.test(parts.joint)
  return ofNumbers(parts.names, asking(parts.head, parts.tail), ([one = 0, other = 0]) => (isMinus ? one - other : one + other))
}

function asking(head: string, tail: string): (name: string) => string {
  const ahead = OF_ONE.reduce((said, [several, one]) => said.replace(several, one), head)
  return (name) => `${ahead}${name}${tail}?`.trim()
}

// ── How far two numbers are apart ──

const DIFFERENCE = /^(?<head>.*?)(?:the )?difference between (?<first>.+?) and (?<second>.+?)$/iu
const MORE_OF =
  /^how many more (?<first>\p{L}+) than (?<second>\p{L}+)(?<tail> (?:are|were|is|was|did|does|do|has|have|had|can|will)\b.*)?$/iu
const MORE_THAN =
  /^how (?<many>many|much) more (?<what>(?:\p{L}+ )?)(?<aux>does|do|did) (?<first>.+?) (?<verb>\p{L}+) than (?<second>.+?)$/iu

function apart(text: string): SeveralValues | null {
  return differenceBetween(text) ?? moreOf(text) ?? moreThan(text)
}

function differenceBetween(text: string): SeveralValues | null {
  const { head = '', first = '', second = '' } = DIFFERENCE.exec(text)?.groups ?? {}
  return ofDistance([first, second], (name) => `${head}${name}?`)
}

function moreOf(text: string): SeveralValues | null {
  const { first = '', second = '', tail = '' } = MORE_OF.exec(text)?.groups ?? {}
  return ofDistance([first, second], (name) => `How many ${name}${tail}?`)
}

function moreThan(text: string): SeveralValues | null {
  const { many = '', what = '', aux = '', first = '', verb = '', second = '' } = MORE_THAN.exec(text)?.groups ?? {}
  return ofDistance([first, second], (name) => `How ${many} ${what}${aux} ${name} ${verb}?`)
}

function ofDistance(names: readonly string[], asked: (name: string) => string): SeveralValues | null {
  return ofNumbers(names, asked, ([one = 0, other = 0]) => Math.abs(one - other))
}

function ofNumbers(
  names: readonly string[],
  asked: (name: string) => string,
  come: (numbers: readonly number[]) => number,
): SeveralValues | null {
  if (!areSingle(names)) return null
  return {
    kind: 'number',
    asked: names.map(asked),
    combined(values) {
      const made = Number(come(values.map(Number)).toPrecision(DIGITS))
      return Number.isFinite(made) ? made : null
    },
  }
}

/** A pronoun, several at once, another time, a condition, a day that the question says itself. */
const IS_NO_ONE =
  /\b(?:it|them|they|both|all|each|every|any|others?|two|three|four|five|more|or|and|how|what|which|who|if|was|were|before|today|tomorrow|now|then|ago|usual|expected)\b|^\d+(?:st|nd|rd|th)?\b/i

function areSingle(names: readonly string[]): boolean {
  return names.every((one) => one.trim() !== '' && !IS_NO_ONE.test(one))
}

// ── Signs ──

/** What the answer is to be where the first is the smaller one: "(0 if late)", ", as a positive number". */
const OF_SIGN =
  /,? ?\(?\b(?:(?:0|zero|negative|minus) if \p{L}+(?: \p{L}+)?|(?:0|zero) at least|at least (?:0|zero)|as a positive (?:number|amount))\)?$/iu

function withSign(several: SeveralValues, said: string): SeveralValues {
  const sign = signSaid(said)
  return {
    ...several,
    combined(values) {
      const made = several.combined(values)
      return made === null ? null : sign(made)
    },
  }
}

function signSaid(said: string): (made: number) => number {
  if (/(?:negative|minus) if/i.test(said)) return (made) => made
  return /positive/i.test(said) ? Math.abs : (made) => Math.max(0, made)
}
