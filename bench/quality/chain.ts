// What a chain of two models is worth: quality against cost at several thresholds, beside each model by itself.
// Usage: npx tsx bench/quality/chain.ts SMALL LARGE ROOT OUT.json FILE.jsonl[.gz]... [--limit N] [--prices A,B] > OUT.md
// A model is a folder, or simulated:.9, which is told the truth, takes it nine times in ten, and gives what it takes a
// probability of .9: a stand-in for a larger model where none is there, calibrated by construction. Every point of the
// curve is a real chain that answered all rows. Prices are US dollars per million input tokens, default 0.1,1.
import { writeFileSync } from 'node:fs'
import type { Backend, Branch } from '../../src/backends/backend.ts'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { chooseGate, type GateCase, uncertaintyOf } from '../../src/calibration/deliberation/gate.ts'
import { groupBy } from '../../src/core/group-by.ts'
import { mean } from '../../src/core/math.ts'
import { seededRandom } from '../../src/core/random.ts'
import { openDataset, type Row, readRows } from '../../src/evaluate/dataset.ts'
import type { GradedQuestion } from '../../src/evaluate/graded-question.ts'
import { type RowResult, runRow } from '../../src/evaluate/run.ts'
import { marginOf } from '../../src/evaluate/summary.ts'
import { chainOf, createEngine, ENGINE_VERSION, localModel } from '../../src/index.ts'
import type { AskRequest, AskResponse } from '../../src/wire/types.ts'
import { takeFlag, takeLimit } from '../lib/arguments.ts'
import { machine } from '../lib/machine.ts'

const THRESHOLDS = [1, 0.95, 0.9, 0.8, 0.7, 0.5, 0.3, 0]
const DECISIONS: ReadonlySet<string> = new Set(['noul', 'choice', 'score'])

const USAGE = 'usage: npx tsx bench/quality/chain.ts SMALL LARGE ROOT OUT.json FILE... [--limit N] [--prices A,B]'
const args = process.argv.slice(2)
const limit = takeLimit(args, USAGE)
const prices = (takeFlag(args, '--prices') ?? '0.1,1').split(',').map(Number)
const arePrices = prices.length === 2 && prices.every((price) => price >= 0)
const [smallName, largeName, root, out, ...files] = args
if (smallName === undefined || largeName === undefined || root === undefined || out === undefined || files.length === 0 || !arePrices) {
  throw new Error(USAGE)
}

let current: Row | null = null
const [small, large] = await Promise.all([modelOf(smallName, 'small'), modelOf(largeName, 'large')])
const chains = THRESHOLDS.map((threshold) => chainOf([{ model: small, threshold }, large], { id: `${threshold}` }))
const engine = await createEngine({ models: [small, large, ...chains], deadlineMs: 600_000 })
const ids = ['small', 'large', ...chains.map(({ id }) => id)]

interface Asked {
  readonly result: RowResult
  readonly response: AskResponse | null
}
const asked = new Map<string, Asked[]>(ids.map((id) => [id, []]))
const { chosen, files: read } = await openDataset(files, { limit, sample: null, seed: 0 })
let done = 0
for await (const row of readRows(files, root)) {
  if (!chosen.has(row.at)) continue
  const questions = Object.fromEntries(Object.entries(row.request.questions).filter(([, { type }]) => DECISIONS.has(type)))
  if (Object.keys(questions).length === 0) continue
  current = { ...row, request: { ...row.request, questions } as Row['request'] }
  // In another order for each row, so that none always finds the state in the cache, or never does.
  const order = ids.map((_, i) => ids[(i + done) % ids.length]!)
  for (const id of order) asked.get(id)!.push(await askOf(current, id))
  if (++done % 20 === 0) process.stderr.write(`\r${done} rows`)
}
process.stderr.write('\n')
await engine.close()

const points = ids.map((id) => ({ model: nameOf(id), ...measure(asked.get(id)!) }))
const gates = gatesOf(asked.get('small')!, asked.get('large')!)
console.log(`small: ${smallName}, large: ${largeName}, ${prices.join(' and ')} dollars per million input tokens, ${done} rows\n`)
console.log('| model | right | log-loss, nats | answered by large | dollars per million questions |')
console.log('|---|---|---|---|---|')
for (const { model, right, margin, logLoss, byLarge, dollars } of points) {
  console.log(
    `| ${model} | ${right.toFixed(3)} ± ${margin?.toFixed(3) ?? '–'} | ${logLoss.toFixed(3)} | ${percent(byLarge)} | ${dollars.toFixed(2)} |`,
  )
}
console.log('\nthresholds that the rule for deliberation would choose, of at most half of the decisions going on:')
for (const { readout, gate } of gates) {
  const { threshold, share, rule, decisions } = gate
  console.log(`- ${readout}: ${threshold.toFixed(3)} (${rule}; ${percent(share)} of ${decisions} go on)`)
}
const result = { engine: ENGINE_VERSION, machine, small: smallName, large: largeName, prices, limit }
writeFileSync(out, `${JSON.stringify({ ...result, files: read, rows: done, points, gates }, null, 1)}\n`)

async function modelOf(name: string, id: string): Promise<Backend> {
  const [, right] = /^simulated:(.+)$/.exec(name) ?? []
  if (right !== undefined) return simulated(id, Number(right))
  // Under the name that the shipped calibration is of; calibrations go by the weights.
  const backend = await localModel(name, { inProcess: true, id: 'service-1-pro' }).load()
  return { info: { ...backend.info, id }, open: (prompt, signal) => backend.open(prompt, signal), close: () => backend.close() }
}

function simulated(id: string, right: number): Backend {
  const fake = createFakeBackend({ id, isForgetful: true, score: (branch) => [scoresOf(branch, right)] })
  return { ...fake, info: { ...fake.info, revision: `simulated ${right}` } }
}

/** Log-odds of one pick: the truth with probability `right`, the same for the same question of a row. */
function scoresOf({ readout, instructions, candidates }: Branch, right: number): number[] {
  const truth = truthOf(readout, instructions)
  const random = seededRandom(
    [...`${current!.id} ${instructions}`].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2_147_483_647, 7),
  )
  const at = candidates.findIndex(({ name }, i) => (readout === 'ordinal' ? i === truth : name === truth))
  const others = candidates.map((_, i) => i).filter((i) => i !== at)
  const pick = at >= 0 && random() < right ? at : others[Math.floor(random() * others.length)]!
  return candidates.map((_, i) => Math.log(i === pick ? right : (1 - right) / (candidates.length - 1)))
}

/** The name of the true candidate, or its level; undefined where the row does not say. */
function truthOf(readout: Branch['readout'], instructions: string): string | number | undefined {
  const { request, truth } = current!
  for (const [id, question] of Object.entries(request.questions)) {
    if (question.instructions !== instructions || truth[id] === undefined) continue
    return readout === 'ordinal' ? Math.round(Number(truth[id])) : String(truth[id])
  }
  return undefined
}

async function askOf(row: Row, model: string): Promise<Asked> {
  let response: AskResponse | null = null
  const result = await runRow(row, {
    async ask(request, options) {
      response = await engine.ask({ ...request, model } as AskRequest, options)
      return response
    },
    now: () => performance.now(),
    ...{ deliberation: 'automatic', deadlineMs: 600_000, selfCheck: false, keepStates: false },
  })
  return { result, response }
}

function nameOf(id: string): string {
  return id === 'small' || id === 'large' ? `${id} alone` : `chain at ${id}`
}

/** `byLarge`: share of the questions. `margin`: half of a normal 95 % interval. */
function measure(of: readonly Asked[]) {
  const questions = of.flatMap(({ result }) => result.questions)
  const right = questions.map((question) => question.right)
  const stages = of.flatMap(({ response }) => response?.simo.chain ?? ownStage(response))
  const tokens = ['small', 'large'].map((name) =>
    stages.filter(({ model }) => model === name).reduce((sum, one) => sum + one.input_tokens, 0),
  )
  const dollars = tokens.reduce((sum, count, i) => sum + (count * prices[i]!) / 1e6, 0)
  return {
    questions: questions.length,
    failed: of.filter(({ result }) => result.error !== undefined).length,
    right: mean(right),
    margin: marginOf(right),
    logLoss: mean(questions.flatMap(({ logLoss }) => logLoss ?? [])),
    byLarge: stages.reduce((sum, { model, answered }) => sum + (model === 'large' ? answered : 0), 0) / questions.length,
    tokens,
    dollars: (dollars / questions.length) * 1e6,
    msPerRow: mean(of.map(({ result }) => result.ms)),
  }
}

function ownStage(response: AskResponse | null): readonly { model: string; answered: number; input_tokens: number }[] {
  if (response === null) return []
  return [{ model: response.model, answered: Object.keys(response.simo.questions).length, input_tokens: response.usage.input_tokens }]
}

/** By read-out, from the answers of both models by themselves. */
function gatesOf(first: readonly Asked[], second: readonly Asked[]) {
  const cases = first.flatMap(({ result }, row) =>
    result.questions.flatMap((question): (GateCase & { readonly readout: string })[] => {
      const other = second[row]!.result.questions.find(({ id }) => id === question.id)
      return question.distribution === null || other === undefined ? [] : [caseOf(result.state, question, other)]
    }),
  )
  return [...groupBy(cases, ({ readout }) => readout)].map(([readout, all]) => {
    return { readout, gate: chooseGate(all, { share: 0.5, keep: 0.9, worth: 0, resamples: 200, seed: 1 }) }
  })
}

function caseOf(state: string, one: GradedQuestion, other: GradedQuestion): GateCase & { readonly readout: string } {
  const { readout, probabilities, tokens } = one.distribution!
  const gain = one.logLoss === null || other.logLoss === null ? null : one.logLoss - other.logLoss
  return { readout, state, uncertainty: uncertaintyOf(probabilities), gain, tokens }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`
}
