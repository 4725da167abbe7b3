// Which second passes help this model: each operator alone against the single pass, both calibrated on other states.
// Usage: npx tsx bench/experiments/operators.ts MODEL_FOLDER ROOT OUT.json FILE.jsonl[.gz]... [--limit N]
// Operators are chosen by it, so run it on calibration rows, never on those that results are reported on. An operator
// whose interval contains 0 is dropped.
import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { openDataset, type Row, readRows } from '../../src/evaluate/dataset.ts'
import { evidenceOf } from '../../src/evaluate/evidence-of.ts'
import { type RowResult, runRow } from '../../src/evaluate/run.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import type { DecisionReadout } from '../../src/questions/shared/readouts.ts'
import { benchArguments } from '../lib/arguments.ts'
import { measure, PAIRED_HEAD, pairedLine } from '../lib/paired.ts'

/** What is worth trying where no order of candidates matters. */
const TRIED: Readonly<Partial<Record<DecisionReadout, readonly string[]>>> = {
  binary: ['statement', 'yes-or-no', 'polarity'],
  exclusive: ['contrast', 'names-only', 'which-fits', 'alone'],
  ordinal: ['reversed', 'contrast', 'alone', 'which-fits'],
  independent: ['which-hold', 'names-only'],
}

const { folder, root, out, files, limit } = benchArguments('experiments/operators.ts')

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
      results.push(await runRow(asked, { ...settings, selfCheck: false, keepStates: false }))
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

console.log(`| read-out | state | operator ${PAIRED_HEAD}`)
console.log(`|${'---|'.repeat(10)}`)
for (const { readout, state, operator, ...paired } of table) console.log(`| ${readout} | ${state} | ${operator} ${pairedLine(paired)}`)
writeFileSync(out, `${JSON.stringify({ model: backend.info.revision, template: backend.info.templateHash, limit, table }, null, 1)}\n`)

/** Only the questions of one read-out: the others would cost time and say nothing here. */
function onlyScored(row: Row, readout: string): Row {
  const type = { binary: 'noul', exclusive: 'choice', ordinal: 'score', independent: 'select' }[readout]
  const questions = Object.entries(row.request.questions).filter(([, question]) => question.type === type)
  return { ...row, request: { ...row.request, questions: Object.fromEntries(questions) } }
}
