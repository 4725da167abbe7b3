// How long `assay models pull` and `assay models verify` take on this machine (needs `npm run build`).
// Usage: npx tsx bench/service/pull.ts OUT.json [ROUNDS] [LAYERS]
//
// The hub is the one of the tests, in this process and on this machine, so what is measured is our own work: processes,
// checksums and the disk, not a network. The pulled model has random weights, LAYERS of 13 MB each; those that are
// verified are the tiny ones of the tests, pulled, and the shipped model.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkFiles } from '../../src/hub/check-files.ts'
import { pulledModels } from '../../src/hub/library.ts'
import type { ModelVerification } from '../../src/index.ts'
import { ENGINE_VERSION, type verifyModel } from '../../src/index.ts'
import { writeTinyLlama } from '../../test/backends/openai/tiny-llama.ts'
import { type FakeHub, filesOf, startFakeHub } from '../../test/hub/fake-hub.ts'
import { environment } from '../speed/machine.ts'
import { type Case, interleave, timed } from '../speed/timing.ts'

const [out, rounds = '7', layers = '4'] = process.argv.slice(2)
if (out === undefined) throw new Error('usage: npx tsx bench/service/pull.ts OUT.json [ROUNDS] [LAYERS]')

const path = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url))
const FAMILIES = {
  'Idefics3, tiny': 'test/golden/idefics3/model',
  'Qwen2, tiny': 'test/golden/text-decoders/qwen2',
  'decision encoder, tiny': 'test/golden/option-markers/jevhome',
}
const SHIPPED = 'models/service-1-pro'

const scratch = mkdtempSync(join(tmpdir(), 'assay-pull-bench-'))
const home = join(scratch, 'home')
const hubs: FakeHub[] = []

function command(hub: FakeHub | null, ...args: string[]) {
  return spawn(process.execPath, [path('dist/cli/main.js'), 'models', ...args, '--json'], {
    env: { ...process.env, ASSAY_HOME: home, ...(hub === null ? {} : { HF_ENDPOINT: hub.endpoint }) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function run(hub: FakeHub | null, ...args: string[]): Promise<void> {
  const [code] = (await once(command(hub, ...args), 'exit')) as [number]
  // 4: a check failed; which one is in the result.
  if (code !== 0 && !(code === 4 && args[0] === 'verify')) throw new Error(`assay models ${args.join(' ')} ended with ${code}`)
}

async function hubOf(id: string, folder: string): Promise<FakeHub> {
  const hub = await startFakeHub(filesOf(folder))
  hub.id = id
  hubs.push(hub)
  return hub
}

const forgetAll = (): void => rmSync(home, { recursive: true, force: true })

/** The file of most bytes. */
const largestOf = (hub: FakeHub): readonly [path: string, content: Buffer] =>
  [...hub.files].reduce((most, one) => (one[1].length > most[1].length ? one : most))

/** Sends the first half of the largest file, once, and then `what`. Resolves when that was sent. */
function afterHalf(hub: FakeHub, what: 'cut' | 'silence'): Promise<void> {
  const [name, content] = largestOf(hub)
  return new Promise((resolve) => {
    hub.fault = ({ server, path: asked }, response) => {
      if (server !== 'files' || !decodeURIComponent(asked).endsWith(name)) return false
      hub.fault = null
      response.writeHead(200, { 'content-length': content.length })
      response.write(content.subarray(0, content.length / 2), () => {
        if (what === 'cut') response.destroy()
        resolve()
      })
      return true
    }
  })
}

/** Where the last request for the largest file began. */
const begunAt = (hub: FakeHub): number => {
  const [name] = largestOf(hub)
  const { range } = hub.heard.findLast(({ server, path: asked }) => server === 'files' && decodeURIComponent(asked).endsWith(name)) ?? {}
  return Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
}

const say = (line: string): void => void process.stderr.write(`${line}\n`)
const before = environment()

const { hub: model } = writeTinyLlama(scratch, {
  hidden: 512,
  layers: Number(layers),
  heads: 8,
  keyHeads: 8,
  headSize: 64,
  inner: 1344,
})
const large = await hubOf('acme/large', model)
const bytes = [...large.files.values()].reduce((sum, { length }) => sum + length, 0)
const gone: Record<'cut' | 'killed', number[]> = { cut: [], killed: [] }
const pulls: Case[] = [
  {
    name: 'pull',
    async run() {
      forgetAll()
      return { '': (await timed(() => run(large, 'pull', large.id))).ms }
    },
  },
  {
    name: 'pull of what is there',
    async run() {
      forgetAll()
      await run(large, 'pull', large.id)
      return { '': (await timed(() => run(large, 'pull', large.id))).ms }
    },
  },
  {
    name: 'pull, its connection cut at half',
    async run(round) {
      forgetAll()
      void afterHalf(large, 'cut')
      const { ms } = await timed(() => run(large, 'pull', large.id))
      if (round >= 0) gone.cut.push(begunAt(large))
      return { '': ms }
    },
  },
  {
    name: 'pull after one that was killed at half',
    async run(round) {
      forgetAll()
      const half = afterHalf(large, 'silence')
      const child = command(large, 'pull', large.id)
      await half
      // What was sent is written.
      await new Promise((resolve) => setTimeout(resolve, 500))
      child.kill('SIGKILL')
      await once(child, 'exit')
      const { ms } = await timed(() => run(large, 'pull', large.id))
      if (round >= 0) gone.killed.push(begunAt(large))
      return { '': ms }
    },
  },
]
const pulled = await interleave(pulls, { rounds: Number(rounds), pids: [], say })

forgetAll()
const tiny = []
for (const [name, folder] of Object.entries(FAMILIES)) {
  const id = `acme/${name.split(/\W/)[0]!.toLowerCase()}`
  await run(await hubOf(id, path(folder)), 'pull', id)
  tiny.push({ name, id })
}
// As built: a model loads in a worker, which only the built package has.
const built = (await import(new URL('../../dist/index.js', import.meta.url).href)) as { verifyModel: typeof verifyModel }
const found: Record<string, ModelVerification> = {}
const models = await pulledModels(home)
const verifies = [...tiny, { name: 'shipped', id: null }].map(({ name, id }): Case => {
  const place = models.find((one) => one.id === id) ?? null
  return {
    name,
    async run() {
      const whole = (await timed(() => run(null, 'verify', place?.name ?? 'service-1-pro'))).ms
      const files = await timed(() => (place === null ? null : checkFiles(place, () => {})))
      const steps: [string, number][] = []
      const verification = await built.verifyModel(place?.folder ?? path(SHIPPED), {
        onStep: (what) => void steps.push([what, performance.now()]),
      })
      steps.push(['', performance.now()])
      found[name] = verification
      const parts = steps.slice(0, -1).map(([what, from], i) => [what, (steps[i + 1] as [string, number])[1] - from] as const)
      const one = { 'loading once': verification.speed?.loadMs.median ?? Number.NaN }
      return { 'whole command': whole, ...(place === null ? {} : { files: files.ms }), ...Object.fromEntries(parts), ...one }
    },
  }
})
const verified = await interleave(verifies, { rounds: Number(rounds), pids: [], say })
for (const hub of hubs) await hub.close()
rmSync(scratch, { recursive: true })

const rounded = (value: number, digits = 3): number => Number(value.toPrecision(digits))
const rowsOf = (series: typeof pulled) =>
  series.map(({ name, median, low, high, samples }) => {
    return { name, median: rounded(median), quartiles: [rounded(low), rounded(high)], rounds: samples.length }
  })
const result = {
  engine: ENGINE_VERSION,
  unit: 'ms',
  environment: before,
  loadAfter: rounded(environment().load),
  pulled: { bytes, largestBytes: largestOf(large)[1].length, goneOnFrom: gone, times: rowsOf(pulled) },
  verified: {
    checks: Object.entries(found).map(([name, { ok, checks }]) => ({
      name,
      ok,
      checks: checks.map(({ check, status }) => [check, status]),
    })),
    times: rowsOf(verified),
  },
}
await writeFile(out, `${JSON.stringify(result, null, 1)}\n`)
