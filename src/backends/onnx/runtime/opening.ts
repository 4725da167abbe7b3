// When the graphs of a model are opened: at load, or each when it is first run, for a part that many callers never use.
// A load that fails leaves none open.
import type { OnnxOptions } from '../options.ts'
import type { GraphFile } from './layout.ts'
import { openSession, type Session } from './session.ts'
import { requireSoundWeights } from './weights.ts'

export type Opening = 'at load' | 'at first use'

/** What of a session is needed to run it. */
export type RunnableSession = Pick<Session, 'run' | 'release'>

/** Does the work. When it fails, what is open by then is closed, and the error goes on. */
export async function closedOnFailure<T>(opened: readonly { close(): Promise<void> }[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await Promise.allSettled(opened.map((one) => one.close()))
    throw error
  }
}

/**
 * Opens a graph, and hands the session to `check`, which throws if it is not the one that the folder says. Opened at
 * first use, the first run throws what this would have thrown; only what its file says of weights is checked before.
 */
export async function openGraph(
  graph: GraphFile,
  options: OnnxOptions,
  opening: Opening,
  check: (session: Session) => void = () => {},
): Promise<RunnableSession> {
  const open = async (): Promise<Session> => {
    const session = await openSession(graph, options)
    try {
      check(session)
      return session
    } catch (error) {
      await session.release()
      throw error
    }
  }
  if (opening === 'at load') return open()
  requireSoundWeights(graph)
  let opened: Promise<Session> | null = null
  const run = async (...given: Parameters<Session['run']>) => {
    opened ??= open()
    return (await opened).run(...given)
  }
  return {
    // The type of a function with two forms takes the last one for all.
    run: run as Session['run'],
    async release() {
      // One that could not be opened has nothing to free.
      await opened?.then(
        (session) => session.release(),
        () => {},
      )
    },
  }
}
