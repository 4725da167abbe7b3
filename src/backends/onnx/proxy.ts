// The outside of a model worker: the same `Backend` as inside, over messages, so that the calling thread stays free while the model runs.
// A worker is never terminated: ending one in the middle of a run takes the whole process down. Closing waits for what is under way.
import { Worker } from 'node:worker_threads'
import { EngineError } from '../../errors.ts'
import type { Backend, ModelInfo, Prefix } from '../backend.ts'
import type { OnnxOptions } from './options.ts'
import { fromWire, type Opened, type Reply, type Request, type WorkerStart } from './protocol.ts'

interface Pending {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

type Call = Request extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never

/** Starts a worker from a built entry file and loads the model in it. */
export async function startWorker(entry: URL, folder: string, options: OnnxOptions): Promise<Backend> {
  const start: WorkerStart = { folder, options }
  // Flags of the calling process (an --eval, a loader) are not meant for the worker, and some would stop it.
  const worker = new Worker(entry, { workerData: start, execArgv: [] })
  const pending = new Map<number, Pending>()
  let nextId = 1
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
    if ('error' in reply) waiting?.reject(fromWire(reply.error))
    else waiting?.resolve(reply.value as never)
  })
  worker.on('error', (cause) => stop(new EngineError('internal_error', 'the model worker failed; load the model again', { cause })))
  worker.on('exit', () => stop(new EngineError('internal_error', 'the model worker ended; load the model again')))

  const call = <T>(request: Call): Promise<T> => {
    if (stopped !== null) return Promise.reject(stopped)
    const id = nextId++
    const reply = expect<T>(id)
    worker.postMessage({ ...request, id })
    return reply
  }

  const prefixOf = ({ prefix, tokens, cachedTokens }: Opened): Prefix => {
    let open = true
    const guard = <T>(request: Call): Promise<T> =>
      open ? call<T>(request) : Promise.reject(new EngineError('internal_error', 'this encoded state is closed; open it again'))
    return {
      tokens,
      cachedTokens,
      score: (branches) => guard({ type: 'score', prefix, branches }),
      generate: (branch, constraint) => guard({ type: 'generate', prefix, branch, constraint }),
      close: () => {
        if (open && stopped === null) worker.postMessage({ type: 'release', prefix })
        open = false
      },
    }
  }

  const info = await ready
  let closing: Promise<void> | null = null
  return {
    info,
    open: async (prompt) => prefixOf(await call<Opened>({ type: 'open', prompt })),
    close: () => {
      closing ??= (async () => {
        const drained = call<null>({ type: 'close' })
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
