// GET /health: 200 while this replica can answer, 503 when its database cannot be read and written or the service is
// about to end. It takes no key, so the database is asked once in a while only, however often this is called.
import { within } from '../../core/deadline.ts'
import type { ServiceContext } from '../context.ts'
import { json } from '../openapi/operation.ts'
import { BOOLEAN, ref, reply } from '../openapi/schema.ts'
import { defineRoute } from './route.ts'

/** The name of this component. */
const SERVICE = 'assay'
const PING_MS = 1000
/** How long an answer of the database counts. That it is away is looked at again sooner. */
const WELL_MS = 5000
const AWAY_MS = 1000

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
      503: { description: 'The database cannot be used, or the service is about to stop.', content: json(ref('Health')) },
    },
    errors: null,
  },
  schemas: {
    Health: reply('Whether requests can be answered.', {
      ok: {
        ...BOOLEAN,
        description:
          'Everything is well. False comes with status 503; with `db` true, the service is about to stop and takes no new requests.',
      },
      service: { const: SERVICE, description: 'The name of this component.' },
      db: {
        ...BOOLEAN,
        description: `Whether the database could be read and written, at most ${WELL_MS / 1000} seconds ago. A full disk makes it false.`,
      },
    }),
  },
  open({ store, log, state }) {
    let asking: Promise<boolean> | null = null
    let known = { isThere: false, until: -Infinity }
    // Requests that come while the database is being asked share its answer, and so do those that come soon after.
    const isDatabaseThere = async (): Promise<boolean> => {
      if (performance.now() < known.until) return known.isThere
      asking ??= answers(store.ping(), log).finally(() => {
        asking = null
      })
      const isThere = await asking
      known = { isThere, until: performance.now() + (isThere ? WELL_MS : AWAY_MS) }
      return isThere
    }
    return {
      async answer({ reply }) {
        const db = await isDatabaseThere()
        const ok = db && !state.isDraining
        reply.code(ok ? 200 : 503)
        return { ok, service: SERVICE, db }
      },
    }
  },
})

async function answers(ping: Promise<void>, log: ServiceContext['log']): Promise<boolean> {
  try {
    if (await within(PING_MS, ping)) return true
    log.warn({ ms: PING_MS }, 'the database does not answer in time')
  } catch (error) {
    log.warn({ err: error }, 'the database cannot be read and written')
  }
  return false
}
