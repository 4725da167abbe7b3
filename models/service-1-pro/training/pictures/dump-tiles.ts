/**
 * Cuts pictures into tiles as the engine does: `tsx dump-tiles.ts OUT_FOLDER NAME IMAGE_ROOT LINES.jsonl...`
 * The lines are page labels (`path`) or rows of data packs (`state` with an image or the frames of a video). Writes
 * OUT/tiles-NAME.raw, uint8 [tile][y][x][rgb], and OUT/tiles-NAME.json, path -> {first, count, rows, cols, width,
 * height}; with rows = cols = 0 there is only one squashed tile.
 */

import { once } from 'node:events'
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import sharp from 'sharp'
import { tilePicture } from '../../../../src/backends/onnx/images/tiles.ts'
import { tileRule } from './tile-rule.ts'

interface Pictured {
  readonly source?: { readonly path?: string }
}
interface Part extends Pictured {
  readonly frames?: readonly Pictured[]
}
interface Line {
  readonly path?: string
  /** In rows: a text, a JSON value or parts. */
  readonly state?: unknown
}

const [folder, name, root, ...files] = process.argv.slice(2)
if (!folder || !name || !root || files.length === 0) throw new Error('usage: dump-tiles.ts OUT_FOLDER NAME IMAGE_ROOT LINES.jsonl[.gz]...')

const readLines = (file: string): Line[] => {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
}
const partsOf = ({ state }: Line): readonly Part[] => (Array.isArray(state) ? state : [])
const pathsOf = (line: Line): (string | undefined)[] =>
  line.path ? [line.path] : partsOf(line).flatMap((part) => (part.frames ?? [part]).map(({ source }) => source?.path))
const paths = new Set(
  files
    .flatMap(readLines)
    .flatMap(pathsOf)
    .filter((path) => path !== undefined),
)

sharp.concurrency(1)
const out = createWriteStream(join(folder, `tiles-${name}.raw`))
const index: Record<string, object> = {}
let first = 0
for (const path of paths) {
  const { data, info } = await sharp(join(root, path))
    .rotate()
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height } = info
  const { rows, cols, tiles } = await tilePicture({ width, height, data, sha256: '' }, tileRule)
  for (const tile of tiles) {
    if (!out.write(tile)) await once(out, 'drain')
  }
  index[path] = { first, count: tiles.length, rows, cols, width, height }
  first += tiles.length
}
out.end()
await once(out, 'finish')
writeFileSync(join(folder, `tiles-${name}.json`), JSON.stringify(index))
console.log(`${Object.keys(index).length} pictures, ${first} tiles`)
