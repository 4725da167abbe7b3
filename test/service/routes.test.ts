// A route that a test adds as one value is served, guarded, read, described, counted and hinted at, without a change
// anywhere else.
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openApiDocument } from '../../src/service/openapi/document.ts'
import { json, jsonBody, SMALL_ERRORS } from '../../src/service/openapi/operation.ts'
import { closed, ref, reply, STRING } from '../../src/service/openapi/schema.ts'
import { bodyReader } from '../../src/service/routes/body-reader.ts'
import { ROUTES, reservedNames } from '../../src/service/routes/index.ts'
import { defineRoute } from '../../src/service/routes/route.ts'
import { SETTING_TABLE } from '../../src/service/setting-table.ts'
import { until } from './gate.ts'
import { type Running, startRunning } from './running.ts'

const word = z.string('The word is a text.').min(1, 'The word is a text.')

const echo = defineRoute({
  method: 'POST',
  path: '/v1/echo',
  access: 'outcomes',
  body: bodyReader(z.object({ word, times: z.number('Times is a number.').default(1) }), {
    bytes: 1024,
    notAnObject: 'The body is an object with a word.',
  }),
  operation: {
    id: 'echo',
    tag: 'Service',
    summary: 'Say it again',
    request: jsonBody(ref('EchoRequest'), true, { 'A word': { word: 'hello' } }),
    replies: { 200: { description: 'Said again.', content: json(ref('EchoReply')) } },
    errors: SMALL_ERRORS,
  },
  schemas: { EchoRequest: closed('A word.', ['word'], { word: STRING }), EchoReply: reply('The word.', { word: STRING }) },
  open: ({ settings }) => ({
    answer: ({ body: { word, times }, request }) => ({ word: word.repeat(times), account: request.principal!.account, at: settings.host }),
  }),
})

let running: Running
afterEach(() => running.end())

describe('a route that is added', () => {
  it('is served to those who may call it, with its body read', async () => {
    running = await startRunning({ moreRoutes: [echo] })
    const answered = await running.post('/v1/echo', { word: 'ho', times: 2 })
    expect([answered.status, await answered.json()]).toEqual([200, { word: 'hoho', account: 'main', at: '127.0.0.1' }])
    const { secret } = await running.newKey({ scopes: ['ask'] })
    const refused = await running.post('/v1/echo', { word: 'ho' }, { headers: { authorization: `Bearer ${secret}` } })
    const { error } = await refused.json()
    expect([refused.status, error.code]).toEqual([403, 'permission_denied'])
    expect(error.message).toContain(
      'make one with it, by assay keys create --account main --name NAME --scope ask,outcomes, or in the console',
    )
    expect((await running.post('/v1/echo', { word: 'x'.repeat(2000) })).status).toBe(413)
  })

  it('says everything that is wrong with its body, unknown fields first', async () => {
    running = await startRunning({ moreRoutes: [echo] })
    const { error } = await (await running.post('/v1/echo', { word: 5, wrd: 1, times: 'x' })).json()
    expect(error.problems).toEqual([
      { param: '/wrd', message: 'The field "wrd" is not known. Did you mean "word"?' },
      { param: '/word', message: 'The word is a text.' },
      { param: '/times', message: 'Times is a number.' },
    ])
    expect(error).toMatchObject({ code: 'invalid_request', message: error.problems[0].message, param: '/wrd' })
    const list = await (await running.post('/v1/echo', [])).json()
    expect(list.error).toMatchObject({ message: 'The body is an object with a word.', param: '' })
  })

  it('is hinted at: another method is 405, and a path like it 404 with its name', async () => {
    running = await startRunning({ moreRoutes: [echo] })
    const other = await fetch(`${running.url}/v1/echo`)
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST'])
    expect((await (await running.post('/v1/ecko', {})).json()).error.message).toContain('/v1/echo')
  })

  it('is counted by its path', async () => {
    running = await startRunning({ moreRoutes: [echo] })
    await (await running.post('/v1/echo', { word: 'ho' })).text()
    await until(() => running.finished.length === 1)
    expect(running.finished[0]).toMatchObject({ route: '/v1/echo', method: 'POST', status: 200 })
  })

  it('is in the OpenAPI document', async () => {
    running = await startRunning({ moreRoutes: [echo] })
    const document = await (await fetch(`${running.url}/openapi.json`)).json()
    expect(document).toEqual(JSON.parse(JSON.stringify(openApiDocument('systemone', [...ROUTES, echo]))))
    expect((document as ReturnType<typeof JSON.parse>).paths['/v1/echo'].post.operationId).toBe('echo')
    expect((document as ReturnType<typeof JSON.parse>).components.schemas.EchoReply).toBeDefined()
  })

  it('keeps its name from the setting legacyName, as those of the registry do', async () => {
    running = await startRunning()
    expect(reservedNames([...ROUTES, echo])).toContain('echo')
    const { kind } = SETTING_TABLE.find(({ field }) => field === 'legacyName')!
    for (const name of reservedNames()) expect(kind.read(name), name).toBeNull()
    expect(kind.read('echo')).toBe('echo')
  })
})
