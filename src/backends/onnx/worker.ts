// The inside of a model worker: requests by message to an in-process backend, one after the other, and its answers back.
// `session.run` blocks the thread it is called on, so this thread is where that happens.
import { parentPort, workerData } from 'node:worker_threads'
import type { Backend, Prefix } from '../backend.ts'
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

async function answer(backend: Backend, request: Request): Promise<Extract<Reply, { value: unknown }>['value']> {
  switch (request.type) {
    case 'open': {
      const prefix = await backend.open(request.prompt)
      prefixes.set(nextPrefix, prefix)
      return { prefix: nextPrefix++, tokens: prefix.tokens, cachedTokens: prefix.cachedTokens }
    }
    case 'score':
      return held(request.prefix).score(request.branches)
    case 'generate':
      return held(request.prefix).generate(request.branch, request.constraint)
    case 'release':
      prefixes.get(request.prefix)?.close()
      prefixes.delete(request.prefix)
      return null
    case 'close':
      for (const prefix of prefixes.values()) prefix.close()
      prefixes.clear()
      await backend.close()
      return null
  }
}

const say = (reply: Reply): void => port.postMessage(reply)

async function serve(): Promise<void> {
  // Loaded here and not at the top: the global above must be gone before the runtime is read.
  const { loadFamily } = await import('./families/index.ts')
  const backend = await loadFamily(folder, options)
  let last: Promise<void> = Promise.resolve()
  const take = async (request: Request): Promise<void> => {
    const id = 'id' in request ? request.id : null
    try {
      const value = await answer(backend, request)
      if (id !== null) say({ id, value })
    } catch (error) {
      if (id !== null) say({ id, error: toWire(error, folder) })
    }
    if (request.type === 'close') port?.close()
  }
  port?.on('message', (request: Request) => {
    last = last.then(() => take(request))
  })
  say({ id: 0, value: backend.info })
}

serve().catch((error) => {
  say({ id: 0, error: toWire(error, folder) })
  port.close()
})
