// --chain: how it is read, which models it means, and what is wrong with it.
import { describe, expect, it, vi } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { chainFlag } from '../../src/cli/chain-flag.ts'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { runCli } from '../../src/cli/program.ts'
import { aliasesFor, modelsOf, servedChain, withChain } from '../../src/cli/serve-models.ts'
import type { ModelChain } from '../../src/index.ts'
import { chainOf, createEngine } from '../../src/index.ts'
import { DEFAULT_SETTINGS } from '../../src/service/settings.ts'
import { fakeTerminal } from '../shared/terminal.ts'

describe('--chain', () => {
  it.each([
    ['small,large', { id: null, stages: [{ model: 'small' }, { model: 'large' }] }],
    ['auto=a:0.6, b:.5 ,c', { id: 'auto', stages: [{ model: 'a', threshold: 0.6 }, { model: 'b', threshold: 0.5 }, { model: 'c' }] }],
    ['C:\\models\\a:1,./b=c', { id: null, stages: [{ model: 'C:\\models\\a', threshold: 1 }, { model: './b=c' }] }],
  ])('%s', (text, flag) => {
    expect(chainFlag(text)).toEqual(flag)
  })

  it.each(['small', 'small,', ',', 'small:2,large', ''])('refuses %j', (text) => {
    expect(() => chainFlag(text)).toThrow(/--chain takes two models or more.*small:0\.6,large/)
  })

  it('stands in the environment where no flag is given; an empty variable counts as not set', () => {
    const flag = chainFlag('a,b')
    vi.stubEnv('ASSAY_CHAIN', ' ')
    expect(withChain({})).toEqual({})
    vi.stubEnv('ASSAY_CHAIN', 'c,d')
    expect(withChain({}).chain?.stages).toEqual([{ model: 'c' }, { model: 'd' }])
    expect(withChain({ chain: flag }).chain).toBe(flag)
    vi.stubEnv('ASSAY_CHAIN', 'c')
    expect(() => withChain({})).toThrow(/--chain takes two models/)
    vi.unstubAllEnvs()
  })

  it('serves its models once each, and a chain of them by their ids', async () => {
    const { terminal } = fakeTerminal('/')
    const flag = chainFlag('auto=service-1-pro:0.6,/tmp')
    const models = await modelsOf({ model: ['service-1-pro'], chain: flag }, terminal)
    expect(models.map(({ id }) => id)).toEqual(['service-1-pro', 'tmp'])
    const chain = await servedChain(flag, ['service-1-pro', 'tmp'])
    expect(chain).toEqual({ id: 'auto', stages: [{ model: 'service-1-pro', threshold: 0.6 }, { model: 'tmp' }] })
    await expect(servedChain(flag, ['service-1-pro', 'tmp', 'auto'])).rejects.toThrow(/a model is called auto/)
    expect(aliasesFor(DEFAULT_SETTINGS, ['service-1-pro', 'tmp', 'auto'], 'auto').aliases).toMatchObject({ 'gpt-*': 'auto' })
  })

  it('of ask: every question goes through it, and a person sees who answered', async () => {
    const { terminal, heard } = fakeTerminal('/', { isInteractive: true })
    let given: ModelChain | undefined
    const fakes = ['small', 'large'].map((id) => createFakeBackend({ id, score: () => [[0.1, 0]] }))
    const args = ['ask', '--chain', 'service-1-pro:0.2,/tmp', '--state', 'x', '--noul', 'y']
    const code = await runCli(args, terminal, async (_, options) => {
      given = options?.chain
      return createEngine({ models: [chainOf(fakes)] })
    })
    expect(code).toBe(EXIT.ok)
    expect(given!.stages.map(({ threshold }) => threshold)).toEqual([0.2, undefined])
    expect(heard.out).toContain('chain (small 0, large 1)')
  })

  it.each([
    [['ask', '--chain', 'a,b', '--model', 'c', '--state', 'x', '--noul', 'y'], EXIT.usage, '--chain and --model were given'],
    [['ask', '--chain', 'a', '--state', 'x', '--noul', 'y'], EXIT.usage, '--chain takes two models'],
    [['ask', '--chain', 'nowhere,service-1-pro', '--state', 'x', '--noul', 'y'], EXIT.model, 'nowhere: there is no such model folder'],
    [['serve', '--fake', '--chain', 'a,b'], EXIT.usage, '--fake and --chain were given'],
    [['eval', 'rows.jsonl', '-o', 'out', '--chain', 'service-1-pro,/tmp', '--evidence', 'e'], EXIT.usage, 'evidence is of one model'],
  ])('%j is refused', async (args, expected, message) => {
    const { terminal, heard } = fakeTerminal('/')
    const code = await runCli(args, terminal, async () => createEngine({ models: [createFakeBackend()] }))
    expect(heard.err).toContain(message)
    expect(code).toBe(expected)
  })
})

describe('--device', () => {
  it('says on standard error why the model runs elsewhere, and answers', async () => {
    const { terminal, heard } = fakeTerminal('/')
    const fake = createFakeBackend()
    const device = { name: 'cpu', reason: 'cuda: its libraries could not be loaded' } as const
    let asked: string | undefined
    const code = await runCli(['ask', '--device', 'cuda', '--state', 'x', '--noul', 'y'], terminal, async (_, options) => {
      asked = options?.device
      return createEngine({ models: [{ ...fake, info: { ...fake.info, device } }] })
    })
    expect(code).toBe(EXIT.ok)
    expect(asked).toBe('cuda')
    expect(heard.err).toBe('fake runs on cpu: cuda: its libraries could not be loaded\n')
    expect(JSON.parse(heard.out).answers.q1.type).toBe('noul')
  })

  it('takes the devices there are', async () => {
    const { terminal, heard } = fakeTerminal('/')
    const code = await runCli(['ask', '--device', 'gpu', '--state', 'x', '--noul', 'y'], terminal, async () =>
      createEngine({ models: [createFakeBackend()] }),
    )
    expect(code).toBe(EXIT.usage)
    expect(heard.err).toContain('cpu, cuda, webgpu, dml, coreml, auto')
  })
})
