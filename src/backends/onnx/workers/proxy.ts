// The outside of a model worker: a `Backend` that passes calls on by messages, so that the calling thread stays free
// while the model runs. A worker is never terminated, since ending one in the middle of a run takes the whole process
// down. Closing waits for what is under way.
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { EngineError } from '../../../core/errors.ts'
import type { Piece, Prompt } from '../../../core/types.ts'
import type { CachesOfBackend, ModelInfo, Prefix } from '../../backend.ts'
import type { OnnxOptions } from '../options.ts'
import { fromWire, type OpenedPrefix, type WorkerReply, type WorkerRequest, type WorkerStart } from './protocol.ts'
import type { RestartableBackend } from './supervisor.ts'

interface Pending {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

type Without<R, K extends string> = R extends unknown ? Omit<R, K> : never
/** A call before it has its numbers. */
type WorkerCall = Without<Extract<WorkerRequest, { id: number; signal: number }>, 'id' | 'signal'>

interface WorkerCaller {
  readonly signal: number
  calls: number
}

/**
 * Size of the young generation of the heap in MiB. V8 would let it grow to several times this, for nothing that a model
 * needs: large data is in typed arrays, outside of it.
 */
const YOUNG_GENERATION_MIB = 12

/** Starts a worker from a built entry file and loads the model in it. */
export async function startWorker(entry: URL, folder: string, options: OnnxOptions): Promise<RestartableBackend> {
  const start: WorkerStart = { folder, options }
  // Flags of the calling process (--eval, a loader) are not meant for the worker, and some would stop it.
  const worker = new Worker(entry, { workerData: start, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB } })
  const pending = new Map<number, Pending>()
  // Callers with calls under way. The worker knows them by number, and gets one message for each that aborts.
  const callers = new Map<AbortSignal, WorkerCaller>()
  let caches: CachesOfBackend | null = null
  let nextId = 1
  let nextSignal = 1
  let stopped: Error | null = null

  const expect = <T>(id: number): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      pending.set(id, { resolve, reject })
      // An idle model keeps no process alive; one that runs does, since leaving in the middle aborts.
      worker.ref()
    })
  const settle = (id: number): Pending | undefined => {
    const found = pending.get(id)
    pending.delete(id)
    if (pending.size === 0) worker.unref()
    return found
  }
  const stop = (error: Error): void => {
    stopped ??= error
    for (const id of [...pending.keys()]) settle(id)?.reject(stopped)
  }

  const ready = expect<ModelInfo>(0)
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.on('message', (reply: WorkerReply) => {
    const waiting = settle(reply.id)
    caches = reply.caches
    if ('error' in reply) waiting?.reject(fromWire(reply.error))
    else waiting?.resolve(reply.value as never)
  })
  worker.on('error', (cause) =>
    stop(new EngineError('internal_error', 'the model worker failed; ask again, and it is started anew', { cause })),
  )
  worker.on('exit', () => stop(new EngineError('internal_error', 'the model worker ended; ask again, and it is started anew')))

  const post = <T>(request: Without<Extract<WorkerRequest, { id: number }>, 'id'>): Promise<T> => {
    if (stopped !== null) return Promise.reject(stopped)
    const id = nextId++
    const reply = expect<T>(id)
    try {
      worker.postMessage({ ...request, id })
    } catch (error) {
      // Nothing was sent, so nothing will come. Left waiting, it would be rejected at the close, when nobody listens.
      settle(id)?.reject(error as Error)
    }
    return reply
  }

  const callerOf = (signal: AbortSignal): WorkerCaller => {
    const known = callers.get(signal)
    if (known !== undefined) return known
    const caller: WorkerCaller = { signal: nextSignal++, calls: 0 }
    callers.set(signal, caller)
    signal.addEventListener('abort', onAbort)
    return caller
  }
  function onAbort(this: AbortSignal): void {
    const caller = callers.get(this)
    if (caller !== undefined) worker.postMessage({ type: 'cancel', signal: caller.signal } satisfies WorkerRequest)
  }
  /**
   * A reply that was under way when the signal aborted still counts: whoever opened an encoded state has to release it.
   */
  const call = async <T>(request: WorkerCall, signal: AbortSignal | undefined): Promise<T> => {
    if (signal === undefined) return post<T>({ ...request, signal: nextSignal++ })
    signal.throwIfAborted()
    const caller = callerOf(signal)
    caller.calls += 1
    try {
      return await post<T>({ ...request, signal: caller.signal })
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      caller.calls -= 1
      if (caller.calls === 0) {
        callers.delete(signal)
        signal.removeEventListener('abort', onAbort)
      }
    }
  }

  const prefixOf = ({ prefix, tokens, cachedTokens }: OpenedPrefix): Prefix => {
    let open = true
    const guard = <T>(request: WorkerCall, signal: AbortSignal | undefined): Promise<T> =>
      open ? call<T>(request, signal) : Promise.reject(new EngineError('internal_error', 'this encoded state is closed; open it again'))
    return {
      tokens,
      cachedTokens,
      score: (branches, signal) => guard({ type: 'score', prefix, branches }, signal),
      generate: (branch, constraint, signal) => guard({ type: 'generate', prefix, branch, constraint }, signal),
      close: () => {
        if (open && stopped === null) worker.postMessage({ type: 'release', prefix } satisfies WorkerRequest)
        open = false
      },
    }
  }

  const info = await ready
  let closing: Promise<void> | null = null
  return {
    info,
    isAlive: () => stopped === null,
    open: async (prompt, signal) => prefixOf(await call<OpenedPrefix>({ type: 'open', prompt: await sendable(prompt) }, signal)),
    // Null for a family without caches.
    ...(caches === null ? {} : { caches: () => caches as CachesOfBackend }),
    close: () => {
      closing ??= (async () => {
        const drained = post<null>({ type: 'close' })
        stopped ??= new EngineError('model_not_available', `the model ${info.id} was closed; load it again`)
        await drained.catch(() => {})
        // Keeps the process alive until the worker is gone: it could end while sessions are being freed.
        worker.ref()
        await exited
      })()
      return closing
    },
  }
}

/** Bytes copied in one go, which blocks this thread for some 2 ms. A message would copy everything in it at once. */
const CHUNK_BYTES = 2 * 2 ** 20

/**
 * The prompt with large pictures copied, in chunks, to memory that both threads share. The caller may change the
 * originals afterwards.
 */
async function sendable(prompt: Prompt): Promise<Prompt> {
  const sent: Piece[] = []
  for (const piece of prompt.pieces) {
    if (piece.type === 'text' || piece.picture.data.byteLength <= CHUNK_BYTES) {
      sent.push(piece)
      continue
    }
    const { data } = piece.picture
    const copy = new Uint8Array(new SharedArrayBuffer(data.byteLength))
    for (let from = 0; from < data.byteLength; from += CHUNK_BYTES) {
      if (from > 0) await setImmediate()
      copy.set(data.subarray(from, from + CHUNK_BYTES), from)
    }
    sent.push({ ...piece, picture: { ...piece.picture, data: copy } })
  }
  return { ...prompt, pieces: sent }
}
