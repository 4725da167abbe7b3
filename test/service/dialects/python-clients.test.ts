// What published Python clients sent to a service, sent again: it is answered as they read it then. The script that
// records it is test/golden/clients/make.py. (Users and tests need no Python.)
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { misfits, type Shape } from '../../conformance/shapes.ts'
import { type Running, startRunning } from '../running.ts'

interface Recorded {
  readonly what: string
  readonly request: {
    readonly method: string
    readonly path: string
    /** The header Content-Type. */
    readonly type: string
    readonly body: { readonly text?: string; readonly base64?: string }
  }
  readonly status: number
  readonly reply: Shape
}

interface Golden {
  readonly client: string
  readonly entries: readonly Recorded[]
}

const GOLDENS: readonly Golden[] = await Promise.all(
  ['openai', 'typesafe-sdk'].map(async (name) =>
    JSON.parse(await readFile(new URL(`../../golden/clients/${name}.json`, import.meta.url), 'utf8')),
  ),
)

/** Texts that clients tell apart; of others only that they are texts. */
const LITERAL = ['type', 'object', 'code', 'param', 'choice', 'name', 'owned_by']

/** The shape of a reply: its fields with their types. Fields may be added. */
function shapeOf(reply: Shape, field = ''): Shape {
  if (typeof reply === 'number') return '<number>'
  if (typeof reply === 'string') return LITERAL.includes(field) ? reply : '<string>'
  if (typeof reply !== 'object' || reply === null) return reply
  if (Array.isArray(reply)) return reply.map((item) => shapeOf(item, field))
  // Names of questions are free; how long each step took is nobody's contract.
  return Object.fromEntries(
    Object.entries(reply).flatMap(([name, inner]) => (name === 'timings_ms' ? [] : [[name, shapeOf(inner, name)] as const])),
  )
}

let running: Running
beforeAll(async () => {
  running = await startRunning()
})
afterAll(() => running.end())

describe.each(GOLDENS)('the Python client $client', ({ entries }) => {
  it.each(entries)('is answered as it read it: $what', async ({ what, request, status, reply }) => {
    const { method, path, type, body } = request
    const key = what === 'a stranger' ? 'service_sk_none' : running.secret
    const sent = body.base64 === undefined ? body.text : Buffer.from(body.base64, 'base64')
    const response = await fetch(`${running.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(type === '' ? {} : { 'content-type': type }) },
      ...(method === 'GET' ? {} : { body: sent }),
    } as RequestInit)
    const read = await response.json()
    expect({ status: response.status, misfits: misfits(read, shapeOf(reply)) }).toEqual({ status, misfits: [] })
  })

  it('sends texts, JSON, pictures, very many options and mistakes', () => {
    const sent = entries.map(({ what }) => what)
    for (const what of ['a text', 'JSON', 'many options', 'models', 'an error', 'a stranger']) expect(sent).toContain(what)
    expect(sent.some((what) => what.startsWith('a picture'))).toBe(true)
  })
})
