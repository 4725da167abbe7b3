// Whether another view of the picture helps an uncertain decision: enlarged, mirrored, or moved by half a cell.
// Usage: npx tsx bench/experiments/views.ts MODEL_FOLDER ROOT OUT.json FILE.jsonl[.gz]... [--limit N]
// Each view is a state of its own, pooled with the original picture. The gains were at most .004
// nats, so the engine has none of them.
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { logPool } from '../../src/calibration/deliberation/pooling.ts'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import type { Json } from '../../src/core/types.ts'
import { openDataset, type Row, readRows } from '../../src/evaluate/dataset.ts'
import { evidenceOf } from '../../src/evaluate/evidence-of.ts'
import { runRow } from '../../src/evaluate/run.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import { benchArguments } from '../lib/arguments.ts'
import { measure, PAIRED_HEAD, pairedLine } from '../lib/paired.ts'

const VIEWS: Readonly<Record<string, (picture: Sharp, width: number, height: number) => Sharp>> = {
  enlarged: (picture, width, height) => picture.resize(Math.round(width * 1.5), Math.round(height * 1.5)),
  mirrored: (picture) => picture.flop(),
  moved: (picture) => picture.extend({ left: 16, top: 16, extendWith: 'copy' }),
}
const SCORED = new Set(['noul', 'choice', 'score', 'select'])
/** As the engine pools. */
const FLOOR = 1e-3

const { folder, root, out, files, limit } = benchArguments('experiments/views.ts')

const backend = await loadOnnxModel(folder, { inProcess: true, id: basename(folder) })
const engine = await createEngine({ models: [backend], deadlineMs: 600_000 })
const settings = { ask: engine.ask, now: () => performance.now(), deliberation: 'never', deadlineMs: 600_000 } as const
const dataset = await openDataset(files, { limit, sample: null, seed: 0 })
const pairs: { readonly view: string; readonly evidence: Evidence }[] = []
let done = 0
for await (const found of readRows(files, root)) {
  const row = scoredOnly(found)
  if (!dataset.chosen.has(row.at) || pathsOf(row).length === 0 || Object.keys(row.request.questions).length === 0) continue
  const own = await evidenceFor(row)
  for (const [view, change] of Object.entries(VIEWS)) {
    const seen = await evidenceFor(await viewed(row, change))
    if (seen.length !== own.length) continue
    own.forEach((evidence, i) => {
      const deliberated = evidence.single.map((line, at) => logPool([line, seen[i]!.single[at]!], { floor: FLOOR }))
      pairs.push({ view, evidence: { ...evidence, deliberated } })
    })
  }
  if (++done % 20 === 0) process.stderr.write(`\r${done} rows   `)
}
process.stderr.write('\n')
await backend.close()

const table = ['binary', 'exclusive', 'ordinal', 'independent'].flatMap((readout) =>
  Object.keys(VIEWS).flatMap((view) => {
    const own = pairs.filter((pair) => pair.view === view && pair.evidence.readout === readout).map(({ evidence }) => evidence)
    return own.length < 100 ? [] : [{ readout, view, ...measure(own) }]
  }),
)
console.log(`| read-out | view ${PAIRED_HEAD}`)
console.log(`|${'---|'.repeat(9)}`)
for (const { readout, view, ...paired } of table) console.log(`| ${readout} | ${view} ${pairedLine(paired)}`)
writeFileSync(
  out,
  `${JSON.stringify({ model: backend.info.revision, template: backend.info.templateHash, limit, rows: done, table }, null, 1)}\n`,
)

function scoredOnly(row: Row): Row {
  const questions = Object.entries(row.request.questions).filter(([, { type }]) => SCORED.has(type))
  return { ...row, request: { ...row.request, questions: Object.fromEntries(questions) } }
}

interface ImagePart {
  readonly type?: string
  readonly source?: { readonly path?: string }
}

/** Paths of the pictures of a state. */
function pathsOf({ request: { state } }: Row): string[] {
  if (!Array.isArray(state)) return []
  return state.flatMap((part) => {
    const { type, source } = part as ImagePart
    return type === 'image' && source?.path !== undefined ? [source.path] : []
  })
}

async function evidenceFor(row: Row): Promise<Evidence[]> {
  return [...evidenceOf([await runRow(row, { ...settings, selfCheck: false, keepStates: false })])]
}

/** The row with every picture changed. */
async function viewed(row: Row, change: (picture: Sharp, width: number, height: number) => Sharp): Promise<Row> {
  const parts = row.request.state as unknown as readonly Json[]
  const state = await Promise.all(
    parts.map(async (part) => {
      const { type, source } = part as ImagePart
      if (type !== 'image' || source?.path === undefined) return part
      const picture = sharp(await readFile(source.path))
      const { width = 1, height = 1 } = await picture.metadata()
      const bytes = new Uint8Array(await change(picture, width, height).png().toBuffer())
      return { type: 'image', source: { type: 'bytes', bytes } }
    }),
  )
  return { ...row, request: { ...row.request, state: state as never } }
}
