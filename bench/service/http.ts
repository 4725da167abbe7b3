// What HTTP costs over asking the engine in the process.
// Usage: npx tsx bench/service/http.ts OUT.json [ROUNDS] [MODEL_FOLDER] [NOTE]
// One engine is asked directly and through a service in the same process (embedded database in a file, a price, a key,
// one client with a kept connection), in turns of one round each with alternating order. The client's own work is
// included; `GET /v1/models` shows how much that is. Overheads are differences within a round: medians and quartiles.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { ENGINE_VERSION, localModel } from '../../src/index.ts'
import { createEngine, type EngineCore } from '../../src/pipeline/engine.ts'
import { createLog, createMetrics, createService, DEFAULT_SETTINGS, openStore } from '../../src/service/index.ts'
import type { AskRequest } from '../../src/wire/types.ts'

const [out, roundsText = '300', folder, note = null] = process.argv.slice(2)
if (out === undefined) throw new Error('usage: npx tsx bench/service/http.ts OUT.json [ROUNDS] [MODEL_FOLDER] [NOTE]')
const rounds = Number(roundsText)

const WORDS = 'the order for our office has been late since monday and nobody could tell me when the chairs will arrive'.split(' ')
const QUESTIONS: Record<string, object> = {
  a: { type: 'noul', instructions: 'The customer is angry.' },
  b: { type: 'choice', instructions: 'What is it about?', criteria: ['delivery', 'payment', 'quality', 'other'] },
  c: { type: 'score', instructions: 'How urgent is it?', criteria: ['low', 'medium', 'high'] },
  d: { type: 'select', instructions: 'Which are mentioned?', criteria: ['chairs', 'support', 'a refund', 'monday'] },
  e: { type: 'noul', instructions: 'There is an error message.' },
  f: { type: 'choice', instructions: 'Who writes?', criteria: ['a customer', 'a supplier', 'a colleague'] },
  g: { type: 'noul', instructions: 'An answer is needed today.' },
  h: { type: 'choice', instructions: 'Which tone?', criteria: ['calm', 'angry'] },
  i: { type: 'score', instructions: 'How polite is it?', criteria: ['rude', 'neutral', 'polite'] },
  j: { type: 'noul', instructions: 'A delivery is late.' },
}

/** A request about a text that no cache has seen. */
function requestOf(salt: string, words: number, questions: number): AskRequest {
  const state = `${salt} ${Array.from({ length: words }, (_, i) => WORDS[(i * 7) % WORDS.length]).join(' ')}`
  return { state, questions: Object.fromEntries(Object.entries(QUESTIONS).slice(0, questions)) } as AskRequest
}

const at = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.round(share * (values.length - 1))] as number
const spread = (values: readonly number[]) => ({
  median: Number(at(values, 0.5).toFixed(3)),
  quartiles: [Number(at(values, 0.25).toFixed(3)), Number(at(values, 0.75).toFixed(3))],
  p99: Number(at(values, 0.99).toFixed(3)),
})

interface Time {
  readonly wallMs: number
  /** Of the whole process, the client's share too. Says what the work costs where others keep the processor busy. */
  readonly cpuMs: number
}

async function timed(work: () => Promise<unknown>): Promise<Time> {
  const cpu = process.cpuUsage()
  const from = performance.now()
  await work()
  const wallMs = performance.now() - from
  const { user, system } = process.cpuUsage(cpu)
  return { wallMs, cpuMs: (user + system) / 1000 }
}

async function measure(model: string, engine: EngineCore, turns: number) {
  const data = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const store = await openStore(join(data, 'assay.db'))
  const settings = {
    ...DEFAULT_SETTINGS,
    port: 0,
    console: false,
    prices: { '*': 1_000_000_000n },
    requestsPerMinute: 0,
    questionsPerMinute: 0,
  }
  const service = await createService({
    engine,
    store,
    settings,
    log: createLog({ level: 'info', write: () => {} }),
    metrics: createMetrics(),
  })
  const { url } = await service.listen()
  const { secret } = await store.keys.create({ account: 'bench', name: 'bench', scopes: ['ask'] })
  await store.ledger.credit('bench', 1_000_000_000_000n, 'bench')
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const overHttp = async (request: AskRequest) => {
    const response = await fetch(`${url}/v1/ask`, { method: 'POST', headers, body: JSON.stringify(request) })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
    return JSON.parse(text)
  }
  const floor = async () => (await fetch(`${url}/v1/models`)).json()

  const rows = []
  for (const [words, questions] of [
    [40, 1],
    [300, 10],
  ] as const) {
    const direct: Time[] = []
    const http: Time[] = []
    const models: Time[] = []
    const warm = Math.max(3, Math.round(turns / 10))
    for (let round = -warm; round < turns; round++) {
      // Words of a state decide how often the engine looks again, so each side gets each salt as often as the other.
      const salts = [`first ${questions} ${round}`, `other ${questions} ${round}`]
      if (round % 4 >= 2) salts.reverse()
      const runs = [
        async () => timed(() => engine.ask(requestOf(salts[0]!, words, questions))),
        async () => timed(() => overHttp(requestOf(salts[1]!, words, questions))),
      ]
      const order = round % 2 === 0 ? [0, 1] : [1, 0]
      const times: Time[] = []
      for (const i of order) times[i] = await runs[i]!()
      const bare = await timed(floor)
      if (round < 0) continue
      direct.push(times[0]!)
      http.push(times[1]!)
      models.push(bare)
    }
    const wall = (times: readonly Time[]) => spread(times.map(({ wallMs }) => wallMs))
    const row = {
      model,
      words,
      questions,
      rounds: turns,
      engineMs: wall(direct),
      httpMs: wall(http),
      overheadMs: spread(http.map(({ wallMs }, i) => wallMs - direct[i]!.wallMs)),
      overheadCpuMs: spread(http.map(({ cpuMs }, i) => cpuMs - direct[i]!.cpuMs)),
      modelsMs: wall(models),
    }
    rows.push(row)
    console.log(JSON.stringify(row))
  }
  await service.drain()
  await store.close()
  rmSync(data, { recursive: true })
  return rows
}

const fake = await createEngine({ models: [createFakeBackend({ id: 'service-1-pro' })] })
const results = await measure('fake', fake, rounds)
await fake.close()
if (folder !== undefined) {
  const shipped = await createEngine({ models: [localModel(folder, { id: 'service-1-pro' })] })
  results.push(...(await measure('service-1-pro', shipped, Math.round(rounds / 3))))
  await shipped.close()
}
const machine = {
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  node: process.version,
  loadAverage: loadavg().map((load) => Number(load.toFixed(1))),
}
writeFileSync(
  out,
  `${JSON.stringify({ engine: ENGINE_VERSION, unit: 'ms', store: 'libsql in a file', client: 'fetch, one connection, in the same process', machine, note, results }, null, 1)}\n`,
)
