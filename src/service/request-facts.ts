// Facts of a request, read from a body that is not checked yet: the engine refuses what is wrong with it, and the log
// needs the names anyway.
import { isObject, ownEntry, ownField } from '../core/untrusted.ts'
import type { EngineCore } from '../pipeline/engine.ts'
import { defaultModelOf } from '../pipeline/models.ts'
import { type AliasTable, DEFAULT_ALIAS } from './aliases.ts'
import { resolveModel } from './models.ts'

const LONGEST_MODEL = 128

/**
 * The request with its model's alias resolved; one without a model gets that of the alias `default`, where there is
 * one. Anything that is not an object is left for the engine to refuse.
 */
export function modelled(request: unknown, engine: Pick<EngineCore, 'models'>, aliases: AliasTable): unknown {
  if (!isObject(request)) return request
  const named = ownField(request, 'model') ?? (ownEntry(aliases, DEFAULT_ALIAS) === undefined ? undefined : DEFAULT_ALIAS)
  if (typeof named !== 'string') return request
  return { ...(request as object), model: resolveModel(named, engine.models(), aliases) }
}

/** The model of requests that name none. */
export function defaultModel(engine: Pick<EngineCore, 'models'>): string {
  return defaultModelOf(engine.models().filter(({ available }) => available))
}

/** The requested model as it may be logged: bounded and without control characters, since clients may send anything. */
export function modelOf(request: unknown): string | null {
  const model = ownField(request, 'model')
  return typeof model === 'string' ? model.slice(0, LONGEST_MODEL).replace(/\p{Cc}/gu, '') : null
}

export function countQuestions(request: unknown): number {
  const questions = ownField(request, 'questions')
  return typeof questions === 'object' && questions !== null ? Object.keys(questions).length : 0
}
