// Local models through onnxruntime-node: a folder in Hugging Face layout to a `Backend`, in a worker of its own.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { EngineError } from '../../errors.ts'
import type { Backend } from '../backend.ts'
import { loadFamily, probeFamily } from './families/index.ts'
import type { OnnxOptions } from './options.ts'
import type { ProbeProgress } from './probe.ts'
import { startWorker } from './proxy.ts'
import type { Scoring } from './scoring.ts'
import { refuseTelemetry } from './telemetry.ts'

export type { Dtype, OnnxOptions } from './options.ts'
export type { ProbeProgress } from './probe.ts'
export type { Scoring } from './scoring.ts'

/** The worker as JavaScript: beside this file when it is built, in `dist/` when this file runs from its source. */
function workerEntry(): URL {
  const built = import.meta.url.endsWith('.js')
  const entry = built ? new URL('./worker.js', import.meta.url) : new URL('../../../dist/backends/onnx/worker.js', import.meta.url)
  if (!existsSync(fileURLToPath(entry))) {
    throw new EngineError('model_not_available', 'the model worker is not built; run `npm run build`, or load with inProcess: true')
  }
  return entry
}

/**
 * Loads a model folder (config.json, tokenizer, onnx/). Throws `model_not_found` when there is no such folder, `model_not_available` when
 * something in it is missing or of an unknown type. The model runs on its own thread unless `inProcess` is set; calls queue.
 */
export async function loadOnnxModel(folder: string, options: OnnxOptions = {}): Promise<Backend> {
  refuseTelemetry()
  return options.inProcess === true ? loadFamily(folder, options) : startWorker(workerEntry(), folder, options)
}

/**
 * Finds out how a model that answers by symbols is to be read, by 312 short questions on the calling thread (fewer when it tells no symbols apart):
 * up to how many candidates, and what it says before it has read anything. Kept as `scoring.json` in the folder, it is not asked again at load.
 * Throws as `loadOnnxModel` does, and `capability_not_supported` for models that have no symbols. `options` must be those the model is loaded with.
 */
export async function probeOnnxModel(folder: string, options: OnnxOptions = {}, onProgress?: ProbeProgress): Promise<Scoring> {
  refuseTelemetry()
  return probeFamily(folder, options, onProgress)
}
