// The schemas of requests held to the engine: what one refuses the other refuses, over every small change to requests
// that both take.
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { EngineError } from '../../src/core/errors.ts'
import { ask } from '../../src/service/dialects/ask.ts'
import { decisions } from '../../src/service/dialects/decisions.ts'
import type { Dialect } from '../../src/service/dialects/dialect.ts'
import { systemone } from '../../src/service/dialects/systemone.ts'
import { DECISION, SYSTEM_ONE } from '../../src/service/openapi/examples.ts'
import { animation } from '../media/video/clips.ts'
import { documentOf, schemasOf } from './described.ts'
import { type Through, through } from './dialects/through.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const schemas = schemasOf(documentOf())
const PNG = (
  await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
).toString('base64')
const URL = `data:image/png;base64,${PNG}`
const GIF = (await animation('gif', ['red', 'lime'], [3000, 3000])).toString('base64')
const SOURCE = { type: 'base64', media_type: 'image/png', data: PNG }

const level = ['low', { label: 'high', description: 'a lot' }]
const QUESTIONS: Json = {
  noul: { type: 'noul', instructions: 'x', criteria: { true: 'yes', false: null } },
  map: { type: 'choice', criteria: { a: 'text', b: null }, args: { s: { type: 'score', criteria: level } } },
  list: { type: 'choice', options: ['a', { value: 'b', description: 'text', args: { c: { type: 'choice', options: ['x', 'y'] } } }] },
  score: { type: 'score', criteria: level },
  select: { type: 'select', criteria: ['a', { value: 'b', description: 'text' }], min: 1, max: 2, threshold: 0.5 },
  fill: { type: 'fill', kind: 'int', self_check: true },
  enum: { type: 'fill', kind: 'enum', values: ['a', 'b'] },
  items: { type: 'fill', kind: 'list', item: { kind: 'enum', values: ['a', 'b'] } },
  texts: { type: 'fill', kind: 'list', item: 'date' },
  extract: { type: 'extract', kind: 'money', many: true, self_check: false },
}
const PARTS: Json = [
  { type: 'text', text: 'x' },
  { type: 'json', value: { a: 1 } },
  { type: 'image', id: 'a', source: SOURCE },
  { type: 'image', source: { type: 'url', url: URL } },
  { type: 'image', id: 'c', source: URL },
  { type: 'image_url', id: 'd', image_url: { url: URL } },
  { type: 'input_image', id: 'e', image_url: URL, detail: 'low' },
  {
    type: 'video',
    id: 'v',
    frames: [
      { source: SOURCE, t_ms: 0 },
      { source: SOURCE, t_ms: 40 },
    ],
  },
  { type: 'video', id: 'clip', source: { ...SOURCE, data: GIF }, fps: 2, max_frames: 4, start_ms: 10, end_ms: 2000 },
  { type: 'file', id: 'f', mediaType: 'video/mp4', data: GIF, filename: 'a.mp4', fps: 1 },
  { type: 'file', id: 'g', mediaType: 'image/png', data: URL },
]

const VALUES: readonly Json[] = [null, true, -1, 0.5, 7, '', ' ', 'x', [], ['x'], {}, { type: 'x' }]

/** A copy with the value at a path replaced; undefined takes it out. */
function changed(value: Json, path: readonly (string | number)[], put: Json | undefined): Json {
  const [first, ...rest] = path
  if (first === undefined) return put as Json
  if (Array.isArray(value)) {
    if (rest.length === 0 && put === undefined) return value.filter((_, i) => i !== first)
    return value.map((item, i) => (i === first ? changed(item, rest, put) : item))
  }
  const fields = { ...(value as { [key: string]: Json }) }
  if (rest.length === 0 && put === undefined) delete fields[first]
  else fields[first] = changed(fields[first] as Json, rest, put)
  return fields
}

function* pathsOf(value: Json, path: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  yield path
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) yield* pathsOf(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

/** Every value below `from` taken out, replaced by one of every kind, and every object given a field more. */
function* mutations(body: Json, from: readonly (string | number)[]): Generator<{ readonly what: string; readonly body: Json }> {
  const below = from.reduce<Json>((here, key) => (here as { [key: string]: Json })[key] as Json, body)
  for (const path of pathsOf(below)) {
    const full = [...from, ...path]
    const at = full.join('/')
    if (path.length > 0) yield { what: `without ${at}`, body: changed(body, full, undefined) }
    for (const value of VALUES) yield { what: `${at} = ${JSON.stringify(value)}`, body: changed(body, full, value) }
    yield { what: `${at}/zz`, body: changed(body, [...full, 'zz'], 'x') }
  }
}

/** What a schema cannot say: it looks at one value at a time, and never into bytes. */
const BEYOND_SCHEMAS = new RegExp(
  [
    'given twice|are both called|There is no image|There is no model|there is no question or derive|No function_call before it',
    'but there are \\d+ options|a number above start_ms|more than max, which is|Frames are in order',
    'is not base64|not whole base64|No file "|send one of image/|The (?:image|video) has 0 bytes|reads data:<media type>',
  ].join('|'),
)

/** Where the schema and the service do not agree. `null`: accepted. */
async function disagreements(
  dialect: Dialect,
  schema: string,
  cases: Iterable<{ readonly what: string; readonly body: Json }>,
): Promise<{ tried: number; refused: number; wrong: string[] }> {
  const service: Through = await through(dialect)
  const validate = schemas.at(`#/components/schemas/${schema}`)
  const wrong: string[] = []
  let [tried, refused] = [0, 0]
  for (const { what, body } of cases) {
    tried++
    const error = await service.ask(body).then(
      () => null,
      (reason: unknown) => reason as EngineError,
    )
    if (error !== null && !(error instanceof EngineError)) throw error
    if (error !== null) refused++
    const isValid = validate(body)
    if (isValid === (error === null)) continue
    if (isValid && BEYOND_SCHEMAS.test(error?.message ?? '')) continue
    const [why] = validate.errors ?? []
    wrong.push(
      `${what}: ${isValid ? `refused, but valid: ${error?.message}` : `answered, but invalid: ${why?.instancePath} ${why?.message}`}`,
    )
  }
  return { tried, refused, wrong }
}

describe('the schema of a request', () => {
  it('takes as many questions as a service may be set to take', () => {
    const questions = Array.from({ length: 300 }, (_, i) => ({ type: 'noul', instructions: `It is ${i}.` }))
    const byId = { ...questions }
    const predicates = questions.map((question, i) => ({ ...question, type: 'predicate', name: `n${i}` }))
    const takes = (name: string, body: object) => schemas.at(`#/components/schemas/${name}`)(body)
    expect(takes('AskRequest', { state: 'x', questions: byId })).toBe(true)
    expect(takes('SystemOneRequest', { state: 'x', questions: byId })).toBe(true)
    expect(takes('DecisionRequest', { input: 'x', questions: predicates })).toBe(true)
  })

  it('takes what the engine takes of questions, and refuses what it refuses', async () => {
    const body: Json = { state: 'Some text.', questions: QUESTIONS }
    const { tried, refused, wrong } = await disagreements(ask, 'AskRequest', mutations(body, ['questions']))
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(200)
    expect(tried - refused).toBeGreaterThan(150)
  })

  it('takes what the engine takes of parts, and refuses what it refuses', async () => {
    const body: Json = { state: PARTS, questions: { q: { type: 'noul' } } }
    const { tried, refused, wrong } = await disagreements(ask, 'AskRequest', mutations(body, ['state']))
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(200)
    expect(tried - refused).toBeGreaterThan(20)
  })

  it('takes what the engine takes around them, and refuses what it refuses', async () => {
    const body: Json = { model: 'service-1-pro', state: 'x', questions: { q: { type: 'noul' } }, derive: { a: '1', b: { expr: '2' } } }
    const { wrong } = await disagreements(ask, 'AskRequest', mutations(body, []))
    expect(wrong).toEqual([])
  })

  it('takes what the System One route takes, and refuses what it refuses', async () => {
    const body = { ...SYSTEM_ONE, model: 'service-1-pro' } as unknown as Json
    const { wrong } = await disagreements(systemone, 'SystemOneRequest', mutations(body, ['questions']))
    expect(wrong).toEqual([])
  })

  it('takes what the System One route takes of pictures, and refuses what it refuses', async () => {
    const assets: Json = { cat: { type: 'image', format: 'png', data_base64: PNG }, '<image:1>': { data_base64: PNG, part: null } }
    const body: Json = { state: 'A cat: cat', questions: { q: { type: 'noul', instructions: 'Is cat a cat?' } }, assets }
    const { tried, refused, wrong } = await disagreements(systemone, 'SystemOneRequest', mutations(body, ['assets']))
    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(20)
    expect(tried - refused).toBeGreaterThan(10)
  })

  it('takes what the decisions route takes, and refuses what it refuses', async () => {
    const call = { type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' }
    const input: Json = [...(DECISION.input as unknown as Json[]), call, { type: 'function_call_output', call_id: 'c', output: 'x' }]
    const { wrong } = await disagreements(decisions, 'DecisionRequest', mutations({ ...DECISION, input } as unknown as Json, []))
    expect(wrong).toEqual([])
  })
})
