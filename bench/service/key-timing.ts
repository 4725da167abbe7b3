// Whether the time of a refusal reveals anything about API keys.
// Usage: npx tsx bench/service/key-timing.ts OUT.json [ROUNDS] [DATABASE_URL]
// Every kind of key is sent once a round, in random order, over one kept connection. For each kind: quartiles of the
// time to the refusal, and how often it took longer than an unknown key of the same round (one half reveals nothing).
// It reports and does not fail.
import { writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { availableParallelism, cpus } from 'node:os'
import { seededRandom } from '../../src/core/random.ts'
import { ENGINE_VERSION } from '../../src/index.ts'
import { openStore } from '../../src/service/store/open.ts'
import { startRunning } from '../../test/service/running.ts'

const [out, roundsText = '3000', databaseUrl = ':memory:'] = process.argv.slice(2)
if (out === undefined) throw new Error('usage: npx tsx bench/service/key-timing.ts OUT.json [ROUNDS] [DATABASE_URL]')
const rounds = Number(roundsText)
const WARM_UP = 300
/** Other keys in the store, so that the lookup needs its index. */
const OTHERS = 2000

const store = await openStore(databaseUrl)
const running = await startRunning({ store })
for (let i = 0; i < OTHERS; i++) await running.newKey()
// Without the scope: it is found, and then refused, and nothing else runs.
const found = await running.newKey({ scopes: ['outcomes'] })
const revoked = await running.newKey()
await store.keys.revoke(revoked.key.id)

const random = seededRandom(1)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const draw = (length: number) => Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join('')
const prefix = 'service_sk_'
const body = found.secret.slice(prefix.length)
const other = (character: string | undefined) => (character === 'A' ? 'B' : 'A')

const KINDS: Readonly<Record<string, () => string>> = {
  unknown: () => prefix + draw(body.length),
  'right but for the last character': () => prefix + body.slice(0, -1) + other(body.at(-1)),
  'right but for the first character': () => prefix + other(body[0]) + body.slice(1),
  'right in its first half': () => prefix + body.slice(0, body.length / 2) + draw(Math.ceil(body.length / 2)),
  revoked: () => revoked.secret,
  'malformed (not looked up)': () => `${prefix}x`,
  'found, without the scope': () => found.secret,
}

/** A new text: the client sends a repeated one a little faster, which would look like the service's doing. */
const fresh = (secret: string) => Buffer.from(secret, 'latin1').toString('latin1')

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
function refusalMs(secret: string): Promise<number> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${running.url}/v1/ask`,
      { agent, method: 'POST', headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'content-length': 0 } },
      (response) => {
        response.resume()
        response.on('end', () => resolve(performance.now() - begun))
      },
    )
    request.on('error', reject)
    request.end()
  })
}

const names = Object.keys(KINDS)
const times = new Map<string, number[]>(names.map((name) => [name, []]))
for (let round = -WARM_UP; round < rounds; round++) {
  // All of a round are made before the first is sent, so that the making of one is not in the time of another.
  const order = names.map((name) => ({ name, secret: KINDS[name]!(), at: random() })).sort((a, b) => a.at - b.at)
  for (const { name, secret } of order) {
    const ms = await refusalMs(fresh(secret))
    if (round >= 0) times.get(name)!.push(ms)
  }
  ;(running.log as unknown[]).length = 0
}
agent.destroy()

const sorted = (values: readonly number[]) => [...values].sort((a, b) => a - b)
const quantile = (values: readonly number[], share: number) =>
  Math.round(sorted(values)[Math.floor(share * (values.length - 1))]! * 1e4) / 1e4
const unknown = times.get('unknown')!
const table = names.map((name) => {
  const own = times.get(name)!
  const slower = own.reduce((count, ms, i) => count + (ms > unknown[i]! ? 1 : ms === unknown[i] ? 0.5 : 0), 0) / own.length
  return {
    name,
    medianMs: quantile(own, 0.5),
    lowMs: quantile(own, 0.25),
    highMs: quantile(own, 0.75),
    slowerThanUnknown: name === 'unknown' ? null : Math.round(slower * 1e4) / 1e4,
  }
})
const result = {
  engine: ENGINE_VERSION,
  machine: { node: process.version, cores: availableParallelism(), cpu: cpus()[0]?.model },
  store: store.kind,
  keys: OTHERS,
  rounds,
  // Of the share, when the truth is one half.
  standardError: Math.round((0.5 / Math.sqrt(rounds)) * 1e4) / 1e4,
  table,
}
writeFileSync(out, `${JSON.stringify(result, null, 1)}\n`)
console.table(table)
await running.end()
await store.close()
