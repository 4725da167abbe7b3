// The manifests of many replicas (deploy/kubernetes, deploy/compose.replicas.yaml) agree with the code: flags,
// variables, routes of probes, times, addresses, and connections to the database. Their shapes were held against the
// schemas of Kubernetes and of Compose by tools that are no part of the project (docs/scale.md).
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { modelServerIn } from '../../src/cli/model-server.ts'
import { runCli } from '../../src/cli/program.ts'
import type { ServiceContext } from '../../src/service/context.ts'
import { readSettings } from '../../src/service/read-settings.ts'
import { ROUTES } from '../../src/service/routes/index.ts'
import { SETTING_TABLE } from '../../src/service/setting-table.ts'
import { DEFAULT_SETTINGS } from '../../src/service/settings.ts'
import { fakeTerminal } from '../shared/terminal.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (path: string): string => readFileSync(`${root}deploy/${path}`, 'utf8').replace(/^\s*#.*\n/gm, '')
const [assay, vllm, compose, caddy] = ['kubernetes/assay.yaml', 'kubernetes/vllm.yaml', 'compose.replicas.yaml', 'Caddyfile.replicas'].map(
  textOf,
) as [string, string, string, string]
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1] as string)
const one = (text: string, pattern: RegExp): string => {
  const found = all(text, pattern)
  expect(found, String(pattern)).toHaveLength(1)
  return found[0]!
}
const seconds = (text: string, pattern: RegExp): number => Number(one(text, pattern)) * 1000

/** Of PostgreSQL as it comes, of which some are kept for its administrator. */
const [CONNECTIONS, KEPT_FREE] = [100, 3]
/** What `serve` takes at most behind --drain: replies that are written, and models that end. */
const CLOSING_MS = 7000

describe('the manifests of many replicas', () => {
  it('give only flags that `assay serve` has', async () => {
    const { terminal, heard } = fakeTerminal(process.cwd())
    await runCli(['serve', '--help'], terminal, () => Promise.reject(new Error('not asked for')))
    const given = [
      ...all(assay, /^ +- (--[a-z-]+)$/gm),
      ...all(compose, /command: \[serve, (.*)\]/g).flatMap((line) => line.match(/--[a-z-]+/g) ?? []),
    ]
    expect(given.length).toBeGreaterThanOrEqual(4)
    for (const flag of given) expect(heard.out).toContain(`${flag} <`)
  })

  it('set variables that are settings, to what they take, and no secret by its value', () => {
    const kubernetes = [...assay.matchAll(/\{name: (ASSAY_[A-Z_]+), value: "(.*?)"\}/g)].map(([, name, value]) => [name!, value!] as const)
    const composed = [...compose.matchAll(/^ +(ASSAY_[A-Z_]+): "?([^"$\n]+)"?$/gm)].map(([, name, value]) => [name!, value!] as const)
    expect(Object.fromEntries(composed)).toEqual(Object.fromEntries(kubernetes))
    const { connectionsPerAddress, concurrency, serverConcurrency, databaseConnections } = readSettings({}, Object.fromEntries(kubernetes))
    expect([connectionsPerAddress, concurrency, serverConcurrency, databaseConnections]).toEqual([0, 64, 64, 10])
    const secrets = SETTING_TABLE.filter(({ isSecret }) => isSecret).flatMap(({ env }) => env)
    for (const name of [...secrets, 'ASSAY_MODEL_SERVER_KEY', 'VLLM_API_KEY', 'HF_TOKEN']) {
      expect(`${assay}${vllm}`).not.toMatch(new RegExp(`name: ${name}[,\\s]+value:`))
      for (const value of all(compose, new RegExp(`^ +${name}: (.*)$`, 'gm'))) expect(value).toMatch(/\$\{[A-Z_]+/)
    }
    for (const name of ['DATABASE_URL', 'ASSAY_ADMIN_TOKEN', 'ASSAY_MODEL_SERVER_KEY']) {
      expect(assay).toMatch(new RegExp(`name: ${name}\\s+valueFrom:\\s+secretKeyRef`))
    }
  })

  it('take the keys of a secret that their head says how to make', () => {
    const head = readFileSync(`${root}deploy/kubernetes/kustomization.yaml`, 'utf8')
    const made = all(head, /--from-literal=([a-z-]+)=/g)
    for (const key of all(`${assay}${vllm}`, /secretKeyRef: \{name: assay, key: ([a-z-]+)\}/g)) expect(made).toContain(key)
  })

  it('probe routes that there are: /health for traffic, and one that asks nobody for life', async () => {
    const routeOf = (probe: string) => {
      const path = one(assay, new RegExp(`${probe}:\\s+httpGet: \\{path: (\\S+), port: http\\}`, 'g'))
      return ROUTES.find((route) => route.method === 'GET' && route.path === path && route.access === 'everyone')
    }
    expect(routeOf('readinessProbe')).toMatchObject({ path: '/health', isServedToTheEnd: true })
    expect(routeOf('startupProbe')?.path).toBe('/health')
    // Of all that a route gets, this one touches what is always there.
    const always = { openApi: '{"paths": {}}', settings: DEFAULT_SETTINGS }
    const context = new Proxy(always, {
      get: (known, name) => Reflect.get(known, name) ?? expect.unreachable(`it asks ${String(name)}`),
    }) as unknown as ServiceContext
    const asked = { body: undefined, request: { headers: {}, raw: { url: '/' } }, reply: { header() {} } }
    const route = routeOf('livenessProbe')!
    expect(await route.open(context).answer(asked as unknown as Parameters<ReturnType<typeof route.open>['answer']>[0])).toBeDefined()
  })

  it('reach replicas and model servers where they listen', () => {
    expect(Number(one(assay, /containerPort: (\d+)/g))).toBe(DEFAULT_SETTINGS.port)
    expect(Number(one(caddy, /port (\d+)/g))).toBe(DEFAULT_SETTINGS.port)
    const servers = Number(one(vllm, /kind: StatefulSet[\s\S]*?\n {2}replicas: (\d+)/g))
    const name = one(vllm, /--served-model-name=(\S+)/g)
    const port = one(vllm, /containerPort: (\d+)/g)
    const names = Array.from({ length: servers }, (_, i) => `vllm-${i}`)
    expect(modelServerIn(one(assay, /- (\w+=http:\S+)/g))).toMatchObject({
      model: name,
      url: names.map((host) => `http://${host}.vllm:${port}`),
    })
    const composed = modelServerIn(one(compose, /"(\w+=http:[^"]+)"/g))
    expect(composed).toMatchObject({
      model: one(compose, /--served-model-name=(\S+)/g),
      url: all(compose, /^ {2}(vllm-\d+):$/gm).map((host) => `http://${host}:8000`),
    })
    expect(one(assay, /fetch\('http:\/\/vllm:(\d+)\/health'\)/g)).toBe(port)
  })

  it('give replicas the time to answer what they admitted, and model servers theirs', () => {
    const { drainMs } = DEFAULT_SETTINGS
    const preStop = seconds(assay, /command: \[sleep, "(\d+)"\]/g)
    expect(seconds(assay, /terminationGracePeriodSeconds: (\d+)/g)).toBeGreaterThanOrEqual(preStop + drainMs + CLOSING_MS)
    expect(seconds(one(compose, /\n {2}assay:\n([\s\S]*?)\n {2}proxy:/g), /stop_grace_period: (\d+)s/g)).toBeGreaterThanOrEqual(
      drainMs + CLOSING_MS,
    )
    // A proxy forgets a replica within the pause before its end: two looks that fail.
    const [period, failures] = [
      one(assay, /readinessProbe:[\s\S]*?periodSeconds: (\d+)/g),
      one(assay, /readinessProbe:[\s\S]*?failureThreshold: (\d+)/g),
    ]
    expect(Number(period) * Number(failures)).toBeLessThanOrEqual(15)
    const wait = seconds(vllm, /--shutdown-timeout=(\d+)/g)
    expect(seconds(vllm, /terminationGracePeriodSeconds: (\d+)/g)).toBeGreaterThan(wait)
  })

  it('hold no more connections than PostgreSQL has, while replicas are replaced, too', () => {
    const each = Number(one(assay, /ASSAY_DATABASE_CONNECTIONS, value: "(\d+)"/g))
    const most = Number(one(assay, /maxReplicas: (\d+)/g)) + Number(one(assay, /maxSurge: (\d+)/g))
    expect(most * each).toBeLessThanOrEqual(CONNECTIONS - KEPT_FREE)
    expect(Number(one(compose, /max_connections=(\d+)/g))).toBe(CONNECTIONS)
  })

  it('keep one replica while others go, scale by CPU that is asked for, and run as nobody', () => {
    expect(Number(one(assay, /minReplicas: (\d+)/g))).toBeGreaterThan(
      Number(one(assay, /PodDisruptionBudget[\s\S]*?maxUnavailable: (\d+)/g)),
    )
    expect(assay).toMatch(/name: cpu\s+target: \{type: Utilization/)
    expect(assay).toMatch(/requests: \{cpu: "1", memory/)
    // The autoscaler says how many there are: a number in the Deployment would undo it with every apply.
    expect(assay).not.toMatch(/^ {2}replicas:/m)
    expect(assay).toMatch(/runAsNonRoot: true/)
  })
})
