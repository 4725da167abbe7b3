import { afterEach, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import { createLog } from '../../src/service/log.ts'
import { createMetrics } from '../../src/service/metrics.ts'
import { createService } from '../../src/service/service.ts'
import { DEFAULT_SETTINGS, type ServiceSettings } from '../../src/service/settings.ts'
import { openStore } from '../../src/service/store/open.ts'

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function serviceWith(given: Partial<ServiceSettings>) {
  const engine = await createEngine({ models: [createFakeBackend({ id: 'service-1-pro' })] })
  const store = await openStore(':memory:')
  const { secret } = await store.keys.create({ account: 'main', name: 'main', scopes: ['ask'] })
  const settings = { ...DEFAULT_SETTINGS, console: false, ...given, port: 0 }
  const { app, listen } = await createService({ engine, store, settings, log: createLog({ level: 'silent' }), metrics: createMetrics() })
  opened.push(app, engine, store)
  const { url } = await listen()
  const ask = async (path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    await (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).text()
  }
  const read = async (path: string) => {
    const reply = await fetch(`${url}${path}`)
    return { status: reply.status, contentType: reply.headers.get('content-type'), body: await reply.text() }
  }
  return { ask, read }
}

describe('GET /metrics', () => {
  it('needs no key and tells what was asked, by patterns and never by URLs', async () => {
    const { ask, read } = await serviceWith({})
    const questions = { here: { type: 'noul', instructions: 'Is it here?' } }
    for (const state of ['one', 'one']) await ask('/v1/ask?a=canary', { state, questions })
    await ask('/v1/ask', { state: 'one' })
    await read('/v1/canary')
    const { status, contentType, body } = await read('/metrics')
    expect(status).toBe(200)
    expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(body).toContain('assay_http_requests_total{route="/v1/ask",method="POST",status="200",code=""} 2')
    expect(body).toContain('assay_http_requests_total{route="/v1/ask",method="POST",status="400",code="invalid_request"} 1')
    expect(body).toMatch(/assay_http_requests_total\{route="[^"]*",method="GET",status="404",code="not_found"\} 1/)
    expect(body).toContain('assay_answers_total{model="service-1-pro",dialect="ask"} 2')
    expect(body).toContain('assay_questions_total{model="service-1-pro"} 2')
    // The same state again is read from the cache.
    const numberOf = (name: string): number => Number(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'm').exec(body)?.[1])
    expect(numberOf('assay_cached_tokens_total')).toBeGreaterThan(0)
    expect(numberOf('assay_input_tokens_total')).toBeGreaterThan(numberOf('assay_cached_tokens_total'))
    expect(body).toMatch(/^assay_requests_running 0$/m)
    expect(body).not.toContain('canary')
  })

  it('is not there when the setting is off', async () => {
    const { read } = await serviceWith({ metrics: false })
    expect((await read('/metrics')).status).toBe(404)
  })
})
