// Which second looks help this model: each operator alone, against the single pass, both calibrated on other states. Usage:
//   tsx bench/operators.ts MODEL_FOLDER IMAGES_ROOT OUT.json FILE.jsonl[.gz]... [--limit N]
// Run it on calibration rows, never on those that results are reported on: it is how operators are chosen. An operator whose interval holds 0 is dropped.
import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { loadOnnxModel } from '../src/backends/onnx/index.ts'
import { calibrateRows } from '../src/calibration/apply.ts'
import type { Evidence } from '../src/calibration/evidence.ts'
import { samplesOf } from '../src/calibration/evidence.ts'
import { foldOf, growTrees } from '../src/calibration/fit.ts'
import { gainAt, uncertaintyOf } from '../src/calibration/gate.ts'
import { crossEntropy } from '../src/calibration/metrics.ts'
import { pairedDifference } from '../src/calibration/resampling.ts'
import { createEngine } from '../src/engine.ts'
import { openDataset, type Row, readRows } from '../src/evaluate/dataset.ts'
import { evidenceOf } from '../src/evaluate/evidence-of.ts'
import { type RowResult, runRow } from '../src/evaluate/run.ts'
import type { DecisionReadout } from '../src/questions/decision.ts'

/** What is worth trying where no order of candidates matters. */
const TRIED: Readonly<Partial<Record<DecisionReadout, readonly string[]>>> = {
  binary: ['statement', 'yes-or-no', 'polarity'],
  exclusive: ['contrast', 'names-only', 'which-fits', 'alone'],
  ordinal: ['reversed', 'contrast', 'alone', 'which-fits'],
  independent: ['which-hold', 'names-only'],
}
const FOLDS = [0, 1, 2, 3, 4]
/** Most decisions that may be escalated. */
const SHARE = 0.3

const args = process.argv.slice(2)
const limitAt = args.indexOf('--limit')
const limit = limitAt < 0 ? null : Number(args.splice(limitAt, 2)[1])
const [folder, root, out, ...files] = args
if (folder === undefined || root === undefined || out === undefined || files.length === 0) {
  throw new Error('usage: tsx bench/operators.ts MODEL_FOLDER IMAGES_ROOT OUT.json FILE... [--limit N]')
}

const backend = await loadOnnxModel(folder, { inProcess: true, id: basename(folder) })
const dataset = await openDataset(files, { limit, sample: null, seed: 0 })
const rows = []
for await (const row of readRows(files, root)) if (dataset.chosen.has(row.at)) rows.push(row)

const table = []
for (const [readout, names] of Object.entries(TRIED)) {
  for (const name of names) {
    const engine = await createEngine({
      models: [backend],
      deliberation: { passes: 2, operators: { [readout]: [name] } },
      deadlineMs: 600_000,
    })
    const results: RowResult[] = []
    for (const [done, row] of rows.entries()) {
      const asked = onlyScored(row, readout)
      if (Object.keys(asked.request.questions).length === 0) continue
      const settings = { ask: engine.ask, now: () => performance.now(), deliberation: 'always', deadlineMs: 600_000 } as const
      results.push(await runRow(asked, { ...settings, selfCheck: false, keepStates: false, keepFeatures: false }))
      if (done % 100 === 0) process.stderr.write(`\r${readout} ${name} ${done}/${rows.length}   `)
    }
    const evidence = [...evidenceOf(results)].filter((one) => one.readout === readout && one.deliberated !== null)
    for (const hasImage of [false, true]) {
      const own = evidence.filter((one) => one.hasImage === hasImage)
      if (own.length >= 100) table.push({ readout, state: hasImage ? 'images' : 'text', operator: name, ...measure(own) })
    }
  }
}
process.stderr.write('\n')
await backend.close()

console.log(
  '| read-out | state | operator | decisions | log-loss, one pass | with it | gain, 95 % | right, one pass | with it | kept at 30 % |',
)
console.log('|---|---|---|---|---|---|---|---|---|---|')
for (const { readout, state, operator, count, single, pooled, gain, interval, rightSingle, rightPooled, captured } of table) {
  const numbers = [single, pooled].map((value) => value.toFixed(4)).join(' | ')
  const span = `${gain >= 0 ? '+' : ''}${gain.toFixed(4)} (${interval.map((value) => value.toFixed(4)).join(' to ')})`
  const right = `${rightSingle.toFixed(3)} | ${rightPooled.toFixed(3)}`
  console.log(
    `| ${readout} | ${state} | ${operator} | ${count} | ${numbers} | ${span} | ${right} | ${captured === null ? '' : captured.toFixed(2)} |`,
  )
}
writeFileSync(out, `${JSON.stringify({ model: backend.info.revision, template: backend.info.templateHash, limit, table }, null, 1)}\n`)

/** Only the questions of one read-out: the others would cost time and say nothing here. */
function onlyScored(row: Row, readout: string): Row {
  const type = { binary: 'noul', exclusive: 'choice', ordinal: 'score', independent: 'select' }[readout]
  const questions = Object.entries(row.request.questions).filter(([, question]) => question.type === type)
  return { ...row, request: { ...row.request, questions: Object.fromEntries(questions) } }
}

function measure(evidence: readonly Evidence[]) {
  const judged = FOLDS.flatMap((fold) => {
    const trees = growTrees(evidence.filter(({ state }) => foldOf(state) !== fold))
    return evidence
      .filter(({ state }) => foldOf(state) === fold)
      .map((one) => {
        const single = calibrateRows(trees, one, 'single', one.single).probabilities
        const pooled = calibrateRows(trees, one, 'deliberated', one.deliberated!).probabilities
        const targets = samplesOf(one, 'single').map(({ target }) => target)
        return {
          state: one.state,
          uncertainty: uncertaintyOf(single),
          single: lossOf(single, targets),
          pooled: lossOf(pooled, targets),
          rightSingle: rightOf(single, targets),
          rightPooled: rightOf(pooled, targets),
        }
      })
  })
  const mean = (of: (one: (typeof judged)[number]) => number): number => judged.reduce((sum, one) => sum + of(one), 0) / judged.length
  const groups = judged.map(({ state }) => state)
  const { mean: gain, interval } = pairedDifference(
    judged.map(({ single }) => single),
    judged.map(({ pooled }) => pooled),
    groups,
    { resamples: 2000, seed: 1 },
  )
  const { captured } = gainAt(
    judged.map(({ uncertainty, single, pooled, state }) => ({ uncertainty, gain: single - pooled, state })),
    SHARE,
  )
  return {
    count: judged.length,
    single: mean((one) => one.single),
    pooled: mean((one) => one.pooled),
    gain,
    interval,
    rightSingle: mean((one) => one.rightSingle),
    rightPooled: mean((one) => one.rightPooled),
    captured,
  }
}

/** Mean over the rows of a decision, in nats. */
function lossOf(probabilities: readonly (readonly number[])[], targets: readonly (readonly number[])[]): number {
  return probabilities.reduce((sum, row, i) => sum + crossEntropy(row, targets[i]!), 0) / probabilities.length
}

function rightOf(probabilities: readonly (readonly number[])[], targets: readonly (readonly number[])[]): number {
  const top = (row: readonly number[]): number => row.indexOf(Math.max(...row))
  return probabilities.filter((row, i) => top(row) === top(targets[i]!)).length / probabilities.length
}
