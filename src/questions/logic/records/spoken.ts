// The words of sentences beside a record in a text: they may speak of a thing by itself, which is then not the record.
import type { Json } from '../../../core/types.ts'

const SPOKEN = new WeakMap<object, ReadonlySet<string>>()

/** Keeps the words of the sentences beside records. */
export function speakBeside(records: readonly Json[], words: ReadonlySet<string>): void {
  for (const record of records) if (record !== null && typeof record === 'object') SPOKEN.set(record, words)
}

/** Of a value that was found in a text; null of JSON. */
export function spokenBeside(value: Json): ReadonlySet<string> | null {
  return value === null || typeof value !== 'object' ? null : (SPOKEN.get(value) ?? null)
}
