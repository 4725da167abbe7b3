// Whether hostile request bodies find a fault.
// Usage: node --expose-gc --import tsx bench/service/fuzz.ts OUT.json [COUNT] [SEED] [--shipped]
// A service over the fake model (or the shipped one) and an in-memory store gets COUNT bodies, mutated from valid
// requests of every dialect, JSON and multipart. Every reply is checked against the contract; memory is read after a
// garbage collection, ten times. The exit code is 1 when anything is wrong.
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { ENGINE_VERSION, localModel } from '../../src/index.ts'
import { parseDollars } from '../../src/service/money.ts'
import { startRunning } from '../../test/service/running.ts'
import { fuzz } from '../../test/service/security/fuzz.ts'

const [out, countText = '100000', seedText = '1'] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
if (out === undefined) throw new Error('usage: node --expose-gc --import tsx bench/service/fuzz.ts OUT.json [COUNT] [SEED] [--shipped]')
const collect = globalThis.gc
if (collect === undefined) throw new Error('run it with node --expose-gc, so that memory is read after a collection')
const isShipped = process.argv.includes('--shipped')
const [count, seed] = [Number(countText), Number(seedText)]
const CONCURRENCY = 8
const HANG_MS = 20_000
const TENTHS = 10

const model = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))
const running = await startRunning({
  settings: { prices: { '*': parseDollars('1')! }, concurrency: 4, requestsPerMinute: 0, questionsPerMinute: 0 },
  fake: { isForgetful: true },
  ...(isShipped ? { models: [localModel(model, { inProcess: true })] } : {}),
})
await running.store.ledger.credit('main', parseDollars('100000')!, 'for the run')

/** Lines that a test keeps are not the service's memory. */
function memory(): { rssMiB: number; heapMiB: number } {
  ;(running.log as unknown[]).length = 0
  ;(running.finished as unknown[]).length = 0
  collect?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rssMiB: Math.round(rss / 2 ** 20), heapMiB: Math.round(heapUsed / 2 ** 20) }
}

const begun = performance.now()
const memories = [memory()]
const reports = []
let faultLines = 0
for (let tenth = 0; tenth < TENTHS; tenth++) {
  const part = Math.ceil(count / TENTHS)
  reports.push(await fuzz(running, { seed: seed + tenth * part, count: part, concurrency: CONCURRENCY, hangMs: HANG_MS }))
  faultLines += running.log.filter(({ level }) => level === 'error' || level === 'warn').length
  memories.push(memory())
  const { violations } = reports.at(-1)!
  console.error(`${(tenth + 1) * part} sent, ${violations.length} violations in this tenth, ${JSON.stringify(memories.at(-1))}`)
  for (const violation of violations.slice(0, 5)) console.error(violation)
}
const seconds = (performance.now() - begun) / 1000

const sum = (counts: readonly Readonly<Record<string, number>>[]) => {
  const all: Record<string, number> = {}
  for (const part of counts) for (const [name, number] of Object.entries(part)) all[name] = (all[name] ?? 0) + number
  return Object.fromEntries(Object.entries(all).sort())
}
const answered = reports.reduce((total, report) => total + report.answered, 0)
let charges = 0
for (let before: string | undefined; ; ) {
  const page = await running.store.ledger.entries('main', { limit: 1000, ...(before === undefined ? {} : { before }) })
  charges += page.filter(({ kind }) => kind === 'charge').length
  before = page.at(-1)?.id
  if (page.length < 1000) break
}
const audit = await running.store.ledger.audit()
const violations = reports.flatMap((report) => report.violations)
const result = {
  engine: ENGINE_VERSION,
  machine: { node: process.version, cores: availableParallelism(), cpu: cpus()[0]?.model },
  model: isShipped ? 'service-1-pro' : 'fake',
  bodies: reports.reduce((total, report) => total + report.count, 0),
  seed,
  concurrency: CONCURRENCY,
  seconds: Math.round(seconds),
  statuses: sum(reports.map(({ statuses }) => statuses)),
  codes: sum(reports.map(({ codes }) => codes)),
  latencyMs: {
    medianOfTenths: reports.map(({ latencyMs }) => latencyMs.median),
    p99OfTenths: reports.map(({ latencyMs }) => latencyMs.p99),
    most: Math.max(...reports.map(({ latencyMs }) => latencyMs.most)),
  },
  slowest: reports
    .flatMap(({ slowest }) => slowest)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 10),
  memory: memories,
  answered,
  charges,
  isLedgerRight: audit.length === 0 && charges === answered,
  warningsAndErrorsInLog: faultLines,
  load: running.service.context.answerer.load,
  violations: violations.slice(0, 100),
}
writeFileSync(out, `${JSON.stringify(result, null, 1)}\n`)
await running.end()
if (violations.length > 0 || !result.isLedgerRight) process.exitCode = 1
