// Many hostile bodies against a running service, over real HTTP: every reply is held to the contract, and how the
// process bears it is counted.
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { seededRandom } from '../../../src/core/random.ts'
import { HTTP_STATUS } from '../../../src/service/errors.ts'
import type { Running } from '../running.ts'
import { faithful, type HostileBody, hostile } from './mutations.ts'
import { SEEDS } from './seeds.ts'

export interface FuzzOptions {
  readonly seed: number
  readonly count: number
  readonly concurrency: number
  /** A request that takes longer hangs. */
  readonly hangMs: number
  /** Is told how many are done. */
  readonly onProgress?: (done: number) => void
}

export interface Violation {
  /** The body is `hostile(seededRandom(bodySeed), …)` again. */
  readonly bodySeed: number
  readonly path: string
  readonly what: string
}

export interface FuzzReport {
  readonly count: number
  /** By status, and by code of the error. */
  readonly statuses: Readonly<Record<string, number>>
  readonly codes: Readonly<Record<string, number>>
  readonly violations: readonly Violation[]
  readonly latencyMs: { readonly median: number; readonly p99: number; readonly most: number }
  /** The slowest, to be looked at. */
  readonly slowest: readonly {
    readonly bodySeed: number
    readonly path: string
    readonly bytes: number
    readonly ms: number
    readonly status: number
  }[]
  /** Answers of the routes that charge. */
  readonly answered: number
}

interface Came {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/**
 * What must stand in no reply: places in files, frames of stacks, names of packages, of this folder, of the database's
 * language.
 */
export const LEAKS: readonly RegExp[] = [
  /\bat [\w.<>]+ \(/,
  /:\d+:\d+\)/,
  /node_modules|node:internal|file:\/\/\/(?!etc)/,
  /\/(src|dist|home|root|tmp|usr|var|work)\//,
  /\.(ts|js|mjs|cjs)\b/,
  /\b(ENOENT|EACCES|ECONNREFUSED|SQLITE|libsql|postgres|kysely|FST_ERR|fastify|undici)\b/i,
  /\b(TypeError|RangeError|ReferenceError|SyntaxError|ZodError)\b/,
  /\[object Object\]|\bundefined is not|Cannot read prop/,
]

/** Which routes make an answer that is paid for. */
const PAID = ['/v1/ask', '/v1/systemone', '/v1/decisions']

/**
 * Sends `count` bodies. The bodies themselves hold nothing that looks like a leak, so that whatever does was said by
 * the service.
 */
export async function fuzz(running: Running, { seed, count, concurrency, hangMs, onProgress }: FuzzOptions): Promise<FuzzReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const statuses: Record<string, number> = {}
  const codes: Record<string, number> = {}
  const violations: Violation[] = []
  const latencies: number[] = []
  let slowest: FuzzReport['slowest'][number][] = []
  let answered = 0
  let next = 0
  const one = async (): Promise<void> => {
    while (next < count) {
      const index = next++
      const bodySeed = seed + index
      const sent = bodyOf(bodySeed)
      const note = (what: string) => violations.push({ bodySeed, path: sent.path, what })
      const begun = performance.now()
      const came = await sendBody(running, agent, sent, hangMs).catch((error: Error) => {
        note(`no reply: ${error.message}`)
        return null
      })
      const ms = performance.now() - begun
      latencies.push(ms)
      if (came === null) continue
      slowest.push({ bodySeed, path: sent.path, bytes: sent.bytes.length, ms: Math.round(ms), status: came.status })
      if (slowest.length > 200) slowest = slowest.sort((a, b) => b.ms - a.ms).slice(0, 10)
      statuses[came.status] = (statuses[came.status] ?? 0) + 1
      if (came.status === 200 && PAID.includes(sent.path)) answered++
      const code = holdReply(came, note)
      if (code !== null) codes[code] = (codes[code] ?? 0) + 1
      if (index % 1000 === 999) onProgress?.(index + 1)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, one))
  agent.destroy()
  latencies.sort((a, b) => a - b)
  const quantile = (share: number) => Math.round((latencies[Math.floor(share * (latencies.length - 1))] ?? 0) * 100) / 100
  return {
    count,
    statuses,
    codes,
    violations,
    latencyMs: { median: quantile(0.5), p99: quantile(0.99), most: quantile(1) },
    slowest: slowest.sort((a, b) => b.ms - a.ms).slice(0, 10),
    answered,
  }
}

/** The body of one number. Now and then one that is right, so that answers are among the replies. */
export function bodyOf(bodySeed: number): HostileBody {
  const random = seededRandom(bodySeed)
  const from = SEEDS[Math.floor(random() * SEEDS.length)]!
  return random() < 0.03 ? faithful(random, from) : hostile(random, from)
}

function sendBody(running: Running, agent: Agent, { path, contentType, bytes }: HostileBody, hangMs: number): Promise<Came> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${running.url}${path}`,
      {
        agent,
        method: 'POST',
        headers: { authorization: `Bearer ${running.secret}`, 'content-type': contentType, 'content-length': bytes.length },
        signal: AbortSignal.timeout(hangMs),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() })
        })
      },
    )
    request.on('error', reject)
    request.end(bytes)
  })
}

/** Holds a reply to the contract; its error code, null for an answer. */
function holdReply({ status, headers, text }: Came, note: (what: string) => void): string | null {
  let json: Record<string, unknown>
  try {
    json = JSON.parse(text)
  } catch {
    note(`status ${status} with a body that is no JSON`)
    return null
  }
  if (!/^evt_[0-9a-f]{24}$/.test(String(headers['x-request-id']))) note(`status ${status} without an x-request-id`)
  if (status === 200) {
    for (const fault of faultsOfAnswers(json)) note(fault)
    return null
  }
  const error = json.error as Record<string, unknown> | undefined
  const { code, message, param, request_id: id } = error ?? {}
  if (status >= 500) note(`status ${status}: ${String(message)}`)
  if (typeof code !== 'string' || HTTP_STATUS[code as keyof typeof HTTP_STATUS] !== status)
    note(`status ${status} with the code ${String(code)}`)
  if (typeof message !== 'string' || message === '') note('an error without a message')
  if (param !== null && typeof param !== 'string') note(`param is ${typeof param}`)
  if (id !== headers['x-request-id']) note('request_id is not x-request-id')
  for (const leak of LEAKS) if (leak.test(text)) note(`leaks ${leak}: ${leakOf(text, leak)}`)
  return String(code)
}

function leakOf(text: string, leak: RegExp): string {
  const at = text.search(leak)
  return text.slice(Math.max(0, at - 80), at + 80)
}

/** Probabilities that are none, in whatever dialect they are said. */
function* faultsOfAnswers(json: unknown, path = ''): Generator<string> {
  if (typeof json !== 'object' || json === null) return
  for (const [key, value] of Object.entries(json)) {
    const at = `${path}/${key}`
    if (typeof value === 'number' && ['noul', 'probability', 'confidence', 'check'].includes(key) && !(value >= 0 && value <= 1))
      yield `${at} is ${value}`
    if (key === 'probabilities' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const p of Object.values(value as Record<string, unknown>))
        if (typeof p === 'number' && !(p > 0 && p < 1)) yield `${at} holds ${p}`
    }
    yield* faultsOfAnswers(value, at)
  }
}
