// The results file: what is whole is kept, what is torn is redone, what is another run's is refused.
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openResults, type RunBinding, readResults } from '../../src/evaluate/results.ts'
import type { RowResult } from '../../src/evaluate/run.ts'
import { header } from './simulated.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-results-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const { circumstances } = header
const binding: RunBinding = { ...header.binding, model: { ...header.binding.model, revision: 'one' } }

function result(at: number, id = `row ${at}`): RowResult {
  return { at, id, task: 't', state: 's', ms: at, passes: 1, inputTokens: 1, questions: [] }
}

async function write(name: string, rows: readonly RowResult[]): Promise<string> {
  const path = join(folder, name, 'results.jsonl')
  const file = await openResults(path, binding, circumstances)
  await Promise.all(rows.map((row) => file.append(row)))
  await file.close()
  return path
}

describe('a results file', () => {
  it('holds a header and one line for each row, in the order they were done, and reads back by place', async () => {
    const path = await write('plain', [result(2), result(0)])
    expect((await readFile(path, 'utf8')).split('\n').filter(Boolean)).toHaveLength(3)
    const { header: found, rows } = await readResults(path)
    expect(found.binding).toEqual(binding)
    expect(rows).toEqual([result(0), result(2)])
  })

  it('that is opened again says what is done, and goes on', async () => {
    const path = await write('again', [result(0), result(1)])
    const file = await openResults(path, binding, circumstances)
    expect(file.done.map(({ at }) => at)).toEqual([0, 1])
    await file.append(result(2))
    await file.close()
    expect((await readResults(path)).rows.map(({ at }) => at)).toEqual([0, 1, 2])
  })

  it('with a torn last line loses that line alone, wherever it was torn', async () => {
    const path = await write('torn', [result(0), result(1)])
    const whole = await readFile(path)
    const lastLine = whole.lastIndexOf(10, whole.length - 2) + 1
    for (let cut = lastLine + 1; cut < whole.length; cut += 7) {
      await writeFile(path, whole.subarray(0, cut))
      const file = await openResults(path, binding, circumstances)
      expect(file.done.map(({ at }) => at)).toEqual([0])
      await file.append(result(1))
      await file.close()
      expect(await readFile(path)).toEqual(whole)
    }
  })

  it('with a torn header begins anew', async () => {
    const path = await write('header', [])
    const whole = await readFile(path)
    for (const cut of [0, 1, 30, whole.length - 1]) {
      await writeFile(path, whole.subarray(0, cut))
      const file = await openResults(path, binding, circumstances)
      expect(file.done).toEqual([])
      await file.close()
      expect(await readFile(path)).toEqual(whole)
    }
  })

  it('keeps the later of two results of one row', async () => {
    const path = await write('twice', [result(0, 'first')])
    await appendFile(path, `${JSON.stringify(result(0, 'second'))}\n`)
    expect((await readResults(path)).rows.map(({ id }) => id)).toEqual(['second'])
  })

  it('of another run is refused, with what differs and the next step', async () => {
    const path = await write('other', [result(0)])
    const other: RunBinding = { ...binding, model: { ...binding.model, revision: 'two' }, selection: { limit: 5, sample: null, seed: 0 } }
    await expect(openResults(path, other, circumstances)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/model\.revision was "one" and is "two"; selection\.limit was null and is 5\. Choose another -o/),
    })
  })

  it('is the same run with another seed, where there is no sample that it is of', async () => {
    const path = await write('seed', [result(0)])
    const seeded = (sample: number | null): RunBinding => ({ ...binding, selection: { limit: null, sample, seed: 7 } })
    const file = await openResults(path, seeded(null), circumstances)
    expect(file.done).toHaveLength(1)
    await file.close()
    await expect(openResults(path, seeded(3), circumstances)).rejects.toMatchObject({
      message: expect.stringContaining('selection.sample was null and is 3; selection.seed was absent and is 7'),
    })
  })

  it('of a data set that changed is refused, with its name', async () => {
    const path = await write('changed', [result(0)])
    const [file] = binding.dataset
    const now = (more: object): RunBinding => ({ ...binding, dataset: [{ ...file!, sha256: 'e'.repeat(64), ...more }] })
    const said = (other: RunBinding) => openResults(path, other, circumstances).catch((error: Error) => error.message)
    const { name, rows } = file!
    expect(await said(now({}))).toContain(`another run: ${name} has changed since. Choose`)
    expect(await said(now({ rows: rows + 1 }))).toContain(`${name} has changed since (${rows} rows then, ${rows + 1} now)`)
    expect(await said(now({ name: 'c/d.jsonl' }))).toContain(`it was of ${name} and is of c/d.jsonl`)
    expect(await said({ ...binding, dataset: [file!, file!] })).toContain('the number of files was 1 and is 2')
  })

  it('is the same run when only the name of the data set changed', async () => {
    const path = await write('renamed', [result(0)])
    const renamed: RunBinding = { ...binding, dataset: binding.dataset.map((file) => ({ ...file, name: 'c/d.jsonl' })) }
    const file = await openResults(path, renamed, circumstances)
    expect(file.done).toHaveLength(1)
    await file.close()
  })

  it('that is broken in the middle, or is something else, is refused and left alone', async () => {
    const path = await write('broken', [result(0), result(1)])
    const lines = (await readFile(path, 'utf8')).split('\n')
    await writeFile(path, [lines[0], '{"at":', lines[2], ''].join('\n'))
    await expect(readResults(path)).rejects.toMatchObject({ message: expect.stringContaining('line 2') })
    for (const line of ['null', '5', '{}', '{"at":0}']) {
      await writeFile(path, [lines[0], line, ''].join('\n'))
      await expect(readResults(path)).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('line 2 is no result'),
      })
    }
    for (const text of ['my notes', 'my notes\n', '{"format":"other"}\n', '{"format":"assay-results 1"}\n']) {
      const notes = join(folder, 'notes.jsonl')
      await writeFile(notes, text)
      await expect(openResults(notes, binding, circumstances)).rejects.toMatchObject({ code: 'invalid_request' })
      expect(await readFile(notes, 'utf8')).toBe(text)
    }
  })
})
