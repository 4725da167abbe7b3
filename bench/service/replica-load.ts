// What benches of several replicas share: processes, requests that are all alike, clients, and spreads of numbers.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Store } from '../../src/service/store/store.ts'

/** Clock ticks of the kernel in a second, in which /proc counts. */
const TICKS = 100
const root = fileURLToPath(new URL('../../', import.meta.url))
const WORDS = 'the order for our office has been late since monday and nobody in support could tell me when the chairs arrive'.split(' ')
const QUESTIONS = [
  { type: 'noul', instructions: 'The customer is angry.' },
  { type: 'choice', instructions: 'What is it about?', criteria: ['delivery', 'payment', 'quality', 'other'] },
  { type: 'score', instructions: 'How urgent is it?', criteria: ['low', 'medium', 'high'] },
]

const stateOf = (number: number): string =>
  Array.from({ length: 60 }, (_, i) => (i === 0 ? `Case ${number}:` : WORDS[(i * 7 + number) % WORDS.length])).join(' ')
const questionsOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`q${i}`, QUESTIONS[i % QUESTIONS.length]]))

/** The JSON of a request: a state of 60 words that has a number, and some questions. */
export const requestText = (state: number, questions: number): string =>
  JSON.stringify({ state: stateOf(state), questions: questionsOf(questions) })

export interface Child {
  readonly url: string
  readonly pid: number
  end(signal: NodeJS.Signals): Promise<void>
}

/** A process that prints a line of JSON when it is ready. */
export async function start<T>(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<T & Omit<Child, 'url'>> {
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text))
    void ended.then(() => reject(new Error(`${args[0]} ended`)))
  })
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return { ...(JSON.parse(line) as T), pid: child.pid!, end }
}

export interface Asked {
  /** 0: no reply came. */
  readonly status: number
  readonly id: string | null
  readonly cachedTokens: number
  readonly ms: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 })

export function send({ url }: Child, secret: string, body: string, idempotencyKey: string | null): Promise<Asked> {
  const from = performance.now()
  return new Promise((resolve) => {
    const failed = () => resolve({ status: 0, id: null, cachedTokens: 0, ms: performance.now() - from })
    const headers = {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    }
    const sent = request(`${url}/v1/ask`, { method: 'POST', agent, headers }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      reply.once('error', failed)
      reply.once('end', () => {
        const { id = null, simo } = JSON.parse(text) as { id?: string; simo?: { cached_tokens: number } }
        resolve({ status: reply.statusCode ?? 0, id, cachedTokens: simo?.cached_tokens ?? 0, ms: performance.now() - from })
      })
    })
    sent.once('error', failed)
    sent.end(body)
  })
}

/** A database of the bench's own on a PostgreSQL of this machine. */
export interface BenchDatabase {
  readonly url: string
  /** The process of the server. */
  readonly postmaster: number
  bytes(): Promise<number>
  drop(): Promise<void>
}

export async function makeDatabase(serverUrl: string): Promise<BenchDatabase> {
  const admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  const name = `assay_bench_${randomBytes(6).toString('hex')}`
  await admin.query(`create database ${name}`)
  const backend = (await admin.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    postmaster: Number(readFileSync(`/proc/${backend}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]),
    bytes: async () => Number((await admin.query<{ size: string }>('select pg_database_size($1) as size', [name])).rows[0]!.size),
    async drop() {
      await admin.query(`drop database if exists ${name} with (force)`)
      await admin.end()
    },
  }
}

/** CPU milliseconds of a process so far; of those it waited for, too, with `children`. */
export function cpuMs(pid: number, children = false): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  const ticks = (children ? [11, 12, 13, 14] : [11, 12]).map((i) => Number(fields[i]))
  return (ticks.reduce((sum, tick) => sum + tick, 0) / TICKS) * 1000
}

/** CPU milliseconds of the database server and all its backends. */
export function databaseCpuMs(postmaster: number): number {
  const backends = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]) === postmaster
    } catch {
      return false
    }
  })
  return backends.reduce((sum, pid) => sum + cpuMs(Number(pid)), cpuMs(postmaster, true))
}

export async function keyOf(store: Store, account: string, requestsPerMinute: number | null = null): Promise<string> {
  await store.ledger.credit(account, 10n ** 15n, 'for the bench')
  return (await store.keys.create({ account, name: 'bench', scopes: ['ask'], requestsPerMinute })).secret
}

export const at = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? Number.NaN
export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits))
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const [below, above] = [sorted[Math.floor((sorted.length - 1) / 2)]!, sorted[Math.ceil((sorted.length - 1) / 2)]!]
  return (below + above) / 2
}
export const spread = (values: readonly number[]) => ({
  median: rounded(median(values)),
  least: rounded(Math.min(...values)),
  most: rounded(Math.max(...values)),
  all: values.map((value) => rounded(value)),
})
export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)
