// A value that the fields of a state tell by themselves, so that none has to be read: what the one says that a question
// names, how many there are of what it counts, a sum, what it says of each object that is meant; and none where the
// field is empty. Quotes of what fields say.
import { type Grammar, LIST_SEPARATOR, type Span, type UncountedGenerated } from '../../backends/backend.ts'
import { toldList, toldQuote, toldValue } from '../logic/told.ts'
import type { QuestionContext } from './checked-question.ts'
import { LOG_FLOOR } from './decide-branch.ts'

type TextRead = Extract<UncountedGenerated, { readonly type: 'text' }>

type SpanRead = Extract<UncountedGenerated, { readonly type: 'spans' }>

/** What the field says that a question names, or the one of each object that is meant; null where it has to be read. */
export function quotesToldByFields(question: string, isMany: boolean, context: QuestionContext): SpanRead | null {
  const text = isMany ? null : toldQuote(question, context.records)
  const texts = isMany ? toldList(question, 'text', context.records) : text === null ? null : [text]
  const spans = texts?.map((text) => onlySpan(text, context)) ?? [null]
  return spans.every((span) => span !== null) ? { type: 'spans', spans, logProbability: 0 } : null
}

/** Null where a text stands in several places. */
function onlySpan(text: string, { placesOf }: QuestionContext): Span | null {
  const [place, another] = placesOf(text)
  return place === undefined || another !== undefined ? null : { ...place, text, logProbability: 0 }
}

/** Null where it has to be read, as where the grammar does not take what the fields say. */
export function toldByFields(question: string, grammar: Grammar, { records, parse }: QuestionContext): TextRead | null {
  if (grammar.type === 'enum') return null
  if (grammar.type === 'list') {
    const text = toldList(question, grammar.item.type, records)?.join(LIST_SEPARATOR) ?? null
    return text === null || parse(grammar, text) === null ? null : { type: 'text', text, complete: true, logProbability: 0 }
  }
  const value = toldValue(question, grammar.type, records)
  if (value === undefined) return null
  if (value === null) {
    return { type: 'text', text: '', complete: false, reason: 'the field that the question names is empty', logProbability: LOG_FLOOR }
  }
  const text = String(value)
  return parse(grammar, text) === null ? null : { type: 'text', text, complete: true, logProbability: 0 }
}
