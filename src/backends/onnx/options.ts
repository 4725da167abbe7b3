// What a caller may set when loading a model from a folder. Everything has a default; nothing here changes what a
// folder must contain.
import { availableParallelism } from 'node:os'
import { EngineError } from '../../core/errors.ts'
import type { Device } from '../backend.ts'

/** How the numbers of a graph are stored: the suffix of its file, `fp32` for none. See `layout.ts` for the list. */
export type Dtype = 'fp32' | 'fp16' | 'q8' | 'int8' | 'uint8' | 'q4' | 'q4f16' | 'bnb4'

export interface OnnxOptions {
  /** Name in `info.id` and in answers. Default: the name of the folder. */
  readonly id?: string
  /**
   * Where the model runs: an execution provider of the ONNX runtime, or `auto` for the first that this machine has. A
   * device is used only after its log-probabilities were as those of the CPU on small fixed questions; else the model
   * runs on the CPU, and `info.device` says why. Default: `cpu`.
   */
  readonly device?: Device | 'auto'
  /** Threads of one session. Default: 2, or fewer when there are not as many cores for each worker. */
  readonly threads?: number
  /**
   * Copies of the model, each with weights, caches and a thread of its own, that answer at the same time. Default: 1.
   * Two copies with one thread each answer more requests a second than one with two, which answers a single request
   * sooner.
   */
  readonly workers?: number
  /**
   * One dtype for every graph, or one per graph name (`vision_encoder`, …). Default: the best one that the
   * folder has.
   */
  readonly dtype?: Dtype | { readonly [graph: string]: Dtype }
  /** Bytes of the cache of encoded states, and as many again for encoded pictures, in each worker. Default: 256 MiB. */
  readonly cacheBytes?: number
  /**
   * Overrides the picture rule of the folder: fewer pixels are faster and read less. `videos: 'frames'` reads frames of
   * a video as pictures, each with its time, also where the model has a video input of its own: more tokens, more of
   * each frame, and boxes in frames. Part of `info.templateHash`.
   */
  readonly pictures?: { readonly longestEdge?: number; readonly split?: boolean; readonly videos?: 'frames' }
  /**
   * How candidates of a model that answers by symbols are read. `folder`: as the folder's `scoring.json` says if it
   * fits the model, else as `probe`. `probe`: as measured by 152 short questions at load (fewer when the first show
   * that the model tells no symbols apart), and a few more when a number of candidates first comes up. `plain`: by
   * symbols wherever there are any, no prior divided out. Default: `folder`. Part of `info.templateHash`.
   */
  readonly scoring?: 'folder' | 'probe' | 'plain'
  /**
   * Runs the model on the calling thread, which blocks during every pass. For tools and tests. Default: false, in a
   * worker.
   */
  readonly inProcess?: boolean
}

/**
 * The longest side that a caller wants pictures to have; null where none is wanted. Throws `invalid_request`, with the
 * advice, for what is no length.
 */
export function longestEdgeOf({ pictures }: OnnxOptions, advice = ''): number | null {
  const edge = pictures?.longestEdge
  if (edge === undefined) return null
  if (Number.isInteger(edge) && edge >= 1) return edge
  throw new EngineError('invalid_request', `pictures.longestEdge is ${edge}, a positive whole number was expected${advice}`)
}

export const DEFAULT_CACHE_BYTES = 256 * 1024 * 1024

/** Threads of each session: as many as are asked for, else a share of the cores, of which more than two gain little. */
export function threadsOf({ threads, workers = 1 }: OnnxOptions): number {
  return threads ?? Math.max(1, Math.min(2, Math.floor(availableParallelism() / workers)))
}
