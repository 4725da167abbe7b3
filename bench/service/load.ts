// What the service does under load.
// Usage: npx tsx bench/service/load.ts OUT.json [SECONDS_FAKE] [SECONDS_SHIPPED]   (0 leaves one out)
// 200 clients send one request after the other, each about a new state and with an idempotency key, and wait as
// Retry-After
// says. The built service (npm run build) runs in its own process over a database file; clients and service share the
// cores.
// Latencies are the clients'; memory is read from /metrics.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ENGINE_VERSION } from '../../src/pipeline/response.ts'
import { openStore } from '../../src/service/store/open.ts'
import type { Store } from '../../src/service/store/store.ts'

const [out, fakeSeconds = '60', shippedSeconds = '30'] = process.argv.slice(2)
if (out === undefined) throw new Error('usage: npx tsx bench/service/load.ts OUT.json [SECONDS_FAKE] [SECONDS_SHIPPED]')

const CLIENTS = 200
/** Several payers, as a service has; the line is fair between them. */
const ACCOUNTS = 10
const WARM_UP_MS = 5000
const SAMPLE_MS = 2000
const WORDS = 'the order for our office has been late since monday and nobody in support could tell me when the chairs will arrive'.split(
  ' ',
)
const QUESTIONS = {
  angry: { type: 'noul', instructions: 'The customer is angry.' },
  about: { type: 'choice', instructions: 'What is it about?', criteria: ['delivery', 'payment', 'quality', 'other'] },
  urgency: { type: 'score', instructions: 'How urgent is it?', criteria: ['low', 'medium', 'high'] },
}

interface Reply {
  readonly status: number
  readonly retryAfterMs: number
  readonly ms: number
}

interface Sample {
  readonly atMs: number
  readonly rssMiB: number
  readonly heapMiB: number
}

/** 100 words that no cache has seen. */
function state(salt: string): string {
  return Array.from({ length: 100 }, (_, i) => (i % 25 === 0 ? `${salt}.` : WORDS[(i * 7) % WORDS.length])).join(' ')
}

async function startService(databaseUrl: string, args: readonly string[]) {
  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--log-level', 'warn', ...args], {
    env: { ...process.env, DATABASE_URL: databaseUrl, ASSAY_REQUESTS_PER_MINUTE: '0', ASSAY_QUESTIONS_PER_MINUTE: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text))
    child.once('error', reject)
    void ended.then((code) => reject(new Error(`the service ended with ${code}`)))
  })
  const { url, readyMs } = JSON.parse(line) as { url: string; readyMs: number }
  return {
    url,
    readyMs,
    end(): Promise<number | null> {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** Throws when the connection breaks: under load that is a failure, and is to be seen. */
function ask(url: string, agent: Agent, secret: string, name: string): Promise<Reply> {
  const body = JSON.stringify({ state: state(name), questions: QUESTIONS })
  const from = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/ask`, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'idempotency-key': name,
      },
    })
    sent.once('error', reject).once('response', (reply) => {
      reply.resume().once('error', reject)
      reply.once('end', () => {
        const retryAfterMs = Number(reply.headers['retry-after'] ?? '0') * 1000
        resolve({ status: reply.statusCode ?? 0, retryAfterMs, ms: performance.now() - from })
      })
    })
    sent.end(body)
  })
}

/** One sample of what the service says of its process. */
async function sampleOf(url: string, atMs: number): Promise<Sample> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const read = (name: string): number => Math.round((Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]) / 2 ** 20) * 10) / 10
  return { atMs: Math.round(atMs), rssMiB: read('process_resident_memory_bytes'), heapMiB: read('nodejs_heap_used_bytes') }
}

function quantile(sorted: readonly number[], share: number): number {
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN) * 10) / 10
}

function mean(values: readonly number[]): number {
  return Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 10) / 10
}

async function auditOf(store: Store, answered: number) {
  const usage = await store.requests.usage({ from: 0, to: Date.now() + 60_000, bucketMs: Date.now() + 60_000 })
  const logged = usage.reduce((sum, { requests, failed }) => sum + requests - failed, 0)
  return { wrongBalances: (await store.ledger.audit()).length, answeredAndLogged: logged === answered }
}

async function run(name: string, args: readonly string[], seconds: number) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-load-'))
  const databaseUrl = join(folder, 'assay.db')
  const store = await openStore(databaseUrl)
  const secrets: string[] = []
  for (let i = 0; i < ACCOUNTS; i++) {
    secrets.push((await store.keys.create({ account: `payer-${i}`, name: 'load', scopes: ['ask'] })).secret)
    await store.ledger.credit(`payer-${i}`, 10n ** 15n, 'for the load')
  }
  const service = await startService(databaseUrl, args)
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const begun = performance.now()
  const [latencies, refusals]: [number[], number[]] = [[], []]
  const statuses: Record<string, number> = {}
  const broken: Record<string, number> = {}
  let answered = 0
  let answeredInTime = 0
  let isOver = false

  const client = async (number: number): Promise<void> => {
    for (let turn = 0; !isOver; turn++) {
      const isWarm = performance.now() - begun > WARM_UP_MS
      try {
        const reply = await ask(service.url, agent, secrets[number % ACCOUNTS]!, `client-${number}-${turn}`)
        statuses[reply.status] = (statuses[reply.status] ?? 0) + 1
        if (reply.status === 200) answered += 1
        if (reply.status === 200 && !isOver && performance.now() - begun > WARM_UP_MS) answeredInTime += 1
        if (isWarm) (reply.status === 200 ? latencies : refusals).push(reply.ms)
        if (reply.retryAfterMs > 0) await sleep(reply.retryAfterMs)
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
        broken[code] = (broken[code] ?? 0) + 1
      }
    }
  }
  const samples: Sample[] = []
  const watch = async (): Promise<void> => {
    while (!isOver) {
      samples.push(await sampleOf(service.url, performance.now() - begun))
      await sleep(SAMPLE_MS)
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number))
  const watching = watch()
  await sleep(seconds * 1000 + WARM_UP_MS)
  const measuredMs = performance.now() - begun - WARM_UP_MS
  isOver = true
  await Promise.all([...clients, watching])
  const exitCode = await service.end()
  const audit = await auditOf(store, answered)
  await store.close()
  agent.destroy()
  rmSync(folder, { recursive: true, force: true })

  latencies.sort((a, b) => a - b)
  refusals.sort((a, b) => a - b)
  const warm = samples.filter(({ atMs }) => atMs >= WARM_UP_MS)
  const third = Math.ceil(warm.length / 3)
  const rssMiB = [warm.slice(0, third), warm.slice(third, -third), warm.slice(-third)].map((part) =>
    mean(part.map((sample) => sample.rssMiB)),
  )
  return {
    name,
    clients: CLIENTS,
    seconds,
    statuses,
    broken,
    answersPerSecond: Math.round((answeredInTime / measuredMs) * 10_000) / 10,
    answeredMs: {
      p50: quantile(latencies, 0.5),
      p90: quantile(latencies, 0.9),
      p99: quantile(latencies, 0.99),
      max: quantile(latencies, 1),
    },
    refusedMs: refusals.length === 0 ? null : { p50: quantile(refusals, 0.5), p99: quantile(refusals, 0.99) },
    rssMiB: { firstThird: rssMiB[0], middleThird: rssMiB[1], lastThird: rssMiB[2] },
    samples,
    readyMs: service.readyMs,
    exitCode,
    ...audit,
  }
}

// What else the machine did: on a shared one, latencies are as much about the others.
const loadBefore = Math.round(loadavg()[0]! * 10) / 10
const plans = [
  { name: 'fake model', args: ['--fake', '--prices', '*=0.10', '--concurrency', '8'], seconds: Number(fakeSeconds) },
  { name: 'shipped model', args: ['--prices', '*=0.10'], seconds: Number(shippedSeconds) },
]
const runs: Awaited<ReturnType<typeof run>>[] = []
for (const { name, args, seconds } of plans) if (seconds > 0) runs.push(await run(name, args, seconds))
const machine = {
  node: process.version,
  loadBefore,
  cores: availableParallelism(),
  cpu: cpus()[0]?.model,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
}
writeFileSync(out, `${JSON.stringify({ engine: ENGINE_VERSION, machine, database: 'libsql, a file', runs }, null, 1)}\n`)
for (const { samples: _, ...shown } of runs) process.stdout.write(`${JSON.stringify(shown, null, 1)}\n`)
