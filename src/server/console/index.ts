// The console's side of the service: its page, its session, and what the page asks for. Everything lies under /console, in a scope of its own.
import type { FastifyInstance } from 'fastify'
import type { Parts } from '../parts.ts'

/** Serves the console on `app`. Its hooks, headers and error replies hold for /console only. */
export async function registerConsole(app: FastifyInstance, parts: Parts): Promise<void> {
  await app.register(async (scope) => {
    scope.get('/console/api/health', async () => ({ kind: parts.store.kind }))
  })
}
