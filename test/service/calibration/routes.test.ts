import { afterEach, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../../src/backends/fake/index.ts'
import { fit as fitCalibration } from '../../../src/calibration/fit.ts'
import { refit } from '../../../src/calibration/refit/refit.ts'
import { partOf } from '../../../src/calibration/refit/trials.ts'
import { chainOf } from '../../../src/pipeline/chain.ts'
import type { CalibrationReply, ChangeReply, FitReply } from '../../../src/service/calibration/replies.ts'
import { openStore } from '../../../src/service/store/open.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { type Running, startRunning } from '../running.ts'
import { evidenceOf, held, keep, live, QUESTIONS, SCRIPT, saidAtTwo, stateAt } from './over-sure.ts'

let running: Running
/** A store that a test opened itself. */
let memory: Store | null = null
afterEach(async () => {
  await running.end()
  await memory?.close()
  memory = null
})

const start = async (): Promise<Running> => startRunning({ fake: SCRIPT })
const modelOf = ({ engine }: Running) => engine.loaded()[0]!

async function read<T>(response: Response): Promise<T> {
  expect(response.status).toBe(200)
  return (await response.json()) as T
}
const postFit = async (body: unknown = {}) => read<FitReply>(await running.post('/v1/calibration/fit', body))
const status = async () =>
  read<CalibrationReply>(await fetch(`${running.url}/v1/calibration`, { headers: { authorization: `Bearer ${running.secret}` } }))

interface Refused {
  readonly error: { readonly code: string; readonly message: string; readonly param: string | null }
}
async function refusal(response: Response): Promise<[number, string, string | null]> {
  const { error } = (await response.json()) as Refused
  return [response.status, error.code, error.param]
}

describe('POST /v1/calibration/fit', () => {
  it('learns from outcomes that came over HTTP, and answers with what it learned from then on', async () => {
    running = await start()
    await live(running, 160, 1)
    const before = await saidAtTwo(running)
    expect(before.version).toBeNull()

    const reply = await postFit()
    expect(reply).toMatchObject({ model: 'service-1-pro', decision: 'serve', version: expect.stringMatching(/^cal_[0-9a-f]{12}$/) })
    expect(reply.held_out!.candidate).toBeLessThan(reply.held_out!.current)
    expect(reply.reason).toContain(reply.held_out!.candidate.toFixed(4))

    const after = await saidAtTwo(running)
    expect(after.version).toBe(reply.version)
    // The model says 0.88; the truth is 0.62.
    expect(Math.abs(after.noul - 0.62)).toBeLessThan(Math.abs(before.noul - 0.62) / 2)
  })

  it('needs no body, and learns from the outcomes of the account alone', async () => {
    running = await start()
    const model = modelOf(running)
    await keep(running.store.outcomes('main'), model, evidenceOf(150, 1))
    await keep(running.store.outcomes('two'), model, evidenceOf(150, 2, 150), 150)
    const headers = { authorization: `Bearer ${running.secret}` }
    const reply = await read<FitReply>(await fetch(`${running.url}/v1/calibration/fit`, { method: 'POST', headers }))
    const { calibration } = await running.store.calibrations('main').current(model)
    expect(calibration).toMatchObject({ version: reply.version, fittedOn: { decisions: 150 } })
    expect((await running.store.calibrations('two').current(model)).calibration).toBeNull()
  })

  it('serves what the command line would: the same outcomes, the same calibration', async () => {
    running = await start()
    const evidence = evidenceOf(200, 3)
    await keep(running.store.outcomes('main'), modelOf(running), evidence)
    const { id, revision, templateHash } = modelOf(running)
    // Window and evidence hold the same decisions here.
    const expected = refit(null, evidence, { id, revision, templateHash })
    expect((await postFit()).version).toBe(expected.candidate!.version)
  })

  it('keeps what is served, and says so, when there are too few outcomes', async () => {
    running = await start()
    await keep(running.store.outcomes('main'), modelOf(running), evidenceOf(15, 4))
    const reply = await postFit()
    expect(reply).toMatchObject({ decision: 'keep', version: null, held_out: null })
    expect(reply.reason).toContain('15 labels')
    expect((await status()).history).toEqual([])
  })

  it('keeps a worse candidate out', async () => {
    running = await start()
    const model = modelOf(running)
    const current = fitCalibration(evidenceOf(3000, 5), { id: model.id, revision: model.revision, templateHash: model.templateHash })
    await running.store.calibrations('main').serve(current, { at: 0, why: 'for the test', heldOut: null })
    // Labels that have nothing to do with the question teach only noise; those that are held out tell.
    const noise = evidenceOf(600, 6, 3000)
    const misled = noise.map((item, i) => ({ ...item, truth: partOf(item.state, 0.2) === 0 ? item.truth : [i % 2] }))
    await keep(running.store.outcomes('main'), model, misled)
    const reply = await postFit()
    expect(reply).toMatchObject({ decision: 'keep', version: current.version })
    expect(reply.held_out!.candidate).toBeGreaterThan(reply.held_out!.current)
    expect((await running.store.calibrations('main').current(model)).calibration!.version).toBe(current.version)
  })

  it('answers others meanwhile, and refuses a second fit with the time to come back', async () => {
    memory = await openStore(':memory:')
    const { store, isRead, letGo } = held(memory)
    running = await startRunning({ fake: SCRIPT, store })
    await keep(store.outcomes('main'), modelOf(running), evidenceOf(150, 7))
    const first = postFit()
    await isRead
    expect((await running.ask({ state: stateAt(1), questions: QUESTIONS })).status).toBe(200)
    const second = await running.post('/v1/calibration/fit', {})
    expect(second.headers.get('retry-after')).toBe('5')
    expect((await refusal(second)).slice(0, 2)).toEqual([503, 'overloaded'])
    letGo()
    const { version } = await first
    expect(await postFit()).toMatchObject({ version })
  })

  it('keeps what came to be served during the fit, which the candidate was not held against', async () => {
    memory = await openStore(':memory:')
    const { store, isRead, letGo } = held(memory)
    running = await startRunning({ fake: SCRIPT, store })
    const { id, revision, templateHash } = modelOf(running)
    await keep(store.outcomes('main'), modelOf(running), evidenceOf(150, 8))
    const fitting = postFit()
    await isRead
    const other = fitCalibration(evidenceOf(300, 9), { id, revision, templateHash })
    await store.calibrations('main').serve(other, { at: 0, why: 'by hand', heldOut: null })
    letGo()
    expect(await fitting).toMatchObject({ decision: 'keep', version: other.version, reason: expect.stringContaining('fit again') })
  })

  it('is given up when the service ends, and leaves the next one free to fit', async () => {
    memory = await openStore(':memory:')
    const { store, isRead, letGo } = held(memory)
    running = await startRunning({ fake: SCRIPT, store })
    await keep(store.outcomes('main'), modelOf(running), evidenceOf(150, 10))
    const fitting = running.post('/v1/calibration/fit', {})
    await isRead
    const ending = running.end()
    expect((await refusal(await fitting)).slice(0, 2)).toEqual([503, 'overloaded'])
    await ending
    letGo()
    running = await startRunning({ fake: SCRIPT, store: memory })
    expect((await postFit()).decision).toBe('serve')
  })

  it('fails in our words when outcomes cannot be read, and can be tried again', async () => {
    const own = await openStore(':memory:')
    memory = own
    let isBroken = true
    const outcomes: Store['outcomes'] = (account) => {
      const all = own.outcomes(account)
      // biome-ignore lint/correctness/useYield: it fails before it has anything to give
      const broken = async function* () {
        throw new Error('disk I/O error at /var/lib/secret')
      }
      return { ...all, evidence: () => (isBroken ? broken() : all.evidence()) }
    }
    running = await startRunning({ fake: SCRIPT, store: { ...own, outcomes } })
    const failed = await running.post('/v1/calibration/fit', {})
    expect(failed.status).toBe(503)
    expect(await failed.text()).not.toContain('secret')
    isBroken = false
    expect((await postFit()).decision).toBe('keep')
  })

  it('takes models by their names and aliases, and says which fields and models there are', async () => {
    running = await start()
    expect((await postFit({ model: 'gpt-4o' })).model).toBe('service-1-pro')
    const post = async (body: unknown) => refusal(await running.post('/v1/calibration/fit', body))
    expect(await post({ model: 'service-1-po' })).toEqual([404, 'model_not_found', '/model'])
    expect(await post({ modle: 'service-1-pro' })).toEqual([400, 'invalid_request', '/modle'])
    expect(await post({ model: 7 })).toEqual([400, 'invalid_request', '/model'])
    expect(await post([])).toEqual([400, 'invalid_request', ''])
  })
})

describe('a fit that names no model', () => {
  const named = async () => (await postFit()).model

  it('is of the model that answers what names none', async () => {
    const models = [createFakeBackend({ id: 'service-1-pro' }), createFakeBackend({ id: 'small' })]
    running = await startRunning({ models, calibrationLookMs: 0 })
    expect(await named()).toBe('service-1-pro')
    await running.store.aliases.point('default', 'small', '')
    expect(await named()).toBe('small')
  })

  it('is of the default model where a chain answers', async () => {
    const models = [createFakeBackend({ id: 'service-1-pro' }), createFakeBackend({ id: 'large' })]
    const chain = chainOf(['service-1-pro', 'large'], { id: 'auto' })
    running = await startRunning({ models: [...models, chain], settings: { aliases: { default: 'auto' } } })
    expect(await named()).toBe('service-1-pro')
  })
})

describe('POST /v1/calibration/rollback', () => {
  it('leaves open whether it happened when the database breaks', async () => {
    running = await start()
    const { calibrations } = running.store
    const breaking: typeof calibrations = (account) => ({ ...calibrations(account), rollBack: () => Promise.reject(new Error('cut')) })
    Object.assign(running.store, { calibrations: breaking })
    const reply = await running.post('/v1/calibration/rollback', {})
    const { error } = (await reply.json()) as Refused
    expect([reply.status, error.code]).toEqual([503, 'overloaded'])
    expect(error.message).toContain('not known whether the calibration was rolled back')
    expect(error.message).not.toMatch(/try again/i)
  })

  it('answers with what was served before', async () => {
    running = await start()
    const before = await saidAtTwo(running)
    await keep(running.store.outcomes('main'), modelOf(running), evidenceOf(150, 8))
    const { version } = await postFit()
    const change = await read<ChangeReply>(await running.post('/v1/calibration/rollback', { why: 'it felt wrong' }))
    expect(change).toMatchObject({ action: 'roll back', version: null, from: version, why: 'it felt wrong' })
    expect(await saidAtTwo(running)).toEqual(before)
  })

  it('is refused when nothing was served', async () => {
    running = await start()
    expect(await refusal(await running.post('/v1/calibration/rollback', {}))).toEqual([400, 'invalid_request', null])
  })
})

describe('GET /v1/calibration', () => {
  it('says what answers, from what, and how many outcomes wait', async () => {
    running = await start()
    await keep(running.store.outcomes('main'), modelOf(running), evidenceOf(240, 9))
    const [none] = (await status()).models
    expect(none).toMatchObject({ model: 'service-1-pro', version: null, source: 'none', served_since: null, fitted_on: null, labels: [] })
    expect(none!.outcomes).toEqual({ labels: 240, waiting: 240 })
    // The fake is called as the shipped model is, and is not it.
    expect(none!.notes).toEqual([expect.stringContaining('another revision')])

    const { version, held_out, reason } = await postFit()
    const { models, history } = await status()
    expect(models).toHaveLength(1)
    expect(models[0]).toMatchObject({
      version,
      source: 'refitted',
      fitted_on: { decisions: 240, states: 240 },
      labels: [{ readout: 'binary', labels: 240, kinds: [{ kind: 'binary text any', labels: 240 }] }],
      outcomes: { labels: 240, waiting: 0 },
      notes: [],
    })
    expect(history).toEqual([{ at: models[0]!.served_since, action: 'serve', version, from: null, why: reason, held_out }])
  })

  it('raises the alarm when answers are surer than what comes true', async () => {
    running = await start()
    await keep(running.store.outcomes('main'), modelOf(running), evidenceOf(400, 10))
    const { drift } = (await status()).models[0]!
    expect(drift).toMatchObject({ events: 400, labels: 400, has_reference: false })
    expect(drift.alarms.map(({ kind }) => kind)).toContain('over-sure')
  })

  it('shows an account its own counts, alarms and history, and nothing of others', async () => {
    running = await start()
    const named = evidenceOf(400, 10).map((item) => ({ ...item, task: 'is_fraud_at_acme', weight: 20 }))
    await keep(running.store.outcomes('acme'), modelOf(running), named)
    const acme = await running.newKey({ account: 'acme' })
    const as = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } })
    const fitted = await read<FitReply>(await running.post('/v1/calibration/fit', {}, as(acme.secret)))
    const change = await running.post('/v1/calibration/rollback', { why: 'acme felt it was wrong' }, as(acme.secret))
    expect(change.status).toBe(200)

    const shown = async (secret: string) => (await fetch(`${running.url}/v1/calibration`, as(secret))).text()
    const [own, other] = [await shown(acme.secret), await shown((await running.newKey({ account: 'other' })).secret)]
    expect(JSON.parse(own)).toMatchObject({ account: 'acme', history: [{ from: fitted.version }, { version: fitted.version }] })
    // Labels count once, whatever they weigh.
    expect(JSON.parse(own).models[0].outcomes).toEqual({ labels: 400, waiting: 400 })
    expect(own).toContain('is_fraud_at_acme')
    expect(JSON.parse(other)).toMatchObject({
      account: 'other',
      history: [],
      quarantined: 0,
      models: [{ outcomes: { labels: 0, waiting: 0 } }],
    })
    for (const word of ['acme', 'over-sure', fitted.version!]) expect(other).not.toContain(word)
  })

  it('looks at the outcomes once a minute at most', async () => {
    let now = 1_000_000
    running = await startRunning({ fake: SCRIPT, now: () => now })
    const outcomes = running.store.outcomes('main')
    await keep(outcomes, modelOf(running), evidenceOf(10, 11))
    const first = await status()
    await keep(outcomes, modelOf(running), evidenceOf(10, 12, 10), 10)
    expect(await status()).toEqual(first)
    now += 61_000
    expect((await status()).models[0]!.outcomes.labels).toBe(20)
  })

  it('is open to every key, and changing to those with the scope alone', async () => {
    running = await start()
    const { secret } = await running.newKey({ scopes: ['outcomes'] })
    const authorization = { authorization: `Bearer ${secret}` }
    expect((await fetch(`${running.url}/v1/calibration`, { headers: authorization })).status).toBe(200)
    expect((await fetch(`${running.url}/v1/calibration`)).status).toBe(401)
    for (const path of ['/v1/calibration/fit', '/v1/calibration/rollback']) {
      const response = await running.post(path, {}, { headers: authorization })
      expect((await refusal(response)).slice(0, 2)).toEqual([403, 'permission_denied'])
    }
  })
})
