// The tools as the published clients of the protocol use them: the JavaScript clients of both generations, and what the
// Python client sent to `assay mcp`, sent again.
import { readFile } from 'node:fs/promises'
import { Client as SecondClient } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { createMcpServer } from '../../src/mcp/server.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import { MANY, PNG } from '../service/dialects/clients.ts'
import { createGate } from '../service/gate.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A transport to a server over the fake model. */
async function served(fake: Parameters<typeof createFakeBackend>[0] = {}): Promise<InMemoryTransport> {
  const engine = await createEngine({ models: [createFakeBackend({ id: 'service-1-pro', ...fake })] })
  const { server } = createMcpServer({ asker: engine, onFault: (error) => expect(error).toBeNull() })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await server.connect(theirs)
  closers.push(
    () => engine.close(),
    () => ours.close(),
  )
  return ours
}

const ANGRY = { angry: { type: 'noul', instructions: 'The customer is angry.' } }
const PICTURE = [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }]

interface Result {
  readonly content: unknown
  readonly isError?: boolean
  readonly structuredContent?: { readonly answers: object }
}

/** What both generations have, with their differences levelled. */
interface Linked {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>
  ask(input: Record<string, unknown>, signal?: AbortSignal): Promise<Result>
}

const CLIENTS: readonly (readonly [generation: string, link: (transport: InMemoryTransport) => Promise<Linked>])[] = [
  [
    'first',
    async (transport) => {
      const client = new FirstClient({ name: 'test', version: '1' })
      await client.connect(transport)
      closers.push(() => client.close())
      return {
        listTools: () => client.listTools(),
        ask: async (input, signal) =>
          (await client.callTool(
            { name: 'ask', arguments: input },
            undefined,
            signal === undefined ? {} : { signal },
          )) as unknown as Result,
      }
    },
  ],
  [
    'second',
    async (transport) => {
      const client = new SecondClient({ name: 'test', version: '1' })
      await client.connect(transport)
      closers.push(() => client.close())
      return {
        listTools: () => client.listTools(),
        ask: async (input, signal) =>
          (await client.callTool({ name: 'ask', arguments: input }, signal === undefined ? {} : { signal })) as unknown as Result,
      }
    },
  ],
]

describe.each(CLIENTS)('the JavaScript client of the %s generation', (_generation, link) => {
  it.each<[string, unknown, Record<string, unknown>]>([
    ['a text', 'It arrived broken!', ANGRY],
    ['JSON', { order: 81, notes: [null, 'late'] }, ANGRY],
    ['a number', 7, ANGRY],
    ['a picture', PICTURE, ANGRY],
    ['very many options', 'x', { many: { type: 'choice', criteria: MANY } }],
  ])('asks about %s', async (_, state, questions) => {
    const client = await link(await served())
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['ask', 'record_outcome'])
    const { structuredContent, isError } = await client.ask({ state, questions })
    expect(isError).toBeFalsy()
    expect(Object.keys(structuredContent?.answers ?? {})).toEqual(Object.keys(questions))
  })

  it('is told what is wrong', async () => {
    const client = await link(await served())
    const { content, isError } = await client.ask({ questions: { q: { type: 'nuol' } }, derive: { a: '1 +' } })
    expect(isError).toBe(true)
    const text = JSON.stringify(content)
    for (const words of ['3 things are wrong', '/state', '/questions/q/type', '/derive/a']) expect(text).toContain(words)
  })

  it('gives up when it is told to', async () => {
    const gate = createGate()
    const client = await link(await served(gate.fake))
    const enough = new AbortController()
    const asked = client.ask({ state: 'x', questions: ANGRY }, enough.signal)
    await gate.reached(1)
    enough.abort()
    await expect(asked).rejects.toThrow(/abort/i)
    gate.open()
    const after = await client.ask({ state: 'x', questions: ANGRY })
    expect(after.isError).toBeFalsy()
  })
})

interface Line {
  readonly from: 'client' | 'server'
  readonly message: {
    readonly id?: number
    readonly method?: string
    readonly params?: { readonly requestId?: number }
    readonly result?: { readonly isError?: boolean; readonly structuredContent?: { readonly answers: object } }
  }
}

describe('the Python client', async () => {
  const golden = JSON.parse(await readFile(new URL('../golden/clients/mcp.json', import.meta.url), 'utf8'))
  const lines: readonly Line[] = golden.entries

  it(`is answered as it read it (${golden.client})`, async () => {
    const transport = await served()
    const replies = new Map<number, Line['message']>()
    transport.onmessage = (message) => {
      const reply = message as Line['message']
      if (reply.id !== undefined) replies.set(reply.id, reply)
    }
    await transport.start()
    const given = new Set(lines.flatMap(({ message }) => message.params?.requestId ?? []))
    expect(given.size).toBe(1)
    for (const { from, message } of lines) {
      if (from === 'server') continue
      await transport.send(message as JSONRPCMessage)
      if (message.id !== undefined && !given.has(message.id)) await expect.poll(() => replies.has(message.id!)).toBe(true)
    }
    const recorded = lines.flatMap(({ from, message }) => (from === 'server' ? [message] : []))
    expect(recorded.length).toBeGreaterThan(6)
    for (const { id, result } of recorded) {
      const now = replies.get(id!)?.result
      expect([id, now?.isError ?? false]).toEqual([id, result?.isError ?? false])
      expect(Object.keys(now?.structuredContent?.answers ?? {})).toEqual(Object.keys(result?.structuredContent?.answers ?? {}))
    }
  })
})
