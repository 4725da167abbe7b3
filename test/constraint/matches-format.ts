// Whether a whole text is one span of a format, by the finder that reads use.
import type { SpanFormat } from '../../src/backends/backend.ts'
import { findFormat } from '../../src/constraint/formats.ts'

/** A text has no outer spaces and is not empty. */
export function matchesFormat(format: SpanFormat, text: string): boolean {
  if (format === 'text') return text !== '' && text.trim() === text
  const [found] = findFormat(format, text)
  return found !== undefined && found.start === 0 && found.end === text.length
}
