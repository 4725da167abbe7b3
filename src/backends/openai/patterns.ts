// Languages of answers that a server is to keep to, as values, printed as the two notations servers take: regular
// expressions (vLLM, SGLang) and GBNF (llama.cpp).
import type { Grammar } from '../backend.ts'

export type Pattern =
  | { readonly type: 'literal'; readonly text: string }
  /** One character of a class, in the notation that both share: `0-9`. */
  | { readonly type: 'class'; readonly of: string }
  | { readonly type: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly type: 'either'; readonly ways: readonly Pattern[] }
  | { readonly type: 'repeat'; readonly of: Pattern; readonly least: number; readonly most: number }

export const literal = (text: string): Pattern => ({ type: 'literal', text })
export const sequence = (...parts: Pattern[]): Pattern => ({ type: 'sequence', parts })
export const either = (...ways: Pattern[]): Pattern => ({ type: 'either', ways })
export const repeat = (of: Pattern, least: number, most: number): Pattern => ({ type: 'repeat', of, least, most })
const oneOf = (of: string): Pattern => ({ type: 'class', of })
const optional = (of: Pattern): Pattern => repeat(of, 0, 1)

export function regexOf(pattern: Pattern): string {
  switch (pattern.type) {
    case 'literal':
      return pattern.text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replaceAll('\n', '\\n')
    case 'class':
      return `[${pattern.of}]`
    case 'sequence':
      return pattern.parts.map(regexOf).join('')
    case 'either':
      return `(?:${pattern.ways.map(regexOf).join('|')})`
    case 'repeat':
      return `(?:${regexOf(pattern.of)}){${pattern.least},${pattern.most}}`
  }
}

export const gbnfOf = (pattern: Pattern): string => `root ::= ${gbnfPart(pattern)}`

function gbnfPart(pattern: Pattern): string {
  switch (pattern.type) {
    case 'literal':
      return `"${pattern.text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`
    case 'class':
      return `[${pattern.of}]`
    case 'sequence':
      return pattern.parts.map(gbnfPart).join(' ')
    case 'either':
      return `(${pattern.ways.map(gbnfPart).join(' | ')})`
    case 'repeat':
      return `(${gbnfPart(pattern.of)}){${pattern.least},${pattern.most}}`
  }
}

const DIGIT = oneOf('0-9')
const INT = either(literal('0'), sequence(optional(literal('-')), oneOf('1-9'), repeat(DIGIT, 0, 14)))
/** 15 digits in all: 9 before the point, 6 behind it. */
const NUMBER = sequence(
  optional(literal('-')),
  either(literal('0'), sequence(oneOf('1-9'), repeat(DIGIT, 0, 8))),
  optional(sequence(literal('.'), repeat(DIGIT, 1, 6))),
)
const upTo = (tens: string, last: Pattern): Pattern => either(sequence(literal('0'), oneOf('1-9')), sequence(oneOf(tens), DIGIT), last)
/** Days that exist, of the years 1000 to 2999; the 29th of February in leap years from 1904 to 2096. */
const DATE = either(
  sequence(
    oneOf('12'),
    repeat(DIGIT, 3, 3),
    literal('-'),
    either(
      sequence(
        either(sequence(literal('0'), oneOf('13578')), literal('10'), literal('12')),
        literal('-'),
        upTo('12', sequence(literal('3'), oneOf('01'))),
      ),
      sequence(either(sequence(literal('0'), oneOf('469')), literal('11')), literal('-'), upTo('12', literal('30'))),
      sequence(
        literal('02-'),
        either(sequence(literal('0'), oneOf('1-9')), sequence(literal('1'), DIGIT), sequence(literal('2'), oneOf('0-8'))),
      ),
    ),
  ),
  sequence(
    either(
      literal('2000'),
      sequence(
        either(literal('19'), literal('20')),
        either(sequence(literal('0'), oneOf('48')), sequence(oneOf('2468'), oneOf('048')), sequence(oneOf('13579'), oneOf('26'))),
      ),
    ),
    literal('-02-29'),
  ),
)

/** Null: free text of one line, which needs a stop at its end and nothing else. */
export function patternOf(grammar: Grammar): Pattern | null {
  switch (grammar.type) {
    case 'int':
      return INT
    case 'number':
      return NUMBER
    case 'date':
      return DATE
    case 'enum':
      return either(...grammar.values.map(literal))
    case 'text':
      return null
    case 'list': {
      const item = patternOf(grammar.item)
      if (item === null) return null
      const more = repeat(sequence(literal('; '), item), 0, grammar.maxItems - 1)
      return optional(grammar.maxItems > 1 ? sequence(item, more) : item)
    }
  }
}
