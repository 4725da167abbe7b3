// Reads the records of a Parquet file, a thousand at a time. A column that holds JSON as text is parsed.
import { importOptional } from '../core/optional-packages.ts'
import type { Json } from '../core/types.ts'

const AT_ONCE = 1000
/** Columns that hold JSON, never plain text. */
const JSON_COLUMNS = new Set(['questions', 'truth', 'expected', 'accept', 'metadata', '_evaluation'])

/** Reads rows in order. hyparquet is loaded when the first file is read. */
export async function* parquetRows(path: string): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const [{ asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects }, { compressors }] = await importOptional(
    'Reading a Parquet file',
    'parquet',
    () => Promise.all([import('hyparquet'), import('hyparquet-compressors')]),
  )
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  const count = Number(metadata.num_rows)
  for (let from = 0; from < count; from += AT_ONCE) {
    const rows = await parquetReadObjects({ file, metadata, compressors, rowStart: from, rowEnd: Math.min(from + AT_ONCE, count) })
    for (const row of rows) yield Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(name, value)]))
  }
}

/**
 * A cell as JSON. A state that is a JSON object or array as text is parsed: a Parquet column has one type, states have
 * several.
 */
function cell(name: string, value: unknown): unknown {
  if (typeof value === 'string' && (JSON_COLUMNS.has(name) || (name === 'state' && /^\s*[[{]/.test(value)))) {
    try {
      return JSON.parse(value)
    } catch {
      return value
    }
  }
  return plain(value)
}

/**
 * A value as JSON: 64-bit integers become numbers, times ISO text, missing values null. Structs keep only their present
 * fields.
 */
function plain(value: unknown): Json {
  if (value === undefined || value === null) return null
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.toISOString()
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object') return value as Json
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === null || inner === undefined ? [] : [[name, plain(inner)]])),
  )
}
