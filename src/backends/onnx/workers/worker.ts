// The inside of a model worker: passes requests on to an in-process backend as they come, and its answers back. The
// backend schedules their passes. `session.run` blocks the thread it is called on, which is this one; messages are
// received between passes.
import { parentPort, workerData } from 'node:worker_threads'
import type { Backend, Prefix } from '../../backend.ts'
import { toWire, type WorkerReply, type WorkerRequest, type WorkerStart } from './protocol.ts'

// onnxruntime-node 1.30 cannot take float16 inputs where this global exists (Node 24). This thread needs it for nothing
// else.
Reflect.deleteProperty(globalThis, 'Float16Array')

const port = parentPort
if (port === null) throw new Error('worker.ts runs as a worker thread only')
const { folder, options } = workerData as WorkerStart
const prefixes = new Map<number, Prefix>()
let nextPrefix = 1

function heldPrefix(prefix: number): Prefix {
  const found = prefixes.get(prefix)
  if (found === undefined) throw new Error(`there is no encoded state ${prefix}`)
  return found
}

/** Callers with calls under way, by the number of their signal. */
const callers = new Map<number, { readonly controller: AbortController; calls: number }>()

/** Runs a call with the signal of its caller: all calls of one caller share one signal. */
async function asCaller<T>(signal: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const caller = callers.get(signal) ?? { controller: new AbortController(), calls: 0 }
  callers.set(signal, caller)
  caller.calls += 1
  try {
    return await work(caller.controller.signal)
  } finally {
    caller.calls -= 1
    if (caller.calls === 0) callers.delete(signal)
  }
}

type ReplyValue = Extract<WorkerReply, { value: unknown }>['value']

async function answer(backend: Backend, request: WorkerRequest): Promise<ReplyValue> {
  switch (request.type) {
    case 'open':
      return asCaller(request.signal, async (signal) => {
        const prefix = await backend.open(request.prompt, signal)
        prefixes.set(nextPrefix, prefix)
        return { prefix: nextPrefix++, tokens: prefix.tokens, cachedTokens: prefix.cachedTokens }
      })
    case 'score':
      return asCaller(request.signal, (signal) => heldPrefix(request.prefix).score(request.branches, signal))
    case 'generate':
      return asCaller(request.signal, (signal) => heldPrefix(request.prefix).generate(request.branch, request.constraint, signal))
    case 'cancel':
      callers.get(request.signal)?.controller.abort()
      return null
    case 'release':
      prefixes.get(request.prefix)?.close()
      prefixes.delete(request.prefix)
      return null
    case 'close':
      // Refuses later calls, and waits for those under way and the states they need.
      await backend.close()
      for (const prefix of prefixes.values()) prefix.close()
      prefixes.clear()
      return null
  }
}

const send = (message: WorkerReply): void => port.postMessage(message)

async function serve(): Promise<void> {
  // Loaded here and not at the top: the global above must be gone before the runtime is read.
  const { loadFamily } = await import('../families/index.ts')
  const backend = await loadFamily(folder, options)
  const caches = () => backend.caches?.() ?? null
  const take = async (request: WorkerRequest): Promise<void> => {
    const id = 'id' in request ? request.id : null
    try {
      const value = await answer(backend, request)
      if (id !== null) send({ id, caches: caches(), value })
    } catch (error) {
      if (id !== null) send({ id, caches: caches(), error: toWire(error, folder) })
    }
    if (request.type === 'close') port?.close()
  }
  port?.on('message', (request: WorkerRequest) => {
    void take(request)
  })
  send({ id: 0, caches: caches(), value: backend.info })
}

serve().catch((error) => {
  send({ id: 0, caches: null, error: toWire(error, folder) })
  port.close()
})
