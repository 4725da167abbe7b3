// Names that stand for models while a service runs: who answers, from when on, and what is said of it.
import { afterEach, describe, expect, it } from 'vitest'
import type { Backend } from '../../src/backends/backend.ts'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { createAliases } from '../../src/service/aliases.ts'
import { openStore } from '../../src/service/store/open.ts'
import type { Alias, Store } from '../../src/service/store/store.ts'
import { codeOf, type SignedIn, startSignedIn } from './console/signed-in.ts'
import { QUESTION, type Running, startRunning, type Wire } from './running.ts'

/** A fake model with weights of its own. */
function model(id: string): Backend {
  const fake = createFakeBackend({ id })
  return { ...fake, info: { ...fake.info, revision: `weights of ${id}` } }
}

let running: Running | SignedIn
afterEach(() => running.end())

/** Who answered: model and hash of its weights. */
async function answeredBy(name?: string | null): Promise<string[]> {
  const reply = await running.ask({ ...QUESTION, ...(name === undefined ? {} : { model: name }) })
  const { model: id, simo, error } = await (reply as Wire).json()
  return error === undefined ? [id, simo.model_revision] : [error.code]
}
const SMALL = ['small', 'weights of small']
const LARGE = ['large', 'weights of large']

describe('an alias', () => {
  it('is pointed to another model while the service runs, and each answer says which one it was', async () => {
    running = await startRunning({ models: [model('small'), model('large')], calibrationLookMs: 0 })
    expect(await answeredBy('fast')).toEqual(['model_not_found'])
    await running.store.aliases.point('fast', 'small', 'to begin with')
    expect(await answeredBy('fast')).toEqual(SMALL)
    await running.store.aliases.point('fast', 'large', 'better')
    expect(await answeredBy('fast')).toEqual(LARGE)
    const { models } = (await (await fetch(`${running.url}/v1/models`)).json()) as { models: { id: string; aliases?: string[] }[] }
    expect(models.filter(({ aliases }) => aliases !== undefined)).toMatchObject([{ id: 'large', aliases: ['fast'] }])
    expect(running.log).toContainEqual({
      level: 'info',
      fields: { alias: 'fast', model: 'large', from: 'small' },
      message: 'an alias stands for another model',
    })
    await running.store.aliases.point('fast', null, 'no more')
    expect(await answeredBy('fast')).toEqual(['model_not_found'])
    // What answered when: the log of requests beside the history.
    const asked = await running.store.requests.list({ limit: 9 })
    expect(asked.filter(({ status }) => status === 200).map((request) => request.model)).toEqual(['large', 'small'])
  })

  it('called default answers requests that name no model', async () => {
    running = await startRunning({ models: [model('small'), model('large')], calibrationLookMs: 0 })
    expect(await answeredBy()).toEqual(SMALL)
    await running.store.aliases.point('default', 'large', '')
    expect([await answeredBy(), await answeredBy(null), await answeredBy('default')]).toEqual([LARGE, LARGE, LARGE])
    expect(await answeredBy('small')).toEqual(SMALL)
    await running.store.aliases.point('default', null, '')
    expect(await answeredBy()).toEqual(SMALL)
  })

  it('of the settings stands until the store says otherwise, and again after; a model goes before both', async () => {
    running = await startRunning({
      models: [model('small'), model('large')],
      settings: { aliases: { 'gpt-*': 'small', default: 'large' } },
      calibrationLookMs: 0,
    })
    expect([await answeredBy('gpt-9'), await answeredBy()]).toEqual([SMALL, LARGE])
    await running.store.aliases.point('gpt-*', 'large', '')
    await running.store.aliases.point('default', 'small', '')
    await running.store.aliases.point('small', 'large', 'a model of that name is served')
    expect([await answeredBy('gpt-9'), await answeredBy(), await answeredBy('small')]).toEqual([LARGE, SMALL, SMALL])
    await running.store.aliases.point('gpt-*', null, '')
    expect(await answeredBy('gpt-9')).toEqual(SMALL)
  })

  it('for a model that is not served is refused, and the log warns of it', async () => {
    running = await startRunning({ models: [model('small')], calibrationLookMs: 0 })
    await running.store.aliases.point('fast', 'gone', '')
    expect(await answeredBy('fast')).toEqual(['model_not_found'])
    expect(running.log.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        fields: { alias: 'fast', model: 'gone', from: null },
        message: 'an alias stands for a model that is not served; requests for it are refused',
      },
    ])
  })

  it('is read anew at most so often, and stays as it is while the store cannot be read', async () => {
    running = await startRunning({ models: [model('small')] })
    let [at, looks] = [0, 0]
    let stored: readonly Alias[] | Error = [{ name: 'fast', model: 'small', since: 0 }]
    const current = async (): Promise<readonly Alias[]> => {
      looks += 1
      if (stored instanceof Error) throw stored
      return stored
    }
    const warned: string[] = []
    const aliases = createAliases({
      engine: running.engine,
      store: { aliases: { ...running.store.aliases, current } } satisfies Pick<Store, 'aliases'>,
      settings: { aliases: {} },
      log: { info() {}, warn: (_fields, message) => warned.push(message) },
      now: () => at,
      everyMs: 20,
    })
    expect(await aliases.table()).toEqual({ fast: 'small' })
    stored = []
    expect(await aliases.table()).toEqual({ fast: 'small' })
    stored = new Error('the database is away')
    at = 20
    expect(await aliases.table()).toEqual({ fast: 'small' })
    expect(warned).toEqual(['aliases could not be read from the store; those in use stay'])
    stored = []
    at = 40
    expect(await aliases.table()).toEqual({})
    expect(looks).toBe(3)
  })

  it('reaches every replica of a database', async () => {
    const store = await openStore(':memory:')
    running = await startRunning({ models: [model('small'), model('large')], store, calibrationLookMs: 0 })
    const other = await startRunning({ models: [model('small'), model('large')], store, calibrationLookMs: 0 })
    await other.service.context.aliases.point('fast', 'large', 'on another replica')
    expect(await answeredBy('fast')).toEqual(LARGE)
    await other.end()
  })
})

describe('aliases in the console', () => {
  const signed = (): SignedIn => running as SignedIn

  it('are pointed at once, with their history', async () => {
    // Never looked for again within this test: the change itself is seen at once.
    running = await startSignedIn({ models: [model('small'), model('large')], settings: { aliases: { 'gpt-*': 'gone' } } })
    expect(await answeredBy()).toEqual(SMALL)
    const reply = await signed().send('aliases', { name: 'default', model: 'large', why: 'evaluated on Monday' })
    expect(await reply.json()).toEqual({
      change: { at: expect.any(Number), name: 'default', model: 'large', from: null, why: 'evaluated on Monday' },
    })
    expect(await answeredBy()).toEqual(LARGE)
    expect(await (await signed().send('aliases', { name: 'default', model: 'large' })).json()).toEqual({ change: null })
    expect(await (await signed().read('aliases')).json()).toEqual({
      models: [
        { id: 'small', is_available: true, stages: [] },
        { id: 'large', is_available: true, stages: [] },
        { id: 'service-1', is_available: false, stages: [] },
      ],
      default_model: 'small',
      aliases: [
        { name: 'default', model: 'large', since: expect.any(Number), is_served: true, otherwise: 'small' },
        { name: 'gpt-*', model: 'gone', since: null, is_served: false, otherwise: null },
      ],
      history: [{ at: expect.any(Number), name: 'default', model: 'large', from: null, why: 'evaluated on Monday' }],
    })
    await signed().send('aliases', { name: 'default', model: null })
    expect(await answeredBy()).toEqual(SMALL)
    const { aliases, history } = (await (await signed().read('aliases?name=default&limit=1')).json()) as {
      aliases: unknown[]
      history: object[]
    }
    expect([aliases, history]).toEqual([[], [expect.objectContaining({ model: null, from: 'large', why: 'in the console' })]])
  })

  it('say what answers once they are taken away: the settings, a pattern, or nothing', async () => {
    running = await startSignedIn({ models: [model('small'), model('large')], settings: { aliases: { fast: 'small', 'gpt-*': 'gone' } } })
    for (const name of ['fast', 'gpt-4', 'new', 'new-*', 'new-er']) await signed().send('aliases', { name, model: 'large' })
    const { aliases } = (await (await signed().read('aliases')).json()) as { aliases: { name: string; otherwise: string | null }[] }
    expect(Object.fromEntries(aliases.map(({ name, otherwise }) => [name, otherwise]))).toEqual({
      fast: 'small',
      'gpt-*': null,
      'gpt-4': null,
      new: null,
      'new-*': null,
      'new-er': 'large',
    })
  })

  it('may have 128 characters, and a * counts as one', async () => {
    running = await startSignedIn({ models: [model('small')] })
    for (const name of ['a'.repeat(128), `${'b'.repeat(127)}*`]) {
      expect((await signed().send('aliases', { name, model: 'small' })).status).toBe(200)
      expect((await signed().send('aliases', { name: `c${name}`, model: 'small' })).status).toBe(400)
    }
  })

  it('are refused for names and models that cannot be, and without the token of the page', async () => {
    running = await startSignedIn({ models: [model('small'), model('large')] })
    for (const [body, param, message] of [
      [{ name: 'fast', model: 'lage' }, '/model', /^No model "lage" is served\. Did you mean "large".*There is small, large\.$/],
      [{ name: 'fast', model: 'service-1' }, '/model', /is served/],
      [{ name: 'small', model: 'large' }, '/name', /small is a model itself/],
      [{ name: 'a b', model: 'small' }, '/name', /without spaces/],
      [{ name: '*a', model: 'small' }, '/name', /a \* may end it/],
      [{ name: '*', model: 'small' }, '/name', /a \* may end it/],
      [{ name: 'fast' }, '/model', /"model" is missing/],
      [{ name: 'fast', model: 'small', who: 'me' }, '/who', /who/],
    ] as const) {
      const reply = await signed().send('aliases', body)
      const { error } = (await reply.json()) as { error: { code: string; param: string; message: string } }
      expect([reply.status, error.code, error.param]).toEqual([400, 'invalid_request', param])
      expect(error.message).toMatch(message)
    }
    const forged = await signed().send('aliases', { name: 'fast', model: 'small' }, { 'x-csrf-token': 'no' })
    expect(forged.status).toBe(403)
    expect(await codeOf(await fetch(`${running.url}/console/api/aliases`))).toBe('not_signed_in')
    expect(await running.store.aliases.history({ limit: 1 })).toEqual([])
  })
})
