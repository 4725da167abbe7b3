// What the encoder family makes of texts, states and questions against PyTorch and the tokenizers library
// (test/golden/encoder/make.py), on a tiny model with random weights.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import type { Branch } from '../../../../../src/backends/backend.ts'
import { passagesOf } from '../../../../../src/backends/onnx/families/encoder/passages.ts'
import { stateText } from '../../../../../src/backends/onnx/families/encoder/state-text.ts'
import { WordPieces } from '../../../../../src/backends/onnx/families/encoder/word-pieces.ts'
import { loadOnnxModel } from '../../../../../src/backends/onnx/index.ts'
import type { JsonObject } from '../../../../../src/backends/onnx/runtime/layout.ts'
import { logSigmoid, logSoftmax } from '../../../../../src/core/math.ts'
import type { Json } from '../../../../../src/core/types.ts'
import { readState } from '../../../../shared/read-state.ts'

interface Golden {
  readonly pieces: readonly {
    readonly text: string
    readonly ids: readonly number[]
    readonly spans: readonly (readonly [number, number])[]
  }[]
  readonly states: readonly { readonly state: Json; readonly text: string; readonly passages: readonly number[] }[]
  readonly answers: readonly { readonly state: Json; readonly logits: Readonly<Record<string, readonly number[]>> }[]
}

const folder = fileURLToPath(new URL('../../../../golden/encoder', import.meta.url))
const read = (file: string): unknown => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))
const golden = read('golden.json') as Golden
const config = read('model/config.json') as { readonly passage_pieces: number }
const pieces = new WordPieces(read('model/tokenizer.json') as JsonObject, 'tiny')

describe('word pieces', () => {
  it.each(golden.pieces)('of $text are those of the tokenizers library', ({ text, ids, spans }) => {
    const found = pieces.encode(text)
    expect(found.ids).toEqual(ids)
    expect(found.ids.map((_, i) => [found.starts[i], found.ends[i]])).toEqual(spans)
  })

  it('never make a control token of a text', () => {
    const { ids } = pieces.encode('[CLS] [SEP] [MASK] [PAD] [UNK]')
    expect(ids.length).toBeGreaterThan(10)
    for (const control of [pieces.first, pieces.last]) expect(ids).not.toContain(control)
  })
})

describe('the text of a state', () => {
  it.each(golden.states)('is as in training: $text', async ({ state, text }) => {
    const { prompt } = await readState(state)
    const written = stateText(prompt)
    expect(written.text).toBe(text)
    for (const { start, end, string } of written.stretches) expect(written.text.slice(start, end)).toBe(string)
  })

  it('is cut as in training', async () => {
    for (const { state, text, passages } of golden.states) {
      const encoded = pieces.encode(stateText((await readState(state)).prompt).text)
      const cut = passagesOf(text, encoded, config.passage_pieces)
      expect(cut.map(({ from, to }) => to - from)).toEqual(passages)
      expect(cut[0]?.from).toBe(0)
      expect(cut.at(-1)?.to).toBe(encoded.ids.length)
    }
    expect(golden.states.some(({ passages }) => passages.length > 1)).toBe(true)
  })
})

const named = (...names: (string | readonly [string, string])[]) =>
  names.map((name) => (typeof name === 'string' ? { name, description: null } : { name: name[0], description: name[1] }))
const BRANCHES: Readonly<Record<string, Branch>> = {
  refund: { readout: 'binary', instructions: 'The customer asks for money back.', candidates: named('true', 'false'), image: null },
  topic: {
    readout: 'exclusive',
    instructions: 'What is it about?',
    candidates: named('damage', ['delay', 'it came late'], 'praise'),
    image: null,
  },
  anger: { readout: 'ordinal', instructions: 'How angry?', candidates: named('not', 'a bit', 'very'), image: null },
  named: { readout: 'independent', instructions: 'What is named?', candidates: named('lamp', ['tent', 'to sleep']), image: null },
}

describe('answers', async () => {
  const backend = await loadOnnxModel(`${folder}/model`, { inProcess: true, threads: 1 })
  afterAll(() => backend.close())

  it.each(['first', 'second'] as const)('of the %s look are those of PyTorch, alone and together', async (look) => {
    for (const { state, logits } of golden.answers) {
      const prefix = await backend.open((await readState(state)).prompt)
      const asked = Object.entries(BRANCHES).map(([name, branch]) => ({ name, branch: { ...branch, look } }))
      const together = await prefix.score(asked.map(({ branch }) => branch))
      for (const [i, { name, branch }] of asked.entries()) {
        const wanted = logits[`${name} ${look}`] as readonly number[]
        const rows =
          branch.readout === 'exclusive' || branch.readout === 'ordinal'
            ? [logSoftmax(wanted)]
            : wanted.map((x) => [logSigmoid(x), logSigmoid(-x)])
        const [alone] = await prefix.score([branch])
        for (const scores of [alone, together[i]]) {
          const found = scores?.rows.flatMap(({ logProbabilities }) => logProbabilities) as number[]
          expect(found).toHaveLength(rows.flat().length)
          rows.flat().forEach((value, at) => {
            expect(found[at], `${name} ${at}`).toBeCloseTo(value, 4)
          })
        }
      }
    }
  })
})
