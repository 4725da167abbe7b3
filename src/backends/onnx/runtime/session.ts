// Graph files to sessions, and the inputs and outputs that a session declares: these, not config.json, decide how it is
// fed.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type * as Ort from 'onnxruntime-common'
import { EngineError } from '../../../core/errors.ts'
import type { Device } from '../../backend.ts'
import { whyNoDevice } from '../device.ts'
import { type OnnxOptions, threadsOf } from '../options.ts'
import type { GraphFile } from './layout.ts'
import { requireSoundWeights } from './weights.ts'

export type Session = Ort.InferenceSession
export type Tensor = Ort.Tensor
export type Feeds = Record<string, Tensor>
export type Runtime = typeof Ort

const PACKAGE = 'onnxruntime-node'
/** The copy in our package that `packaging/bundle-runtime.ts` makes. A clone has the runtime as a package instead. */
const COPY = new URL('../../../onnxruntime-node/', import.meta.url)

/**
 * What to import. The package goes first where it has the version of our copy: two copies in one thread would register
 * the same backends twice.
 */
function runtimePlace(): string {
  if (!existsSync(COPY)) return PACKAGE
  const require = createRequire(import.meta.url)
  const versionAt = (path: string): unknown => require(path).version
  try {
    if (versionAt(`${PACKAGE}/package.json`) === versionAt(fileURLToPath(new URL('package.json', COPY)))) return PACKAGE
  } catch {
    // It is not installed.
  }
  return new URL('dist/index.js', COPY).href
}

/** The runtime, loaded on first use, since it is a large native library. Throws `model_not_available`. */
export async function loadRuntime(): Promise<Runtime> {
  try {
    const module = (await import(runtimePlace())) as Runtime & { default?: Runtime }
    return module.default ?? module
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw new EngineError(
      'model_not_available',
      `the ONNX runtime could not be loaded on ${process.platform} ${process.arch} (${reason}); its libraries are for Linux with glibc (x64, arm64), macOS (arm64) and Windows (x64, arm64)`,
      { cause },
    )
  }
}

/**
 * Opens a graph file, or `bytes` instead of it: a patched graph, whose weights still come from the files beside the
 * original. `optimisation`: how far the runtime may change the graph; `basic` keeps it from fusing nodes.
 */
export async function openSession(
  graph: GraphFile,
  options: OnnxOptions,
  bytes?: Uint8Array,
  optimisation: 'basic' | 'all' = 'all',
): Promise<Session> {
  requireSoundWeights(graph)
  const ort = await loadRuntime()
  // `auto` has been decided by `loadOnDevice`.
  const device: Device = options.device === undefined || options.device === 'auto' ? 'cpu' : options.device
  let session: Session
  // Threads spin for more work within a run and stop with it. Each session has threads of its own, and those of a
  // finished run would take the cores from the next session and from the event loop.
  const extra = { session: { force_spinning_stop: '1' } }
  try {
    const settings: Ort.InferenceSession.SessionOptions = {
      // Alone, since the runtime drops a provider that it does not have without a word where another stands behind it.
      // Operators that a device does not have run on the CPU all the same.
      executionProviders: [device],
      graphOptimizationLevel: optimisation,
      intraOpNumThreads: threadsOf(options),
      interOpNumThreads: 1,
      extra,
      // Errors arrive as exceptions; warnings about graphs are of no use to the caller. What is wrong with a device is
      // said in `info.device`.
      logSeverityLevel: device === 'cpu' ? 3 : 4,
    }
    if (bytes === undefined) session = await ort.InferenceSession.create(graph.path, settings)
    else {
      const beside = { session: { ...extra.session, model_external_initializers_file_folder_path: dirname(graph.path) } }
      session = await ort.InferenceSession.create(bytes, { ...settings, extra: beside })
    }
  } catch (cause) {
    if (device !== 'cpu') throw new EngineError('model_not_available', whyNoDevice(device, cause), { cause })
    if (/External data path/.test(String(cause))) {
      const message = `${graph.files[0]} takes weights from outside of the folder, by a link or by their path; copy them beside it`
      throw new EngineError('model_not_available', `${message}, or download the folder without links`, { cause })
    }
    throw new EngineError(
      'model_not_available',
      `${graph.files[0]} could not be loaded; check that the file is whole (${graph.files.length - 1} files of weights beside it) and made for onnxruntime 1.30 or older`,
      { cause },
    )
  }
  const half = brokenFloat16(session)
  if (half === undefined) return session
  await session.release()
  throw new EngineError(
    'model_not_available',
    `${graph.files[0]} takes float16 (${half.name}), which onnxruntime-node cannot pass on this version of Node; use another dtype, or leave inProcess off`,
  )
}

/** onnxruntime-node 1.30 cannot take float16 inputs where `Float16Array` exists (Node 24): it reads them as empty. */
const brokenFloat16 = (session: Session): SessionValue | undefined =>
  'Float16Array' in globalThis ? inputsOf(session).find((input) => input.type === 'float16') : undefined

/** A declared input or output. */
export interface SessionValue {
  readonly name: string
  readonly type: Ort.Tensor.Type
  /** Numbers are fixed sizes, strings are free ones. */
  readonly shape: readonly (number | string)[]
}

/** The inputs that the session declares, in its order. */
export function inputsOf(session: Session): SessionValue[] {
  return session.inputMetadata.flatMap((one) => (one.isTensor ? [{ name: one.name, type: one.type, shape: one.shape }] : []))
}

/** The outputs that the session declares, in its order. */
export function outputsOf(session: Session): SessionValue[] {
  return session.outputMetadata.flatMap((one) => (one.isTensor ? [{ name: one.name, type: one.type, shape: one.shape }] : []))
}

/** Bytes of the tensors, for cache limits. */
export function bytesOf(tensors: Iterable<Tensor>): number {
  let bytes = 0
  for (const { data } of tensors) bytes += (data as Float32Array).byteLength
  return bytes
}
