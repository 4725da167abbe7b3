// Every example that a newcomer reads is answered rightly by the shipped model. `examples.jsonl` lists request and
// expected answers, one example a line, in the format of `assay eval`:
//   assay eval test/shipped/examples.jsonl --model FOLDER -o runs/examples
// asks other weights the same; `EXAMPLES_MODEL=FOLDER npx vitest run test/shipped/examples.test.ts` holds them to it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkRow } from '../../src/evaluate/dataset.ts'
import { runRow } from '../../src/evaluate/run.ts'
import { createEngine, type Engine, localModel } from '../../src/index.ts'
import type { Answers, AskRequest, AskResponse } from '../../src/wire/types.ts'
import { requestKey, type ShownRequest, shownExamples } from './shown-examples.ts'

interface ExampleRow extends ShownRequest {
  readonly id: string
  /** Every file that shows it. */
  readonly where: readonly string[]
  /** Expected answers, as `assay eval --help` says. */
  readonly truth: Readonly<Record<string, unknown>>
  /** Expected values of expressions. */
  readonly derived?: Readonly<Record<string, unknown>>
}

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const rows: readonly ExampleRow[] = readFileSync(join(here, 'examples.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
const model = process.env.EXAMPLES_MODEL ?? join(root, 'models/service-1-pro')
const isOurs = (path: string): boolean => !path.startsWith('node_modules/')
const isThere = existsSync(join(model, 'config.json'))

/** An example at its place: whole, to compare, and short, to read. */
interface Named {
  readonly key: string
  readonly name: string
}
function named(where: string, request: ShownRequest, folder: string): Named {
  return { key: `${where} ${requestKey(request, folder)}`, name: `${where} asks ${Object.keys(request.questions).join(', ')}` }
}

describe('the list of examples', () => {
  it('has every example that is shown, and no other', async () => {
    const listed = rows.flatMap((row) => row.where.filter(isOurs).map((where) => named(where, row, here)))
    const shown = (await shownExamples()).map(({ where, request }) => named(where, request, root))
    const names = (some: readonly Named[], others: readonly Named[]) => {
      const keys = new Set(others.map(({ key }) => key))
      return some.filter(({ key }) => !keys.has(key)).map(({ name }) => name)
    }
    expect(
      { notListed: names(shown, listed), notShown: names(listed, shown) },
      'test/shipped/examples.jsonl has each example as it is shown now, with its truth',
    ).toEqual({ notListed: [], notShown: [] })
    expect(new Set(listed.map(({ key }) => key)).size, 'each stands once in test/shipped/examples.jsonl').toBe(listed.length)
  })

  it.each(rows.filter(({ where }) => !where.every(isOurs)))('says $id as the papers of others do', ({ state, where }) => {
    const words = typeof state === 'string' ? state : Object.values(state as object).join(' ')
    for (const path of where.filter((one) => !isOurs(one))) expect(readFileSync(join(root, path), 'utf8')).toContain(words)
  })

  it('expects an answer to every question and argument, and of every expression', () => {
    for (const row of rows) {
      const asked = Object.entries(row.questions).flatMap(([id, question]) => [
        id,
        ...Object.keys((question as { args?: object }).args ?? {}).map((name) => `${id}/${name}`),
      ])
      expect(Object.keys(row.truth).sort(), row.id).toEqual(asked.sort())
      expect(Object.keys(row.derived ?? {}), row.id).toEqual(Object.keys(row.derive ?? {}))
    }
  })
})

describe.skipIf(!isThere)(`the model${isThere ? '' : ' (skipped: its folder is not there)'}`, () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ models: [localModel(model, { inProcess: true })] })
  })
  afterAll(() => engine?.close())

  /** Questions that are answered wrongly, with what was said, and the values of the expressions. */
  async function wrongsOf(row: ExampleRow): Promise<{ readonly wrongs: readonly string[]; readonly answers: Answers }> {
    let answers: Answers = {}
    const ask = async (request: AskRequest): Promise<AskResponse> => {
      const response = (await engine.ask(row.derive === undefined ? request : { ...request, derive: row.derive })) as AskResponse
      answers = response.answers
      return response
    }
    const settings = { ask, now: () => 0, deliberation: 'automatic', deadlineMs: 60_000, selfCheck: false } as const
    const labelled = { ...checkRow(row, row.id, 'examples', here), at: 0 }
    const result = await runRow(labelled, { ...settings, keepStates: false })
    expect([result.error, result.ungraded], row.id).toEqual([undefined, undefined])
    const wrongs = result.questions.filter(({ right }) => right < 1)
    return { wrongs: wrongs.map(({ id, said, truth }) => `${id}: ${JSON.stringify([said, truth])}`), answers }
  }

  it.each(rows)('answers $id rightly', async (row) => {
    const { wrongs, answers } = await wrongsOf(row)
    expect(wrongs).toEqual([])
    for (const [name, value] of Object.entries(row.derived ?? {})) expect(answers[name], name).toMatchObject({ value })
  })
})
