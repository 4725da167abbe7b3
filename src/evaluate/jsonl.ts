// Reads the lines of a JSONL file, plain or gzipped. Only "\n" ends a line, since U+2028 and the like may stand in JSON
// strings.
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'

/** A line that is not blank; `line` counts from 1. */
export interface JsonlLine {
  readonly line: number
  readonly text: string
}

/** Reads the lines of a file, unzipped when its name ends in `.gz`. */
export async function* jsonlLines(path: string): AsyncGenerator<JsonlLine> {
  const file = createReadStream(path)
  const gunzip = path.toLowerCase().endsWith('.gz') ? createGunzip() : null
  // `pipe` does not forward errors of its source.
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
