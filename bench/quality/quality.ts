// How good the answers are: labelled rows through the engine, graded by task and type.
// Usage: npx tsx bench/quality/quality.ts MODEL_FOLDER ROOT OUT.json FILE.jsonl[.gz]... [--limit N]
// ROOT is the folder that image paths are relative to. The result holds numbers only, no states. This table compares
// weights; `assay eval` and `assay report` give the same rows with calibration, intervals and charts.
import { writeFileSync } from 'node:fs'
import { openDataset, readRows } from '../../src/evaluate/dataset.ts'
import type { GradedQuestion } from '../../src/evaluate/graded-question.ts'
import { runRow } from '../../src/evaluate/run.ts'
import { sumUpBy, typeOf } from '../../src/evaluate/summary.ts'
import { ENGINE_VERSION } from '../../src/index.ts'
import { answering } from '../lib/answering.ts'
import { benchArguments } from '../lib/arguments.ts'
import { machine } from '../lib/machine.ts'
import { spearman } from '../lib/spearman.ts'

const { folder, root, out, files, limit } = benchArguments('quality/quality.ts')

const { settings, revision, close } = await answering(folder)
const graded: { readonly key: string; readonly question: GradedQuestion }[] = []
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
await close()

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
writeFileSync(out, `${JSON.stringify({ engine: ENGINE_VERSION, revision: revision(), machine, limit, table }, null, 1)}\n`)

/** Spearman correlation of answered and true levels; null for scales of different lengths, and for other types. */
function orderOf(key: string): number | null {
  const scores = graded.filter((one) => one.key === key && one.question.type === 'score').map(({ question }) => question)
  if (new Set(scores.map(({ distribution }) => distribution?.names.length)).size !== 1) return null
  return spearman(
    scores.map(({ said }) => Number(said)),
    scores.map(({ truth }) => Number(truth)),
  )
}
