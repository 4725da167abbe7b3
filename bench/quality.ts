// How good the answers are: labelled rows through the engine, graded by task and type. Usage:
//   tsx bench/quality.ts MODEL_FOLDER ROOT OUT.json FILE.jsonl[.gz]... [--limit N]
// ROOT is the folder that image paths are relative to. The data are inputs only; the result holds numbers, no states.
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { gunzipSync } from 'node:zlib'
import type { AskRequest, QuestionAnswer } from '../src/answers.ts'
import { createEngine, ENGINE_VERSION, localModel } from '../src/index.ts'
import { type Grade, grade } from './grade.ts'
import { atRoot, type LabelledRow } from './labelled.ts'

const args = process.argv.slice(2)
const limitAt = args.indexOf('--limit')
const limit = limitAt < 0 ? Number.POSITIVE_INFINITY : Number(args.splice(limitAt, 2)[1])
const [folder, root, out, ...files] = args
if (folder === undefined || root === undefined || out === undefined || files.length === 0) {
  throw new Error('usage: tsx bench/quality.ts MODEL_FOLDER ROOT OUT.json FILE... [--limit N]')
}

const engine = await createEngine({ models: [localModel(folder, { inProcess: true, id: 'service-1-pro' })], deadlineMs: 600_000 })
const grades = new Map<string, Grade[]>()
const refused = new Map<string, number>()
let revision: unknown = null
for (const file of files) {
  const bytes = readFileSync(file)
  const lines = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n').filter(Boolean)
  let done = 0
  for (const line of lines.slice(0, limit)) {
    await one(JSON.parse(line) as LabelledRow)
    if (++done % 50 === 0) process.stderr.write(`\r${file.split('/').slice(-2).join('/')} ${done}/${Math.min(lines.length, limit)}   `)
  }
}
process.stderr.write('\n')
await engine.close()

const table = [...grades].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, list]) => summary(key, list))
console.log('| rows, type | questions | right | guessing | log-loss | uniform | mean IoU |')
console.log('|---|---|---|---|---|---|---|')
for (const row of table) {
  const number = (value: number | null | undefined): string => (value === null || value === undefined ? '' : value.toFixed(3))
  const right = `${number(row.right)} ± ${number(row.margin)}`
  console.log(
    `| ${row.key} | ${row.n} | ${right} | ${number(row.guess)} | ${number(row.loss)} | ${number(row.guessLoss)} | ${number(row.overlap)} |`,
  )
}
if (refused.size > 0) console.log('refused:', Object.fromEntries(refused))
const machine = { node: process.version, cores: availableParallelism(), cpu: cpus()[0]?.model ?? 'unknown' }
writeFileSync(
  out,
  `${JSON.stringify({ engine: ENGINE_VERSION, revision, machine, limit: Number.isFinite(limit) ? limit : null, table }, null, 1)}\n`,
)

async function one(row: LabelledRow): Promise<void> {
  try {
    const response = await engine.ask({ state: atRoot(row.state, root as string), questions: row.questions } as AskRequest)
    revision = response.simo.model_revision
    for (const [id, question] of Object.entries(row.questions)) {
      const truth = row.truth[id]
      if (truth === undefined) continue
      const graded = grade(response.answers[id] as QuestionAnswer, truth, row.accept?.[id])
      if (graded === null) continue
      const type = [question.type, ...(question.kind === undefined ? [] : [question.kind]), ...(question.many ? ['many'] : [])].join(' ')
      for (const key of [`${row.source} ${type}`, `(all) ${type}`]) grades.set(key, [...(grades.get(key) ?? []), graded])
    }
  } catch (error) {
    const message = `${row.source}: ${(error as { code?: string }).code ?? 'error'}: ${(error as Error).message.replaceAll(/\d+/g, 'N')}`
    refused.set(message, (refused.get(message) ?? 0) + 1)
  }
}

function summary(key: string, list: readonly Grade[]) {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const right = list.map((one) => one.right)
  const losses = list.flatMap((one) => (one.loss === null ? [] : [one.loss]))
  const guessLosses = list.flatMap((one) => (one.guessLoss === null ? [] : [one.guessLoss]))
  const overlaps = list.flatMap((one) => (one.overlap === undefined ? [] : [one.overlap]))
  const deviation = Math.sqrt(mean(right.map((value) => (value - mean(right)) ** 2)))
  return {
    key,
    n: list.length,
    right: mean(right),
    /** Half of the 95 % interval, by the normal approximation. */
    margin: (1.96 * deviation) / Math.sqrt(list.length),
    guess: mean(list.map((one) => one.guess)),
    loss: losses.length === 0 ? null : mean(losses),
    guessLoss: guessLosses.length === 0 ? null : mean(guessLosses),
    overlap: overlaps.length === 0 ? null : mean(overlaps),
  }
}
