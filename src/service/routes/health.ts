// GET /health: 200 while this replica can answer, 503 when its database does not answer or the service is about to end.
// It takes no key, and asks the database each time.
import { within } from '../../core/deadline.ts'
import type { ServiceContext } from '../context.ts'
import { json } from '../openapi/operation.ts'
import { BOOLEAN, ref, reply } from '../openapi/schema.ts'
import { defineRoute } from './route.ts'

const PING_MS = 1000

export const healthRoute = defineRoute({
  method: 'GET',
  path: '/health',
  access: 'everyone',
  body: null,
  isServedToTheEnd: true,
  isProbed: true,
  operation: {
    id: 'health',
    tag: 'Service',
    summary: 'Whether requests can be answered',
    replies: {
      200: { description: 'All is well.', content: json(ref('Health')) },
      503: { description: 'The database does not answer, or the service is about to stop.', content: json(ref('Health')) },
    },
    errors: null,
  },
  schemas: {
    Health: reply('Whether requests can be answered.', {
      ok: { ...BOOLEAN, description: 'Everything is well. False comes with status 503.' },
      service: { enum: ['ok', 'draining'], description: '`draining`: it is about to stop, and takes no new requests.' },
      db: { enum: ['ok', 'unreachable'], description: 'Whether the database answered just now.' },
    }),
  },
  open({ store, log, state }) {
    let asking: Promise<boolean> | null = null
    // Requests that come while the database is being asked share its answer.
    const isDatabaseThere = () => {
      asking ??= answers(store.ping(), log).finally(() => {
        asking = null
      })
      return asking
    }
    return {
      async answer({ reply }) {
        const isThere = await isDatabaseThere()
        const ok = isThere && !state.isDraining
        reply.code(ok ? 200 : 503)
        return { ok, service: state.isDraining ? 'draining' : 'ok', db: isThere ? 'ok' : 'unreachable' }
      },
    }
  },
})

async function answers(ping: Promise<void>, log: ServiceContext['log']): Promise<boolean> {
  try {
    if (await within(PING_MS, ping)) return true
    log.warn({ ms: PING_MS }, 'the database does not answer in time')
  } catch (error) {
    log.warn({ err: error }, 'the database does not answer')
  }
  return false
}
