// Numbers for Prometheus by prom-client, in a registry of each service's own. Labels are patterns and closed lists, so
// that no client can add series.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { CacheCounts } from '../backends/backend.ts'
import type { EngineCore } from '../pipeline/engine.ts'
import { CONSOLE_ERROR_CODES } from './console/errors.ts'
import { CLIENT_GONE, WIRE_ERROR_CODES } from './errors.ts'
import type { Metrics } from './telemetry.ts'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Besides those on the wire, those of the console, and of clients that went away before they were answered. */
const CODES = new Set<string>([...WIRE_ERROR_CODES, ...CONSOLE_ERROR_CODES, CLIENT_GONE.code])
/** More than there are; a caller that hands in URLs in place of patterns must not fill the memory. */
const MOST_NAMES = 100
const OTHER = 'other'

const REQUEST_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const WAIT_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]

/** The first names of a label as they are, whatever comes after `MOST_NAMES` as `other`. */
function bounded(): (name: string) => string {
  const seen = new Set<string>()
  return (name) => {
    if (seen.has(name)) return name
    if (seen.size >= MOST_NAMES) return OTHER
    seen.add(name)
    return name
  }
}

/** Starts counting. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Counter({ name, help, labelNames: [...labelNames], registers })
  const histogram = <T extends string>(name: string, help: string, labelNames: readonly T[], buckets: number[]) =>
    new Histogram({ name, help, labelNames: [...labelNames], buckets, registers })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })

  const requests = counter('assay_http_requests_total', 'Finished HTTP requests', ['route', 'method', 'status', 'code'])
  const seconds = histogram('assay_http_request_seconds', 'From the first byte in to the last byte out', ['route'], REQUEST_SECONDS)
  const answers = counter('assay_answers_total', 'Answered requests', ['model', 'dialect'])
  const questions = counter('assay_questions_total', 'Answered questions', ['model'])
  const inputTokens = counter('assay_input_tokens_total', 'Tokens that were read, cached ones included', ['model'])
  const cachedTokens = counter('assay_cached_tokens_total', 'Tokens that were read from the cache', ['model'])
  const deliberated = counter('assay_deliberated_questions_total', 'Questions that got a second look', ['model'])
  const stageAnswers = counter('assay_stage_answers_total', 'Questions by the stage of the chain that answered', ['model', 'stage'])
  const stageSkips = counter('assay_stage_skips_total', 'Times that a stage of a chain was passed over', ['model', 'stage'])
  const askSeconds = histogram('assay_ask_seconds', 'In the engine', ['model'], REQUEST_SECONDS)
  const waitSeconds = histogram('assay_wait_seconds', 'Waiting for a turn', ['model'], WAIT_SECONDS)

  let load: () => { running: number; waiting: number } = () => ({ running: 0, waiting: 0 })
  gauge('assay_requests_running', 'Requests that are answered now', () => load().running)
  gauge('assay_requests_waiting', 'Requests that wait for their turn', () => load().waiting)
  let caches: EngineCore['caches'] = () => ({})
  addCaches(() => caches(), registers)
  addProcess(gauge, registers)

  const route = bounded()
  const model = bounded()
  const stageName = bounded()
  return {
    finished(request) {
      const labels = {
        route: route(request.route),
        method: METHODS.has(request.method) ? request.method : OTHER,
        status: String(request.status),
        code: request.code === null ? '' : CODES.has(request.code) ? request.code : OTHER,
      }
      requests.inc(labels)
      seconds.observe({ route: labels.route }, request.latencyMs / 1000)
    },
    answered(answer) {
      const labels = { model: model(answer.model) }
      answers.inc({ ...labels, dialect: answer.dialect })
      questions.inc(labels, answer.questions)
      inputTokens.inc(labels, answer.inputTokens)
      cachedTokens.inc(labels, answer.cachedTokens)
      deliberated.inc(labels, answer.deliberated)
      askSeconds.observe(labels, answer.askMs / 1000)
      waitSeconds.observe(labels, answer.waitMs / 1000)
      for (const { model: stage, status, answered } of answer.stages) {
        if (status === 'answered') stageAnswers.inc({ ...labels, stage: stageName(stage) }, answered)
        if (status === 'skipped') stageSkips.inc({ ...labels, stage: stageName(stage) })
      }
    },
    watch(readLoad, readCaches) {
      load = readLoad
      caches = readCaches
    },
    async text() {
      return { contentType: registry.contentType, body: await registry.metrics() }
    },
  }
}

/** What was asked of the caches of each model since its load: encoded states, and encoded pictures. */
function addCaches(read: EngineCore['caches'], registers: Registry[]): void {
  const labelNames = ['model', 'cache']
  const add = (name: string, help: string, field: keyof CacheCounts, Kind: typeof Gauge | typeof Counter) => {
    new Kind({
      name,
      help,
      labelNames,
      registers,
      collect() {
        // Counted elsewhere, so said anew each time.
        this.reset()
        for (const [model, caches] of Object.entries(read())) {
          for (const cache of ['states', 'pictures'] as const) this.inc({ model, cache }, caches[cache][field])
        }
      },
    })
  }
  add('assay_prefix_cache_hits_total', 'States, or their beginnings, and pictures that were not encoded again', 'hits', Counter)
  add('assay_prefix_cache_misses_total', 'States and pictures that were encoded from the start', 'misses', Counter)
  add('assay_prefix_cache_bytes', 'Bytes of encoded states and pictures that are kept', 'bytes', Gauge)
  add('assay_prefix_cache_limit_bytes', 'Bytes of them that may be kept', 'limitBytes', Gauge)
}

/** The process itself: memory, time, and how late the event loop is. */
function addProcess(gauge: (name: string, help: string, read: () => number) => unknown, registers: Registry[]): void {
  const resolutionMs = 20
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  // A timer of `resolution` is on time when it fires that late. Not a number until it has fired.
  const lateSeconds = (nanoseconds: number): number => Math.max(0, (nanoseconds || 0) / 1e6 - resolutionMs) / 1000
  gauge('assay_event_loop_lag_mean_seconds', 'Mean lag of the event loop since the last reading', () => lateSeconds(delay.mean))
  gauge('assay_event_loop_lag_p99_seconds', '99th percentile of the lag since the last reading', () => lateSeconds(delay.percentile(99)))
  gauge('assay_event_loop_lag_max_seconds', 'Largest lag since the last reading', () => {
    const largest = lateSeconds(delay.max)
    delay.reset()
    return largest
  })
  gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss())
  gauge('nodejs_heap_used_bytes', 'Used heap of the main thread', () => process.memoryUsage().heapUsed)
  let counted = 0
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'User and system time',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.inc((user + system) / 1e6 - counted)
      counted = (user + system) / 1e6
    },
  })
  const startedAt = Date.now() / 1000 - process.uptime()
  gauge('process_start_time_seconds', 'Start of the process since 1970', () => startedAt)
}
