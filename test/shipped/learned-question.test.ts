// The whole way of a learned question on the shipped model: answers, outcomes, a refit, and answers that know what the
// labels taught.
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryOutcomeStore } from '../../src/calibration/outcomes/memory-outcomes.ts'
import { evidenceFor } from '../../src/calibration/outcomes/outcomes.ts'
import { refit } from '../../src/calibration/refit/refit.ts'
import { choice, createEngine, type Engine, localModel } from '../../src/index.ts'

const folder = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))

const FOOD = ['soup', 'rice', 'eggs', 'bread', 'pasta', 'salad', 'cake', 'chicken', 'beans', 'cheese', 'tomatoes', 'fish']
const MONEY = [
  'loan',
  'account',
  'payment',
  'credit card',
  'transfer',
  'deposit',
  'balance',
  'invoice',
  'mortgage',
  'fee',
  'refund',
  'tax bill',
]
const FOOD_LINES = ['How long do I cook the X?', 'Is there a good recipe with X?', 'The X tastes too salty, what now?']
const MONEY_LINES = ['When is my X due?', 'Why was my X refused by the bank?', 'Please look into the X of last month.']

const written = (lines: readonly string[], words: readonly string[], queue: string) =>
  words.flatMap((word) => lines.map((line) => ({ state: line.replace('X', word), queue })))
type Row = { readonly state: string; readonly queue: string }
// Names that say nothing: without labels, the model can only guess.
const rowsOf = (food: string, money: string): Row[] => [...written(FOOD_LINES, FOOD, food), ...written(MONEY_LINES, MONEY, money)]
const isTest = (_: Row, i: number): boolean => i % 6 === 0
const isTaught = (row: Row, i: number): boolean => !isTest(row, i)
const questions = { queue: choice('Which queue takes this?', ['queue K', 'queue R']) }

async function rightShare(engine: Engine, rows: readonly Row[]): Promise<number> {
  const unseen = rows.filter(isTest)
  let right = 0
  for (const { state, queue } of unseen) {
    const { answers } = await engine.ask({ state, questions })
    right += Number(answers.queue.choice === queue) / unseen.length
  }
  return right
}

describe('a question whose options mean nothing to the model', () => {
  const outcomes = memoryOutcomeStore({ keepsFeatures: true })
  const model = localModel(folder, { inProcess: true })
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ models: [model], outcomes })
  })
  afterAll(() => engine.close())

  it('is answered right after sixty outcomes, and says that it was learned', async () => {
    // Named against its guess, so that the labels alone can tell.
    const straight = rowsOf('queue K', 'queue R')
    const rows = (await rightShare(engine, straight)) > 0.5 ? rowsOf('queue R', 'queue K') : straight
    const before = await rightShare(engine, rows)
    let bound = { id: '', revision: '', templateHash: '' }
    for (const { state, queue } of rows.filter(isTaught)) {
      const response = await engine.ask(
        { state, questions },
        {
          observe: ({ model: id, revision, templateHash }) => {
            bound = { id, revision, templateHash }
          },
        },
      )
      await engine.recordOutcome(response.id, { queue })
    }
    const { candidate, decision } = refit(null, await evidenceFor(outcomes, bound), bound, { resamples: 100, leastHeldOut: 5 })
    expect(decision).toBe('serve')
    const taught = await createEngine({ models: [model], calibrations: [candidate!] })
    const after = await rightShare(taught, rows)
    const { questions: reports } = (await taught.ask({ state: rows[0]!.state, questions })).simo
    await taught.close()
    expect(before).toBeLessThan(0.8)
    expect(after).toBeGreaterThan(0.9)
    expect(reports.queue?.calibration).toMatchObject({ applied: 'learned', level: 'question', labels: 60 })
  })
})
