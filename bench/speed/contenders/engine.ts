// The engine as its users run it: requests in, answers out, the model in its worker, or on this thread to look inside.
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createEngine, localModel, type OnnxOptions } from '../../../src/index.ts'
import type { AskRequest } from '../../../src/wire/types.ts'
import { serveContender } from '../contender.ts'
import { type RunCount, watchRuns } from './watch-runs.ts'

export interface EngineSetup {
  readonly folder: string
  readonly options: OnnxOptions
}

export interface StateSpec {
  readonly text: string
  /** A file of a picture that stands before the text. */
  readonly picture?: string
}

export interface Asked {
  readonly ms: number
  readonly tokens: number
  readonly cachedTokens: number
  /** Runs of onnxruntime by kind of graph; empty when the model has a thread of its own. */
  readonly runs: Readonly<Record<string, RunCount>>
  /** By step, as the answer tells it. */
  readonly steps: Readonly<Record<string, number>>
  /** Something of the answers, so that they are made. */
  readonly sum: number
}

const make = async ({ folder, options }: EngineSetup) => {
  const watch = options.inProcess === true ? await watchRuns() : null
  const engine = await createEngine({ models: [localModel(folder, { id: 'm', ...options })], calibrations: [] })
  const pictures = new Map<string, Buffer>()
  const bytesOf = (file: string): Buffer => {
    const bytes = pictures.get(file) ?? readFileSync(file)
    pictures.set(file, bytes)
    return bytes
  }

  const ask = async ({ text, picture }: StateSpec, questions: Record<string, object>): Promise<Asked> => {
    const image = picture === undefined ? [] : [{ type: 'image', source: { type: 'bytes', bytes: bytesOf(picture) } }]
    const state = [...image, { type: 'text', text }]
    watch?.start()
    const from = performance.now()
    const response = await engine.ask({ state, questions } as unknown as AskRequest, { deliberation: 'never', deadlineMs: 600_000 })
    const ms = performance.now() - from
    return {
      ms,
      tokens: response.usage.input_tokens,
      cachedTokens: response.simo.cached_tokens,
      runs: watch?.stop() ?? {},
      steps: response.simo.timings_ms,
      sum: JSON.stringify(response.answers).length,
    }
  }

  return {
    ask,
    /** The longest the event loop of the caller's process stood still during the request, milliseconds. */
    async gap(state: StateSpec, questions: Record<string, object>): Promise<number> {
      const resolution = 1
      const delays = monitorEventLoopDelay({ resolution })
      delays.enable()
      await new Promise((resolve) => setTimeout(resolve, 5))
      delays.reset()
      await ask(state, questions)
      await new Promise((resolve) => setTimeout(resolve, 5))
      delays.disable()
      return Math.max(0, delays.max / 1e6 - resolution)
    },
    close: () => engine.close(),
  }
}

export type EngineMethods = Awaited<ReturnType<typeof make>>
serveContender(make)
