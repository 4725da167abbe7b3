// The outside of a model worker: the same `Backend` as inside, over messages, so that the calling thread stays free while the model runs.
// A worker is never terminated: ending one in the middle of a run takes the whole process down. Closing waits for what is under way.
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { EngineError } from '../../../core/errors.ts'
import type { Piece, Prompt } from '../../../core/types.ts'
import type { CachesOfBackend, ModelInfo, Prefix } from '../../backend.ts'
import type { OnnxOptions } from '../options.ts'
import { fromWire, type Opened, type Reply, type Request, type WorkerStart } from './protocol.ts'
import type { Mortal } from './supervisor.ts'

interface Pending {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

type Without<R, K extends string> = R extends unknown ? Omit<R, K> : never
/** What a caller asks, before it is numbered. */
type Call = Without<Extract<Request, { id: number; signal: number }>, 'id' | 'signal'>

interface Caller {
  readonly signal: number
  calls: number
}

/**
 * Room for what lives briefly: V8 lets it grow to several times this before it tidies up, for nothing that a model needs. What is large lies in typed
 * arrays, outside of it.
 */
const YOUNG_MIB = 12

/** Starts a worker from a built entry file and loads the model in it. */
export async function startWorker(entry: URL, folder: string, options: OnnxOptions): Promise<Mortal> {
  const start: WorkerStart = { folder, options }
  // Flags of the calling process (an --eval, a loader) are not meant for the worker, and some would stop it.
  const worker = new Worker(entry, { workerData: start, execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB } })
  const pending = new Map<number, Pending>()
  // Those with something under way. The worker knows them by number, and hears of each that goes once, however much it has asked.
  const callers = new Map<AbortSignal, Caller>()
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
  worker.on('message', (reply: Reply) => {
    const waiting = settle(reply.id)
    caches = reply.caches
    if ('error' in reply) waiting?.reject(fromWire(reply.error))
    else waiting?.resolve(reply.value as never)
  })
  worker.on('error', (cause) =>
    stop(new EngineError('internal_error', 'the model worker failed; ask again, and it is started anew', { cause })),
  )
  worker.on('exit', () => stop(new EngineError('internal_error', 'the model worker ended; ask again, and it is started anew')))

  const post = <T>(request: Without<Extract<Request, { id: number }>, 'id'>): Promise<T> => {
    if (stopped !== null) return Promise.reject(stopped)
    const id = nextId++
    const reply = expect<T>(id)
    worker.postMessage({ ...request, id })
    return reply
  }

  const callerOf = (signal: AbortSignal): Caller => {
    const known = callers.get(signal)
    if (known !== undefined) return known
    const caller: Caller = { signal: nextSignal++, calls: 0 }
    callers.set(signal, caller)
    signal.addEventListener('abort', onAbort)
    return caller
  }
  function onAbort(this: AbortSignal): void {
    const caller = callers.get(this)
    if (caller !== undefined) worker.postMessage({ type: 'cancel', signal: caller.signal } satisfies Request)
  }
  /** A reply that was under way when the signal aborted counts: an encoded state has to be let go of by whom it was opened for. */
  const call = async <T>(request: Call, signal: AbortSignal | undefined): Promise<T> => {
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

  const prefixOf = ({ prefix, tokens, cachedTokens }: Opened): Prefix => {
    let open = true
    const guard = <T>(request: Call, signal: AbortSignal | undefined): Promise<T> =>
      open ? call<T>(request, signal) : Promise.reject(new EngineError('internal_error', 'this encoded state is closed; open it again'))
    return {
      tokens,
      cachedTokens,
      score: (branches, signal) => guard({ type: 'score', prefix, branches }, signal),
      generate: (branch, constraint, signal) => guard({ type: 'generate', prefix, branch, constraint }, signal),
      close: () => {
        if (open && stopped === null) worker.postMessage({ type: 'release', prefix } satisfies Request)
        open = false
      },
    }
  }

  const info = await ready
  let closing: Promise<void> | null = null
  return {
    info,
    isAlive: () => stopped === null,
    open: async (prompt, signal) => prefixOf(await call<Opened>({ type: 'open', prompt: await sendable(prompt) }, signal)),
    // Of a family that keeps none, null.
    ...(caches === null ? {} : { caches: () => caches as CachesOfBackend }),
    close: () => {
      closing ??= (async () => {
        const drained = post<null>({ type: 'close' })
        stopped ??= new EngineError('internal_error', 'the model is closed; load it again')
        await drained.catch(() => {})
        // Held until it is gone, or the process could end while its sessions are being freed.
        worker.ref()
        await exited
      })()
      return closing
    },
  }
}

/** Bytes copied in one go: some 2 ms, in which this thread does nothing else. A message copies what it holds all at once. */
const COPIED_AT_ONCE = 2 * 2 ** 20

/** The prompt with large pictures in memory that both threads see, copied there bit by bit. The caller's own may be used again. */
async function sendable({ pieces }: Prompt): Promise<Prompt> {
  const sent: Piece[] = []
  for (const piece of pieces) {
    if (piece.type === 'text' || piece.picture.data.byteLength <= COPIED_AT_ONCE) {
      sent.push(piece)
      continue
    }
    const { data } = piece.picture
    const copy = new Uint8Array(new SharedArrayBuffer(data.byteLength))
    for (let from = 0; from < data.byteLength; from += COPIED_AT_ONCE) {
      if (from > 0) await setImmediate()
      copy.set(data.subarray(from, from + COPIED_AT_ONCE), from)
    }
    sent.push({ ...piece, picture: { ...piece.picture, data: copy } })
  }
  return { pieces: sent }
}
