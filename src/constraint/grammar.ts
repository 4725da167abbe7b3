// The grammars of `fill` to byte automata (which texts may be written), and written texts to values. Every text that
// the automaton accepts parses.
import { type Grammar, LIST_SEPARATOR } from '../backends/backend.ts'
import { EngineError } from '../core/errors.ts'
import {
  type Automaton,
  type AutomatonState,
  anyNumber,
  type ByteExpression,
  bytes,
  compileExpression,
  either,
  literal,
  oneOf,
  optional,
  repeat,
  run,
  sequence,
} from './automaton.ts'

/** Digits of an int or number: within 15, every decimal has a float64 of its own. */
const MAX_DIGITS = 15

/** A written value: a number for `int` and `number`, the items for `list`, else the text itself. */
export type ParsedValue = number | string | readonly (number | string)[]

const DIGIT = bytes([0x30, 0x39])
const NONZERO = bytes([0x31, 0x39])

const INT = either(literal('0'), sequence(optional(literal('-')), NONZERO, repeat(DIGIT, 0, MAX_DIGITS - 1)))

/**
 * Whole digits, and at most as many decimals as are left of MAX_DIGITS: one alternative for each count of whole digits.
 */
function numberExpression(): ByteExpression {
  const ways: ByteExpression[] = []
  for (let whole = 1; whole <= MAX_DIGITS; whole++) {
    const digits = whole === 1 ? DIGIT : sequence(NONZERO, repeat(DIGIT, whole - 1, whole - 1))
    const decimals = MAX_DIGITS - whole
    ways.push(decimals === 0 ? digits : sequence(digits, optional(sequence(literal('.'), repeat(DIGIT, 1, decimals)))))
  }
  return sequence(optional(literal('-')), either(...ways))
}

/** Days that exist in the Gregorian calendar, years 0001 to 9999. */
function dateExpression(): ByteExpression {
  const twoDigits = either(sequence(literal('0'), NONZERO), sequence(NONZERO, DIGIT)) // 01 to 99
  const year = either(sequence(twoDigits, DIGIT, DIGIT), sequence(literal('00'), twoDigits))
  const multipleOf4 = either(
    sequence(literal('0'), oneOf('48')),
    sequence(oneOf('2468'), oneOf('048')),
    sequence(oneOf('13579'), oneOf('26')),
  ) // 04 to 96
  const leapYear = either(sequence(DIGIT, DIGIT, multipleOf4), sequence(multipleOf4, literal('00')))
  const upTo28 = either(sequence(literal('0'), NONZERO), sequence(literal('1'), DIGIT), sequence(literal('2'), bytes([0x30, 0x38])))
  const upTo30 = either(upTo28, literal('29'), literal('30'))
  const ofYear = either(
    sequence(
      either(sequence(literal('0'), oneOf('13578')), sequence(literal('1'), oneOf('02'))),
      literal('-'),
      either(upTo30, literal('31')),
    ),
    sequence(either(sequence(literal('0'), oneOf('469')), literal('11')), literal('-'), upTo30),
    sequence(literal('02-'), upTo28),
  )
  return either(sequence(year, literal('-'), ofYear), sequence(leapYear, literal('-02-29')))
}

/**
 * One character in well-formed UTF-8 (RFC 3629), without controls (C0, DEL, C1) and without the line breaks U+2028 and
 * U+2029. ASCII as given.
 */
function character(...ascii: readonly (readonly [number, number])[]): ByteExpression {
  const next = bytes([0x80, 0xbf])
  return either(
    bytes(...ascii),
    sequence(bytes([0xc2, 0xc2]), bytes([0xa0, 0xbf])),
    sequence(bytes([0xc3, 0xdf]), next),
    sequence(bytes([0xe0, 0xe0]), bytes([0xa0, 0xbf]), next),
    sequence(bytes([0xe2, 0xe2]), bytes([0x80, 0x80]), bytes([0x80, 0xa7], [0xaa, 0xbf])),
    sequence(bytes([0xe2, 0xe2]), bytes([0x81, 0xbf]), next),
    sequence(bytes([0xe1, 0xe1], [0xe3, 0xec], [0xee, 0xef]), next, next),
    sequence(bytes([0xed, 0xed]), bytes([0x80, 0x9f]), next),
    sequence(bytes([0xf0, 0xf0]), bytes([0x90, 0xbf]), next, next),
    sequence(bytes([0xf1, 0xf3]), next, next, next),
    sequence(bytes([0xf4, 0xf4]), bytes([0x80, 0x8f]), next, next),
  )
}

/**
 * One line that neither starts nor ends with a space. In a list it has no semicolon, so that items end where they end.
 */
function textExpression(inList: boolean): ByteExpression {
  const visible: readonly (readonly [number, number])[] = inList
    ? [
        [0x21, 0x3a],
        [0x3c, 0x7e],
      ]
    : [[0x21, 0x7e]]
  const edge = character(...visible)
  return sequence(edge, optional(sequence(anyNumber(character([0x20, 0x20], ...visible)), edge)))
}

function refuse(message: string): EngineError {
  return new EngineError('invalid_question', message)
}

function enumExpression(values: readonly string[], inList: boolean): ByteExpression {
  if (values.length === 0) throw refuse('an enum needs at least 1 value')
  for (const value of values) {
    if (/\p{Surrogate}/u.test(value)) throw refuse(`enum value ${JSON.stringify(value)} is not well-formed Unicode`)
    if (inList && (value === '' || value.includes(';'))) {
      throw refuse(`enum value ${JSON.stringify(value)} cannot be an item of a list: items are separated by "${LIST_SEPARATOR}"`)
    }
  }
  return either(...values.map(literal))
}

function expressionOf(grammar: Exclude<Grammar, { type: 'list' }>, inList: boolean): ByteExpression {
  switch (grammar.type) {
    case 'int':
      return INT
    case 'number':
      return numberExpression()
    case 'date':
      return dateExpression()
    case 'text':
      return textExpression(inList)
    case 'enum':
      return enumExpression(grammar.values, inList)
  }
}

/**
 * No item at all, or up to `maxItems` of them with the separator between. States are (item state, count, inside the
 * separator or not).
 */
function listAutomaton(item: Automaton, maxItems: number): Automaton {
  const SEMICOLON = 0x3b
  const SPACE = 0x20
  const START: AutomatonState = 0
  const pack = (inner: AutomatonState, count: number, isSeparator: 0 | 1): AutomatonState =>
    1 + (inner * maxItems + count) * 2 + isSeparator
  return {
    start: START,
    step(state, byte) {
      const packed = state - 1
      const inner = state === START ? item.start : Math.floor(packed / 2 / maxItems)
      const count = state === START ? 0 : Math.floor(packed / 2) % maxItems
      if (state !== START && packed % 2 === 1) return byte === SPACE ? pack(item.start, count + 1, 0) : null
      const next = item.step(inner, byte)
      if (next !== null) return pack(next, count, 0)
      return byte === SEMICOLON && state !== START && count + 1 < maxItems && item.accepts(inner) ? pack(inner, count, 1) : null
    },
    accepts(state) {
      if (state === START) return true
      const packed = state - 1
      return packed % 2 === 0 && item.accepts(Math.floor(packed / 2 / maxItems))
    },
  }
}

/**
 * The texts that a `fill` may write, as UTF-8 bytes. `int`: no leading zeros, no plus, no −0, at most 15 digits.
 * `number`: the same with decimals behind a point. `date`: a day that exists, YYYY-MM-DD. `enum`: one of the values.
 * `text`: one line of valid UTF-8 without control characters or outer spaces, not empty. `list`: 0 to `maxItems` items
 * separated by `; `. Throws `invalid_question` for an enum without values or a list whose items could not be told
 * apart.
 */
export function compileGrammar(grammar: Grammar): Automaton {
  if (grammar.type !== 'list') return compileExpression(expressionOf(grammar, false))
  if (grammar.item.type === 'list') throw refuse('the items of a list cannot be lists')
  if (!Number.isInteger(grammar.maxItems) || grammar.maxItems < 1)
    throw refuse(`maxItems must be a whole number from 1, got ${grammar.maxItems}`)
  return listAutomaton(compileExpression(expressionOf(grammar.item, true)), grammar.maxItems)
}

/** Whether the whole text is in the grammar. */
export function matches(automaton: Automaton, text: string): boolean {
  const end = run(automaton, automaton.start, new TextEncoder().encode(text))
  return end !== null && automaton.accepts(end)
}

function toValue(grammar: Grammar, text: string): ParsedValue {
  if (grammar.type === 'int' || grammar.type === 'number') return Number(text) + 0 // + 0 turns "-0.0" into 0
  if (grammar.type !== 'list') return text
  return text === '' ? [] : text.split(LIST_SEPARATOR).map((item) => toValue(grammar.item, item) as number | string)
}

/** The value a text stands for, or null when the text is not in the grammar. Total on what `compileGrammar` accepts. */
export function parse(grammar: Grammar, text: string): ParsedValue | null {
  return !/\p{Surrogate}/u.test(text) && matches(compileGrammar(grammar), text) ? toValue(grammar, text) : null
}
