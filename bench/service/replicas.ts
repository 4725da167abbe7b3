// What one, two and four replicas on one PostgreSQL carry together before simulated model servers.
// Usage: npx tsx bench/service/replicas.ts OUT.json DATABASE_URL [ROUNDS] [SECONDS]   (after npm run build; Linux)
// DATABASE_URL: a PostgreSQL on this machine whose user may create databases; one is made and dropped. Four replicas
// run all the time, and each cell uses the first one, two or four of another order, so that cells of a round lie side
// by side. Clients choose a replica by chance for each request, as a proxy without knowledge does. Each replica answers
// two requests at a time, so that waiting for the model bounds it and not the cores, which it shares with everything
// here: that shows whether replicas hinder one another. What the cores would carry is computed from the CPU time of
// replicas and of PostgreSQL for each answer.
import { readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../src/core/random.ts'
import { ENGINE_VERSION } from '../../src/pipeline/response.ts'
import { openStore } from '../../src/service/store/open.ts'
import type { Store } from '../../src/service/store/store.ts'
import { machine } from '../lib/machine.ts'
import {
  type Asked,
  at,
  type BenchDatabase,
  type Child,
  cpuMs,
  databaseCpuMs,
  keyOf,
  makeDatabase,
  requestText,
  rounded,
  send,
  spread,
  start,
  sum,
} from './replica-load.ts'

const [out, serverUrl, roundsText = '4', secondsText = '12'] = process.argv.slice(2)
if (out === undefined || serverUrl === undefined)
  throw new Error('usage: npx tsx bench/service/replicas.ts OUT.json DATABASE_URL [ROUNDS] [SECONDS]')
const [rounds, seconds] = [Number(roundsText), Number(secondsText)]

const COUNTS = [1, 2, 4]
const CLIENTS = 24
const CONCURRENCY = 2
const MODEL_SERVERS = 2
const [STEP_MS, TOKEN_MS] = [200, 0.1]
/** Different states; those that come again find their tokens at the model server, whichever replica is asked. */
const STATES = 60
const random = seededRandom(20_260_726)

function ask(replica: Child, secret: string, questions: number, idempotencyKey: string | null): Promise<Asked> {
  return send(replica, secret, requestText(Math.floor(random() * STATES), questions), idempotencyKey)
}

interface Setup {
  readonly store: Store
  readonly replicas: readonly Child[]
  readonly postmaster: number
}

/** Clients that ask one after the other for some time. */
async function load(replicas: readonly Child[], payers: readonly string[], questions: number, ms: number) {
  const until = performance.now() + ms
  const asked: (Asked & { readonly replica: number; readonly payer: string; readonly isInTime: boolean })[] = []
  const client = async (payer: string): Promise<void> => {
    while (performance.now() < until) {
      const replica = Math.floor(random() * replicas.length)
      const one = await ask(replicas[replica]!, payer, questions, null)
      asked.push({ ...one, replica, payer, isInTime: performance.now() < until })
    }
  }
  await Promise.all(payers.map(client))
  return asked
}

async function cell({ replicas, postmaster }: Setup, used: readonly Child[], secret: string, questions: number) {
  await load(
    used,
    Array.from({ length: CLIENTS }, () => secret),
    questions,
    1500,
  )
  const before = { replicas: replicas.map(({ pid }) => cpuMs(pid)), database: databaseCpuMs(postmaster) }
  const asked = await load(
    used,
    Array.from({ length: CLIENTS }, () => secret),
    questions,
    seconds * 1000,
  )
  const answered = asked.filter(({ status }) => status === 200)
  const cpu = used.map((replica) => cpuMs(replica.pid) - before.replicas[replicas.indexOf(replica)]!)
  const latencies = answered.map(({ ms }) => ms)
  const each = used.map((_, i) => answered.filter(({ replica }) => replica === i).length)
  return {
    answersPerSecond: answered.filter(({ isInTime }) => isInTime).length / seconds,
    latencies,
    errors: asked.length - answered.length,
    shares: each.map((count) => (count / answered.length) * used.length),
    replicaCpuMs: sum(cpu) / answered.length,
    databaseCpuMs: (databaseCpuMs(postmaster) - before.database) / answered.length,
    cachedTokens: sum(answered.map(({ cachedTokens }) => cachedTokens)) / answered.length,
  }
}

type Cell = Awaited<ReturnType<typeof cell>>

function summary(count: number, cells: readonly Cell[], alone: readonly Cell[]) {
  const latencies = cells.flatMap((one) => one.latencies)
  return {
    replicas: count,
    answers: latencies.length,
    errors: sum(cells.map(({ errors }) => errors)),
    answersPerSecond: spread(cells.map(({ answersPerSecond }) => answersPerSecond)),
    timesOne: spread(cells.map(({ answersPerSecond }, i) => answersPerSecond / alone[i]!.answersPerSecond)),
    ms: { p50: Math.round(at(latencies, 0.5)), p95: Math.round(at(latencies, 0.95)), p99: Math.round(at(latencies, 0.99)) },
    shareOfEachOfAnEvenOne: spread(cells.flatMap(({ shares }) => shares)),
    replicaCpuMsAnAnswer: spread(cells.map(({ replicaCpuMs }) => replicaCpuMs)),
    databaseCpuMsAnAnswer: spread(cells.map(({ databaseCpuMs }) => databaseCpuMs)),
    cachedTokensAnAnswer: spread(cells.map(({ cachedTokens }) => cachedTokens)),
  }
}

/** Twice as many requests at once as a key may ask in a minute. */
async function limited({ store }: Setup, used: readonly Child[]) {
  const most = 20
  const secret = await keyOf(store, `limited-${used.length}`, most)
  const asked = await Promise.all(Array.from({ length: 2 * most }, (_, i) => ask(used[i % used.length]!, secret, 1, null)))
  const count = (status: number) => asked.filter((one) => one.status === status).length
  return {
    replicas: used.length,
    limit: most,
    sent: asked.length,
    letIn: asked.length - count(429),
    answered: count(200),
    refused: count(429),
  }
}

/** An account with one client beside one with all others: who waits. */
async function fair({ store }: Setup, used: readonly Child[]) {
  const [modest, greedy] = [await keyOf(store, `modest-${used.length}`), await keyOf(store, `greedy-${used.length}`)]
  const asked = await load(used, [modest, ...Array.from({ length: CLIENTS - 1 }, () => greedy)], 1, seconds * 1000)
  const of = (payer: string) => asked.filter((one) => one.payer === payer && one.status === 200).map(({ ms }) => ms)
  return {
    replicas: used.length,
    clients: { modest: 1, greedy: CLIENTS - 1 },
    p50Ms: { modest: Math.round(at(of(modest), 0.5)), greedy: Math.round(at(of(greedy), 0.5)) },
    answers: { modest: of(modest).length, greedy: of(greedy).length },
  }
}

/** One of two replicas is killed in the middle; clients ask the other with the same keys. */
async function killed({ store }: Setup, used: readonly [Child, Child]) {
  const [account, total, clients] = ['survivor', 80, 8]
  const secret = await keyOf(store, account)
  const done: Asked[] = []
  let next = 0
  let broken = 0
  const client = async (): Promise<void> => {
    for (let number = next++; number < total; number = next++) {
      const from = performance.now()
      const body = requestText(number, 2)
      for (let attempt = number; ; attempt++) {
        const one = await send(used[attempt % 2]!, secret, body, `kill-${number}`)
        if (one.status === 0) broken += 1
        if (![0, 409, 429, 503].includes(one.status)) {
          done.push({ ...one, ms: performance.now() - from })
          break
        }
        await sleep(200)
      }
      if (done.length >= total / 3 && done.length < total / 3 + 1) await used[1].end('SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const entries = (await store.ledger.entries(account, { limit: 10_000 })).filter(({ kind }) => kind === 'charge')
  const charged = entries.map(({ request }) => request ?? '')
  const answered = done.filter(({ status }) => status === 200).map(({ id }) => id ?? '')
  return {
    requests: total,
    connectionsThatBroke: broken,
    answered: answered.length,
    charges: charged.length,
    chargedTwice: charged.length - new Set(charged).size,
    chargedAndNotGiven: charged.filter((id) => !answered.includes(id)).length,
    wrongBalances: (await store.ledger.audit()).length,
    longestMs: Math.round(Math.max(...done.map(({ ms }) => ms))),
  }
}

async function run({ url: databaseUrl, postmaster, bytes: bytesOfDatabase }: BenchDatabase) {
  const store = await openStore(databaseUrl)
  const bytesAtFirst = await bytesOfDatabase()
  const servers = await start<{ urls: readonly string[] }>([
    ...['--import', 'tsx', 'bench/service/model-servers.ts', `${MODEL_SERVERS}`, `${STEP_MS}`, `${TOKEN_MS}`],
  ])
  const args = ['dist/cli/main.js', 'serve', '--port', '0', '--log-level', 'warn', '--prices', '*=0.10', '--deadline', '30s']
  const limits = ['--concurrency', `${CONCURRENCY}`, '--requests-per-minute', '1000000', '--questions-per-minute', '100000000']
  const replicas: Child[] = []
  for (let i = 0; i < Math.max(...COUNTS); i++)
    replicas.push(
      await start<{ url: string }>([...args, ...limits, '--model-server', servers.urls.join(',')], { DATABASE_URL: databaseUrl }),
    )
  const setup: Setup = { store, replicas, postmaster }
  const secret = await keyOf(store, 'bench')
  const cells = new Map<number, Cell[]>(COUNTS.map((count) => [count, []]))
  const byQuestions = new Map<number, Cell[]>([1, 3, 9].map((count) => [count, []]))
  for (let round = 0; round < rounds; round++) {
    // Another replica is alone in each round, and another number of them comes first.
    const turned = replicas.map((_, i) => replicas[(i + round) % replicas.length]!)
    const order = COUNTS.map((_, i) => COUNTS[(i + round) % COUNTS.length]!)
    for (const count of order) cells.get(count)!.push(await cell(setup, turned.slice(0, count), secret, 3))
    for (const count of byQuestions.keys()) byQuestions.get(count)!.push(await cell(setup, turned.slice(0, 1), secret, count))
    console.error(`round ${round + 1} of ${rounds}`)
  }
  const alone = cells.get(1)!
  const result = {
    byReplicas: COUNTS.map((count) => summary(count, cells.get(count)!, alone)),
    byQuestions: [...byQuestions].map(([count, some]) => ({ questions: count, ...summary(1, some, some) })),
    limits: [] as Awaited<ReturnType<typeof limited>>[],
    fairness: [] as Awaited<ReturnType<typeof fair>>[],
    memoryMiB: spread(replicas.map(({ pid }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)),
    databaseBytesAnAnswer: Math.round(
      ((await bytesOfDatabase()) - bytesAtFirst) /
        (await store.requests.usage({ from: 0, to: Date.now() + 1000, bucketMs: Date.now() + 1000 }))[0]!.requests,
    ),
    modelServers: await Promise.all(servers.urls.map(async (url) => (await fetch(`${url}/said`)).json())),
  }
  for (const count of COUNTS) result.limits.push(await limited(setup, replicas.slice(0, count)))
  for (const count of COUNTS) result.fairness.push(await fair(setup, replicas.slice(0, count)))
  const kill = await killed(setup, [replicas[0]!, replicas[1]!])
  await Promise.all(replicas.map(({ end }) => end('SIGTERM')))
  await servers.end('SIGKILL')
  await store.close()
  return { ...result, kill }
}

const database = await makeDatabase(serverUrl)
const loadBefore = loadavg().map((load) => rounded(load, 1))
const result = await run(database).finally(database.drop)
const setting = {
  rounds,
  seconds,
  clients: CLIENTS,
  concurrency: CONCURRENCY,
  modelServers: MODEL_SERVERS,
  stepMs: STEP_MS,
  tokenMs: TOKEN_MS,
}
const report = {
  engine: ENGINE_VERSION,
  machine: { ...machine, loadBefore, loadAfter: loadavg().map((load) => rounded(load, 1)) },
  setting,
  ...result,
}
writeFileSync(out, `${JSON.stringify(report, null, 1)}\n`)
console.log(JSON.stringify(report, null, 1))
process.exit(0)
