// What a server wrote to what was read: a text of a grammar, or spans that stand word for word in the state. Whatever a
// server keeps to, the answer is checked here.
import { findFormat } from '../../constraint/formats.ts'
import { parse } from '../../constraint/grammar.ts'
import { compileSpans, readSpans, type SpanAutomaton } from '../../constraint/substring.ts'
import type { Prompt } from '../../core/types.ts'
import type { Constraint, Generated, Grammar, Span } from '../backend.ts'
import { NO_SPAN, spanTokens } from '../prompted/prompt-template.ts'
import type { Written, WrittenToken } from './driver.ts'
import { either, literal, type Pattern, patternOf, repeat, sequence } from './patterns.ts'

/** A server compiles what it keeps to, so no more ways than this. */
const MOST_WAYS = 200
/** Quotes of one answer. */
export const MOST_SPANS = 32

type Readable = Exclude<Constraint, { type: 'box' }>
type Read =
  | { readonly type: 'text'; readonly text: string; readonly complete: boolean }
  | { readonly type: 'spans'; readonly spans: readonly Span[] }

export function tokensFor(constraint: Readable): number {
  return constraint.type === 'grammar' ? constraint.maxTokens : spanTokens(constraint)
}

/** What a server is to keep to; null: its answer is only checked. `withSpace`: a first word has a space before it. */
export function patternFor(prompt: Prompt, constraint: Readable, withSpace: boolean): Pattern | null {
  const pattern = constraint.type === 'grammar' ? patternOf(constraint.grammar) : spanPattern(prompt, constraint)
  return pattern === null || !withSpace ? pattern : sequence(repeat(literal(' '), 0, 1), pattern)
}

/** Formats have few stretches in a state: those, or nothing. */
function spanPattern({ pieces }: Prompt, { format, many }: Extract<Constraint, { type: 'span' }>): Pattern | null {
  if (format === 'text') return null
  const texts = pieces.flatMap((piece) =>
    piece.type === 'text' && piece.source !== null
      ? findFormat(format, piece.text).map(({ start, end }) => piece.text.slice(start, end))
      : [],
  )
  const ways = [...new Set(texts)].filter((text) => !/[\n\r]/.test(text))
  if (ways.length > MOST_WAYS) return null
  if (ways.length === 0) return literal(NO_SPAN)
  const one = either(...ways.map(literal))
  return either(literal(NO_SPAN), many ? sequence(one, repeat(sequence(literal('\n'), one), 0, MOST_SPANS - 1)) : one)
}

/** An answer of one line ends with it; several quotes stand on a line each. */
export const stopsFor = (constraint: Readable): readonly string[] => (constraint.type === 'span' && constraint.many ? ['\n\n'] : ['\n'])

const sumOf = (tokens: readonly WrittenToken[]): number =>
  Math.min(
    0,
    tokens.reduce((sum, { logProbability }) => sum + logProbability, 0),
  )

/** What was read. `text`: the answer itself; `written`: all that the server wrote for it. */
export function readOf(
  prompt: Prompt,
  constraint: Readable,
  text: string,
  written: Written,
): Read & Pick<Generated, 'logProbability' | 'outputTokens'> {
  const counted = { logProbability: sumOf(written.tokens), outputTokens: written.tokens.length }
  if (constraint.type === 'grammar') {
    const line = tidied(text)
    // Free text may be anything but what is no line; all else is in its grammar, or it is not complete.
    return { type: 'text', text: line, complete: written.hasEnded && isIn(constraint.grammar, line), ...counted }
  }
  const { format, many } = constraint
  const automaton = compileSpans(prompt, { format, many, nothing: NO_SPAN, leadingSpace: false })
  const quoted = many
    ? text
        .split('\n')
        .map(unquoted)
        .filter((line) => line !== '')
        .join('\n')
    : unquoted(text)
  const spans = readSpans(automaton, decodedOf(automaton, quoted, counted.logProbability))
  return { type: 'spans', spans, ...counted }
}

const isIn = (grammar: Grammar, text: string): boolean => parse(grammar, text) !== null

/** One line without control characters and without space around it. */
const tidied = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim()

/** A quote without the marks that models put around it. */
const unquoted = (text: string): string => text.trim().replace(/^(["'“‘«`])(.*)["'”’»`]$/su, '$2')

/**
 * The text as if it had been decoded byte by byte, as far as the state has it. Servers do not all say which token wrote
 * what, so each byte has the same share of the log-probability of the whole.
 */
function decodedOf(automaton: SpanAutomaton, text: string, logProbability: number) {
  const states = [automaton.start]
  for (const byte of new TextEncoder().encode(text)) {
    const next = automaton.step(states.at(-1) as number, byte)
    if (next === null) break
    states.push(next)
  }
  const share = logProbability / Math.max(1, states.length - 1)
  const steps = states.slice(1).map(() => ({ logProbability: share, constrainedLogProbability: share }))
  return { tokens: [], text, states, steps, logProbability, constrainedLogProbability: logProbability, complete: true }
}
