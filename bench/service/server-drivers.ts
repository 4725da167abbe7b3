// What a question costs through the drivers of model servers, and how near its probabilities are to those of the `onnx`
// decoder on the same weights. Needs a Python with xllamacpp (test/backends/openai/tiny-llama.ts says how).
// Usage: LLAMA_SERVER_PYTHON=VENV/bin/python npx tsx bench/service/server-drivers.ts OUT.json [ROUNDS]
//
// llama.cpp is a real server with a tiny model of random weights: its times are those of the wire and the server, not
// of a model that is of use. The other servers are the imitations of the tests: requests and fields are counted, and
// what they say of their caches is made up, so there it is seen only that the driver reports what it was told.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Backend, Branch, Constraint, Prefix, ScoreRow } from '../../src/backends/backend.ts'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { connectModelServer } from '../../src/backends/openai/index.ts'
import { logSoftmax } from '../../src/core/math.ts'
import type { Prompt } from '../../src/core/types.ts'
import { ENGINE_VERSION } from '../../src/index.ts'
import {
  imitate,
  llamaCppRoutes,
  ollamaRoutes,
  openaiRoutes,
  type Routes,
  sglangRoutes,
  vllmRoutes,
} from '../../test/backends/openai/imitations.ts'
import { type KeysAndValues, SERVER_PYTHON, startLlamaServer, writeTinyLlama } from '../../test/backends/openai/tiny-llama.ts'
import { environment } from '../speed/machine.ts'
import { type Case, interleave, quantile } from '../speed/timing.ts'

const [out, rounds = '15'] = process.argv.slice(2)
if (out === undefined || SERVER_PYTHON === null)
  throw new Error('usage: LLAMA_SERVER_PYTHON=VENV/bin/python npx tsx bench/service/server-drivers.ts OUT.json [ROUNDS]')

const CONTEXT = 4096
const STATES = [300, 3000]

interface Asked {
  /** What is counted and timed together. */
  readonly kind: string
  readonly branch: Branch
  /** Absent: it is scored. */
  readonly read?: Constraint
}

const none = (name: string) => ({ name, description: null })
const of = (readout: Branch['readout'], instructions: string, names: readonly string[] = []): Branch => ({
  readout,
  instructions,
  candidates: names.map(none),
  image: null,
})
const yesNo = ['true', 'false']
const places = Array.from({ length: 30 }, (_, i) => `place ${i + 1}`)
const [ONE, SELECT, WORDS, QUOTE, WRITTEN] = ['one row', 'select of 4', 'choice of 30, in words', 'quote', 'date written'] as const
const QUESTIONS: readonly Asked[] = [
  { kind: ONE, branch: of('binary', 'The customer is angry.', yesNo) },
  { kind: ONE, branch: of('binary', 'An answer is needed today.', yesNo) },
  { kind: ONE, branch: of('exclusive', 'What is it?', ['refund', 'delivery', 'praise']) },
  { kind: ONE, branch: of('exclusive', 'Who writes?', ['customer', 'supplier', 'colleague', 'press', 'other']) },
  { kind: ONE, branch: of('ordinal', 'How urgent?', ['low', 'mid', 'high']) },
  { kind: ONE, branch: of('ordinal', 'How polite?', ['rude', 'curt', 'neutral', 'polite', 'warm']) },
  { kind: SELECT, branch: of('independent', 'What is named?', ['price', 'date', 'weather', 'car']) },
  { kind: WORDS, branch: of('exclusive', 'Where?', places) },
  { kind: QUOTE, branch: of('read', 'The order number'), read: { type: 'span', many: false, format: 'int' } },
  { kind: WRITTEN, branch: of('read', 'Which day?'), read: { type: 'grammar', grammar: { type: 'date' }, maxTokens: 16 } },
]
const SCORED = QUESTIONS.filter(({ read }) => read === undefined)
const KINDS = [ONE, SELECT, WORDS, QUOTE, WRITTEN]

const SENTENCE = 'Order 4711 was placed on 2024-03-09 and is late. '
function promptOf(text: string): Prompt {
  return { pieces: [{ type: 'text', text, source: { part: 0, path: null } }], parts: [{ type: 'text', index: 0, text }] }
}

/** A state of about so many tokens of this model that no cache has seen. */
async function stateMaker(backend: Backend, tokens: number): Promise<(salt: string) => Prompt> {
  const [short, long] = [
    (await backend.open(promptOf('Case 10.'))).tokens,
    (await backend.open(promptOf(`Case 10. ${SENTENCE.repeat(10)}`))).tokens,
  ]
  const times = Math.round((tokens - short) / ((long - short) / 10))
  return (salt) => promptOf(`Case ${salt}. ${SENTENCE.repeat(times)}`)
}

async function answer(prefix: Prefix, { branch, read }: Asked): Promise<readonly ScoreRow[] | null> {
  if (read === undefined) return (await prefix.score([branch]))[0]!.rows
  await prefix.generate(branch, read)
  return null
}

/** Milliseconds of the first question, opening the state included, and of one more of each kind. */
async function timesOf(backend: Backend, prompt: Prompt): Promise<Record<string, number>> {
  const times = new Map<string, number[]>()
  let from = performance.now()
  const prefix = await backend.open(prompt)
  for (const [i, asked] of QUESTIONS.entries()) {
    await answer(prefix, asked)
    const now = performance.now()
    const kind = i === 0 ? 'first' : asked.kind
    times.set(kind, [...(times.get(kind) ?? []), now - from])
    from = now
  }
  prefix.close()
  return Object.fromEntries([...times].map(([kind, ms]) => [kind, ms.reduce((sum, one) => sum + one, 0) / ms.length]))
}

const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length
/** Of the options, among themselves. */
const probabilitiesOf = ({ logProbabilities }: ScoreRow): number[] => logSoftmax(logProbabilities).map(Math.exp)
const rounded = (value: number, digits = 3): number => Number(value.toPrecision(digits))

/** Requests that a driver sends, with what the answers say of the cache. */
function listening() {
  const heard: { path: string; promptTokens: number | null; cachedTokens: number | null }[] = []
  const listen: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const json = (await response.clone().json()) as { readonly timings?: { readonly cache_n?: number } }
    const prompt = init?.body === undefined ? null : JSON.parse(String(init.body)).prompt
    heard.push({
      path: new URL(String(input)).pathname,
      promptTokens: Array.isArray(prompt) ? prompt.length : null,
      cachedTokens: json.timings?.cache_n ?? null,
    })
    return response
  }
  return { heard, listen }
}

async function realServer(gguf: string, hub: string, keysAndValues: KeysAndValues) {
  const server = await startLlamaServer(SERVER_PYTHON as string, gguf, CONTEXT, 1, keysAndValues)
  const { heard, listen } = listening()
  const remote = await connectModelServer({ url: server.url, fetch: listen })
  const counts = []
  for (const tokens of STATES) {
    const prompt = (await stateMaker(remote, tokens))('counted')
    const prefix = await remote.open(prompt)
    const requests = new Map<string, { passes: number[]; others: number[] }>()
    const shares: number[] = []
    for (const [i, asked] of QUESTIONS.entries()) {
      heard.length = 0
      await answer(prefix, asked)
      const passes = heard.filter(({ path }) => path === '/completion')
      const kind = requests.get(asked.kind) ?? { passes: [], others: [] }
      requests.set(asked.kind, kind)
      kind.passes.push(passes.length)
      kind.others.push(heard.length - passes.length)
      if (i > 0) shares.push(...passes.map(({ cachedTokens }) => Math.min(1, (cachedTokens ?? 0) / prefix.tokens)))
    }
    const again = await remote.open(prompt)
    await again.score([QUESTIONS[1]!.branch])
    counts.push({
      stateTokens: prefix.tokens,
      requests: Object.fromEntries(
        [...requests].map(([kind, { passes, others }]) => [kind, { passes: mean(passes), others: mean(others) }]),
      ),
      cachedShareOfFurther: { least: rounded(Math.min(...shares), 4), median: rounded(quantile(shares, 0.5), 4) },
      cachedShareReported: rounded(again.cachedTokens / again.tokens, 4),
    })
  }
  const parity = []
  for (const scoring of ['plain', 'probe'] as const) {
    const [there, here] = [
      await connectModelServer({ url: server.url, scoring }),
      await loadOnnxModel(hub, { inProcess: true, threads: 1, scoring }),
    ]
    for (const tokens of STATES) {
      const prompt = (await stateMaker(here, tokens))('compared')
      const [a, b] = [await there.open(prompt), await here.open(prompt)]
      let [probability, logProbability, mass] = [0, 0, 0]
      for (const asked of SCORED) {
        const [rowsThere, rowsHere] = [(await answer(a, asked))!, (await answer(b, asked))!]
        rowsThere.forEach((row, i) => {
          const other = rowsHere[i]!
          const [p, q] = [probabilitiesOf(row), probabilitiesOf(other)]
          p.forEach((one, at) => {
            probability = Math.max(probability, Math.abs(one - q[at]!))
            logProbability = Math.max(logProbability, Math.abs(row.logProbabilities[at]! - other.logProbabilities[at]!))
          })
          mass = Math.max(mass, Math.abs(row.mass - other.mass))
        })
      }
      const largest = { probability: rounded(probability, 2), logProbability: rounded(logProbability, 2), mass: rounded(mass, 2) }
      parity.push({ scoring, scorer: [there.info.scorer, here.info.scorer], stateTokens: [a.tokens, b.tokens], largest })
    }
    await Promise.all([there.close(), here.close()])
  }
  await remote.close()
  const timed = await connectModelServer({ url: server.url })
  return { server, timed, result: { keysAndValues, counts, parity } }
}

const IMITATED: Readonly<Record<string, Routes>> = {
  vllm: vllmRoutes,
  sglang: sglangRoutes,
  ollama: ollamaRoutes,
  openai: openaiRoutes,
  'llama.cpp': llamaCppRoutes,
}
/** What the imitations say that they had in their caches: a number that no driver could come by otherwise. */
const TOLD = 41

/** The routes, which all say the same of their caches, each in its own field. */
function telling(routes: Routes): Routes {
  const told = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(told)
    if (typeof value !== 'object' || value === null) return value
    const isCount = (name: string): boolean => ['cached_tokens', 'prompt_eval_cached_count', 'cache_n'].includes(name)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isCount(name) ? TOLD : told(inner)]))
  }
  return Object.fromEntries(Object.entries(routes).map(([path, route]) => [path, { ...route, answer: (body) => told(route.answer(body)) }]))
}

/** Routes that run the model. */
const PASSES = /^\/(completion|generate|api\/chat|v1\/completions|v1\/chat\/completions)$/

async function imitated(engine: string, routes: Routes) {
  const server = await imitate(telling(routes))
  const backend = await connectModelServer({ url: server.url })
  const atLoad = server.requests.length
  const prefix = await backend.open(promptOf(SENTENCE.repeat(6)))
  const requests = new Map<string, { passes: number[]; others: number[] }>()
  for (const asked of QUESTIONS) {
    const before = server.requests.length
    await answer(prefix, asked)
    const sent = server.requests.slice(before)
    const passes = sent.filter(({ path }) => PASSES.test(path)).length
    const kind = requests.get(asked.kind) ?? { passes: [], others: [] }
    requests.set(asked.kind, kind)
    kind.passes.push(passes)
    kind.others.push(sent.length - passes)
  }
  const fields = new Map<string, Set<string>>()
  for (const { path, body } of server.requests) {
    const known = fields.get(path) ?? new Set()
    fields.set(path, known)
    for (const name of Object.keys(body ?? {})) known.add(name)
  }
  const result = {
    engine,
    requestsAtLoad: atLoad,
    stateTokens: prefix.tokens,
    requests: Object.fromEntries([...requests].map(([kind, { passes, others }]) => [kind, { passes: mean(passes), others: mean(others) }])),
    cachedTokens: { told: TOLD, reported: prefix.cachedTokens },
    fieldsSent: Object.fromEntries([...fields].map(([path, names]) => [path, [...names].sort()])),
  }
  await backend.close()
  await server.close()
  return result
}

const say = (line: string): void => void process.stderr.write(`${line}\n`)
const before = environment()
const folder = mkdtempSync(join(tmpdir(), 'assay-server-drivers-'))
const { gguf, hub } = writeTinyLlama(folder, { positions: CONTEXT })
const servers = []
for (const keysAndValues of ['full', 'default'] as const) servers.push(await realServer(gguf, hub, keysAndValues))
const local = await loadOnnxModel(hub, { inProcess: true, threads: 1, scoring: 'plain' })
const alternatives = [
  ...servers.map(({ timed, result }) => ({ name: `llama.cpp, ${result.keysAndValues}`, backend: timed })),
  { name: 'onnx', backend: local },
]
const cases: Case[] = []
for (const { name, backend } of alternatives) {
  for (const tokens of STATES) {
    const make = await stateMaker(backend, tokens)
    cases.push({ name: `${name}, ${tokens}`, run: (round) => timesOf(backend, make(`${round + 10}`)) })
  }
}
const series = await interleave(cases, { rounds: Number(rounds), pids: servers.map(({ server }) => server.pid), say })
const imitations = []
for (const [engine, routes] of Object.entries(IMITATED)) imitations.push(await imitated(engine, routes))
for (const { server, timed } of servers) {
  await timed.close()
  await server.stop()
}
await local.close()
rmSync(folder, { recursive: true })

const times = series.map(({ name, median, low, high, disturbed, samples }) => {
  return { name, median: rounded(median), quartiles: [rounded(low), rounded(high)], rounds: samples.length, disturbed }
})
const result = {
  engine: ENGINE_VERSION,
  unit: 'ms',
  environment: before,
  loadAfter: rounded(environment().load),
  questions: KINDS.map((kind) => [kind, QUESTIONS.filter((one) => one.kind === kind).length]),
  llamaCpp: servers.map(({ result: one }) => one),
  times,
  imitations,
}
writeFileSync(out, `${JSON.stringify(result, null, 1)}\n`)
