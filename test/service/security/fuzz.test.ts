// A sample of the hundred thousand bodies that bench/service/fuzz.ts sends: no fault of ours, no hang, no leak, and the
// books are right afterwards.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseDollars } from '../../../src/service/money.ts'
import { type Running, startRunning } from '../running.ts'
import { bodyOf, type FuzzReport, fuzz } from './fuzz.ts'
import { SEEDS } from './seeds.ts'

const COUNT = 1500
const SEED = 20_260_101

let running: Running
let report: FuzzReport
beforeAll(async () => {
  running = await startRunning({ settings: { prices: { '*': parseDollars('1')! }, concurrency: 4 } })
  await running.store.ledger.credit('main', parseDollars('1000')!, 'for the tests')
  report = await fuzz(running, { seed: SEED, count: COUNT, concurrency: 8, hangMs: 20_000 })
})
afterAll(() => running.end())

describe('hostile bodies', () => {
  it('are made again from their numbers', () => {
    for (const seed of [1, 2, 3]) expect(bodyOf(seed)).toEqual(bodyOf(seed))
    expect(new Set(Array.from({ length: 300 }, (_, i) => bodyOf(i).path))).toEqual(new Set(SEEDS.map(({ path }) => path)))
  })

  it('never find a fault of ours, a hang, a leak, or a reply that breaks the contract', () => {
    expect(report.violations).toEqual([])
  })

  it('reach every part of the service: answers, and many kinds of refusals', () => {
    expect(report.answered).toBeGreaterThan(COUNT / 20)
    expect(Object.keys(report.codes)).toEqual(
      expect.arrayContaining([
        'invalid_json',
        'invalid_request',
        'invalid_question',
        'unknown_question_type',
        'invalid_derive',
        'invalid_image',
      ]),
    )
  })

  it('are charged where they are answered, and nowhere else', async () => {
    const charges = (await running.store.ledger.entries('main', { limit: COUNT * 2 })).filter(({ kind }) => kind === 'charge')
    expect(charges).toHaveLength(report.answered)
    expect(await running.store.ledger.audit()).toEqual([])
  })

  it('leave nobody in the line, and the service as it was', async () => {
    expect(running.service.context.answerer.load).toEqual({ running: 0, waiting: 0 })
    expect((await running.ask(SEEDS[0]!.body)).status).toBe(200)
  })
})
