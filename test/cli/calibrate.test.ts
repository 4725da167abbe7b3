import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseCalibration, sealCalibration } from '../../src/calibration/calibration.ts'
import { readEvidence, writeEvidence } from '../../src/calibration/evidence/evidence-file.ts'
import { addCalibrate } from '../../src/cli/calibrate-command.ts'
import { EXIT, exitCodeOf } from '../../src/cli/exit-codes.ts'
import { sayError } from '../../src/cli/say-error.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { binaryWorld } from '../calibration/simulated.ts'
import { fakeTerminal } from '../shared/terminal.ts'

const MODEL = { id: 'm', revision: 'revision-1', templateHash: 'template-1' }

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-calibrate-'))
  const { evidence } = binaryWorld({ questions: 4, labels: 60, seed: 1, slope: [-0.8, 0.2], bias: [0, 0.4] })
  const isFirst = ({ state }: { readonly state: string }): boolean => Number(state.split('-').at(-1)) < 40
  await writeEvidence(join(folder, 'fit.jsonl'), MODEL, evidence.filter(isFirst))
  await writeEvidence(
    join(folder, 'test.jsonl.gz'),
    MODEL,
    evidence.filter((one) => !isFirst(one)),
  )
  await writeEvidence(join(folder, 'other.jsonl'), { ...MODEL, revision: 'revision-2' }, evidence.slice(0, 5))
  await writeFile(join(folder, 'torn.jsonl'), '{"format":1,"model":{"id":"m"')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function run(args: readonly string[], settings: Partial<Terminal> = {}): Promise<{ code: number; out: string; err: string }> {
  const { terminal, heard } = fakeTerminal(folder, settings)
  let code: number = EXIT.ok
  const program = new Command('assay').exitOverride()
  addCalibrate(program, {
    terminal,
    makeEngine: () => Promise.reject(new Error('calibrating asks no model')),
    attempt: async (output, work) => {
      try {
        await work()
      } catch (error) {
        code = exitCodeOf(error)
        sayError(error, output, terminal)
      }
    },
  })
  await program.parseAsync(['calibrate', ...args], { from: 'user' })
  return { code, ...heard }
}

describe('assay calibrate', () => {
  it('fits a file that reads back and says what it holds', async () => {
    const { code, out } = await run(['fit', 'fit.jsonl', '-o', 'calibration.json'])
    expect(code).toBe(0)
    const calibration = parseCalibration(JSON.parse(await readFile(join(folder, 'calibration.json'), 'utf8')))
    expect(JSON.parse(out)).toMatchObject({ version: calibration.version, model: MODEL, fittedOn: { decisions: 160 } })
    expect(calibration.trees.single.binary!.parameters[0]).toBeLessThan(-0.2)
  })

  it('shows the maps of a file as a table, a line for each with labels enough', async () => {
    await run(['fit', 'fit.jsonl', '-o', 'calibration.json'])
    const { out } = await run(['show', 'calibration.json'], { isInteractive: true })
    expect(out).toMatch(/^cal_[0-9a-f]{12} {2}m, revision revision-1: 160 decisions on 160 states of 4 tasks$/m)
    expect(out).toMatch(/^single pass +labels +temperature +bias or shift/m)
    expect(out).toMatch(/^binary +160 +\d\.\d\d ± \d\.\d\d +-?\d\.\d\d ± \d\.\d\d/m)
    expect(out).toMatch(/^ {6}q0 +40 /m)
    expect(out).toMatch(/^binary +160 +0\.\d{3} +33\.1 % +share *$/m)
    const few = await run(['show', 'calibration.json', '--least', '100'], { isInteractive: true })
    expect(few.out).not.toContain('q0')
    const json = await run(['show', 'calibration.json'])
    expect(parseCalibration(JSON.parse(json.out)).model).toEqual(MODEL)
  })

  it('compares with no calibration, over all and by task', async () => {
    await run(['fit', 'fit.jsonl', '-o', 'calibration.json'])
    const { code, out } = await run(['compare', 'calibration.json', '--on', 'test.jsonl.gz', '--json'])
    expect(code).toBe(0)
    const { tasks, versions } = JSON.parse(out)
    expect(versions).toEqual([expect.stringMatching(/^cal_/), null])
    expect(tasks.map(({ name }: { name: string }) => name)).toEqual(['all', 'q0', 'q1', 'q2', 'q3'])
    expect(tasks[0].count).toBe(80)
    expect(tasks[0].logLoss.difference).toBeCloseTo(tasks[0].logLoss.first - tasks[0].logLoss.second, 12)
    expect(tasks[0].logLoss.difference).toBeLessThan(0)
    const table = await run(['compare', 'calibration.json', '--on', 'test.jsonl.gz'], { isInteractive: true })
    expect(table.out).toMatch(/^all +80 +\d\.\d{3} \/ \d\.\d{3} +[-+]\d\.\d{3} \[/m)
    const same = await run(['compare', 'calibration.json', 'calibration.json', '--on', 'test.jsonl.gz', '--json'])
    expect(JSON.parse(same.out).tasks[0].logLoss).toMatchObject({ difference: 0, interval: [0, 0] })
  })

  it('warns when it compares on what was fitted, and of a part of it, and not else', async () => {
    await run(['fit', 'fit.jsonl', '-o', 'mine.json'])
    const warnings = async (file: string, ...on: string[]) => (await run(['compare', file, '--on', ...on])).err
    expect(await warnings('mine.json', 'fit.jsonl')).toMatch(/^warning: mine\.json was fitted on this evidence/)
    expect(await warnings('mine.json', 'fit.jsonl', 'test.jsonl.gz')).toMatch(/was fitted on about 67 % of the states/)
    expect(await warnings('mine.json', 'test.jsonl.gz')).toBe('')
    // Files from before the sketch: by their counts.
    const { version: _, ...old } = JSON.parse(await readFile(join(folder, 'mine.json'), 'utf8'))
    delete old.fittedOn.sketch
    await writeFile(join(folder, 'old.json'), JSON.stringify(sealCalibration(old)))
    expect(await warnings('old.json', 'fit.jsonl')).toMatch(/^warning: old\.json was fitted on this evidence/)
    expect(await warnings('old.json', 'test.jsonl.gz')).toBe('')
  })

  it('says of learned heads that they are not compared', async () => {
    await run(['fit', 'fit.jsonl', '-o', 'mine.json'])
    const { version: _, ...mine } = JSON.parse(await readFile(join(folder, 'mine.json'), 'utf8'))
    const head = { question: 'q0', readout: 'binary', width: 8, labels: 30, scale: 1, biases: [0, 0], weights: [] }
    await writeFile(join(folder, 'headed.json'), JSON.stringify(sealCalibration({ ...mine, heads: { q0: head } })))
    const { err } = await run(['compare', 'headed.json', '--on', 'test.jsonl.gz'])
    expect(err).toMatch(/^warning: headed\.json answers a question by a head of its own, .* so only the maps are compared/)
  })

  it('is sure of nothing where a task has one state', async () => {
    await run(['fit', 'fit.jsonl', '-o', 'mine.json'])
    const { evidence } = await readEvidence(join(folder, 'test.jsonl.gz'))
    const alike = evidence.slice(0, 5).map((one, i) => ({ ...one, state: 'one', task: i < 3 ? 'a' : 'b' }))
    await writeEvidence(join(folder, 'alike.jsonl'), MODEL, alike)
    const { out } = await run(['compare', 'mine.json', '--on', 'alike.jsonl'], { isInteractive: true })
    expect(out).toContain('log-loss surely better in 0, surely worse in 0 of 0 lines with more than one state')
    expect(out).toMatch(/^task +distributions +log-loss/m)
  })

  it('takes the model from flags, whatever the evidence says', async () => {
    const flags = ['--model-id', 'x', '--revision', 'r', '--template', 't']
    const { out } = await run(['fit', 'fit.jsonl', 'other.jsonl', '-o', 'named.json', ...flags])
    expect(JSON.parse(out).model).toEqual({ id: 'x', revision: 'r', templateHash: 't' })
  })

  it.each([
    [['fit', 'fit.jsonl', 'other.jsonl', '-o', 'x.json'], 2, 'evidence of different models'],
    [['fit', 'missing.jsonl', '-o', 'x.json'], 2, 'missing.jsonl cannot be read: there is no such file'],
    [['fit', 'torn.jsonl', '-o', 'x.json'], 3, 'line 1: not JSON'],
    [['fit', 'fit.jsonl', '-o', 'x.json', '--share', '2'], 2, '--share takes a number from 0 to 1'],
    [['show', 'torn.jsonl'], 3, 'is not JSON'],
    [['compare', 'calibration.json', '--on', 'other.jsonl'], 3, 'fit it on evidence of this model'],
    [['compare', 'calibration.json', '--on', 'test.jsonl.gz', '--regime', 'deliberated'], 2, 'no deliberated decisions'],
  ])('says what is wrong with %o', async (args, code, message) => {
    await run(['fit', 'fit.jsonl', '-o', 'calibration.json'])
    const ran = await run(args).catch((error: Error) => ({ code: exitCodeOf(error), out: '', err: error.message }))
    expect(ran.err).toContain(message)
    expect(ran.code).toBe(code)
  })
})
