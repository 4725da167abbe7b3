// Local models through onnxruntime-node: a folder in Hugging Face layout to a `Backend`, in a worker of its own.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { EngineError } from '../../errors.ts'
import type { Backend } from '../backend.ts'
import { loadFamily } from './families/index.ts'
import type { OnnxOptions } from './options.ts'
import { startWorker } from './proxy.ts'

export type { Dtype, OnnxOptions } from './options.ts'

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
  return options.inProcess === true ? loadFamily(folder, options) : startWorker(workerEntry(), folder, options)
}
