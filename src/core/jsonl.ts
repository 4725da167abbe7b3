// Reads the lines of a JSONL file, plain or gzipped. Only "\n" ends a line, since U+2028 and the like may stand in JSON
// strings.
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** A line that is not blank, without the byte order mark of the file. */
export interface JsonlLine {
  /** Counts from 1. */
  readonly line: number
  readonly text: string
  /** Whether "\n" follows it: the last line of a file that was cut short has none. */
  readonly isEnded: boolean
}

/** Reads the lines of a file, unzipped when it begins as gzip does. Throws what reading throws. */
export async function* jsonlLines(path: string): AsyncGenerator<JsonlLine> {
  const stream = await unzipped(path)
  stream.setEncoding('utf8')
  // The parts of a line are joined when it ends: adding each chunk to a long line would copy it again and again.
  let parts: string[] = []
  let line = 0
  const lineOf = (isEnded: boolean): JsonlLine[] => {
    line++
    const joined = parts.join('')
    const text = line === 1 ? joined.replace(/^\uFEFF/, '') : joined
    return text.trim() === '' ? [] : [{ line, text, isEnded }]
  }
  for await (const chunk of stream as AsyncIterable<string>) {
    const [first, ...others] = chunk.split('\n')
    parts.push(first as string)
    for (const other of others) {
      yield* lineOf(true)
      parts = [other]
    }
  }
  yield* lineOf(false)
}

async function unzipped(path: string): Promise<Readable> {
  const file = createReadStream(path)
  await once(file, 'readable')
  const head = file.read(2) as Buffer | null
  if (head !== null) file.unshift(head)
  if (head?.[0] !== 0x1f || head[1] !== 0x8b) return file
  // Errors of the file come out of the stream that is read.
  return pipeline(file, createGunzip(), () => {})
}
