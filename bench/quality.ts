// How good the answers are: labelled rows through the engine, graded by task and type. Usage:
//   tsx bench/quality.ts MODEL_FOLDER ROOT OUT.json FILE.jsonl[.gz]... [--limit N]
// ROOT is the folder that image paths are relative to. The data are inputs only; the result holds numbers, no states. With calibration, intervals
// and pictures the same rows go through `assay eval` and `assay report`; this table is for comparing weights.
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import type { AskRequest } from '../src/answers.ts'
import { openDataset, readRows } from '../src/evaluate/dataset.ts'
import { type QuestionResult, type RunSettings, runRow } from '../src/evaluate/run.ts'
import { sumUpBy, typeOf } from '../src/evaluate/summary.ts'
import { createEngine, ENGINE_VERSION, localModel } from '../src/index.ts'
import { benchArguments } from './arguments.ts'
import { spearman } from './spearman.ts'

const { folder, root, out, files, limit } = benchArguments('quality.ts')

const engine = await createEngine({ models: [localModel(folder, { inProcess: true, id: 'service-1-pro' })], deadlineMs: 600_000 })
let revision: string | null = null
const settings: RunSettings = {
  async ask(request, options) {
    const response = await engine.ask(request as AskRequest, options)
    revision = response.simo.model_revision
    return response
  },
  now: () => performance.now(),
  deliberation: 'automatic',
  deadlineMs: 600_000,
  selfCheck: false,
  keepStates: false,
  keepFeatures: false,
}
const graded: { readonly key: string; readonly question: QuestionResult }[] = []
const refused: Record<string, number> = {}
const { chosen } = await openDataset(files, { limit, sample: null, seed: 0 })
let done = 0
for await (const row of readRows(files, root)) {
  if (!chosen.has(row.at)) continue
  const { task, questions, error } = await runRow(row, settings)
  const source = task.split(':')[0] as string
  for (const question of questions) for (const whose of [source, '(all)']) graded.push({ key: `${whose} ${typeOf(question)}`, question })
  if (error !== undefined) {
    const message = `${source}: ${error.code}: ${error.message.replaceAll(/\d+/g, 'N')}`
    refused[message] = (refused[message] ?? 0) + 1
  }
  if (++done % 50 === 0) process.stderr.write(`\r${task} ${done}/${chosen.size}   `)
}
process.stderr.write('\n')
await engine.close()

const table = sumUpBy(graded).map(({ type: key, count: n, right, margin, guess, logLoss: loss, uniformLogLoss: guessLoss, overlap }) => {
  return { key, n, right, margin, guess, loss, guessLoss, overlap, spearman: orderOf(key) }
})
console.log('| rows, type | questions | right | guessing | log-loss | uniform | mean IoU | Spearman |')
console.log('|---|---|---|---|---|---|---|---|')
for (const row of table) {
  const number = (value: number | null): string => (value === null ? '' : value.toFixed(3))
  const right = `${number(row.right)} ± ${number(row.margin)}`
  console.log(
    `| ${row.key} | ${row.n} | ${right} | ${number(row.guess)} | ${number(row.loss)} | ${number(row.guessLoss)} | ${number(row.overlap)} | ${number(row.spearman)} |`,
  )
}
if (Object.keys(refused).length > 0) console.log('refused:', refused)
const machine = { node: process.version, cores: availableParallelism(), cpu: cpus()[0]?.model ?? 'unknown' }
writeFileSync(out, `${JSON.stringify({ engine: ENGINE_VERSION, revision, machine, limit, table }, null, 1)}\n`)

/** Of the mean levels that were said, against the true ones; null where scales of different length meet, and for what is no score. */
function orderOf(key: string): number | null {
  const scores = graded.filter((one) => one.key === key && one.question.type === 'score').map(({ question }) => question)
  if (new Set(scores.map(({ distribution }) => distribution?.names.length)).size !== 1) return null
  return spearman(
    scores.map(({ said }) => Number(said)),
    scores.map(({ truth }) => Number(truth)),
  )
}
