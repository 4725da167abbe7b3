// The half of the shipped model that sees pictures against its training code: PyTorch in one packed pass
// (test/golden/service-1-pro/make.py), the engine graph by graph.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logSoftmax } from '../../../../../src/core/math.ts'
import { createEngine, type Engine, localModel } from '../../../../../src/index.ts'
import type { ChoiceAnswer, NoulAnswer, ScoreAnswer, SelectAnswer } from '../../../../../src/questions/index.ts'
import type { AskRequest } from '../../../../../src/wire/types.ts'

interface Row {
  readonly state: unknown
  readonly questions: Record<string, { readonly type: string; readonly criteria?: Record<string, null> | readonly string[] }>
}
/** `logits` in the order the options are read in: sorted by name, levels as they are. */
type Golden = { readonly kind: string; readonly logits?: readonly number[] }

const read = (file: string): string => readFileSync(new URL(`../../../../golden/service-1-pro/${file}`, import.meta.url), 'utf8')
const rows = read('requests.jsonl')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Row)
const golden = JSON.parse(read('golden.json')) as readonly (readonly Golden[])[]
/** Decimals that agree. Training has the features of the picture in float16, the engine its encoder in eight bits. */
const DIGITS = 2

describe('service-1-pro against its training code', () => {
  let engine: Engine
  const folder = mkdtempSync(join(tmpdir(), 'assay-golden-'))
  beforeAll(async () => {
    // The training code reads every choice by its own read-out, so the shipped preference for another one is left out;
    // probabilities are the model's own.
    const shipped = resolve('models/service-1-pro/pictures')
    for (const name of ['onnx', 'tokenizer.json']) cpSync(join(shipped, name), join(folder, name), { recursive: true })
    const { choice_readouts: _, ...config } = JSON.parse(readFileSync(join(shipped, 'config.json'), 'utf8')) as Record<string, unknown>
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
    engine = await createEngine({
      models: [localModel(folder, { inProcess: true, id: 'service-1-pro' })],
      calibrations: [],
      deliberation: { passes: 1 },
    })
  })
  afterAll(async () => {
    await engine.close()
    rmSync(folder, { recursive: true })
  })

  it.each(rows.map((row, i) => [i + 1, row] as const))('gives the same probabilities for request %i', async (number, row) => {
    const { answers } = await engine.ask({ state: row.state, questions: row.questions } as AskRequest)
    const expected = golden[number - 1]!.filter(({ logits }) => logits !== undefined)
    const scored = Object.entries(row.questions).filter(([, { type }]) => ['noul', 'choice', 'score', 'select'].includes(type))
    // Checks of proposed answers are rows of training only.
    expect(expected.length).toBeGreaterThanOrEqual(scored.length)
    let at = 0
    for (const [id, question] of scored) {
      const logits = nextOf(question.type)
      const names = Array.isArray(question.criteria) ? null : Object.keys(question.criteria ?? {}).sort()
      const got = numbersOf(answers[id] as never, names)
      const wanted =
        question.type === 'choice' || question.type === 'score'
          ? logSoftmax(logits).map(Math.exp)
          : logits.map((z) => 1 / (1 + Math.exp(-z)))
      expect(got).toEqual(wanted.map((p) => expect.closeTo(p, DIGITS)))
    }

    function nextOf(type: string): readonly number[] {
      const kind = { noul: 'binary', choice: 'exclusive', score: 'ordinal', select: 'independent' }[type]
      while (expected[at]?.kind !== kind) at++
      return expected[at++]!.logits!
    }
  })
})

function numbersOf(answer: NoulAnswer | ChoiceAnswer | ScoreAnswer | SelectAnswer, names: readonly string[] | null): number[] {
  if (answer.type === 'noul') return [answer.noul]
  const probabilities = answer.probabilities as Record<string, number>
  return names === null ? Object.values(probabilities) : names.map((name) => probabilities[name]!)
}
