// A body through a dialect and an engine over the fake backend, as a service does it, without HTTP.

import { createFakeBackend, type FakeBackend, type FakeOptions } from '../../../src/backends/fake/index.ts'
import { EngineError } from '../../../src/core/errors.ts'
import { createEngine } from '../../../src/pipeline/engine.ts'
import type { Dialect } from '../../../src/service/dialects/dialect.ts'
import type { AskRequest } from '../../../src/wire/types.ts'

export interface Through {
  readonly backend: FakeBackend
  /** What the dialect says of the engine's answer. EngineCore errors come with pointers into the body. */
  // biome-ignore lint/suspicious/noExplicitAny: the body of an answer, looked into freely
  ask(body: unknown): Promise<any>
  fault(body: unknown): Promise<EngineError>
}

export async function through(dialect: Dialect, fake: FakeOptions = {}): Promise<Through> {
  const backend = createFakeBackend({ id: 'service-1-pro', ...fake })
  const engine = await createEngine({ models: [backend] })
  const ask = async (body: unknown) => {
    const { request, reply, pointer = (param: string) => param } = dialect.translate(body)
    try {
      return JSON.parse(JSON.stringify(reply(await engine.ask(request as AskRequest))))
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      const problems = error.problems.map(({ param, message }) => ({ param: pointer(param), message }))
      throw new EngineError(error.code, error.message, { ...(error.param === null ? {} : { param: pointer(error.param) }), problems })
    }
  }
  return {
    backend,
    ask,
    async fault(body) {
      const error = await ask(body).then(
        () => null,
        (reason: unknown) => reason,
      )
      if (error instanceof EngineError) return error
      throw new TypeError(`Expected an EngineError, got ${error === null ? 'an answer' : String(error)}.`)
    },
  }
}
