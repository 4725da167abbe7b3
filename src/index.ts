// The package: an engine with the shipped model unless others are given, builders of questions, and every type of the
// wire.
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OnnxOptions } from './backends/onnx/options.ts'
import type { ModelVerification, VerifyOptions } from './backends/onnx/verify.ts'
import { checkServerOptions, type ModelServerOptions } from './backends/openai/options.ts'
import type { Scoring } from './backends/prompted/scoring.ts'
import { shippedCalibrations } from './calibration/shipped.ts'
import { EngineError } from './core/errors.ts'
import { checkOptionNames, type OptionNames, withoutUndefined } from './core/given-options.ts'
import { jsonTypeOf } from './core/untrusted.ts'
import { type AskOptions, checkEngineOptions, type EngineOptions } from './pipeline/asking/options.ts'
import { createEngine as createEngineCore, type EngineCore } from './pipeline/engine.ts'
import { ANNOUNCED_MODELS, DEFAULT_MODEL, type ModelSource } from './pipeline/models.ts'
import type { Ask } from './wire/infer.ts'

export type { Backend, CachesOfBackend, Device, DeviceReport, ModelInfo } from './backends/backend.ts'
export type { OnnxOptions } from './backends/onnx/options.ts'
export type { ModelVerification, VerifyOptions } from './backends/onnx/verify.ts'
export type { EngineName, ModelServerOptions } from './backends/openai/options.ts'
export type { Scoring } from './backends/prompted/scoring.ts'
export type { Calibration } from './calibration/calibration.ts'
export type { OutcomeStore } from './calibration/outcomes/outcomes.ts'
export type { RecordedOutcome, RecordOptions } from './calibration/outcomes/record-outcome.ts'
export { EngineError, ERROR_CODES, type ErrorCode, type Problem } from './core/errors.ts'
export type { ModelCheck } from './core/model-check.ts'
export type { Json } from './core/types.ts'
export type { AskOptions, DeliberationSettings } from './pipeline/asking/options.ts'
export { type ChainOptions, type ChainStage, chainOf, type ModelChain } from './pipeline/chain.ts'
export type { EngineCore } from './pipeline/engine.ts'
export type { ModelListing, ModelSource } from './pipeline/models.ts'
export { ENGINE_VERSION } from './pipeline/response.ts'
export * from './questions/builders.ts'
export type * from './questions/kinds.ts'
export type { Decision, DecisionEvent } from './questions/shared/decision.ts'
export type { AnswerOf, AnswersOf, Ask, TypedRequest } from './wire/infer.ts'
export type * from './wire/types.ts'

const ONNX_OPTIONS: OptionNames<OnnxOptions> = {
  id: true,
  device: true,
  threads: true,
  workers: true,
  dtype: true,
  cacheBytes: true,
  pictures: true,
  scoring: true,
  inProcess: true,
}
const MODEL_SERVER_OPTIONS: OptionNames<ModelServerOptions> = {
  url: true,
  model: true,
  id: true,
  apiKey: true,
  engine: true,
  contextLength: true,
  images: true,
  concurrency: true,
  timeoutMs: true,
  retries: true,
  checkEveryMs: true,
  scoring: true,
  decisions: true,
  fetch: true,
  time: true,
}

const SHIPPED = fileURLToPath(new URL(`../models/${DEFAULT_MODEL}`, import.meta.url))

/** Answers requests; the types of the answers follow from the questions. What else it does: `EngineCore`. */
export interface Engine extends Omit<EngineCore, 'ask'> {
  /**
   * Answers every question about the state. Throws `EngineError`: the caller's mistakes with everything that is wrong
   * in `problems`, `deadline_exceeded`, or `internal_error`. A request that failed leaves nothing behind.
   */
  readonly ask: Ask<AskOptions>
}

/**
 * The options of an engine. `models` and `calibrations` may be left out: then they are the shipped ones, loaded by the
 * first request.
 */
export type CreateEngineOptions = Omit<EngineOptions, 'models'> & Partial<Pick<EngineOptions, 'models'>>

/**
 * Makes an engine. `models` are loaded backends, sources (`localModel('folder')`) or chains of them (`chainOf`);
 * default: the model that ships with the package.
 */
export async function createEngine(options: CreateEngineOptions = {}): Promise<Engine> {
  checkEngineOptions(options)
  const models = options.models ?? [shippedModel()]
  const calibrations = options.calibrations ?? (await shippedCalibrations(DEFAULT_MODEL))
  // The same function, seen through the types of its requests: what it answers is what its request asked (held by
  // test/wire/types.test.ts and the engine's own).
  return (await createEngineCore({ announced: ANNOUNCED_MODELS, ...withoutUndefined(options), models, calibrations })) as Engine
}

/**
 * A model folder (Hugging Face layout, ONNX) to a source that loads on first use, in a worker of its own. Its id is the
 * folder's name unless given. Throws `invalid_request` for options that are not known.
 */
export function localModel(folder: string, options: OnnxOptions = {}): ModelSource {
  checkOptionNames(options, 'localModel', ONNX_OPTIONS)
  const id = options.id ?? basename(folder)
  return {
    id,
    bytes: async () => (await import('./backends/onnx/footprint.ts')).bytesOfFolder(folder, options),
    load: async () => {
      const { loadOnnxModel } = await import('./backends/onnx/index.ts')
      return loadOnnxModel(folder, { ...options, id })
    },
  }
}

/**
 * A model on a server (vLLM, SGLang, llama.cpp, Ollama, OpenAI) to a source that connects on first use. Its id is the
 * name of the model unless given, else the host of the server. Throws `invalid_request` for options that cannot be.
 */
export function modelServer(options: ModelServerOptions): ModelSource {
  checkOptionNames(options, 'modelServer', MODEL_SERVER_OPTIONS)
  const given: unknown = options.url
  if (![given].flat().every((url) => typeof url === 'string')) {
    const message = `url is the address of a model server, such as http://127.0.0.1:8000, or a list of them; received ${jsonTypeOf(given)}.`
    throw new EngineError('invalid_request', message)
  }
  const { urls } = checkServerOptions(options)
  const id = options.id ?? options.model ?? new URL(urls[0]!).host
  return {
    id,
    load: async () => {
      const { connectModelServer } = await import('./backends/openai/index.ts')
      return connectModelServer({ ...options, id })
    },
  }
}

/**
 * Finds out how a downloaded model that answers by symbols is to be read. Written as `scoring.json` into its folder
 * (`assay models probe` does), the result is used at every load; without it, every load asks again. `onProgress` hears
 * after each question how many are done, and how many there are at most. Errors as for loading;
 * `capability_not_supported` where there are no symbols.
 */
export async function probeModel(
  folder: string,
  options: OnnxOptions = {},
  onProgress?: (done: number, total: number) => void,
): Promise<Scoring> {
  const { probeOnnxModel } = await import('./backends/onnx/index.ts')
  return probeOnnxModel(folder, options, onProgress)
}

/**
 * Loads a model folder (default: the shipped model) and looks at what its answers rest on, as `assay models verify`
 * does: symbols, patches, answers alone and among others, the device, and how fast it is here. Throws
 * `model_not_found` when there is no such folder; what is wrong with it is in the result.
 */
export async function verifyModel(folder: string = SHIPPED, options: VerifyOptions = {}): Promise<ModelVerification> {
  const { verifyOnnxModel } = await import('./backends/onnx/index.ts')
  return verifyOnnxModel(folder, options)
}

/** The model in this package's `models/` folder, as a source: to stand beside others, or first in a chain. */
export function shippedModel(options: OnnxOptions = {}): ModelSource {
  return localModel(SHIPPED, options)
}
