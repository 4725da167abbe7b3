// GET /health: 200 while this replica can answer, 503 when its database does not or it is on its way out. It takes no key, and asks for real.
import type { FastifyInstance } from 'fastify'
import type { AppState } from '../app.ts'
import type { ServiceContext } from '../context.ts'
import { within } from '../within.ts'

const PING_MS = 1000

/** Requests that come while the database is being asked share its answer. */
export function healthRoute(app: FastifyInstance, { store, log }: ServiceContext, state: AppState): void {
  let asking: Promise<boolean> | null = null
  const isDatabaseThere = () => {
    asking ??= answers(store.ping(), log).finally(() => {
      asking = null
    })
    return asking
  }
  app.get('/health', { config: { isServedToTheEnd: true } }, async (_request, reply) => {
    const isThere = await isDatabaseThere()
    const ok = isThere && !state.isDraining
    reply.code(ok ? 200 : 503)
    return { ok, service: state.isDraining ? 'draining' : 'ok', db: isThere ? 'ok' : 'unreachable' }
  })
}

async function answers(ping: Promise<void>, log: ServiceContext['log']): Promise<boolean> {
  try {
    if (await within(PING_MS, ping)) return true
    log.warn({ ms: PING_MS }, 'the database does not answer in time')
  } catch (error) {
    log.warn({ err: error }, 'the database does not answer')
  }
  return false
}
