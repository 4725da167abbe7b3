// One worker with two threads against two workers with one thread each.
// Usage: npx tsx bench/experiments/workers.ts [SECONDS_A_CELL] [ROUNDS]
// Every request is about a new state. 1, 2 and 8 requests at a time; the variants take turns. Medians over rounds.
import { fileURLToPath } from 'node:url'
import { localModel } from '../../src/index.ts'
import { createEngine, type EngineCore } from '../../src/pipeline/engine.ts'
import type { AskRequest } from '../../src/wire/types.ts'

if (process.argv.includes('--help')) throw new Error('usage: npx tsx bench/experiments/workers.ts [SECONDS_A_CELL] [ROUNDS]')
const seconds = Number(process.argv[2] ?? '3')
const rounds = Number(process.argv[3] ?? '3')
const folder = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))
const VARIANTS = { '1 x 2': { workers: 1, threads: 2 }, '2 x 1': { workers: 2, threads: 1 } }
const WORDS = 'the order for our office has been late since monday and nobody in support could tell me when the chairs will arrive'.split(
  ' ',
)
const text = (count: number, salt: string) =>
  Array.from({ length: count }, (_, i) => (i % 25 === 0 ? `${salt}.` : WORDS[(i * 7) % WORDS.length])).join(' ')
const few: AskRequest['questions'] = {
  angry: { type: 'noul', instructions: 'The customer is angry.' },
  about: { type: 'choice', instructions: 'What is it about?', criteria: ['delivery', 'payment', 'quality', 'other'] },
  urgency: { type: 'score', instructions: 'How urgent is it?', criteria: ['low', 'medium', 'high'] },
}
const many: AskRequest['questions'] = Object.fromEntries(
  Array.from({ length: 32 }, (_, i) => [
    `q${i}`,
    { type: 'noul' as const, instructions: `Statement ${i}: the chairs of order ${i * 7} are late.` },
  ]),
)
const LOADS = {
  'small (100 words, 3 questions)': { words: 100, questions: few },
  'large (700 words, 32 questions)': { words: 700, questions: many },
}

let salt = 0
async function cell(engine: EngineCore, words: number, questions: AskRequest['questions'], atOnce: number) {
  const until = performance.now() + seconds * 1000
  const from = performance.now()
  const times: number[] = []
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < until) {
        const begun = performance.now()
        await engine.ask({ state: text(words, `s${process.pid} ${salt++}`), questions } as AskRequest)
        times.push(performance.now() - begun)
      }
    }),
  )
  times.sort((a, b) => a - b)
  return {
    perSecond: times.length / ((performance.now() - from) / 1000),
    p50: times[times.length >> 1] ?? 0,
    p95: times[Math.floor(times.length * 0.95)] ?? 0,
  }
}
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0

const engines = await Promise.all(
  Object.entries(VARIANTS).map(
    async ([name, options]) => [name, await createEngine({ models: [localModel(folder, { ...options, cacheBytes: 64 << 20 })] })] as const,
  ),
)
for (const [, engine] of engines) await cell(engine, 100, few, 2)
for (const [load, { words, questions }] of Object.entries(LOADS)) {
  for (const atOnce of [1, 2, 8]) {
    const found = new Map<string, Awaited<ReturnType<typeof cell>>[]>()
    for (let round = 0; round < rounds; round++)
      for (const [name, engine] of engines) found.set(name, [...(found.get(name) ?? []), await cell(engine, words, questions, atOnce)])
    const line = [...found].map(
      ([name, cells]) =>
        `${name}: ${median(cells.map((c) => c.perSecond)).toFixed(1)}/s p50 ${median(cells.map((c) => c.p50)).toFixed(0)} p95 ${median(cells.map((c) => c.p95)).toFixed(0)} ms`,
    )
    console.log(`${load}, ${atOnce} at once | ${line.join(' | ')}`)
  }
}
for (const [, engine] of engines) await engine.close()
