/**
 * Reads dumped pictures with the shipped text reader: `tsx read-lines.ts MODEL TILES NAME [FIRST END]`
 * Writes TILES/lines-NAME[-FIRST].json, path -> lines, which data/render.ts puts into the states of these pictures. As
 * in the engine, the squashed global view is not read.
 */
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encoderCell, keptCells } from '../../../../src/backends/onnx/families/decision/cells.ts'
import { decisionConfigOf } from '../../../../src/backends/onnx/families/decision/configuration.ts'
import { PieceTokenizer } from '../../../../src/backends/onnx/families/decision/piece-tokenizer.ts'
import type { TextLine } from '../../../../src/backends/onnx/families/decision/text-lines.ts'
import { TextReader } from '../../../../src/backends/onnx/families/decision/text-reader.ts'
import { normaliseGrid } from '../../../../src/backends/onnx/images/tiles.ts'
import { openFolder } from '../../../../src/backends/onnx/runtime/layout.ts'
import { tileRule } from './tile-rule.ts'

const [model, folder, name, from, to] = process.argv.slice(2)
if (!model || !folder || !name) throw new Error('usage: read-lines.ts MODEL TILES NAME [FIRST END]')
const opened = await openFolder(model)
const { letters } = opened.config.image as { letters: string }
const tokenizer = new PieceTokenizer(JSON.parse(readFileSync(join(model, 'tokenizer.json'), 'utf8')))
const reader = await TextReader.open(opened, { threads: 1 }, letters, tokenizer.words(), decisionConfigOf(opened, {}).pictures)
const index = JSON.parse(readFileSync(join(folder, `tiles-${name}.json`), 'utf8')) as Record<
  string,
  { first: number; count: number; rows: number; cols: number }
>
const raw = openSync(join(folder, `tiles-${name}.raw`), 'r')
const { tileSize } = tileRule
const size = tileSize * tileSize * 3
const read: Record<string, TextLine[]> = {}
const rounded = (value: number): number => Math.round(value * 1e5) / 1e5
for (const [path, { first, rows, cols }] of Object.entries(index).slice(Number(from ?? 0), to === undefined ? undefined : Number(to))) {
  const [high, wide] = [rows || 1, cols || 1]
  const tiles = Array.from({ length: high * wide }, (_, i) => {
    const tile = new Uint8Array(size)
    readSync(raw, tile, 0, size, (first + i) * size)
    return tile
  })
  const shown = keptCells(tiles, tileSize).map((cell) => encoderCell(cell, wide))
  const lines = shown.length === 0 ? [] : await reader.read(normaliseGrid(tiles, tileSize, wide), high * tileSize, wide * tileSize, shown)
  read[path] = lines.map(({ text, edges, top, bottom }) => ({
    text,
    edges: edges.map(rounded),
    top: rounded(top),
    bottom: rounded(bottom),
  }))
}
closeSync(raw)
await reader.close()
writeFileSync(join(folder, `lines-${name}${from === undefined ? '' : `-${from}`}.json`), JSON.stringify(read))
console.log(`${Object.keys(read).length} pictures, ${Object.values(read).flat().length} lines`)
