// POST /console/api/ask?account=…: the playground's questions, through the same pipeline as any client's, paid by the
// account that is chosen.
import type { FastifyInstance } from 'fastify'
import { answerAdmitted, letIn } from '../admitted.ts'
import { createBodyMemory, mediaKind, requireLength } from '../body.ts'
import type { ServiceContext } from '../context.ts'
import { ask } from '../dialects/ask.ts'
import { ServiceRefusal } from '../errors.ts'
import { fromStore } from '../from-store.ts'
import { takeStreamedBodies } from '../routes/register.ts'
import { fields, text } from './fields.ts'

/** Memory for all incoming bodies, as a multiple of the largest body. */
const BODIES = 2

const asked = fields({ account: text(200) })

/** Registers the route in a scope of its own: its body is read as the service's is. */
export async function consoleAskRoute(app: FastifyInstance, context: ServiceContext): Promise<void> {
  const { settings, store, queue } = context
  const bodies = createBodyMemory(settings.bodyBytes * BODIES)
  await app.register(async (scope) => {
    await takeStreamedBodies(scope)
    scope.post('/console/api/ask', async (request, reply) => {
      const { account } = asked(request.query)
      requireLength(request.headers, settings.bodyBytes)
      const kind = mediaKind(request.headers)
      if ((await fromStore(store.ledger.account(account))) === null) {
        throw new ServiceRefusal('not_found', `There is no account ${JSON.stringify(account)}; make an API key for it first.`)
      }
      const admission = { kind, idempotencyKey: null, principal: { account, key: null }, ...letIn(queue, account, reply) }
      return answerAdmitted(request, reply, admission, ask, { ...context, bodies })
    })
  })
}
