// What is said of a model folder: of each family what applies to it, and of models that do not hold why not.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Backend } from '../../../src/backends/backend.ts'
import { createFakeBackend } from '../../../src/backends/fake/index.ts'
import { verifyOnnxModel } from '../../../src/backends/onnx/index.ts'
import { checkPacking, PACKING_NATS } from '../../../src/backends/onnx/packing.ts'
import { type ModelVerification, verifyFolder } from '../../../src/backends/onnx/verify.ts'
import { scoringOf } from '../../../src/backends/prompted/scoring.ts'
import { checkSymbols } from '../../../src/backends/prompted/symbol-check.ts'
import { EngineError } from '../../../src/core/errors.ts'

const GOLDEN = fileURLToPath(new URL('../../golden/', import.meta.url))
const SHIPPED = fileURLToPath(new URL('../../../models/service-1-pro', import.meta.url))

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-verify-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const verify = (folder: string): Promise<ModelVerification> => verifyOnnxModel(folder, { model: { inProcess: true, threads: 1 } })
const statuses = ({ checks }: ModelVerification) =>
  checks.map(({ check, status, part }) => [check, status, ...(part ? [part] : [])].join(' '))

describe('of a folder', () => {
  it('of a decoder with pictures each check is made, and the speed measured', async () => {
    const found = await verify(join(GOLDEN, 'idefics3/model'))
    expect(statuses(found)).toEqual(['load passed', 'symbols noted', 'patches passed', 'packing passed', 'device not_applicable'])
    expect(found).toMatchObject({ ok: true, modelType: 'idefics3', model: { contextLength: 1024, capabilities: { images: true } } })
    const [, symbols, patches, packing] = found.checks
    // Random weights tell nothing apart.
    expect(symbols?.detail).toMatch(/one token each; letters \d\/8 right of 2: read by texts; digits/)
    expect(patches?.detail).toMatch(/^uses cascade attention \(moves .+ of a distribution, at most 0\.001 is taken\)$/)
    expect(packing?.detail).toMatch(/^4 questions alone and among 10, on 3 states: .+, at most 0\.02 nats are taken$/)
    expect(found.speed).toMatchObject({ device: 'cpu', firstQuestionMs: { runs: 7 }, nextQuestionMs: { runs: 7 } })
    for (const { least, median, most } of [found.speed!.loadMs, found.speed!.firstQuestionMs]) {
      expect(least).toBeGreaterThan(0)
      expect(median).toBeGreaterThanOrEqual(least)
      expect(most).toBeGreaterThanOrEqual(median)
    }
  })

  it('of an entailment model the labels are found', async () => {
    const found = await verify(join(GOLDEN, 'entailment/bert'))
    expect(statuses(found)).toEqual(['load passed', 'symbols passed', 'patches not_applicable', 'packing passed', 'device not_applicable'])
    expect(found.checks[1]?.detail).toBe('label 0 of 3 is named as entailment, label 2 as what is against it')
  })

  it('of a decision encoder the marker is found, and a graph beside its configuration is read', async () => {
    const found = await verify(join(GOLDEN, 'option-markers/jevhome'))
    expect(found.ok).toBe(true)
    expect(found.checks[1]).toMatchObject({ check: 'symbols', status: 'passed', detail: '[MASK] is one token, and marks each option' })
  })

  it('of a pair each half says what applies to it', async () => {
    const found = await verify(SHIPPED)
    expect(found.ok).toBe(true)
    expect(statuses(found)).toEqual([
      'load passed',
      ...['texts', 'pictures'].map((part) => `symbols not_applicable ${part}`),
      ...['texts', 'pictures'].map((part) => `patches not_applicable ${part}`),
      'packing passed',
      'device not_applicable',
    ])
  })

  it('whose tokenizer has no single tokens for yes and no that fails, with the next step', async () => {
    const found = await verify(join(GOLDEN, 'text-decoders/lfm2'))
    expect(found.ok).toBe(false)
    expect(found.checks.find(({ check }) => check === 'symbols')).toEqual({
      check: 'symbols',
      status: 'failed',
      detail: expect.stringMatching(/^not one token each, so read by their texts .+: Yes and No/),
      remedy: expect.stringContaining('take tokenizer.json from where the model was published'),
    })
  })

  it('with files of another model says so, and looks no further', async () => {
    const folder = join(root, 'tiny')
    await cp(join(GOLDEN, 'text-decoders/llama'), folder, { recursive: true })
    await cp(join(GOLDEN, 'text-decoders/lfm2/onnx/model.onnx'), join(folder, 'onnx/model.onnx'))
    const found = await verify(folder)
    expect(statuses(found)).toEqual(['load failed', 'symbols skipped', 'patches skipped', 'packing skipped', 'device skipped'])
    expect(found).toMatchObject({ ok: false, model: null, speed: null })
    expect(found.checks[0]).toMatchObject({
      detail: "config.json of 'tiny' says 2 layers, onnx/model.onnx has 3",
      remedy: 'they are of different models: download the whole repository again',
    })
    expect(JSON.stringify(found)).not.toContain(root)
  })

  it('of no family, or with half a configuration, says so', async () => {
    const folder = join(root, 'odd')
    await cp(join(GOLDEN, 'entailment/bert'), folder, { recursive: true })
    const config = await readFile(join(folder, 'config.json'), 'utf8')
    await writeFile(join(folder, 'config.json'), config.replace('"bert"', '"whisper"'))
    expect((await verify(folder)).checks[0]).toMatchObject({
      status: 'failed',
      detail: "models of type 'whisper' are not supported",
      remedy: expect.stringMatching(/^supported: /),
    })
    await writeFile(join(folder, 'config.json'), config.slice(0, 99))
    expect((await verify(folder)).checks[0]).toMatchObject({
      detail: "config.json of 'odd' is not JSON",
      remedy: 'download it again',
    })
    await expect(verify(join(root, 'none'))).rejects.toMatchObject({ code: 'model_not_found' })
  })

  it('whose files did not hold the model is not loaded', async () => {
    const before = [{ check: 'files', status: 'failed', detail: 'config.json is missing', remedy: 'pull it again' }] as const
    const never = async (): Promise<Backend> => Promise.reject(new Error('loaded'))
    const found = await verifyFolder(join(GOLDEN, 'entailment/bert'), never, { before })
    expect(statuses(found)).toEqual([
      'files failed',
      'load skipped',
      'symbols skipped',
      'patches skipped',
      'packing skipped',
      'device skipped',
    ])
  })
})

describe('a device', () => {
  const folder = join(GOLDEN, 'entailment/bert')
  const on = (device: 'cuda' | 'auto', report: { name: 'cpu' | 'cuda'; reason?: string }) =>
    verifyFolder(folder, async () => ({ ...createFakeBackend(), info: { ...createFakeBackend().info, device: report } }), {
      model: { device },
    })

  it('that was asked for and is not used fails, with the reason; one that nobody named does not', async () => {
    const asked = await on('cuda', { name: 'cpu', reason: 'cuda: its libraries could not be loaded; install CUDA' })
    expect(asked.ok).toBe(false)
    expect(asked.checks.find(({ check }) => check === 'device')).toMatchObject({
      status: 'failed',
      detail: 'runs on the CPU: cuda: its libraries could not be loaded; install CUDA',
    })
    expect(statuses(await on('auto', { name: 'cpu' }))).toContain('device noted')
    const used = await on('cuda', { name: 'cuda' })
    expect(used).toMatchObject({ ok: true, speed: { device: 'cuda' } })
    expect(statuses(used)).toContain('symbols not_applicable')
    expect(used.checks.at(-1)?.detail).toContain('no log-probability differs by more than 0.005 nats')
  })
})

describe('packing', () => {
  /** A fake whose claims move with how many questions share a pass. */
  function shifting(by: number): Backend {
    let questions = 0
    const fake = createFakeBackend({
      capabilities: { images: false },
      score: ({ readout, candidates }) =>
        (readout === 'independent' ? candidates : [0]).map(() =>
          (readout === 'independent' ? [0, 1] : candidates).map((_, i) => i / 2 + (i === 0 ? by * questions : 0)),
        ),
    })
    const open: Backend['open'] = async (prompt) => {
      const prefix = await fake.open(prompt)
      return {
        ...prefix,
        score: (branches) => {
          questions = branches.length
          return prefix.score(branches)
        },
      }
    }
    return { ...fake, open }
  }

  it('holds where a question is answered alone as among others, and fails with the number where not', async () => {
    expect(await checkPacking(createFakeBackend())).toMatchObject({ status: 'passed' })
    // Nine others.
    expect(await checkPacking(shifting(PACKING_NATS / 20))).toMatchObject({ status: 'passed' })
    const failed = await checkPacking(shifting(0.1))
    expect(failed).toMatchObject({ status: 'failed', remedy: expect.stringContaining('take another --dtype') })
    expect(failed.detail).toMatch(/log-probabilities differ by 0\.\d+, at most 0\.02 nats are taken$/)
    expect((await checkPacking(shifting(Number.NaN))).detail).toContain('are no numbers')
  })

  it('that the model does not answer fails with its message', async () => {
    const score = () => Promise.reject(new EngineError('context_length_exceeded', 'too long; shorten the state'))
    const found = await verifyFolder(join(GOLDEN, 'entailment/bert'), async () => createFakeBackend({ score }))
    expect(found).toMatchObject({ ok: false, speed: null })
    expect(found.checks.find(({ check }) => check === 'packing')).toMatchObject({ detail: 'too long', remedy: 'shorten the state' })
  })
})

describe('symbols', () => {
  const single = (text: string): number[] =>
    [...text.trimStart()].length <= 3 ? [[...text].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 7)] : [1, 2]
  const list = (right: readonly number[]) => ({
    binding: right.map((share, i) => ({ count: [2, 4, 8][i]!, asked: 8, right: share, mass: 0.9 })),
    logPriors: {},
  })
  const scoring = (letters: readonly number[], digits: readonly number[]) =>
    scoringOf(
      { revision: 'r', templateHash: 't' },
      { probe: 'p', exclusive: list(letters), ordinal: list(digits), binary: null, independent: null },
    )

  it('that are told apart pass; those that are not are read by texts, which is noted', () => {
    const tokens = { encode: single, opensWithSpace: false }
    expect(checkSymbols(tokens, scoring([8, 8, 8], [8, 8, 8]))).toMatchObject({ status: 'passed' })
    expect(checkSymbols(tokens, scoring([8, 4], [8, 8, 8]))).toMatchObject({
      status: 'passed',
      detail: expect.stringContaining('letters 8/8 right of 2, 4/8 right of 4: read by symbols up to 2; digits'),
    })
    expect(checkSymbols(tokens, scoring([8, 8, 8], [5]))).toMatchObject({
      status: 'noted',
      detail: expect.stringContaining('digits 5/8 right of 2: read by texts'),
    })
    expect(checkSymbols(tokens, null)).toMatchObject({ status: 'passed', detail: expect.stringContaining('was not measured') })
    expect(checkSymbols({ ...tokens, encode: (text) => [...text].map((letter) => letter.charCodeAt(0)) }, null)).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/: Yes and No$/),
    })
  })
})
