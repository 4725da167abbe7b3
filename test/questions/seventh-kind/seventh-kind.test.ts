// A kind that is defined in one file (odds.ts) is found wherever the engine knows of kinds.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { createFakeBackend } from '../../../src/backends/fake/index.ts'
import { runCli } from '../../../src/cli/program.ts'
import { draftOf, newQuestion, requestOf } from '../../../src/console/playground/draft.ts'
import { formsOf } from '../../../src/console/playground/kind-forms.ts'
import type { EngineError } from '../../../src/core/errors.ts'
import { checkRow } from '../../../src/evaluate/dataset.ts'
import { type AskForRun, runRow } from '../../../src/evaluate/run.ts'
import { createMcpServer } from '../../../src/mcp/server.ts'
import { createEngine } from '../../../src/pipeline/engine.ts'
import { openApiDocument } from '../../../src/service/openapi/document.ts'
import type { Ask } from '../../../src/wire/infer.ts'
import type { AskRequest } from '../../../src/wire/types.ts'
import { schemasOf } from '../../service/described.ts'
import { fakeTerminal } from '../../shared/terminal.ts'
import type { OddsAnswer } from './odds.ts'
import './odds.ts'

const engine = await createEngine({ models: [createFakeBackend({ id: 'service-1-pro', score: () => [[Math.log(3), 0]] })] })
const request: AskRequest = {
  state: 'Dark clouds.',
  questions: { rain: { type: 'odds', instructions: 'It rains.' } },
  derive: { bet: 'rain > 2', sure: 'p(rain)' },
}
const document = openApiDocument('systemone')

describe('a seventh kind of question', () => {
  it('is checked and answered, alone and as an argument', async () => {
    const { answers } = await engine.ask({
      ...request,
      questions: { ...request.questions, plan: { type: 'choice', criteria: ['walk', 'stay'], args: { wet: { type: 'odds' } } } },
    })
    expect(answers.rain).toEqual({ type: 'odds', odds: expect.closeTo(3, 4), probability: expect.closeTo(0.75, 4) })
    expect(answers.plan).toMatchObject({ args: { wet: { type: 'odds' } } })
    const wrong = engine.ask({ state: '', questions: { rain: { type: 'odds', stakes: 1 } as never } })
    await expect(wrong).rejects.toMatchObject({ message: expect.stringContaining('Unknown field "stakes" in an odds question.') })
    const unknown = engine.ask({ state: '', questions: { rain: { type: 'oddz' } as never } }).catch((error: EngineError) => error.message)
    expect(await unknown).toMatch(/There are noul, .*, odds\./)
  })

  it('has typed questions and answers', () => {
    const typed = engine.ask as Ask
    const use = async () => {
      const { answers } = await typed({ state: '', questions: { rain: { type: 'odds', stake: 2 } } })
      expectTypeOf(answers.rain).toEqualTypeOf<OddsAnswer>()
      // @ts-expect-error a typo in a field
      await typed({ state: '', questions: { rain: { type: 'odds', stakes: 2 } } })
    }
    expect(use).toBeTypeOf('function')
  })

  it('stands in the OpenAPI document, as a question, an argument and an answer', () => {
    const { at } = schemasOf(document)
    expect(at('#/components/schemas/AskRequest')(request)).toBe(true)
    expect(at('#/components/schemas/Question')({ type: 'odds', stake: -1 })).toBe(false)
    expect(at('#/components/schemas/Argument')({ type: 'odds' })).toBe(true)
    expect(at('#/components/schemas/Answer')({ type: 'odds', odds: 3, probability: 0.75 })).toBe(true)
  })

  it('is shown to agents', async () => {
    const { server } = createMcpServer({ asker: engine, onFault: () => {} })
    const client = new Client({ name: 'test', version: '1' })
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await Promise.all([server.connect(theirs), client.connect(ours)])
    const { tools } = await client.listTools()
    const [text, outcomes] = tools.map((tool) => JSON.stringify(tool))
    expect(text).toContain('odds: at what odds is the statement true?')
    expect(text).toContain('odds: What is at stake; default 1.')
    expect(outcomes).toContain('odds whether it came true')
    await client.close()
  })

  it('has a flag with its help, and is drawn by the command line', async () => {
    const run = async (...args: string[]) => {
      const { terminal, heard } = fakeTerminal('/', { isInteractive: true })
      await runCli(args, terminal, async () => ({ ...engine, close: async () => {} }))
      return heard.out
    }
    expect(await run('ask', '--help')).toContain('--odds <statement>')
    expect(await run('eval', '--help')).toMatch(/odds +whether it came true/)
    const shown = await run('ask', '--state', 'Dark clouds.', '--odds', 'It rains.')
    expect(shown).toContain('75.0 %')
    expect(shown).toContain('odds of 3.00 to 1')
  })

  it('is graded', async () => {
    const row = { ...checkRow({ id: 'a', ...request, truth: { rain: true } }, 'x', 'task', '/'), at: 0 }
    const ask: AskForRun = (asked, options) => engine.ask(asked, options)
    const settings = { deliberation: 'never', deadlineMs: 1000, selfCheck: true, keepStates: false } as const
    const { questions } = await runRow(row, { ask, now: () => 0, ...settings })
    expect(questions).toMatchObject([{ id: 'rain', type: 'odds', right: 1, logLoss: expect.closeTo(-Math.log(0.75), 4) }])
  })

  it('is a value, a probability and a confidence in expressions, and is there', async () => {
    const { answers } = await engine.ask({ ...request, derive: { ...request.derive, trust: 'confidence(rain)', there: 'has(rain)' } })
    expect(answers.trust).toMatchObject({ value: expect.closeTo(0.75, 4) })
    expect(answers.there).toMatchObject({ value: true })
    expect(answers.bet).toMatchObject({ value: true })
    expect(answers.sure).toMatchObject({ value: expect.closeTo(0.75, 4) })
  })

  it("is in the console's form", () => {
    const forms = formsOf(document)
    const question = { ...newQuestion(forms.get('odds')!, []), instructions: 'It rains.', texts: { stake: '2' } }
    const draft = { model: '', isJson: false, text: 'x', images: [], questions: [question], derives: [] }
    const made = requestOf(draft, forms).request
    expect(made).toEqual({ state: 'x', questions: { odds_1: { type: 'odds', instructions: 'It rains.', stake: 2 } } })
    expect(draftOf(made, [], forms)).toMatchObject({ questions: [{ type: 'odds', texts: { stake: '2' } }] })
  })
})
