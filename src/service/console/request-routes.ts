// The request log, what was decided in one request, what was true of it, and the calibrations that are fitted from
// that.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { calibratorOf, type ModelCalibrator } from '../../calibration/calibration.ts'
import { recordOutcome } from '../../calibration/outcomes/record-outcome.ts'
import { servedFor } from '../../calibration/served.ts'
import type { Json } from '../../core/types.ts'
import { identityOf } from '../calibration/answering.ts'
import type { ServiceContext } from '../context.ts'
import { ServiceRefusal } from '../errors.ts'
import { fromStore } from '../from-store.ts'
import type { RequestRecord } from '../store/store.ts'
import { encodeEvent, encodeRequest } from './encode.ts'
import { fields, text, wholeNumber } from './fields.ts'
import type { CalibrationViewReply, EventReply, OutcomeReply, QuarantineEndReply, QuarantineReply, RequestsReply } from './replies.ts'

const MOST_REQUESTS = 200
/** Pages of the log that are searched for requests of one status before the page says "go on from here". */
const MOST_PAGES = 10
const LONGEST_ID = 200

const logPage = fields({
  account: z.string().optional(),
  status: z.enum(['succeeded', 'failed']).optional(),
  before: z.string().optional(),
  limit: wholeNumber(1, MOST_REQUESTS).default(50),
})
const eventQuery = fields({ id: text(LONGEST_ID) })
const outcome = fields({
  event: text(LONGEST_ID),
  outcomes: z.record(z.string(), z.unknown(), 'This must be an object: what was true, by question.'),
})
const whose = fields({ account: text(LONGEST_ID) })
const fitting = fields({ account: text(LONGEST_ID), model: text(LONGEST_ID).optional() })

export function requestRoutes(app: FastifyInstance, context: ServiceContext): void {
  const { store, calibrations } = context

  app.get('/console/api/requests', async ({ query }): Promise<RequestsReply> => {
    const { account, status, before, limit } = logPage(query)
    const wanted = (record: RequestRecord) => status === undefined || (record.code === null) === (status === 'succeeded')
    const found: RequestRecord[] = []
    let from = before
    let isAtEnd = false
    for (let page = 0; page < MOST_PAGES && found.length <= limit && !isAtEnd; page++) {
      const size = status === undefined ? limit + 1 : MOST_REQUESTS
      const filter = { limit: size, ...(account === undefined ? {} : { account }), ...(from === undefined ? {} : { before: from }) }
      const records = await fromStore(store.requests.list(filter))
      found.push(...records.filter(wanted))
      from = records.at(-1)?.id ?? from
      isAtEnd = records.length < size
    }
    const shown = found.slice(0, limit)
    const next = found.length > limit ? shown.at(-1)!.id : isAtEnd ? null : (from ?? null)
    const names = new Map((await fromStore(store.keys.list())).map(({ id, name }) => [id, name]))
    return { requests: shown.map((record) => encodeRequest(record, names)), next }
  })

  app.get('/console/api/event', async ({ query }): Promise<EventReply> => {
    const { id } = eventQuery(query)
    const outcomes = store.outcomes()
    const found = await fromStore(outcomes.find(id))
    if (found !== null) {
      const { model, revision, templateHash } = found.event
      const asked = { id: model, revision, templateHash }
      const account = await fromStore(store.accountOf(id))
      // Of the event's own model, and of those of a chain that decided after it.
      const deciders = [asked, ...Object.values(found.event.decisions).flatMap(({ by }) => by ?? [])]
      const calibrators = new Map<string, ModelCalibrator>()
      for (const decider of deciders) {
        if (calibrators.has(identityOf(decider))) continue
        const { calibration } = await fromStore(servedFor(store.calibrations(account ?? ''), decider))
        calibrators.set(identityOf(decider), calibratorOf(calibration, decider))
      }
      return encodeEvent(found, (by) => calibrators.get(identityOf(by ?? asked))!)
    }
    const message = `Nothing is kept of this request: it decided nothing (reads without a check), or it is too old. Decisions are kept ${outcomes.retention}.`
    throw new ServiceRefusal('not_found', message)
  })

  app.post('/console/api/outcomes', async ({ body }): Promise<OutcomeReply> => {
    const { event, outcomes } = outcome(body)
    return fromStore(recordOutcome(store.outcomes(), event, outcomes as Readonly<Record<string, Json>>))
  })

  app.get('/console/api/calibration', async ({ query }): Promise<CalibrationViewReply> => {
    const { account } = whose(query)
    const calibration = await fromStore(calibrations.status(account))
    const diagrams = []
    for (const { model } of calibration.models) diagrams.push(await fromStore(calibrations.diagrams(account, model)))
    return { calibration, diagrams }
  })

  app.post('/console/api/calibration/fit', ({ body }) => {
    const { account, model } = fitting(body)
    return fromStore(calibrations.fit(account, model ?? null))
  })

  app.post('/console/api/calibration/rollback', ({ body }) =>
    fromStore(calibrations.rollBack(whose(body).account, 'asked for in the console')),
  )

  app.get('/console/api/quarantine', async (): Promise<QuarantineReply> => ({ bursts: await fromStore(store.quarantine.list()) }))

  app.post('/console/api/quarantine/release', async ({ body }): Promise<QuarantineEndReply> => {
    const labels = await fromStore(store.quarantine.release(whose(body).account))
    return { labels }
  })

  app.post('/console/api/quarantine/drop', async ({ body }): Promise<QuarantineEndReply> => {
    const labels = await fromStore(store.quarantine.drop(whose(body).account))
    return { labels }
  })
}
