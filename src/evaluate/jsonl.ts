// A file of records to records, one at a time: JSONL, plain or gzipped. Only "\n" ends a line, since U+2028 and its like may stand raw in JSON strings.
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'

/** One line that is not blank; `line` counts from 1. */
export interface Line {
  readonly line: number
  readonly text: string
}

/** Reads lines; a name that ends in `.gz` is unpacked on the way. */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  const file = createReadStream(path)
  const gunzip = path.toLowerCase().endsWith('.gz') ? createGunzip() : null
  // `pipe` leaves the source's errors alone.
  if (gunzip !== null) file.on('error', (error) => gunzip.destroy(error))
  const stream = gunzip === null ? file : file.pipe(gunzip)
  stream.setEncoding('utf8')
  let [rest, line] = ['', 0]
  for await (const chunk of stream as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() as string
    for (const text of lines) {
      line++
      if (text.trim() !== '') yield { line, text: line === 1 ? text.replace(/^\uFEFF/, '') : text }
    }
  }
  if (rest.trim() !== '') yield { line: line + 1, text: line === 0 ? rest.replace(/^\uFEFF/, '') : rest }
}
