// A value that the fields of a state tell by themselves, so that none has to be read: what the one says that a question
// names, how many there are of what it counts, a sum; and none where the field is empty.
import type { Grammar, UncountedGenerated } from '../../backends/backend.ts'
import type { Json } from '../../core/types.ts'
import { toldValue } from '../logic/told.ts'
import { LOG_FLOOR } from './decide-branch.ts'

type TextRead = Extract<UncountedGenerated, { readonly type: 'text' }>

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
