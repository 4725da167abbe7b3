// `assay report` from results that `assay eval` wrote on the fake model.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { runCli } from '../../src/cli/program.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import { fakeTerminal } from '../shared/terminal.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-report-'))
  for (const [name, from] of [
    ['one', 0],
    ['two', 40],
  ] as const) {
    const rows = Array.from({ length: 40 }, (_, i) => ({
      id: `row ${from + i}`,
      state: `the secret of state ${from + i}`,
      questions: { yes: { type: 'noul', instructions: 'Is it so?' }, which: { type: 'choice', criteria: { a: null, b: null, c: null } } },
      truth: { yes: i % 3 === 0, which: 'abc'[i % 3] },
    }))
    await writeFile(join(folder, `${name}.jsonl`), rows.map((row) => JSON.stringify(row)).join('\n'))
    await run('eval', `${name}.jsonl`, '-o', name)
  }
  await run('eval', 'one.jsonl', '-o', 'unlike', '--deliberation', 'never')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const { terminal, heard } = fakeTerminal(folder)
  const code = await runCli(args, terminal, async () => createEngine({ models: [createFakeBackend({ id: 'service-1-pro' })] }))
  return { code, ...heard }
}

const text = (name: string) => readFile(join(folder, name), 'utf8')

describe('assay report', () => {
  it('writes a page and the numbers behind it, the same ones each time', async () => {
    expect(await run('report', 'one', '-o', 'report.html', '--json', 'report.json', '--resamples', '50')).toMatchObject({
      code: EXIT.ok,
      err: '',
    })
    expect(await text('report.html')).toMatch(/^<!doctype html>[\s\S]*40 rows of 1 task,[\s\S]*<\/html>\n$/)
    const numbers = JSON.parse(await text('report.json'))
    expect(numbers.evaluation).toMatchObject({ summary: { rows: 40, graded: 80 }, all: { distributions: 80, states: 40 } })
    expect(numbers.curves.riskCoverage[0]).toHaveLength(3)
    expect(numbers.evaluation.limits.map(({ name }: { name: string }) => name)).toEqual(['all', 'yes', 'which'])
    expect(numbers.made).toMatchObject({ runs: [{ binding: { model: { id: 'service-1-pro' } } }], resampling: { resamples: 50, seed: 1 } })
    const before = await text('report.html')
    await run('report', 'one/results.jsonl', '-o', 'report.html', '--resamples', '50')
    expect(await text('report.html')).toBe(before)
  })

  it('says what it wrote, and names runs as they were given', async () => {
    const { out } = await run('report', 'one', '-o', 'said.html', '--json', 'said.json', '--resamples', '10')
    expect(out).toMatch(/^said\.html: 40 rows, 80 graded answers.*\nsaid\.json: the numbers behind it\n$/)
    const tags = { type: 'select', instructions: 'Which?', options: ['a', 'b', 'c'] }
    await writeFile(join(folder, 'tags.jsonl'), JSON.stringify({ state: 'x', questions: { tags }, truth: { tags: ['a'] } }))
    await run('eval', 'tags.jsonl', '-o', 'tags')
    expect((await run('report', 'tags', '-o', 'tags.html', '--resamples', '10')).out).toContain('1 rows, 1 graded answers')
    expect((await run('report', 'absent', '-o', 'x.html')).err).toContain('error: absent is not there or empty')
    expect((await run('report', 'one', 'unlike', '-o', 'x.html')).err).toMatch(/The runs differ: \w+ is \S+ and \S+[;.]/)
  })

  it('shows states only when it is given them', async () => {
    await run('report', 'one', '-o', 'bare.html', '--resamples', '10')
    expect(await text('bare.html')).not.toContain('the secret of')
    await run('report', 'one', '-o', 'full.html', '--resamples', '10', '--dataset', 'one.jsonl')
    expect(await text('full.html')).toContain('the secret of')
    expect(await text('full.html')).toContain('Is it so?')
  })

  it('takes runs of the same kind together, and refuses others', async () => {
    expect((await run('report', 'one', 'two', '-o', 'both.html', '--resamples', '10')).code).toBe(EXIT.ok)
    expect(await text('both.html')).toContain('80 rows of 2 tasks')
    const { code, err } = await run('report', 'one', 'unlike', '-o', 'mixed.html')
    expect([code, err]).toEqual([EXIT.request, expect.stringContaining('--baseline')])
  })

  it('compares with another run over the same rows', async () => {
    await run('report', 'one', '-o', 'compared.html', '--json', 'compared.json', '--baseline', 'unlike', '--resamples', '20')
    expect(await text('compared.html')).toContain('Against the other run')
    expect(JSON.parse(await text('compared.json')).baseline.numbers).toMatchObject({ unmatched: 0, all: { distributions: 80 } })
  })

  it('says where it cannot write, and what is no results file', async () => {
    expect(await run('report', 'one', '-o', 'one.jsonl/page.html')).toMatchObject({ code: EXIT.usage })
    await writeFile(join(folder, 'headless.jsonl'), '{"format":"assay-results 1"}\n')
    const headless = await run('report', 'headless.jsonl', '-o', 'headless.html')
    expect(headless.code).toBe(EXIT.request)
    expect(headless.err).toContain('does not say what its results are about')
  })

  it('says what is wrong with what it is given', async () => {
    expect((await run('report', 'absent', '-o', 'x.html')).code).toBe(EXIT.request)
    expect((await run('report', 'one.jsonl', '-o', 'x.html')).code).toBe(EXIT.request)
    expect((await run('report', 'one')).code).toBe(EXIT.usage)
    const images = await run('report', 'one', '-o', 'x.html', '--images', '.')
    expect(images).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('give the data set as well') })
  })
})
