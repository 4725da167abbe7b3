// The messages between the two sides of a model worker. Everything here survives the structured clone of postMessage.
import { EngineError, ERROR_CODES, type ErrorCode, type Problem } from '../../../core/errors.ts'
import type { Prompt } from '../../../core/types.ts'
import type { Branch, CachesOfBackend, Constraint, Generated, ModelInfo, Scores } from '../../backend.ts'
import type { OnnxOptions } from '../options.ts'

/** The worker's `workerData`. */
export interface WorkerStart {
  readonly folder: string
  readonly options: OnnxOptions
}

/**
 * Every request with an `id` gets one reply; `release` and `cancel` get none. `prefix` is the number of an encoded
 * state that the worker holds, `signal` that of the caller: all calls of one caller have the same number, for the
 * scheduler, and `cancel` stops them all.
 */
export type WorkerRequest =
  | { readonly id: number; readonly type: 'open'; readonly signal: number; readonly prompt: Prompt }
  | { readonly id: number; readonly type: 'score'; readonly signal: number; readonly prefix: number; readonly branches: readonly Branch[] }
  | {
      readonly id: number
      readonly type: 'generate'
      readonly signal: number
      readonly prefix: number
      readonly branch: Branch
      readonly constraint: Constraint
    }
  | { readonly type: 'cancel'; readonly signal: number }
  | { readonly type: 'release'; readonly prefix: number }
  | { readonly id: number; readonly type: 'close' }

export interface OpenedPrefix {
  readonly prefix: number
  readonly tokens: number
  readonly cachedTokens: number
}

/**
 * The reply with id 0 says that the model is loaded, or why it is not. Every reply has the counts of the caches at that
 * time.
 */
export type WorkerReply = { readonly id: number; readonly caches: CachesOfBackend | null } & (
  | { readonly value: ModelInfo | OpenedPrefix | readonly Scores[] | Generated | null }
  | { readonly error: WireError }
)

export interface WireError {
  readonly code: ErrorCode
  readonly message: string
  readonly param: string | null
  readonly problems: readonly Problem[]
}

/**
 * Any error as data. An error that is no `EngineError` is an internal one; its text stays, without the folder it names.
 */
export function toWire(error: unknown, folder: string): WireError {
  if (error instanceof EngineError) {
    return { code: error.code, message: error.message, param: error.param, problems: error.problems }
  }
  const text = error instanceof Error ? error.message : String(error)
  return { code: 'internal_error', message: `the model failed: ${text.replaceAll(folder, '(model)')}`, param: null, problems: [] }
}

export function fromWire({ code, message, param, problems }: WireError): EngineError {
  const known: ErrorCode = ERROR_CODES.includes(code) ? code : 'internal_error'
  return new EngineError(known, message, { ...(param === null ? {} : { param }), problems })
}
