// POST /v1/outcomes: what was true of an answer. Events belong to the account that asked; those of others are not there.
import type { FastifyInstance } from 'fastify'
import { recordOutcome } from '../../calibration/outcomes/outcomes.ts'
import { EngineError, pointer } from '../../core/errors.ts'
import { didYouMean } from '../../core/suggest.ts'
import type { Json } from '../../core/types.ts'
import { keyGuard } from '../authenticate.ts'
import type { ServiceContext } from '../context.ts'
import { ServiceRefusal } from '../errors.ts'
import { fromStore } from '../from-store.ts'

const FIELDS = ['event', 'outcomes', 'selection_probability']
const BODY_BYTES = 2 ** 18

export function outcomesRoute(app: FastifyInstance, context: ServiceContext): void {
  app.post('/v1/outcomes', { onRequest: keyGuard(app, context, 'outcomes'), bodyLimit: BODY_BYTES }, async (request) => {
    const { event, outcomes, selectionProbability } = readOutcomes(request.body)
    const store = context.store.outcomes(request.principal!.account)
    if ((await fromStore(store.find(event))) === null) {
      const message = `The event ${JSON.stringify(event.slice(0, 80))} is not known; events are kept ${store.retention}.`
      throw new ServiceRefusal('not_found', message, { param: '/event' })
    }
    return fromStore(recordOutcome(store, event, outcomes, { selectionProbability }))
  })
}

interface ReadOutcomes {
  readonly event: string
  readonly outcomes: Readonly<Record<string, Json>>
  readonly selectionProbability: number
}

/** The shape of the body; what the outcomes say is held against the event by `recordOutcome`. */
function readOutcomes(body: unknown): ReadOutcomes {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new EngineError('invalid_request', 'The body is an object with event and outcomes.', { param: '' })
  }
  const own = (field: string): unknown => (Object.hasOwn(body, field) ? (body as Record<string, unknown>)[field] : undefined)
  const problems = Object.keys(body)
    .filter((field) => !FIELDS.includes(field))
    .map((field) => ({
      param: pointer('', field),
      message: `The field ${JSON.stringify(field.slice(0, 80))} is not known.${didYouMean(field, FIELDS) || ` Known here: ${FIELDS.join(', ')}.`}`,
    }))
  const [event, outcomes, selectionProbability = 1] = FIELDS.map(own)
  if (typeof event !== 'string')
    problems.push({ param: '/event', message: 'The event is the id of a response: a string that begins with evt_.' })
  if (typeof outcomes !== 'object' || outcomes === null || Array.isArray(outcomes)) {
    problems.push({ param: '/outcomes', message: 'The outcomes are an object of truths by question id.' })
  }
  if (typeof selectionProbability !== 'number') {
    problems.push({ param: '/selection_probability', message: 'The selection probability is a number above 0 and at most 1.' })
  }
  const [first] = problems
  if (first !== undefined) throw new EngineError('invalid_request', first.message, { param: first.param, problems })
  return { event, outcomes, selectionProbability } as ReadOutcomes
}
