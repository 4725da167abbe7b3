// A value that the fields of a state tell by themselves, so that none has to be read: what the one says that a question
// names, how many there are of what it counts, a sum; and none where the field is empty. A quote of what it says.
import type { Grammar, Span, UncountedGenerated } from '../../backends/backend.ts'
import type { Json } from '../../core/types.ts'
import { toldQuote, toldValue } from '../logic/told.ts'
import type { QuestionContext } from './checked-question.ts'
import { LOG_FLOOR } from './decide-branch.ts'

type TextRead = Extract<UncountedGenerated, { readonly type: 'text' }>

/** Null where it has to be read, or stands in several places. */
export function quoteToldByFields(question: string, { records, placesOf }: QuestionContext): Span | null {
  const text = toldQuote(question, records)
  if (text === null) return null
  const [place, another] = placesOf(text)
  return place === undefined || another !== undefined ? null : { ...place, text, logProbability: 0 }
}

/** Null where it has to be read. */
export function toldByFields(question: string, { type }: Grammar, values: readonly Json[]): TextRead | null {
  if (type === 'list' || type === 'enum') return null
  const value = toldValue(question, type, values)
  if (value === undefined) return null
  if (value === null) {
    return { type: 'text', text: '', complete: false, reason: 'the field that the question names is empty', logProbability: LOG_FLOOR }
  }
  return { type: 'text', text: String(value), complete: true, logProbability: 0 }
}
