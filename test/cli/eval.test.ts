// `assay eval` as a person runs it, on the fake model: from rows to results and evidence, stopped and gone on with.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { readEvidence } from '../../src/calibration/evidence/evidence-file.ts'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { runCli } from '../../src/cli/program.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { readResults } from '../../src/evaluate/results.ts'
import type { RowResult } from '../../src/evaluate/run.ts'
import { chainOf } from '../../src/pipeline/chain.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import { fakeTerminal } from '../shared/terminal.ts'

const ROWS = 60

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-eval-'))
  const rows = Array.from({ length: ROWS }, (_, i) => ({
    id: `row ${i}`,
    source: i % 2 === 0 ? 'even' : 'odd',
    state: `state ${i}`,
    questions: {
      yes: { type: 'noul', instructions: 'Yes?' },
      which: { type: 'choice', criteria: { a: null, b: null, c: null } },
      level: { type: 'score', criteria: ['low', 'mid', 'high'] },
      any: { type: 'select', options: ['x', 'y'] },
    },
    truth: { yes: i % 3 === 0, which: 'abc'[i % 3], level: i % 3, any: i % 2 === 0 ? ['x'] : [] },
  }))
  await writeFile(join(folder, 'rows.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'))
  const broken = ['{"state":', JSON.stringify({ ...rows[0], questions: { yes: { type: 'nuol' } } }), JSON.stringify(rows[1])]
  await writeFile(join(folder, 'broken.jsonl'), broken.join('\n'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function run(args: readonly string[], settings: Partial<Terminal> = {}): Promise<{ code: number; out: string; err: string }> {
  const { terminal, heard } = fakeTerminal(folder, settings)
  const code = await runCli(args, terminal, async () => createEngine({ models: [createFakeBackend({ id: 'service-1-pro' })] }))
  return { code, ...heard }
}

/** Without what a clock decides. */
const timeless = (rows: readonly RowResult[]) => rows.map(({ ms: _, ...row }) => row)
const resultsAt = async (name: string) => (await readResults(join(folder, name, 'results.jsonl'))).rows

describe('assay eval', () => {
  it('grades every row, and says how many there were', async () => {
    const { code, out } = await run(['eval', 'rows.jsonl', '-o', 'graded'])
    expect(code).toBe(EXIT.ok)
    expect(JSON.parse(out)).toMatchObject({ rows: ROWS, failed: 0, graded: 4 * ROWS, ungraded: 0 })
    const rows = await resultsAt('graded')
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: ROWS }, (_, i) => `row ${i}`))
    expect(rows[1]).toMatchObject({ task: 'odd', questions: [{ id: 'yes' }, { id: 'which' }, { id: 'level' }, { id: 'any' }] })
  })

  it('answers the same, however many rows are asked at a time', async () => {
    await run(['eval', 'rows.jsonl', '-o', 'one'])
    await run(['eval', 'rows.jsonl', '-o', 'eight', '--parallel', '8'])
    expect(timeless(await resultsAt('eight'))).toEqual(timeless(await resultsAt('one')))
  })

  it('writes evidence that reads back, one piece for each distribution', async () => {
    await run(['eval', 'rows.jsonl', '-o', 'evidence', '--evidence', 'evidence.jsonl'])
    const { model, evidence } = await readEvidence(join(folder, 'evidence.jsonl'))
    expect(model.id).toBe('service-1-pro')
    expect(evidence).toHaveLength(4 * ROWS)
    expect([...new Set(evidence.map(({ readout }) => readout))]).toEqual(['binary', 'exclusive', 'ordinal', 'independent'])
    expect(new Set(evidence.map(({ state }) => state)).size).toBe(ROWS)
  })

  it('keeps going past rows that fail, says the commonest reasons, and exits with 1', async () => {
    const { code, out, err } = await run(['eval', 'broken.jsonl', '-o', 'broken'])
    expect(code).toBe(1)
    expect(JSON.parse(out).reasons).toMatchObject([
      { code: 'invalid_request', rows: 1, message: expect.stringContaining('not JSON') },
      { code: 'unknown_question_type', rows: 1, message: expect.stringContaining('Unknown question type') },
    ])
    expect(err).toMatch(/^3\/3 rows, .*\/s, 2 failed\n$/)
    const person = await run(['eval', 'broken.jsonl', '-o', 'broken'], { isInteractive: true })
    expect(person.out).toMatch(/1 × .*Unknown question type/)
    expect(person.out).toContain('results in broken/results.jsonl')
    expect(person.err).toBe('3/3 rows, all done before\n')
    expect(JSON.parse(out)).toMatchObject({ rows: 3, failed: 2, failures: { invalid_request: 1, unknown_question_type: 1 }, graded: 4 })
  })

  it('says which truths it did not grade, and why', async () => {
    const row = { state: 'x', questions: { yes: { type: 'noul', instructions: 'So?' } }, truth: { yes: true, yess: true } }
    await writeFile(join(folder, 'typo.jsonl'), `${JSON.stringify(row)}\n${JSON.stringify(row)}\n`)
    const { code, out } = await run(['eval', 'typo.jsonl', '-o', 'typo'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      graded: 2,
      ungraded: 2,
      ungradedReasons: [{ message: 'the row asks no question "yess"', rows: 2, example: expect.any(String) }],
    })
    const person = await run(['eval', 'typo.jsonl', '-o', 'typo'], { isInteractive: true })
    expect(person.out).toContain('2 rows, 2 graded answers, 2 not graded\n  2 × the row asks no question "yess"')
  })

  it('says how many rows have no truth of any question', async () => {
    const row = { state: 'x', questions: { yes: { type: 'noul', instructions: 'So?' } } }
    const rows = [
      { ...row, truth: { yes: true } },
      { ...row, truth: { yes: null } },
      { ...row, truth: {} },
    ]
    await writeFile(join(folder, 'unlabelled.jsonl'), rows.map((one) => JSON.stringify(one)).join('\n'))
    const { code, out } = await run(['eval', 'unlabelled.jsonl', '-o', 'unlabelled'])
    expect([code, JSON.parse(out)]).toMatchObject([0, { rows: 3, failed: 0, graded: 1, ungraded: 0, unlabelled: 2 }])
    const person = await run(['eval', 'unlabelled.jsonl', '-o', 'unlabelled'], { isInteractive: true })
    expect(person.out).toContain('rows without a truth of any question, which teach and measure nothing: 2\n')
    const learned = await run(['learn', 'unlabelled.jsonl', '--store', 'taught', '--json'])
    expect(JSON.parse(learned.out)).toMatchObject({ rows: 3, labels: 1, failed: 0, unlabelled: 2 })
  })

  it('shows a person a bar and a table, and a log plain lines', async () => {
    const person = await run(['eval', 'broken.jsonl', '-o', 'person'], { isInteractive: true, isErrorInteractive: true })
    expect(person.out).toMatch(/type +questions +right/)
    expect(person.out).toContain('2 rows failed')
    expect(person.err).toContain('3/3 rows')
    const log = await run(['eval', 'broken.jsonl', '-o', 'log'])
    expect(log.err).toMatch(/^3\/3 rows, .*\n$/)
  })

  it('repeats nothing when it is run again, and refuses to mix runs', async () => {
    await run(['eval', 'rows.jsonl', '-o', 'again'])
    const before = await readFile(join(folder, 'again', 'results.jsonl'), 'utf8')
    expect((await run(['eval', 'rows.jsonl', '-o', 'again'])).code).toBe(EXIT.ok)
    expect(await readFile(join(folder, 'again', 'results.jsonl'), 'utf8')).toBe(before)
    const other = await run(['eval', 'rows.jsonl', '-o', 'again', '--limit', '3'])
    expect([other.code, other.err]).toEqual([EXIT.request, expect.stringContaining('selection.limit was null and is 3')])
  })

  it('refuses to mix answers of two chains, or of one whose models changed', async () => {
    const revisions = { small: 'one', large: 'one' }
    const chained = async (chain: string) => {
      const { terminal, heard } = fakeTerminal(folder)
      const code = await runCli(['eval', 'rows.jsonl', '-o', 'chained', '--limit', '2', '--chain', chain], terminal, async (_, options) => {
        const stages = Object.entries(revisions).map(([id, revision], i) => {
          const fake = createFakeBackend({ id })
          return { ...options!.chain!.stages[i], model: { ...fake, info: { ...fake.info, revision } } }
        })
        return createEngine({ models: [chainOf(stages)] })
      })
      return { code, err: heard.err }
    }
    expect((await chained('service-1-pro:0.6,/tmp')).code).toBe(EXIT.ok)
    const { header } = await readResults(join(folder, 'chained', 'results.jsonl'))
    expect(header.binding.stages).toMatchObject([
      { id: 'small', threshold: 0.6, revision: 'one', calibration: null },
      { id: 'large', threshold: null, revision: 'one', calibration: null },
    ])
    expect((await chained('service-1-pro:0.6,/tmp')).code).toBe(EXIT.ok)
    const other = await chained('service-1-pro:0.5,/tmp')
    expect([other.code, other.err]).toEqual([EXIT.request, expect.stringContaining('stages.0.threshold was 0.6 and is 0.5')])
    revisions.large = 'two'
    expect((await chained('service-1-pro:0.6,/tmp')).err).toContain('stages.1.revision was "one" and is "two"')
    expect((await run(['report', 'chained', 'graded', '-o', 'mixed.html'])).err).toContain(
      'chain is small:0.6 (one, calibration none), large',
    )
  })

  it('asks failed rows again only when told to', async () => {
    await run(['eval', 'broken.jsonl', '-o', 'retry'])
    const lines = async () => (await readFile(join(folder, 'retry', 'results.jsonl'), 'utf8')).split('\n').length
    const before = await lines()
    await run(['eval', 'broken.jsonl', '-o', 'retry', '--retry-failed'])
    expect(await lines()).toBe(before + 2)
    expect(await resultsAt('retry')).toHaveLength(3)
  })

  it('says where it cannot write before it answers, as a wrong flag', async () => {
    const blocked = await run(['eval', 'rows.jsonl', '-o', 'blocked', '--evidence', 'rows.jsonl/evidence.jsonl'])
    expect(blocked).toMatchObject({ code: EXIT.usage, out: '' })
    expect(blocked.err).toContain('rows.jsonl/evidence.jsonl cannot be written: ')
    await expect(resultsAt('blocked')).rejects.toMatchObject({ code: 'invalid_request' })
    expect((await run(['eval', 'rows.jsonl', '-o', 'rows.jsonl/results'])).code).toBe(EXIT.usage)
    expect((await run(['eval', 'rows.jsonl', '--limit', '2', '-o', 'small', '--evidence', 'new/folder/evidence.jsonl'])).code).toBe(EXIT.ok)
    expect((await readEvidence(join(folder, 'new/folder/evidence.jsonl'))).evidence.length).toBeGreaterThan(0)
  })

  it('names files as they were given, and keeps the command that way', async () => {
    const absent = await run(['eval', 'absent.jsonl', '-o', 'x'])
    expect(absent).toMatchObject({ code: EXIT.usage, err: 'error: absent.jsonl cannot be read: there is no such file\n' })
    await writeFile(join(folder, 'empty.jsonl'), '')
    expect((await run(['eval', 'empty.jsonl', '-o', 'x'])).err).toContain('error: empty.jsonl holds no rows')
    await run(['eval', 'rows.jsonl', '-o', 'named', '--limit', '1'])
    const other = await run(['eval', 'rows.jsonl', '-o', 'named', '--limit', '2'])
    expect(other.err).toContain('error: named/results.jsonl holds results of another run')
    const { header } = await readResults(join(folder, 'named', 'results.jsonl'))
    expect(header.circumstances.command).toMatch(/^assay eval rows\.jsonl .*--output named/)
  })

  it('refuses flags that cannot be meant', async () => {
    for (const args of [
      ['--limit', '0'],
      ['--sample', 'x'],
      ['--parallel', '1.5'],
      ['--deliberation', 'maybe'],
      ['--calibration', 'absent.json'],
    ]) {
      const { code, err } = await run(['eval', 'rows.jsonl', '-o', 'flags', ...args])
      expect([code, err]).toEqual([EXIT.usage, expect.stringContaining(args[0]!.slice(2))])
    }
    expect((await run(['eval', 'rows.jsonl'])).code).toBe(EXIT.usage)
    expect((await run(['eval', 'absent.jsonl', '-o', 'flags'])).code).toBe(EXIT.usage)
  })

  it('that was killed goes on where it was: nothing is lost, nothing is asked twice', async () => {
    const script = fileURLToPath(new URL('./slow-eval.ts', import.meta.url))
    const args = ['--import', import.meta.resolve('tsx'), script, 'eval', 'rows.jsonl', '-o', 'killed', '--parallel', '3']
    const path = join(folder, 'killed', 'results.jsonl')
    const linesThere = async () => (await readFile(path, 'utf8').catch(() => '')).split('\n').length - 1
    const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' })
    const ended = new Promise((done) => child.on('close', (_, signal) => done(signal)))
    while ((await linesThere()) < 8 && child.exitCode === null) await new Promise((done) => setTimeout(done, 5))
    child.kill('SIGKILL')
    expect(await ended).toBe('SIGKILL')
    const whole = (await readFile(path, 'utf8')).split('\n').slice(1, -1)
    const there = whole.map((line) => (JSON.parse(line) as RowResult).at)
    expect(there.length).toBeGreaterThan(5)
    expect(there.length).toBeLessThan(ROWS)

    expect((await run(['eval', 'rows.jsonl', '-o', 'killed'])).code).toBe(EXIT.ok)
    const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean)
    // What was there is there still, each row once.
    expect(lines.slice(1, 1 + whole.length)).toEqual(whole)
    expect(
      lines
        .slice(1)
        .map((line) => (JSON.parse(line) as RowResult).at)
        .toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: ROWS }, (_, i) => i))
    await run(['eval', 'rows.jsonl', '-o', 'never-killed'])
    expect(timeless(await resultsAt('killed'))).toEqual(timeless(await resultsAt('never-killed')))
  })
})
