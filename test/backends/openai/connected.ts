// What the tests of the backend share: imitated servers and backends that are closed after each test, and errors.
import { afterEach, expect } from 'vitest'
import type { Backend } from '../../../src/backends/backend.ts'
import { connectModelServer, type ModelServerOptions } from '../../../src/backends/openai/index.ts'
import { EngineError } from '../../../src/core/errors.ts'
import { type Imitation, imitate, type Routes } from './imitations.ts'

/** Call it once in a file of tests. */
export function closedAfterEach() {
  const opened: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close()
  })
  return {
    async start(routes: Routes): Promise<Imitation> {
      const imitation = await imitate(routes)
      opened.push(imitation)
      return imitation
    },
    async connect(options: ModelServerOptions): Promise<Backend> {
      // No waiting between attempts: what is waited for is tested by its number.
      const time = { now: () => performance.now(), random: () => 0, wait: async () => {} }
      const backend = await connectModelServer({ time, ...options })
      opened.unshift(backend)
      return backend
    },
  }
}

export async function errorOf(work: Promise<unknown>): Promise<EngineError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EngineError)
  return error as EngineError
}
