// Reads through a server's structured output, where prompts are chat messages: a JSON Schema of the answer, and the
// text of the answer from the JSON that came.
import { ownField } from '../../core/untrusted.ts'
import type { Constraint, Grammar } from '../backend.ts'
import type { AnswerSchema } from './driver.ts'
import { MOST_SPANS } from './reads.ts'

/** In JSON, an answer takes more tokens than by itself. */
export const jsonTokens = (maxTokens: number): number => maxTokens + 32

export function schemaOf(constraint: Exclude<Constraint, { type: 'box' }>): AnswerSchema {
  const answer =
    constraint.type === 'grammar'
      ? grammarSchema(constraint.grammar)
      : constraint.many
        ? { type: 'array', items: { type: 'string' }, maxItems: MOST_SPANS }
        : { type: 'string' }
  return { type: 'object', properties: { answer }, required: ['answer'], additionalProperties: false }
}

function grammarSchema(grammar: Grammar): AnswerSchema {
  switch (grammar.type) {
    case 'int':
      return { type: 'integer' }
    case 'number':
      return { type: 'number' }
    case 'date':
      return { type: 'string', format: 'date' }
    case 'enum':
      return { type: 'string', enum: grammar.values }
    case 'text':
      return { type: 'string' }
    case 'list':
      return { type: 'array', items: grammarSchema(grammar.item), maxItems: grammar.maxItems }
  }
}

/** The answer in the notation of the grammar, or the quotes line by line; null when it is no such JSON. */
export function answerIn(json: string, constraint: Exclude<Constraint, { type: 'box' }>): string | null {
  let answer: unknown
  try {
    answer = ownField(JSON.parse(json), 'answer')
  } catch {
    return null
  }
  const items = Array.isArray(answer) ? answer : [answer]
  if (!items.every((item) => typeof item === 'string' || (typeof item === 'number' && Number.isFinite(item)))) return null
  return items.map((item) => (typeof item === 'number' ? plainNumber(item) : item)).join(constraint.type === 'span' ? '\n' : '; ')
}

/** Without an exponent, which the grammars of numbers do not have. */
function plainNumber(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(Math.abs(value) < 1 ? 14 : 0).replace(/\.?0+$/, '') : text
}
