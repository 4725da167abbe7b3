// What accounts get of two replicas when they do not all come to both: this build, and an earlier one beside it.
// Usage: npx tsx bench/service/fair-shares.ts OUT.json DATABASE_URL [EARLIER] [ROUNDS] [SECONDS]
// After npm run build, on Linux. DATABASE_URL: a PostgreSQL on this machine whose user may create databases. EARLIER:
// dist/cli/main.js of another build. Each build has two replicas and a database of its own, before the same simulated
// model servers, and they are asked in turn, never at the same time. Each replica answers two requests at a time, and
// there are always more.
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { seededRandom } from '../../src/core/random.ts'
import { ENGINE_VERSION } from '../../src/pipeline/response.ts'
import { openStore } from '../../src/service/store/open.ts'
import { machine } from '../lib/machine.ts'
import {
  at,
  type BenchDatabase,
  type Child,
  databaseCpuMs,
  keyOf,
  makeDatabase,
  requestText,
  rounded,
  send,
  spread,
  start,
} from './replica-load.ts'

const [out, serverUrl, earlier, roundsText = '5', secondsText = '15'] = process.argv.slice(2)
if (out === undefined || serverUrl === undefined)
  throw new Error('usage: npx tsx bench/service/fair-shares.ts OUT.json DATABASE_URL [EARLIER] [ROUNDS] [SECONDS]')
const [rounds, seconds] = [Number(roundsText), Number(secondsText)]

const CONCURRENCY = 2
const [STEP_MS, TOKEN_MS] = [200, 0.1]
const STATES = 60
/** Before answers are counted: what was asked before is nearly forgotten. */
const WARM_UP_MS = 10_000
const random = seededRandom(20_261_124)

/** Accounts with their clients, each of which asks one thing after the other of one of these replicas, by chance. */
interface Scenario {
  readonly name: string
  readonly clients: readonly { readonly account: string; readonly count: number; readonly replicas: readonly number[] }[]
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'one account at both replicas, one at the first',
    clients: [
      { account: 'wide', count: 8, replicas: [0] },
      { account: 'wide', count: 8, replicas: [1] },
      { account: 'narrow', count: 8, replicas: [0] },
    ],
  },
  {
    name: 'a large and a small account at the first replica, a third at both by chance',
    clients: [
      { account: 'large', count: 12, replicas: [0] },
      { account: 'small', count: 1, replicas: [0] },
      { account: 'mixed', count: 11, replicas: [0, 1] },
    ],
  },
  {
    name: 'one client of a small account beside 23 of a large one, all by chance',
    clients: [
      { account: 'greedy', count: 23, replicas: [0, 1] },
      { account: 'modest', count: 1, replicas: [0, 1] },
    ],
  },
]
const accountsOf = ({ clients }: Scenario): string[] => [...new Set(clients.map(({ account }) => account))]

interface Build {
  readonly name: string
  readonly database: BenchDatabase
  readonly replicas: readonly Child[]
  /** By account. */
  readonly secrets: ReadonlyMap<string, string>
}

async function startBuild(name: string, main: string, modelServers: string): Promise<Build> {
  const database = await makeDatabase(serverUrl!)
  const args = [main, 'serve', '--port', '0', '--log-level', 'warn', '--concurrency', `${CONCURRENCY}`, '--model-server', modelServers]
  const limits = ['--requests-per-minute', '0', '--questions-per-minute', '0', '--deadline', '60s']
  const replicas = [1, 2].map(() => start<{ url: string }>([...args, ...limits], { DATABASE_URL: database.url }))
  const started = await Promise.all(replicas)
  // After the replicas: an earlier build refuses the tables of this one when it starts.
  const store = await openStore(database.url)
  const secrets = new Map<string, string>()
  for (const account of SCENARIOS.flatMap(accountsOf)) secrets.set(account, await keyOf(store, account))
  await store.close()
  return { name, database, replicas: started, secrets }
}

interface Answered {
  readonly account: string
  readonly ms: number
}

/** Answers that came within the time; throws at the first reply that is none. */
async function round({ replicas, secrets }: Build, { clients }: Scenario): Promise<readonly Answered[]> {
  const from = performance.now() + WARM_UP_MS
  const until = from + seconds * 1000
  const answered: Answered[] = []
  const client = async (account: string, choice: readonly number[]): Promise<void> => {
    while (performance.now() < until) {
      const replica = replicas[choice[Math.floor(random() * choice.length)]!]!
      const { status, ms } = await send(replica, secrets.get(account)!, requestText(Math.floor(random() * STATES), 1), null)
      if (status !== 200) throw new Error(`A reply had status ${status}.`)
      const now = performance.now()
      if (now >= from && now < until) answered.push({ account, ms })
    }
  }
  await Promise.all(clients.flatMap(({ account, count, replicas: choice }) => Array.from({ length: count }, () => client(account, choice))))
  return answered
}

function summary(build: string, scenario: Scenario, answered: readonly (readonly Answered[])[]) {
  const of = (account: string) => answered.map((some) => some.filter((one) => one.account === account).map(({ ms }) => ms))
  const accounts = accountsOf(scenario).map((account) => ({
    account,
    answers: spread(of(account).map(({ length }) => length)),
    shareOfAnswers: spread(of(account).map(({ length }, i) => length / answered[i]!.length)),
    p50Ms: spread(of(account).map((ms) => at(ms, 0.5))),
    longestMs: spread(of(account).map((ms) => Math.max(...ms))),
  }))
  return { build, answers: spread(answered.map(({ length }) => length)), accounts }
}

/** What exchanges cost that tell of so many accounts and hear of as many from each of the others. */
async function exchangeCost({ database }: Build, replicas: number, accounts: number) {
  const times = 300
  const store = await openStore(database.url)
  const turns = new Map(Array.from({ length: accounts }, (_, i) => [`account-${i}`, rounded(random() * 10)] as const))
  for (let i = 1; i < replicas; i++) await store.recentTurns!.exchange(`other-${i}`, turns)
  const before = { database: databaseCpuMs(database.postmaster), own: process.cpuUsage() }
  const ms: number[] = []
  for (let i = 0; i < times; i++) {
    const from = performance.now()
    await store.recentTurns!.exchange('own', turns)
    ms.push(performance.now() - from)
  }
  const { user, system } = process.cpuUsage(before.own)
  const cost = {
    ...{ replicas, accounts, times },
    ms: { p50: rounded(at(ms, 0.5)), p95: rounded(at(ms, 0.95)) },
    replicaCpuMs: rounded((user + system) / 1000 / times),
    databaseCpuMs: rounded((databaseCpuMs(database.postmaster) - before.database) / times),
  }
  await store.close()
  return cost
}

const servers = await start<{ urls: readonly string[] }>([
  ...['--import', 'tsx', 'bench/service/model-servers.ts', '2', `${STEP_MS}`, `${TOKEN_MS}`],
])
const loadBefore = loadavg().map((load) => rounded(load, 1))
const builds: Build[] = []
if (earlier !== undefined) builds.push(await startBuild('earlier', earlier, servers.urls.join(',')))
builds.push(await startBuild('this', 'dist/cli/main.js', servers.urls.join(',')))

const answered = new Map(SCENARIOS.map((scenario) => [scenario, builds.map((): (readonly Answered[])[] => [])] as const))
for (let number = 0; number < rounds; number++) {
  for (const [scenario, ofBuilds] of answered) {
    // Another build comes first in each round.
    for (let i = 0; i < builds.length; i++) {
      const turn = (i + number) % builds.length
      ofBuilds[turn]!.push(await round(builds[turn]!, scenario))
    }
  }
  console.error(`round ${number + 1} of ${rounds}`)
}
const scenarios = [...answered].map(([scenario, ofBuilds]) => ({
  scenario: scenario.name,
  clients: scenario.clients,
  builds: builds.map(({ name }, i) => summary(name, scenario, ofBuilds[i]!)),
}))
const exchanges = []
for (const [replicas, accounts] of [
  [2, 10],
  [4, 100],
  [16, 1000],
] as const)
  exchanges.push(await exchangeCost(builds.at(-1)!, replicas, accounts))

await Promise.all(builds.flatMap(({ replicas }) => replicas.map(({ end }) => end('SIGTERM'))))
for (const { database } of builds) await database.drop()
await servers.end('SIGKILL')
const report = {
  engine: ENGINE_VERSION,
  machine: { ...machine, loadBefore, loadAfter: loadavg().map((load) => rounded(load, 1)) },
  setting: {
    rounds,
    seconds,
    warmUpMs: WARM_UP_MS,
    concurrency: CONCURRENCY,
    replicas: 2,
    questions: 1,
    stepMs: STEP_MS,
    tokenMs: TOKEN_MS,
  },
  scenarios,
  exchanges,
}
writeFileSync(out, `${JSON.stringify(report, null, 1)}\n`)
console.log(JSON.stringify(report, null, 1))
process.exit(0)
