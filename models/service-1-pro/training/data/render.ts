// Labelled requests to training rows, with the engine's own reading of states and questions.
// Usage: npx tsx data/render.ts TOKENIZER OUT ROOT FILE... [--tiles FOLDER] [--leave-out IDS]
// ROOT is the folder that image paths are relative to; FOLDER holds pictures that are already cut into tiles
// (pictures/dump-tiles.ts); IDS is a list that data/leaks.py wrote. Writes one JSON line a row: [source, ids, cases,
// segments, groups, questions, ...pictures]. A question is [kind, ids, cases, options, truth], an option [ids, cases],
// a picture [path, rows, cols, aspect, kept cells, boxes of its words]. A truth is a probability, the index of an
// option, a level, a list of 0 and 1, spans as [first, last] token (any of them for one, all of them for many), lists
// of cells, or answer ids.
import { createReadStream, createWriteStream, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { atRoot, type LabelledRow } from '../../../../bench/lib/labelled.ts'
import type { Branch, Constraint } from '../../../../src/backends/backend.ts'
import { type Cell, cellsOf, keptCells } from '../../../../src/backends/onnx/families/decision/cells.ts'
import { kindOf } from '../../../../src/backends/onnx/families/decision/control-tokens.ts'
import { type PackedState, packState, wordBoxesOf } from '../../../../src/backends/onnx/families/decision/pack.ts'
import { packBranch } from '../../../../src/backends/onnx/families/decision/pack-branch.ts'
import { PieceTokenizer } from '../../../../src/backends/onnx/families/decision/piece-tokenizer.ts'
import type { TextLine } from '../../../../src/backends/onnx/families/decision/text-lines.ts'
import { type Tiles, tilePicture } from '../../../../src/backends/onnx/images/tiles.ts'
import { REQUEST_LIMITS } from '../../../../src/core/limits.ts'
import type { Json, Piece } from '../../../../src/core/types.ts'
import { questionContext } from '../../../../src/pipeline/asking/question-context.ts'
import { checkQuestions } from '../../../../src/questions/index.ts'
import { checkStatement } from '../../../../src/questions/shared/check.ts'
import type { ModelCall } from '../../../../src/questions/shared/coroutine.ts'
import { NO_TEXTS, UNCALIBRATED } from '../../../../test/questions/ask.ts'
import { readState } from '../../../../test/shared/read-state.ts'
import { tileRule } from '../pictures/tile-rule.ts'
import { type PictureCells, type Target, targetOf } from './targets.ts'

/** Tokens of a state. Longer ones are cut, dialogues at their beginning; pages are never cut. */
const MOST_STATE_TOKENS = 288
/** One read question in this many also becomes a noul: whether a proposed answer is right. */
const CHECK_EVERY = 4

const args = process.argv.slice(2)
const option = (name: string): string | null => {
  const at = args.indexOf(name)
  return at < 0 ? null : (args.splice(at, 2)[1] as string)
}
const tilesFolder = option('--tiles')
const dumped = readDumps(tilesFolder)
const readLines = readLinesOf(tilesFolder)
const leaveOut = option('--leave-out')
const leaked = new Set(leaveOut === null ? [] : readFileSync(leaveOut, 'utf8').split('\n').filter(Boolean))
const [tokenizerPath, outPath, root, ...files] = args
if (tokenizerPath === undefined || outPath === undefined || root === undefined)
  throw new Error('usage: tsx render.ts TOKENIZER OUT ROOT FILE... [--tiles FOLDER] [--leave-out IDS]')
const tokenizer = new PieceTokenizer(JSON.parse(readFileSync(tokenizerPath, 'utf8')))
const out = createWriteStream(outPath)
const lost = new Map<string, number>()
let reads = 0

for (const file of files) {
  const stream = createReadStream(file)
  const lines = createInterface({ input: file.endsWith('.gz') ? stream.pipe(createGunzip()) : stream })
  let rows = 0
  for await (const line of lines) {
    const labelled = JSON.parse(line) as LabelledRow
    if (leaked.has(labelled.id)) {
      count('also in a dev set')
      continue
    }
    const rendered = await render(labelled)
    if (rendered === null) continue
    rows++
    if (!out.write(`${JSON.stringify(rendered)}\n`)) await new Promise((resolve) => out.once('drain', () => resolve(null)))
  }
  console.log(`${basename(file)}: ${rows} rows`)
}
out.end()
console.log('left out:', Object.fromEntries(lost))

async function render(row: LabelledRow): Promise<unknown[] | null> {
  const { prompt, images } = await readState(atRoot(row.state, root as string))
  const pieces = prompt.pieces.filter((piece): piece is Piece & { type: 'image' } => piece.type === 'image')
  const paths = pathsOf(row.state)
  const pictures = await Promise.all(pieces.map((piece, i) => cut(piece, paths[i] as string)))
  const state = packState(
    prompt,
    tokenizer,
    pictures.map(({ cells, lines }) => ({ cellCount: cells.length, lines })),
  )
  const surplus = pictures.length === 0 ? Math.max(0, state.ids.length - MOST_STATE_TOKENS) : 0
  const [from, to] = isDialogue(row.state) ? [surplus + 1, Number.POSITIVE_INFINITY] : [1, state.ids.length - surplus]
  const kept = (values: readonly number[]): number[] => [values[0] as number, ...values.slice(from, to)]
  const sent = images.map(({ id, sentWidth, sentHeight }) => ({
    id,
    size: [sentWidth, sentHeight] as const,
    toSentPixels: () => [0, 0, 0, 0] as const,
  }))
  const context = questionContext(sent, () => null, UNCALIBRATED, NO_TEXTS)
  const faults: string[] = []
  const asked = checkQuestions(row.questions, '/questions', { limits: REQUEST_LIMITS, report: ({ message }) => faults.push(message) })
  if (faults.length > 0) count(`${row.source} refused: ${faults[0]}`)
  const questions: unknown[] = []
  for (const question of asked) {
    const truth = row.truth[question.id]
    const step = question.run(context).next(undefined as never)
    const [work] = step.done ? [] : step.value
    if (work === undefined || truth === undefined) continue
    const target = targetOf(work, truth, {
      state,
      from,
      to,
      picture: pictures.length === 1 ? (pictures[0] as PictureCells) : null,
      tokenizer,
    })
    if (target === null) count(`${row.source} ${question.type}`)
    else questions.push(rendered(work, target))
    if (question.type !== 'extract' || work.type !== 'read' || work.constraint.type !== 'span' || reads++ % CHECK_EVERY !== 0) continue
    questions.push(checkOf(work.branch.instructions, truth, state))
  }
  if (questions.length === 0) return null
  const entries = pictures.map(({ entry, words }) => [...entry, words])
  return [row.source, kept(state.ids), kept(state.cases), kept(state.segments), kept(state.groups), questions, ...entries]
}

function rendered(work: ModelCall, target: Target): unknown[] {
  const constraint: Constraint | null = work.type === 'read' ? work.constraint : null
  const packed = packBranch(work.branch, constraint, 0, tokenizer)
  const of = (owner: number): [number[], number[]] => {
    const tokens = packed.owners.flatMap((own, i) => (own === owner ? [i] : []))
    return [tokens.map((i) => packed.ids[i] as number), tokens.map((i) => packed.cases[i] as number)]
  }
  const options = packed.owners.includes(1) ? packed.readouts.map((_, i) => of(i + 1)) : []
  const kind = kindOf(work.branch, constraint)
  if (target.type === 'option') return [kind, ...of(0), options, packed.readoutOf[target.value]]
  if (target.type === 'options') return [kind, ...of(0), options, packed.readouts.map((_, i) => target.value[packed.readoutOf.indexOf(i)])]
  return [kind, ...of(0), options, target.value]
}

/**
 * A noul whether a proposed answer is right. Half are wrong: other words of the state, or nothing where there is one.
 */
function checkOf(instructions: string, truth: Json, state: PackedState): unknown[] {
  const right = truth === null ? null : Array.isArray(truth) ? (truth.length === 0 ? null : truth.map(String).join('; ')) : String(truth)
  const isRight = Math.floor(reads / CHECK_EVERY) % 2 === 0
  const proposal = isRight ? right : wrongFor(right, state)
  const statement = checkStatement(instructions, proposal)
  const candidates = ['true', 'false'].map((name) => ({ name, description: null }))
  const branch: Branch = { readout: 'binary', instructions: statement, candidates, image: null }
  return rendered({ type: 'score', branch }, { type: 'value', value: Number(proposal === right) })
}

function wrongFor(right: string | null, state: PackedState): string | null {
  const words = state.origins.flatMap((origin) => (origin === null || origin.end - origin.start < 2 ? [] : [origin]))
  if (words.length === 0 || (right !== null && reads % 3 === 0)) return right === null ? 'unknown' : null
  const origin = words[(reads * 7919) % words.length] as (typeof words)[number]
  const other = origin.text.slice(origin.start, origin.end)
  return other === right ? null : other
}

async function cut(image: Piece & { type: 'image' }, path: string): Promise<PictureCells> {
  const { tiles, tileSize, rows, cols } = readTiles(path) ?? (await tilePicture(image.picture, tileRule))
  const kept = keptCells(tiles, tileSize)
  const all = cellsOf(rows, cols)
  const { width, height } = image.picture
  const lines = readLines.get(path) ?? []
  const words = wordBoxesOf(lines, tokenizer).map((place) => [place.x, place.y, place.width, place.height])
  return {
    cells: kept.map((cell) => all[cell] as Cell),
    lines,
    width,
    height,
    entry: [path, rows, cols, Math.log(width / height), kept],
    words: words.map((place) => place.map((value) => Math.round(value * 1e4) / 1e4)),
  }
}

interface Dump {
  readonly file: number
  readonly first: number
  readonly count: number
  readonly rows: number
  readonly cols: number
}

/** Path of a picture -> where its tiles lie in the dumps of a folder. */
function readDumps(folder: string | null): Map<string, Dump> {
  const dumps = new Map<string, Dump>()
  for (const name of folder === null ? [] : readdirSync(folder)) {
    if (!/^tiles-.*\.json$/.test(name)) continue
    const file = openSync(join(folder as string, name.replace('.json', '.raw')), 'r')
    const index = JSON.parse(readFileSync(join(folder as string, name), 'utf8')) as Record<string, Omit<Dump, 'file'>>
    for (const [path, entry] of Object.entries(index)) dumps.set(path, { ...entry, file })
  }
  return dumps
}

/** Path of a picture -> what pictures/read-lines.ts read in it. */
function readLinesOf(folder: string | null): Map<string, readonly TextLine[]> {
  const files = folder === null ? [] : readdirSync(folder).filter((name) => /^lines-.*\.json$/.test(name))
  return new Map(
    files.flatMap((name) => Object.entries(JSON.parse(readFileSync(join(folder as string, name), 'utf8')) as Record<string, TextLine[]>)),
  )
}

function readTiles(path: string): Tiles | null {
  const dump = dumped.get(path)
  if (dump === undefined) return null
  const { tileSize } = tileRule
  const size = tileSize * tileSize * 3
  const tiles = Array.from({ length: dump.count }, (_, i) => {
    const tile = new Uint8Array(size)
    readSync(dump.file, tile, 0, size, (dump.first + i) * size)
    return tile
  })
  return { rows: dump.rows, cols: dump.cols, tiles, tileSize }
}

/** Paths of the pictures and of the frames of videos, in order. */
function pathsOf(state: Json): string[] {
  type Pictured = { readonly source: { readonly path: string } }
  const parts = Array.isArray(state) ? (state as readonly Partial<Pictured & { readonly frames: readonly Pictured[] }>[]) : []
  return parts.flatMap(({ source, frames }) => (frames ?? (source === undefined ? [] : [{ source }])).map((one) => one.source.path))
}

function isDialogue(state: Json): boolean {
  return Array.isArray(state) || (typeof state === 'object' && state !== null && 'turns' in state)
}

function count(what: string): void {
  lost.set(what, (lost.get(what) ?? 0) + 1)
}
