// Local models through onnxruntime-node: a folder in Hugging Face layout to a `Backend`, in a worker of its own.
import { existsSync } from 'node:fs'
import { builtEntry } from '../../core/built-entry.ts'
import { EngineError } from '../../core/errors.ts'
import { type Backend, DEVICES } from '../backend.ts'
import type { ProbeProgress } from '../prompted/probe.ts'
import type { Scoring } from '../prompted/scoring.ts'
import { loadFamily, probeFamily } from './families/index.ts'
import type { OnnxOptions } from './options.ts'
import { refuseTelemetry } from './runtime/telemetry.ts'
import { type ModelVerification, type VerifyOptions, verifyFolder } from './verify.ts'
import { makePool } from './workers/pool.ts'
import { startWorker } from './workers/proxy.ts'
import { superviseBackend } from './workers/supervisor.ts'

export type { ProbeProgress } from '../prompted/probe.ts'
export type { Scoring } from '../prompted/scoring.ts'
export type { Dtype, OnnxOptions } from './options.ts'
export type { ModelVerification, VerifyOptions } from './verify.ts'

/** Throws `invalid_request` for a device or threads that cannot be. */
function refuseImpossible({ device = 'cpu', threads = 1 }: OnnxOptions): void {
  const known: readonly string[] = [...DEVICES, 'auto']
  if (!known.includes(device)) {
    throw new EngineError('invalid_request', `there is no device ${JSON.stringify(device)}; there is ${known.join(', ')}`)
  }
  if (!Number.isInteger(threads) || threads < 1) {
    throw new EngineError('invalid_request', `threads is a whole number from 1 on; received ${threads}`)
  }
}

/** More copies of a model than this are taken for a typing mistake. */
const MOST_WORKERS = 64

function workerEntry(): URL {
  const entry = builtEntry('backends/onnx/workers/worker.js')
  if (!existsSync(entry)) {
    throw new EngineError('model_not_available', 'the model worker is not built; run `npm run build`, or load with inProcess: true')
  }
  return entry
}

/**
 * Loads a model folder (config.json, tokenizer, onnx/). Throws `model_not_found` when there is no such folder,
 * `model_not_available` when something in it is missing or of an unknown type. The model runs on a thread of its own
 * unless `inProcess` is set; when the thread ends by itself, it is restarted with the next request.
 */
export async function loadOnnxModel(folder: string, options: OnnxOptions = {}): Promise<Backend> {
  refuseTelemetry()
  refuseImpossible(options)
  const { workers = 1, inProcess = false } = options
  if (!Number.isInteger(workers) || workers < 1 || workers > MOST_WORKERS || (inProcess && workers > 1)) {
    const most = inProcess ? '1 with inProcess' : `${MOST_WORKERS} at most`
    throw new EngineError('invalid_request', `workers is a whole number from 1 on, ${most}; received ${workers}`)
  }
  if (inProcess) return loadFamily(folder, options)
  const entry = workerEntry()
  const start = (): Promise<Backend> => superviseBackend(() => startWorker(entry, folder, options))
  // The first one alone: it reads the files from disk, and a fault in them is reported once.
  const first = await start()
  if (workers === 1) return first
  const others = await Promise.allSettled(Array.from({ length: workers - 1 }, start))
  const all = [first, ...others.flatMap((other) => (other.status === 'fulfilled' ? [other.value] : []))] as const
  const failed = others.find((other) => other.status === 'rejected')
  if (failed === undefined) return makePool(all)
  await Promise.all(all.map((backend) => backend.close()))
  throw failed.reason
}

/**
 * Measures how a model that answers by symbols is to be read, by 312 short questions on the calling thread (fewer when
 * it tells no symbols apart): up to how many candidates, and its prior over the symbols. With the result as
 * `scoring.json` in the folder, nothing is measured at load. Throws as `loadOnnxModel` does, and
 * `capability_not_supported` for models that have no symbols. `options` must be those the model is loaded with.
 */
export async function probeOnnxModel(folder: string, options: OnnxOptions = {}, onProgress?: ProbeProgress): Promise<Scoring> {
  refuseTelemetry()
  refuseImpossible(options)
  return probeFamily(folder, options, onProgress)
}

/**
 * Loads a folder as `loadOnnxModel` does and looks at what its answers rest on. Throws `model_not_found` when there is
 * no such folder, and for options that cannot be; what is wrong with the folder is in the result.
 */
export async function verifyOnnxModel(folder: string, options: VerifyOptions = {}): Promise<ModelVerification> {
  refuseTelemetry()
  refuseImpossible(options.model ?? {})
  return verifyFolder(folder, () => loadOnnxModel(folder, options.model), options)
}
