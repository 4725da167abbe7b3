// A value that the fields of a JSON value tell by themselves, so that none has to be read: how many there are of what a
// question counts, and none where the field that it names is empty.
import type { Grammar, UncountedGenerated } from '../../backends/backend.ts'
import type { Json } from '../../core/types.ts'
import { countAsked } from '../logic/fields/counted.ts'
import { asksEmptyField } from '../logic/fields/empty-field.ts'
import { LOG_FLOOR } from './decide-branch.ts'

type TextRead = Extract<UncountedGenerated, { readonly type: 'text' }>

/** Null where it has to be read. */
export function toldByFields(question: string, { type }: Grammar, values: readonly Json[]): TextRead | null {
  if (type === 'list') return null
  if (asksEmptyField(question, values)) {
    return { type: 'text', text: '', complete: false, reason: 'the field that the question names is empty', logProbability: LOG_FLOOR }
  }
  const count = type === 'int' || type === 'number' ? countAsked(question, values) : null
  return count === null ? null : { type: 'text', text: String(count), complete: true, logProbability: 0 }
}
