// How long neighbours wait while one account sends what is meant to keep the service busy.
// Usage: npx tsx bench/service/attacks.ts OUT.json [NAME_PART] [MAIN_JS]   (npm run build first)
// The built service runs in its own process with the shipped model. For each attack, another process asks /health every
// few milliseconds and, with another account's key, one short question after the other; the longest wait of each is
// kept, and the most memory that the service held. "nothing" is what the machine does by itself.
import { fork, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ENGINE_VERSION } from '../../src/pipeline/response.ts'
import { openStore } from '../../src/service/store/open.ts'
import { ATTACKS, type Attack } from './attack-bodies.ts'

interface Waits {
  readonly healthMs: number
  /** The most time that the main thread of the service worked during one such wait, whatever else the machine did. */
  readonly busyMs: number
  readonly askMs: number
}

const PAUSE_MS = 4
const NEIGHBOUR = '--neighbour'
const READY = 'ready'
const SETTLE_MS = 300
const PATIENCE_MS = 65_000

function send(url: string, agent: Agent, headers: Record<string, string>, body: Buffer | null): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': String(body.length) }
    const sent = request(url, { method: body === null ? 'GET' : 'POST', agent, headers: { ...headers, ...length } })
    sent.setTimeout(PATIENCE_MS, () => sent.destroy(new Error('no reply')))
    sent.once('error', reject).once('response', (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        if (text.length < 300) text += chunk
      })
      reply.once('error', reject).once('end', () => resolve({ status: reply.statusCode ?? 0, text }))
    })
    sent.end(body ?? undefined)
  })
}

/** The neighbour: in a process of its own, so that the attacker's work does not slow it. */
async function neighbour(url: string, secret: string, pid: string): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const most = { healthMs: 0, busyMs: 0, askMs: 0 }
  const workedMs = () => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  let isDone = false
  process.once('message', () => {
    isDone = true
  })
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const body = Buffer.from(JSON.stringify({ state: 'The parcel is late.', questions: { late: { type: 'noul' } } }))
  const repeat = async (field: 'healthMs' | 'askMs', path: string, sent: Buffer | null, pauseMs: number) => {
    while (!isDone) {
      const [from, worked] = [performance.now(), workedMs()]
      await send(`${url}${path}`, agent, headers, sent)
      if (field === 'healthMs') most.busyMs = Math.max(most.busyMs, workedMs() - worked)
      most[field] = Math.max(most[field], performance.now() - from)
      await sleep(pauseMs)
    }
  }
  await send(`${url}/health`, agent, headers, null)
  await send(`${url}/v1/ask`, agent, headers, body)
  process.send?.(READY)
  await Promise.all([repeat('healthMs', '/health', null, PAUSE_MS), repeat('askMs', '/v1/ask', body, 50)])
  agent.destroy()
  process.send?.(most)
  process.disconnect()
}

async function startService(main: string, databaseUrl: string) {
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--log-level', 'warn'], {
    env: { ...process.env, DATABASE_URL: databaseUrl, ASSAY_REQUESTS_PER_MINUTE: '0', ASSAY_QUESTIONS_PER_MINUTE: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text))
    void ended.then((code) => reject(new Error(`the service ended with ${code}`)))
  })
  const { url } = JSON.parse(line) as { url: string }
  const pid = child.pid as number
  return {
    url,
    pid,
    /** Forgets the most memory so far. */
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    peakMiB: () =>
      child.exitCode !== null || child.signalCode !== null
        ? Number.NaN
        : Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024),
    end() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

type RunningProcess = Awaited<ReturnType<typeof startService>>

async function tried(attack: Attack, service: RunningProcess, secret: string, othersSecret: string) {
  const { name, path = '/v1/ask', type = 'application/json', body, times = 1 } = attack
  const bytes = body()
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${secret}`, 'content-type': type }
  const small = Buffer.from(JSON.stringify({ state: 'It rains.', questions: { wet: { type: 'noul' } } }))
  for (let i = 0; i < 20; i++) await send(`${service.url}/v1/ask`, agent, { ...headers, 'content-type': 'application/json' }, small)
  service.forgetPeak()
  const watcher = fork(fileURLToPath(import.meta.url), [NEIGHBOUR, service.url, othersSecret, String(service.pid)])
  let isWatching = () => {}
  const watching = new Promise<void>((resolve) => {
    isWatching = resolve
  })
  const waits = new Promise<Waits>((resolve, reject) => {
    watcher.on('message', (said) => (said === READY ? isWatching() : resolve(said as Waits))).once('error', reject)
    watcher.once('exit', () => resolve({ healthMs: Number.NaN, busyMs: Number.NaN, askMs: Number.NaN }))
  })
  await watching
  const from = performance.now()
  const attempt = (): Promise<{ status: number; text: string }> => {
    if (bytes === null) return sleep(2000).then(() => ({ status: 0, text: '' }))
    return send(`${service.url}${path}`, agent, headers, bytes).catch((error: Error) => ({ status: -1, text: error.message }))
  }
  const [reply] = await Promise.all(Array.from({ length: times }, attempt))
  const ms = performance.now() - from
  await sleep(SETTLE_MS)
  if (watcher.connected) watcher.send('done')
  const { healthMs, busyMs, askMs } = await waits
  agent.destroy()
  const rounded = { ms: Math.round(ms), healthMs: Math.round(healthMs), busyMs: Math.round(busyMs), askMs: Math.round(askMs) }
  return { row: { name, status: reply?.status, ...rounded, peakMiB: service.peakMiB() }, said: reply?.text ?? '' }
}

async function main(): Promise<void> {
  const [out, part = '', js = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))] = process.argv.slice(2)
  if (out === undefined) throw new Error('usage: npx tsx bench/service/attacks.ts OUT.json [NAME_PART] [MAIN_JS]')
  const folder = mkdtempSync(join(tmpdir(), 'assay-attacks-'))
  const databaseUrl = join(folder, 'attacks.db')
  const store = await openStore(databaseUrl)
  const keys = ['attacker', 'neighbour'].map((account) =>
    store.keys.create({ account, name: account, scopes: ['ask', 'outcomes'], requestsPerMinute: null }),
  )
  const [attacker, other] = await Promise.all(keys)
  await store.close()
  const rows = []
  for (const attack of ATTACKS.filter(({ name }) => name.includes(part))) {
    // A service of its own each time, so that memory of one attack is not counted to the next.
    const service = await startService(js, databaseUrl)
    const { row, said } = await tried(attack, service, attacker?.secret ?? '', other?.secret ?? '')
    rows.push(row)
    console.error(JSON.stringify(row), said.slice(0, 160))
    await service.end()
  }
  rmSync(folder, { recursive: true })
  const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), load: loadavg(), node: process.version, engine: ENGINE_VERSION }
  writeFileSync(out, `${JSON.stringify({ machine, rows }, null, 2)}\n`)
}

const [role, url, secret, pid] = process.argv.slice(2)
if (role === NEIGHBOUR && url !== undefined && secret !== undefined && pid !== undefined) await neighbour(url, secret, pid)
else await main()
