// The inside of a model worker: requests by message to an in-process backend, as they come, and its answers back. The backend has
// their passes take turns. `session.run` blocks the thread it is called on, so this thread is where that happens; messages are heard between passes.
import { parentPort, workerData } from 'node:worker_threads'
import type { Backend, Prefix } from '../../backend.ts'
import { type Reply, type Request, toWire, type WorkerStart } from './protocol.ts'

// onnxruntime-node 1.30 cannot take float16 inputs where this global exists (Node 24). This thread needs it for nothing else.
Reflect.deleteProperty(globalThis, 'Float16Array')

const port = parentPort
if (port === null) throw new Error('worker.ts runs as a worker thread only')
const { folder, options } = workerData as WorkerStart
const prefixes = new Map<number, Prefix>()
let nextPrefix = 1

function held(prefix: number): Prefix {
  const found = prefixes.get(prefix)
  if (found === undefined) throw new Error(`there is no encoded state ${prefix}`)
  return found
}

/** Callers that have something under way, by the number of their signal. */
const callers = new Map<number, { readonly controller: AbortController; calls: number }>()

/** Works on a call with the signal of its caller, which is the same one for all that this has under way. */
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

type Value = Extract<Reply, { value: unknown }>['value']

async function answer(backend: Backend, request: Request): Promise<Value> {
  switch (request.type) {
    case 'open':
      return asCaller(request.signal, async (signal) => {
        const prefix = await backend.open(request.prompt, signal)
        prefixes.set(nextPrefix, prefix)
        return { prefix: nextPrefix++, tokens: prefix.tokens, cachedTokens: prefix.cachedTokens }
      })
    case 'score':
      return asCaller(request.signal, (signal) => held(request.prefix).score(request.branches, signal))
    case 'generate':
      return asCaller(request.signal, (signal) => held(request.prefix).generate(request.branch, request.constraint, signal))
    case 'cancel':
      callers.get(request.signal)?.controller.abort()
      return null
    case 'release':
      prefixes.get(request.prefix)?.close()
      prefixes.delete(request.prefix)
      return null
    case 'close':
      // Refuses what comes from here on, and waits for what is under way, with the states that this stands on.
      await backend.close()
      for (const prefix of prefixes.values()) prefix.close()
      prefixes.clear()
      return null
  }
}

const say = (reply: Reply): void => port.postMessage(reply)

async function serve(): Promise<void> {
  // Loaded here and not at the top: the global above must be gone before the runtime is read.
  const { loadFamily } = await import('../families/index.ts')
  const backend = await loadFamily(folder, options)
  const caches = () => backend.caches?.() ?? null
  const take = async (request: Request): Promise<void> => {
    const id = 'id' in request ? request.id : null
    try {
      const value = await answer(backend, request)
      if (id !== null) say({ id, caches: caches(), value })
    } catch (error) {
      if (id !== null) say({ id, caches: caches(), error: toWire(error, folder) })
    }
    if (request.type === 'close') port?.close()
  }
  port?.on('message', (request: Request) => {
    void take(request)
  })
  say({ id: 0, caches: caches(), value: backend.info })
}

serve().catch((error) => {
  say({ id: 0, caches: null, error: toWire(error, folder) })
  port.close()
})
