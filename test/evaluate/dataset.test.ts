// Files of labelled requests to rows: formats, what is lenient, what is a fault, and which rows are chosen.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parquetWriteFile } from 'hyparquet-writer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/types.ts'
import { checkRow, openDataset, type Row, readRows, type Selection, shortPath } from '../../src/evaluate/dataset.ts'
import { readTruth } from '../../src/evaluate/truth.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-dataset-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const ALL: Selection = { limit: null, sample: null, seed: 0 }

async function file(name: string, rows: readonly unknown[]): Promise<string> {
  const path = join(folder, name)
  const text = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n')
  await writeFile(path, name.endsWith('.gz') ? gzipSync(`${text}\n`) : text)
  return path
}

async function read(paths: readonly string[], images: string | null = null): Promise<Row[]> {
  const rows: Row[] = []
  for await (const { file: _, ...row } of readRows(paths, images)) rows.push(row)
  return rows
}

function labelled(id: string): Record<string, Json> {
  return { id, source: 'mail', task: 'tone', state: `state ${id}`, questions: { angry: { type: 'noul' } }, truth: { angry: true } }
}

const check = (value: unknown) => checkRow(value, 'f:1', 'f', '/data')

describe('rows', () => {
  it('are read from plain and gzipped lines alike, across blank lines, a byte order mark and line ends of either kind', async () => {
    const lines = [labelled('a'), labelled('b')].map((row) => JSON.stringify(row))
    const plain = await file('plain.jsonl', [`\uFEFF${lines[0]}\r\n\n${lines[1]}`])
    const packed = await file('packed.jsonl.gz', lines)
    expect((await read([plain])).map(({ id, fault }) => [id, fault])).toEqual([
      ['a', null],
      ['b', null],
    ])
    expect(await read([packed])).toEqual(await read([plain]))
  })

  it('are unzipped where the file begins as gzip does, whatever it is called', async () => {
    const line = JSON.stringify(labelled('a'))
    await writeFile(join(folder, 'packed.jsonl'), gzipSync(`\uFEFF${line}\n`))
    await writeFile(join(folder, 'plain.jsonl.gz'), line)
    for (const name of ['packed.jsonl', 'plain.jsonl.gz'])
      expect((await read([join(folder, name)])).map(({ id, fault }) => [id, fault])).toEqual([['a', null]])
  })

  it('may be long: a line of many chunks is read whole', async () => {
    const state = 'é€😀'.repeat(40_000)
    const path = await file('long.jsonl', [{ ...labelled('a'), state }, labelled('b')])
    expect((await read([path])).map(({ request }) => request.state)).toEqual([state, 'state b'])
  })

  it('keep line separators that stand raw inside strings', async () => {
    const path = await file('separators.jsonl', [`{"state":"one\u2028two\u2029three","questions":{},"truth":{}}`])
    expect((await read([path])).map(({ request }) => request.state)).toEqual(['one\u2028two\u2029three'])
  })

  it('are named by their own id, and told apart where a data set repeats one', async () => {
    const path = await file('twins.jsonl', [labelled('a'), labelled('a'), { state: '', questions: {}, truth: {} }])
    expect((await read([path])).map(({ id, task }) => [id, task])).toEqual([
      ['a', 'mail: tone'],
      ['a#2', 'mail: tone'],
      [`${shortPath(path)}:3`, 'twins'],
    ])
  })

  it('get no id that another row has, made or written', async () => {
    const ids = ['a', 'a', 'a#2', 'b#2', 'b', 'b', 'a']
    expect((await read([await file('numbered.jsonl', ids.map(labelled))])).map(({ id }) => id)).toEqual([
      'a',
      'a#2',
      'a#2#2',
      'b#2',
      'b',
      'b#3',
      'a#3',
    ])
  })

  it('that are no requests are rows with a fault, not the end of the file', async () => {
    const path = await file('broken.jsonl', [
      '{"state":',
      '[1]',
      { questions: {}, truth: {} },
      { state: 'x', truth: {} },
      { state: 'x', questions: {} },
    ])
    const faults = (await read([path])).map(({ fault }) => fault)
    expect(faults.map((fault) => /not JSON|an object|state|questions|truth/.exec(String(fault))?.[0])).toEqual([
      'not JSON',
      'an object',
      'state',
      'questions',
      'truth',
    ])
  })

  it('say what is there in place of what is missing, and what is meant', () => {
    const shape = '; a row is {"state": "…", "questions": {"angry": {"type": "noul", "instructions": "…"}}, "truth": {"angry": true}}'
    const faultOf = (row: Record<string, Json>) => check(row).fault
    const there = 'there are "text", "label", not known here'
    expect(faultOf({ text: 'x', label: 'y' })).toBe(`the state and the questions and the truth are missing; ${there}${shape}`)
    expect(faultOf({ id: '1', state: 'x', questions: {}, label: true })).toContain(
      'the truth is missing; there is "label", not known here; a row is',
    )
    expect(faultOf({ state: 'x', questions: {}, truth: true })).toBe(
      `the field "truth" is true, and takes an object of truths by question id${shape}`,
    )
    expect(faultOf({ state: 'x', questions: [], truth: {} })).toContain('the field "questions" is an array, and takes an object of')
    expect(faultOf({ state: null, questions: {}, truth: {} })).toBeNull()
  })

  it('are told how to be written where a file is a table', async () => {
    await expect(read([await file('rows.csv', ['state,label'])])).rejects.toThrow(
      /rows\.csv is a table; write each of its rows as a line of JSON/,
    )
  })

  it('find their pictures beside the file, or under the folder they are said to be in', async () => {
    const row = { ...labelled('a'), state: [{ type: 'image', source: { type: 'path', path: 'images/a.png' } }] }
    const path = await file('pictures.jsonl', [row])
    const sourceOf = async (images: string | null) =>
      ((await read([path], images))[0]!.request.state as { source: { path: string } }[])[0]!.source.path
    expect(await sourceOf(null)).toBe(join(folder, 'images', 'a.png'))
    expect(await sourceOf(join(folder, 'elsewhere'))).toBe(join(folder, 'elsewhere', 'images', 'a.png'))
  })

  it('of a Parquet file are those of the same lines', async () => {
    const wanted = [labelled('a'), { ...labelled('b'), state: { text: 'nested', list: [1, 2] }, truth: { angry: false } }]
    const path = join(folder, 'rows.parquet')
    const column = (name: string, of: (row: Record<string, Json>) => string) => ({ name, data: wanted.map(of), type: 'STRING' as const })
    const json = (name: string) => column(name, (row) => JSON.stringify(row[name]))
    parquetWriteFile({
      filename: path,
      columnData: [
        ...['id', 'source', 'task'].map((name) => column(name, (row) => String(row[name]))),
        column('state', ({ state }) => (typeof state === 'string' ? state : JSON.stringify(state))),
        json('questions'),
        json('truth'),
      ],
    })
    expect(await read([path])).toEqual(await read([await file('same.jsonl', wanted)]))
  })

  it('cannot be read from a file that is not there, is empty or is damaged', async () => {
    await expect(read([join(folder, 'absent.jsonl')])).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('no such file'),
    })
    await expect(read([await file('empty.jsonl', [])])).rejects.toMatchObject({ message: expect.stringContaining('holds no rows') })
    const packed = gzipSync(JSON.stringify(labelled('a')))
    await writeFile(join(folder, 'cut.jsonl.gz'), packed.subarray(0, -12))
    await expect(read([join(folder, 'cut.jsonl.gz')])).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/cut\.jsonl\.gz cannot be read: it is compressed and was cut short$/),
    })
    await writeFile(join(folder, 'changed.jsonl.gz'), Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8)]))
    await expect(read([join(folder, 'changed.jsonl.gz')])).rejects.toMatchObject({ message: expect.stringContaining('and damaged') })
    await writeFile(join(folder, 'fake.parquet'), 'not parquet')
    await expect(read([join(folder, 'fake.parquet')])).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

describe('rows of the Decision Index', () => {
  it('are read as they are: expected is the truth, a null is not known, the run names the row', () => {
    const row = check({
      id: '7',
      family: 'anli',
      state: '',
      questions: {
        relation: { type: 'choice', criteria: { entails: null, other: null } },
        hallucinated: { type: 'noul' },
        unjudged: { type: 'noul' },
      },
      expected: { relation: 'entails', hallucinated: 'yes', unjudged: null },
      _evaluation: { run_id: 'anli-r1-7', dataset: 'ANLI' },
    })
    expect(row).toMatchObject({ id: 'anli-r1-7', task: 'ANLI', truth: { relation: 'entails', hallucinated: true }, fault: null })
    expect(row.truth).not.toHaveProperty('unjudged')
  })
})

describe('a truth', () => {
  it.each([
    [{ type: 'noul' }, { noul: false }, false],
    [{ type: 'noul' }, 'No', false],
    [{ type: 'noul' }, 0.25, 0.25],
    [{ type: 'choice' }, { choice: 'x' }, 'x'],
    [{ type: 'choice' }, 3, '3'],
    [{ type: 'score', criteria: ['low', { label: 'high' }] }, 'high', 1],
    [{ type: 'score', criteria: ['low', 'high'] }, '0', 0],
    [{ type: 'score', criteria: ['1', '0'] }, '0', 1],
    [{ type: 'select' }, { selected: ['a'] }, ['a']],
    [{ type: 'fill' }, { value: 7 }, 7],
    [{ type: 'fill' }, null, undefined],
    [{ type: 'extract' }, null, null],
    [{ type: 'extract' }, { coordinates: [1, 2, 3, 4] }, [1, 2, 3, 4]],
    [undefined, 'x', 'x'],
  ] as const)('of %j written as %j is %j', (question, given, wanted) => {
    expect(readTruth(question, given as Json)).toEqual(wanted)
  })
})

describe('a choice of rows', () => {
  it('takes the first of each file', async () => {
    const [one, two] = [await file('one.jsonl', ['a', 'b', 'c'].map(labelled)), await file('two.jsonl', ['d', 'e', 'f'].map(labelled))]
    const { chosen, files } = await openDataset([one, two], { ...ALL, limit: 2 })
    expect([...chosen]).toEqual([0, 1, 3, 4])
    expect(files.map(({ name, rows }) => [name, rows])).toEqual([
      [shortPath(one), 3],
      [shortPath(two), 3],
    ])
  })

  it('nests: a smaller sample lies in a larger one of the same seed, whatever the order of the rows', async () => {
    const ids = Array.from({ length: 200 }, (_, i) => `row ${i}`)
    const forward = await file('forward.jsonl', ids.map(labelled))
    const backward = await file('backward.jsonl', ids.toReversed().map(labelled))
    const sampled = async (path: string, sample: number, seed: number) => {
      const { chosen } = await openDataset([path], { limit: null, sample, seed })
      return new Set((await read([path])).filter(({ at }) => chosen.has(at)).map(({ id }) => id))
    }
    const [small, large] = [await sampled(forward, 20, 7), await sampled(forward, 80, 7)]
    expect([small.size, large.size]).toEqual([20, 80])
    expect([...small].every((id) => large.has(id))).toBe(true)
    expect(await sampled(backward, 20, 7)).toEqual(small)
    expect(await sampled(forward, 20, 8)).not.toEqual(small)
    expect((await sampled(forward, 500, 7)).size).toBe(200)
  })
})
