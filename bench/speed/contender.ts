// A contender is a process of its own, asked by messages one at a time: libraries then share neither memory pools nor
// threads, and the one that is timed is the only one that works.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type Methods = { readonly [name: string]: (...args: never[]) => unknown }

interface Call {
  readonly method: string
  readonly args: readonly unknown[]
}
type Reply = { readonly result: unknown } | { readonly error: string }

export interface Contender<M extends Methods> {
  readonly pid: number
  call<K extends keyof M & string>(method: K, ...args: Parameters<M[K]>): Promise<Awaited<ReturnType<M[K]>>>
  close(): Promise<void>
}

/** In the child: makes its methods by the setup that it was started with, then answers calls. */
export function serveContender<S, M extends Methods>(make: (setup: S) => Promise<M>): void {
  let methods: M | null = null
  const answer = async ({ method, args }: Call): Promise<unknown> => {
    if (method === 'set up') {
      methods = await make(args[0] as S)
      return null
    }
    const asked = methods?.[method]
    if (asked === undefined) throw new Error(`this contender has no ${method}`)
    return asked(...(args as never[]))
  }
  process.on('message', (call: Call) => {
    answer(call).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit())
}

export async function startContender<M extends Methods, S>(file: URL, setup: S): Promise<Contender<M>> {
  const child = fork(fileURLToPath(file), { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  await send(child, 'set up', [setup])
  return {
    pid: child.pid as number,
    call: (method, ...args) => send(child, method, args) as never,
    close: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.disconnect()
      }),
  }
}

function send(child: ChildProcess, method: string, args: readonly unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a contender ended with ${code} while asked to ${method}`))
    child.once('exit', onExit)
    child.once('message', (reply: Reply) => {
      child.off('exit', onExit)
      if ('error' in reply) reject(new Error(reply.error))
      else resolve(reply.result)
    })
    child.send({ method, args })
  })
}
