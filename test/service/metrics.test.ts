import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../src/service/metrics.ts'
import type { Metrics } from '../../src/service/telemetry.ts'

/** Samples by name and labels, as the text has them. */
async function samplesOf(metrics: Metrics): Promise<ReadonlyMap<string, number>> {
  const { body } = await metrics.text()
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

const REQUEST = { route: '/v1/ask', method: 'POST', status: 200, code: null, latencyMs: 12 }
const ANSWER = {
  model: 'service-1-pro',
  dialect: 'ask',
  questions: 3,
  inputTokens: 100,
  cachedTokens: 40,
  deliberated: 1,
  askMs: 30,
  waitMs: 2,
  stages: [],
}

describe('metrics', () => {
  it('count requests by route, method, status and code, with their latency', async () => {
    const metrics = createMetrics()
    metrics.finished(REQUEST)
    metrics.finished(REQUEST)
    metrics.finished({ ...REQUEST, status: 503, code: 'overloaded', latencyMs: 3 })
    const samples = await samplesOf(metrics)
    expect(samples.get('assay_http_requests_total{route="/v1/ask",method="POST",status="200",code=""}')).toBe(2)
    expect(samples.get('assay_http_requests_total{route="/v1/ask",method="POST",status="503",code="overloaded"}')).toBe(1)
    expect(samples.get('assay_http_request_seconds_bucket{le="0.005",route="/v1/ask"}')).toBe(1)
    expect(samples.get('assay_http_request_seconds_sum{route="/v1/ask"}')).toBeCloseTo(0.027)
  })

  it.each(['client_gone', 'not_signed_in', 'wrong_token', 'foreign_request', 'unknown_session_token'])(
    'name %s, which never stands on the service’s own wire',
    async (code) => {
      const metrics = createMetrics()
      metrics.finished({ ...REQUEST, status: 401, code })
      const samples = await samplesOf(metrics)
      expect(samples.get(`assay_http_requests_total{route="/v1/ask",method="POST",status="401",code="${code}"}`)).toBe(1)
    },
  )

  it('count answers with their questions, tokens and second looks', async () => {
    const metrics = createMetrics()
    metrics.answered(ANSWER)
    metrics.answered({ ...ANSWER, dialect: 'systemone' })
    const samples = await samplesOf(metrics)
    expect(samples.get('assay_answers_total{model="service-1-pro",dialect="systemone"}')).toBe(1)
    expect(samples.get('assay_questions_total{model="service-1-pro"}')).toBe(6)
    expect(samples.get('assay_input_tokens_total{model="service-1-pro"}')).toBe(200)
    expect(samples.get('assay_cached_tokens_total{model="service-1-pro"}')).toBe(80)
    expect(samples.get('assay_deliberated_questions_total{model="service-1-pro"}')).toBe(2)
    expect(samples.get('assay_ask_seconds_count{model="service-1-pro"}')).toBe(2)
    expect(samples.get('assay_wait_seconds_sum{model="service-1-pro"}')).toBeCloseTo(0.004)
  })

  it('read the line and the process when they are asked for', async () => {
    const metrics = createMetrics()
    let waiting = 0
    let hits = 1
    const counts = { hits, misses: 2, bytes: 300, limitBytes: 4000 }
    metrics.watch(
      () => ({ running: 2, waiting }),
      () => ({ tiny: { states: { ...counts, hits }, pictures: { ...counts, hits: 0 } } }),
    )
    waiting = 7
    await samplesOf(metrics)
    hits = 5
    const samples = await samplesOf(metrics)
    expect(samples.get('assay_requests_running')).toBe(2)
    expect(samples.get('assay_requests_waiting')).toBe(7)
    expect(samples.get('assay_prefix_cache_hits_total{model="tiny",cache="states"}')).toBe(5)
    expect(samples.get('assay_prefix_cache_hits_total{model="tiny",cache="pictures"}')).toBe(0)
    expect(samples.get('assay_prefix_cache_misses_total{model="tiny",cache="pictures"}')).toBe(2)
    expect(samples.get('assay_prefix_cache_bytes{model="tiny",cache="states"}')).toBe(300)
    expect(samples.get('assay_prefix_cache_limit_bytes{model="tiny",cache="states"}')).toBe(4000)
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1e7)
    expect(samples.get('process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(samples.get('assay_event_loop_lag_max_seconds')).toBeGreaterThanOrEqual(0)
  })

  it('belong to one service', async () => {
    const [one, other] = [createMetrics(), createMetrics()]
    one.finished(REQUEST)
    expect((await other.text()).body).not.toContain('/v1/ask')
  })

  it('have a bounded number of series, whatever is handed in', async () => {
    const metrics = createMetrics()
    const count = async (from: number, to: number): Promise<number> => {
      for (let i = from; i < to; i++) {
        metrics.finished({ ...REQUEST, route: `/${i}`, method: `M${i}`, code: `code_${i}` })
        metrics.answered({ ...ANSWER, model: `m${i}` })
      }
      return (await samplesOf(metrics)).size
    }
    expect(await count(200, 1000)).toBe(await count(0, 200))
    const samples = await samplesOf(metrics)
    expect(samples.get('assay_http_requests_total{route="other",method="other",status="200",code="other"}')).toBe(900)
  })
})
