// Whether memory grows with the number of requests.
// Usage: npx tsx bench/speed/memory.ts MODEL_FOLDER [REQUESTS] [CACHE_MIB] [OUT.json]
// Small requests about new texts, with caches so small that they are full from the start. Reads the resident memory of
// the process after a hundred requests and from there on. The model runs in a worker thread, whose memory is the
// process's.
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { ENGINE_VERSION, localModel } from '../../src/index.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import type { AskRequest } from '../../src/wire/types.ts'

const [folder, requestsText = '10000', cacheText = '8', out] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: npx tsx bench/speed/memory.ts MODEL_FOLDER [REQUESTS] [CACHE_MIB] [OUT.json]')
const requests = Number(requestsText)
const cacheBytes = Number(cacheText) * 2 ** 20
/** Requests after which memory is held to what it is then. */
const FIRST = 100
const AT_ONCE = 4
const SAMPLES = 40

const WORDS = 'the order for our office has been late since monday and nobody in support could tell me when the chairs will arrive'.split(
  ' ',
)
const state = (salt: number): string =>
  Array.from({ length: 40 }, (_, i) => (i % 13 === 0 ? `order ${salt}.` : WORDS[(i * 7 + salt) % WORDS.length])).join(' ')
const questions: AskRequest['questions'] = {
  angry: { type: 'noul', instructions: 'The customer is angry.' },
  about: { type: 'choice', instructions: 'What is it about?', criteria: ['delivery', 'payment', 'other'] },
}

const mebi = (bytes: number): number => Math.round((bytes / 2 ** 20) * 10) / 10
const engine = await createEngine({ models: [localModel(folder, { cacheBytes })] })
const samples: { readonly requests: number; readonly rssMiB: number; readonly heapMiB: number }[] = []
let begun = 0
let done = 0
const from = performance.now()

const sample = (): void => {
  const { rss, heapUsed } = process.memoryUsage()
  samples.push({ requests: done, rssMiB: mebi(rss), heapMiB: mebi(heapUsed) })
  process.stderr.write(`${done} requests, ${mebi(rss)} MiB\n`)
}
const every = Math.max(1, Math.round((requests - FIRST) / SAMPLES))
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (begun < requests) {
      begun += 1
      await engine.ask({ state: state(begun), questions })
      done += 1
      if (done === FIRST || (done > FIRST && (done - FIRST) % every === 0)) sample()
    }
  }),
)
const seconds = Math.round((performance.now() - from) / 1000)
const caches = engine.caches()
await engine.close()

// Single readings vary with uncollected garbage, so the median of the last quarter is compared with the first reading.
const rss = samples.map(({ rssMiB }) => rssMiB)
const last = rss.slice(-Math.ceil(rss.length / 4)).sort((a, b) => a - b)
const [before = Number.NaN, after = Number.NaN] = [rss[0], last[last.length >> 1]]
const result = {
  engine: ENGINE_VERSION,
  node: process.version,
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  ...{ requests: done, seconds, cacheMiB: Number(cacheText), rssAfterFirstMiB: before, rssAtEndMiB: after },
  growth: Math.round((after / before - 1) * 1000) / 1000,
  caches,
  samples,
}
console.log(`after ${FIRST}: ${before} MiB, at the end: ${after} MiB, ${(result.growth * 100).toFixed(1)} % more`)
if (out !== undefined) writeFileSync(out, `${JSON.stringify(result, null, 2)}\n`)
