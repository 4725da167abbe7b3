// GET /v1/calibration: what answers, and whether it still fits. POST /v1/calibration/fit and /rollback: change it, for all accounts and replicas.
import type { FastifyInstance } from 'fastify'
import { EngineError, pointer } from '../../core/errors.ts'
import { didYouMean } from '../../core/suggest.ts'
import { keyGuard } from '../authenticate.ts'
import { withoutNames } from '../calibration/as-reply.ts'
import { serviceCalibrations } from '../calibration/index.ts'
import type { ServiceContext } from '../context.ts'
import { fromStore } from '../from-store.ts'
import { resolveModel } from '../models.ts'

const BODY_BYTES = 2 ** 14
const LONGEST_WHY = 500

export function calibrationRoutes(app: FastifyInstance, context: ServiceContext): void {
  const calibrations = serviceCalibrations(context)
  // A fit is not waited for; what it holds must be let go of while the store is still open.
  app.addHook('preClose', async () => calibrations.stop())
  const changing = { onRequest: keyGuard(app, context, 'calibration'), bodyLimit: BODY_BYTES }

  app.get('/v1/calibration', { onRequest: keyGuard(app, context, null) }, async ({ principal }) => {
    const reply = await fromStore(calibrations.status())
    return principal!.key!.scopes.includes('calibration') ? reply : withoutNames(reply)
  })

  app.post('/v1/calibration/fit', changing, ({ body }) => {
    const { model } = textsOf(body, { model: 128 })
    const { engine, settings } = context
    return fromStore(calibrations.fit(model === undefined ? null : resolveModel(model, engine.models(), settings.aliases)))
  })

  app.post('/v1/calibration/rollback', changing, ({ body }) => {
    // The history is open to every key, so it does not say whose this one is.
    const { why = 'asked for over HTTP' } = textsOf(body, { why: LONGEST_WHY })
    return fromStore(calibrations.rollBack(why))
  })
}

/** The texts of a body, which may be absent. Throws `invalid_request` with everything that is wrong; `known`: the most characters of each field. */
function textsOf(body: unknown, known: Readonly<Record<string, number>>): Readonly<Record<string, string | undefined>> {
  if (body === undefined || body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new EngineError('invalid_request', `The body is an object with ${Object.keys(known).join(', ')}, or absent.`, { param: '' })
  }
  const problems = Object.entries(body).flatMap(([field, value]) => {
    const most = Object.hasOwn(known, field) ? known[field]! : null
    const name = JSON.stringify(field.slice(0, 80))
    const names = Object.keys(known)
    const message =
      most === null
        ? `The field ${name} is not known.${didYouMean(field, names) || ` Known here: ${names.join(', ')}.`}`
        : `${name} is a text of 1 to ${most} characters.`
    const isRight = most !== null && typeof value === 'string' && value.length >= 1 && value.length <= most
    return isRight ? [] : [{ param: pointer('', field), message }]
  })
  const [first] = problems
  if (first !== undefined) throw new EngineError('invalid_request', first.message, { param: first.param, problems })
  return body as Record<string, string>
}
