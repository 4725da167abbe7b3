// What is left of a state where a question calls rows of its tables or lists by name: as in training
// (test/golden/encoder/make_narrowed.py), and quoted from where it stands in what the caller sent.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Branch } from '../../../../../src/backends/backend.ts'
import { NamedRows } from '../../../../../src/backends/onnx/families/encoder/named-rows.ts'
import { rowBranches } from '../../../../../src/backends/onnx/families/encoder/row-branches.ts'
import { stateText } from '../../../../../src/backends/onnx/families/encoder/state-text.ts'
import { textTables } from '../../../../../src/core/text-tables.ts'
import type { Json } from '../../../../../src/core/types.ts'
import { readState } from '../../../../shared/read-state.ts'

interface Narrowed {
  readonly state: Json
  readonly question: string
  readonly options: readonly string[] | null
  readonly texts: readonly string[] | null
}

const file = fileURLToPath(new URL('../../../../golden/encoder/narrowed.json', import.meta.url))
const golden = JSON.parse(readFileSync(file, 'utf8')) as Narrowed[]

function branchOf({ question, options }: Narrowed): Branch {
  const candidates = (options ?? []).map((name) => ({ name, description: null }))
  return { readout: options === null ? 'binary' : 'independent', instructions: question, candidates, image: null }
}

/** The caller's string that a stretch stands in. */
function stringAt(state: Json, part: number, path: string | null): string {
  const parts = Array.isArray(state) && state.every((one) => typeof one === 'object' && one !== null && 'type' in one)
  const sent = parts ? (state as { text?: string; value?: Json }[])[part] : { text: state as string, value: state }
  if (path === null) return sent?.text as string
  const value = path
    .split('/')
    .slice(1)
    .reduce<unknown>((at, token) => (at as Record<string, unknown>)[token], sent?.value)
  return String(value)
}

describe('rows that a question names', () => {
  it.each(golden)('are what it is asked about: $question $options', async (one) => {
    const { prompt } = await readState(one.state)
    const asked = rowBranches(branchOf(one), new NamedRows(prompt))
    const texts = asked.map(({ shown }) => stateText(prompt, shown ?? undefined))
    expect(one.texts === null ? null : texts.map(({ text }) => text)).toEqual(one.texts)
    expect(asked.every(({ shown }) => (shown === null) === (one.texts === null))).toBe(true)
    for (const { text, stretches } of texts) {
      for (const { start, end, string, source, offset } of stretches) {
        expect(text.slice(start, end)).toBe(string)
        expect(stringAt(one.state, source.part, source.path).slice(offset, offset + string.length)).toBe(string)
      }
    }
  })

  it('are asked about one by one where they are what is chosen from', () => {
    const [which] = golden.filter(({ options }) => options !== null) as [Narrowed]
    const asked = rowBranches(
      branchOf(which),
      new NamedRows({ pieces: [], parts: [{ type: 'text', index: 0, text: which.state as string }] }),
    )
    expect(asked.map(({ branch }) => [branch.readout, branch.candidates.length])).toEqual(which.options?.map(() => ['binary', 0]))
  })

  it.each([
    ['invisible characters', '\u200b'],
    ['apostrophes', "'"],
    ["endings of Anna's", "'s"],
  ])('are looked for among names with many %s in them', async (_, within) => {
    const { prompt } = await readState([
      { id: `a${within.repeat(100_000)}a`, note: 'x' },
      { id: 'web-2', note: 'y' },
    ])
    expect([...new NamedRows(prompt).of('Is web-2 late?')!.values()]).toEqual([new Set(['1'])])
  })

  it.each([
    ['|'.repeat(1999), 0],
    ['"'.repeat(1999), 0],
    [' "'.repeat(900), 0],
    ['a: b;'.repeat(399), 0],
    ['x  '.repeat(600), 0],
    [',,'.repeat(900), 0],
    ['a\t b', 1],
  ])('are looked for in a text of lines that look like rows', (line, tables) => {
    expect(textTables(`${line}\n`.repeat(300))).toHaveLength(tables)
  })
})
