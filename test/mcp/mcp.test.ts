// The tools for agents, as the protocol's own client sees them: in memory over the fake model, and as the process an
// agent would start.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { memoryOutcomeStore } from '../../src/calibration/outcomes/memory-outcomes.ts'
import { type Asker, createMcpServer } from '../../src/mcp/server.ts'
import { createEngine, type EngineCore } from '../../src/pipeline/engine.ts'
import { ANSWER, refusal, type ScriptedService, startScriptedService } from '../client/scripted-service.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A client of the protocol, linked in memory to a server over the fake model. */
async function linked(given?: Asker): Promise<{ client: Client; engine: EngineCore; faults: unknown[] }> {
  const engine = await createEngine({ models: [createFakeBackend({ id: 'service-1-pro' })], outcomes: memoryOutcomeStore() })
  const faults: unknown[] = []
  const { server } = createMcpServer({ asker: given ?? engine, onFault: (error) => faults.push(error) })
  const client = new Client({ name: 'test', version: '1' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(theirs), client.connect(ours)])
  closers.push(
    () => engine.close(),
    () => client.close(),
  )
  return { client, engine, faults }
}

async function call(client: Client, name: string, input: Record<string, unknown>): Promise<CallToolResult & { text: string }> {
  const result = (await client.callTool({ name, arguments: input })) as CallToolResult
  const [first] = result.content
  return { ...result, text: first?.type === 'text' ? first.text : '' }
}

const QUESTIONS = {
  late: { type: 'noul', instructions: 'It is late.' },
  tone: { type: 'choice', criteria: ['calm', 'angry'] },
}

describe('the tools', () => {
  it('are two, described by JSON Schemas', async () => {
    const { client } = await linked()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['ask', 'record_outcome'])
    const ajv = new Ajv2020({ strict: false })
    for (const { inputSchema, outputSchema, description } of tools) {
      expect(description).toBeTruthy()
      expect(ajv.validateSchema(inputSchema)).toBe(true)
      expect(ajv.validateSchema(outputSchema!)).toBe(true)
    }
  })

  it('take every request that stands in the examples', async () => {
    const { client } = await linked()
    const { tools } = await client.listTools()
    const isAsk = new Ajv2020({ strict: false }).compile(tools[0]!.inputSchema)
    for (const name of ['ask-text', 'ask-json', 'ask-screenshot']) {
      const request = JSON.parse(await readFile(new URL(`../../examples/${name}.json`, import.meta.url), 'utf8'))
      expect(isAsk(request), `${name}: ${JSON.stringify(isAsk.errors)}`).toBe(true)
    }
    expect(isAsk({ state: 'x', questions: { a: { type: 'nuol' } } })).toBe(false)
  })

  it('describe what waits in quarantine, and how a video is sampled', async () => {
    const { client } = await linked()
    const [ask, record] = (await client.listTools()).tools
    expect(record?.outputSchema?.properties).toHaveProperty('quarantined')
    for (const field of ['"fps"', '"max_frames"', 'GIF']) expect(JSON.stringify(ask?.inputSchema)).toContain(field)
  })

  it('answer as the engine does, as data and as text', async () => {
    const { client, engine } = await linked()
    const request = { state: 'Where is my parcel?', questions: QUESTIONS, derive: { act: 'late > 0.5' }, colour: 'blue' } as const
    const expected = await engine.ask(request as never)
    const { structuredContent, text, isError } = await call(client, 'ask', request)
    expect(isError).toBeFalsy()
    expect(structuredContent).toMatchObject({ model: 'service-1-pro', answers: { ...expected.answers }, warnings: expected.simo.warnings })
    expect(expected.simo.warnings[0]).toContain('"colour"')
    expect(JSON.parse(text)).toEqual(structuredContent)
  })

  it('say everything that is wrong with a request, where, and what to do', async () => {
    const { client } = await linked()
    const { isError, text } = await call(client, 'ask', {
      state: 'x',
      questions: { a: { type: 'nuol' }, b: { type: 'choice', criteria: ['one'] } },
    })
    expect(isError).toBe(true)
    expect(text).toContain('2 things are wrong')
    expect(text).toContain('/questions/a')
    expect(text).toMatch(/Did you mean "noul"/)
    expect(text).toContain('/questions/b')
    expect((await call(client, 'ask', {})).text).toContain('/questions')
  })

  it('record what was true of an answer', async () => {
    const { client } = await linked()
    const asked = await call(client, 'ask', { state: 'x', questions: QUESTIONS })
    const event = (asked.structuredContent as { id: string }).id
    const recorded = await call(client, 'record_outcome', { event, outcomes: { tone: 'angry' }, selection_probability: 0.5 })
    expect(recorded.structuredContent).toEqual({ event, recorded: ['tone'], replaced: [] })
    const wrong = await call(client, 'record_outcome', { event, outcomes: { tone: 'furious', lat: true } })
    expect(wrong.isError).toBe(true)
    expect(wrong.text).toContain('/outcomes/lat')
    expect((await call(client, 'record_outcome', { event: 7, outcomes: {} })).text).toContain('/event')
    expect((await call(client, 'record_outcome', { event, outcomes: { late: true }, oops: 1 })).text).toContain('"oops"')
  })

  it('are no more than these', async () => {
    const { client } = await linked()
    await expect(client.callTool({ name: 'toString', arguments: {} })).rejects.toThrow(/no tool "toString"/)
  })

  it('say nothing of faults of ours but that there was one', async () => {
    const fault = new Error('secret /srv/path')
    const { client, faults } = await linked({ ask: () => Promise.reject(fault), recordOutcome: () => Promise.reject(fault) })
    const { isError, text } = await call(client, 'ask', { state: 'x', questions: QUESTIONS })
    expect(isError).toBe(true)
    expect(text).toMatch(/^internal_error/)
    expect(text).not.toContain('secret')
    expect(faults).toEqual([fault])
  })

  it('are given up when the agent gives up', async () => {
    let given: AbortSignal | undefined
    const { client } = await linked({
      ask: (_request, { signal }) =>
        new Promise((_, reject) => {
          given = signal
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
      recordOutcome: () => Promise.reject(new Error('not asked')),
    })
    const enough = new AbortController()
    const asked = client.callTool({ name: 'ask', arguments: { state: 'x', questions: QUESTIONS } }, undefined, { signal: enough.signal })
    await expect.poll(() => given !== undefined).toBe(true)
    enough.abort()
    await expect(asked).rejects.toThrow()
    await expect.poll(() => given?.aborted).toBe(true)
  })
})

describe('assay mcp as a process', () => {
  const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
  // The worker that holds the model runs from built code only.
  const built = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
  const isBuilt = existsSync(built)
  let folder = ''
  let service: ScriptedService
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-mcp-'))
    await writeFile(join(folder, 'shop.png'), await readFile(new URL('../../examples/shop.png', import.meta.url)))
    service = await startScriptedService()
  })
  afterAll(async () => {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  })

  const command = (args: readonly string[]) => ['--import', import.meta.resolve('tsx'), main, 'mcp', ...args]

  async function started(args: readonly string[], env: Record<string, string> = {}, line = command(args)): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: line,
        cwd: folder,
        stderr: 'ignore',
        env: { PATH: process.env.PATH ?? '', ...env },
      }),
    )
    closers.push(() => client.close())
    return client
  }

  it.skipIf(!isBuilt)(
    `asks the model in this process about text and files, and keeps outcomes${isBuilt ? '' : ' (skipped: not built; npm run build)'}`,
    async () => {
      const client = await started([], {}, [built, 'mcp', '--store', 'outcomes'])
      const text = await call(client, 'ask', { state: 'Where is my parcel? I am furious.', questions: QUESTIONS })
      expect(text.structuredContent).toMatchObject({ answers: { late: { type: 'noul' }, tone: { type: 'choice' } } })
      const event = (text.structuredContent as { id: string }).id
      const recorded = await call(client, 'record_outcome', { event, outcomes: { tone: 'angry' } })
      expect(recorded.structuredContent).toMatchObject({ recorded: ['tone'] })
      const state = [{ type: 'image', source: { type: 'path', path: 'shop.png' } }]
      const box = { save: { type: 'extract', kind: 'coordinates', instructions: 'the Save button' } }
      expect((await call(client, 'ask', { state, questions: box })).structuredContent).toMatchObject({ answers: { save: { valid: true } } })
    },
  )

  it('refuses files where they are closed, and offers no record_outcome where no answer is kept', async () => {
    const client = await started(['--no-local-files'])
    const state = [{ type: 'image', source: { type: 'path', path: 'shop.png' } }]
    expect((await call(client, 'ask', { state, questions: QUESTIONS })).text).toContain('/state/0/source/path')
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['ask'])
    expect(client.getInstructions()).not.toContain('record_outcome')
    await expect(client.callTool({ name: 'record_outcome', arguments: {} })).rejects.toThrow('no tool "record_outcome"; there is ask.')
  })

  it('asks a service through its client', async () => {
    service.script(ANSWER, refusal(402, 'insufficient_balance'))
    const client = await started(['--url', service.url], { ASSAY_API_KEY: 'service_sk_canary' })
    const request = { state: 'It is late.', questions: { late: { type: 'noul' } } }
    expect((await call(client, 'ask', request)).structuredContent).toMatchObject({ id: 'evt_1', answers: { late: { noul: 0.25 } } })
    expect(service.seen[0]?.headers.authorization).toBe('Bearer service_sk_canary')
    const refused = await call(client, 'ask', request)
    expect(refused).toMatchObject({ isError: true, text: 'insufficient_balance: It was insufficient_balance.' })
  })

  interface Ended {
    readonly code: number | null
    readonly out: string
    readonly err: string
  }

  /** Runs it by hand: lines in, what came out until it ended. */
  function byHand(args: readonly string[], use: (child: ReturnType<typeof spawn>) => void, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return new Promise((done, fail) => {
      const child = spawn(process.execPath, command(args), { cwd: folder, env: { ...process.env, ASSAY_API_KEY: '', ...env } })
      let [out, err] = ['', '']
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk))
      child.on('error', fail)
      child.on('close', (code) => done({ code, out, err }))
      use(child)
    })
  }

  const INITIALIZE = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }
  const asked = { name: 'ask', arguments: { state: 'It is late.', questions: { late: { type: 'noul' } } } }
  const lines = (...messages: object[]) => `${messages.map((message) => JSON.stringify(message)).join('\n')}\n`

  it('ends with its input, after what it was asked is answered, and writes nothing but the protocol', async () => {
    service.script((_request, response) => {
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ANSWER.body)), 300)
      return null
    })
    const ended = await byHand(
      ['--url', service.url],
      (child) =>
        child.stdin?.end(
          lines(
            INITIALIZE,
            { jsonrpc: '2.0', method: 'notifications/initialized' },
            { jsonrpc: '2.0', id: 2, method: 'tools/call', params: asked },
          ),
        ),
      { ASSAY_API_KEY: 'service_sk_canary' },
    )
    expect(ended.code).toBe(0)
    const said = ended.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(said.map(({ id }) => id)).toEqual([1, 2])
    expect(said[1].result.structuredContent).toMatchObject({ id: 'evt_1' })
    expect(ended.out + ended.err).not.toContain('canary')
  })

  it('ends with a signal, whatever it is asked at the time', async () => {
    service.script(() => null)
    const ended = await byHand(
      ['--url', service.url],
      (child) => {
        child.stdin?.write(lines(INITIALIZE, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: asked }))
        const timer = setInterval(() => {
          if (service.seen.length === 0) return
          clearInterval(timer)
          child.kill('SIGTERM')
        }, 20)
      },
      { ASSAY_API_KEY: 'service_sk_canary' },
    )
    expect(ended.code).toBe(0)
  })

  it('says what is wrong with its flags, and exits', async () => {
    const noKey = await byHand(['--url', 'http://127.0.0.1:1'], (child) => child.stdin?.end())
    expect(noKey).toMatchObject({ code: 2, out: '', err: expect.stringContaining('ASSAY_API_KEY') })
    const both = await byHand(['--url', 'http://127.0.0.1:1', '--store', 'x'], (child) => child.stdin?.end())
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining('--store') })
  })
})
